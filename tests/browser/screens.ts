// What the tests of the gallery, the stories, Check and Compare have in common: a server for each worker, what went wrong
// on the page, and what must hold on every screen.
import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type Page } from "@playwright/test";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = process.env.RINGLEADER_BIN ?? join(fileURLToPath(new URL(".", import.meta.url)), "../../target/debug/ringleader");

/** What the browser says by itself of an answer that is a refusal, or of none. Where one is expected, this is no error. */
const REFUSED = /^Failed to load resource/;

export const test = base.extend<{ errors: string[] }, { server: string }>({
  // RINGLEADER_PAGE: a page that somebody works on (`npm run dev`), instead of the one in the program.
  server: [
    async ({}, use) => {
      if (process.env.RINGLEADER_PAGE) return use(process.env.RINGLEADER_PAGE);
      const child = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
      const lines = createInterface({ input: child.stdout });
      const url = await new Promise<string>((resolve, reject) => {
        lines.once("line", (line) => resolve((JSON.parse(line) as { url: string }).url));
        child.once("exit", (code) => reject(new Error(`ringleader serve ended with ${code}`)));
      });
      await use(url);
      child.removeAllListeners("exit");
      child.kill();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ server }, use) => use(server),
  errors: [
    async ({ page }, use) => {
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && !REFUSED.test(message.text()) && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      await use(errors);
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});
export { expect };

/** Another address of the same page. Going to it from an address that differs behind the # only would load nothing anew. */
export async function visit(page: Page, hash: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`/${hash}`);
}

/** From now on nobody answers; what is returned brings the engine back. */
export async function gone(page: Page): Promise<() => Promise<void>> {
  await page.route("**/api/*", (route) => route.abort());
  return () => page.unroute("**/api/*");
}

/** Nothing serious in light and dark, and nothing wider than a phone. */
export async function forEverybody(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  if (before) await page.setViewportSize(before);
}
