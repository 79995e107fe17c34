// The engine behind `ringleader serve`: each verb is a POST. A token, where one is needed, is in the address of the page
// (`?token=…`), and goes with every request.

import type { Complaint, Engine, Verb, Verbs } from "./types";

/** The engine refused, or cannot be reached. Both have a sentence for the page. */
export class EngineError extends Error {
  readonly code: string;
  readonly help: string[];
  constructor(complaint: Complaint) {
    super(complaint.message);
    this.code = complaint.code;
    this.help = complaint.help;
  }
}

const GONE: Complaint = {
  code: "ringleader::gone",
  message: "The engine does not answer: `ringleader serve` was stopped, or the network is gone.",
  help: ["What is on this page stays. Start it again with `ringleader serve`, then try once more."],
};

export class ServerEngine implements Engine {
  readonly #token: string | null;
  constructor(token: string | null) {
    this.#token = token;
  }

  async call<V extends Verb>(verb: V, request: Verbs[V][0], signal?: AbortSignal): Promise<Verbs[V][1]> {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    let response: Response;
    try {
      response = await fetch(`api/${verb}`, { method: "POST", headers, body: JSON.stringify(request), signal });
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw new EngineError(GONE);
    }
    let answer: unknown;
    try {
      answer = await response.json();
    } catch {
      throw new EngineError({ code: "ringleader::garbled", message: `The engine answered ${response.status} without words.`, help: [] });
    }
    if (!response.ok) {
      const error = (answer as { error?: Complaint }).error;
      throw new EngineError(error ?? { code: "ringleader::garbled", message: `The engine answered ${response.status}.`, help: [] });
    }
    return answer as Verbs[V][1];
  }
}
