// What a page without a server needs beside the page: the compressed engine, and a service worker that keeps everything
// for the next visit. A part of the build.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** The files of the site, with the engine from this file. */
export function site(module: string): Plugin {
  const engine = readFileSync(module);
  const name = `assets/engine-${hash(engine)}.bin`;
  return {
    name: "site",
    config: () => ({ define: { __ENGINE__: JSON.stringify(name) } }),
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        this.emitFile({ type: "asset", fileName: name, source: engine });
        const files = [...Object.keys(bundle), name].filter((file) => !file.endsWith(".md")).sort();
        const contents = files.map((file) => {
          const made = bundle[file];
          return made ? hash(made.type === "chunk" ? made.code : made.source) : file;
        });
        const version = hash([...files, ...contents].join("\n"));
        this.emitFile({ type: "asset", fileName: "offline.js", source: offline(version, files) });
      },
    },
  };
}

const hash = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex").slice(0, 10);

/** A service worker: takes everything at once, answers from what it has, and throws older versions away. The address of
 * the page itself is asked for anew, so that a new version is seen as soon as there is a network. */
const offline = (version: string, files: string[]): string => `// Keeps the page for when there is no network.
const NAME = "ringleader-${version}";
const FILES = ${JSON.stringify(["./", ...files.filter((file) => file !== "index.html")])};

self.addEventListener("install", (event) =>
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting())));

self.addEventListener("activate", (event) =>
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("ringleader-") && name !== NAME) await caches.delete(name);
    await self.clients.claim();
  })()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  event.respondWith((async () => {
    const cache = await caches.open(NAME);
    if (request.mode === "navigate") {
      try {
        return await fetch(request);
      } catch {
        return (await cache.match("./")) ?? Response.error();
      }
    }
    return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
  })());
});
`;
