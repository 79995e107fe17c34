// Branches: somebody reaches into the past of a run, and from there on there are two. Nothing is ever lost: a branch is
// its list of edits, and the list of branches only grows.

import type { Edit } from "../engine/types";
import type { Timeline } from "./timeline";

/** So many forks are kept in an address: it is to be sent around. */
const MOST_FORKS = 12;

export interface Branch {
  edits: Edit[];
  /** The place of the branch from which it was made; null for the first. */
  parent: number | null;
  /** The first step that is another than on the parent; null: not known, or none. */
  differs: number | null;
}

export interface Parts { step: number; action: string; what: number; extra: number | null }

/** An edit taken apart; null if it is none. Whether it makes sense, the engine says. */
export function parts(edit: Edit): Parts | null {
  const found = /^(\d+)\.([a-z]+)\.(\d+)(?:\.(\d+))?$/.exec(edit);
  if (!found) return null;
  const extra = found[4] ? Number(found[4]) : null;
  return { step: Number(found[1]), action: found[2] ?? "", what: Number(found[3]), extra };
}

/** The edits of the branch that begins when `edit` is made after `step` steps of a branch with these edits. */
export function fork(edits: Edit[], step: number, edit: Edit): Edit[] {
  return [...edits.filter((one) => (parts(one)?.step ?? 0) <= step), edit];
}

/** The branches of a run that is opened with these edits, and with others that somebody made before. */
export function first(edits: Edit[], others: Edit[][] = []): { branches: Branch[]; current: number } {
  const main: Branch = { edits: [], parent: null, differs: null };
  let all = { branches: [main], current: 0 };
  for (const other of [...others, edits]) {
    if (other.length === 0) all = { ...all, current: 0 };
    else all = withBranch(all.branches, other, nearest(all.branches, other));
  }
  return all;
}

/** The branch with the most edits that this one begins with. */
function nearest(branches: Branch[], edits: Edit[]): number {
  let found = 0;
  branches.forEach((branch, place) => {
    const begins = branch.edits.every((edit, index) => edits[index] === edit);
    if (begins && branch.edits.length > (branches[found]?.edits.length ?? 0)) found = place;
  });
  return found;
}

/** Branches in an address: `10.drop.3|10.drop.3;12.crash.1`. */
export function formatForks(branches: Branch[]): string {
  return branches.filter(({ edits }) => edits.length > 0).slice(-MOST_FORKS).map(({ edits }) => edits.join(";")).join("|");
}

export function parseForks(text: string): Edit[][] {
  return text.split("|").map((fork) => fork.split(";").filter((edit) => parts(edit) !== null)).filter((edits) => edits.length > 0);
}

/** With this branch among them, and its place: a branch that was there already is not made again. */
export function withBranch(branches: Branch[], edits: Edit[], parent: number): { branches: Branch[]; current: number } {
  const key = edits.join(";");
  const old = branches.findIndex((branch) => branch.edits.join(";") === key);
  if (old >= 0) return { branches, current: old };
  const known = branches[parent]?.edits ?? [];
  const fresh = edits.find((edit, index) => known[index] !== edit);
  const differs = parts(fresh ?? edits.at(-1) ?? "")?.step ?? null;
  return { branches: [...branches, { edits, parent, differs }], current: branches.length };
}

export function branchName(branches: Branch[], place: number): string {
  const branch = branches[place];
  if (!branch || branch.parent === null) return "main";
  const known = branches[branch.parent]?.edits ?? [];
  const fresh = branch.edits.filter((edit, index) => known[index] !== edit);
  const actions = (fresh.length > 0 ? fresh : branch.edits).map((edit) => parts(edit)?.action ?? "?");
  return `fork ${place} (${actions.length > 0 ? actions.join(", ") : "undone"})`;
}

/** In words, for lists and marks. */
export function editWords(edit: Edit): string {
  const taken = parts(edit);
  if (!taken) return edit;
  const { step, action, what, extra } = taken;
  const whom = ["crash", "recover", "want"].includes(action) ? `p${what}` : `message ${what}`;
  return `before step ${step + 1}: ${action} ${whom}${extra === null ? "" : ` by ${extra} steps`}`;
}

/** The first loaded step at which two runs part; null if they are the same as far as both are loaded. */
export function difference(one: Timeline, other: Timeline): number | null {
  const both = Math.min(one.loaded, other.loaded);
  for (let step = 0; step < both; step += 1) {
    const [a, b] = [one.event(step), other.event(step)];
    if (!a || !b || a.process !== b.process || a.input.kind !== b.input.kind) return step;
    if (a.words !== b.words || a.effects !== b.effects) return step;
  }
  return one.run.steps === other.run.steps ? null : both;
}
