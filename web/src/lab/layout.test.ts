// Where processes are drawn: nobody on top of another, everybody within the picture.

import { describe, expect, it } from "vitest";
import { along, isTree, layout, once } from "./layout";

const ring = (n: number) => Array.from({ length: n }, (_, a) => [a, (a + 1) % n] as [number, number]);
const star = (n: number) => Array.from({ length: n - 1 }, (_, a) => [0, a + 1] as [number, number]);
const path = (n: number) => Array.from({ length: n - 1 }, (_, a) => [a, a + 1] as [number, number]);
const heap = (n: number) => Array.from({ length: n - 1 }, (_, a) => [Math.floor(a / 2), a + 1] as [number, number]);

describe("a layout", () => {
  for (const [name, edges, directed] of [
    ["ring", ring, true], ["two-way ring", ring, false], ["star", star, false], ["line", path, false], ["binary tree", heap, false],
  ] as const) {
    for (const n of [1, 2, 3, 8, 24, 25, 200]) {
      it(`has room for ${n} on a ${name}`, () => {
        const { nodes, width, height, radius } = layout({ n, edges: edges(n), directed });
        expect(nodes).toHaveLength(n);
        for (const { x, y } of nodes) {
          expect(x).toBeGreaterThanOrEqual(radius);
          expect(x).toBeLessThanOrEqual(width - radius);
          expect(y).toBeGreaterThanOrEqual(radius);
          expect(y).toBeLessThanOrEqual(height - radius);
        }
        expect(new Set(nodes.map(({ x, y }) => `${x.toFixed(2)},${y.toFixed(2)}`)).size).toBe(n);
      });
    }
  }

  it("tells a tree from a ring", () => {
    expect(isTree({ n: 4, edges: path(4), directed: false })).toBe(true);
    expect(isTree({ n: 4, edges: ring(4), directed: false })).toBe(false);
    expect(isTree({ n: 4, edges: [[0, 1], [1, 2], [2, 0]], directed: false })).toBe(false);
  });

  it("draws a link once, and all of them only while they can be told apart", () => {
    expect(once([[0, 1], [1, 0], [1, 2]], false)).toEqual([[0, 1], [1, 2]]);
    const all = Array.from({ length: 40 }, (_, a) => Array.from({ length: 40 }, (_, b) => [a, b] as [number, number])).flat();
    expect(layout({ n: 40, edges: all.filter(([a, b]) => a < b), directed: false }).links).toEqual([]);
  });
});

it("puts the message that waits longest nearest to its goal", () => {
  const places = [0, 1, 2].map((ahead) => along({ x: 0, y: 0 }, { x: 100, y: 0 }, ahead, 3, 10, 0).x);
  expect(places).toEqual([...places].sort((a, b) => b - a));
  expect(Math.min(...places)).toBeGreaterThan(10);
});
