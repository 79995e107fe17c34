// One worker, and whoever waits for it. A worker that broke off, or was ended, is not asked again.

import type { Asked, Told } from "./worker";

/** As much of a worker as is used here; tests have one of their own. */
export interface Port {
  postMessage(asked: Asked): void;
  terminate(): void;
  onmessage: ((event: { data: Told }) => void) | null;
  onerror: ((event: { message?: string }) => void) | null;
}

/** Why there is no answer: the worker broke off. */
export class Broken extends Error {}

export type Progress = Extract<Told, { kind: "progress" }>;

interface Waiting {
  done: (answer: { ok: boolean; text: string }) => void;
  failed: (why: unknown) => void;
  progress: ((so_far: Progress) => void) | undefined;
  /** Nobody wants the answer any more. */
  abandoned: boolean;
  since: number;
}

/** For so long a worker may go on with what nobody waits for, in milliseconds. */
const PATIENCE = 400;

export class Hand {
  readonly #port: Port;
  #module: WebAssembly.Module | null;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #over = false;

  constructor(port: Port, module: WebAssembly.Module) {
    this.#port = port;
    this.#module = module;
    port.onmessage = ({ data }) => this.#hear(data);
    port.onerror = (event) => this.#break(event.message ?? "the worker stopped");
  }

  /** Whether it can be asked. */
  get works(): boolean {
    return !this.#over;
  }

  /** Whether it is busy with nothing but what nobody waits for, and has been for a while. */
  isStuck(now: number): boolean {
    const waiting = [...this.#waiting.values()];
    return waiting.length > 0 && waiting.every(({ abandoned, since }) => abandoned && now - since > PATIENCE);
  }

  ask(
    verb: string,
    question: string,
    { now = 0, signal, progress }: { now?: number; signal?: AbortSignal | undefined; progress?: (so_far: Progress) => void } = {},
  ): Promise<{ ok: boolean; text: string }> {
    if (this.#over) return Promise.reject(new Broken("the worker was ended"));
    const id = ++this.#count;
    const asked: Asked = { id, verb, question };
    if (this.#module) asked.module = this.#module;
    this.#module = null;
    return new Promise((done, failed) => {
      const waiting: Waiting = { done, failed, progress, abandoned: false, since: now };
      this.#waiting.set(id, waiting);
      const abort = () => {
        waiting.abandoned = true;
        failed(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#port.postMessage(asked);
    });
  }

  /** Ends the worker, whatever it is doing. */
  end(): void {
    this.#break("the worker was ended");
  }

  #hear(told: Told): void {
    const waiting = this.#waiting.get(told.id);
    if (told.kind === "progress") {
      waiting?.progress?.(told);
    } else if (told.kind === "broken") {
      this.#break(told.why);
    } else {
      this.#waiting.delete(told.id);
      waiting?.done(told);
    }
  }

  #break(why: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#port.terminate();
    for (const waiting of this.#waiting.values()) waiting.failed(new Broken(why));
    this.#waiting.clear();
  }
}
