// What a process is called and looks like: one place for words and shapes, so that picture, list and legend agree.

import type { Run } from "../engine/types";
import { leaderOf } from "./overlays";
import type { ProcessMoment, Transit } from "./timeline";

/** How a process is drawn. Each has a shape of its own, not only a colour. */
export type Look = "leads" | "candidate" | "idle" | "relay" | "lost" | "waiting" | "inside" | "outside" | "clock" | "down";

/** Names that algorithms have for a process that cannot win any more and only passes messages on. */
const PASSIVE = /^(relay|passive|defeated|lost|done)/i;
/** And for one that takes no part, or not yet. */
const IDLE = /^(asleep|idle|sleeping)/i;

const ROLE_OF = new WeakMap<ProcessMoment, string | null>();

const ROLES = new Set(["role", "state", "status", "mode", "phase", "standing"]);

/** What the process calls itself: the variable that is named so, or the first whose value is a word. */
export function role(run: Run, process: ProcessMoment): string | null {
  // Asked for every process at every step, and nearly all are as they were.
  let known = ROLE_OF.get(process);
  if (known === undefined) {
    known = findRole(run, process);
    ROLE_OF.set(process, known);
  }
  return known;
}

function findRole(run: Run, process: ProcessMoment): string | null {
  const word = (value: string | undefined) => (value && /^(?!p\d+$)[a-z][a-z0-9 -]*$/i.test(value) ? value : null);
  const named = run.variables.findIndex((name) => ROLES.has(name.toLowerCase()));
  if (named >= 0) return word(process.variables[named]?.split(/[ {(]/, 1)[0]);
  const not = new Set(["true", "false", "none", "yes", "no"]);
  return word(process.variables.find((value) => word(value) && !not.has(value.toLowerCase())));
}

/** How a process is drawn; `beaten`: its messages say that it cannot win any more. */
export function look(run: Run, process: ProcessMoment, beaten = false): Look {
  if (process.standing !== "open") return process.standing;
  if (run.problem === "clocks") return "clock";
  if (run.problem === "mutex") return "outside";
  const word = role(run, process) ?? "";
  if (IDLE.test(word)) return "idle";
  return beaten || PASSIVE.test(word) ? "relay" : "candidate";
}

export const LEGEND: Record<Look, string> = {
  leads: "leads", candidate: "can still win", idle: "takes no part yet", relay: "cannot win any more",
  lost: "knows who leads", waiting: "waiting", inside: "inside", outside: "outside", clock: "a clock", down: "down",
};

/** Where it stands, in the words of the program. */
export function standing(run: Run, process: ProcessMoment): string {
  if (process.standing === "lost") return `knows that ${leaderOf(run, process) ?? "another"} leads`;
  if (process.standing !== "open") return process.standing;
  if (run.problem === "clocks") return "a clock";
  return run.problem === "mutex" ? "outside" : "undecided";
}

/** `1 message`, `2 messages`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** A process, in a sentence without a verb. */
export function processName(run: Run, index: number, process: ProcessMoment, arriving: number): string {
  const parts = [`process ${index}`];
  if (run.ids[index] !== undefined) parts.push(`identity ${run.ids[index]}`);
  const own = role(run, process);
  const word = standing(run, process);
  parts.push(own && own !== word && process.standing === "open" ? own : word);
  if (arriving > 0) parts.push(`${count(arriving, "message")} on ${arriving === 1 ? "its" : "their"} way to it`);
  return parts.join(", ");
}

export function messageName(one: Transit): string {
  const wait = one.ahead > 0 ? `, behind ${count(one.ahead, "other")}` : "";
  return `${one.text} from p${one.from} to p${one.to}${one.copy ? ", a copy" : ""}${wait}`;
}
