// The page as one file: scripts, styles, engine and all licences in it, so that it works from a disk. A part of the
// build. `ringleader trace --to html --live` puts a recorded run into it.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** What stands in the page where a recorded run can be put. */
const RECORDING = '<script type="application/json" id="recording">null</script>';

/** The page as one file, with the compressed engine from one file and the licences of its crates from another. */
export function live(module: string, licences: string): Plugin {
  return {
    name: "live",
    config: () => ({
      build: {
        modulePreload: false,
        cssCodeSplit: false,
        chunkSizeWarningLimit: 4000,
        rolldownOptions: { output: { codeSplitting: false } },
      },
    }),
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const text = (end: string): string => {
          const found = Object.values(bundle).filter(({ fileName }) => fileName.endsWith(end));
          const [made] = found;
          if (!made || found.length > 1) throw new Error(`there are ${found.length} files ${end}, and one is needed`);
          return made.type === "chunk" ? made.code : String(made.source);
        };
        const all = `${text(".md")}\n${readFileSync(licences, "utf8")}`;
        const head = `<style>${text(".css").replaceAll("</style", "<\\/style")}</style>`;
        const body = [
          "<!-- The licences of what is in this file: gzip, base64. -->",
          `<script type="application/octet-stream" id="licences">${gzipSync(all, { level: 9 }).toString("base64")}</script>`,
          RECORDING,
          `<script type="application/octet-stream" id="engine">${readFileSync(module).toString("base64")}</script>`,
          `<script type="module">${text(".js").replaceAll("</script", "<\\/script")}</script>`,
        ].join("\n    ");
        const html = text(".html")
          .replace(/\s*<script type="module"[^>]*><\/script>/, "")
          .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
          .replace("</head>", () => `  ${head}\n  </head>`)
          .replace("</body>", () => `  ${body}\n  </body>`);
        for (const name of Object.keys(bundle)) delete bundle[name];
        this.emitFile({ type: "asset", fileName: "live.html", source: html });
      },
    },
  };
}
