// Which variables a table of a run needs: those that some step changes.

import type { Timeline } from "../lab/timeline";

export interface Columns {
  /** The places of the variables that change somewhere in the run. */
  moving: number[];
  /** Those that never do, with what they are: `id: 3, 2, 1`. */
  still: { place: number; words: string }[];
}

export function columns({ run, loaded, event }: Pick<Timeline, "run" | "loaded"> & { event: (step: number) => { changes: [number, string, string][] } | undefined }): Columns {
  const moving = new Set<number>();
  for (let step = 0; step < loaded; step += 1) for (const [place] of event(step)?.changes ?? []) moving.add(place);
  const places = run.variables.map((_, place) => place);
  const words = (place: number) => {
    const values = run.start.map((variables) => variables[place] ?? "");
    return `${run.variables[place]}: ${new Set(values).size === 1 ? `${values[0]} everywhere` : values.join(", ")}`;
  };
  return {
    moving: places.filter((place) => moving.has(place)),
    still: places.filter((place) => !moving.has(place)).map((place) => ({ place, words: words(place) })),
  };
}
