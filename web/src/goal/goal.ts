// A goal and what somebody does about it: how it stands in the address, what may be done at a moment, and the link that
// is handed in.

import type { Edit, Goal } from "../engine";
import type { Moment } from "../lab/timeline";

export interface Answer {
  name: string;
  edits: Edit[];
  /** Where the page stands; null: the end. */
  at: number | null;
  who: string;
  /** What an address that was handed in bears. */
  seal: string | null;
}

export function read(query: URLSearchParams): Answer {
  const at = query.get("at");
  return {
    name: query.get("name") ?? "",
    edits: (query.get("e") ?? "").split(";").filter((edit) => edit !== ""),
    at: at !== null && /^\d{1,9}$/.test(at) ? Number(at) : null,
    who: query.get("who") ?? "",
    seal: query.get("seal"),
  };
}

export function write({ name, edits, at, who, seal }: Answer): URLSearchParams {
  const query = new URLSearchParams({ name });
  if (edits.length > 0) query.set("e", edits.join(";"));
  if (at !== null) query.set("at", String(at));
  if (who !== "") query.set("who", who);
  if (seal !== null) query.set("seal", seal);
  return query;
}

const stepOf = (edit: Edit): number => Number(edit.split(".", 1)[0]);

/** Reaching in at a moment makes another run of what follows: edits of later moments were about the old one. */
export function reach(edits: Edit[], at: number, action: string, what: number): Edit[] {
  return [...edits.filter((edit) => stepOf(edit) <= at), `${at}.${action}.${what}${action === "delay" ? ".10" : ""}`];
}

export interface Choice { words: string; action: string; what: number }

const MESSAGES: [string, string][] = [
  ["deliver", "arrives now"],
  ["overtake", "overtakes those ahead"],
  ["drop", "is lost"],
  ["duplicate", "is doubled"],
  ["delay", "waits ten steps"],
];
const PROCESSES: [string, string][] = [["crash", "crashes"], ["recover", "comes back"], ["want", "wants in"]];

/** What may be done at this moment. */
export function choices({ actions }: Pick<Goal, "actions">, { transit, processes }: Pick<Moment, "transit" | "processes">): Choice[] {
  const may = (action: string) => actions.length === 0 || actions.includes(action);
  const messages = transit.flatMap(({ message, text, from, to, ahead }) =>
    MESSAGES.filter(([action]) => may(action) && (action !== "overtake" || ahead > 0)).map(([action, does]) => ({
      words: `${text} from p${from} to p${to} ${does}`, action, what: message,
    })),
  );
  const people = processes.flatMap(({ down }, process) =>
    PROCESSES.filter(([action]) => may(action) && (action === "recover") === down).map(([action, does]) => ({
      words: `p${process} ${does}`, action, what: process,
    })),
  );
  return [...messages, ...people];
}
