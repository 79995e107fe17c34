// The module of the engine. The build compresses it (Zstandard: what seventy algorithms have in common lies too far
// apart for gzip), so that any server of files will do.

import { decompress } from "fzstd";

export function unpack(bytes: Uint8Array): Promise<WebAssembly.Module> {
  return WebAssembly.compile(decompress(bytes) as Uint8Array<ArrayBuffer>);
}
