// Where processes are in the picture: rings and complete graphs on a circle, trees from the root down (or outwards, if
// they are wide), lines like an ox ploughs.

import type { Run } from "../engine/types";

export interface Point { x: number; y: number }

export interface Layout {
  kind: "circle" | "tree";
  width: number;
  height: number;
  nodes: Point[];
  /** Of a process. */
  radius: number;
  /** Whether links are drawn one by one: not where everybody is joined to everybody and there are many. */
  links: [number, number][];
  /** Whether there is room for a name at each process. */
  labels: boolean;
  /** Texts of messages are turned to stand along the radius: on rings with little room. */
  radial: boolean;
  /** Links cross each other. */
  crossing: boolean;
}

const SIZE = 400;
const MOST_LINKS = 400;

export const NAMED = 24;

export function layout(run: Pick<Run, "n" | "edges" | "directed">): Layout {
  const labels = run.n <= NAMED;
  const nodes = isTree(run) ? tree(run) : circle(run.n);
  const links = once(run.edges, run.directed);
  const room = closest(nodes);
  const radius = Math.max(2.2, Math.min(labels ? 19 : 6, room * 0.31));
  return {
    kind: isTree(run) ? "tree" : "circle", width: SIZE, height: SIZE, nodes, radius,
    links: links.length <= MOST_LINKS ? links : [], labels, radial: run.n > 12,
    crossing: !isTree(run) && links.length > run.n,
  };
}

/** Each link once, even if it is given in both directions. */
export function once(edges: [number, number][], directed: boolean): [number, number][] {
  if (directed) return edges;
  const seen = new Set<string>();
  return edges.filter(([a, b]) => {
    const name = a < b ? `${a}-${b}` : `${b}-${a}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function circle(n: number): Point[] {
  const middle = SIZE / 2;
  const far = n === 1 ? 0 : n <= NAMED ? 152 : 172;
  return Array.from({ length: n }, (_, index) => {
    // The first is on top, and indices rise clockwise, as messages on one-way rings travel.
    const angle = (index / n) * 2 * Math.PI - Math.PI / 2;
    return { x: middle + far * Math.cos(angle), y: middle + far * Math.sin(angle) };
  });
}

export function isTree({ n, edges, directed }: Pick<Run, "n" | "edges" | "directed">): boolean {
  if (n < 3 || directed || once(edges, false).length !== n - 1) return false;
  return reached(n, edges).every((depth) => depth >= 0);
}

function neighbours(n: number, edges: [number, number][]): number[][] {
  const found: number[][] = Array.from({ length: n }, () => []);
  for (const [a, b] of once(edges, false)) {
    found[a]?.push(b);
    found[b]?.push(a);
  }
  return found;
}

/** How far each is from the first; -1: not joined to it. */
function reached(n: number, edges: [number, number][]): number[] {
  const next = neighbours(n, edges);
  const depth: number[] = new Array<number>(n).fill(-1);
  depth[0] = 0;
  const queue = [0];
  for (let place = 0; place < queue.length; place += 1) {
    const at = queue[place] ?? 0;
    for (const other of next[at] ?? []) {
      if (depth[other] !== -1) continue;
      depth[other] = (depth[at] ?? 0) + 1;
      queue.push(other);
    }
  }
  return depth;
}

function tree({ n, edges }: Pick<Run, "n" | "edges">): Point[] {
  const next = neighbours(n, edges);
  if (next.every((some) => some.length <= 2)) return line(next);
  const depth = reached(n, edges);
  const deepest = Math.max(...depth);
  // Leaves get equal shares of the width, and a process stands over the middle of its own. No recursion: a tree may be
  // as deep as it has processes.
  const order: number[] = [];
  const stack = [0];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    order.push(at);
    for (const child of (next[at] ?? []).toReversed()) if ((depth[child] ?? 0) > (depth[at] ?? 0)) stack.push(child);
  }
  const share: number[] = new Array<number>(n).fill(0);
  let leaves = 0;
  for (const at of order) {
    if (!(next[at] ?? []).some((child) => (depth[child] ?? 0) > (depth[at] ?? 0))) share[at] = leaves++ + 0.5;
  }
  for (const at of order.toReversed()) {
    const children = (next[at] ?? []).filter((child) => (depth[child] ?? 0) > (depth[at] ?? 0));
    const sum = children.reduce((total, child) => total + (share[child] ?? 0), 0);
    if (children.length > 0) share[at] = sum / children.length;
  }
  const middle = SIZE / 2;
  const outwards = leaves > 9;
  return Array.from({ length: n }, (_, index) => {
    const part = (share[index] ?? 0) / leaves;
    const level = (depth[index] ?? 0) / Math.max(1, deepest);
    if (!outwards) return { x: 20 + part * (SIZE - 40), y: 40 + level * (SIZE - 80) };
    const angle = part * 2 * Math.PI - Math.PI / 2;
    return { x: middle + level * 165 * Math.cos(angle), y: middle + level * 165 * Math.sin(angle) };
  });
}

/** A line, in rows that turn round at their ends. */
function line(next: number[][]): Point[] {
  const n = next.length;
  const order: number[] = [];
  let before = -1;
  let at = Math.max(0, next.findIndex((some) => some.length === 1));
  while (order.length < n) {
    order.push(at);
    const on = (next[at] ?? []).find((other) => other !== before);
    if (on === undefined) break;
    before = at;
    at = on;
  }
  const across = Math.min(n, Math.max(5, Math.ceil(Math.sqrt(n))));
  const rows = Math.ceil(n / across);
  const nodes: Point[] = new Array<Point>(n).fill({ x: 0, y: 0 });
  order.forEach((process, place) => {
    const row = Math.floor(place / across);
    const column = row % 2 === 0 ? place % across : across - 1 - (place % across);
    const y = rows === 1 ? SIZE / 2 : 50 + (row / (rows - 1)) * (SIZE - 100);
    nodes[process] = { x: 40 + (column / Math.max(1, across - 1)) * (SIZE - 80), y };
  });
  return nodes;
}

function closest(nodes: Point[]): number {
  let least = SIZE;
  for (let a = 0; a < nodes.length; a += 1) {
    for (let b = a + 1; b < nodes.length; b += 1) {
      const [p, q] = [nodes[a], nodes[b]];
      if (p && q) least = Math.min(least, Math.hypot(p.x - q.x, p.y - q.y));
    }
  }
  return least;
}

/** A point, and the direction in which it is going. */
export type Place = Point & { angle: number };

/** Where a message is: the first of its link is nearest to its goal, those behind it follow. `of` are on the link. */
export function along(from: Point, to: Point, ahead: number, of: number, gap: number, side: number): Place {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const room = Math.max(0, length - 2 * gap);
  const apart = Math.min(16, (room * 0.75) / Math.max(1, of));
  const at = gap + room * (of > 1 ? 0.78 : 0.56) - ahead * apart;
  // To the left of the way, so that the two directions of a link do not meet.
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  return { x: from.x + dx * at + dy * side, y: from.y + dy * at - dx * side, angle };
}

/** A star around the origin, as the points of a polygon. */
export function star(radius: number): string {
  return Array.from({ length: 10 }, (_, corner) => {
    const far = corner % 2 === 0 ? radius * 1.6 : radius * 0.95;
    const angle = (corner / 10) * 2 * Math.PI - Math.PI / 2;
    return `${(far * Math.cos(angle)).toFixed(1)},${(far * Math.sin(angle)).toFixed(1)}`;
  }).join(" ");
}
