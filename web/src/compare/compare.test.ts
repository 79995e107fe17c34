// Several runs under one slider, and how a comparison stands in the address.

import { describe, expect, test } from "vitest";
import { cell, measured, read, USUAL, write } from "./form";
import { lanes, odometer } from "./lanes";
import { extent, next, SHARES, standing, track, type By } from "./sync";

const short = track([0, 1, 2]);
const long = track([0, 0, 1, 1, 3, 2, 4, 5]);

describe("one slider", () => {
  test("by share all begin and end together", () => {
    expect([0, 500, SHARES].map((at) => [short, long].map((one) => standing("share", at, one)))).toEqual([[0, 0], [2, 4], [3, 8]]);
  });
  test("by step each has taken as many, or all it has", () => {
    expect([0, 2, 8].map((at) => [short, long].map((one) => standing("step", at, one)))).toEqual([[0, 0], [2, 2], [3, 8]]);
  });
  test("by depth each stands before its first chain of that length", () => {
    expect([0, 1, 2, 4, 6].map((at) => [short, long].map((one) => standing("depth", at, one)))).toEqual([
      [0, 0], [1, 2], [2, 4], [3, 6], [3, 8],
    ]);
  });
  test.each<By>(["share", "step", "depth"])("by %s: the last place is the end of all, and steps lead there and back", (by) => {
    const tracks = [short, long];
    const last = extent(by, tracks);
    expect(tracks.map((one) => standing(by, last, one))).toEqual([3, 8]);
    let at = 0;
    const seen = new Set([0]);
    while (at < last) {
      const then = next(by, at, tracks, 1);
      expect(then).toBeGreaterThan(at);
      at = then;
      seen.add(standing(by, at, long));
    }
    if (by !== "depth") expect(seen.size).toBe(9);
    while (at > 0) {
      const then = next(by, at, tracks, -1);
      expect(then).toBeLessThan(at);
      at = then;
    }
  });
  test("runs longer than the slider has places still go on and come back", () => {
    const tracks = [track(Array.from({ length: 5000 }, () => 0))];
    expect(next("share", 0, tracks, 1)).toBeGreaterThan(0);
    expect(next("share", SHARES, tracks, -1)).toBeLessThan(SHARES);
  });
  test("nothing to show is no place to go", () => {
    for (const by of ["share", "step", "depth"] as const) expect([extent(by, []), extent(by, [track([])])]).toEqual([0, 0]);
    expect(standing("share", 500, track([]))).toBe(0);
  });
});

describe("the address", () => {
  test("both ways", () => {
    const comparison = {
      algorithms: ["franklin", "peterson", "le-lann"], options: { nodes: "12", ids: "worst", seed: "3", unsound: true as const },
      by: "depth" as const, at: 4, sizes: "8,16", runs: "2", plot: true,
    };
    expect(read(write(comparison))).toEqual({ comparison, complaints: [] });
    expect(read(write({ ...comparison, at: null })).comparison.at).toBeNull();
  });
  test("nothing said is the usual pair, always with a seed", () => {
    expect(read(new URLSearchParams())).toEqual({ comparison: USUAL, complaints: [] });
    expect(read(new URLSearchParams("x=a,b&nodes=5")).comparison.options).toMatchObject({ nodes: "5", seed: "7" });
  });
  test.each([
    ["x=a", /fewer than two/],
    ["x=a,b,c,d,e", /left out: e\./],
    ["x=a,b&by=moon", /“moon”/],
    ["x=a,b&at=-3", /“-3”/],
  ])("%s is said", (query, words) => {
    expect(read(new URLSearchParams(query)).complaints).toEqual([expect.stringMatching(words)]);
  });
});

test("the measurement takes the options of the runs, at its own sizes", () => {
  const options = { nodes: "16", ids: "3,7,4", seed: "7", links: "fifo" };
  expect(measured({ ...USUAL, options })).toEqual({ seed: "7", links: "fifo", sizes: "8..256", runs: "5" });
  expect(measured({ ...USUAL, options: { ids: "worst" } })).toMatchObject({ ids: "worst" });
});

test("a race: lanes as long as the runs, and a place when all are home", () => {
  const runners = [{ name: "a", step: 10, steps: 40, messages: 9 }, { name: "b", step: 10, steps: 10, messages: 7 }];
  expect(lanes(runners).map(({ length, at, place }) => [length, at, place])).toEqual([[1, 0.25, null], [0.25, 0.25, null]]);
  const home = runners.map((one) => ({ ...one, step: one.steps }));
  expect(lanes(home).map(({ place }) => place)).toEqual([2, 1]);
  expect(lanes([])).toEqual([]);
  expect([odometer(7, 42), odometer(7, 12345)]).toEqual(["007", "00007"]);
});

test("numbers of the table", () => {
  expect([null, "x", 12345, 3.14159265].map(cell)).toEqual(["–", "x", "12,345", "3.1416"]);
});
