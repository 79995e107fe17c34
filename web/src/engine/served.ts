// The engine of a page that `ringleader serve` hands out.

import { ServerEngine } from "./server";
import type { Engine } from "./types";

export const engine: Engine = new ServerEngine(new URLSearchParams(location.search).get("token"));
