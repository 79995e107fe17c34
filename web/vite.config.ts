import { svelte } from "@sveltejs/vite-plugin-svelte";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { answers } from "./answers.ts";
import { live } from "./live.ts";
import { site } from "./site.ts";

const { RINGLEADER_WASM: module = "", RINGLEADER_WASM_LICENCES: licences = "" } = process.env;

/** Which engine the page has, and what of the build depends on it. */
const KINDS = {
  served: { engine: "./src/engine/served.ts", plugins: () => [] },
  site: { engine: "./src/engine/site.ts", plugins: () => [site(module)] },
  live: { engine: "./src/engine/live.ts", plugins: () => [live(module, licences)] },
};

// The page is built into the crate that serves it, and committed there: whoever builds the program needs no Node. With
// `--mode site` it is the page without a server, with `--mode live` the same as one file; RINGLEADER_WASM is where the
// engine is, RINGLEADER_WASM_LICENCES what it is under (`cargo xtask site`).
export default defineConfig(({ mode }) => {
  const kind = KINDS[mode as keyof typeof KINDS] ?? KINDS.served;
  return {
    plugins: [svelte(), answers(), ...kind.plugins()],
    base: "./",
    resolve: { alias: { "#engine": fileURLToPath(new URL(kind.engine, import.meta.url)) } },
    build: {
      outDir: "../crates/ringleader-page/page",
      emptyOutDir: true,
      target: "es2022",
      // The licences of the packages that are in it, as they ask for.
      license: { fileName: "licences.md" },
      chunkSizeWarningLimit: 125,
    },
    // From a disk, browsers take no module for a worker.
    worker: { format: mode === "live" ? ("iife" as const) : ("es" as const) },
    // While one works on it: `ringleader serve` beside `npm run dev`.
    server: { proxy: { "/api": process.env.RINGLEADER_ENGINE ?? "http://127.0.0.1:7420" } },
  };
});
