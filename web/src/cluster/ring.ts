// The servers on a ring, and the way of one token over them.

import type { KnownLock } from "./differences";

export const SIZE = 240;
export const NODE = 24;

export interface Point {
  x: number;
  y: number;
}

/** Where the server at this place of the ring stands: the first at the top, the others clockwise. */
export function place(index: number, of: number): Point {
  const angle = (2 * Math.PI * index) / Math.max(1, of) - Math.PI / 2;
  const radius = of < 2 ? 0 : SIZE / 2 - NODE - 22;
  return { x: SIZE / 2 + radius * Math.cos(angle), y: SIZE / 2 + radius * Math.sin(angle) };
}

/** A path from server to server, bent to the right of who goes it, so that there and back are two paths. */
export function step(from: Point, to: Point): string {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / long, dy / long];
  const start = { x: from.x + ux * NODE, y: from.y + uy * NODE };
  const end = { x: to.x - ux * (NODE + 5), y: to.y - uy * (NODE + 5) };
  const bend = { x: (from.x + to.x) / 2 - uy * 22, y: (from.y + to.y) / 2 + ux * 22 };
  const round = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return `M${round(start)}Q${round(bend)} ${round(end)}`;
}

/** The lock whose token moved last; before any did, one that is held. */
export function latest(locks: readonly KnownLock[]): KnownLock | null {
  const moved = locks.filter(({ way }) => way.length > 1);
  if (moved.length > 0) return moved.reduce((one, other) => ((other.way.at(-1)?.at_ms ?? 0) > (one.way.at(-1)?.at_ms ?? 0) ? other : one));
  return locks.find(({ state, unseen }) => state === "held" && !unseen) ?? locks[0] ?? null;
}

/** Where the token is and was, in a sentence. */
export function sentence({ name, way, state, holder, unseen }: KnownLock): string {
  const where = way.map(({ server }) => server);
  const at = where.at(-1);
  if (at === undefined) return `No server says that it has the token of ${name}.`;
  const came = where.length > 1 ? ` It was at ${where.slice(0, -1).join(", then ")} before.` : " It was seen at no other server.";
  if (unseen) return `The token of ${name} was last seen at ${at}, which does not answer.${came}`;
  const held = state === "held" ? `, where ${holder || "somebody"} holds it` : "; nobody holds it";
  return `The token of ${name} is at ${at}${held}.${came}`;
}
