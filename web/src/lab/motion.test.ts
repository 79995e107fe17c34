import { describe, expect, it } from "vitest";
import { motion, sign } from "./motion";

describe("a step is seen to happen", () => {
  it("for three fifths of its time", () => {
    expect(motion(3, 4, 2, false)).toBe(300);
    expect(motion(3, 4, 0.25, false)).toBe(2400);
  });

  it("at once if one jumps, goes back, plays fast, or wants nothing to move", () => {
    expect([motion(null, 1, 2, false), motion(3, 5, 2, false), motion(3, 2, 2, false), motion(3, 4, 12, false), motion(3, 4, 2, true)]).toEqual([0, 0, 0, 0, 0]);
  });

  it("and its rule says what came of it", () => {
    expect([sign(null, 0, 0), sign(null, 0, 1), sign(null, 2, 1), sign("leads", 1, 1), sign("lost", 0, 0)]).toEqual(["✕", "✓", "→", "★", "✓"]);
  });
});
