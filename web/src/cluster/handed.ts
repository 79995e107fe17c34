// A recording of a cluster that was handed to another screen: that screen sends it on, and this one shows it.

import { go } from "../shell/route.svelte";
import { open, RECORDING, type Recording } from "./recording";

let handed: { recording: Recording; name: string } | null = null;

/** Whether this text says that it is one; what is wrong with it is found out when it is opened. */
export function isRecording(text: string): boolean {
  return text.slice(0, 200).includes(`"${RECORDING}"`);
}

/** Shows it on the screen that can. */
export function handOver(name: string, text: string): void {
  handed = { recording: open(name, text), name };
  go("cluster", new URLSearchParams());
}

/** What was handed over, once. */
export function taken(): { recording: Recording; name: string } | null {
  const found = handed;
  handed = null;
  return found;
}
