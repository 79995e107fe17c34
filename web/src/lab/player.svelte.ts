// Playing: steps at a steady pace. Nothing starts by itself.

/** Steps in a second; each is about one and a half times the one before. */
export const SPEEDS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 12, 20, 30, 50, 100, 200, 500, 1000];

/** No browser shows more pictures in a second; beyond that several steps are taken at once. */
const SHORTEST_MS = 16;

export class Player {
  playing = $state(false);
  /** The place in SPEEDS. */
  pace = $state(5);
  readonly #take: (steps: number) => boolean;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #owed = 0;

  /** `take` takes so many steps and says whether there are more. */
  constructor(take: (steps: number) => boolean) {
    this.#take = take;
  }

  get speed(): number {
    return SPEEDS[this.pace] ?? 2;
  }

  faster(by: number): void {
    this.pace = Math.max(0, Math.min(SPEEDS.length - 1, this.pace + by));
  }

  toggle(): void {
    if (this.playing) this.pause();
    else {
      this.playing = true;
      this.#owed = 1;
      this.#tick();
    }
  }

  pause(): void {
    this.playing = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    const steps = Math.floor(this.#owed);
    this.#owed -= steps;
    if (steps > 0 && !this.#take(steps)) {
      this.pause();
      return;
    }
    const wait = Math.max(SHORTEST_MS, 1000 / this.speed);
    this.#timer = setTimeout(() => {
      this.#owed += (wait / 1000) * this.speed;
      this.#tick();
    }, wait);
  }
}
