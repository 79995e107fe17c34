// Runs as a race: each in a lane, under one clock.

export interface Runner {
  name: string;
  /** Where it is, and how many steps it has. */
  step: number;
  steps: number;
  messages: number;
}

export interface Lane extends Runner {
  /** How long the lane is, and how far the runner is in it, as shares of the longest. */
  length: number;
  at: number;
  /** 1 for whoever is home with the fewest messages; none before everybody is home. */
  place: number | null;
}

export function lanes(runners: Runner[]): Lane[] {
  const longest = Math.max(1, ...runners.map(({ steps }) => steps));
  const home = runners.length > 0 && runners.every(({ step, steps }) => step >= steps);
  return runners.map((runner) => ({
    ...runner,
    length: runner.steps / longest,
    at: Math.min(runner.step, runner.steps) / longest,
    place: home ? 1 + runners.filter(({ messages }) => messages < runner.messages).length : null,
  }));
}

/** An odometer: always as many digits, so that nothing jumps. */
export function odometer(messages: number, most: number): string {
  return String(messages).padStart(Math.max(3, String(most).length), "0");
}
