// What happened between two looks at a cluster, as far as the two tell. A look sees a moment: what came and went in
// between is not seen, and where two stories fit, both are told.

import { epoch, identity, proposer, type ClusterStatus, type LockStatus, type ServerStatus } from "./status";

export type HappeningKind =
  | "granted" | "released" | "lost" | "ended"
  | "epoch" | "gone" | "back" | "joined" | "left" | "draining" | "proposes"
  | "said" | "unseen";

export interface Happening {
  at_ms: number;
  kind: HappeningKind;
  /** The server it is about, or that has the lock. */
  server: string | null;
  /** The lock it is about. */
  name: string | null;
  fence: string | null;
  text: string;
}

/** What concerns everybody, not one lock: this is worth being said aloud. */
const ALL_CONCERNED: ReadonlySet<HappeningKind> = new Set(["epoch", "gone", "back", "joined", "left", "draining", "proposes", "unseen"]);
export const concernsAll = ({ kind }: Happening): boolean => ALL_CONCERNED.has(kind);

/** A lock as it was last seen. */
export interface KnownLock extends LockStatus {
  /** The server that had it does not answer: this is how it was, not how it is. */
  unseen: boolean;
  /** The servers at which its token was seen, the latest last. */
  way: readonly Stop[];
}

/** A token was first seen at this server then. */
export interface Stop {
  server: string;
  at_ms: number;
}

/** So many stops of a token are kept. */
const STOPS = 6;

function goOn(way: readonly Stop[], server: string | null, at_ms: number): readonly Stop[] {
  if (server === null || way.at(-1)?.server === server) return way;
  return [...way, { server, at_ms }].slice(-STOPS);
}

/** Everything of the new look, and the locks of servers that do not answer as they were last seen. */
export function remember(before: readonly KnownLock[], after: ClusterStatus): KnownLock[] {
  const silent = new Set(after.servers.filter(({ reachable }) => !reachable).map(({ name }) => name));
  const seen = new Set(after.locks.map(identity));
  const kept = before.filter((lock) => !seen.has(identity(lock)) && lock.owner_server !== null && silent.has(lock.owner_server));
  const ways = new Map(before.map((lock) => [identity(lock), lock.way]));
  const way = (lock: LockStatus) => goOn(ways.get(identity(lock)) ?? [], lock.owner_server, after.at_ms);
  return [...after.locks.map((lock) => ({ ...lock, unseen: false, way: way(lock) })), ...kept.map((lock) => ({ ...lock, unseen: true }))];
}

/** What happened from one look to the next; `known` is what was remembered at the first. */
export function differences(before: ClusterStatus, known: readonly KnownLock[], after: ClusterStatus): Happening[] {
  return [...ofServers(before, after), ...ofView(before, after), ...ofLocks(before, known, after)];
}

function ofServers(before: ClusterStatus, after: ClusterStatus): Happening[] {
  const found: Happening[] = [];
  const old = new Map(before.servers.map((server) => [server.name, server]));
  for (const server of after.servers) {
    const was = old.get(server.name);
    const say = (kind: HappeningKind, text: string) =>
      found.push({ at_ms: after.at_ms, kind, server: server.name, name: null, fence: null, text });
    if (was?.reachable && !server.reachable) say("gone", `${server.name} does not answer: ${server.error ?? "no reason is known"}`);
    else if (was && !was.reachable && server.reachable) say("back", `${server.name} answers again`);
    if (!was?.reachable || !server.reachable) continue;
    if (was.joined && !server.joined) say("left", `${server.name} is no member any more`);
    if (!was.joined && server.joined) say("joined", `${server.name} is a member now, in epoch ${server.epoch}`);
    if (!was.draining && server.draining) say("draining", `${server.name} is about to leave: it takes no new sessions`);
  }
  return found;
}

function ofView(before: ClusterStatus, after: ClusterStatus): Happening[] {
  const found: Happening[] = [];
  const say = (kind: HappeningKind, server: string | null, text: string) =>
    found.push({ at_ms: after.at_ms, kind, server, name: null, fence: null, text });
  const [was, is] = [epoch(before), epoch(after)];
  if (was !== null && is !== null && was !== is) {
    const back = is < was ? ": it went back, so who knows the newer one does not answer, or the cluster was made anew" : "";
    say("epoch", null, `The view changed from epoch ${was} to ${is}${back}`);
  }
  const [old, now] = [proposer(before), proposer(after)];
  if (now && now.name !== old?.name) {
    say("proposes", now.name, `${now.name} proposes changes of the view now${old ? `; before, ${old.name} did` : ""}`);
  }
  return found;
}

function ofLocks(before: ClusterStatus, known: readonly KnownLock[], after: ClusterStatus): Happening[] {
  const found: Happening[] = [];
  const old = new Map(known.map((lock) => [identity(lock), lock]));
  const servers = new Map(after.servers.map((server) => [server.name, server]));
  const silent = new Set(before.servers.filter(({ reachable }) => !reachable).map(({ name }) => name));
  const passed = after.at_ms - before.at_ms;
  for (const lock of after.locks) {
    const was = old.get(identity(lock));
    // It may have been held for long: its server is only now heard.
    if (!was && lock.owner_server !== null && silent.has(lock.owner_server)) continue;
    if (was && goesOn(was, lock)) continue;
    if (was?.state === "held") found.push(over(was, servers, passed, after.at_ms));
    if (lock.state === "held") found.push(granted(lock, after.at_ms));
  }
  // A list that was cut says nothing about who is missing from it.
  if ((after.locks_total ?? 0) > after.locks.length) return found;
  const listed = new Set(after.locks.map(identity));
  for (const was of known) {
    if (listed.has(identity(was)) || was.state !== "held") continue;
    const owner = was.owner_server === null ? undefined : servers.get(was.owner_server);
    // Its server does not answer: nobody knows.
    if (owner && !owner.reachable) continue;
    found.push(over(was, servers, passed, after.at_ms));
  }
  return found;
}

/** Whether the same holding is seen twice. Who keeps a lock through a change of the view may have no fence of the new epoch. */
function goesOn(was: KnownLock, is: LockStatus): boolean {
  if (was.state !== "held" || is.state !== "held") return false;
  return was.fence === is.fence || ((was.fence === null || is.fence === null) && was.holder === is.holder);
}

function granted(lock: LockStatus, at_ms: number): Happening {
  const who = lock.holder || lock.value || "somebody";
  const text = lock.kind === "election" ? `${who} leads ${lock.name}` : `${lock.name} is held by ${who}`;
  return { at_ms, kind: "granted", server: lock.owner_server, name: lock.name, fence: lock.fence, text };
}

/** The end of a holding. It was given back if its session had longer to live than the time that has passed; it is lost if its
 * server went away. Otherwise both are possible. */
function over(was: KnownLock, servers: ReadonlyMap<string, ServerStatus>, passed: number, at_ms: number): Happening {
  const who = was.holder || was.value || "its holder";
  const owner = was.owner_server === null ? undefined : servers.get(was.owner_server);
  const [verb, end] = was.kind === "election" ? ["resigned from", "no longer leads"] : ["gave back", "no longer holds"];
  const happening = (kind: HappeningKind, text: string): Happening => ({
    at_ms, kind, server: was.owner_server, name: was.name, fence: was.fence, text,
  });
  if (was.unseen || (owner && (!owner.reachable || !owner.joined))) {
    return happening("lost", `${who} lost ${was.name}: ${was.owner_server ?? "its server"} went away`);
  }
  if (was.remaining_ms > passed) return happening("released", `${who} ${verb} ${was.name}`);
  return happening("ended", `${who} ${end} ${was.name}: given back, or its session ended`);
}
