// The bound meter.

import { expect, it } from "vitest";
import type { Report } from "../engine/types";
import { meter } from "./meter";

const report = (more: Partial<Report> = {}): Report => ({
  schema: "ringleader.run/1", algorithm: "made", nodes: 8, outcome: "elected", messages: { total: 0, by_kind: {} },
  bound: { formula: "n(n+1)/2", value: 36, holds: true, counts: "election" } as Report["bound"], average: { formula: "n·H(n)", value: 21.7 }, ...more,
});

it("is calm, then near, then beyond", () => {
  expect([10, 32, 33, 36, 37].map((sent) => meter(report(), 99, sent).level)).toEqual(["fine", "fine", "near", "near", "beyond"]);
});

it("counts what the bound counts", () => {
  expect(meter(report(), 27, 19)).toMatchObject({ counted: 19, what: "election messages" });
  expect(meter(report({ bound: { formula: "3(n-1)", counts: "all", value: 21, holds: true } }), 20, 0)).toMatchObject({ counted: 20, what: "messages" });
});

it("has a scale that holds everything, even what is beyond the bound", () => {
  expect(meter(report(), 0, 72)).toMatchObject({ share: 1, worstShare: 0.5 });
  expect(meter(report({ bound: null, average: null }), 5, 5)).toMatchObject({ worst: null, level: "fine", worstShare: null });
});
