// What an algorithm knows, drawn: pointers, the token, votes, clocks, who waits. Which variable is what is declared
// beside the algorithm and comes with the run; nothing here knows an algorithm by its name.

import type { Overlay, Run, RunEvent } from "../engine/types";
import type { Moment, ProcessMoment } from "./timeline";

type Known = Pick<Run, "overlays" | "variables" | "ports" | "ids">;

export interface Arrow { to: number; name: string; kind: "pointer" | "way" | "vote" }
export interface Badge { name: string; draws: "clock" | "waiting" | "register"; text: string }
/** One whom a process asks, and what it said, if that is known. */
export interface Asked { who: number; said: string | null }

/** What is drawn beside one process. */
export interface Drawing {
  arrows: Arrow[];
  /** The names of the tokens that are here. */
  tokens: string[];
  quorum: Asked[];
  badges: Badge[];
}

const NOTHING = new Set(["", "-", "no", "elsewhere", "[]"]);

/** Processes named in a value, in its order: `[4 p2]` names p2. */
export function named(value: string): number[] {
  return [...value.matchAll(/\bp(\d+)\b/g)].map((found) => Number(found[1]));
}

/** The process that a value points at: by name, or by the port to it. */
function target(run: Known, index: number, value: string): number | null {
  const byName = named(value)[0];
  if (byName !== undefined) return byName;
  return /^\d+$/.test(value) ? (run.ports[index]?.[Number(value)] ?? null) : null;
}

/** Those in a list who wait, by name; ports become processes, and nobody is the process itself. */
function waiting(run: Known, index: number, value: string): string {
  const byName = named(value);
  if (byName.length > 0) return byName.map((who) => `p${who}`).join(" ");
  const inner = value.replace(/^\[(.*)\]$/, "$1").split(" ");
  return inner.map((part) => `p${part === "-" ? index : (target(run, index, part) ?? part)}`).join(" ");
}

/** Those whom a process asks: `[p1 p4]`, or with what they said `[[p1 locked] [p4 nothing]]`. */
function quorum(value: string): Asked[] {
  const pairs = [...value.matchAll(/\[p(\d+) ([^\][]+)\]/g)];
  if (pairs.length > 0) return pairs.map((found) => ({ who: Number(found[1]), said: found[2] ?? null }));
  return named(value).map((who) => ({ who, said: null }));
}

function valueOf(run: Known, process: ProcessMoment, overlay: Overlay): string {
  return process.variables[run.variables.indexOf(overlay.variable)] ?? "";
}

/** What is drawn beside a process now. */
export function drawing(run: Known, index: number, process: ProcessMoment): Drawing {
  const found: Drawing = { arrows: [], tokens: [], quorum: [], badges: [] };
  for (const overlay of run.overlays) {
    const value = valueOf(run, process, overlay);
    const name = overlay.variable;
    const isThere = !NOTHING.has(value);
    switch (overlay.draws) {
      case "pointer": case "way": case "vote": {
        const to = isThere ? target(run, index, value) : null;
        if (to !== null) found.arrows.push({ to, name, kind: overlay.draws });
        else if (overlay.draws === "way" && value === "-") found.tokens.push("token");
        break;
      }
      case "token": if (isThere) found.tokens.push(name); break;
      case "quorum": if (isThere) found.quorum.push(...quorum(value)); break;
      case "clock": found.badges.push({ name, draws: "clock", text: `${name} ${value}` }); break;
      case "waiting": if (isThere) found.badges.push({ name, draws: "waiting", text: `… ${waiting(run, index, value)}` }); break;
      case "register": found.badges.push({ name, draws: "register", text: `${name} = ${value}` }); break;
      case "leader": case "joined": break;
    }
  }
  return found;
}

/** Whom a process takes for the leader, as its variable says. */
export function leaderOf(run: Known, process: ProcessMoment): string | null {
  const overlay = run.overlays.find(({ draws }) => draws === "leader");
  const value = overlay ? valueOf(run, process, overlay) : "";
  return NOTHING.has(value) ? null : value;
}

/** Who has joined the race and cannot win it any more, for its identity is not on its way; null where that is not told
 * by what is on its way. */
export function beaten(run: Known, moment: Pick<Moment, "processes" | "transit">): Set<number> | null {
  const joined = run.overlays.find(({ draws }) => draws === "joined");
  if (!joined) return null;
  const travelling = new Set(moment.transit.flatMap(({ fields }) => fields.map(([, value]) => value)));
  const found = new Set<number>();
  moment.processes.forEach((process, index) => {
    if (process.standing !== "open" || valueOf(run, process, joined) !== "yes") return;
    if (!travelling.has(String(run.ids[index]))) found.add(index);
  });
  return found;
}

/** Whose registers a step read: machines that send nothing read each other. */
export function reads(accesses: RunEvent["accesses"], reader: number): number[] {
  const owners = accesses.filter(({ writes }) => !writes).flatMap(({ register }) => /\[(\d+)\]$/.exec(register)?.[1] ?? []);
  return [...new Set(owners.map(Number))].filter((owner) => owner !== reader);
}
