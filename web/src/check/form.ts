// What can be asked of the checker, and how it stands in the address of the page: the words are the options of
// `ringleader check`, so that an address and a command line say the same.

import type { Algorithm, Options } from "../engine";
import { options as readOptions, setOptions } from "../shell/address";

/** One thing that may be chosen. `usual` is what happens when nothing is said. */
export interface Field {
  name: string;
  label: string;
  help: string;
  usual: string;
  /** What may be chosen; null: anything may be written. */
  values: string[] | null;
  /** A number of these: what is written must be one. */
  number?: boolean;
  problem?: Algorithm["problem"];
}

export const ARRANGEMENT: Field[] = [
  { name: "nodes", label: "processes", help: "how many; 3 to 5 is usual", usual: "4", values: null, number: true },
  {
    name: "ids",
    label: "identities",
    help: "a list such as 3,7,4, or an order",
    usual: "descending",
    values: ["ascending", "descending", "alternating", "bit-reversal", "fibonacci", "worst"],
  },
  {
    name: "initiators",
    label: "who starts",
    help: "all at once, all at any moment, every set, one, or a list",
    usual: "any",
    values: ["any", "all", "all-late", "one"],
    problem: "election",
  },
  { name: "entries", label: "entries", help: "of each process, or a list", usual: "1", values: null, problem: "mutex" },
  {
    name: "topology",
    label: "network",
    help: "where the algorithm admits several",
    usual: "its own",
    values: ["ring", "complete", "line", "star", "binary", "random"],
  },
];

export const ENVIRONMENT: Field[] = [
  {
    name: "links",
    label: "links",
    help: "in what order they deliver",
    usual: "the weakest it admits",
    values: ["fifo", "bag", "half-duplex"],
  },
  { name: "crashes", label: "crashes ≤", help: "", usual: "as it tolerates", values: null, number: true },
  { name: "recoveries", label: "recoveries ≤", help: "", usual: "as it tolerates", values: null, number: true },
  { name: "losses", label: "lost ≤", help: "", usual: "as it tolerates", values: null, number: true },
  { name: "duplications", label: "doubled ≤", help: "", usual: "as it tolerates", values: null, number: true },
];

export const SEARCH: Field[] = [
  { name: "reduce", label: "leave out", help: "what cannot matter", usual: "full", values: ["none", "por", "full"] },
  { name: "max-states", label: "states at most", help: "1e6, 1M, 2^20", usual: "the engine's limit", values: null },
  { name: "time", label: "time at most", help: "30s, 5m", usual: "no limit", values: null },
  { name: "orientation", label: "left and right", help: "whether all agree", usual: "as it admits", values: ["same", "random"] },
  { name: "range", label: "range of draws", help: "for processes without identities", usual: "2", values: null, number: true },
];

export const FLAGS: { name: string; label: string; help: string }[] = [
  { name: "all-ids", label: "every arrangement of identities", help: "up to rotation" },
  { name: "safety", label: "only what shows in a state or at an end", help: "a fifth of the memory" },
  { name: "unsound", label: "outside the contract", help: "allow what the algorithm excludes; the answer then says so" },
];

/** What an address asks: an algorithm, options, and whether to start at once. */
export interface Asked {
  algorithm: string | null;
  options: Options;
  run: boolean;
}

export function read(query: URLSearchParams): Asked {
  const rest = new URLSearchParams(query);
  const run = rest.get("run") === "1";
  // Whether to start at once is a matter of the page, not of the question.
  rest.delete("run");
  return { algorithm: query.get("a"), options: tidy(readOptions(rest)), run };
}

export function checkAddress(algorithm: string, options: Options, run = false): URLSearchParams {
  const query = new URLSearchParams({ v: "1", a: algorithm });
  setOptions(query, tidy(options));
  if (run) query.set("run", "1");
  return query;
}

/** Without what was left empty: nothing said is the usual. */
export function tidy(options: Options): Options {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== "" && !(Array.isArray(value) && value.length === 0)),
  );
}

/** A word of a command line, in quotes where a shell would take it apart. */
function quoted(word: string): string {
  return /^[\w.,:=@/+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command that asks the same. Once a search runs the engine says it in its own words. */
export function command(algorithm: string, options: Options): string {
  const words = ["ringleader", "check", quoted(algorithm)];
  for (const [name, value] of Object.entries(tidy(options))) {
    const option = name === "nodes" ? "-n" : `--${name}`;
    if (value === false) continue;
    if (value === true) words.push(option);
    else for (const one of Array.isArray(value) ? value : [value]) words.push(option, quoted(one));
  }
  return words.join(" ");
}

/** The options of a command line: `-n 3 --entries 2 --unsound`. The program's name, its command and the algorithm may
 * stand before them. */
export function exampleOptions(line: string): Options {
  const found: Options = {};
  const words = line.trim().split(/\s+/);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (!word.startsWith("-")) continue;
    const name = word === "-n" ? "nodes" : word.replace(/^--/, "");
    const next = words[index + 1];
    if (next === undefined || next.startsWith("-")) found[name] = true;
    else {
      const before = found[name];
      const value = next.replace(/^'(.*)'$/, "$1");
      found[name] = Array.isArray(before) ? [...before, value] : typeof before === "string" ? [before, value] : value;
      index += 1;
    }
  }
  return found;
}

/** What a check can take over from a run: the checker tries every schedule, every draw and every set of initiators by
 * itself, so that only the arrangement remains. */
const KEPT = ["nodes", "ids", "entries", "links", "topology", "set", "unsound"];

/** The search that shows what is wrong with a text taken literally: as small as the run that shows it. */
export function wrong(algorithm: Algorithm): Options {
  const shown = algorithm.example ? exampleOptions(algorithm.example) : {};
  const options: Options = {};
  for (const name of KEPT) {
    const value = shown[name];
    if (value !== undefined) options[name] = value;
  }
  // Several who start together are few cases among all sets of initiators. Who starts later has no place in a check.
  if (typeof shown.initiators === "string" && /^\d+(,\d+)+$/.test(shown.initiators)) options.initiators = shown.initiators;
  // Under a load the run says how many entries there are in all, a check how many each process makes.
  if (options.entries === undefined && typeof shown.total === "string" && typeof options.nodes === "string") {
    const each = Math.ceil(Number(shown.total) / Number(options.nodes));
    if (each > 1) options.entries = String(each);
  }
  const fixed = typeof options.ids === "string" && /^\d/.test(options.ids);
  if (fixed) delete options.nodes;
  else options.nodes ??= usualNodes(algorithm);
  return options;
}

/** A search of this size ends soon. */
export function usualNodes(algorithm: Algorithm): string {
  return algorithm.topology.includes("ring") && algorithm.problem === "election" && !algorithm.needs.includes("random-ids") ? "4" : "3";
}

/** Why a field cannot be so; null if it may be. The engine has the last word; this saves a question. */
export function complaint(field: Field, value: string): string | null {
  if (value === "" || !field.number) return null;
  if (/^\d{1,9}$/.test(value)) return null;
  return `${field.label}: a whole number such as ${/^\d+$/.test(field.usual) ? field.usual : "1"} is needed, not “${value}”.`;
}
