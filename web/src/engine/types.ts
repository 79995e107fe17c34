// The interface between the page and an engine: what is asked, what is answered, as plain JSON. The engine is
// `ringleader serve`, which takes each verb as POST /api/VERB, or the same library as WebAssembly in a worker. ENGINE.md
// describes it in words. Nothing here is a class, and nothing is remembered between two calls but checks that are under
// way: a run is a function of its source and its edits.

/** Options of the command line, by their long name without the dashes: `{ nodes: "8", ids: "random", seed: "7" }`. Flags
 * are `true`; an option that may be given several times (crash, lose, set …) is a list. The words are those of
 * `ringleader run --help` (for a counterexample those of `ringleader check --help`). */
export type Options = Record<string, string | string[] | true>;

/** Where a run comes from. All three give the same run each time. */
export type Source =
  | { kind: "run"; algorithm: string; options: Options }
  /** The counterexample that the checker finds. */
  | { kind: "counterexample"; algorithm: string; options: Options }
  /** A trace file that was handed over with `import`. The engine forgets it when it ends. */
  | { kind: "trace"; key: string };

/** Somebody reaches into a run: `STEP.ACTION.WHAT`, before the step with this number (from 0) is taken.
 * deliver, drop, duplicate, overtake: a message by its number. `12.drop.3`
 * delay: a message and for how many steps. `12.delay.3.10`
 * crash, recover, want: a process by its index. `40.crash.2` */
export type Edit = string;

export interface RunRequest { source: Source; edits: Edit[] }

/** Something that could be chosen, and why not. */
export interface Choice { value: string; label: string; why: string | null }

export interface Algorithm {
  name: string;
  aliases: string[];
  title: string;
  problem: "election" | "mutex";
  /** In words: `one-way ring`, `two-way ring`, `complete graph`, `tree`. */
  topology: string;
  /** What it needs, a few words each: fifo, distinct-ids, known-n … */
  needs: string[];
  idea: string;
  source: string;
  /** A text taken literally, with its error in it. */
  literal: boolean;
  erratum: string | null;
  rules: { name: string; text: string }[];
  kinds: string[];
  /** The proved bound, as a formula. */
  bound: string | null;
  average: string | null;
  /** The largest n up to which the checker has been through all runs. */
  checked: number | null;
  settings: { name: string; help: string; values: string[] | null; default: string }[];
  /** A command line that shows the error of a literal text; options without the name. */
  example: string | null;
}

export interface About {
  schema: "ringleader.page/1";
  version: string;
  algorithms: Algorithm[];
  stories: { name: string; title: string; minutes: number; summary: string }[];
  limits: {
    /** The most processes of one run. */
    nodes: number;
    /** Up to so many processes and steps a run is given event by event. */
    small_nodes: number;
    small_steps: number;
    /** The largest request, in bytes. */
    bytes: number;
  };
}

/** What could be chosen instead, one option at a time; everything else stays as it is in the source. */
export interface Choices {
  /** By option: ids, links, schedule, topology, initiators, orientation. Only those that mean something here. */
  options: Record<string, Choice[]>;
  /** By action of an edit: deliver, drop, duplicate, overtake, delay, crash, recover, want. Not admitted: why. With
   * `unsound` all that make sense are admitted. */
  actions: Record<string, string | null>;
  /** Where the source itself is outside the contract. */
  outside: string[];
}

export interface Property {
  name: string;
  /** `always`: has a value in each state. `end`: is decided when the run ends. */
  kind: "always" | "end";
  holds: boolean;
  detail: string | null;
  /** The first step after which it does not hold. */
  violated_at: number | null;
}

export interface Mark { step: number; kind: "edit" | "fault" | "decision" | "violation"; text: string }

/** A run as a whole. */
export interface Run {
  source: Source;
  edits: Edit[];
  algorithm: string;
  problem: "election" | "mutex";
  n: number;
  /** The command that gives the same run; for a counterexample the `check` that finds it. */
  command: string;
  /** Exactly what `ringleader run --json` says of it, without the time it took. */
  report: Report;
  topology: string;
  links: string;
  schedule: string;
  /** Where it left the algorithm's assumptions. */
  outside: string[];
  /** How many steps it has. */
  steps: number;
  /** Whether `events` gives all of it. If not, `overview` and `window` do. */
  small: boolean;
  properties: Property[];
  marks: Mark[];
  /** Messages sent in each of at most 240 equal shares of the steps. */
  density: number[];
  /** Of a small run; empty or null otherwise. */
  ids: number[];
  /** Who is joined to whom. On one-way rings from the first to the second. */
  edges: [number, number][];
  directed: boolean;
  variables: string[];
  /** The values of the variables before the first step, for each process. */
  start: string[][];
}

/** ringleader.run/1; the fields that the page reads by name. */
export interface Report {
  schema: string;
  algorithm: string;
  nodes: number;
  outcome: string;
  messages: { total: number; by_kind: Record<string, number> };
  election_messages?: number;
  bound: { formula: string; counts: "election" | "all"; value: number; holds: boolean } | null;
  average?: { formula: string; value: number } | null;
  [field: string]: unknown;
}

export type Standing = "open" | "leads" | "lost" | "waiting" | "inside" | "down";

export interface Sent {
  message: number;
  to: number;
  kind: string;
  /** As a call: `tid(7)`. */
  text: string;
  fields: [string, string][];
  /** `doubled`: a copy with the next number travels too. */
  fate: "travels" | "lost" | "doubled";
  announces: boolean;
}

export interface RunEvent {
  step: number;
  time: string;
  process: number;
  input:
    | { kind: "start" | "want" | "exit" | "crash" | "recover" }
    /** `missed`: the process was down. */
    | { kind: "deliver"; messages: number[]; missed: boolean }
    | { kind: "lose" | "double"; messages: number[] }
    | { kind: "timeout" | "local"; name: string }
    | { kind: "suspect"; process: number };
  /** In words: `p3 receives tid(7) from p2`, `sends tid(7) to p4 → LEADS`. */
  words: string;
  effects: string;
  rules: string[];
  choices: number[];
  sends: Sent[];
  outcome: "leads" | "lost" | "undecided" | "waits" | "enters" | "leaves" | null;
  /** Where the process stands after it. */
  standing: Standing;
  /** What changed: the place of the variable, before, now. */
  changes: [number, string, string][];
  /** The longest chain of messages that leads here. */
  depth: number;
  /** The steps that it follows from directly. */
  causes: number[];
  /** Properties whose value changes with this step: their place in `Run.properties`, whether it holds here (null: nothing
   * to say yet), whether it held so far. Before the first step all are [place, null, true]. */
  properties: [number, boolean | null, boolean][];
}

export interface EventsRequest extends RunRequest { from: number; to: number }
export interface Events { from: number; events: RunEvent[] }

/** A large run, from far away: everything in `nodes` × `steps` (both half open; null: all) is counted. */
export interface OverviewRequest extends RunRequest {
  nodes: [number, number] | null;
  steps: [number, number] | null;
  columns: number;
  rows: number;
}

export interface Overview {
  nodes: [number, number];
  steps: [number, number];
  columns: number;
  rows: number;
  /** Messages received, `rows` × `columns`, by row: a row is a share of the steps, a column a share of the processes. */
  received: number[];
  /** What processes can be, as they call it: candidate, relay, leader … The first variable that is a word. */
  roles: string[];
  /** At the end of each row: how many processes of each column are in each role: `frames[row].roles[role][column]`. */
  frames: {
    step: number;
    time: string;
    /** Messages sent, and in transit. */
    messages: number;
    transit: number;
    roles: number[][];
    /** Processes in roles that few are in, each by itself. */
    alone: { process: number; id: number | null; role: string }[];
  }[];
}

/** A part of a large run, exactly: at most 200 processes and 2000 of their steps. */
export interface WindowRequest extends RunRequest { nodes: [number, number]; steps: [number, number] }

export interface Window {
  nodes: [number, number];
  steps: [number, number];
  ids: number[];
  variables: string[];
  /** The values before the first of these steps. */
  start: string[][];
  standing: Standing[];
  events: RunEvent[];
  /** Whether there are more events in it than were given. */
  cut: boolean;
}

export interface CheckRequest { algorithm: string; options: Options }
export interface CheckStarted { job: string; command: string; expected_states: number | null }

export interface CheckLook {
  state: "running" | "done" | "stopped";
  seconds: number;
  progress: { cases: number; cases_total: number | null; states: number; depth: number } | null;
  /** Exactly what `ringleader check --json` says, without the time it took. */
  findings: CheckFindings | null;
  /** Whether there is a single run that shows the violation. */
  counterexample: boolean;
}

export interface CheckFindings {
  schema: string;
  algorithm: string;
  nodes: number;
  [field: string]: unknown;
}

export interface CompareRequest {
  algorithms: string[];
  /** Options of `ringleader compare`, with `sizes` and `runs` among them. */
  options: Options;
}

export interface Compared {
  command: string;
  columns: string[];
  rows: (string | number | null)[][];
  /** The plot. */
  svg: string;
  notes: string[];
}

export type ExportKind = "trace" | "html" | "svg" | "shiviz" | "chrome" | "mermaid" | "itf" | "jsonl";
export interface ExportRequest extends RunRequest {
  kind: ExportKind;
  nodes?: [number, number];
  steps?: [number, number];
  dark?: boolean;
}
export interface Exported { name: string; type: string; text: string }

export interface ImportRequest { name: string; text: string }
export interface Imported { source: Source }

/** A story: a few steps, each a run at some moment, with a caption. */
export interface Story {
  name: string;
  title: string;
  minutes: number;
  summary: string;
  steps: {
    caption: string;
    source: Source;
    edits: Edit[];
    /** The step at which it stands; null: the end. */
    at: number | null;
    /** Play from here to `at`. */
    from: number | null;
    select: number | null;
    question: string | null;
    answer: string | null;
    /** A second run beside it. */
    beside: { source: Source; edits: Edit[] } | null;
  }[];
}

export interface Verbs {
  about: [Record<string, never>, About];
  choices: [{ source: Source }, Choices];
  open: [RunRequest, Run];
  events: [EventsRequest, Events];
  overview: [OverviewRequest, Overview];
  window: [WindowRequest, Window];
  check: [CheckRequest, CheckStarted];
  look: [{ job: string }, CheckLook];
  stop: [{ job: string }, CheckLook];
  compare: [CompareRequest, Compared];
  export: [ExportRequest, Exported];
  import: [ImportRequest, Imported];
  story: [{ name: string }, Story];
  /** How a real cluster is: `cluster/status.ts` reads it. */
  cluster: [Record<string, never>, unknown];
}
export type Verb = keyof Verbs;

export interface Engine {
  call<V extends Verb>(verb: V, request: Verbs[V][0], signal?: AbortSignal): Promise<Verbs[V][1]>;
}

/** What an engine refuses, with what to do instead. `{ "error": { code, message, help } }` with a status of 400 or above. */
export interface Complaint { code: string; message: string; help: string[] }
