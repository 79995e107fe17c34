// What a run cost, as its report says it: a number of messages, or an object with the total and the kinds.

import type { Report } from "../engine";

export function messagesOf(report: Report): number {
  const messages: unknown = report.messages;
  if (typeof messages === "number") return messages;
  const total = (messages as { total?: unknown } | null)?.total;
  return typeof total === "number" ? total : 0;
}

/** The messages that the bound speaks of: those of the election, or all. */
export function boundedOf(report: Report, all: number, election: number): number {
  const counts = (report.bound as { counts?: unknown } | null)?.counts;
  return counts === "election" ? election : all;
}
