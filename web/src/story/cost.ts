// What a run cost, as its report says it, and what it has cost at a moment.

import type { Report, Run } from "../engine";
import { count } from "../lab/words";

export function messagesOf(report: Report): number {
  return report.messages.total;
}

/** The messages that the bound speaks of: those of the election, or all. */
export function boundedOf(report: Report, all: number, election: number): number {
  return report.bound?.counts === "election" ? election : all;
}

/** Messages so far beside the bound, which is held against the same messages: where it leaves announcements out, so does
 * what stands before it. */
export function costOf(
  { report, small }: Pick<Run, "report" | "small">,
  now: { messages: number; electionMessages: number },
): { words: string; bound: string | null; exceeded: boolean } {
  const all = small ? now.messages : messagesOf(report);
  const bounded = boundedOf(report, all, small ? now.electionMessages : (report.election_messages ?? all));
  const words = `${count(all, "message")} ${small ? "so far" : "in all"}${bounded === all ? "" : `, ${bounded.toLocaleString("en")} without announcements`}`;
  const { bound } = report;
  if (!bound) return { words, bound: null, exceeded: false };
  // Nobody asked for anything: there is nothing to compare with.
  if (bound.value === 0 && bounded === 0) return { words, bound: `at worst ${bound.formula}: –`, exceeded: false };
  return { words, bound: `at worst ${bound.formula} = ${bound.value.toLocaleString("en")}`, exceeded: bounded > bound.value };
}
