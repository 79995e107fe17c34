// Answers as the page expects them, whoever gives them: a server of another edition would be found out here, and not by a
// screen that draws nonsense.

import { EngineError } from "./server";
import type { Engine, Verb, Verbs } from "./types";

/** What was wrong with the latest answer. */
interface Check {
  (answer: unknown): boolean;
  errors?: { instancePath: string; message?: string }[] | null;
}

/** An engine whose answers are looked at. */
export function checked(engine: Engine): Engine {
  const loaded = import("virtual:answers");
  // Whoever asks first is told; until then nobody has to know.
  loaded.catch(() => undefined);
  return {
    async call<V extends Verb>(verb: V, request: Verbs[V][0], signal?: AbortSignal): Promise<Verbs[V][1]> {
      const answer = await engine.call(verb, request, signal);
      const check: Check = (await loaded)[`${verb}_answer`];
      if (check(answer)) return answer;
      const [wrong] = check.errors ?? [];
      const where = `${verb}${wrong?.instancePath ?? ""}`;
      throw new EngineError({
        code: "ringleader::garbled",
        message: `The engine gives an answer that this page does not understand: ${where} ${wrong?.message ?? "is wrong"}.`,
        help: ["The page and the engine may be of different editions: load the page again.", "If that does not help, please report it."],
      });
    },
  };
}
