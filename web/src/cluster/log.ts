// One look after the other: what is shown of a cluster is a function of all looks so far, live and in a recording alike.

import { differences, remember, type Happening, type HappeningKind, type KnownLock } from "./differences";
import type { ClusterStatus, ServerEvent } from "./status";

/** A look at a cluster, at a time of the one who looked: how it is, or why nobody knows. */
export interface Look {
  at_ms: number;
  status: ClusterStatus | null;
  error: string | null;
}

/** What is to be seen after some looks. */
export interface Seen {
  /** The latest that is known. */
  status: ClusterStatus | null;
  locks: KnownLock[];
  /** Why what is shown is old, and since when; null: it is not. */
  stale: { why: string; since_ms: number } | null;
  /** The newest first. */
  log: Happening[];
  /** What this look has added, in the order in which it happened. */
  news: Happening[];
  /** Events of servers that were taken already. */
  told: ReadonlySet<string>;
}

/** So many happenings are kept. */
export const KEPT = 500;

export const NOTHING: Seen = { status: null, locks: [], stale: null, log: [], news: [], told: new Set() };

const key = ({ at_ms, server, event, name, fence }: ServerEvent): string => JSON.stringify([at_ms, server, event, name, fence]);

const KINDS: Record<string, HappeningKind> = { granted: "granted", released: "released", lost: "lost" };

function said(event: ServerEvent): Happening {
  const { at_ms, server, name, fence, text } = event;
  return { at_ms, kind: KINDS[event.event] ?? "said", server, name, fence, text };
}

const ENDS: ReadonlySet<HappeningKind> = new Set(["released", "lost", "ended"]);

/** Whether a server told the same itself; it knows better. */
function toldBy(happening: Happening, told: readonly Happening[]): boolean {
  if (happening.name === null || happening.fence === null) return false;
  const same = (kind: HappeningKind) => kind === happening.kind || (ENDS.has(kind) && ENDS.has(happening.kind));
  return told.some(({ kind, name, fence }) => name === happening.name && fence === happening.fence && same(kind));
}

/** After one more look. */
export function look(seen: Seen, { at_ms, status, error }: Look): Seen {
  if (!status) {
    const why = error ?? "there was no answer";
    const news: Happening[] = seen.stale ? [] : [{ at_ms, kind: "unseen", server: null, name: null, fence: null, text: `Nothing is known any more: ${why}` }];
    return { ...seen, stale: { why, since_ms: seen.stale?.since_ms ?? at_ms }, news, log: put(seen.log, news) };
  }
  const fresh = status.events.filter((event) => !seen.told.has(key(event)));
  const told = fresh.map(said);
  // What servers told earlier counts too: their word may come before the look that shows it.
  const known = [...told, ...seen.log.slice(0, 100)];
  const derived = seen.status ? differences(seen.status, seen.locks, status).filter((happening) => !toldBy(happening, known)) : [];
  const news = [...told, ...derived].sort((one, other) => one.at_ms - other.at_ms);
  return {
    status,
    locks: remember(seen.locks, status),
    stale: null,
    news,
    log: put(seen.log, news),
    told: new Set(status.events.map(key)),
  };
}

function put(log: Happening[], news: Happening[]): Happening[] {
  return news.length === 0 ? log : [...[...news].reverse(), ...log].slice(0, KEPT);
}
