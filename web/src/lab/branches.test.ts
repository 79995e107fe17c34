// Edits and branches: what an edit of the past keeps, and that nothing is lost.

import { describe, expect, it } from "vitest";
import { branchName, difference, editWords, first, fork, formatForks, parseForks, parts, withBranch } from "./branches";
import { engineOf, event, run } from "./made";
import { Timeline } from "./timeline";

describe("an edit", () => {
  it("is taken apart", () => {
    expect(parts("12.drop.3")).toEqual({ step: 12, action: "drop", what: 3, extra: null });
    expect(parts("12.delay.3.10")).toEqual({ step: 12, action: "delay", what: 3, extra: 10 });
    for (const nonsense of ["", "drop", "12.drop", "x.drop.3", "12.drop.3.4.5", "12.DROP.3"]) expect(parts(nonsense)).toBeNull();
  });

  it("is said in words", () => {
    expect(editWords("12.drop.3")).toBe("before step 13: drop message 3");
    expect(editWords("40.crash.2")).toBe("before step 41: crash p2");
    expect(editWords("1.delay.0.10")).toBe("before step 2: delay message 0 by 10 steps");
    expect(editWords("what?")).toBe("what?");
  });
});

describe("branches in an address", () => {
  it("come back as they were, with what each begins with", () => {
    const text = "4.drop.3|4.drop.3;7.crash.1";
    const { branches, current } = first(["9.drop.1"], parseForks(text));
    expect([current, branches.map(({ parent }) => parent)]).toEqual([3, [null, 0, 1, 0]]);
    expect(formatForks(branches.slice(0, 3))).toBe(text);
    expect(parseForks("nonsense|;")).toEqual([]);
  });
});

describe("a branch", () => {
  it("keeps the edits up to the moment at which it begins, and no later ones", () => {
    expect(fork([], 5, "5.drop.1")).toEqual(["5.drop.1"]);
    expect(fork(["2.drop.0", "5.crash.1", "9.drop.7"], 5, "5.drop.1")).toEqual(["2.drop.0", "5.crash.1", "5.drop.1"]);
  });

  it("is added, and never takes another away", () => {
    let { branches, current } = first([]);
    ({ branches, current } = withBranch(branches, ["5.drop.1"], current));
    expect([branches.length, current]).toEqual([2, 1]);
    ({ branches, current } = withBranch(branches, ["5.drop.1", "8.crash.2"], current));
    expect([branches.length, current]).toEqual([3, 2]);
    ({ branches, current } = withBranch(branches, ["5.drop.1"], 0));
    expect([branches.length, current]).toEqual([3, 1]);
    expect(branches.map((_, place) => branchName(branches, place))).toEqual(["main", "fork 1 (drop)", "fork 2 (crash)"]);
  });

  it("comes back from an address", () => {
    const { branches, current } = first(["5.drop.1", "8.crash.2"]);
    expect(current).toBe(1);
    expect(branchName(branches, 1)).toBe("fork 1 (drop, crash)");
    expect(branches[1]?.differs).toBe(5);
  });

  it("parts from its parent at the first step that differs", async () => {
    const open = (processes: number[]) => {
      const given = run(3, processes.length);
      return Timeline.open(engineOf(given, processes.map((process, step) => event(step, process))), { source: given.source, edits: [] });
    };
    const main = await open([0, 1, 2, 0]);
    expect(difference(main, await open([0, 1, 2, 0]))).toBeNull();
    expect(difference(main, await open([0, 1, 0, 2]))).toBe(2);
    expect(difference(main, await open([0, 1]))).toBe(2);
  });
});
