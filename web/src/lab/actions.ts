// What one can do to a message or a process: one list for the menu on the stage and for the panels below it.

import type { Run } from "../engine/types";
import type { ProcessMoment, Transit } from "./timeline";

export interface Action { name: string; label: string; help: string }

export const ON_MESSAGE: Action[] = [
  { name: "deliver", label: "deliver", help: "it arrives next" },
  { name: "drop", label: "drop", help: "it is lost (D)" },
  { name: "delay", label: "hold", help: "it waits for some steps (L)" },
  { name: "duplicate", label: "double", help: "a copy travels too" },
  { name: "overtake", label: "overtake", help: "it goes before those that wait ahead of it (R)" },
];

/** What can be done to a process as it is. */
export function onProcess(run: Run, process: ProcessMoment): Action[] {
  const fate = process.down ? { name: "recover", label: "recover", help: "it comes back (C)" } : { name: "crash", label: "crash", help: "it stops (C)" };
  const want = { name: "want", label: "wants to enter", help: "its user wants in" };
  return run.problem === "mutex" ? [fate, want] : [fate];
}

/** Why an action is not possible; null if it is. */
export function obstacle(action: string, admitted: Record<string, string | null>, message: Transit | null): string | null {
  if (action === "overtake" && message?.ahead === 0) return "It is the first on its link: there is nobody to overtake.";
  return admitted[action] ?? null;
}
