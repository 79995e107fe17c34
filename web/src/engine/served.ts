// The engine of a page that `ringleader serve` hands out.

import { checked } from "./checked";
import { ServerEngine } from "./server";
import type { Engine } from "./types";

export const engine: Engine = checked(new ServerEngine(new URLSearchParams(location.search).get("token")));

/** A recorded run that came with the page. */
export const recording: { name: string; text: string } | null = null;
