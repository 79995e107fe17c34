// The list of events.

import { expect, it } from "vitest";
import { fits, pageOf, ROWS } from "./events";
import { engineOf, event, run } from "./made";
import { Timeline } from "./timeline";

async function open(steps: number): Promise<Timeline> {
  const events = Array.from({ length: steps }, (_, step) => event(step, step % 40, { words: `p${step % 40} receives tid(${step})` }));
  const given = run(40, steps);
  const timeline = await Timeline.open(engineOf(given, events), { source: given.source, edits: [] });
  await timeline.load(steps);
  return timeline;
}

it("shows the page with the moment, or the page that was asked for", async () => {
  const timeline = await open(230);
  expect(pageOf(timeline, "", 0, null)).toMatchObject({ page: 0, pages: 5, total: 230 });
  expect(pageOf(timeline, "", ROWS, null).page).toBe(0);
  expect(pageOf(timeline, "", ROWS + 1, null).page).toBe(1);
  expect(pageOf(timeline, "", 0, 4).rows.map((row) => row.step)).toEqual(Array.from({ length: 30 }, (_, row) => 200 + row));
  expect(pageOf(timeline, "", 0, 99).page).toBe(4);
});

it("finds events, and p3 is not p30", async () => {
  const timeline = await open(230);
  expect(pageOf(timeline, "p3 receives", 0, null).rows.map((row) => row.process)).toEqual([3, 3, 3, 3, 3, 3]);
  expect(pageOf(timeline, "tid(229)", 0, null).total).toBe(1);
  expect(pageOf(timeline, "nothing such", 0, null)).toMatchObject({ total: 0, rows: [], pages: 1 });
  expect(fits(event(4, 1, { rules: ["R2"], outcome: "leads" }), ["r2", "leads"])).toBe(true);
});
