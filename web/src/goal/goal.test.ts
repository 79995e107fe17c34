// What may be done about a goal, and that an answer is in the address.

import { expect, test } from "vitest";
import type { Transit } from "../lab/timeline";
import { choices, reach, read, write } from "./goal";

test("an answer is in the address, both ways", () => {
  const answer = { name: "two-leaders", edits: ["4.overtake.4", "5.deliver.6"], at: 3, who: "Ada Löwe", seal: "00ff" };
  expect(read(write(answer))).toEqual(answer);
  expect(read(new URLSearchParams("at=x"))).toEqual({ name: "", edits: [], at: null, who: "", seal: null });
});

test("what was done later is about another run", () => {
  expect(reach(["2.drop.0", "9.drop.4"], 5, "deliver", 3)).toEqual(["2.drop.0", "5.deliver.3"]);
  expect(reach([], 0, "delay", 3)).toEqual(["0.delay.3.10"]);
});

test("only what the goal allows is offered, and only what makes sense", () => {
  const one = (message: number, ahead: number): Transit =>
    ({ message, from: 0, to: 1, text: `tid(${message})`, kind: "tid", fields: [], sentAt: 0, copy: false, announces: false, ahead });
  const moment = {
    transit: [one(0, 0), one(1, 1)],
    processes: [false, true].map((down) => ({ variables: [], changed: new Map<number, string>(), standing: "open" as const, down })),
  };
  const words = (actions: string[]) => choices({ actions }, moment).map(({ words }) => words);
  expect(words(["overtake"])).toEqual(["tid(1) from p0 to p1 overtakes those ahead"]);
  expect(words(["drop", "recover", "crash"])).toEqual([
    "tid(0) from p0 to p1 is lost", "tid(1) from p0 to p1 is lost", "p0 crashes", "p1 comes back",
  ]);
  expect(words([]).length).toBeGreaterThan(8);
});
