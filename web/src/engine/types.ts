// The interface between the page and an engine: what is asked, what is answered, as plain JSON. The engine is
// `ringleader serve`, which takes each verb as POST /api/VERB, or the same library as WebAssembly in a worker. ENGINE.md
// describes it in words. Nothing here is a class, and nothing is remembered between two calls but checks that are under
// way: a run is a function of its source and its edits.
//
// The types are those of the engine: crates/ringleader-page writes schema.json, `npm run types` reads it.

import type { OptionValue, Verbs as Interface } from "./interface";

export type * from "./interface";

/** Options of the command line, by their long name without the dashes: `{ nodes: "8", ids: "random", seed: "7" }`. Flags
 * are `true`; an option that may be given several times (crash, lose, set …) is a list. The words are those of
 * `ringleader run --help` (for a counterexample those of `ringleader check --help`). */
export type Options = Record<string, OptionValue>;

/** Somebody reaches into a run: `STEP.ACTION.WHAT`, before the step with this number (from 0) is taken.
 * deliver, drop, duplicate, overtake: a message by its number. `12.drop.3`
 * delay: a message and for how many steps. `12.delay.3.10`
 * crash, recover, want: a process by its index. `40.crash.2` */
export type Edit = string;

/** What is asked and what is answered, by verb. */
export type Verbs = { [V in keyof Interface]: [Interface[V]["question"], Interface[V]["answer"]] };
export type Verb = keyof Verbs;

export interface Engine {
  call<V extends Verb>(verb: V, request: Verbs[V][0], signal?: AbortSignal): Promise<Verbs[V][1]>;
}

/** What an engine refuses, with what to do instead. `{ "error": { code, message, help } }` with a status of 400 or above. */
export interface Complaint { code: string; message: string; help: string[] }
