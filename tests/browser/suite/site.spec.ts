// The page without a server: a folder of files, and the engine in a worker. The suite of the page runs on it as well
// (RINGLEADER_SITE); this is what only it has.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, files, isAt, program, site, test } from "../page";

test.skip(!site, "RINGLEADER_SITE is not set: `cargo xtask site` builds it");
const folder = site ?? "";

test("works in a subfolder, in a frame, and offline after the first visit", async ({ browser }) => {
  const server = await files(folder, "lectures/rings/");
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}#/lab?v=1&a=peterson&nodes=8&at=0`);
  await isAt(page, 0);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  // It takes everything over once it is ready.
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await server.stop();
  await page.goto("about:blank");
  await page.goto(`${server.url}#/lab?v=1&a=franklin&nodes=6&at=2`);
  await isAt(page, 2);
  await context.close();
});

test("is small, and quick to begin", async ({ page }) => {
  const server = await files(folder);
  const begun = Date.now();
  await page.goto(`${server.url}#/lab?v=1&a=peterson&nodes=8&at=0`);
  await isAt(page, 0);
  const took = Date.now() - begun;
  let bytes = 0;
  for (const path of new Set(server.asked)) {
    const file = join(folder, path === "/" ? "index.html" : path);
    bytes += path.endsWith(".bin") ? statSync(file).size : gzipSync(readFileSync(file)).length;
  }
  console.log(`first load: ${(bytes / 1e6).toFixed(2)} MB compressed in ${new Set(server.asked).size} files, first run after ${took} ms`);
  expect(bytes).toBeLessThan(1_500_000);
  await server.stop();
});

test("a million processes in the worker: the memory is said before, then how long it takes", async ({ page }) => {
  test.setTimeout(300_000);
  const server = await files(folder);
  const begun = Date.now();
  await page.goto(`${server.url}#/lab?v=1&a=chang-roberts&nodes=1000000&seed=7`);
  await expect(page.getByText(/The run is being made … It takes about \d+ MiB of memory\./)).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "The run is made" })).toBeVisible();
  await expect(page.getByText(/Looking at [\d,]+ steps from far away/)).toBeVisible({ timeout: 120_000 });
  await expect(page.getByTestId("moment")).toBeVisible({ timeout: 120_000 });
  console.log(`10^6 processes of chang-roberts in the worker: first picture after ${Date.now() - begun} ms`);
  // And it can be stopped before it is there.
  await page.goto("about:blank");
  await page.goto(`${server.url}#/lab?v=1&a=chang-roberts&nodes=1000000&seed=8`);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByText(/^Stopped: the run was not made/)).toBeVisible();
  await page.goto(`${server.url}#/lab?v=1&a=peterson&nodes=8&at=0`);
  await isAt(page, 0);
  await server.stop();
});

test("a worker that runs out of memory: a sentence, and what was loaded stays", async ({ browser }) => {
  const usual = test.info().project.use.launchOptions;
  const poor = await browser.browserType().launch({ ...usual, args: [...(usual?.args ?? []), "--js-flags=--wasm-max-mem-pages=1200"] });
  const server = await files(folder);
  const page = await poor.newPage();
  await page.goto(`${server.url}#/lab?v=1&a=peterson&nodes=8&at=3`);
  await isAt(page, 3);
  await page.goto(`${server.url}#/lab?v=1&a=chang-roberts&nodes=1000000&seed=7`);
  await expect(page.getByText("The browser has not enough memory for this.").first()).toBeVisible();
  await expect(page.getByText("Ask for less: fewer processes, or a smaller check.").first()).toBeVisible();
  // The engine was started anew, and what was there before is there again.
  await page.goBack();
  await isAt(page, 3);
  await page.keyboard.press("ArrowRight");
  await isAt(page, 4);
  await poor.close();
  await server.stop();
});

test("without WebAssembly there is a sentence", async ({ browser }) => {
  const server = await files(folder);
  const page = await browser.newPage();
  await page.addInitScript(() => {
    (WebAssembly as { compile: unknown }).compile = () => Promise.reject(new Error("there is none"));
  });
  await page.goto(`${server.url}#/lab?v=1&a=peterson&nodes=8`);
  await expect(page.getByText(/could not be loaded/).first()).toBeVisible();
  await page.close();
  await server.stop();
});

test("the licences of what is in it lie beside it", () => {
  const names = readdirSync(folder);
  expect(names).toContain("licences.md");
  expect(readFileSync(join(folder, "licences-engine.txt"), "utf8")).toContain("serde_json");
});

/** Runs the program; what it prints. */
function ringleader(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8", maxBuffer: 1 << 26 });
  expect(status, stderr).toBe(0);
  return stdout;
}

test("one file from a disk has the recorded run, and an engine", async ({ page }) => {
  const made = mkdtempSync(join(tmpdir(), "ringleader-live-"));
  const [trace, file] = [join(made, "run.rlt"), join(made, "run.html")];
  const words = ["franklin", "--nodes", "6", "--seed", "5", "--json"];
  const { steps } = JSON.parse(ringleader("run", ...words, "--trace", trace)) as { steps: number };
  ringleader("trace", trace, "--to", "html", `--live=${join(folder, "live.html")}`, "-o", file);
  const address = pathToFileURL(file).href;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address);
  await isAt(page, 0);
  await expect(page.getByTestId("where")).toHaveText(new RegExp(` / ${steps}`));
  // The engine is in it: another run, which nobody recorded.
  const other = JSON.parse(ringleader("run", "peterson", "--nodes", "7", "--seed", "3", "--json")) as { steps: number };
  await page.goto(`${address}#/lab?v=1&a=peterson&nodes=7&seed=3&at=${other.steps}`);
  await isAt(page, other.steps);
  expect(asked.filter((one) => !/^(file|blob|data):/.test(one))).toEqual([]);
});

test("the page as the text of a frame, as a notebook shows it: it steps, and another run is made", async ({ page }) => {
  const made = mkdtempSync(join(tmpdir(), "ringleader-live-"));
  const [trace, file] = [join(made, "run.rlt"), join(made, "run.html")];
  ringleader("run", "franklin", "--nodes", "6", "--seed", "5", "--trace", trace);
  ringleader("trace", trace, "--to", "html", `--live=${join(folder, "live.html")}`, "-o", file);
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  await page.setContent(`<iframe title="run" sandbox="allow-scripts allow-downloads" style="width: 100%; height: 800px"></iframe>`);
  await page.locator("iframe").evaluate((frame, text) => frame.setAttribute("srcdoc", text), readFileSync(file, "utf8"));
  const inside = page.frameLocator("iframe");
  await expect(inside.getByTestId("where")).toContainText(/step 0 \/ \d+/);
  await inside.getByRole("button", { name: "One step forward" }).click();
  await expect(inside.getByTestId("where")).toContainText("step 1 /");
  await inside.getByRole("combobox", { name: "algorithm" }).fill("chang-roberts");
  await page.keyboard.press("Enter");
  await expect(inside.locator("svg.picture [data-process]").first()).toBeVisible();
  await expect(inside.getByText("participant := T; send election(id)").first()).toBeVisible();
  expect(wrong).toEqual([]);
});

test("a file that is no such page is refused by the command line", () => {
  const made = mkdtempSync(join(tmpdir(), "ringleader-live-"));
  const [trace, other] = [join(made, "run.rlt"), join(made, "other.html")];
  ringleader("run", "franklin", "--nodes", "4", "--trace", trace);
  writeFileSync(other, "<p>nothing</p>");
  const { status, stderr } = spawnSync(program, ["trace", trace, "--to", "html", `--live=${other}`], { encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toContain("cargo xtask site");
});
