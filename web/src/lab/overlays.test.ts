// What is drawn of variables: read from the declaration that comes with a run.

import { describe, expect, it } from "vitest";
import type { Overlay, Run } from "../engine/types";
import { run, sent } from "./made";
import { beaten, drawing, leaderOf, reads } from "./overlays";
import type { ProcessMoment } from "./timeline";

const process = (...variables: string[]): ProcessMoment => ({ variables, changed: new Map(), standing: "open", down: false });
function made(overlays: [string, Overlay["draws"]][], more: Partial<Run> = {}): Run {
  return run(4, 0, { variables: overlays.map(([name]) => name), overlays: overlays.map(([variable, draws]) => ({ variable, draws })), ...more });
}

describe("what is drawn beside a process", () => {
  it("is an arrow to the process that a pointer names, and nothing where it names nobody", () => {
    const chain = made([["last", "pointer"], ["token", "token"]]);
    expect(drawing(chain, 0, process("p2", "no"))).toMatchObject({ arrows: [{ to: 2, name: "last", kind: "pointer" }], tokens: [] });
    expect(drawing(chain, 0, process("-", "yes"))).toMatchObject({ arrows: [], tokens: ["token"] });
  });

  it("is the way to the token by ports, and the token where the way ends", () => {
    const tree = made([["holder", "way"], ["queue", "waiting"]], { ports: [[1, 2], [3, 0], [0], [1]] });
    expect(drawing(tree, 1, process("0", "[- 1]"))).toMatchObject({ arrows: [{ to: 3, kind: "way" }], tokens: [], badges: [{ text: "… p1 p0" }] });
    expect(drawing(tree, 1, process("-", "[]"))).toMatchObject({ arrows: [], tokens: ["token"], badges: [] });
  });

  it("is a vote, a quorum with what each said, and the clock", () => {
    const voting = made([["clock", "clock"], ["quorum", "quorum"], ["locked", "vote"], ["waiting", "waiting"]]);
    const drawn = drawing(voting, 0, process("4", "[[p0 locked] [p3 nothing]]", "[2 p3]", "[[1 p4] [3 p6]]"));
    expect(drawn.quorum).toEqual([{ who: 0, said: "locked" }, { who: 3, said: "nothing" }]);
    expect(drawn.arrows).toEqual([{ to: 3, name: "locked", kind: "vote" }]);
    expect(drawn.badges).toEqual([{ name: "clock", draws: "clock", text: "clock 4" }, { name: "waiting", draws: "waiting", text: "… p4 p6" }]);
  });

  it("is not the token where a word says that it is elsewhere", () => {
    const ring = made([["token", "token"]]);
    expect(drawing(ring, 0, process("elsewhere")).tokens).toEqual([]);
    expect(drawing(ring, 0, process("here")).tokens).toEqual(["token"]);
  });
});

it("shows the register of a machine, and whose registers a step reads", () => {
  const machines = made([["S", "register"]]);
  expect(drawing(machines, 2, process("1")).badges).toEqual([{ name: "S", draws: "register", text: "S = 1" }]);
  const access = (register: string, writes: boolean) => ({ register, value: 1, writes });
  expect(reads([access("S[1]", false), access("S[2]", false), access("S[2]", true), access("turn", false)], 2)).toEqual([1]);
});

describe("the race", () => {
  const ring = made([["participant", "joined"], ["coordinator", "leader"]], { ids: [3, 7, 4, 1] });
  const transit = [{ ...sent(0, 1), from: 0, sentAt: 0, copy: false, ahead: 0, fields: [["id", "7"]] as [string, string][] }];

  it("is lost for who has joined it and whose identity is not on its way", () => {
    const processes = [process("yes", "-"), process("yes", "-"), process("no", "-"), process("yes", "-")];
    expect(beaten(ring, { processes, transit })).toEqual(new Set([0, 3]));
  });

  it("is not told by messages where nothing says so", () => {
    expect(beaten(made([]), { processes: [], transit })).toBeNull();
  });

  it("has a leader for whoever knows it", () => {
    expect(leaderOf(ring, process("no", "7"))).toBe("7");
    expect(leaderOf(ring, process("no", "-"))).toBeNull();
  });
});
