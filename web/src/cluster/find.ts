// Which locks are shown, and in which order: those that are held first, and among them those that others wait for.

import type { KnownLock } from "./differences";

/** So many rows are drawn; more would make the page slow and nobody wiser. */
export const ROWS = 200;

export interface Found {
  rows: KnownLock[];
  /** How many match in all. */
  matching: number;
}

const parts = ({ name, kind, class: length, state, holder, value, owner_server, fence }: KnownLock): string =>
  [name, kind, length, state, holder, value, owner_server ?? "", fence ?? ""].join("\n").toLowerCase();

export function find(locks: readonly KnownLock[], text: string, most = ROWS): Found {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const matching = locks.filter((lock) => {
    if (words.length === 0) return true;
    const all = parts(lock);
    return words.every((word) => all.includes(word));
  });
  const held = ({ state }: KnownLock): number => (state === "held" ? 0 : 1);
  matching.sort(
    (one, other) => held(one) - held(other) || other.waiters - one.waiters || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0),
  );
  return { rows: matching.slice(0, most), matching: matching.length };
}
