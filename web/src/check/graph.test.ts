import { describe, expect, test } from "vitest";
import { along, drawn } from "./graph";

const graph = {
  depths: [0, 1, 1, 2, 2],
  steps: [[0, 1], [0, 2], [1, 4], [2, 3], [3, 0], [4, 4]] as [number, number][],
  ends: [],
  way: [0, 2, 3],
};

describe("a graph of states", () => {
  test("has a column for each number of steps, and no two states in one place", () => {
    const { places, width, height } = drawn(graph);
    expect(places.map(({ x }) => x)).toEqual([14, 58, 58, 102, 102]);
    expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(5);
    for (const { x, y } of places) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(width);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(height);
    }
  });

  test("puts states beside those that lead to them", () => {
    const { places } = drawn(graph);
    const [, one, two, three, four] = places;
    expect(Math.sign((one?.y ?? 0) - (two?.y ?? 0))).toBe(Math.sign((four?.y ?? 0) - (three?.y ?? 0)));
  });

  test("draws one line for each step of the way", () => {
    const { places } = drawn(graph);
    expect(along(graph, places).match(/M/g)?.length).toBe(2);
    expect(along({ ...graph, way: [] }, places)).toBe("");
  });
});
