// A run and a moment of it in the address of the page: `v=1&a=peterson&nodes=8&seed=7&e=12.drop.3;40.crash.2&at=57&sel=3`.
// Options keep the names that they have on the command line.

import type { Edit, Options, Source } from "../engine";

/** What is in an address beside the options. */
const OWN = new Set(["v", "a", "cx", "trace", "e", "at", "sel", "embed", "theme", "view", "x", "zoom", "f", "you"]);

/** Flags: they have no value on the command line. */
const FLAGS = new Set(["unsound", "all-ids", "all-initiators", "safety", "denied"]);

/** Options that may be given several times. */
export const REPEATED = new Set(["crash", "recover", "lose", "partition", "set"]);

export interface Place {
  source: Source;
  edits: Edit[];
  /** How many steps were taken; null: not said. */
  at: number | null;
  /** The process that is looked at. */
  selected: number | null;
}

function number(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function options(query: URLSearchParams): Options {
  const found: Options = {};
  for (const key of new Set(query.keys())) {
    if (OWN.has(key)) continue;
    const values = query.getAll(key);
    if (FLAGS.has(key)) found[key] = true;
    else if (REPEATED.has(key)) found[key] = values;
    else found[key] = values.at(-1) ?? "";
  }
  return found;
}

export function setOptions(query: URLSearchParams, given: Options): void {
  for (const [key, value] of Object.entries(given)) {
    if (value === false) continue;
    if (value === true) query.append(key, "1");
    else if (Array.isArray(value)) for (const one of value) query.append(key, one);
    else if (value !== "") query.append(key, value);
  }
}

/** The place that an address names; null if it names no run. Whether there is such a run, the engine says. */
export function place(query: URLSearchParams): Place | null {
  const trace = query.get("trace");
  const algorithm = query.get("a");
  let source: Source;
  if (trace) source = { kind: "trace", key: trace };
  else if (algorithm) source = { kind: query.get("cx") ? "counterexample" : "run", algorithm, options: options(query) };
  else return null;
  const edits = (query.get("e") ?? "").split(";").filter((edit) => edit !== "");
  return { source, edits, at: number(query.get("at")), selected: number(query.get("sel")) };
}

export function address({ source, edits, at, selected }: Place): URLSearchParams {
  const query = new URLSearchParams({ v: "1" });
  if (source.kind === "trace") query.set("trace", source.key);
  else {
    query.set("a", source.algorithm);
    if (source.kind === "counterexample") query.set("cx", "1");
    setOptions(query, source.options);
  }
  if (edits.length > 0) query.set("e", edits.join(";"));
  if (at !== null) query.set("at", String(at));
  if (selected !== null) query.set("sel", String(selected));
  return query;
}
