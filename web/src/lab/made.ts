// Hand-made runs and an engine that serves them, for the tests beside this file.

import type { Engine, Run, RunEvent, Sent, Verb, Verbs } from "../engine/types";

/** A message, as an event sends it. */
export function sent(message: number, to: number, more: Partial<Sent> = {}): Sent {
  return { message, to, kind: "tid", text: `tid(${message})`, fields: [], fate: "travels", announces: false, ...more };
}

/** An event; what is not said is as dull as can be. */
export function event(step: number, process: number, more: Partial<RunEvent> = {}): RunEvent {
  return {
    step, process, time: String(step), input: { kind: "start" }, words: `p${process} moves`, effects: "", rules: [],
    choices: [], sends: [], outcome: null, standing: "open", changes: [], depth: 0, causes: [], properties: [], accesses: [], ...more,
  };
}

/** A run over these events. */
export function run(n: number, steps: number, more: Partial<Run> = {}): Run {
  return {
    source: { kind: "run", algorithm: "made", options: {} }, edits: [], algorithm: "made", problem: "election", n,
    command: "ringleader run made",
    report: { schema: "ringleader.run/1", algorithm: "made", nodes: n, outcome: "elected", messages: { total: 0, by_kind: {} }, bound: null },
    topology: "one-way ring", links: "fifo", schedule: "rounds", outside: [], steps, small: true,
    properties: [{ name: "at most one leader", kind: "always", holds: true, detail: null, violated_at: null }],
    marks: [], density: [], ids: Array.from({ length: n }, (_, process) => process + 1),
    edges: Array.from({ length: n }, (_, process) => [process, (process + 1) % n] as [number, number]), directed: true,
    variables: ["state", "max"],
    start: Array.from({ length: n }, (_, process) => ["candidate", String(process + 1)]), overlays: [], ports: [],
    ...more,
  };
}

/** An engine that has one run, and counts how often it is asked for events. */
export function engineOf(given: Run, events: RunEvent[]): Engine & { pages: [number, number][] } {
  const pages: [number, number][] = [];
  return {
    pages,
    async call<V extends Verb>(verb: V, request: Verbs[V][0]): Promise<Verbs[V][1]> {
      if (verb === "open") return given as Verbs[V][1];
      if (verb === "events") {
        const { from, to } = request as Verbs["events"][0];
        pages.push([from, to]);
        return { from, events: events.slice(from, to) } as Verbs[V][1];
      }
      throw new Error(`nobody expected ${verb}`);
    },
  };
}
