// Where one is in a story, and how fast it plays: pure logic of the story screen.

import type { RunRequest, Story } from "../engine";

export type StoryStep = Story["steps"][number];

export interface StoryPlace {
  name: string;
  /** From 0; the address counts from 1, as people do. */
  step: number;
  /** How many steps of the run were taken, if that is not what the story says. */
  at: number | null;
  answered: boolean;
  /** Large type and little else. */
  teaching: boolean;
  /** In a page of somebody else: the slide and its controls, no ways to elsewhere. */
  embedded: boolean;
}

const whole = (text: string | null): number | null => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null);

export function read(query: URLSearchParams): StoryPlace {
  return {
    name: query.get("name") ?? "",
    step: Math.max(0, (whole(query.get("s")) ?? 1) - 1),
    at: whole(query.get("at")),
    answered: query.get("answer") === "1",
    teaching: query.get("t") === "1",
    embedded: query.get("embed") === "1",
  };
}

export function write(place: StoryPlace): URLSearchParams {
  const query = new URLSearchParams({ name: place.name, s: String(place.step + 1) });
  if (place.at !== null) query.set("at", String(place.at));
  if (place.answered) query.set("answer", "1");
  if (place.teaching) query.set("t", "1");
  if (place.embedded) query.set("embed", "1");
  return query;
}

/** Why an address does not lead into this story; null if it does. */
export function outside(place: StoryPlace, story: Story, asked: string | null): string | null {
  if (asked !== null && whole(asked) === null) return `The address asks for step “${asked}”; steps are numbers from 1 to ${story.steps.length}. This is step 1.`;
  if (place.step < story.steps.length && asked !== "0") return null;
  return `This story has ${story.steps.length} steps; the address asks for step ${asked}. This is the ${asked === "0" ? "first" : "last"} one.`;
}

/** The runs that a step shows: its own, and the one beside it. */
export function requests(step: StoryStep): RunRequest[] {
  const own = { source: step.source, edits: step.edits };
  return step.beside ? [own, { source: step.beside.source, edits: step.beside.edits }] : [own];
}

/** Where the run beside stands: after as many steps, or, when the story looks at the end, at the same share of its way. */
export function besideAt(step: StoryStep, now: number, steps: number, others: number): number {
  if (step.at !== null) return Math.min(now, others);
  return steps === 0 ? others : Math.round((now / steps) * others);
}

/** Milliseconds between two pictures, and how many steps from one to the next: never faster than 12 pictures a second,
 * and no play longer than about fifteen seconds. */
export function pace(steps: number): { wait: number; stride: number } {
  const wait = Math.max(80, Math.min(800, 12_000 / Math.max(1, steps)));
  return { wait, stride: Math.max(1, Math.ceil((steps * wait) / 15_000)) };
}

/** A caption in pieces: what stands between two backquotes is code. */
export function pieces(text: string): { text: string; code: boolean }[] {
  return text
    .split(/(`[^`]+`)/)
    .filter((part) => part !== "")
    .map((part) => (part.length > 2 && part.startsWith("`") && part.endsWith("`") ? { text: part.slice(1, -1), code: true } : { text: part, code: false }));
}

/** What becomes of a question that is answered by a click: on the right process, on the rule that fires. */
export interface Guess { right: boolean; words: string }

export function guess(step: Pick<StoryStep, "click" | "rule">, said: { process: number } | { rule: string }): Guess | null {
  if ("process" in said) {
    if (step.click === null) return null;
    const right = said.process === step.click;
    return { right, words: right ? `Yes, p${said.process}.` : `Not p${said.process}. Look again, or show the answer.` };
  }
  if (step.rule === null) return null;
  const right = said.rule === step.rule;
  return { right, words: right ? `Yes, “${said.rule}”.` : `Not “${said.rule}”. Look again, or show the answer.` };
}

/** Which slide is read: the last whose top is not below the line, the first if none is. */
export function slideAt(tops: number[], line: number): number {
  return Math.max(0, tops.findLastIndex((top) => top <= line));
}
