// What the page shows is what the command line says: runs and checks drawn at random, each asked of both. The draws are
// the same each time.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, isAt, test } from "../../page";

const here = dirname(fileURLToPath(import.meta.url));
const program = process.env.RINGLEADER_BIN ?? join(here, "../../../../target/debug/ringleader");

interface Property {
  name: string;
  holds?: boolean;
  verdict?: string;
}
interface Said {
  schema: string;
  steps: number;
  leader: { index: number } | null;
  messages: { total: number };
  election_messages?: number;
  states: number;
  transitions: number;
  verdict: string;
  properties: Property[];
}

/** The same numbers each time. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Options = [name: string, value: string | true][];

/** What the command line says; null if it refuses. */
function ask(command: string, algorithm: string, options: Options): Said | null {
  const words = options.flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, value]));
  const { stdout } = spawnSync(program, [command, algorithm, "--json", ...words], { encoding: "utf8", maxBuffer: 1 << 26 });
  const said = stdout.trim() === "" ? null : (JSON.parse(stdout) as Said);
  return said?.schema === `ringleader.${command}/1` ? said : null;
}

function query(algorithm: string, options: Options): string {
  const given = new URLSearchParams({ v: "1", a: algorithm });
  const edits = options.filter(([name]) => name === "edit").map(([, value]) => String(value));
  for (const [name, value] of options) if (name !== "edit") given.append(name, value === true ? "1" : value);
  if (edits.length > 0) given.set("e", edits.join(";"));
  return given.toString();
}

const { stdout } = spawnSync(program, ["list", "--json", "--errata"], { encoding: "utf8", maxBuffer: 1 << 26 });
const listed = (JSON.parse(stdout) as { algorithms: { name: string; problem: string }[] }).algorithms;

async function compareRun(page: Page, visit: (hash: string) => Promise<void>, algorithm: string, options: Options, said: Said): Promise<void> {
  // From nothing: two runs may have equally many steps, and the page shows the last one until the next is there.
  await page.goto("about:blank");
  await visit(`#/lab?${query(algorithm, options)}&at=${said.steps}`);
  await isAt(page, said.steps);
  await expect(page.getByTestId("where")).toHaveText(new RegExp(`step ${said.steps} / ${said.steps}`));
  const rows = page.getByRole("table", { name: "Properties" }).locator("tbody tr");
  const shown = await rows.evaluateAll((all) =>
    all.map((row) => ({ name: row.querySelector("th")?.firstChild?.textContent?.trim() ?? "", holds: row.querySelectorAll("td")[1]?.className.includes("holds") })),
  );
  expect(shown).toEqual(said.properties.map(({ name, holds }) => ({ name, holds })));
  const counted = (await page.locator("[aria-label='Messages against the bound'] .count").innerText()).replace(/,/g, "");
  const [, first, what, , rest] = /^(\d+) (election messages|messages)(\s*\+ (\d+) that announce)?/.exec(counted) ?? [];
  expect(Number(first) + Number(rest ?? 0)).toBe(said.messages.total);
  if (what === "election messages") expect(Number(first)).toBe(said.election_messages);
  if (said.leader) {
    const leads = await page.locator('svg.picture [data-look="leads"]').evaluateAll((all) => all.map((one) => Number(one.getAttribute("data-process"))));
    expect(leads).toContain(said.leader.index);
  }
}

test("35 runs", async ({ page, visit }) => {
  test.setTimeout(300_000);
  const draw = draws(2026);
  const one = <T>(list: T[]): T => list[draw(list.length)] as T;
  let [same, refused] = [0, 0];
  while (same < 35) {
    const { name, problem } = one(listed);
    const options: Options = [["nodes", String(3 + draw(7))], ["seed", String(draw(1000))], ["max-steps", "600"]];
    options.push(["schedule", one(["rounds", "random", "lifo", "fifo", "greedy", "delay:uniform:0.5:1.5"])]);
    if (problem === "mutex" && draw(2) === 0) options.push(["entries", String(1 + draw(3))]);
    if (problem === "election" && draw(3) === 0) options.push(["ids", one(["ascending", "descending", "alternating"])]);
    if (draw(3) === 0) options.push(["links", "bag"]);
    if (draw(3) === 0) options.push(["edit", `${5 + draw(4)}.${one(["drop", "duplicate", "delay"])}.${draw(5)}`.replace(/(delay\.\d+)$/, "$1.4")]);
    if (draw(2) === 0) options.push(["unsound", true]);
    const said = ask("run", name, options);
    if (!said) {
      // What one refuses, the other does not show either.
      if (refused < 10) {
        await visit(`#/lab?${query(name, options)}`);
        await expect(page.getByRole("alert").first()).toBeVisible();
      }
      refused += 1;
      continue;
    }
    await test.step(`${name} ${options.flat().join(" ")}`, () => compareRun(page, visit, name, options, said));
    same += 1;
  }
  expect(refused).toBeGreaterThan(0);
});

test("15 checks", async ({ page, visit }) => {
  test.setTimeout(300_000);
  const draw = draws(7);
  const one = <T>(list: T[]): T => list[draw(list.length)] as T;
  for (let same = 0; same < 15; ) {
    const { name } = one(listed);
    const options: Options = [["nodes", String(2 + draw(2))], ["max-states", "30000"]];
    if (draw(3) === 0) options.push(["links", "bag"], ["unsound", true]);
    const said = ask("check", name, options);
    if (!said) continue;
    await test.step(`${name} ${options.flat().join(" ")}`, async () => {
      await visit(`#/check?${query(name, options)}&run=1`);
      await expect(page.locator(".answer")).toHaveClass(new RegExp(said.verdict));
      const verdicts = await page.locator("ul.properties li").evaluateAll((all) => all.map((one) => one.className.split(" ")[0]));
      expect(verdicts).toEqual(said.properties.map((property) => property.verdict));
      const counts = (await page.locator("section[aria-labelledby=counts] tbody").innerText()).replace(/,/g, "");
      for (const count of [said.states, said.transitions]) expect(counts).toMatch(new RegExp(`\\b${count}\\b`));
    });
    same += 1;
  }
});
