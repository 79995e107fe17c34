// The list of events: which rows are shown. A run may have a hundred thousand steps, and a table must not.

import type { RunEvent } from "../engine/types";
import type { Timeline } from "./timeline";

/** Rows on one page of the list. */
export const ROWS = 50;

export interface Page { rows: RunEvent[]; first: number; total: number; page: number; pages: number }

/** Whether an event fits: every word is somewhere in what is said of it. `p3` is the process, not `p30`. */
export function fits(event: RunEvent, words: string[]): boolean {
  const { step, words: happens, effects, rules, input, outcome } = event;
  const text = `step ${step + 1} ${happens} ${effects} ${rules.join(" ")} ${input.kind} ${outcome ?? ""}`.toLowerCase();
  return words.every((word) => (/^p\d+$/.test(word) ? new RegExp(`\\b${word}\\b`).test(text) : text.includes(word)));
}

/** The page of the list that a search and a moment ask for; `page` null: the one that shows the moment. */
export function pageOf(timeline: Timeline, search: string, step: number, page: number | null): Page {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) {
    const total = timeline.run.steps;
    return cutOut(total, Math.max(0, step - 1), page, (index) => timeline.event(index));
  }
  const found: RunEvent[] = [];
  for (let index = 0; index < timeline.loaded; index += 1) {
    const event = timeline.event(index);
    if (event && fits(event, words)) found.push(event);
  }
  let near = found.findIndex((event) => event.step >= step - 1);
  if (near < 0) near = Math.max(0, found.length - 1);
  return cutOut(found.length, near, page, (index) => found[index]);
}

type Get = (index: number) => RunEvent | undefined;

function cutOut(total: number, near: number, wanted: number | null, get: Get): Page {
  const pages = Math.max(1, Math.ceil(total / ROWS));
  const page = Math.max(0, Math.min(pages - 1, wanted ?? Math.floor(near / ROWS)));
  const first = page * ROWS;
  const rows: RunEvent[] = [];
  for (let index = first; index < Math.min(total, first + ROWS); index += 1) {
    const event = get(index);
    if (event) rows.push(event);
  }
  return { rows, first, total, page, pages };
}
