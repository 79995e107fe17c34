// A search that runs in the engine, followed by asking how far it is about four times a second. Only one is followed at
// a time: starting another, or leaving the screen, stops the one before.

import type { CheckLook, CheckRequest, CheckStarted, Engine } from "../engine";

export interface Following {
  request: CheckRequest;
  started: CheckStarted | null;
  look: CheckLook | null;
  /** The engine refused, or is gone. What was seen before stays. */
  error: unknown;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Job {
  readonly #engine: Engine;
  readonly #tell: (now: Following) => void;
  readonly #wait: () => Promise<void>;
  /** Goes up with each start: what comes in for an earlier one is not told. */
  #turn = 0;
  #now: Following | null = null;

  constructor(engine: Engine, tell: (now: Following) => void, wait: () => Promise<void> = () => pause(250)) {
    this.#engine = engine;
    this.#tell = tell;
    this.#wait = wait;
  }

  async start(request: CheckRequest): Promise<void> {
    void this.abandon();
    const turn = ++this.#turn;
    this.#say(turn, { request, started: null, look: null, error: null });
    try {
      const started = await this.#engine.call("check", request);
      if (turn !== this.#turn) {
        // Somebody changed their mind while the engine was starting it.
        await this.#engine.call("stop", { job: started.job });
        return;
      }
      this.#say(turn, { started });
      await this.#follow(turn, started.job);
    } catch (error) {
      this.#say(turn, { error });
    }
  }

  /** After the engine was gone: asks about the same search again. */
  async resume(): Promise<void> {
    const now = this.#now;
    if (!now) return;
    if (!now.started || now.look?.state !== "running") return this.start(now.request);
    const turn = ++this.#turn;
    this.#say(turn, { error: null });
    try {
      await this.#follow(turn, now.started.job);
    } catch (error) {
      // An engine that was started anew does not know the search: then it is made again.
      if (turn === this.#turn && (error as { code?: string }).code !== "ringleader::gone") return this.start(now.request);
      this.#say(turn, { error });
    }
  }

  async stop(): Promise<void> {
    const turn = ++this.#turn;
    const job = this.#now?.started?.job;
    if (job === undefined) return;
    try {
      let look = await this.#engine.call("stop", { job });
      this.#say(turn, { look });
      while (look.state === "running" && turn === this.#turn) {
        await this.#wait();
        look = await this.#engine.call("look", { job });
        this.#say(turn, { look });
      }
    } catch (error) {
      this.#say(turn, { error });
    }
  }

  /** Nobody looks any more. */
  async abandon(): Promise<void> {
    this.#turn += 1;
    const now = this.#now;
    this.#now = null;
    if (now?.started && (now.look === null || now.look.state === "running")) {
      try {
        await this.#engine.call("stop", { job: now.started.job });
      } catch {
        // Nobody is there who could be told.
      }
    }
  }

  async #follow(turn: number, job: string): Promise<void> {
    while (turn === this.#turn) {
      const look = await this.#engine.call("look", { job });
      this.#say(turn, { look });
      if (look.state !== "running") return;
      await this.#wait();
    }
  }

  #say(turn: number, news: Partial<Following>): void {
    if (turn !== this.#turn) return;
    this.#now = { ...(this.#now ?? { request: { algorithm: "", options: {} }, started: null, look: null, error: null }), ...news };
    this.#tell(this.#now);
  }
}
