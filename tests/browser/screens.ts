// What must hold on every screen of the page, and an engine that goes away.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./page";

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
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
}
