// The Lab without its looks: branches, refusals, addresses, an engine that fails.

import { beforeEach, describe, expect, it, vi } from "vitest";
import type { About, Choices, Engine, RunEvent, RunRequest, Verb, Verbs } from "../engine/types";
import { event, run, sent } from "./made";

const page = { hash: "#/lab", search: "", href: "http://localhost/" };
vi.stubGlobal("location", page);
vi.stubGlobal("window", { addEventListener: () => undefined });
const entered: string[] = [];
const say = (_: unknown, __: string, hash: string) => (page.hash = hash);
vi.stubGlobal("history", { replaceState: say, pushState: (_: unknown, __: string, hash: string) => entered.push((page.hash = hash)) });
const { oddities, Session } = await import("./session.svelte");

const about: About = { schema: "ringleader.page/1", version: "0", algorithms: [], stories: [], families: [], goals: [], limits: { nodes: 10, small_nodes: 10, small_steps: 100, bytes: 100 } };

/** Ten steps in which a token goes round; an edit replaces the step at which it is made. */
class Made implements Engine {
  asked: RunRequest[] = [];
  refuses: Record<string, string> = {};
  fails = false;
  async call<V extends Verb>(verb: V, request: Verbs[V][0]): Promise<Verbs[V][1]> {
    if (this.fails) throw new Error("gone");
    if (verb === "choices") {
      const { source } = request as Verbs["choices"][0];
      const unsound = source.kind !== "trace" && source.options.unsound === true;
      return { options: {}, actions: unsound ? {} : this.refuses, outside: [], memory: 0 } satisfies Choices as Verbs[V][1];
    }
    const asked = request as RunRequest;
    if (verb === "open") {
      this.asked.push(asked);
      return run(3, 10, { source: asked.source, edits: asked.edits }) as Verbs[V][1];
    }
    const { from, to } = request as Verbs["events"][0];
    const events: RunEvent[] = Array.from({ length: 10 }, (_, step) => event(step, step % 3, { sends: [sent(step, (step + 1) % 3)] }));
    for (const edit of asked.edits) {
      const [step = "0", action] = edit.split(".");
      const old = events[Number(step)];
      if (old && action !== "delay") events[Number(step)] = { ...old, words: `${action} by hand` };
    }
    return { from, events: events.slice(from, to) } as Verbs[V][1];
  }
}

let engine: Made;
async function open(query: string): Promise<InstanceType<typeof Session>> {
  const session = new Session(about, engine);
  await session.visit(new URLSearchParams(query));
  await vi.waitFor(() => expect(session.busy).toBe(false));
  return session;
}
beforeEach(() => {
  engine = new Made();
});

describe("the form", () => {
  it("keeps what is typed while the page is on its way to what was started", async () => {
    const session = await open("a=made&nodes=3");
    session.draft = { kind: "run", algorithm: "other", options: { nodes: "8" } };
    session.start();
    session.draft = { kind: "run", algorithm: "other", options: { nodes: "5" } };
    await session.visit(new URLSearchParams(page.hash.split("?")[1] ?? ""));
    expect(session.run?.source).toMatchObject({ algorithm: "other", options: { nodes: "8" } });
    expect(session.draft).toMatchObject({ algorithm: "other", options: { nodes: "5" } });
    // Any other address is taken as it is.
    await session.visit(new URLSearchParams("a=made&nodes=3"));
    expect(session.draft).toMatchObject({ algorithm: "made", options: { nodes: "3" } });
  });
});

describe("an edit", () => {
  it("of the past makes a branch and loses nothing", async () => {
    const session = await open("a=made&nodes=3&at=4");
    await session.edit("drop", 3);
    expect(session.edits).toEqual(["4.drop.3"]);
    expect(session.step).toBe(5);
    expect(session.moment?.event?.words).toBe("drop by hand");
    expect(session.branches.map((branch) => branch.differs)).toEqual([null, 4]);
    await session.go(7);
    await session.edit("crash", 1);
    expect(session.edits).toEqual(["4.drop.3", "7.crash.1"]);
    // Further back than the last edit: that one is not part of the new branch, but of its own.
    await session.go(5);
    await session.edit("deliver", 2);
    expect(session.edits).toEqual(["4.drop.3", "5.deliver.2"]);
    expect(session.branches.map((branch) => branch.edits.join(";"))).toEqual(["", "4.drop.3", "4.drop.3;7.crash.1", "4.drop.3;5.deliver.2"]);
    await session.switchTo(0);
    expect([session.current, session.edits]).toEqual([0, []]);
    await session.switchTo(2);
    expect(session.edits).toEqual(["4.drop.3", "7.crash.1"]);
  });

  it("that only delays shows the same moment of the other run", async () => {
    const session = await open("a=made&nodes=3&at=4");
    await session.edit("delay", 3, 10);
    expect([session.edits, session.step]).toEqual([["4.delay.3.10"], 4]);
  });

  it("can be taken back, and the branch stays", async () => {
    const session = await open("a=made&nodes=3&at=4");
    await session.edit("drop", 3);
    await session.undo();
    expect([session.edits, session.step, session.branches.length]).toEqual([[], 4, 2]);
    await session.undo();
    expect(session.branches.length).toBe(2);
  });

  it("that the contract excludes is refused with the reason, and allowed if one insists", async () => {
    engine.refuses = { drop: "its contract has no losses" };
    const session = await open("a=made&nodes=3&at=4");
    await vi.waitFor(() => expect(session.admitted.drop).toBeDefined());
    await session.edit("drop", 3);
    expect(session.refused).toMatchObject({ action: "drop", why: "its contract has no losses" });
    expect(session.edits).toEqual([]);
    session.refused?.again();
    await vi.waitFor(() => expect(session.edits).toEqual(["4.drop.3"]));
    expect(session.source).toMatchObject({ options: { unsound: true } });
    expect(session.refused).toBeNull();
  });
});

describe("forks", () => {
  it("are in the address, and there again when it is opened afresh", async () => {
    const session = await open("a=made&nodes=3&at=4");
    await session.edit("drop", 3);
    await session.go(7);
    await session.edit("crash", 1);
    await session.switchTo(0);
    const again = await open(session.link().split("?")[1] ?? "");
    expect([again.current, again.branches.map((branch) => branch.edits.join(";")), again.branches.map((branch) => branch.parent)]).toEqual([
      0, ["", "4.drop.3", "4.drop.3;7.crash.1"], [null, 0, 1],
    ]);
  });

  it("are places in the history, and the way back loses none", async () => {
    const session = await open("a=made&nodes=3&at=4");
    entered.length = 0;
    await session.edit("drop", 3);
    expect(entered).toEqual(["#/lab?v=1&a=made&nodes=3&e=4.drop.3&at=5"]);
    await session.visit(new URLSearchParams("v=1&a=made&nodes=3&at=4"));
    expect([session.edits, session.step, session.branches.length]).toEqual([[], 4, 2]);
    await session.visit(new URLSearchParams("v=1&a=made&nodes=4&at=4"));
    expect(session.branches.length).toBe(1);
  });

  it("are not made by whoever is the scheduler: each choice goes on", async () => {
    const session = await open("a=made&nodes=3&at=4&you=1");
    expect(session.mine).toBe(true);
    await session.edit("deliver", 3);
    await session.edit("deliver", 4);
    expect([session.edits, session.step, session.branches.length]).toEqual([["4.deliver.3", "5.deliver.4"], 6, 2]);
    expect(session.link()).toContain("you=1");
  });
});

describe("an address", () => {
  it("gives the same branch, step and selection again", async () => {
    const session = await open("a=made&nodes=3&at=4");
    session.selected = 2;
    await session.edit("drop", 3);
    const link = session.link();
    expect(link).toBe("#/lab?v=1&a=made&nodes=3&e=4.drop.3&at=5&sel=2");
    const again = await open(link.split("?")[1] ?? "");
    expect([again.edits, again.step, again.selected, again.moment?.event?.words]).toEqual([["4.drop.3"], 5, 2, "drop by hand"]);
  });

  it("with nonsense in it is said", async () => {
    const query = new URLSearchParams("v=7&a=made&at=soon&sel=-1");
    expect(oddities(query, { source: { kind: "run", algorithm: "made", options: {} }, edits: [], at: null, selected: null })).toHaveLength(3);
    const session = await open("a=made&at=99&sel=50");
    expect(session.notices.join(" ")).toMatch(/asks for step 99, the run has 10.*selects process 50/);
    expect([session.step, session.selected]).toEqual([10, null]);
  });
});

it("an engine that fails leaves what was there", async () => {
  const session = await open("a=made&nodes=3&at=4");
  engine.fails = true;
  await session.edit("drop", 3);
  expect(session.error).toMatchObject({ message: "gone" });
  expect([session.edits, session.step]).toEqual([[], 4]);
  await session.go(6);
  expect(session.step).toBe(6);
});

it("an engine that comes back is asked once more", async () => {
  engine.fails = true;
  const session = await open("a=made&nodes=3&at=4&e=2.drop.1");
  expect([session.run, session.error]).toMatchObject([null, { message: "gone" }]);
  engine.fails = false;
  session.again();
  await vi.waitFor(() => expect([session.step, session.edits, session.error]).toEqual([4, ["2.drop.1"], null]));
});

it("a file that is too large is refused before it is sent", async () => {
  const session = await open("a=made&nodes=3");
  await session.take(new File(["x".repeat(101)], "large.rlt"));
  expect(session.error).toMatchObject({ message: expect.stringContaining("large.rlt has 101 bytes") as string });
});
