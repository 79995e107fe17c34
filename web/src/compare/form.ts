// What is compared, and how it stands in the address: two to four algorithms, options that all of them get, the place of
// the slider, and what is to be measured below.

import type { Options } from "../engine";
import { options as readOptions, setOptions } from "../shell/address";
import { tidy } from "../check/form";
import type { By } from "./sync";

export const LEAST = 2;
export const MOST = 4;

export interface Comparison {
  algorithms: string[];
  options: Options;
  by: By;
  /** null: the end. */
  at: number | null;
  sizes: string;
  runs: string;
  /** Whether to measure at once. */
  plot: boolean;
}

export const USUAL: Comparison = {
  algorithms: ["chang-roberts", "peterson"],
  options: { nodes: "16", seed: "7" },
  // By steps the cost is seen: who needs fewer is home first.
  by: "step",
  at: 0,
  sizes: "8..256",
  runs: "5",
  plot: false,
};

/** What an address asks, and sentences about what in it makes no sense. */
export function read(query: URLSearchParams): { comparison: Comparison; complaints: string[] } {
  const complaints: string[] = [];
  const rest = new URLSearchParams(query);
  for (const own of ["by", "sizes", "runs", "plot"]) rest.delete(own);
  let algorithms = (query.get("x") ?? "").split(",").filter((name) => name !== "");
  if (query.has("x") && algorithms.length < LEAST) complaints.push("The address names fewer than two algorithms; choose another to hold beside it.");
  if (algorithms.length > MOST) {
    complaints.push(`Four algorithms at most stand side by side; left out: ${algorithms.slice(MOST).join(", ")}.`);
    algorithms = algorithms.slice(0, MOST);
  }
  if (!query.has("x")) algorithms = USUAL.algorithms;
  const wanted = query.get("by") ?? USUAL.by;
  const by = wanted === "share" || wanted === "step" || wanted === "depth" ? wanted : null;
  if (by === null) complaints.push(`The address asks to go by “${wanted}”; it can be share, step or depth. This is by step.`);
  const place = query.get("at");
  const number = place !== null && /^\d{1,9}$/.test(place) ? Number(place) : null;
  if (place !== null && number === null && place !== "end") complaints.push(`The address asks for place “${place}”, which is no number. This is the start.`);
  const given = tidy(readOptions(rest));
  return {
    comparison: {
      algorithms,
      // A comparison without a seed would be another one each time.
      options: { ...USUAL.options, ...given },
      by: by ?? USUAL.by,
      at: place === "end" ? null : (number ?? USUAL.at),
      sizes: query.get("sizes") ?? USUAL.sizes,
      runs: query.get("runs") ?? USUAL.runs,
      plot: query.get("plot") === "1",
    },
    complaints,
  };
}

export function write({ algorithms, options, by, at, sizes, runs, plot }: Comparison): URLSearchParams {
  const query = new URLSearchParams({ v: "1", x: algorithms.join(",") });
  setOptions(query, tidy(options));
  query.set("by", by);
  if (at === null) query.set("at", "end");
  else if (at > 0) query.set("at", String(at));
  if (sizes !== USUAL.sizes) query.set("sizes", sizes);
  if (runs !== USUAL.runs) query.set("runs", runs);
  if (plot) query.set("plot", "1");
  return query;
}

/** The options of the measurement: those of the runs above, at several sizes. */
export function measured({ options, sizes, runs }: Comparison): Options {
  const { nodes: _, ...rest } = options;
  // A list of identities is for one size only.
  if (typeof rest.ids === "string" && /^\d/.test(rest.ids)) delete rest.ids;
  return { ...rest, sizes, runs };
}

/** A number for the table: few digits are enough to compare. */
export function cell(value: string | number | null): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  return Number.isInteger(value) ? value.toLocaleString("en") : value.toLocaleString("en", { maximumSignificantDigits: 5 });
}
