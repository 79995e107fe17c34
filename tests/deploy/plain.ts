// A dashboard as a file has it: where Grafana's types have an enumeration, the file has the word.

import type { Dashboard } from "@grafana/schema";

type Plain<T> = T extends string
  ? `${T}`
  : T extends number | boolean | null | undefined
    ? T
    : T extends (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { [Key in keyof T]: Plain<T[Key]> }
        : T;

export type File = Plain<Dashboard>;
