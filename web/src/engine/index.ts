// The engine of this page, and what everybody needs of it. Which one it is the build says (vite.config.ts).

export { engine, recording } from "#engine";
export { EngineError } from "./server";
export type * from "./types";
