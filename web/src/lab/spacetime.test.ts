// What the space-time diagram shows.

import { describe, expect, it } from "vitest";
import { engineOf, event, run, sent } from "./made";
import { BUDGET, PAINTED, view, windowAround } from "./spacetime";
import { Timeline } from "./timeline";

async function open(events: ReturnType<typeof event>[], n = 3): Promise<Timeline> {
  const given = run(n, events.length);
  const timeline = await Timeline.open(engineOf(given, events), { source: given.source, edits: [] });
  await timeline.load(events.length);
  return timeline;
}

describe("the diagram", () => {
  it("has a mark for each step and a line for each message, with what became of it", async () => {
    const timeline = await open([
      event(0, 0, { sends: [sent(0, 1), sent(1, 2, { fate: "lost" }), sent(2, 2), sent(3, 1)] }),
      event(1, 1, { input: { kind: "deliver", messages: [0], missed: false }, outcome: "lost" }),
      event(2, 2, { input: { kind: "lose", messages: [2] } }),
      event(3, 2, { input: { kind: "crash" } }),
    ]);
    const { marks, lines, cut } = view(timeline, 0, 10);
    expect(marks.map((mark) => mark.shape)).toEqual(["start", "decision", "network", "cross"]);
    expect(lines.map(({ how, start, end }) => [how, start, end])).toEqual([["arrives", 0, 1], ["lost", 0, 0], ["lost", 0, 2], ["open", 0, 4]]);
    expect(cut).toBe(0);
  });

  it("shows messages that come from above or go on below the window", async () => {
    const timeline = await open([
      event(0, 0, { sends: [sent(0, 1)] }), event(1, 0), event(2, 0),
      event(3, 1, { input: { kind: "deliver", messages: [0], missed: false } }), event(4, 0),
    ]);
    expect(view(timeline, 1, 2).lines).toMatchObject([{ start: 0, end: 3, how: "arrives" }]);
    expect(view(timeline, 4, 1).lines).toEqual([]);
  });

  it("draws no more than it may, and counts the rest", async () => {
    const many = (length: number) => open([event(0, 0, { sends: Array.from({ length }, (_, message) => sent(message, 1)) })]);
    const { marks, lines, painted, cut } = view(await many(5000), 0, 10);
    expect(marks.length + lines.length).toBe(BUDGET);
    expect(painted).toHaveLength(PAINTED);
    expect(lines.length + painted.length + cut).toBe(5000);
    expect(view(await many(500), 0, 10)).toMatchObject({ painted: [], cut: 0 });
  });
});

it("moves its window only when the moment leaves it", () => {
  expect(windowAround(0, 40, 200, null)).toBe(0);
  expect(windowAround(20, 40, 200, 0)).toBe(0);
  expect(windowAround(33, 40, 200, 0)).toBe(17);
  expect(windowAround(200, 40, 200, 17)).toBe(160);
  expect(windowAround(5, 40, 30, 3)).toBe(0);
  expect(windowAround(17, 40, 200, 17)).toBe(1);
});

it("has rounds as bands where time goes in rounds, and hollow marks for who has not decided", async () => {
  const events = [event(0, 0, { time: "0" }), event(1, 1, { time: "0" }), event(2, 2, { time: "1", standing: "leads", outcome: "leads" })];
  const rounds = await Timeline.open(engineOf(run(3, 3), events), { source: run(3, 3).source, edits: [] });
  const seen = view(rounds, 0, 10);
  expect(seen.bands).toEqual([{ from: 0, to: 2, time: "0" }, { from: 2, to: 3, time: "1" }]);
  expect(seen.marks.map(({ open }) => open)).toEqual([true, true, false]);
  const other = await Timeline.open(engineOf(run(3, 3, { schedule: "random" }), events), { source: run(3, 3).source, edits: [] });
  expect(view(other, 0, 10).bands).toEqual([]);
});
