// What processes are called.

import { expect, it } from "vitest";
import { run } from "./made";
import type { ProcessMoment } from "./timeline";
import { look, messageName, processName, role } from "./words";

const process = (variables: string[], more: Partial<ProcessMoment> = {}): ProcessMoment => ({ variables, changed: new Map(), standing: "open", down: false, ...more });

it("calls a process what it calls itself, or where it stands", () => {
  const given = run(8, 0, { ids: [5, 2, 3, 4, 1, 6, 7, 8], variables: ["id", "mode"] });
  expect(processName(given, 0, process(["5", "relay"]), 1)).toBe("process 0, identity 5, relay, 1 message on its way to it");
  expect(processName(given, 1, process(["2", "done"], { standing: "lost" }), 0)).toBe("process 1, identity 2, knows that another leads");
  const told = { ...given, overlays: [{ variable: "mode", draws: "leader" as const }] };
  expect(processName(told, 1, process(["2", "8"], { standing: "lost" }), 0)).toBe("process 1, identity 2, knows that 8 leads");
  expect(processName(run(2, 0, { ids: [], variables: ["me"], problem: "mutex" }), 1, process(["p1"]), 3)).toBe("process 1, outside, 3 messages on their way to it");
});

it("does not take a name, a number or a yes for a role", () => {
  const given = run(2, 0, { variables: ["me", "participant", "count", "user"] });
  expect(role(given, process(["p1", "no", "3", "waiting"]))).toBe("waiting");
  expect(role(given, process(["p1", "yes", "3", "-"]))).toBeNull();
});

it("looks different in each standing", () => {
  const given = run(2, 0);
  expect(look(given, process(["candidate", "1"]))).toBe("candidate");
  expect(look(given, process(["relay", "1"]))).toBe("relay");
  expect(look(given, process(["asleep", "1"]))).toBe("idle");
  expect(look(given, process(["yes", "1"]), true)).toBe("relay");
  expect(look({ ...given, problem: "clocks" }, process(["relay", "1"]))).toBe("clock");
  expect(look({ ...given, problem: "mutex" }, process(["relay", "1"]))).toBe("outside");
  expect(look(given, process(["x", "1"], { standing: "down", down: true }))).toBe("down");
});

it("says of a message where it waits", () => {
  const one = { message: 3, from: 0, to: 1, text: "tid(7)", kind: "tid", fields: [], sentAt: 0, copy: true, announces: false, ahead: 2 };
  expect(messageName(one)).toBe("tid(7) from p0 to p1, a copy, behind 2 others");
});
