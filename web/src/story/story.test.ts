// Where one is in a story, what is beside, how fast it plays, and that each run is asked for once.

import { describe, expect, test } from "vitest";
import type { Story } from "../engine";
import { engineOf, event, run } from "../lab/made";
import { boundedOf, costOf, messagesOf } from "./cost";
import { effectsOf } from "./event";
import { besideAt, guess, outside, pace, pieces, read, requests, slideAt, write, type StoryStep } from "./place";
import { Runs } from "./runs";

const source = { kind: "run" as const, algorithm: "made", options: {} };
const step = (more: Partial<StoryStep> = {}): StoryStep => ({
  caption: "", source, edits: [], at: null, from: null, select: null, question: null, answer: null, beside: null, click: null, rule: null, ...more,
});
const story = (count: number): Story => ({ name: "s", title: "S", minutes: 2, summary: "", steps: Array.from({ length: count }, () => step()) });

describe("the place is in the address", () => {
  test("both ways; the address counts from 1", () => {
    const place = { name: "fifo", step: 2, at: 7, answered: true, teaching: true, embedded: true };
    expect(write(place).toString()).toBe("name=fifo&s=3&at=7&answer=1&t=1&embed=1");
    expect(read(write(place))).toEqual(place);
    expect(read(new URLSearchParams("name=fifo"))).toEqual({ name: "fifo", step: 0, at: null, answered: false, teaching: false, embedded: false });
  });
  test.each([
    ["3", null],
    [null, null],
    ["9", "This story has 3 steps; the address asks for step 9. This is the last one."],
    ["0", "This story has 3 steps; the address asks for step 0. This is the first one."],
    ["x", "The address asks for step “x”; steps are numbers from 1 to 3. This is step 1."],
  ])("a step %s that is not there is a sentence", (asked, words) => {
    const query = new URLSearchParams(asked === null ? "" : { s: asked });
    expect(outside(read(query), story(3), asked)).toBe(words);
  });
});

test("what a step shows: one run, or two", () => {
  expect(requests(step({ edits: ["1.drop.0"] }))).toEqual([{ source, edits: ["1.drop.0"] }]);
  expect(requests(step({ beside: { source, edits: [] } }))).toHaveLength(2);
});

test("the run beside stands after as many steps; at the end of one both are at their end", () => {
  expect(besideAt(step({ at: 12 }), 12, 40, 30)).toBe(12);
  expect(besideAt(step({ at: 35 }), 35, 40, 30)).toBe(30);
  expect(besideAt(step(), 40, 40, 30)).toBe(30);
  expect(besideAt(step(), 20, 40, 30)).toBe(15);
  expect(besideAt(step(), 0, 0, 30)).toBe(30);
});

test.each([0, 1, 8, 30, 200, 5000, 50_000])("%i steps play neither too fast to see nor too long", (steps) => {
  const { wait, stride } = pace(steps);
  expect(wait).toBeGreaterThanOrEqual(80);
  expect(wait).toBeLessThanOrEqual(800);
  expect((steps / stride) * wait).toBeLessThanOrEqual(15_100);
});

test("what stands between backquotes is code", () => {
  expect(pieces("p0 sends `tid(7)` on")).toEqual([
    { text: "p0 sends ", code: false }, { text: "tid(7)", code: true }, { text: " on", code: false },
  ]);
  expect(pieces("a ` alone")).toEqual([{ text: "a ` alone", code: false }]);
});

test("a run is asked for once, and again only if it failed", async () => {
  const good = engineOf(run(2, 2), [event(0, 0), event(1, 1)]);
  let opened = 0;
  let fail = true;
  const runs = new Runs({
    call: (verb, request, signal) => {
      if (verb === "open") {
        opened += 1;
        if (fail) return Promise.reject(new Error("gone"));
      }
      return good.call(verb, request, signal);
    },
  });
  await expect(runs.open({ source, edits: [] })).rejects.toThrow("gone");
  fail = false;
  const first = await runs.open({ source, edits: [] });
  expect(await runs.open({ source, edits: [] })).toBe(first);
  expect(opened).toBe(2);
  expect(first.loaded).toBe(2);
});

test("what a run cost, as the report of the command line says it", () => {
  const report = run(2, 0).report;
  expect(messagesOf({ ...report, messages: { total: 9, by_kind: {} } })).toBe(9);
  const bound = { formula: "n", value: 4, holds: true };
  expect(boundedOf({ ...report, bound: { ...bound, counts: "election" } }, 9, 5)).toBe(5);
  expect(boundedOf({ ...report, bound: { ...bound, counts: "all" } }, 9, 5)).toBe(9);
});

test("an event and what it led to are one sentence", () => {
  expect(effectsOf(event(0, 0, { effects: "sends tid(7) to p4 → LEADS" }))).toBe(" — sends tid(7) to p4 → LEADS");
  expect(effectsOf(event(0, 0, { effects: "→ LEADS" }))).toBe(" → LEADS");
  expect(effectsOf(event(0, 0))).toBe("");
});

test("a bound stands beside the messages that it counts; without any there is nothing to exceed", () => {
  const with_ = (bound: object | null) => ({ report: { ...run(2, 0).report, bound } as ReturnType<typeof run>["report"], small: true });
  const now = { messages: 44, electionMessages: 36 };
  expect(costOf(with_({ formula: "n²", counts: "election", value: 36, holds: true }), now)).toEqual({
    words: "44 messages so far, 36 without announcements", bound: "at worst n² = 36", exceeded: false,
  });
  expect(costOf(with_({ formula: "n²", counts: "election", value: 35, holds: true }), now).exceeded).toBe(true);
  const none = { messages: 0, electionMessages: 0 };
  expect(costOf(with_({ formula: "6(K-1) per entry", counts: "all", value: 0, holds: false }), none)).toEqual({
    words: "0 messages so far", bound: "at worst 6(K-1) per entry: –", exceeded: false,
  });
  expect(costOf(with_(null), now)).toEqual({ words: "44 messages so far", bound: null, exceeded: false });
});

test("a question is answered by a click on a process, or on a rule", () => {
  const asked = step({ click: 3, rule: "swallow" });
  expect(guess(asked, { process: 3 })).toEqual({ right: true, words: "Yes, p3." });
  expect(guess(asked, { process: 0 })?.right).toBe(false);
  expect(guess(asked, { rule: "swallow" })?.right).toBe(true);
  expect(guess(asked, { rule: "pass on" })?.words).toMatch(/^Not “pass on”/);
  expect(guess(step(), { process: 3 })).toBeNull();
  expect(guess(step(), { rule: "swallow" })).toBeNull();
});

test("the slide that is read is the last one that has come up to the line", () => {
  expect([-5, 0, 90, 100, 500].map((line) => slideAt([0, 100, 200], line))).toEqual([0, 0, 0, 1, 2]);
  expect(slideAt([-300, -200, 40], 50)).toBe(2);
});
