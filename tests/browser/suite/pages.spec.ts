// Pages of algorithms and plots of comparisons: from a file, with no network, for everybody, on every screen.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { join } from "node:path";
import { address, made } from "../exports";
import { watched } from "../watched";

const ALGORITHMS = ["franklin", "raymond", "itai-rodeh"];
const page_of = (algorithm: string) =>
  join(made(`pages-${algorithm}`, "report", algorithm, "-n", "8,32", "-o"), `${algorithm}.html`);
const elections = () =>
  made("elections.html", "compare", "lcr", "dkr", "franklin", "-n", "8..256", "--runs", "3", "--seed", "1", "--plot");
const exclusion = () =>
  made("exclusion.html", "compare", "raymond", "lamport", "-n", "4,8", "--runs", "2", "--seed", "1", "--plot");

const pages: [string, () => string][] = [
  ...ALGORITHMS.map((algorithm): [string, () => string] => [`the page of ${algorithm}`, () => page_of(algorithm)]),
  ["a comparison of elections", elections],
  ["a comparison of mutual exclusion", exclusion],
];

for (const [name, make] of pages) {
  test(`${name}: pictures, tables, no network, no barrier`, async ({ page }) => {
    const seen = watched(page);
    const url = address(make());
    await page.context().setOffline(true);
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(url);
      await expect(page.locator("h1, h2").first()).toBeVisible();
      for (const picture of await page.locator("svg").all()) {
        const box = await picture.boundingBox();
        expect(box && box.width > 100 && box.height > 100).toBe(true);
      }
      expect(await page.locator("svg").count()).toBeGreaterThan(0);
      expect(await page.locator("table").count()).toBeGreaterThan(0);
      const found = await new AxeBuilder({ page }).analyze();
      expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wider).toBeLessThanOrEqual(0);
    expect(seen.errors).toEqual([]);
    expect(seen.asked.filter((request) => request !== url && !request.startsWith("data:"))).toEqual([]);
  });
}

test("the plot has a point for every size, and none outside", async ({ page }) => {
  await page.goto(address(elections()));
  const outside = await page.evaluate(() => {
    const svg = document.querySelector("svg")!;
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text, circle, rect, path")].filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1);
    }).length;
  });
  expect(outside).toBe(0);
  // Three algorithms, six sizes: what the pointer is told on each point.
  expect(await page.locator("svg title").filter({ hasText: "n = 256" }).count()).toBe(3);
});
