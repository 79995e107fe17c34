// The engine of this page, and what everybody needs of it.

import { ServerEngine } from "./server";
import type { Engine } from "./types";

export { EngineError } from "./server";
export type * from "./types";

export const engine: Engine = new ServerEngine(new URLSearchParams(location.search).get("token"));
