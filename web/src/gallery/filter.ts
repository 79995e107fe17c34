// Which algorithms the gallery shows: words that are looked for, and marks that are derived from what the engine says of
// an algorithm, so that a new one has its marks without anybody listing it here.

import type { Algorithm } from "../engine";

export interface Filter {
  /** Each of these words must be found. */
  text: string;
  /** Each of these marks must be there. */
  marks: string[];
  /** Also the texts taken literally, with their errors in them. */
  literal: boolean;
}

/** A mark, and who has it. In the order in which they are offered. */
const MARKS: { name: string; has: (algorithm: Algorithm) => boolean }[] = [
  { name: "ring", has: ({ topology }) => topology.includes("ring") },
  { name: "one-way", has: ({ topology }) => topology.includes("one-way") },
  { name: "two-way", has: ({ topology }) => topology.includes("two-way") },
  { name: "complete", has: ({ topology }) => topology.includes("complete") },
  { name: "tree", has: ({ topology, name }) => topology.includes("tree") || name.startsWith("tree-") },
  {
    name: "anonymous",
    has: ({ problem, needs }) =>
      problem === "election" && !needs.includes("distinct-ids") && !needs.includes("names") && needs.includes("random-choices"),
  },
  { name: "randomised", has: ({ needs }) => needs.includes("random-choices") },
  // Who needs to be told of crashes, or a ring that goes round them, goes on after one.
  { name: "crash-tolerant", has: ({ needs }) => needs.includes("failure-detector") || needs.includes("bypass") },
  {
    name: "token",
    has: ({ problem, kinds, idea }) => problem === "mutex" && (kinds.includes("token") || /\btokens?\b/i.test(idea)),
  },
  { name: "quorum", has: ({ name, idea }) => /quorum/i.test(name) || /\b(quorums?|votes?)\b/i.test(idea) },
  { name: "any order", has: ({ needs }) => !needs.includes("fifo") && !needs.includes("half-duplex") && !needs.includes("lock-step") },
];

/** The marks of an algorithm. */
export function marks(algorithm: Algorithm): string[] {
  return MARKS.filter(({ has }) => has(algorithm)).map(({ name }) => name);
}

/** The marks that tell some of these algorithms from others: those that nobody or everybody has are no help. */
export function offered(algorithms: Algorithm[]): string[] {
  return MARKS.filter(({ has }) => {
    const count = algorithms.filter(has).length;
    return count > 0 && count < algorithms.length;
  }).map(({ name }) => name);
}

function everything({ name, aliases, title, idea, source, needs, topology, problem }: Algorithm): string {
  const kind = problem === "mutex" ? "mutual exclusion" : "election";
  return [name, ...aliases, title, idea, source, ...needs, topology, kind].join("\n").toLowerCase();
}

export function matching(algorithms: Algorithm[], filter: Filter): Algorithm[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return algorithms.filter((algorithm) => {
    if (algorithm.literal && !filter.literal) return false;
    const here = marks(algorithm);
    if (!filter.marks.every((mark) => here.includes(mark))) return false;
    const text = words.length > 0 ? everything(algorithm) : "";
    return words.every((word) => text.includes(word));
  });
}

/** Why nothing is shown, in a sentence. */
export function nothing(algorithms: Algorithm[], filter: Filter): string {
  const parts: string[] = [];
  if (filter.text.trim() !== "") parts.push(`“${filter.text.trim()}”`);
  if (filter.marks.length > 0) parts.push(filter.marks.join(" and "));
  const hidden = filter.literal ? 0 : matching(algorithms, { ...filter, literal: true }).length;
  const also = hidden > 0 ? ` ${hidden === 1 ? "One literal text matches" : `${hidden} literal texts match`}, but these are left out.` : "";
  return `No algorithm matches ${parts.join(" with ") || "this"}.${also}`;
}

/** The filter that an address names. Marks that do not exist are left out, and said. */
export function read(query: URLSearchParams): { filter: Filter; unknown: string[] } {
  const given = (query.get("f") ?? "").split(",").filter((mark) => mark !== "");
  const known = new Set(MARKS.map(({ name }) => name));
  return {
    filter: {
      text: query.get("q") ?? "",
      marks: given.filter((mark) => known.has(mark)),
      literal: query.get("literal") === "1",
    },
    unknown: given.filter((mark) => !known.has(mark)),
  };
}

export function write(filter: Filter): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.text !== "") query.set("q", filter.text);
  if (filter.marks.length > 0) query.set("f", filter.marks.join(","));
  if (filter.literal) query.set("literal", "1");
  return query;
}
