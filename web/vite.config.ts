import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The page is built into the crate that serves it, and committed there: whoever builds the program needs no Node.
export default defineConfig({
  plugins: [svelte()],
  base: "./",
  build: {
    outDir: "../crates/ringleader-page/page",
    emptyOutDir: true,
    target: "es2022",
    // The licences of the packages that are in it, as they ask for.
    license: { fileName: "licences.md" },
    chunkSizeWarningLimit: 100,
  },
  // While one works on it: `ringleader serve` beside `npm run dev`.
  server: { proxy: { "/api": process.env.RINGLEADER_ENGINE ?? "http://127.0.0.1:7420" } },
});
