// The page without a server: a folder of files, and the engine in a worker. The suite of the page runs on it as well
// (RINGLEADER_SITE); this is what only it has.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, files, isAt, site, test } from "../page";

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
