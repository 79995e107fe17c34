// The engine without a server: WebAssembly in workers of this page. One worker answers, one after the other; each check
// has a worker of its own, which is ended to stop it, and kept to open the counterexample that it found.

import { EngineError } from "./server";
import { Broken, Hand, type Port, type Progress } from "./hand";
import type { CheckLook, CheckStarted, Complaint, Engine, Imported, Verb, Verbs } from "./types";

/** What is kept of a check. */
interface Check {
  hand: Hand;
  /** By which a counterexample is asked for. */
  key: string;
  begun: number;
  look: CheckLook;
  failed: unknown;
}

/** Workers that are kept for their counterexamples, and checks that run at once. */
const KEPT = 2;

const broken = (why: string): Complaint =>
  /memory|allocat/i.test(why)
    ? {
        code: "ringleader::memory",
        message: "The browser has not enough memory for this.",
        help: ["Ask for less: fewer processes, or a smaller check.", "`ringleader serve` on a machine of your own has all of its memory."],
      }
    : {
        code: "ringleader::broken",
        message: `The engine broke off: ${why}.`,
        help: ["What is on this page stays, and the engine was started anew.", "Please report it, with the address of this page."],
      };

const source = (value: unknown): string => {
  const { kind, algorithm, options } = value as { kind?: string; algorithm?: unknown; options?: unknown };
  return kind === "counterexample" ? JSON.stringify([algorithm, options]) : "";
};

export class AloneEngine implements Engine {
  readonly #module: Promise<WebAssembly.Module>;
  readonly #spawn: () => Port;
  readonly #now: () => number;
  #hand: Promise<Hand> | null = null;
  readonly #checks = new Map<string, Check>();
  #count = 0;
  /** Traces that were handed over: a new worker is told of them first. */
  readonly #imports: string[] = [];

  constructor(module: Promise<WebAssembly.Module>, spawn: () => Port, now: () => number = () => performance.now()) {
    this.#module = module;
    this.#spawn = spawn;
    this.#now = now;
    // Whoever asks first is told; until then nobody has to know.
    module.catch(() => undefined);
  }

  async call<V extends Verb>(verb: V, request: Verbs[V][0], signal?: AbortSignal): Promise<Verbs[V][1]> {
    signal?.throwIfAborted();
    switch (verb) {
      case "check":
        return (await this.#check(JSON.stringify(request), signal)) as Verbs[V][1];
      case "look":
        return this.#job(request).look as Verbs[V][1];
      case "stop":
        return this.#stop(request) as Verbs[V][1];
      case "import": {
        const question = JSON.stringify(request);
        const imported = (await this.#answer("import", question, signal)) as Imported;
        if (!this.#imports.includes(question)) this.#imports.push(question);
        return imported as Verbs[V][1];
      }
      default:
        return (await this.#answer(verb, JSON.stringify(request), signal, request)) as Verbs[V][1];
    }
  }

  /** The worker that answers. */
  async #answering(): Promise<Hand> {
    const hand = await (this.#hand ??= this.#begin());
    if (hand.isStuck(this.#now())) hand.end();
    if (hand.works) return hand;
    this.#hand = null;
    return this.#answering();
  }

  async #begin(): Promise<Hand> {
    try {
      const hand = new Hand(this.#spawn(), await this.#module);
      for (const question of this.#imports) await hand.ask("import", question);
      return hand;
    } catch (error) {
      this.#hand = null;
      throw error;
    }
  }

  async #answer(verb: string, question: string, signal?: AbortSignal, request?: object): Promise<unknown> {
    const key = request && "source" in request ? source(request.source) : "";
    const found = [...this.#checks.values()].find((check) => key && check.key === key && check.look.counterexample && check.hand.works);
    try {
      const hand = found?.hand ?? (await this.#answering());
      signal?.throwIfAborted();
      return read(await hand.ask(verb, question, { now: this.#now(), signal }));
    } catch (error) {
      signal?.throwIfAborted();
      throw complaint(error);
    }
  }

  async #check(question: string, signal?: AbortSignal): Promise<CheckStarted> {
    const started = (await this.#answer("check", question, signal)) as CheckStarted;
    const running = [...this.#checks.values()].filter((check) => check.look.state === "running");
    if (running.length >= KEPT) {
      throw new EngineError({ code: "ringleader::busy", message: `${KEPT} checks are under way already.`, help: ["Wait for one to end, or stop it."] });
    }
    const { algorithm, options } = JSON.parse(question) as { algorithm: unknown; options: unknown };
    const job = String(++this.#count);
    const look: CheckLook = { state: "running", seconds: 0, progress: null, findings: null, counterexample: false, graph: null };
    const check: Check = {
      hand: new Hand(this.#spawn(), await this.#module),
      key: JSON.stringify([algorithm, options]),
      begun: this.#now(),
      look,
      failed: null,
    };
    this.#checks.set(job, check);
    this.#forget();
    const progress = ({ cases, cases_total, states, depth }: Progress) => {
      const seconds = (this.#now() - check.begun) / 1000;
      check.look = { ...check.look, seconds, progress: { cases, cases_total, states, depth } };
    };
    check.hand.ask("search", question, { progress }).then(
      (answer) => {
        try {
          check.look = read(answer) as CheckLook;
        } catch (error) {
          check.failed = error;
        }
        if (!check.look.counterexample) check.hand.end();
      },
      (error) => {
        if (check.look.state === "running") check.failed = complaint(error);
      },
    );
    return { ...started, job };
  }

  /** Workers that are kept for a counterexample take memory: only the latest are. */
  #forget(): void {
    const over = [...this.#checks.values()].filter((check) => check.look.state !== "running" && check.hand.works);
    for (const check of over.slice(0, Math.max(0, over.length - KEPT + 1))) check.hand.end();
  }

  #job(request: object): Check {
    const { job } = request as { job: string };
    const check = this.#checks.get(job);
    if (!check) {
      throw new EngineError({ code: "ringleader::no_such_job", message: `There is no check ${job} here.`, help: ["Start it again."] });
    }
    if (check.failed) throw check.failed;
    return check;
  }

  #stop(request: object): CheckLook {
    const check = this.#job(request);
    if (check.look.state === "running") {
      check.look = { ...check.look, state: "stopped", seconds: (this.#now() - check.begun) / 1000 };
      check.hand.end();
    }
    return check.look;
  }
}

function read({ ok, text }: { ok: boolean; text: string }): unknown {
  const answer: unknown = JSON.parse(text);
  if (ok) return answer;
  const { error } = answer as { error: Complaint };
  throw new EngineError(error);
}

function complaint(error: unknown): unknown {
  if (error instanceof Broken) return new EngineError(broken(error.message));
  if (error instanceof EngineError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const help = ["A browser of the last few years can; `ringleader serve` needs none of it."];
  return new EngineError({ code: "ringleader::no_engine", message: `The engine could not be loaded: ${message}.`, help });
}
