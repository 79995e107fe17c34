// The engine of a page that lies on any server of files: WebAssembly, in workers.

import { AloneEngine } from "./alone";
import { checked } from "./checked";
import type { Port } from "./hand";
import { unpack } from "./module";
import type { Engine } from "./types";

/** Where the module is, seen from the page. Set by the build. */
declare const __ENGINE__: string;

async function load(): Promise<WebAssembly.Module> {
  const address = new URL(__ENGINE__, document.baseURI).href;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return unpack(new Uint8Array(await response.arrayBuffer()));
}

const spawn = (): Port => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }) as unknown as Port;

export const engine: Engine = checked(new AloneEngine(load(), spawn));

// Once it has been here, it works without a network. Where a browser has no such thing (or the page is a file), it does
// not, and nothing else is different.
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
  navigator.serviceWorker.register(new URL("offline.js", document.baseURI)).catch(() => undefined);
}

/** A recorded run that came with the page. */
export const recording: { name: string; text: string } | null = null;
