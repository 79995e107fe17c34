// The engine of a page that is one file: in the file itself, and the workers as well.

import { AloneEngine } from "./alone";
import { checked } from "./checked";
import type { Port } from "./hand";
import { unpack } from "./module";
import LiveWorker from "./worker?worker&inline";
import type { Engine } from "./types";

/** What stands in an element of the page. */
const text = (id: string): string => document.getElementById(id)?.textContent ?? "";

async function load(): Promise<WebAssembly.Module> {
  return unpack(Uint8Array.from(atob(text("engine")), (letter) => letter.charCodeAt(0)));
}

export const engine: Engine = checked(new AloneEngine(load(), () => new LiveWorker() as unknown as Port));

/** The recorded run that was put into the file, if there is one. */
export const recording = JSON.parse(text("recording") || "null") as { name: string; text: string } | null;
