// Algorithms by the idea that they work by, as the engine says it.

import type { About } from "../engine";

export interface Group<A> { name: string; about: string; members: A[] }

export function families<A extends { family: string }>(algorithms: A[], known: About["families"]): Group<A>[] {
  const words = [...known, ...algorithms.map(({ family }) => ({ name: family, about: "" }))];
  const groups = new Map<string, Group<A>>();
  for (const { name, about } of words) if (!groups.has(name)) groups.set(name, { name, about, members: [] });
  for (const algorithm of algorithms) groups.get(algorithm.family)?.members.push(algorithm);
  return [...groups.values()].filter(({ members }) => members.length > 0);
}
