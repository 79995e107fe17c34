// Looks at a cluster once a second, one look after the other, until it is told to stop.

import type { Engine } from "../engine";
import type { Look } from "./log";
import { readStatus } from "./status";

export const EVERY_MS = 1000;
/** Without a cluster there is nothing to see; but somebody may start the engine anew, with one. */
export const SELDOM_MS = 5000;

/** The engine was started without a cluster, or does not know what that is. */
const WITHOUT = new Set(["ringleader::no_cluster", "ringleader::unknown_verb"]);

export type Told = { kind: "look"; look: Look } | { kind: "without" };

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Watch {
  readonly #engine: Engine;
  readonly #tell: (told: Told) => void;
  readonly #wait: (milliseconds: number) => Promise<void>;
  readonly #now: () => number;
  #going = false;
  #asking: AbortController | null = null;

  constructor(engine: Engine, tell: (told: Told) => void, wait = pause, now: () => number = Date.now) {
    this.#engine = engine;
    this.#tell = tell;
    this.#wait = wait;
    this.#now = now;
  }

  async start(): Promise<void> {
    this.#going = true;
    while (this.#going) {
      const told = await this.#look();
      // Who stopped in between wants to hear nothing more.
      if (!this.#going) return;
      this.#tell(told);
      await this.#wait(told.kind === "without" ? SELDOM_MS : EVERY_MS);
    }
  }

  stop(): void {
    this.#going = false;
    this.#asking?.abort();
  }

  async #look(): Promise<Told> {
    this.#asking = new AbortController();
    try {
      const status = readStatus(await this.#engine.call("cluster", {}, this.#asking.signal));
      return { kind: "look", look: { at_ms: status.at_ms, status, error: null } };
    } catch (error) {
      if (WITHOUT.has((error as { code?: string }).code ?? "")) return { kind: "without" };
      const why = error instanceof Error ? error.message : String(error);
      return { kind: "look", look: { at_ms: this.#now(), status: null, error: why } };
    }
  }
}
