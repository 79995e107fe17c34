// How long a step is seen to happen: a message leaves, travels, arrives; the receiver pulses.

/** The share of a step's time in which it is seen; for the rest of it everything rests. */
export const SHARE = 0.6;

/** What is shorter would only flicker. */
const SHORTEST_MS = 60;

/** How long the step from one moment to another is seen to happen, at so many steps in a second; 0: at once. Only the
 * step to the next moment is: who jumps or goes back wants to be there. */
export function motion(before: number | null, after: number, speed: number, still: boolean): number {
  if (still || before === null || after !== before + 1) return 0;
  const ms = Math.round((1000 * SHARE) / speed);
  return ms < SHORTEST_MS ? 0 : ms;
}

/** Whether whoever looks wants nothing to move. */
export function wantsStillness(): boolean {
  return typeof matchMedia === "undefined" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The mark behind the name of a rule: what came of it. */
export function sign(outcome: string | null, sends: number, changes: number): string {
  if (outcome === "leads" || outcome === "enters") return "★";
  if (sends > 0) return "→";
  return outcome === null && changes === 0 ? "✕" : "✓";
}
