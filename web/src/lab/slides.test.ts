import { describe, expect, test } from "vitest";
import { storyFile, type Slide } from "./slides.svelte";

const slide = (more: Partial<Slide>): Slide => ({
  caption: "p0 starts.", source: { kind: "run", algorithm: "peterson", options: { nodes: "8", ids: "random", lose: ["tid@3"], unsound: true } }, edits: [], at: 2, selected: null, ...more,
});

describe("a story that is made in the Lab", () => {
  test("begins with the run, and goes on from the slide before", () => {
    const text = storyFile("My “first”", [slide({}), slide({ at: 5, selected: 1, caption: 'It says "no"\\.' })]);
    expect(text).toBe(`title = "My “first”"
minutes = 1
summary = "My “first”."

[[step]]
caption = "p0 starts."
algorithm = "peterson"
options = { nodes = 8, ids = "random", lose = ["tid@3"], unsound = true }
at = 2

[[step]]
caption = "It says \\"no\\"\\\\."
from = 2
at = 5
select = 1
`);
  });

  test("says the run again after an edit, a step back, or another source", () => {
    const text = storyFile("t", [slide({}), slide({ edits: ["2.drop.1"], at: 3 }), slide({ edits: ["2.drop.1"], at: 1 }), slide({ source: { kind: "counterexample", algorithm: "le-lann@001-8", options: {} } })]);
    expect(text.match(/^algorithm/gm)?.length).toBe(4);
    expect(text).toContain('edits = ["2.drop.1"]');
    expect(text).toContain("counterexample = true");
    expect(text.match(/^from/gm)).toBe(null);
  });
});
