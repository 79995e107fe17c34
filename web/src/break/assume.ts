// Assumptions as switches: what the checker is asked when one is off, and which steps of the run it would have forbidden.

import { usualNodes, wrong } from "../check/form";
import type { Algorithm, Options, RunEvent } from "../engine";

export type Assumption = "fifo" | "ids" | "loss" | "double" | "crash";

export const ASSUMPTIONS: { name: Assumption; title: string; off: string; forbidden: string }[] = [
  { name: "fifo", title: "Links are FIFO", off: "Messages of one link may overtake each other.", forbidden: "FIFO would have forbidden this: it overtakes" },
  { name: "ids", title: "Identities are distinct", off: "Two processes have the largest identity.", forbidden: "" },
  { name: "loss", title: "No message is lost", off: "One message may be lost, any one, at any moment.", forbidden: "Without loss this would not have happened" },
  { name: "double", title: "No message is doubled", off: "One message may arrive twice.", forbidden: "Without doubling this would not have happened" },
  { name: "crash", title: "Nobody crashes", off: "One process may crash, any one, at any moment.", forbidden: "Without crashes this would not have happened" },
];

/** Why a switch does nothing here; null if it may be thrown. */
export function idle(algorithm: Algorithm, name: Assumption): string | null {
  const needs = (word: string) => algorithm.needs.includes(word);
  switch (name) {
    case "fifo":
      if (algorithm.topology.includes("memory") || algorithm.kinds.length === 0) return "it sends no messages";
      return needs("fifo") ? null : needs("half-duplex") || needs("lock-step") ? "its links are of another kind" : "it needs no FIFO: nothing is assumed";
    case "ids":
      return algorithm.problem === "election" && needs("distinct-ids") ? null : "it does not rest on distinct identities";
    case "loss":
    case "double":
      return algorithm.kinds.length === 0 ? "it sends no messages" : null;
    case "crash":
      return null;
  }
}

/** What the checker is asked, with these assumptions dropped. */
export function question(algorithm: Algorithm, off: Assumption[]): Options {
  // A text taken literally needs no help to go wrong.
  const options: Options = algorithm.literal ? wrong(algorithm) : { nodes: usualNodes(algorithm) };
  const dropped = off.filter((name) => idle(algorithm, name) === null);
  if (dropped.length === 0) return options;
  options.unsound = true;
  if (dropped.includes("fifo")) options.links = "bag";
  if (dropped.includes("ids")) {
    const n = Number(options.nodes ?? 3);
    // The two largest are one and the same.
    options.ids = [n - 1, ...Array.from({ length: n - 1 }, (_, k) => n - 1 - k)].join(",");
    delete options.nodes;
  }
  if (dropped.includes("loss")) options.losses = "1";
  if (dropped.includes("double")) options.duplications = "1";
  if (dropped.includes("crash")) options.crashes = "1";
  return options;
}

/** What would not have been, if links were FIFO, nothing were lost, nobody crashed. `ahead` says how many messages of the
 * same link were sent before the one that arrived and are still on their way. */
export function forbidden(event: RunEvent, ahead: number, off: Assumption[]): string | null {
  const words = (name: Assumption) => (off.includes(name) ? (ASSUMPTIONS.find((one) => one.name === name)?.forbidden ?? null) : null);
  const { kind } = event.input;
  if (kind === "deliver" && ahead > 0) {
    const said = words("fifo");
    if (said) return `${said} ${ahead === 1 ? "one message" : `${ahead} messages`} of the same link`;
  }
  if (kind === "lose" || event.sends.some(({ fate }) => fate === "lost")) return words("loss");
  if (kind === "double" || event.sends.some(({ fate }) => fate === "doubled")) return words("double");
  if (kind === "crash") return words("crash");
  return null;
}

export interface Place { algorithm: string; off: Assumption[]; at: number | null }

export function read(query: URLSearchParams): Place {
  const known = new Set<string>(ASSUMPTIONS.map(({ name }) => name));
  const at = query.get("at");
  return {
    algorithm: query.get("a") ?? "",
    off: (query.get("off") ?? "").split(",").filter((name): name is Assumption => known.has(name)),
    at: at !== null && /^\d{1,9}$/.test(at) ? Number(at) : null,
  };
}

export function write({ algorithm, off, at }: Place): URLSearchParams {
  const query = new URLSearchParams({ a: algorithm });
  if (off.length > 0) query.set("off", off.join(","));
  if (at !== null) query.set("at", String(at));
  return query;
}

/** A text taken literally beside the right one. */
export interface Printed {
  title: string;
  /** Why it is wrong, in a sentence or two. */
  why: string;
  /** The rules as they are printed, and as they should be. */
  printed: string[];
  right: string[];
  /** The lines of the program that differ: what is right, and what the text makes of it. */
  lines: { kind: "right" | "printed" | "same"; text: string }[];
}

export function printed({ diff, title }: Pick<Algorithm, "diff" | "title">): Printed {
  const all = (diff ?? "").split("\n");
  const first = all.findIndex((line) => /^[-+] /.test(line));
  const head = first < 0 ? all : all.slice(0, first);
  const prose = head.slice(1).filter((line) => !/^(erratum|example|of) /.test(line));
  const hunks = first < 0 ? [] : all.slice(first).filter((line) => line.trim() !== "");
  const lines = hunks.map((line): Printed["lines"][number] => ({
    kind: line.startsWith("- ") ? "right" : line.startsWith("+ ") ? "printed" : "same",
    text: line.slice(2),
  }));
  const said = (kind: "right" | "printed") =>
    lines.filter((line) => line.kind === kind && line.text.trim().startsWith("/// ")).map(({ text }) => text.trim().slice(4));
  return { title, why: prose.join(" ").replace(/\s+/g, " ").trim(), printed: said("printed"), right: said("right"), lines };
}

