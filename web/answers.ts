// The checks of what an engine answers, as code, made of the schema that the engine has written. A part of the build.

import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const SCHEMA = new URL("src/engine/schema.json", import.meta.url);
const NAME = "virtual:answers";

/** A module with a check for each verb. */
export function answers(): Plugin {
  return {
    name: "answers",
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load: (id) => (id === `\0${NAME}` ? code() : null),
  };
}

/** What only readers and other compilers need of a schema. */
const PROSE = new Set(["description", "title", "format", "minimum", "default"]);

function code(): string {
  const bare = (key: string, value: unknown): unknown => (PROSE.has(key) && typeof value !== "object" ? undefined : value);
  const schema = JSON.parse(readFileSync(SCHEMA, "utf8"), bare) as { properties: Record<string, object> };
  const code = { source: true, esm: true };
  const ajv = new Ajv({ schemas: [{ ...schema, $id: "interface" }], allowUnionTypes: true, inlineRefs: false, code });
  const checks = Object.keys(schema.properties).map((verb) => [`${verb}_answer`, `interface#/properties/${verb}/properties/answer`]);
  return (standalone as unknown as (ajv: Ajv, names: object) => string)(ajv, Object.fromEntries(checks) as object);
}
