// Rules with the values for which they fired.

import { expect, it } from "vitest";
import { engineOf, event, run, sent } from "./made";
import { Timeline } from "./timeline";
import { before, withValues } from "./values";

const SWALLOW = "on election(j), j < id, participant: nothing";

/** A process receives a message with these fields, and its variables are these. */
async function told(rule: string, fields: [string, string][], variables: [string, string][], changes: [number, string, string][] = []) {
  const given = run(3, 2, { variables: variables.map(([name]) => name), start: Array.from({ length: 3 }, () => variables.map(([, value]) => value)) });
  const timeline = await Timeline.open(
    engineOf(given, [
      event(0, 0, { sends: [sent(0, 1, { fields })] }),
      event(1, 1, { input: { kind: "deliver", messages: [0], missed: false }, changes }),
    ]),
    { source: given.source, edits: [] },
  );
  const moment = timeline.at(2);
  return withValues(rule, timeline.event(1)!, before(timeline, moment), timeline);
}

it("has the values of the message and of the variables", async () => {
  expect(await told(SWALLOW, [["id", "3"]], [["id", "8"], ["participant", "yes"]])).toBe("j = 3 < id = 8, participant = yes");
});

it("has the values before the step, not those that it made", async () => {
  const rule = "on election(j), j < id, not participant: participant := T; send election(id)";
  expect(await told(rule, [["id", "3"]], [["id", "8"], ["participant", "no"]], [[1, "no", "yes"]])).toBe("j = 3 < id = 8, participant = no");
});

it("says once what is equal", async () => {
  expect(await told("on election(j), j = id: leader := T", [["id", "8"]], [["id", "8"]])).toBe("j = id = 8");
  expect(await told("on v in wait2, ntid >= tid and ntid >= v: relay", [["v", "2"]], [["tid", "4"], ["ntid", "5"]])).toBe("ntid = 5 >= tid = 4, ntid = 5 >= v = 2");
});

it("reckons with the expressions of a rule", async () => {
  const fields: [string, string][] = [["v", "9"], ["lg", "0"], ["L", "2"]];
  expect(await told("on cand(v, lg, L), v > id, lg + 1 < L: lost", fields, [["id", "4"]])).toBe("v = 9 > id = 4, (lg = 0) + 1 < L = 2");
});

it("says what the message says where the rule asks nothing, and nothing where there are only words", async () => {
  expect(await told("on elected(j): coordinator := j", [["id", "8"]], [["id", "3"]])).toBe("j = 8");
  expect(await told("on ANSWER otherwise: nothing", [], [["id", "3"]])).toBeNull();
});
