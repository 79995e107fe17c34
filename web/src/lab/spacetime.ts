// What the space-time diagram shows: which steps, and which messages between them. Each step has a row of its own, each
// process a lane. Drawing more than a few hundred things makes a page slow, so the number is limited and what was left
// out is counted.

import type { RunEvent } from "../engine/types";
import type { Passage, Timeline } from "./timeline";

/** So many things are drawn as elements of the page at most; beyond that lines are painted, and then left out. */
export const BUDGET = 600;
export const PAINTED = 3000;

export interface Mark {
  step: number;
  process: number;
  shape: "dot" | "decision" | "cross" | "up" | "network" | "start";
  words: string;
  /** The process has not decided yet: hollow. */
  open: boolean;
}

/** Steps that the schedule counts as one round: from, to (half open). */
export interface Band { from: number; to: number; time: string }

export interface Line {
  message: number;
  from: number;
  to: number;
  /** In rows; a message that was sent before the window has a row above it, one that arrives later a row below. */
  start: number;
  end: number;
  /** How it ends: at a step, lost, or still on its way when the run ends. */
  how: "arrives" | "missed" | "lost" | "open";
  text: string;
  copy: boolean;
  announces: boolean;
  sentAt: number;
  endsAt: number | null;
}

export interface View {
  from: number;
  to: number;
  marks: Mark[];
  /** Where time goes in rounds. */
  bands: Band[];
  lines: Line[];
  /** Lines that are only painted: one cannot point at them. */
  painted: Line[];
  /** Messages that were left out. */
  cut: number;
}

/** The window of `rows` steps that shows the moment: it stays where it is while the moment is well inside. */
export function windowAround(step: number, rows: number, steps: number, before: number | null): number {
  const last = Math.max(0, steps - rows);
  if (before !== null && before <= last) {
    const isInside = step >= before + Math.min(2, before) && step <= before + Math.ceil(rows * 0.8);
    if (isInside) return before;
  }
  return Math.max(0, Math.min(last, step - Math.floor(rows * 0.4)));
}

export function view(timeline: Timeline, from: number, rows: number): View {
  const to = Math.min(from + rows, timeline.loaded);
  const marks: Mark[] = [];
  const bands: Band[] = [];
  const inRounds = timeline.run.schedule.startsWith("rounds");
  for (let step = from; step < to; step += 1) {
    const event = timeline.event(step);
    if (!event) continue;
    const effects = event.effects ? `, ${event.effects}` : "";
    const words = `step ${step + 1}: ${event.words}${effects}`;
    marks.push({ step, process: event.process, shape: shapeOf(event), words, open: event.standing === "open" });
    const last = bands.at(-1);
    if (last?.time === event.time) last.to = step + 1;
    else if (inRounds) bands.push({ from: step, to: step + 1, time: event.time });
  }
  const inside: Line[] = [];
  const through: Line[] = [];
  for (const passage of timeline.passages) {
    // Numbers rise with the steps that send, so nothing after the first that is too late matters.
    if (passage.sentAt >= to && passage.doubledAt === null) break;
    const line = lineOf(passage, from, to);
    if (!line) continue;
    if (line.start >= from || (line.endsAt !== null && line.endsAt < to)) inside.push(line);
    else through.push(line);
  }
  const all = [...inside, ...through];
  const room = Math.max(0, BUDGET - marks.length);
  return {
    from, to, marks, bands, lines: all.slice(0, room), painted: all.slice(room, room + PAINTED),
    cut: Math.max(0, all.length - room - PAINTED),
  };
}

function shapeOf({ input, outcome }: RunEvent): Mark["shape"] {
  if (input.kind === "crash") return "cross";
  if (input.kind === "recover") return "up";
  if (input.kind === "lose" || input.kind === "double" || (input.kind === "deliver" && input.missed)) return "network";
  if (outcome !== null) return "decision";
  return input.kind === "start" || input.kind === "want" ? "start" : "dot";
}

function lineOf(passage: Passage, from: number, to: number): Line | null {
  const start = passage.doubledAt ?? passage.sentAt;
  const end = passage.end;
  const endsAt = end === null ? null : end.how === "lost-at-once" ? start : end.step;
  if (start >= to || (endsAt !== null && endsAt < from)) return null;
  const how = end === null ? "open" : end.how === "arrived" ? "arrives" : end.how === "missed" ? "missed" : "lost";
  return {
    message: passage.message, from: passage.from, to: passage.to, text: passage.text, copy: passage.copy,
    announces: passage.announces,
    sentAt: start, endsAt, how, start: Math.max(start, from - 1), end: endsAt === null || endsAt >= to ? to : endsAt,
  };
}

/** Whether a line is to be cut where the window ends, and where: the share of its way at a row. */
export function share(start: number, end: number, row: number): number {
  return end <= start ? 1 : Math.max(0, Math.min(1, (row - start) / (end - start)));
}
