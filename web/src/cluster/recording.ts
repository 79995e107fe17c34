// A minute of a cluster as a file: the looks themselves, so that it is shown as it was seen, and beside them what
// happened, for readers that do not want to compare.

import { look, NOTHING, type Look, type Seen } from "./log";
import type { Happening } from "./differences";
import { Reader, readStatus } from "./status";

export const RECORDING = "ringleader.cluster-recording/1";

/** A recording is so long. */
export const MINUTE_MS = 60_000;

/** The largest file that is opened, and the most looks in it. */
export const BYTES_MAX = 64 * 1024 ** 2;
export const LOOKS_MAX = 3600;

export interface Recording {
  schema: typeof RECORDING;
  cluster: string;
  from_ms: number;
  to_ms: number;
  looks: Look[];
  events: Happening[];
}

/** What was to be seen after each of the looks. */
export function play(looks: readonly Look[]): Seen[] {
  let seen = NOTHING;
  return looks.map((one) => (seen = look(seen, one)));
}

export function recording(looks: readonly Look[]): Recording {
  const cluster = looks.find(({ status }) => status)?.status?.cluster ?? "";
  const events = play(looks).flatMap(({ news }) => news);
  return { schema: RECORDING, cluster, from_ms: looks[0]?.at_ms ?? 0, to_ms: looks.at(-1)?.at_ms ?? 0, looks: [...looks], events };
}

/** Two digits. */
const two = (number: number): string => String(number).padStart(2, "0");

/** A name for the file: the cluster, and when it was. */
export function fileName({ cluster, from_ms }: Recording): string {
  const at = new Date(from_ms);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
  return `${cluster.replace(/[^a-z0-9-]+/gi, "-") || "cluster"}-${day}-${time}.cluster.json`;
}

/** Takes a file, or says in a sentence what is wrong with it. */
export function open(name: string, text: string): Recording {
  const wrong = (why: string): Error =>
    new Error(`“${name}” is no recording of a cluster: ${why}. “Record a minute” on this screen makes one.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(`it is no JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  try {
    const schema = (value as { schema?: unknown } | null)?.schema;
    if (schema !== RECORDING) {
      throw new Error(typeof schema === "string" ? `its schema is ${schema}, and ${RECORDING} is needed` : "it does not say what it is");
    }
    const read = new Reader(value, "recording");
    const looks = read.list("looks", (one, where): Look => {
      const fields = new Reader(one, where);
      const { status } = one as { status?: unknown };
      const error = fields.maybe("error");
      if ((status ?? null) === null && error === null) throw new Error(`${where} has neither a status nor an error`);
      return {
        at_ms: fields.number("at_ms"),
        status: (status ?? null) === null ? null : readStatus(status, `${where}.status`),
        error,
      };
    });
    if (looks.length === 0) throw new Error("there is no look at the cluster in it");
    if (looks.length > LOOKS_MAX) throw new Error(`it has ${looks.length} looks, and ${LOOKS_MAX} are the most`);
    // What happened follows from the looks; what the file says of it is for others.
    return recording(looks);
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}
