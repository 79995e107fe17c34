// An event in one sentence.

import type { RunEvent } from "../engine";

/** What it led to, as it follows the words of the event: ` — sends tid(7) to p4 → LEADS`, or ` → LEADS` alone. */
export function effectsOf({ effects }: RunEvent): string {
  if (effects === "") return "";
  return effects.startsWith("→") ? ` ${effects}` : ` — ${effects}`;
}
