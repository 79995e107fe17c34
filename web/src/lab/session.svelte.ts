// The Lab as a whole: which run, which branch, which moment, what is selected; and what one can do with it. Components
// show it and call it; they keep nothing of their own that matters.

import { handOver, isRecording } from "../cluster/handed";
import { type About, type Choices, type Edit, type Engine, EngineError, type Run, type Source } from "../engine";
import { address, type Place, place } from "../shell/address";
import { enter, format, go as travel, note } from "../shell/route.svelte";
import { type Branch, difference, first, fork, formatForks, parseForks, parts, withBranch } from "./branches";
import { beginning, fromWords, withFlag } from "./form";
import { motion, wantsStillness } from "./motion";
import { Player, SPEEDS } from "./player.svelte";
import { type Moment, Timeline } from "./timeline";

export { SPEEDS };

/** How many steps a delayed message waits, unless somebody says otherwise. */
export const DELAY = 10;

export class Session {
  readonly about: About;
  readonly #engine: Engine;
  /** What the form shows; becomes a run with `run`. */
  draft = $state.raw<Source>({ kind: "run", algorithm: "", options: {} });
  choices = $state.raw<Choices | null>(null);
  /** What may be done to the run that is shown. */
  admitted = $state.raw<Choices["actions"]>({});
  timeline = $state.raw<Timeline | null>(null);
  moment = $state.raw<Moment | null>(null);
  /** For how long the step to this moment is seen to happen, in milliseconds. */
  glide = $state(0);
  /** How many events are here; grows while one looks. */
  loaded = $state(0);
  branches = $state.raw<Branch[]>([]);
  current = $state(0);
  selected = $state<number | null>(null);
  message = $state<number | null>(null);
  /** The event whose past is shown. */
  event = $state<number | null>(null);
  chain = $state(false);
  /** Whoever looks is the scheduler: nothing is known of what comes, and a message arrives when it is clicked. */
  mine = $state(false);
  busy = $state(false);
  error = $state.raw<unknown>(null);
  /** What is odd about the address, in sentences. */
  notices = $state.raw<string[]>([]);
  /** An action that was refused, and why. */
  refused = $state.raw<{ action: string; why: string; again: () => void } | null>(null);
  readonly player: Player;
  #timelines = new Map<string, Timeline>();
  #opening = new AbortController();
  #noted: ReturnType<typeof setTimeout> | null = null;
  #last: { there: Place; fresh: boolean } | null = null;
  #wanted = 0;
  #extra: [string, string][] = [];
  #forks: Edit[][] = [];
  /** The form was sent: what was there before does not go with it. */
  #afresh = true;
  /** Where the form went, until it is there: it may have been typed into again meanwhile. */
  #started: string | null = null;

  constructor(about: About, engine: Engine) {
    this.about = about;
    this.#engine = engine;
    this.player = new Player((steps) => this.#play(steps));
  }

  get run(): Run | null {
    return this.timeline?.run ?? null;
  }
  get step(): number {
    return this.moment?.step ?? 0;
  }
  get source(): Source {
    return this.run?.source ?? this.draft;
  }
  get edits(): Edit[] {
    return this.branches[this.current]?.edits ?? [];
  }

  /** Shows what an address names. */
  async visit(query: URLSearchParams): Promise<void> {
    // What was to be noted is of the place that is left.
    if (this.#noted !== null) clearTimeout(this.#noted);
    this.#noted = null;
    this.#extra = [...query].filter(([key]) => ["embed", "theme", "view"].includes(key));
    this.mine = query.get("you") === "1";
    const seed = 1 + Math.floor(Math.random() * 9999);
    const there: Place = place(query) ?? { source: beginning(this.about, seed), edits: [], at: null, selected: null };
    this.notices = oddities(query, there);
    if (there.source.kind !== "trace" && this.#started !== query.toString()) this.draft = there.source;
    this.#started = null;
    // Back and forward among the edits of one run lose none of its branches.
    const known = !this.#afresh && this.run !== null && sameRun(this.run.source, there.source) ? this.branches : [];
    this.#afresh = false;
    // What was allowed for one branch stays allowed, or that branch could not be shown any more.
    const isAllowed = this.run !== null && isUnsound(this.run.source);
    if (known.length > 1 && isAllowed && there.source.kind !== "trace") {
      there.source = { ...there.source, options: withFlag(there.source.options, "unsound", true) };
    }
    this.#forks = [...known.map(({ edits }) => edits), ...parseForks(query.get("f") ?? "")];
    await this.open(there, true);
  }

  /** Opens a run at a moment. What was there stays until the new one is there, or for good if there is none. */
  async open(there: Place, fresh: boolean): Promise<boolean> {
    this.player.pause();
    this.#opening.abort();
    const opening = new AbortController();
    this.#opening = opening;
    this.#last = { there, fresh };
    this.busy = true;
    this.refused = null;
    void this.askChoices();
    try {
      const request = { source: there.source, edits: there.edits };
      const key = JSON.stringify(request);
      const known = this.#timelines.get(key);
      const timeline = known ?? (await Timeline.open(this.#engine, request, opening.signal));
      if (timeline.run.small && there.at !== null) await timeline.load(Math.min(there.at, timeline.run.steps));
      if (opening.signal.aborted) return false;
      if (fresh) this.#timelines.clear();
      this.#timelines.set(key, timeline);
      this.#show(timeline, there, fresh);
      return true;
    } catch (error) {
      if (!opening.signal.aborted) this.error = error;
      return false;
    } finally {
      if (this.#opening === opening) this.busy = false;
    }
  }

  #show(timeline: Timeline, there: Place, fresh: boolean): void {
    const run = timeline.run;
    this.error = null;
    this.timeline = timeline;
    this.event = null;
    this.message = null;
    if (fresh) {
      const { branches, current } = first(there.edits, this.#forks);
      this.branches = branches;
      this.current = current;
      this.selected = there.selected;
      const odd: string[] = [];
      if (run.small && there.at !== null && there.at > run.steps) {
        odd.push(`The address asks for step ${there.at}, the run has ${run.steps}: this is its end.`);
      }
      if (there.selected !== null && there.selected >= run.n) {
        odd.push(`The address selects process ${there.selected}, but there are only 0 to ${run.n - 1}.`);
        this.selected = null;
      }
      this.notices = [...this.notices, ...odd];
    }
    const moment = timeline.at(there.at ?? 0);
    this.#move(moment, fresh ? null : this.step);
    this.#wanted = moment.step;
    this.loaded = timeline.loaded;
    void this.#askActions(run);
    this.note();
  }

  #move(moment: Moment, before: number | null): void {
    this.glide = motion(before, moment.step, this.player.speed, wantsStillness());
    this.moment = moment;
  }

  /** Nobody waits any more for the run that is being made. */
  stop(): void {
    this.#opening.abort();
    this.busy = false;
    this.error = new Error("Stopped: the run was not made. Choose a smaller one, or start it again.");
  }

  /** What a large run costs, once the engine has said it. */
  get cost(): string {
    const bytes = this.choices?.memory ?? 0;
    const mega = Math.round(bytes / 2 ** 20);
    return mega < 32 ? "" : `It takes about ${mega.toLocaleString("en")} MiB of memory.`;
  }

  /** Once more, after the engine was gone. */
  again(): void {
    const { there, fresh } = this.#last ?? { there: this.place, fresh: true };
    // An edit that failed is still to be made by whoever wants it; the run is there.
    if (fresh) void this.open(there, true);
    else this.error = null;
  }

  /** Takes the configuration of the form. */
  start(): void {
    const there = { source: this.draft, edits: [], at: null, selected: null };
    const query = address(there);
    for (const [key, value] of this.#extra) query.set(key, value);
    this.notices = [];
    this.#afresh = true;
    this.#started = query.toString();
    travel("lab", query);
  }

  /** Runs the example that shows the error of a text taken literally. */
  startExample(words: string): void {
    if (this.draft.kind === "trace") return;
    this.draft = { kind: "run", algorithm: this.draft.algorithm, options: fromWords(words) };
    this.start();
  }

  /** Asks what could be chosen instead of what the form has. */
  async askChoices(): Promise<void> {
    const source = this.draft;
    if (source.kind !== "run" || source.algorithm === "") return;
    try {
      const choices = await this.#engine.call("choices", { source });
      if (this.draft === source) this.choices = choices;
    } catch {
      // Then everything can be chosen, and the engine says what is wrong when it is run.
    }
  }

  async #askActions(run: Run): Promise<void> {
    this.admitted = {};
    try {
      const choices = await this.#engine.call("choices", { source: run.source });
      if (this.run === run) this.admitted = choices.actions;
    } catch {
      // Then the engine refuses when it is tried.
    }
  }

  /** Goes to the moment after so many steps. */
  async go(step: number): Promise<void> {
    const timeline = this.timeline;
    if (!timeline) return;
    const wanted = Math.max(0, Math.min(Math.trunc(step), timeline.run.steps));
    this.#wanted = wanted;
    if (wanted > timeline.loaded) {
      try {
        await timeline.load(wanted);
      } catch (error) {
        this.error = error;
      }
    } else if (wanted + 200 > timeline.loaded && timeline.loaded < timeline.run.steps) {
      void this.loadTo(timeline.loaded + 500);
    }
    // Somebody may have gone elsewhere in the meantime.
    if (this.timeline !== timeline || this.#wanted !== wanted) return;
    this.#move(timeline.at(wanted), this.step);
    this.loaded = timeline.loaded;
    this.note();
  }

  /** Fetches events up to a step, for what looks ahead: the list when it is searched, the diagram. */
  async loadTo(step: number): Promise<void> {
    const timeline = this.timeline;
    if (!timeline) return;
    try {
      await timeline.load(step);
    } catch (error) {
      this.error = error;
    }
    if (this.timeline === timeline) this.loaded = timeline.loaded;
  }

  #play(steps: number): boolean {
    const run = this.run;
    if (!run || this.step >= run.steps) return false;
    void this.go(this.step + steps);
    return this.step < run.steps;
  }

  togglePlay(): void {
    if (!this.player.playing && this.run && this.step >= this.run.steps) void this.go(0);
    this.player.toggle();
  }

  /** The next (or previous) step of the selected process. */
  along(direction: 1 | -1): void {
    const steps = this.timeline?.stepsOf[this.selected ?? -1];
    if (!steps) {
      void this.go(this.step + direction);
      return;
    }
    const isNext = (step: number) => step + 1 > this.step;
    const isBefore = (step: number) => step + 1 < this.step;
    const found = direction === 1 ? steps.find(isNext) : steps.findLast(isBefore);
    if (found !== undefined) void this.go(found + 1);
    else if (direction === 1 && this.loaded < (this.run?.steps ?? 0)) void this.go(this.loaded);
  }

  /** The longest chain needs the whole run. */
  toggleChain(): void {
    this.chain = !this.chain;
    if (this.chain && this.run?.small) void this.loadTo(this.run.steps);
  }

  nextProcess(): void {
    if (!this.run) return;
    this.selected = this.selected === null ? 0 : (this.selected + 1) % this.run.n;
    this.note();
  }

  nextMessage(): void {
    const transit = this.moment?.transit ?? [];
    const next = transit.find((one) => this.message !== null && one.message > this.message) ?? transit[0];
    this.message = next?.message ?? null;
  }

  /** After which step a property first fails, if it does. */
  violation(place: number): number | null {
    const property = this.run?.properties[place];
    if (!this.run || !property || property.holds) return null;
    // What is decided when the run ends fails there.
    return property.violated_at === null ? this.run.steps : Math.min(property.violated_at + 1, this.run.steps);
  }

  nextViolation(): void {
    const all = (this.run?.properties ?? []).flatMap((_, place) => this.violation(place) ?? []).sort((a, b) => a - b);
    const next = all.find((step) => step > this.step) ?? all[0];
    if (next !== undefined) void this.go(next);
  }

  /** Reaches into the run at this moment: a new branch. */
  async edit(action: string, what: number, extra?: number): Promise<void> {
    const why = this.admitted[action] ?? null;
    if (why !== null) {
      this.refused = { action, why, again: () => void this.allow(action, what, extra) };
      return;
    }
    await this.#branch(this.source, action, what, extra);
  }

  /** Who schedules sees nothing of what would come by itself. */
  schedule(on: boolean): void {
    this.mine = on;
    this.player.pause();
    this.note();
  }

  async #branch(source: Source, action: string, what: number, extra?: number): Promise<void> {
    const at = this.step;
    const parent = this.timeline;
    const edits = fork(this.edits, at, [at, action, what, ...(extra === undefined ? [] : [extra])].join("."));
    const after = action === "delay" ? at : at + 1;
    if (!(await this.open({ source, edits, at: after, selected: this.selected }, false))) return;
    // Who schedules goes on with one branch: each choice is a step of it, and Back takes it back.
    const known = this.mine && this.current > 0 ? this.branches.slice(0, this.current) : this.branches;
    const { branches, current } = withBranch(known, edits, this.mine ? 0 : this.current);
    const differs = parent && this.timeline ? difference(parent, this.timeline) : null;
    const fresh = branches[current];
    this.branches = fresh && differs !== null ? branches.with(current, { ...fresh, differs }) : branches;
    this.current = current;
    this.#enter();
  }

  /** The same edit, with what the contract excludes allowed. The run up to here is the same. */
  async allow(action: string, what: number, extra?: number): Promise<void> {
    const source = this.source;
    if (source.kind === "trace") return;
    const unsound: Source = { ...source, options: withFlag(source.options, "unsound", true) };
    this.refused = null;
    this.draft = unsound;
    await this.#branch(unsound, action, what, extra);
  }

  /** Shows another branch, at the same step if it has it. */
  async switchTo(place: number): Promise<void> {
    const branch = this.branches[place];
    if (!branch) return;
    const there = { source: this.source, edits: branch.edits, at: this.step, selected: this.selected };
    if (!(await this.open(there, false))) return;
    this.current = place;
    this.note();
  }

  /** Back to the run without the last edit; the branch stays in the list. */
  async undo(): Promise<void> {
    const last = this.edits.at(-1);
    if (last === undefined) return;
    const edits = this.edits.slice(0, -1);
    const at = parts(last)?.step ?? this.step;
    if (!(await this.open({ source: this.source, edits, at, selected: this.selected }, false))) return;
    const { branches, current } = withBranch(this.branches, edits, this.current);
    this.branches = branches;
    this.current = current;
    this.note();
  }

  /** Opens a file that somebody handed over. */
  async take(file: File): Promise<void> {
    const most = this.about.limits.bytes;
    if (file.size > most) {
      const sizes = `${file.size.toLocaleString("en")} bytes; the engine takes at most ${most.toLocaleString("en")}`;
      this.error = new Error(`${file.name} has ${sizes}. Look at a part of it with \`ringleader trace\`.`);
      return;
    }
    try {
      const text = await file.text();
      if (isRecording(text)) return handOver(file.name, text);
      const { source } = await this.#engine.call("import", { name: file.name, text });
      travel("lab", address({ source, edits: [], at: null, selected: null }));
    } catch (error) {
      this.error = error;
    }
  }

  /** Whether the form says something else than what is shown. */
  get changed(): boolean {
    if (this.run === null) return false;
    const key = (source: Source) => {
      const query = address({ source, edits: [], at: null, selected: null });
      query.sort();
      return query.toString();
    };
    return key(this.run.source) !== key(this.draft);
  }

  get place(): Place {
    return { source: this.source, edits: this.edits, at: this.step, selected: this.selected };
  }

  /** The address of what is shown. */
  link(): string {
    return format("lab", this.#query());
  }

  #query(): URLSearchParams {
    const query = address(this.place);
    const forks = formatForks(this.branches.filter((_, place) => place !== this.current));
    if (forks !== "") query.set("f", forks);
    if (this.mine) query.set("you", "1");
    for (const [key, value] of this.#extra) query.set(key, value);
    return query;
  }

  /** An edit is a place of its own in the history. */
  #enter(): void {
    if (this.#noted !== null) clearTimeout(this.#noted);
    this.#noted = null;
    enter("lab", this.#query());
  }

  /** Keeps something else of the screen in the address. */
  keep(key: "view", value: string | null): void {
    this.#extra = this.#extra.filter(([name]) => name !== key);
    if (value !== null) this.#extra.push([key, value]);
    this.note();
  }

  /** Says in the address where we are; not more than a few times a second, browsers mind. */
  note(): void {
    if (this.#noted !== null) return;
    this.#noted = setTimeout(() => {
      this.#noted = null;
      if (!location.hash.startsWith("#/lab") || !this.timeline) return;
      note("lab", this.#query());
    }, 300);
  }

  /** The Lab is left. */
  close(): void {
    this.player.pause();
    this.#opening.abort();
    if (this.#noted !== null) clearTimeout(this.#noted);
  }

  isGone(): boolean {
    return this.error instanceof EngineError && this.error.code === "ringleader::gone";
  }
}

function isUnsound(source: Source): boolean {
  return source.kind !== "trace" && source.options.unsound === true;
}

/** Whether two sources are one run, but perhaps for what the contract excludes and somebody allowed. */
function sameRun(one: Source, other: Source): boolean {
  const key = (source: Source) => {
    if (source.kind === "trace") return source.key;
    const query = address({ source: { ...source, options: withFlag(source.options, "unsound", false) }, edits: [], at: null, selected: null });
    query.sort();
    return query.toString();
  };
  return one.kind === other.kind && key(one) === key(other);
}

/** What an address says that makes no sense, in sentences. */
export function oddities(query: URLSearchParams, there: Place): string[] {
  const odd: string[] = [];
  const version = query.get("v");
  if (version !== null && version !== "1") {
    odd.push(`The address is of version ${version}; this page knows version 1, and reads it as that.`);
  }
  if (query.has("at") && there.at === null) {
    odd.push(`The address says at=${query.get("at")}, which is not a number of steps: this is the start.`);
  }
  if (query.has("sel") && there.selected === null) {
    odd.push(`The address says sel=${query.get("sel")}, which is not the index of a process.`);
  }
  return odd;
}
