// The first screen: what it asks, what it says, which algorithms stand together.

import { describe, expect, test } from "vitest";
import { event, run } from "../lab/made";
import { families } from "./families";
import { pause, PLAY_MS, ring, ruleOf, sentence, SIZE } from "./ring";

describe("the ring of six", () => {
  const made = run(SIZE, 3, { ids: [4, 2, 6, 1, 5, 3] });
  const at = (step: number, leader: number | null) => ({
    step,
    event: step === 0 ? undefined : event(step, 0, { words: "p0 receives election(3) from p5", rules: ["swallow"] }),
    processes: made.start.map((variables, index) => ({
      variables, changed: new Map<number, string>(), standing: index === leader ? ("leads" as const) : ("open" as const), down: false,
    })),
  });
  test("asks for a run whose identities the seed draws", () => {
    expect(ring(7)).toEqual({
      source: { kind: "run", algorithm: "chang-roberts", options: { nodes: "6", ids: "random", seed: "7" } }, edits: [],
    });
  });
  test.each([1, 18, 40])("%i steps take ten seconds", (steps) => {
    expect(Math.abs(pause(steps) * steps - PLAY_MS)).toBeLessThan(steps);
  });
  test("asks, tells, and says who was right", () => {
    expect(sentence(made, at(0, null), null)).toBe("Who becomes leader? Click one.");
    expect(sentence(made, at(0, null), 1)).toBe("You say p1. Watch.");
    expect(sentence(made, at(1, null), 1)).toBe("p0 receives election(3) from p5");
    expect(sentence(made, at(3, 2), 2)).toBe("p2 leads: 6 is the largest identity, and nobody swallowed it. You were right.");
    expect(sentence(made, at(3, 2), 1)).toBe("p2 leads: 6 is the largest identity, and nobody swallowed it. Yours, 2, was swallowed on its way.");
  });
  test("names the rule that fired", () => {
    expect(ruleOf(undefined)).toBe("");
    expect(ruleOf(event(1, 0, { rules: ["swallow"] }))).toBe("swallow ✕");
    expect(ruleOf(event(1, 0, { rules: ["pass on"] }))).toBe("pass on");
    expect(ruleOf(event(1, 3, { words: "p3 starts" }))).toBe("starts");
  });
});

test("algorithms of one idea stand together, in the order of the engine; a word that it does not list comes last", () => {
  const one = (name: string, family: string) => ({ name, family });
  const all = [one("ra", "permission"), one("cr", "swallow"), one("new", "moon"), one("lamport", "permission")];
  const listed = [{ name: "swallow", about: "S." }, { name: "permission", about: "P." }, { name: "token", about: "T." }];
  expect(families(all, listed).map(({ name, about, members }) => [name, about, members.map(({ name }) => name)])).toEqual([
    ["swallow", "S.", ["cr"]],
    ["permission", "P.", ["ra", "lamport"]],
    ["moon", "", ["new"]],
  ]);
});
