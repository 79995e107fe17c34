// The engine in workers: who waits is told, who changed their mind is let go, and what broke off is started anew.

import { describe, expect, test } from "vitest";
import { AloneEngine } from "./alone";
import type { Port } from "./hand";
import { EngineError } from "./server";
import type { Asked, Told } from "./worker";

const module = {} as WebAssembly.Module;

/** A worker that answers when it is told to. */
class Fake implements Port {
  onmessage: ((event: { data: Told }) => void) | null = null;
  onerror: ((event: { message?: string }) => void) | null = null;
  asked: Asked[] = [];
  ended = false;
  postMessage(asked: Asked): void {
    this.asked.push(asked);
  }
  terminate(): void {
    this.ended = true;
  }
  tell(told: Partial<Told> & { kind: Told["kind"] }, place = this.asked.length - 1): void {
    this.onmessage?.({ data: { id: this.asked[place]!.id, ...told } as Told });
  }
  answer(value: unknown, ok = true, place = this.asked.length - 1): void {
    this.tell({ kind: "answer", ok, text: JSON.stringify(value) } as Told, place);
  }
}

function engine(): { engine: AloneEngine; workers: Fake[]; clock: { now: number } } {
  const workers: Fake[] = [];
  const clock = { now: 0 };
  const spawn = () => {
    const worker = new Fake();
    workers.push(worker);
    return worker;
  };
  return { engine: new AloneEngine(Promise.resolve(module), spawn, () => clock.now), workers, clock };
}

const turn = () => new Promise<void>((resolve) => setTimeout(resolve));
const run = { source: { kind: "run" as const, algorithm: "peterson", options: {} }, edits: [] };

describe("questions", () => {
  test("go to one worker, which gets the module once", async () => {
    const { engine: alone, workers } = engine();
    const first = alone.call("about", {});
    await turn();
    workers[0]!.answer({ version: "1" });
    expect(await first).toEqual({ version: "1" });
    const second = alone.call("open", run);
    await turn();
    expect(workers).toHaveLength(1);
    expect(workers[0]!.asked.map(({ verb, module }) => [verb, module !== undefined])).toEqual([["about", true], ["open", false]]);
    workers[0]!.answer({ error: { code: "ringleader::x", message: "no", help: ["h"] } }, false);
    await expect(second).rejects.toMatchObject({ code: "ringleader::x", message: "no", help: ["h"] });
  });

  test("that nobody waits for any more hold the next one up for a moment at most", async () => {
    const { engine: alone, workers, clock } = engine();
    const going = new AbortController();
    const slow = alone.call("open", run, going.signal);
    await turn();
    going.abort();
    await expect(slow).rejects.toMatchObject({ name: "AbortError" });
    clock.now = 100;
    void alone.call("about", {}).catch(() => undefined);
    await turn();
    expect(workers).toHaveLength(1);
    workers[0]!.answer({}, true, 1);
    await turn();
    clock.now = 1000;
    void alone.call("about", {}).catch(() => undefined);
    await turn();
    expect(workers[0]!.ended).toBe(true);
    expect(workers).toHaveLength(2);
  });

  test("of a worker that broke off have a sentence, and the next worker knows the traces", async () => {
    const { engine: alone, workers } = engine();
    const trace = { name: "a.trace", text: "{}" };
    const imported = alone.call("import", trace);
    await turn();
    workers[0]!.answer({ source: { kind: "trace", key: "k" } });
    await imported;
    const large = alone.call("open", run);
    await turn();
    workers[0]!.tell({ kind: "broken", why: "memory allocation of 8 bytes failed" } as Told);
    await expect(large).rejects.toMatchObject({ code: "ringleader::memory" });
    const again = alone.call("about", {});
    await turn();
    expect(workers[1]!.asked[0]).toMatchObject({ verb: "import", question: JSON.stringify(trace) });
    workers[1]!.answer({});
    await turn();
    workers[1]!.answer({ version: "2" });
    expect(await again).toEqual({ version: "2" });
  });

  test("are refused in words where there is no module", async () => {
    const alone = new AloneEngine(Promise.reject(new Error("there is none")), () => new Fake());
    await expect(alone.call("about", {})).rejects.toBeInstanceOf(EngineError);
    await expect(alone.call("about", {})).rejects.toMatchObject({ code: "ringleader::no_engine" });
  });
});

describe("checks", () => {
  const question = { algorithm: "misra", options: { nodes: "3" } };
  async function begun() {
    const all = engine();
    const started = all.engine.call("check", question);
    await turn();
    all.workers[0]!.answer({ job: "1", command: "c", expected_states: null });
    const { job } = await started;
    return { ...all, job };
  }

  test("have a worker of their own, say how far they are, and what came of them", async () => {
    const { engine: alone, workers, clock, job } = await begun();
    expect(workers[1]!.asked[0]).toMatchObject({ verb: "search", question: JSON.stringify(question) });
    clock.now = 2000;
    workers[1]!.tell({ kind: "progress", cases: 1, cases_total: 6, states: 10, depth: 3 } as Told);
    expect(await alone.call("look", { job })).toMatchObject({
      state: "running",
      seconds: 2,
      progress: { cases: 1, cases_total: 6, states: 10, depth: 3 },
    });
    workers[1]!.answer({ state: "done", seconds: 3, progress: null, findings: { nodes: 3 }, counterexample: true });
    await turn();
    expect(await alone.call("look", { job })).toMatchObject({ state: "done", counterexample: true });
    // The counterexample is opened where it was found.
    void alone.call("open", { source: { kind: "counterexample", ...question }, edits: [] }).catch(() => undefined);
    await turn();
    expect(workers[1]!.asked.at(-1)?.verb).toBe("open");
  });

  test("are stopped at once, with what was seen until then", async () => {
    const { engine: alone, workers, job } = await begun();
    workers[1]!.tell({ kind: "progress", cases: 1, cases_total: null, states: 7, depth: 2 } as Told);
    expect(await alone.call("stop", { job })).toMatchObject({ state: "stopped", progress: { states: 7 } });
    expect(workers[1]!.ended).toBe(true);
    await turn();
    expect(await alone.call("look", { job })).toMatchObject({ state: "stopped" });
  });

  test("are two at a time at most", async () => {
    const { engine: alone, workers } = await begun();
    for (const expected of ["2", "busy"]) {
      const next = alone.call("check", question).then(({ job }) => job, (error: EngineError) => error.code);
      await turn();
      workers[0]!.answer({ job: "1", command: "c", expected_states: null });
      expect(await next).toContain(expected);
    }
  });
});
