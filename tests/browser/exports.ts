// Makes what the suite looks at, with the program itself: recordings, and each of them in the formats that are tested.
// A new page or picture to test is a line in `RUNS` or a call of `exported`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** Where the exports are put; git ignores it. */
export const folder = join(here, "exports");

/** The runs that are looked at: a name, and the arguments that record it. */
export const RUNS: Record<string, string[]> = {
  "chang-roberts": ["run", "chang-roberts", "-n", "8", "--seed", "7"],
  "franklin": ["run", "franklin", "-n", "6", "--seed", "3"],
  // Two leaders: the program ends with 1, as it should.
  "overtaking": ["check", "peterson", "-n", "4", "--links", "bag", "--unsound"],
  "ricart-agrawala": ["run", "ricart-agrawala", "-n", "3", "--entries", "2", "--seed", "1"],
  "bully": ["run", "bully", "-n", "5", "--crash", "4@2", "--recover", "4@14", "--seed", "1"],
  "suzuki-kasami": ["run", "suzuki-kasami", "-n", "4", "--schedule", "delay:uniform:1:3", "--seed", "2"],
  "faults": ["run", "ricart-agrawala", "-n", "4", "--duplicate", "0.3", "--loss", "0.2", "--unsound", "--max-steps", "80", "--seed", "4"],
  "raymond": ["run", "raymond", "-n", "7", "--topology", "binary", "--seed", "2"],
  "large": ["run", "chang-roberts", "-n", "64", "--seed", "5"],
};

/** The program. */
function program(): string {
  const path = process.env.RINGLEADER_BIN ?? join(here, "../../target/debug/ringleader");
  if (!existsSync(path)) {
    throw new Error(`there is no ${path}: run \`cargo build -p ringleader-cli\`, or set RINGLEADER_BIN`);
  }
  return path;
}

/** Runs the program; exit codes other than these are errors. */
function ringleader(args: string[], codes = [0]): void {
  try {
    execFileSync(program(), ["--quiet", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: Buffer };
    if (!codes.includes(status)) throw new Error(`ringleader ${args.join(" ")}: exit ${status}\n${stderr}`);
  }
}

/** The recording of a run. */
const recording = (run: string) => join(folder, `${run}.rlt`);

/** Exports a run; gives the path. */
export function exported(run: string, extension: string, ...options: string[]): string {
  const to = { svg: "svg", html: "html", mmd: "mermaid", shiviz: "shiviz", jsonl: "jsonl" }[extension] ?? extension;
  const suffix = options.join("").replace(/[^a-z0-9]/g, "");
  const path = join(folder, `${run}${suffix}-${process.pid}.${extension}`);
  ringleader(["trace", recording(run), "--to", to, "-o", path, "--force", ...options]);
  return path;
}

/** Makes something else with the program, with `-o` (or another option) and a path at the end; gives the path. */
export function made(name: string, ...args: string[]): string {
  const path = join(folder, `${process.pid}-${name}`);
  ringleader([...args, path, "--force"]);
  return path;
}

/** The address of an export. */
export const address = (path: string) => pathToFileURL(path).href;

/** The text of an export. */
export const text = (path: string) => readFileSync(path, "utf8");

/** Once, before all tests: the recordings. */
export default function setup(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, args] of Object.entries(RUNS)) {
    ringleader([...args, "--trace", recording(name)], [0, 1, 3]);
  }
}
