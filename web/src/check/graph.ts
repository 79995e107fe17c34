// Where the states of a search stand: those met after as many steps in one column, near those that lead to them.

import type { StateGraph } from "../engine";

export interface Place {
  x: number;
  y: number;
}

/** Between two columns, and between two states of one column. */
const ACROSS = 44;
const DOWN = 15;
const EDGE = 14;

export interface Drawn {
  places: Place[];
  width: number;
  height: number;
}

/** The mean of the rows of these states; where there are none, the row that it has. */
function middle(near: number[], rows: number[], own: number): number {
  return near.length === 0 ? own : near.reduce((sum, state) => sum + (rows[state] ?? 0), 0) / near.length;
}

export function drawn({ depths, steps, way }: StateGraph): Drawn {
  const columns: number[][] = [];
  depths.forEach((depth, state) => (columns[depth] ??= []).push(state));
  const before: number[][] = depths.map(() => []);
  const after: number[][] = depths.map(() => []);
  for (const [from, to] of steps) {
    if ((depths[from] ?? 0) < (depths[to] ?? 0)) {
      before[to]?.push(from);
      after[from]?.push(to);
    }
  }
  const onWay = new Set(way);
  const rows = depths.map(() => 0);
  const stand = (column: number[]) => column.forEach((state, index) => (rows[state] = index - (column.length - 1) / 2));
  columns.forEach(stand);
  // To and fro: each column is put in the order of the middles of its neighbours. The way stays on top of its equals.
  for (let sweep = 0; sweep < 6; sweep += 1) {
    const near = sweep % 2 === 0 ? before : after;
    const order = sweep % 2 === 0 ? columns : [...columns].reverse();
    for (const column of order) {
      const aims = new Map(column.map((state) => [state, middle(near[state] ?? [], rows, rows[state] ?? 0)]));
      column.sort((a, b) => (aims.get(a) ?? 0) - (aims.get(b) ?? 0) || Number(onWay.has(b)) - Number(onWay.has(a)) || a - b);
      stand(column);
    }
  }
  const most = Math.max(1, ...columns.map(({ length }) => length));
  const height = 2 * EDGE + (most - 1) * DOWN;
  const places = depths.map((depth, state) => ({ x: EDGE + depth * ACROSS, y: height / 2 + (rows[state] ?? 0) * DOWN }));
  return { places, width: 2 * EDGE + (columns.length - 1) * ACROSS, height };
}

/** A step as a line: straight to the right, a bow back or within a column. */
export function line(from: Place, to: Place): string {
  if (to.x > from.x) return `M${from.x} ${from.y}L${to.x} ${to.y}`;
  if (from === to) return `M${from.x} ${from.y}c-9 -12 9 -12 0 0`;
  const bow = Math.min(40, 8 + (from.x - to.x) / 6);
  return `M${from.x} ${from.y}Q${(from.x + to.x) / 2 + (from.x === to.x ? bow : 0)} ${(from.y + to.y) / 2 - (from.x === to.x ? 0 : bow)} ${to.x} ${to.y}`;
}

/** The lines of the way. */
export const along = ({ way }: StateGraph, places: Place[]): string =>
  way.slice(1).map((state, index) => line(places[way[index] ?? 0] ?? { x: 0, y: 0 }, places[state] ?? { x: 0, y: 0 })).join("");
