// The form and the options that it stands for.

import { describe, expect, it } from "vitest";
import type { About, Algorithm } from "../engine/types";
import { beginning, fromWords, more, refusals, search, setting, typed, withAlgorithm, withFlag, withMore, withOption, withSetting } from "./form";

const algorithm = (name: string, problem: "election" | "mutex", aliases: string[] = []): Algorithm => ({
  name, aliases, title: name.replace("-", " "), problem, topology: "one-way ring", needs: ["fifo"], idea: "", source: "",
  literal: false, erratum: null, rules: [], kinds: [], bound: null, average: null, checked: null, settings: [], example: null, basis: null,
  family: "swallow", of: null, diff: null, overlays: [],
});
const about: About = {
  schema: "ringleader.page/1", version: "0", stories: [], families: [], goals: [],
  algorithms: [algorithm("peterson", "election"), algorithm("chang-roberts", "election", ["lcr"]), algorithm("lamport", "mutex")],
  limits: { nodes: 1e6, small_nodes: 200, small_steps: 1e5, bytes: 1e6 },
};

describe("options", () => {
  it("are taken as typed, and an empty field is no option", () => {
    expect(withOption({ nodes: "8" }, "nodes", "")).toEqual({});
    expect(withOption({}, "crash", "2@10 3@4")).toEqual({ crash: ["2@10", "3@4"] });
    expect(typed({ crash: ["2@10", "3@4"] }, "crash")).toBe("2@10 3@4");
    expect(withFlag({ unsound: true }, "unsound", false)).toEqual({});
  });

  it("of the algorithm itself go into `set`", () => {
    const options = withSetting({ set: ["a=1", "ending=both"] }, "ending", "first");
    expect(options).toEqual({ set: ["a=1", "ending=first"] });
    expect(setting(options, "ending")).toBe("first");
    expect(withSetting({ set: ["ending=first"] }, "ending", "")).toEqual({});
  });

  it("without a field can be typed, even nonsense: the engine has the sentence for it", () => {
    const options = withMore({ nodes: "8", total: "3" }, "load=open:0.2 --wants=1,3@0;2@5 nonsense crash=1@2");
    expect(options).toEqual({ nodes: "8", load: "open:0.2", wants: "1,3@0;2@5", nonsense: true, crash: ["1@2"] });
    expect(more(options)).toBe("load=open:0.2 wants=1,3@0;2@5 nonsense");
  });
});

it("reads a command line", () => {
  expect(fromWords("-n 3 --crash 2@0 --crash 1@4 --schedule delay:uniform:1:4 --unsound --seed 1")).toEqual({
    nodes: "3", crash: ["2@0", "1@4"], schedule: "delay:uniform:1:4", unsound: true, seed: "1",
  });
});

describe("algorithms", () => {
  it("are found by name, alias and what they need", () => {
    expect(search(about, "lcr").map((one) => one.name)).toEqual(["chang-roberts"]);
    expect(search(about, "ring fifo")).toHaveLength(3);
    expect(search(about, "mutex")).toHaveLength(1);
  });

  it("do not inherit what was meant for another", () => {
    const options = { nodes: "8", seed: "1", ids: "random", links: "bag", entries: "2" };
    expect(withAlgorithm(options, about, "peterson", "lcr")).toEqual({ nodes: "8", seed: "1", ids: "random", entries: "2" });
    expect(withAlgorithm(options, about, "peterson", "lamport")).toEqual({ nodes: "8", seed: "1" });
  });

  it("begin with something to look at", () => {
    expect(beginning(about, 7)).toEqual({ kind: "run", algorithm: "chang-roberts", options: { nodes: "8", ids: "random", seed: "7" } });
  });
});

it("says of everything that cannot be chosen why", () => {
  const options = { links: [{ value: "fifo", label: "fifo", why: null }, { value: "bag", label: "bag", why: "needs FIFO links" }] };
  expect(refusals({ options, actions: {}, outside: [], memory: 0 })).toEqual([{ option: "links", value: "bag", why: "needs FIFO links" }]);
});
