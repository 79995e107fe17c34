// The configuration as a form has it: options by name, and the few that are typed in words.

import type { About, Algorithm, Choices, Options, Source } from "../engine/types";

/** Options that have a field of their own; all others are typed under "more options". */
export const FIELDS = new Set([
  "nodes", "ids", "links", "schedule", "topology", "initiators", "orientation", "seed", "unsound", "set", "entries",
  "hold", "think", "crash", "recover", "lose", "loss", "duplicate", "partition",
]);

export const FAULTS = [
  { name: "crash", label: "crash", example: "2@10", help: "process @ time, several with spaces" },
  { name: "recover", label: "recover", example: "2@30", help: "process @ time" },
  { name: "lose", label: "lose", example: "tid@3", help: "the third message of a kind" },
  { name: "loss", label: "loss", example: "0.1", help: "the probability that a message is lost" },
  { name: "duplicate", label: "duplicate", example: "0.1", help: "the probability that a message comes twice" },
  { name: "partition", label: "partition", example: "0,1|2,3@5..20", help: "two groups, and from when to when" },
];

const LISTS = new Set(["crash", "recover", "lose", "partition", "set"]);

/** The value of an option as one types it. */
export function typed(options: Options, name: string): string {
  const value = options[name];
  if (value === undefined || value === false) return "";
  if (value === true) return "yes";
  return Array.isArray(value) ? value.join(" ") : value;
}

/** The options with one of them as it was typed; empty: without it. */
export function withOption(options: Options, name: string, text: string): Options {
  const rest = Object.fromEntries(Object.entries(options).filter(([key]) => key !== name));
  const value = text.trim();
  if (value === "") return rest;
  return { ...rest, [name]: LISTS.has(name) ? value.split(/\s+/) : value };
}

export function withFlag(options: Options, name: string, on: boolean): Options {
  const rest = Object.fromEntries(Object.entries(options).filter(([key]) => key !== name));
  return on ? { ...rest, [name]: true } : rest;
}

/** What a setting of the algorithm is: `set` holds `name=value`. */
export function setting(options: Options, name: string): string | null {
  const given = options.set;
  const list = Array.isArray(given) ? given : typeof given === "string" ? [given] : [];
  const found = list.find((one) => one.startsWith(`${name}=`));
  return found === undefined ? null : found.slice(name.length + 1);
}

export function withSetting(options: Options, name: string, value: string): Options {
  const given = options.set;
  const list = (Array.isArray(given) ? given : []).filter((one) => !one.startsWith(`${name}=`));
  const next = value === "" ? list : [...list, `${name}=${value}`];
  const rest = Object.fromEntries(Object.entries(options).filter(([key]) => key !== "set"));
  return next.length > 0 ? { ...rest, set: next } : rest;
}

/** Everything without a field of its own, as one would type it: `load=open:0.2 total=20`. */
export function more(options: Options): string {
  return Object.entries(options)
    .filter(([name]) => !FIELDS.has(name))
    .flatMap(([name, value]) => {
      if (value === true) return [name];
      return (Array.isArray(value) ? value : [value]).map((one) => `${name}=${one}`);
    })
    .join(" ");
}

/** The options with these others instead. Whether they exist, the engine says. */
export function withMore(options: Options, text: string): Options {
  const next: Options = Object.fromEntries(Object.entries(options).filter(([name]) => FIELDS.has(name)));
  for (const word of text.trim().split(/\s+/).filter((one) => one !== "")) {
    const [key = "", ...rest] = word.split("=");
    const name = key.replace(/^--/, "");
    const value = rest.join("=");
    if (rest.length === 0) next[name] = true;
    else if (LISTS.has(name)) next[name] = [...(Array.isArray(next[name]) ? next[name] : []), value];
    else next[name] = value;
  }
  return next;
}

export function find(about: About, name: string): Algorithm | undefined {
  return about.algorithms.find((one) => one.name === name || one.aliases.includes(name));
}

/** Those that fit what was typed: name, alias, title, topology and needs, all words of it. */
export function search(about: About, text: string): Algorithm[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return about.algorithms.filter((one) => {
    const all = [one.name, ...one.aliases, one.title, one.topology, one.problem, ...one.needs].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Another algorithm: what belonged to the old one alone does not go with it. */
export function withAlgorithm(options: Options, about: About, from: string, to: string): Options {
  if (from === to) return options;
  const gone = new Set(["set", "topology", "links", "orientation", "ending", "tokens", "denied", "election", "range"]);
  if (find(about, from)?.problem !== find(about, to)?.problem) {
    for (const name of ["entries", "hold", "think", "load", "wants", "total", "ids", "initiators"]) gone.add(name);
  }
  return Object.fromEntries(Object.entries(options).filter(([name]) => !gone.has(name)));
}

/** What the form begins with. */
export function beginning(about: About, seed: number): Source {
  const algorithm = find(about, "chang-roberts") ?? about.algorithms[0];
  const options = { nodes: "8", ids: "random", seed: String(seed) };
  return { kind: "run", algorithm: algorithm?.name ?? "chang-roberts", options };
}

/** What cannot be chosen, and why: one line each. */
export function refusals(choices: Choices | null): { option: string; value: string; why: string }[] {
  if (!choices) return [];
  return Object.entries(choices.options).flatMap(([option, list]) =>
    list.flatMap(({ value, why }) => (why === null ? [] : [{ option, value, why }])),
  );
}

/** Options as they stand on a command line: `-n 5 --crash 4@0 --unsound`. */
export function fromWords(line: string): Options {
  const options: Options = {};
  const words = line.trim().split(/\s+/).filter((word) => word !== "");
  for (let place = 0; place < words.length; place += 1) {
    const word = words[place] ?? "";
    const name = word === "-n" ? "nodes" : word.replace(/^--/, "");
    const next = words[place + 1];
    if (next === undefined || next.startsWith("--") || next === "-n") {
      options[name] = true;
      continue;
    }
    place += 1;
    const before = options[name];
    options[name] = LISTS.has(name) ? [...(Array.isArray(before) ? before : []), next] : next;
  }
  return options;
}
