// The way from an algorithm to the other screens.

import { exampleOptions } from "../check/form";
import type { Algorithm } from "../engine";
import { setOptions } from "../shell/address";

/** So many processes are easy to look at. A complete binary tree has one fewer. */
export function fewProcesses(algorithm: Algorithm): number {
  return algorithm.name.startsWith("tree-") ? 7 : 8;
}

/** In the Lab, with a few processes; a text taken literally with the arrangement that shows its error. */
export function labAddress(algorithm: Algorithm): URLSearchParams {
  const query = new URLSearchParams({ v: "1", a: algorithm.name });
  if (algorithm.literal && algorithm.example) setOptions(query, exampleOptions(algorithm.example));
  else query.set("nodes", String(fewProcesses(algorithm)));
  return query;
}
