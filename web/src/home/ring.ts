// The ring on the first screen: six processes, a guess, an election of ten seconds in which each step names its rule.

import type { Run, RunEvent, RunRequest } from "../engine";
import type { Moment } from "../lab/timeline";

export const SIZE = 6;
/** So long the election takes, however many steps it has. */
export const PLAY_MS = 10_000;

/** Other identities each time: the seed draws them. */
export function ring(seed: number): RunRequest {
  const options = { nodes: String(SIZE), ids: "random", seed: String(seed) };
  return { source: { kind: "run", algorithm: "chang-roberts", options }, edits: [] };
}

export function pause(steps: number): number {
  return Math.round(PLAY_MS / Math.max(1, steps));
}

/** What is said at the process that moves: the rule that fired; before the first step nothing. */
export function ruleOf(event: RunEvent | undefined): string {
  if (!event) return "";
  const rule = event.rules.join(", ") || event.words.replace(/^p\d+ /, "");
  return rule === "swallow" ? "swallow ✕" : rule;
}

/** What is said under the ring. */
export function sentence(run: Pick<Run, "ids" | "steps">, moment: Pick<Moment, "step" | "event" | "processes">, guess: number | null): string {
  if (guess === null) return "Who becomes leader? Click one.";
  const leader = moment.processes.findIndex(({ standing }) => standing === "leads");
  if (moment.step < run.steps || leader < 0) return moment.event ? moment.event.words : `You say p${guess}. Watch.`;
  const largest = `p${leader} leads: ${run.ids[leader]} is the largest identity, and nobody swallowed it.`;
  return leader === guess ? `${largest} You were right.` : `${largest} Yours, ${run.ids[guess]}, was swallowed on its way.`;
}
