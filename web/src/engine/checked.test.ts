// What an engine may answer, and what is said when it answers something else.

import { describe, expect, test } from "vitest";
import { checked } from "./checked";
import type { Engine } from "./types";

const engine = (answer: unknown): Engine => checked({ call: () => Promise.resolve(answer as never) });
const step = {
  step: 0, time: "0", process: 1, input: { kind: "deliver", messages: [1], missed: false }, words: "", effects: "", rules: ["swallow"],
  choices: [], sends: [], accesses: [], outcome: null, standing: "open", changes: [[0, "1", "2"]], depth: 1, causes: [], properties: [[0, null, true]],
};
const events = (more: object) => engine({ from: 0, events: [{ ...step, ...more }] }).call("events", { source: { kind: "trace", key: "1" }, edits: [], from: 0, to: 1 });

describe("an answer", () => {
  test("of the right shape is passed on as it is, with fields that are new", async () => {
    expect(await events({ later: 1 })).toEqual({ from: 0, events: [{ ...step, later: 1 }] });
  });

  test.each([
    ["a number for a word", { words: 3 }, "events/events/0/words must be string"],
    ["a word that there is not", { standing: "asleep" }, "events/events/0/standing"],
    ["a field that is missing", { rules: undefined }, "events/events/0 must have required property 'rules'"],
    ["a pair that is too long", { properties: [[0, null, true, 1]] }, "events/events/0/properties/0"],
    ["something unknown that happened", { input: { kind: "dance" } }, "events/events/0/input"],
  ])("with %s is refused, and where is said", async (_, more, where) => {
    await expect(events(more)).rejects.toMatchObject({
      code: "ringleader::garbled",
      message: expect.stringContaining(where) as string,
    });
  });
});
