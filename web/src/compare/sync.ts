// Several runs under one slider: where each of them stands.

/** By share of the way (all end together), by steps (as many taken), or by causal depth (as long a chain of messages). */
export type By = "share" | "step" | "depth";
export const WAYS: { by: By; label: string }[] = [
  { by: "share", label: "share of the way" },
  { by: "step", label: "number of steps" },
  { by: "depth", label: "causal depth" },
];

/** The slider of shares has a thousand places. */
export const SHARES = 1000;

/** What one run contributes: how many steps it has, and the longest chain of messages before each step and in it. */
export interface Track {
  steps: number;
  /** `chains[k]`: the longest chain among the first k + 1 steps; rising. */
  chains: number[];
}

export function track(depths: number[]): Track {
  let longest = 0;
  return { steps: depths.length, chains: depths.map((depth) => (longest = Math.max(longest, depth))) };
}

/** The last place of the slider. */
export function extent(by: By, tracks: Track[]): number {
  switch (by) {
    case "share":
      // Runs that are too large to be walked through have no steps here: there is nowhere to go.
      return tracks.some(({ steps }) => steps > 0) ? SHARES : 0;
    case "step":
      return Math.max(0, ...tracks.map(({ steps }) => steps));
    case "depth":
      return Math.max(0, ...tracks.map(({ chains }) => (chains.at(-1) ?? -1) + 1));
  }
}

/** How many steps a run has taken when the slider is here. By depth: all until the first step with a chain of messages
 * as long as this; so that place 0 is the start, and the last place the end. */
export function standing(by: By, at: number, { steps, chains }: Track): number {
  switch (by) {
    case "share":
      return Math.round((Math.min(at, SHARES) / SHARES) * steps);
    case "step":
      return Math.min(at, steps);
    case "depth": {
      let low = 0;
      let high = chains.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((chains[middle] ?? 0) < at) low = middle + 1;
        else high = middle;
      }
      return low;
    }
  }
}

/** One step forward or back: by share the longest run takes one step, so that none of its steps is
 * skipped as long as the slider has places for them. */
export function next(by: By, at: number, tracks: Track[], direction: 1 | -1): number {
  const last = extent(by, tracks);
  if (by !== "share") return Math.max(0, Math.min(last, at + direction));
  const longest = Math.max(1, ...tracks.map(({ steps }) => steps));
  const now = Math.round((at / SHARES) * longest);
  const to = Math.round(((now + direction) / longest) * SHARES);
  // A run of more steps than the slider has places moves by a place at least.
  return Math.max(0, Math.min(SHARES, direction > 0 ? Math.max(to, at + 1) : Math.min(to, at - 1)));
}
