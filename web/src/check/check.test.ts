// What is asked of the checker, what its findings say in words, and how a search is followed.

import { describe, expect, test } from "vitest";
import type { Algorithm, CheckFindings, CheckLook, Engine, Verb, Verbs } from "../engine";
import { event, run } from "../lab/made";
import { columns } from "./columns";
import { answer, counts, notes, progress, properties, sentence } from "./findings";
import { ARRANGEMENT, checkAddress, command, complaint, exampleOptions, read, wrong } from "./form";
import { Job, type Following } from "./job";
import { csv } from "./save";

describe("the question", () => {
  test("is in the address, both ways; whether to start is not part of it", () => {
    const options = { nodes: "4", links: "bag", unsound: true as const, safety: true as const, set: ["ending=both"] };
    const query = checkAddress("peterson", options, true);
    expect(read(query)).toEqual({ algorithm: "peterson", options, run: true });
    expect(read(new URLSearchParams("at=3"))).toEqual({ algorithm: null, options: {}, run: false });
  });
  test("has a command line; what was left empty is not in it", () => {
    expect(command("misra@z4", { nodes: "3", ids: "", unsound: true, set: ["a=b c"] })).toBe(
      "ringleader check misra@z4 -n 3 --unsound --set 'a=b c'",
    );
  });
  test("the run that shows an error of a text gives the search that finds it", () => {
    const literal = (example: string | null, more: Partial<Algorithm> = {}) =>
      wrong({ example, topology: "one-way ring", problem: "election", needs: [], ...more } as unknown as Algorithm);
    expect(literal("--ids 3,7,4,1 --initiators 0 --seed 1")).toEqual({ ids: "3,7,4,1" });
    expect(literal("-n 4 --entries 0,1,1,1 --schedule random --seed 5")).toEqual({ nodes: "4", entries: "0,1,1,1" });
    expect(literal("ringleader run bully@as-printed -n 5 --crash 4@0 --seed 1")).toEqual({ nodes: "5" });
    expect(literal("-n 3 --schedule random --load open:0.3 --total 4 --seed 2746")).toEqual({ nodes: "3", entries: "2" });
    expect(literal("-n 2 --load open:0.3 --total 2 --seed 1")).toEqual({ nodes: "2" });
    expect(literal("-n 5 --initiators 0,1,2,3 --schedule random")).toEqual({ nodes: "5", initiators: "0,1,2,3" });
    expect(literal("--ids 1,2 --initiators 0,1@1")).toEqual({ ids: "1,2" });
    expect(literal(null)).toEqual({ nodes: "4" });
    expect(exampleOptions("--crash 4@0 --crash 2@1 --unsound")).toEqual({ crash: ["4@0", "2@1"], unsound: true });
  });
  test("a number that is none is refused in a sentence", () => {
    const nodes = ARRANGEMENT[0]!;
    expect(complaint(nodes, "4")).toBeNull();
    expect(complaint(nodes, "")).toBeNull();
    expect(complaint(nodes, "many")).toBe("processes: a whole number such as 4 is needed, not “many”.");
  });
});

const findings = (more: Partial<CheckFindings>): CheckFindings => ({
  schema: "ringleader.check/1", algorithm: "peterson", nodes: 4, verdict: "holds", states: 1371, transitions: 3651, depth: 13,
  cases: 15, properties: [{ name: "at most one leader", verdict: "holds", trace_steps: null }], violations: [],
  messages: { min: 6, max: 9 }, election_messages: { min: 3, max: 3 }, within_assumptions: true, outside: [], notes: [],
  limit: null, shortest: null, missed_probability: 0, ...more,
});
const done = (more: Partial<CheckFindings>, look: Partial<CheckLook> = {}): CheckLook => ({
  state: "done", seconds: 1, progress: null, findings: findings(more), counterexample: false, graph: null, ...look,
});

describe("the answer", () => {
  test("holds only when everything was looked at", () => {
    expect(sentence(done({}))).toBe(
      "Holds: in every run of peterson with 4 processes that was asked for, each property below. 1,371 states, all of them looked at.",
    );
  });
  test("violated names the property, the steps and that it left the contract", () => {
    const look = done({
      verdict: "violated", shortest: true, within_assumptions: false,
      properties: [{ name: "at most one leader", verdict: "violated", trace_steps: 14 }, { name: "x", verdict: "unknown", trace_steps: null }],
      violations: [{ name: "at most one leader", detail: "processes 0 and 1 both lead" }],
    });
    expect(sentence(look)).toBe(
      "Violated by peterson with 4 processes: “at most one leader” (processes 0 and 1 both lead) after 14 steps; no run that shows it is shorter. It was taken outside its contract.",
    );
    expect(properties(look.findings!).map(({ verdict }) => verdict)).toEqual(["violated", "unknown"]);
  });
  test.each([
    [{ kind: "states", value: 1000 }, "the limit of 1,000 states"],
    [{ kind: "bytes", value: 2 ** 30 }, "the limit of 1,024 MiB"],
    [{ kind: "time", value: 30 }, "the limit of 30 s"],
    [{ kind: "time", value: null }, "it was stopped"],
    [null, "a limit was reached"],
  ])("a limit is unknown, never holds: %j", (limit, words) => {
    const look = done({ verdict: "unknown", limit });
    expect(answer(look)).toBe("unknown");
    expect(sentence(look)).toContain(`ended early (${words})`);
    expect(sentence(look).toLowerCase()).not.toContain("holds");
  });
  test("stopped without findings, or with a verdict nobody knows, is unknown", () => {
    expect(answer({ ...done({}), state: "stopped", findings: null })).toBe("unknown");
    expect(sentence({ ...done({}), state: "stopped", findings: null })).toMatch(/^Unknown: the search was stopped/);
    expect(answer(done({ verdict: "splendid" }))).toBe("unknown");
    expect(answer({ ...done({}), state: "running", findings: null })).toBeNull();
  });
  test("counts, notes and progress in words", () => {
    expect(counts(findings({}))).toContainEqual(["messages, least to most", "6 to 9"]);
    expect(counts(findings({}))).toContainEqual(["of these for the election", "3"]);
    expect(notes(findings({ broken_on_purpose: true, outside: ["it needs fifo links"] }))).toEqual([
      "A text taken literally, with its error in it.", "it needs fifo links",
    ]);
    const look = done({}, { state: "running", findings: null, seconds: 2.34, progress: { cases: 3, cases_total: 15, states: 1234, depth: 9 } });
    expect(progress(look, null)).toBe("1,234 states · depth 9 · case 3 of 15 · 2.3 s");
    expect(progress(look, 5000)).toBe("1,234 of about 5,000 states · depth 9 · case 3 of 15 · 2.3 s");
  });
});

/** An engine whose searches end at the third look. */
function searching(fail: Partial<Record<Verb, unknown>> = {}): Engine & { calls: string[] } {
  const looks = new Map<string, number>();
  const stopped = new Set<string>();
  const calls: string[] = [];
  let jobs = 0;
  return {
    calls,
    async call<V extends Verb>(verb: V, request: Verbs[V][0]): Promise<Verbs[V][1]> {
      const job = (request as { job?: string }).job ?? "";
      calls.push(job ? `${verb} ${job}` : verb);
      if (fail[verb]) throw fail[verb];
      if (verb === "check") return { job: `j${++jobs}`, command: "c", expected_states: null } as Verbs[V][1];
      if (verb === "stop") stopped.add(job);
      const count = (looks.get(job) ?? 0) + 1;
      looks.set(job, count);
      const state = stopped.has(job) ? "stopped" : count >= 3 ? "done" : "running";
      return { state, seconds: count, progress: null, findings: null, counterexample: false } as unknown as Verbs[V][1];
    },
  };
}
const request = { algorithm: "a", options: {} };
const soon = () => Promise.resolve();

describe("a search is followed", () => {
  test("until it is done", async () => {
    const told: Following[] = [];
    const engine = searching();
    await new Job(engine, (now) => told.push(now), soon).start(request);
    expect(told.map(({ look }) => look?.state ?? "-")).toEqual(["-", "-", "running", "running", "done"]);
  });
  test("a second one stops the first, and nothing of the first is told after that", async () => {
    const told: Following[] = [];
    const engine = searching();
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const job = new Job(engine, (now) => told.push(now), () => gate);
    const first = job.start(request);
    await new Promise((resolve) => setTimeout(resolve));
    const second = job.start({ algorithm: "b", options: {} });
    go();
    await Promise.all([first, second]);
    expect(engine.calls).toContain("stop j1");
    const fromSecond = told.slice(told.findIndex((now) => now.request.algorithm === "b"));
    expect(fromSecond.every((now) => now.request.algorithm === "b")).toBe(true);
    expect(fromSecond.at(-1)?.look?.state).toBe("done");
  });
  test("stop says that it was stopped", async () => {
    const told: Following[] = [];
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const job = new Job(searching(), (now) => told.push(now), () => gate);
    const going = job.start(request);
    await new Promise((resolve) => setTimeout(resolve));
    await job.stop();
    go();
    await going;
    expect(told.at(-1)?.look?.state).toBe("stopped");
  });
  test("an engine that is gone is told; what was seen stays; asking again follows the same search", async () => {
    const fail: Partial<Record<Verb, unknown>> = {};
    const engine = searching(fail);
    const told: Following[] = [];
    let waits = 0;
    const job = new Job(engine, (now) => told.push(now), async () => {
      waits += 1;
      if (waits === 1) fail.look = Object.assign(new Error("gone"), { code: "ringleader::gone" });
    });
    await job.start(request);
    expect(told.at(-1)).toMatchObject({ error: fail.look, look: { state: "running" } });
    delete fail.look;
    await job.resume();
    expect(told.at(-1)).toMatchObject({ error: null, look: { state: "done" }, started: { job: "j1" } });
  });
  test("leaving stops it", async () => {
    const engine = searching();
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const job = new Job(engine, () => {}, () => gate);
    const going = job.start(request);
    await new Promise((resolve) => setTimeout(resolve));
    await job.abandon();
    go();
    await going;
    expect(engine.calls.at(-1)).toBe("stop j1");
  });
});

test("a table of comma-separated values quotes what needs it", () => {
  expect(csv(["a", "b"], [["x,y", 1], ['say "n"', null]])).toBe('a,b\r\n"x,y",1\r\n"say ""n""",\r\n');
});

test("a table leaves out what no step changes, and says what it is", () => {
  const made = run(2, 1, { variables: ["id", "n", "state"], start: [["2", "2", "open"], ["1", "2", "open"]] });
  const events = [event(0, 0, { changes: [[2, "open", "leads"]] })];
  expect(columns({ run: made, loaded: 1, event: (step) => events[step] })).toEqual({
    moving: [2], still: [{ place: 0, words: "id: 2, 1" }, { place: 1, words: "n: 2 everywhere" }],
  });
});
