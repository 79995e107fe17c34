// Assumptions as switches: what is asked, what is marked, how a text and the right one are held side by side.

import { describe, expect, test } from "vitest";
import type { Algorithm } from "../engine";
import { event, sent } from "../lab/made";
import { forbidden, idle, printed, question, read, write } from "./assume";

const ring = {
  name: "chang-roberts", title: "Chang–Roberts", problem: "election", topology: "one-way ring", needs: ["fifo", "distinct-ids"],
  kinds: ["election"], literal: false, example: null,
} as unknown as Algorithm;

describe("a switch that is off", () => {
  test("is a question to the checker, outside the contract", () => {
    expect(question(ring, [])).toEqual({ nodes: "4" });
    expect(question(ring, ["fifo"])).toEqual({ nodes: "4", unsound: true, links: "bag" });
    expect(question(ring, ["ids"])).toEqual({ unsound: true, ids: "3,3,2,1" });
    expect(question(ring, ["loss", "crash", "double"])).toEqual({ nodes: "4", unsound: true, losses: "1", crashes: "1", duplications: "1" });
  });
  test("does nothing where nothing is assumed, and says why", () => {
    const mutex = { ...ring, problem: "mutex" as const, needs: [] };
    expect(idle(ring, "fifo")).toBeNull();
    expect(idle(mutex, "fifo")).toMatch(/needs no FIFO/);
    expect(idle(mutex, "ids")).toMatch(/identities/);
    expect(idle({ ...mutex, kinds: [] }, "loss")).toBe("it sends no messages");
    expect(question(mutex, ["fifo", "ids"])).toEqual({ nodes: "3" });
  });
});

test("the step that an assumption would have forbidden is marked, and no other", () => {
  const arrives = event(4, 1, { input: { kind: "deliver", messages: [3], missed: false } });
  expect(forbidden(arrives, 1, ["fifo"])).toBe("FIFO would have forbidden this: it overtakes one message of the same link");
  expect(forbidden(arrives, 0, ["fifo"])).toBeNull();
  expect(forbidden(arrives, 1, ["crash"])).toBeNull();
  expect(forbidden(event(1, 1, { input: { kind: "crash" } }), 0, ["crash"])).toMatch(/^Without crashes/);
  expect(forbidden(event(1, 1, { sends: [sent(1, 2, { fate: "lost" })] }), 0, ["loss"])).toMatch(/^Without loss/);
  expect(forbidden(event(1, 1, { input: { kind: "lose", messages: [1] } }), 0, [])).toBeNull();
});

test("the place is in the address, both ways", () => {
  const place = { algorithm: "peterson", off: ["fifo", "crash"] as ("fifo" | "crash")[], at: 3 };
  expect(write(place).toString()).toBe("a=peterson&off=fifo%2Ccrash&at=3");
  expect(read(write(place))).toEqual(place);
  expect(read(new URLSearchParams("off=moon"))).toEqual({ algorithm: "", off: [], at: null });
});

test("a text taken literally beside the right one: why, the rules, the lines", () => {
  const diff = "a@b: A, as printed\nerratum 001-1\nexample -n 3\n\nIt answers where it\nshould swallow.\n\n- /// on j: swallow\n+ /// on j: answer\n  Swallow,\n\n- (Less, true) => {\n+ (Less, false) => {\n";
  const text = printed({ title: "A", diff });
  expect(text.why).toBe("It answers where it should swallow.");
  expect([text.printed, text.right]).toEqual([["on j: answer"], ["on j: swallow"]]);
  expect(text.lines.map(({ kind }) => kind)).toEqual(["right", "printed", "same", "right", "printed"]);
  expect(printed({ title: "A", diff: null }).lines).toEqual([]);
});
