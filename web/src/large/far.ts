// A run from far away: what is computed of an overview before it is drawn.

import type { Overview } from "../engine";

/** Half open. */
export type Range = [number, number];

export interface Zoom {
  nodes: Range | null;
  steps: Range | null;
}

/** `nodes:100-300,steps:0-5000`, as it stands in the address. Nonsense is no zoom. */
export function parseZoom(text: string | null): Zoom {
  const range = (name: string): Range | null => {
    const found = new RegExp(`${name}:(\\d{1,15})-(\\d{1,15})`).exec(text ?? "");
    const [from, to] = [Number(found?.[1]), Number(found?.[2])];
    return found && from < to ? [from, to] : null;
  };
  return { nodes: range("nodes"), steps: range("steps") };
}

export function formatZoom({ nodes, steps }: Zoom): string {
  const parts = [];
  if (nodes) parts.push(`nodes:${nodes[0]}-${nodes[1]}`);
  if (steps) parts.push(`steps:${steps[0]}-${steps[1]}`);
  return parts.join(",");
}

/** What a role is drawn with. Leaders and those who are inside have their usual colours; others take turns, those that say
 * that a process is out of the race are grey. */
const KNOWN: Record<string, string> = {
  leader: "--leader",
  leads: "--leader",
  inside: "--inside",
  waiting: "--waiting",
  candidate: "--candidate",
  active: "--candidate",
  relay: "--relay",
  passive: "--relay",
  lost: "--relay",
  done: "--done",
  down: "--down",
  idle: "--relay",
  asleep: "--asleep",
};
const TURNS = ["--candidate", "--message", "--waiting", "--inside", "--accent", "--warn"];

export function colours(roles: string[]): string[] {
  let turn = 0;
  return roles.map((role) => KNOWN[role] ?? TURNS[turn++ % TURNS.length] ?? "--candidate");
}

/** How dark a cell is, from 0 to 1: by the logarithm, for counts differ by powers of ten. */
export function shade(count: number, most: number): number {
  return count === 0 || most === 0 ? 0 : Math.log1p(count) / Math.log1p(most);
}

/** The whole run in one row of numbers per frame. */
export interface Point {
  step: number;
  time: string;
  messages: number;
  transit: number;
  totals: number[];
}

export function series(overview: Overview): Point[] {
  return overview.frames.map(({ step, time, messages, transit, roles }) => ({
    step,
    time,
    messages,
    transit,
    totals: roles.map((columns) => columns.reduce((sum, count) => sum + count, 0)),
  }));
}

/** Which frame shows the moment after so many steps: the last that is not later, or the first. */
export function frameAt(overview: Overview, step: number): number {
  let found = 0;
  for (const [place, frame] of overview.frames.entries()) if (frame.step <= step) found = place;
  return found;
}

/** The processes of a column, and the steps of a row. */
export function columnRange(overview: Overview, column: number): Range {
  return part(overview.nodes, overview.columns, column);
}
export function rowRange(overview: Overview, row: number): Range {
  return part(overview.steps, overview.rows, row);
}
function part([from, to]: Range, parts: number, place: number): Range {
  const edge = (k: number) => from + Math.ceil((k * (to - from)) / parts);
  return [edge(place), edge(place + 1)];
}

/** The rectangle between two cells, as a zoom. */
export function between(overview: Overview, a: [number, number], b: [number, number]): Zoom {
  const [left, right] = [Math.min(a[0], b[0]), Math.max(a[0], b[0])];
  const [top, bottom] = [Math.min(a[1], b[1]), Math.max(a[1], b[1])];
  return {
    nodes: [columnRange(overview, left)[0], columnRange(overview, right)[1]],
    steps: [rowRange(overview, top)[0], rowRange(overview, bottom)[1]],
  };
}

export const grouped = (number: number): string => number.toLocaleString("en");
