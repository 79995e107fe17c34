// What must hold on every screen of the page, and an engine that goes away.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./page";

/** From now on nobody answers; what is returned brings the engine back. */
export async function gone(page: Page): Promise<() => Promise<void>> {
  await page.route("**/api/*", (route) => route.abort());
  return () => page.unroute("**/api/*");
}

/** Nothing that axe complains of, in light and dark; nothing wider than a phone, a projector, or a screen at 200 %. */
export async function forEverybody(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, impact, nodes }) => `${colorScheme} ${impact} ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
  for (const [width, height] of [[1920, 1080], [640, 360], [320, 640]] as const) {
    await page.setViewportSize({ width, height });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide, `${width} points`).toBeLessThanOrEqual(0);
  }
}
