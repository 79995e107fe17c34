// A rule with the values for which it fired: `j < id, participant` becomes `j = 3 < id = 8, participant = yes`. What is
// said in words alone has no values, and is left out.

import type { RunEvent } from "../engine/types";
import type { Moment, Timeline } from "./timeline";

/** What the names in a rule stand for: variables, and the fields and the sender of the message that came in. */
export type Scope = Map<string, string>;

const NAME = "[A-Za-z][A-Za-z0-9_]*'?";

/** The variables of the process that acted, as they were before it did. */
export function before(timeline: Timeline, moment: Moment): Scope {
  const scope: Scope = new Map();
  const { event } = moment;
  const process = event && moment.processes[event.process];
  if (!event || !process) return scope;
  timeline.run.variables.forEach((name, place) => {
    scope.set(name, process.changed.get(place) ?? process.variables[place] ?? "");
  });
  // Papers call the clock C and the process itself i or me.
  const clock = timeline.run.overlays.find(({ draws }) => draws === "clock");
  if (clock && !scope.has("C")) scope.set("C", scope.get(clock.variable) ?? "");
  for (const name of ["i", "me"]) if (!scope.has(name)) scope.set(name, `p${event.process}`);
  return scope;
}

/** The rule with its values; null where it has none to show. */
export function withValues(text: string, event: RunEvent, scope: Scope, timeline: Timeline): string | null {
  const known: Scope = new Map(scope);
  const { guard, params, single, from } = parts(text);
  const { input } = event;
  const came = input.kind === "deliver" ? timeline.passages[input.messages[0] ?? -1] : undefined;
  if (came) {
    params.forEach((name, place) => {
      const value = came.fields[place]?.[1];
      if (value !== undefined && !scope.has(name)) known.set(name, value);
    });
    const first = came.fields[0]?.[1];
    if (single && first !== undefined && !scope.has(single)) known.set(single, first);
    if (from && !scope.has(from)) known.set(from, `p${came.from}`);
  }
  const told = split(guard).flatMap((condition) => filled(condition, known) ?? []);
  // What the message says is of interest even where the rule asks nothing of it.
  if (told.length === 0) for (const name of [...params, ...(single ? [single] : [])]) if (!scope.has(name) && known.has(name)) told.push(`${name} = ${known.get(name)}`);
  return told.length > 0 ? told.join(", ") : null;
}

/** A rule taken apart: `on kind(params) from whom, guard: what it does`. */
function parts(text: string): { guard: string; params: string[]; single: string | null; from: string | null } {
  const end = text.search(/:(?!=)/);
  const head = end < 0 ? "" : text.slice(0, end);
  const call = new RegExp(`\\bon (?:the \\w+ )?[A-Za-z'-]+\\(([^)]*)\\)`).exec(head);
  const from = new RegExp(`\\bfrom (${NAME})\\b`).exec(head)?.[1] ?? null;
  const params = (call?.[1] ?? "").split(",").map((name) => name.trim()).filter((name) => new RegExp(`^${NAME}$`).test(name));
  const single = call ? null : (/^on ([a-z])\b/.exec(head)?.[1] ?? null);
  const comma = split(head);
  const guard = call || single || head.startsWith("on ") ? comma.slice(1).join(",") : head.replace(/^if /, "");
  return { guard, params, single, from: from === "a" || from === "the" ? null : from };
}

/** At commas, but not those inside brackets; and at the words between conditions. */
function split(text: string): string[] {
  const found = [""];
  let depth = 0;
  for (const sign of text) {
    if (sign === "(" || sign === "[") depth += 1;
    if (sign === ")" || sign === "]") depth -= 1;
    if (sign === "," && depth === 0) found.push("");
    else found[found.length - 1] += sign;
  }
  return found.flatMap((part) => part.split(/ and /)).map((part) => part.trim()).filter((part) => part !== "");
}

/** A condition with values; null if it is one in words, or about what is not known. */
function filled(condition: string, known: Scope): string | null {
  const bare = new RegExp(`^(?:not )?(${NAME})$`).exec(condition)?.[1];
  if (bare !== undefined) return known.has(bare) ? `${bare} = ${known.get(bare)}` : null;
  const compared = /^(.+?) (=|!=|≠|<=|>=|≤|≥|<|>) (.+)$/.exec(condition);
  if (!compared) return null;
  const [, left = "", sign = "", right = ""] = compared;
  const [a, b] = [known.get(left), known.get(right)];
  if (sign === "=" && a !== undefined) {
    // `last = none` and `last = j` say what the variable is called when it has that value.
    if (b === undefined) return a === "-" || a === right ? condition : `${condition} = ${a}`;
    return a === b ? `${condition} = ${a}` : `${left} = ${a}, ${right} = ${b}`;
  }
  const sides = [left, right].map((side) => put(side, known));
  return sides.some((side, place) => side !== [left, right][place]) ? sides.join(` ${sign} `) : null;
}

/** A side of a comparison with the values of its names: `lg + 1` becomes `(lg = 0) + 1`. */
function put(side: string, known: Scope): string {
  if (known.has(side)) return `${side} = ${known.get(side)}`;
  const words = side.match(/[A-Za-z]{2,}/g) ?? [];
  // A phrase in words is no expression.
  if (words.length > 1 && !/[(+\-*/·]/.test(side)) return side;
  return side.replace(new RegExp(`\\b${NAME}`, "g"), (name) => (known.has(name) ? (/[()]/.test(side) ? `${known.get(name)}` : `(${name} = ${known.get(name)})`) : name));
}
