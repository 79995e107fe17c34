// The engine as WebAssembly, in a worker: so that the page answers while it works. A worker answers one question after
// the other; whoever does not want to wait ends it.

/** The page asks. The first message has the module as well. */
export interface Asked { id: number; verb: string; question: string; module?: WebAssembly.Module }

/** The worker answers, or says how far a check is. */
export type Told =
  | { id: number; kind: "answer"; ok: boolean; text: string }
  | { id: number; kind: "progress"; cases: number; cases_total: number | null; states: number; depth: number }
  /** It broke off, and cannot be asked again. */
  | { id: number; kind: "broken"; why: string };

interface Exports {
  memory: WebAssembly.Memory;
  room(bytes: number): number;
  call(verb: number): number;
  answer(): number;
  answer_bytes(): number;
}

// Of a worker TypeScript knows only what a page has, too.
const here = self as unknown as { postMessage(told: Told): void; onmessage: ((event: MessageEvent<Asked>) => void) | null };

let engine: Exports | null = null;
let asked = 0;
let why = "";

const text = (at: number, bytes: number): string =>
  engine ? new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, bytes)) : "";

function make(module: WebAssembly.Module): Exports {
  const instance = new WebAssembly.Instance(module, {
    worker: {
      now: () => performance.now(),
      progress: (cases: number, all: number, states: number, depth: number) =>
        here.postMessage({ id: asked, kind: "progress", cases, cases_total: all || null, states, depth }),
      breaks_off: (at: number, bytes: number) => (why = text(at, bytes)),
    },
  });
  return instance.exports as unknown as Exports;
}

function answer(engine: Exports, verb: string, question: string): Told {
  const encoder = new TextEncoder();
  const [first, rest] = [encoder.encode(verb), encoder.encode(question)];
  const at = engine.room(first.length + rest.length);
  const room = new Uint8Array(engine.memory.buffer, at, first.length + rest.length);
  room.set(first);
  room.set(rest, first.length);
  const ok = engine.call(first.length) === 1;
  return { id: asked, kind: "answer", ok, text: text(engine.answer(), engine.answer_bytes()) };
}

here.onmessage = ({ data }) => {
  asked = data.id;
  why = "";
  try {
    if (data.module) engine = make(data.module);
    if (!engine) throw new Error("the first message has no module");
    here.postMessage(answer(engine, data.verb, data.question));
  } catch (error) {
    here.postMessage({ id: asked, kind: "broken", why: why || (error instanceof Error ? error.message : String(error)) });
  }
};
