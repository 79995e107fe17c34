// A small cluster, for tests.

import type { ClusterStatus, LockStatus, ServerEvent, ServerStatus } from "./status";

export const EPOCH = 430_000;

/** The fence of this counter in this epoch. */
export function fence(counter: number, epoch = EPOCH): string {
  return String((BigInt(epoch) << 36n) | BigInt(counter));
}

export function server(name: string, changes: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name, reachable: true, error: null, rtt_us: 240, epoch: EPOCH, joined: true, draining: false, proposes: name === "a",
    lease_ms: { fast: 700, normal: 2900, batch: 14_900 }, leases_ms: { fast: 800, normal: 3000, batch: 15_000 },
    sessions: 2, tokens: 3, held: 1, waiters: 0, homes: 85, recovering: 0, certificate_days: 300, ...changes,
  };
}

/** A server that does not answer. */
export function silent(name: string, error = "connection refused"): ServerStatus {
  const none = { fast: 0, normal: 0, batch: 0 };
  return server(name, {
    reachable: false, error, rtt_us: null, epoch: 0, joined: false, proposes: false, lease_ms: none, leases_ms: none,
    sessions: 0, tokens: 0, held: 0, homes: 0, certificate_days: null,
  });
}

/** A lock that is held at server a, or as the changes say. */
export function lock(name: string, changes: Partial<LockStatus> = {}): LockStatus {
  return {
    name, kind: "lock", class: "normal", state: "held", fence: fence(1), value: "", holder: "host-1", remaining_ms: 2500,
    lease_ms: 3000, waiters: 0, owner_server: "a", ...changes,
  };
}

export function cluster(
  at_ms: number,
  locks: LockStatus[] = [],
  servers: ServerStatus[] = ["a", "b", "c"].map((name) => server(name)),
  events: ServerEvent[] = [],
): ClusterStatus {
  return { schema: "ringleader.cluster-status/1", cluster: "demo", at_ms, servers, locks, events };
}
