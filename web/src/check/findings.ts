// What the checker found, in words. A search that was cut short has answered nothing: it says "unknown", never "holds".

import type { CheckFindings, CheckLook } from "../engine";

export type Verdict = "holds" | "violated" | "unknown";

export interface PropertyFinding {
  name: string;
  verdict: Verdict;
  steps: number | null;
  detail: string | null;
}

function verdict(value: unknown): Verdict {
  return value === "holds" || value === "violated" ? value : "unknown";
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export const digits = (value: number): string => Math.round(value).toLocaleString("en");

const plural = (value: number, one: string, many = `${one}s`): string => `${digits(value)} ${value === 1 ? one : many}`;

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null) : [];
}

export function properties(findings: CheckFindings): PropertyFinding[] {
  const details = new Map(objects(findings.violations).map(({ name, detail }) => [String(name), String(detail ?? "")]));
  return objects(findings.properties).map((one) => ({
    name: String(one.name),
    verdict: verdict(one.verdict),
    steps: count(one.trace_steps),
    detail: details.get(String(one.name)) || null,
  }));
}

/** The answer as a whole. A search that somebody stopped is unknown, whatever it had seen, unless it found a violation. */
export function answer(look: CheckLook): Verdict | null {
  if (look.findings) return verdict(look.findings.verdict);
  return look.state === "running" ? null : "unknown";
}

/** The limit that ended it: `{ kind: "states", value: 1000 }`. */
function limit(findings: CheckFindings): string | null {
  const { limit } = findings;
  if (typeof limit !== "object" || limit === null) return null;
  const { kind, value } = limit as { kind?: unknown; value?: unknown };
  const number = count(value);
  switch (kind) {
    case "states":
      return number === null ? "the limit on states" : `the limit of ${plural(number, "state")}`;
    case "bytes":
      return number === null ? "the limit on memory" : `the limit of ${digits(number / 1024 ** 2)} MiB`;
    case "time":
      return number === null ? "it was stopped" : `the limit of ${number} s`;
    default:
      return typeof kind === "string" ? kind : null;
  }
}

/** The answer in a sentence or two. */
export function sentence(look: CheckLook): string {
  const { findings } = look;
  if (!findings) {
    return look.state === "running" ? "Searching …" : "Unknown: the search was stopped before its end. Nothing follows from it.";
  }
  const { algorithm, nodes } = findings;
  const states = count(findings.states) ?? 0;
  const here = `${algorithm} with ${plural(nodes, "process", "processes")}`;
  const outside = findings.within_assumptions === false ? " It was taken outside its contract." : "";
  switch (verdict(findings.verdict)) {
    case "holds":
      return `Holds: in every run of ${here} that was asked for, each property below. ${plural(states, "state")}, all of them looked at.${outside}`;
    case "violated": {
      const broken = properties(findings).filter((one) => one.verdict === "violated");
      const named = broken.map(({ name, detail }) => (detail ? `“${name}” (${detail})` : `“${name}”`)).join(" and ");
      const steps = broken[0]?.steps ?? (Array.isArray(findings.counterexample) ? findings.counterexample.length : null);
      const shortest = findings.shortest === true ? "; no run that shows it is shorter" : "";
      return `Violated by ${here}: ${named || "a property"}${steps === null ? "" : ` after ${plural(steps, "step")}${shortest}`}.${outside}`;
    }
    case "unknown": {
      const why = look.state === "stopped" ? "it was stopped" : (limit(findings) ?? "a limit was reached");
      return `Unknown: the search of ${here} ended early (${why}) after ${plural(states, "state")}. Nothing is violated in what was seen, but that is not an answer.${outside}`;
    }
  }
}

/** What helps when the answer is unknown. */
export const ADVICE = [
  "Fewer processes, one arrangement of identities instead of all, or one set of initiators make the search smaller.",
  "“Only what shows in a state or at an end” needs a fifth of the memory.",
  "A command line may take longer and use more memory than the page: copy the command.",
];

/** Counts for a table: what, how many. */
export function counts(findings: CheckFindings): [string, string][] {
  const rows: [string, string][] = [];
  const add = (label: string, value: unknown): void => {
    const number = count(value);
    if (number !== null) rows.push([label, digits(number)]);
  };
  add("states", findings.states);
  add("transitions", findings.transitions);
  add("depth", findings.depth);
  add("cases (arrangements, initiators)", findings.cases);
  const range = (label: string, value: unknown): void => {
    const { min, max } = (value ?? {}) as { min?: unknown; max?: unknown };
    const [least, most] = [count(min), count(max)];
    if (least !== null && most !== null) rows.push([label, least === most ? digits(least) : `${digits(least)} to ${digits(most)}`]);
  };
  range("messages, least to most", findings.messages);
  range("of these for the election", findings.election_messages);
  const chance = count(findings.missed_probability);
  if (chance !== null && chance > 0) rows.push(["chance that a state was missed", chance.toExponential(1)]);
  return rows;
}

export function notes(findings: CheckFindings): string[] {
  const lines = [findings.outside, findings.notes].flatMap((list) => (Array.isArray(list) ? list : [])).map(String);
  return findings.broken_on_purpose === true ? ["A text taken literally, with its error in it.", ...lines] : lines;
}

/** How far a search is, in a sentence. */
export function progress(look: CheckLook, expected: number | null): string {
  const seconds = `${look.seconds.toFixed(look.seconds < 10 ? 1 : 0)} s`;
  const { progress } = look;
  if (!progress) return seconds;
  const cases = progress.cases_total === null ? plural(progress.cases, "case") : `case ${digits(progress.cases)} of ${digits(progress.cases_total)}`;
  const about = expected === null ? "" : ` of about ${digits(expected)}`;
  return `${digits(progress.states)}${about} ${progress.states === 1 && !about ? "state" : "states"} · depth ${digits(progress.depth)} · ${cases} · ${seconds}`;
}
