import { svelte } from "@sveltejs/vite-plugin-svelte";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { site } from "./site.ts";

// The page is built into the crate that serves it, and committed there: whoever builds the program needs no Node. With
// `--mode site` it is the page without a server; RINGLEADER_WASM is where its engine is (`cargo xtask site`).
export default defineConfig(({ mode }) => {
  const alone = mode === "site";
  const module = process.env.RINGLEADER_WASM ?? "";
  const engine = alone ? "./src/engine/site.ts" : "./src/engine/served.ts";
  return {
    plugins: [svelte(), ...(alone ? [site(module)] : [])],
    base: "./",
    resolve: { alias: { "#engine": fileURLToPath(new URL(engine, import.meta.url)) } },
    build: {
      outDir: "../crates/ringleader-page/page",
      emptyOutDir: true,
      target: "es2022",
      // The licences of the packages that are in it, as they ask for.
      license: { fileName: "licences.md" },
      chunkSizeWarningLimit: 100,
    },
    worker: { format: "es" as const },
    // While one works on it: `ringleader serve` beside `npm run dev`.
    server: { proxy: { "/api": process.env.RINGLEADER_ENGINE ?? "http://127.0.0.1:7420" } },
  };
});
