// Messages against what was proved: how far along the scale a count is, and how alarming that is.

import type { Report } from "../engine/types";

export interface Meter {
  counted: number;
  /** Which messages the bound is about. */
  what: string;
  worst: { formula: string; value: number } | null;
  average: { formula: string; value: number } | null;
  level: "fine" | "near" | "beyond";
  /** Shares of the scale, 0 to 1. */
  share: number;
  averageShare: number | null;
  worstShare: number | null;
}

export function meter(report: Report, messages: number, electionMessages: number): Meter {
  const counts = report.bound?.counts ?? null;
  const election = counts === "election" || (counts === null && report.election_messages !== undefined);
  const counted = election ? electionMessages : messages;
  const worst = report.bound ? { formula: report.bound.formula, value: report.bound.value } : null;
  const average = report.average ?? null;
  const most = Math.max(1, worst?.value ?? 0, average?.value ?? 0, counted);
  const level = !worst ? "fine" : counted > worst.value ? "beyond" : counted > 0.9 * worst.value ? "near" : "fine";
  return {
    counted, what: election ? "election messages" : "messages", worst, average, level, share: counted / most,
    averageShare: average ? average.value / most : null, worstShare: worst ? worst.value / most : null,
  };
}
