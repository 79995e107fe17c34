// Walking through runs: forwards, backwards and by jumps the same things are true.

import { describe, expect, it } from "vitest";
import type { Run, RunEvent } from "../engine/types";
import { engineOf, event, run, sent } from "./made";
import { Timeline } from "./timeline";

async function open(given: Run, events: RunEvent[]): Promise<Timeline> {
  const timeline = await Timeline.open(engineOf(given, events), { source: given.source, edits: [] });
  await timeline.load(given.steps);
  return timeline;
}

/** Two messages on one link, one doubled, one lost at once, one lost on the way, one missed. */
const rough: RunEvent[] = [
  event(0, 0, { sends: [sent(0, 1), sent(1, 1, { announces: true }), sent(2, 1, { fate: "doubled" })] }),
  event(1, 2, { sends: [sent(4, 0, { fate: "lost" }), sent(5, 0)] }),
  event(2, 1, {
    input: { kind: "deliver", messages: [0], missed: false }, changes: [[0, "candidate", "relay"]], standing: "lost",
    properties: [[0, true, true]], causes: [0], depth: 1,
  }),
  event(3, 1, { input: { kind: "double", messages: [1] }, standing: "lost", causes: [0] }),
  event(4, 0, { input: { kind: "lose", messages: [5] }, causes: [1] }),
  event(5, 1, { input: { kind: "crash" }, standing: "down", causes: [2] }),
  event(6, 1, { input: { kind: "deliver", messages: [1], missed: true }, standing: "down", causes: [0] }),
  event(7, 1, {
    input: { kind: "recover" }, standing: "lost", causes: [5], sends: [sent(7, 2)], properties: [[0, false, false]],
  }),
];

const numbers = (timeline: Timeline, step: number) => timeline.at(step).transit.map((one) => [one.message, one.ahead]);

describe("a run with everything that can happen to a message", () => {
  it("has on its way what was sent and has not arrived, with the order on each link", async () => {
    const timeline = await open(run(3, 8), rough);
    expect(numbers(timeline, 0)).toEqual([]);
    expect(numbers(timeline, 1)).toEqual([[0, 0], [1, 1], [2, 2], [3, 3]]);
    expect(timeline.at(1).transit[3]).toMatchObject({ copy: true, text: "tid(2)", from: 0, to: 1, sentAt: 0 });
    expect(numbers(timeline, 2)).toEqual([[0, 0], [1, 1], [2, 2], [3, 3], [5, 0]]);
    expect(numbers(timeline, 3)).toEqual([[1, 0], [2, 1], [3, 2], [5, 0]]);
    expect(numbers(timeline, 4)).toEqual([[1, 0], [2, 1], [3, 2], [5, 0], [6, 3]]);
    expect(numbers(timeline, 5)).toEqual([[1, 0], [2, 1], [3, 2], [6, 3]]);
    expect(numbers(timeline, 7)).toEqual([[2, 0], [3, 1], [6, 2]]);
    expect(numbers(timeline, 8)).toEqual([[2, 0], [3, 1], [6, 2], [7, 0]]);
  });

  it("knows what became of each message", async () => {
    const timeline = await open(run(3, 8), rough);
    expect(timeline.passages.map((one) => one.end?.how ?? "under way")).toEqual([
      "arrived", "missed", "under way", "under way", "lost-at-once", "lost", "under way", "under way",
    ]);
    expect(timeline.passages[6]).toMatchObject({ copy: true, doubledAt: 3, sentAt: 0 });
  });

  it("shows what a step changed, and only after that step", async () => {
    const timeline = await open(run(3, 8), rough);
    expect([...(timeline.at(3).processes[1]?.changed ?? [])]).toEqual([[0, "candidate"]]);
    expect(timeline.at(3).processes[1]?.variables).toEqual(["relay", "2"]);
    expect(timeline.at(4).processes[1]?.changed.size).toBe(0);
    expect(timeline.at(2).processes[1]?.variables).toEqual(["candidate", "2"]);
  });

  it("counts messages, with and without announcements; a copy is not one more", async () => {
    const timeline = await open(run(3, 8), rough);
    expect([timeline.at(2).messages, timeline.at(2).electionMessages]).toEqual([5, 4]);
    expect([timeline.at(8).messages, timeline.at(8).electionMessages]).toEqual([6, 5]);
  });

  it("says who is down, and which properties hold here and held so far", async () => {
    const timeline = await open(run(3, 8), rough);
    expect(timeline.at(6).processes[1]).toMatchObject({ down: true, standing: "down" });
    expect(timeline.at(8).processes[1]).toMatchObject({ down: false, standing: "lost" });
    expect([timeline.at(2).here, timeline.at(2).soFar]).toEqual([[null], [true]]);
    expect([timeline.at(8).here, timeline.at(8).soFar]).toEqual([[false], [false]]);
    expect([timeline.at(7).here, timeline.at(7).soFar]).toEqual([[true], [true]]);
  });

  it("decides at the end what is decided there", async () => {
    const end = { name: "exactly one leader", kind: "end" as const, holds: false, detail: "0 lead", violated_at: null };
    const timeline = await open(run(3, 8, { properties: [...run(3, 8).properties, end] }), rough);
    expect([timeline.at(7).here[1], timeline.at(7).soFar[1]]).toEqual([null, true]);
    expect([timeline.at(8).here[1], timeline.at(8).soFar[1]]).toEqual([false, false]);
    expect([timeline.at(6).here[1], timeline.at(6).soFar[1]]).toEqual([null, true]);
  });

  it("is the same backwards as forwards", async () => {
    const there = await open(run(3, 8), rough);
    const forwards = Array.from({ length: 9 }, (_, step) => structuredClone(there.at(step)));
    for (let step = 8; step >= 0; step -= 1) expect(there.at(step)).toEqual(forwards[step]);
  });

  it("leaves what a step does not touch as it was, so that nothing else is drawn again", async () => {
    const timeline = await open(run(3, 8), rough);
    const before = timeline.at(2);
    const after = timeline.at(3);
    expect(after.processes[0]).toBe(before.processes[0]);
    expect(after.processes[1]).not.toBe(before.processes[1]);
    expect(after.transit.find((one) => one.message === 5)).toBe(before.transit.find((one) => one.message === 5));
  });

  it("finds the causal past and the longest chain", async () => {
    const timeline = await open(run(3, 8), rough);
    expect([...timeline.past(7)].sort()).toEqual([0, 2, 5, 7]);
    expect(timeline.longestChain()).toEqual([0, 2]);
  });
});

/** A token goes round and round. */
function token(n: number, steps: number): RunEvent[] {
  return Array.from({ length: steps }, (_, step) =>
    event(step, step % n, {
      input: step === 0 ? { kind: "start" } : { kind: "deliver", messages: [step - 1], missed: false },
      sends: [sent(step, (step + 1) % n)], changes: [[1, String(step - n), String(step)]],
      causes: step === 0 ? [] : [step - 1], depth: step,
    }),
  );
}

describe("a long run", () => {
  it("is fetched in pages, and only as far as it is wanted", async () => {
    const given = run(5, 1800);
    const engine = engineOf(given, token(5, 1800));
    const timeline = await Timeline.open(engine, { source: given.source, edits: [] });
    expect(timeline.loaded).toBe(500);
    expect(timeline.at(1700).step).toBe(500);
    await Promise.all([timeline.load(1100), timeline.load(900), timeline.load(1101)]);
    expect(engine.pages).toEqual([[0, 500], [500, 1000], [1000, 1500]]);
    expect(timeline.loaded).toBe(1500);
    expect(timeline.event(1499)?.step).toBe(1499);
    expect(timeline.event(1500)).toBeUndefined();
  });

  it("can be jumped through", async () => {
    const timeline = await open(run(5, 1800), token(5, 1800));
    const fresh = await open(run(5, 1800), token(5, 1800));
    for (const step of [1800, 3, 700, 699, 256, 255, 1023, 1025, 512, 0, 1799]) {
      const moment = timeline.at(step);
      expect(moment.step).toBe(step);
      expect(moment.transit.map((one) => one.message)).toEqual(step === 0 ? [] : [step - 1]);
      expect(moment).toEqual(fresh.at(step));
    }
  });

  it("says so when the engine gives fewer events than it promised", async () => {
    const given = run(5, 700);
    const timeline = await Timeline.open(engineOf(given, token(5, 500)), { source: given.source, edits: [] });
    await expect(timeline.load(700)).rejects.toThrow("no events from step 500");
    expect(timeline.at(500).step).toBe(500);
  });
});
