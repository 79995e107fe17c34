// Slides that are made in the Lab: moments of runs, with what is said of them. Together they are a story, a file.

import type { Edit, Options, OptionValue, Source } from "../engine";

/** A moment, and what is said of it. */
export interface Slide {
  caption: string;
  source: Source;
  edits: Edit[];
  at: number;
  selected: number | null;
}

const KEPT = "ringleader.slides";

function kept(): Slide[] {
  try {
    const slides: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(slides) ? (slides as Slide[]) : [];
  } catch {
    return [];
  }
}

/** The slides of this tab, also after the page was loaded again. */
class Slides {
  all = $state.raw<Slide[]>(kept());

  add(slide: Slide): void {
    this.#keep([...this.all, slide]);
  }

  clear(): void {
    this.#keep([]);
  }

  #keep(slides: Slide[]): void {
    this.all = slides;
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(slides));
    } catch {
      // Then they are there until the page is left.
    }
  }
}

export const slides = new Slides();

/** A text of TOML. What JSON writes is one as well, but for one character that it leaves as it is. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007F");

function worded(value: OptionValue): string {
  if (Array.isArray(value)) return `[${value.map(quoted).join(", ")}]`;
  if (typeof value === "boolean") return String(value);
  return /^(0|[1-9]\d{0,14})$/.test(value) ? value : quoted(value);
}

const table = (options: Options): string =>
  `{ ${Object.entries(options).map(([name, value]) => `${name} = ${worded(value)}`).join(", ")} }`;

/** The file of a story, as `ringleader serve --stories` reads it. */
export function storyFile(title: string, all: Slide[]): string {
  const head = [`title = ${quoted(title)}`, `minutes = ${Math.max(1, Math.ceil(all.length / 2))}`, `summary = ${quoted(`${title}.`)}`];
  const steps = all.map(({ caption, source, edits, at, selected }, index) => {
    if (source.kind === "trace") throw new Error("A story has runs that can be made again, and no files.");
    const before = all[index - 1];
    const goesOn = before?.at !== undefined && before.at < at && JSON.stringify([before.source, before.edits]) === JSON.stringify([source, edits]);
    const lines = ["[[step]]", `caption = ${quoted(caption)}`];
    if (!goesOn) {
      lines.push(`algorithm = ${quoted(source.algorithm)}`);
      if (Object.keys(source.options).length > 0) lines.push(`options = ${table(source.options)}`);
      if (source.kind === "counterexample") lines.push("counterexample = true");
      if (edits.length > 0) lines.push(`edits = [${edits.map(quoted).join(", ")}]`);
    } else lines.push(`from = ${before.at}`);
    lines.push(`at = ${at}`);
    if (selected !== null) lines.push(`select = ${selected}`);
    return lines.join("\n");
  });
  return `${[head.join("\n"), ...steps].join("\n\n")}\n`;
}
