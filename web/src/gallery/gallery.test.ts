// Which algorithms are shown, why none is, and where the links lead.

import { describe, expect, test } from "vitest";
import type { Algorithm } from "../engine";
import { tooLarge } from "./file";
import { marks, matching, nothing, offered, read, write } from "./filter";
import { labAddress } from "./links";

function algorithm(name: string, more: Partial<Algorithm> = {}): Algorithm {
  return {
    name, aliases: [], title: name, problem: "election", topology: "one-way ring", needs: ["fifo", "distinct-ids"], idea: "",
    source: "", literal: false, erratum: null, rules: [], kinds: [], bound: null, average: null, checked: null, settings: [],
    example: null, basis: null, family: "swallow", of: null, diff: null, overlays: [], ...more,
  };
}

const shelf = [
  algorithm("chang-roberts", { aliases: ["lcr"], source: "E. Chang, R. Roberts, 1979" }),
  algorithm("chang-roberts@as-printed", { literal: true, example: "--ids 3,7,4,1 --initiators 0 --seed 1" }),
  algorithm("itai-rodeh", { needs: ["known-n", "random-ids", "random-choices"] }),
  algorithm("bully", { topology: "complete graph", needs: ["names", "failure-detector"] }),
  algorithm("raymond", { problem: "mutex", topology: "tree", needs: [], idea: "each knows the edge towards the token" }),
  algorithm("maekawa", { problem: "mutex", topology: "complete graph", needs: ["fifo"], idea: "asks its quorum for votes" }),
  algorithm("tree-quorum", { problem: "mutex", topology: "complete graph", needs: ["fifo"], idea: "a path of the tree" }),
];
const names = (filter: Parameters<typeof matching>[1]) => matching(shelf, filter).map(({ name }) => name);

describe("marks come from what the engine says", () => {
  test.each([
    ["chang-roberts", ["ring", "one-way"]],
    ["itai-rodeh", ["ring", "one-way", "anonymous", "randomised", "any order"]],
    ["bully", ["complete", "crash-tolerant", "any order"]],
    ["raymond", ["tree", "token", "any order"]],
    ["maekawa", ["complete", "quorum"]],
    ["tree-quorum", ["complete", "tree", "quorum"]],
  ])("%s", (name, expected) => {
    expect(marks(shelf.find((one) => one.name === name)!)).toEqual(expected);
  });

  test("a mark that nobody has, or everybody, is not offered", () => {
    expect(offered(shelf)).not.toContain("two-way");
    expect(offered([shelf[0]!])).toEqual([]);
    expect(offered(shelf)).toContain("quorum");
  });
});

describe("the filter", () => {
  test("literal texts are left out until they are asked for", () => {
    expect(names({ text: "chang", marks: [], literal: false })).toEqual(["chang-roberts"]);
    expect(names({ text: "chang", marks: [], literal: true })).toHaveLength(2);
  });
  test("every word and every mark must be there; aliases and sources count", () => {
    expect(names({ text: "LCR", marks: [], literal: false })).toEqual(["chang-roberts"]);
    expect(names({ text: "1979 chang", marks: ["ring"], literal: false })).toEqual(["chang-roberts"]);
    expect(names({ text: "", marks: ["complete", "quorum"], literal: false })).toEqual(["maekawa", "tree-quorum"]);
    expect(names({ text: "mutual exclusion", marks: ["token"], literal: false })).toEqual(["raymond"]);
  });
  test("nothing found is a sentence, and says what was left out", () => {
    expect(nothing(shelf, { text: "as-printed", marks: [], literal: false })).toBe(
      "No algorithm matches “as-printed”. One literal text matches, but these are left out.",
    );
    expect(nothing(shelf, { text: "", marks: ["token", "quorum"], literal: true })).toBe("No algorithm matches token and quorum.");
  });
  test("it is in the address, both ways; a mark that does not exist is said", () => {
    const filter = { text: "ring x", marks: ["token", "any order"], literal: true };
    expect(read(write(filter))).toEqual({ filter, unknown: [] });
    expect(read(new URLSearchParams("f=token,moon"))).toEqual({ filter: { text: "", marks: ["token"], literal: false }, unknown: ["moon"] });
  });
});

test("the Lab opens with a few processes, a literal text with the run that shows its error", () => {
  expect(labAddress(shelf[0]!).toString()).toBe("v=1&a=chang-roberts&nodes=8");
  expect(labAddress(shelf[6]!).get("nodes")).toBe("7");
  expect(decodeURIComponent(labAddress(shelf[1]!).toString())).toBe("v=1&a=chang-roberts@as-printed&ids=3,7,4,1&initiators=0&seed=1");
});

test("a file that the engine would refuse is not sent", () => {
  expect(tooLarge("a.rlt", 100, 1000)).toBeNull();
  expect(tooLarge("a.rlt", 20 * 1024 ** 2, 16 * 1024 ** 2)).toMatch(/“a.rlt” has 20.0 MiB; the engine takes 14.5 MiB at most/);
});
