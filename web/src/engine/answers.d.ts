// What the build makes of schema.json (answers.ts beside vite.config.ts).
declare module "virtual:answers" {
  const checks: Record<`${import("./types").Verb}_answer`, (answer: unknown) => boolean>;
  export = checks;
}
