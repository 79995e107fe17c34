// Every screen in light and dark, as a picture. With UPDATE=1 they go to docs/page, where the README has them from.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, isAt, test } from "../../page";

const docs = join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/page");

const SCREENS: { name: string; hash: string; ready: (page: Page) => Promise<void> }[] = [
  { name: "gallery", hash: "#/", ready: (page) => expect(page.getByRole("heading", { level: 1 })).toBeVisible() },
  { name: "lab", hash: "#/lab?v=1&a=chang-roberts&nodes=8&seed=7&e=9.drop.3&unsound=1&at=10&sel=2", ready: (page) => isAt(page, 10) },
  { name: "exclusion", hash: "#/lab?v=1&a=raymond&nodes=7&seed=3&at=18&sel=0", ready: (page) => isAt(page, 18) },
  {
    name: "large",
    hash: "#/lab?v=1&a=peterson&nodes=20000&seed=7&at=150000",
    ready: (page) => expect(page.getByTestId("moment")).toContainText("on their way"),
  },
  { name: "check", hash: "#/check?v=1&a=peterson&nodes=4&links=bag&unsound=1&run=1", ready: (page) => expect(page.locator(".answer")).toBeVisible() },
  {
    name: "compare",
    hash: "#/compare?x=chang-roberts,peterson,hirschberg-sinclair&nodes=12&seed=7&at=600",
    ready: (page) => expect(page.locator("svg.picture")).toHaveCount(3),
  },
  { name: "story", hash: "#/story?name=two-leaders&s=3", ready: (page) => expect(page.locator("svg.picture").first()).toBeVisible() },
];

for (const { name, hash, ready } of SCREENS) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`${name}, ${colorScheme}`, async ({ page, visit }, report) => {
      await page.setViewportSize({ width: 1280, height: 860 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await visit(hash);
      await ready(page);
      await expect(page.getByRole("alert")).toHaveCount(0);
      const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(dark).toBe(colorScheme === "dark" ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
      const update = process.env.UPDATE === "1";
      if (update) mkdirSync(docs, { recursive: true });
      await page.screenshot({ path: update ? join(docs, `${name}-${colorScheme}.png`) : report.outputPath(`${name}.png`) });
    });
  }
}
