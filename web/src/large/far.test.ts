import { describe, expect, it } from "vitest";
import type { Overview } from "../engine";
import { between, colours, columnRange, formatZoom, frameAt, parseZoom, rowRange, series, shade } from "./far";

const overview: Overview = {
  nodes: [100, 110],
  steps: [0, 7],
  columns: 4,
  rows: 2,
  received: [0, 1, 2, 3, 4, 5, 6, 7],
  roles: ["candidate", "relay"],
  frames: [
    { step: 4, time: "1", messages: 9, transit: 3, roles: [[2, 2, 2, 2], [1, 0, 1, 0]], alone: [] },
    { step: 7, time: "2", messages: 12, transit: 0, roles: [[0, 0, 1, 0], [3, 2, 2, 2]], alone: [{ process: 105, id: 7, role: "candidate" }] },
  ],
};

describe("a run from far away", () => {
  it("has a zoom that is written as it is read", () => {
    for (const text of ["nodes:100-300,steps:0-5000", "nodes:0-5", "steps:7-9", ""]) expect(formatZoom(parseZoom(text))).toBe(text);
    for (const nonsense of [null, "nodes", "nodes:9-3", "steps:x-y", "nodes:-1-3"]) expect(parseZoom(nonsense)).toEqual({ nodes: null, steps: null });
  });

  it("gives every process and step to one cell", () => {
    const columns = [0, 1, 2, 3].map((column) => columnRange(overview, column));
    expect(columns).toEqual([[100, 103], [103, 105], [105, 108], [108, 110]]);
    expect([rowRange(overview, 0), rowRange(overview, 1)]).toEqual([[0, 4], [4, 7]]);
    expect(between(overview, [2, 1], [1, 0])).toEqual({ nodes: [103, 108], steps: [0, 7] });
  });

  it("adds up its columns and finds the frame of a step", () => {
    expect(series(overview).map((point) => point.totals)).toEqual([[8, 2], [1, 9]]);
    expect([0, 3, 4, 6, 7, 99].map((step) => frameAt(overview, step))).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it("is white where nothing came and full where most came", () => {
    expect([shade(0, 9), shade(9, 9), shade(0, 0)]).toEqual([0, 1, 0]);
    expect(shade(1, 1000)).toBeGreaterThan(0.05);
  });

  it("tells roles apart", () => {
    const words = ["wait1", "wait2", "relay", "leader", "done", "asleep"];
    expect(new Set(colours(words)).size).toBe(words.length);
  });
});
