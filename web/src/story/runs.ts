// The runs of a story, each opened once: most steps look at the same run at another moment.

import type { Engine, RunRequest } from "../engine";
import { Timeline } from "../lab/timeline";

export class Runs {
  readonly #engine: Engine;
  readonly #kept = new Map<string, Promise<Timeline>>();
  /** More than these are not kept; the oldest goes. */
  static readonly MOST = 8;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The run with all its events, if it has so few that the engine gives them. */
  open(request: RunRequest): Promise<Timeline> {
    const key = JSON.stringify(request);
    const before = this.#kept.get(key);
    if (before) return before;
    const opened = Timeline.open(this.#engine, request).then(async (timeline) => {
      if (timeline.run.small) await timeline.load(timeline.run.steps);
      return timeline;
    });
    this.#kept.set(key, opened);
    // What failed is asked for again next time.
    opened.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > Runs.MOST && oldest !== undefined) this.#kept.delete(oldest);
    return opened;
  }
}
