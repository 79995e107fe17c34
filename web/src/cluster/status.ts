// How a cluster of the lock service is, as the engine says it and as recordings keep it. What comes from a file is
// looked at field by field: a page never breaks over it, it says what is wrong.

export const STATUS = "ringleader.cluster-status/1";

export const CLASSES = ["fast", "normal", "batch"] as const;
export type ClassName = (typeof CLASSES)[number];
export type ByClass = Record<ClassName, number>;

export interface ServerStatus {
  name: string;
  reachable: boolean;
  /** Why it does not answer. */
  error: string | null;
  rtt_us: number | null;
  epoch: number;
  /** Whether it is a member of the view. */
  joined: boolean;
  draining: boolean;
  /** Whether it is the one that proposes changes of the view. */
  proposes: boolean;
  /** What is left of each lease, and how long they are. */
  lease_ms: ByClass;
  leases_ms: ByClass;
  sessions: number;
  tokens: number;
  held: number;
  waiters: number;
  /** Shards at home here, and those that are not open yet. */
  homes: number;
  recovering: number;
  certificate_days: number | null;
}

export interface LockStatus {
  name: string;
  kind: "lock" | "election";
  class: string;
  state: "held" | "free";
  /** Of the last grant; it has up to 19 digits, too many for a number here. */
  fence: string | null;
  value: string;
  holder: string;
  remaining_ms: number;
  lease_ms: number;
  waiters: number;
  owner_server: string | null;
}

/** What a server itself said that happened. */
export interface ServerEvent {
  at_ms: number;
  server: string;
  event: string;
  name: string | null;
  fence: string | null;
  text: string;
}

export interface ClusterStatus {
  schema: typeof STATUS;
  cluster: string;
  at_ms: number;
  servers: ServerStatus[];
  locks: LockStatus[];
  /** How many locks there are, if more than are listed. */
  locks_total?: number;
  events: ServerEvent[];
}

/** What tells a lock from all others: an election may have the name of a lock. */
export const identity = ({ kind, name }: Pick<LockStatus, "kind" | "name">): string => `${kind}:${name}`;

/** The epoch and the counter of a fence, for people; null if it is no fence. */
export function fenceParts(fence: string): { epoch: string; counter: string } | null {
  if (!/^\d{1,19}$/.test(fence)) return null;
  const number = BigInt(fence);
  return { epoch: String(number >> 36n), counter: String(number & ((1n << 36n) - 1n)) };
}

/** The newest epoch that a server which answers is in; null if none answers. */
export function epoch(status: ClusterStatus): number | null {
  const epochs = status.servers.filter(({ reachable }) => reachable).map(({ epoch }) => epoch);
  return epochs.length > 0 ? Math.max(...epochs) : null;
}

/** The server that proposes changes of the view. With two that say so the one in the newer epoch is meant. */
export function proposer(status: ClusterStatus): ServerStatus | null {
  const saying = status.servers.filter(({ reachable, proposes }) => reachable && proposes);
  return saying.sort((one, other) => other.epoch - one.epoch)[0] ?? null;
}

type Fields = Record<string, unknown>;

/** Reads one object, and says where it is wrong. */
class Reader {
  readonly #fields: Fields;
  readonly #where: string;
  constructor(value: unknown, where: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${where} is no object`);
    this.#fields = value as Fields;
    this.#where = where;
  }
  #wrong(name: string, wanted: string): never {
    const found = this.#fields[name];
    throw new Error(`${this.#where}.${name}: ${wanted} is needed${found === undefined ? "" : `, not ${JSON.stringify(found).slice(0, 40)}`}`);
  }
  text(name: string): string {
    const value = this.#fields[name];
    return typeof value === "string" ? value : this.#wrong(name, "a text");
  }
  /** A text that may be left out. */
  words(name: string): string {
    const value = this.#fields[name] ?? "";
    return typeof value === "string" ? value : this.#wrong(name, "a text");
  }
  maybe(name: string): string | null {
    const value = this.#fields[name] ?? null;
    return value === null || typeof value === "string" ? value : this.#wrong(name, "a text or null");
  }
  number(name: string): number {
    const value = this.#fields[name];
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : this.#wrong(name, "a number from 0 on");
  }
  /** A number that may be missing, and may be below zero: a certificate that is over. */
  perhaps(name: string): number | null {
    const value = this.#fields[name] ?? null;
    return value === null || (typeof value === "number" && Number.isFinite(value)) ? value : this.#wrong(name, "a number or null");
  }
  flag(name: string): boolean {
    const value = this.#fields[name];
    return typeof value === "boolean" ? value : this.#wrong(name, "true or false");
  }
  one<T extends string>(name: string, words: readonly T[]): T {
    const value = this.#fields[name];
    return words.find((word) => word === value) ?? this.#wrong(name, words.join(" or "));
  }
  list<T>(name: string, read: (value: unknown, where: string) => T): T[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) return this.#wrong(name, "a list");
    return value.map((one, index) => read(one, `${this.#where}.${name}[${index}]`));
  }
  inner(name: string): Reader {
    return new Reader(this.#fields[name], `${this.#where}.${name}`);
  }
}

function byClass(read: Reader): ByClass {
  return { fast: read.number("fast"), normal: read.number("normal"), batch: read.number("batch") };
}

function server(value: unknown, where: string): ServerStatus {
  const read = new Reader(value, where);
  return {
    name: read.text("name"),
    reachable: read.flag("reachable"),
    error: read.maybe("error"),
    rtt_us: read.perhaps("rtt_us"),
    epoch: read.number("epoch"),
    joined: read.flag("joined"),
    draining: read.flag("draining"),
    proposes: read.flag("proposes"),
    lease_ms: byClass(read.inner("lease_ms")),
    leases_ms: byClass(read.inner("leases_ms")),
    sessions: read.number("sessions"),
    tokens: read.number("tokens"),
    held: read.number("held"),
    waiters: read.number("waiters"),
    homes: read.number("homes"),
    recovering: read.number("recovering"),
    certificate_days: read.perhaps("certificate_days"),
  };
}

function lock(value: unknown, where: string): LockStatus {
  const read = new Reader(value, where);
  return {
    name: read.text("name"),
    kind: read.one("kind", ["lock", "election"]),
    class: read.text("class"),
    state: read.one("state", ["held", "free"]),
    fence: read.maybe("fence"),
    value: read.words("value"),
    holder: read.words("holder"),
    remaining_ms: read.number("remaining_ms"),
    lease_ms: read.number("lease_ms"),
    waiters: read.number("waiters"),
    owner_server: read.maybe("owner_server"),
  };
}

export function readEvent(value: unknown, where: string): ServerEvent {
  const read = new Reader(value, where);
  return {
    at_ms: read.number("at_ms"),
    server: read.text("server"),
    event: read.text("event"),
    name: read.maybe("name"),
    fence: read.maybe("fence"),
    text: read.text("text"),
  };
}

/** Takes a status, or says which field is wrong. A name that comes twice is taken once: a table needs names to be its own. */
export function readStatus(value: unknown, where = "the answer"): ClusterStatus {
  const read = new Reader(value, where);
  read.one("schema", [STATUS]);
  const status: ClusterStatus = {
    schema: STATUS,
    cluster: read.text("cluster"),
    at_ms: read.number("at_ms"),
    servers: once(read.list("servers", server), ({ name }) => name),
    locks: once(read.list("locks", lock), identity),
    events: read.list("events", readEvent),
  };
  const total = read.perhaps("locks_total");
  if (total !== null) status.locks_total = total;
  return status;
}

function once<T>(list: T[], key: (one: T) => string): T[] {
  const seen = new Set<string>();
  return list.filter((one) => !seen.has(key(one)) && seen.add(key(one)));
}

export { Reader };
