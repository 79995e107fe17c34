// What a run cost, as its report says it.

import type { Report } from "../engine";

export function messagesOf(report: Report): number {
  return report.messages.total;
}

/** The messages that the bound speaks of: those of the election, or all. */
export function boundedOf(report: Report, all: number, election: number): number {
  return report.bound?.counts === "election" ? election : all;
}
