// A run that one can walk through in both directions: the events as the engine gives them, and what is true after any
// number of them. A step costs what it changes, not what there is: each step leaves behind what it takes to go back,
// and every 256 steps a checkpoint makes long jumps short. Nothing here draws anything.

import type { Engine, Run, RunEvent, RunRequest, Sent, Standing } from "../engine/types";

/** What is to be known of a message. */
interface Message {
  message: number;
  from: number;
  to: number;
  text: string;
  kind: string;
  fields: [string, string][];
  /** The step (from 0) that sent it. */
  sentAt: number;
  /** Whether it is a second copy, made by the network. */
  copy: boolean;
  /** Whether it only announces the result. */
  announces: boolean;
}

/** A message on its way. */
export interface Transit extends Message {
  /** How many wait before it on its link. */
  ahead: number;
}

/** A process after some steps. */
export interface ProcessMoment {
  variables: string[];
  /** What the step just taken changed: the place of the variable, and its value before. */
  changed: Map<number, string>;
  standing: Standing;
  down: boolean;
}

/** What is true after `step` steps. Parts that a step did not touch are the same objects before and after it. */
export interface Moment {
  step: number;
  processes: ProcessMoment[];
  /** In the order in which they were sent. */
  transit: Transit[];
  /** For each property whether it holds here; null: nothing to say yet. */
  here: (boolean | null)[];
  soFar: boolean[];
  /** Messages sent so far; those that the network doubled count once. */
  messages: number;
  /** The same without those that only announce the result. */
  electionMessages: number;
  /** The step just taken. */
  event?: RunEvent;
}

/** The whole way of a message, as far as events are loaded. */
export interface Passage extends Message {
  /** For a copy that was made on the way: the step that made it. */
  doubledAt: number | null;
  end: { how: "arrived" | "missed" | "lost"; step: number } | { how: "lost-at-once" } | null;
}

/** What one step replaced. */
interface Undo {
  process: ProcessMoment | undefined;
  removed: number[];
  added: number[];
  properties: [number, boolean | null, boolean][];
  messages: number;
  electionMessages: number;
}

interface Checkpoint {
  processes: ProcessMoment[];
  under: number[];
  queues: Map<string, number[]>;
  here: (boolean | null)[];
  soFar: boolean[];
  messages: number;
  electionMessages: number;
}

const PAGE = 500;
const CHECKPOINT = 256;
const NOTHING: Map<number, string> = new Map();

const link = (from: number, to: number) => `${from}>${to}`;

/** Where a number is, or belongs, in a rising list. */
function position(list: number[], value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(list: number[], value: number): void {
  if (list.length === 0 || (list.at(-1) ?? 0) < value) list.push(value);
  else list.splice(position(list, value), 0, value);
}

function remove(list: number[], value: number): void {
  const place = position(list, value);
  if (list[place] === value) list.splice(place, 1);
}

export class Timeline {
  readonly run: Run;
  readonly passages: Passage[] = [];
  /** The steps in which a process has a part, rising. */
  readonly stepsOf: number[][];
  readonly #engine: Engine;
  readonly #request: RunRequest;
  readonly #signal: AbortSignal | undefined;
  readonly #events: RunEvent[] = [];
  readonly #undo: Undo[] = [];
  readonly #checkpoints: Checkpoint[] = [];
  /** The copies that the network made in a step. */
  readonly #copies = new Map<number, number[]>();
  #loading: Promise<void> = Promise.resolve();
  #step = 0;
  #processes: ProcessMoment[];
  /** The numbers of the messages on their way, rising; and the same for each link. */
  #under: number[] = [];
  #queues = new Map<string, number[]>();
  #transits = new Map<number, Transit>();
  #here: (boolean | null)[];
  #soFar: boolean[];
  #messages = 0;
  #electionMessages = 0;

  constructor(engine: Engine, request: RunRequest, run: Run, signal?: AbortSignal) {
    this.#engine = engine;
    this.#request = request;
    this.#signal = signal;
    this.run = run;
    this.#processes = run.start.map((variables) => ({ variables, changed: NOTHING, standing: "open", down: false }));
    this.stepsOf = run.start.map(() => []);
    this.#here = run.properties.map(() => null);
    this.#soFar = run.properties.map(() => true);
    this.#checkpoints.push(this.#checkpoint());
  }

  /** Asks the engine for a run, and for the first page of its events. */
  static async open(engine: Engine, request: RunRequest, signal?: AbortSignal): Promise<Timeline> {
    const run = await engine.call("open", request, signal);
    const timeline = new Timeline(engine, request, run, signal);
    if (run.small) await timeline.load(Math.min(run.steps, PAGE));
    return timeline;
  }

  /** How many events are here: those of the steps 0 .. loaded - 1. */
  get loaded(): number {
    return this.#events.length;
  }

  /** Fetches what is missing of the events before step `to`. Calls one after the other share their work. */
  load(to: number): Promise<void> {
    const wanted = Math.min(to, this.run.steps);
    if (wanted <= this.loaded) return Promise.resolve();
    const next = this.#loading.catch(() => undefined).then(() => this.#fetch(wanted));
    this.#loading = next;
    return next;
  }

  async #fetch(wanted: number): Promise<void> {
    while (this.loaded < wanted) {
      const from = this.loaded;
      const request = { ...this.#request, from, to: Math.min(from + PAGE, this.run.steps) };
      const { events } = await this.#engine.call("events", request, this.#signal);
      if (events.length === 0) {
        throw new Error(`The engine gave no events from step ${from} on, though the run has ${this.run.steps}.`);
      }
      for (const event of events) this.#take(event);
    }
  }

  /** The event of a step, counted from 0; undefined as long as it is not loaded. */
  event(step: number): RunEvent | undefined {
    return this.#events[step];
  }

  /** What is true after `step` steps; after all that are loaded if there are not so many. */
  at(step: number): Moment {
    const wanted = Math.max(0, Math.min(Math.trunc(step), this.loaded));
    const near = Math.min(Math.floor(wanted / CHECKPOINT), this.#checkpoints.length - 1);
    if (Math.abs(wanted - this.#step) > Math.abs(wanted - near * CHECKPOINT)) this.#restore(near);
    while (this.#step < wanted) this.#forward();
    while (this.#step > wanted) this.#back();
    return this.#moment();
  }

  /** The steps that led to this one, itself included: a step follows from what its process did before and from what it
   * received. */
  past(step: number): Set<number> {
    const found = new Set<number>();
    const open = [step];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const event = this.#events[next];
      if (!event || found.has(next)) continue;
      found.add(next);
      open.push(...event.causes);
    }
    return found;
  }

  /** The longest chain of messages among the loaded steps, as the steps on it, rising. */
  longestChain(): number[] {
    let last: RunEvent | undefined;
    for (const event of this.#events) if (!last || event.depth > last.depth) last = event;
    const chain: number[] = [];
    while (last) {
      chain.push(last.step);
      let before: RunEvent | undefined;
      for (const cause of last.causes) {
        const event = this.#events[cause];
        if (event && (!before || event.depth > before.depth)) before = event;
      }
      last = before;
    }
    return chain.reverse();
  }

  #take(event: RunEvent): void {
    const step = this.#events.length;
    this.#events.push(event);
    this.stepsOf[event.process]?.push(step);
    const input = event.input;
    if (input.kind === "deliver") {
      for (const message of input.messages) this.#end(message, { how: input.missed ? "missed" : "arrived", step });
    } else if (input.kind === "lose") {
      for (const message of input.messages) this.#end(message, { how: "lost", step });
    } else if (input.kind === "double") {
      for (const message of input.messages) {
        const original = this.passages[message];
        if (!original) continue;
        // Numbers are given in the order in which messages come to be, so the copy has the next one.
        const copy = this.passages.length;
        this.passages.push({ ...original, message: copy, copy: true, doubledAt: step, end: null });
        this.#copies.set(step, [...(this.#copies.get(step) ?? []), copy]);
      }
    }
    for (const sent of event.sends) this.#send(event, step, sent);
  }

  #send(event: RunEvent, step: number, sent: Sent): void {
    const { message, to, text, kind, fields, announces } = sent;
    const passage: Passage = {
      message, from: event.process, to, text, kind, fields, announces, sentAt: step, copy: false, doubledAt: null,
      end: sent.fate === "lost" ? { how: "lost-at-once" } : null,
    };
    this.passages[message] = passage;
    if (sent.fate === "doubled") this.passages[message + 1] = { ...passage, message: message + 1, copy: true };
  }

  #end(message: number, end: Passage["end"]): void {
    const passage = this.passages[message];
    if (passage) passage.end = end;
  }

  #forward(): void {
    const event = this.#events[this.#step];
    if (!event) return;
    const before = this.#processes[event.process];
    const undo: Undo = {
      process: before, removed: [], added: [], properties: [],
      messages: this.#messages, electionMessages: this.#electionMessages,
    };
    if (before) {
      let variables = before.variables;
      if (event.changes.length > 0) {
        variables = variables.slice();
        for (const [place, , now] of event.changes) variables[place] = now;
      }
      const standing = event.standing;
      this.#processes[event.process] = { variables, changed: NOTHING, standing, down: standing === "down" };
    }
    const input = event.input;
    if (input.kind === "deliver" || input.kind === "lose") {
      for (const message of input.messages) if (this.#leave(message)) undo.removed.push(message);
    } else if (input.kind === "double") {
      for (const copy of this.#copies.get(this.#step) ?? []) undo.added.push(this.#join(copy));
    }
    for (const sent of event.sends) {
      this.#messages += 1;
      if (!sent.announces) this.#electionMessages += 1;
      if (sent.fate === "lost") continue;
      undo.added.push(this.#join(sent.message));
      if (sent.fate === "doubled") undo.added.push(this.#join(sent.message + 1));
    }
    for (const [place, here, soFar] of event.properties) {
      undo.properties.push([place, this.#here[place] ?? null, this.#soFar[place] ?? true]);
      this.#here[place] = here;
      this.#soFar[place] = soFar;
    }
    this.#undo[this.#step] = undo;
    this.#step += 1;
    if (this.#step % CHECKPOINT === 0 && this.#checkpoints.length * CHECKPOINT === this.#step) {
      this.#checkpoints.push(this.#checkpoint());
    }
  }

  #back(): void {
    this.#step -= 1;
    const undo = this.#undo[this.#step];
    const event = this.#events[this.#step];
    if (!undo || !event) return;
    if (undo.process) this.#processes[event.process] = undo.process;
    for (const message of undo.added) this.#leave(message);
    for (const message of undo.removed) this.#join(message);
    for (const [place, here, soFar] of undo.properties.toReversed()) {
      this.#here[place] = here;
      this.#soFar[place] = soFar;
    }
    this.#messages = undo.messages;
    this.#electionMessages = undo.electionMessages;
  }

  /** A message is on its way. */
  #join(message: number): number {
    const passage = this.passages[message];
    if (!passage) return message;
    insert(this.#under, message);
    const name = link(passage.from, passage.to);
    const queue = this.#queues.get(name);
    if (queue) insert(queue, message);
    else this.#queues.set(name, [message]);
    this.#renumber(name, message);
    return message;
  }

  /** A message is no longer on its way; says whether it was. */
  #leave(message: number): boolean {
    const passage = this.passages[message];
    if (!passage || !this.#transits.delete(message)) return false;
    remove(this.#under, message);
    const name = link(passage.from, passage.to);
    const queue = this.#queues.get(name);
    if (queue) {
      remove(queue, message);
      if (queue.length === 0) this.#queues.delete(name);
      else this.#renumber(name, message);
    }
    return true;
  }

  /** Says anew how many wait before each message of a link, from this one on. */
  #renumber(name: string, from: number): void {
    const queue = this.#queues.get(name) ?? [];
    for (let ahead = position(queue, from); ahead < queue.length; ahead += 1) {
      const passage = this.passages[queue[ahead] ?? -1];
      if (!passage || this.#transits.get(passage.message)?.ahead === ahead) continue;
      const { message, to, text, kind, fields, sentAt, copy, announces } = passage;
      this.#transits.set(message, { message, from: passage.from, to, text, kind, fields, sentAt, copy, announces, ahead });
    }
  }

  #checkpoint(): Checkpoint {
    return {
      processes: this.#processes.slice(),
      under: this.#under.slice(),
      queues: new Map([...this.#queues].map(([name, queue]) => [name, queue.slice()])),
      here: this.#here.slice(),
      soFar: this.#soFar.slice(),
      messages: this.#messages,
      electionMessages: this.#electionMessages,
    };
  }

  #restore(number: number): void {
    const from = this.#checkpoints[number];
    if (!from) return;
    this.#step = number * CHECKPOINT;
    this.#processes = from.processes.slice();
    this.#under = from.under.slice();
    this.#queues = new Map([...from.queues].map(([name, queue]) => [name, queue.slice()]));
    this.#here = from.here.slice();
    this.#soFar = from.soFar.slice();
    this.#messages = from.messages;
    this.#electionMessages = from.electionMessages;
    const old = this.#transits;
    this.#transits = new Map();
    for (const [name, queue] of this.#queues) {
      queue.forEach((message, ahead) => {
        const same = old.get(message);
        if (same?.ahead === ahead) this.#transits.set(message, same);
      });
      this.#renumber(name, queue[0] ?? 0);
    }
  }

  /** What is decided when a run ends, is decided at its end. */
  #verdict(place: number): boolean | null {
    const property = this.run.properties[place];
    return this.#step === this.run.steps && property?.kind === "end" ? property.holds : null;
  }

  #moment(): Moment {
    const event = this.#step > 0 ? this.#events[this.#step - 1] : undefined;
    const processes = this.#processes.slice();
    const moved = event && processes[event.process];
    if (moved && event.changes.length > 0) {
      const changed = new Map(event.changes.map(([place, before]) => [place, before]));
      processes[event.process] = { ...moved, changed };
    }
    return {
      step: this.#step,
      processes,
      transit: this.#under.flatMap((message) => this.#transits.get(message) ?? []),
      here: this.#here.map((here, place) => this.#verdict(place) ?? here),
      soFar: this.#soFar.map((soFar, place) => this.#verdict(place) ?? soFar),
      messages: this.#messages,
      electionMessages: this.#electionMessages,
      event,
    };
  }
}
