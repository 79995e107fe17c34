// What must hold on every screen of the page, and an engine that goes away.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./page";

/** From now on nobody answers; what is returned brings the engine back. */
export async function gone(page: Page): Promise<() => Promise<void>> {
  await page.route("**/api/*", (route) => route.abort());
  return () => page.unroute("**/api/*");
}

/** What a mouse can do on this screen and Tab does not reach, in short. One of a group that arrow keys walk through is
 * reached when another of it is. */
export async function notReachedByKeys(page: Page): Promise<string[]> {
  const mark = () =>
    page.evaluate(() => {
      const here = document.activeElement;
      if (!here || here === document.body || here.hasAttribute("data-reached")) return false;
      here.setAttribute("data-reached", "");
      return true;
    });
  // Once round, wherever it begins: between the last and the first the browser itself has a stop or two.
  for (let old = 0, presses = 0; old < 3 && presses < 600; presses += 1) {
    await page.keyboard.press("Tab");
    old = (await mark()) ? 0 : old + 1;
  }
  return page.evaluate(() => {
    const usual = "a[href], button, input, select, textarea, summary, [role=button], [role=switch], [role=slider], [role=tab], [role=radio], [role=option]";
    // The page hears these at its root, and notes at each element what is to be done.
    const noted = (one: Element) => Object.getOwnPropertySymbols(one).filter(({ description }) => description === "events");
    const heard = (one: Element) => noted(one).flatMap((symbol) => Object.entries((one as unknown as Record<symbol, object>)[symbol] ?? {})).flatMap(([name, act]) => (act ? [name] : []));
    // What else does the same is named.
    const other = (one: Element) => document.getElementById(one.closest("[data-by-keys]")?.getAttribute("data-by-keys") ?? "");
    // A message that nobody may touch here has an ear for it, and does nothing.
    const idle = (one: Element) => one.matches("g.message:not([role])");
    const acts = (one: Element) => !idle(one) && heard(one).some((name) => ["click", "dblclick", "pointerdown", "mousedown"].includes(name));
    if (![...document.querySelectorAll("*")].some(acts)) return ["no button is heard: what the page notes at its elements is called otherwise now"];
    const seen = (one: Element) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.getClientRects().length > 0;
    const group = (one: Element) => one.closest("[role=tablist], [role=radiogroup], [role=listbox], fieldset, ol");
    // A second link to the same place is for the mouse.
    const links = new Set([...document.querySelectorAll("a[data-reached]")].map((link) => link.getAttribute("href")));
    const reached = (one: Element) =>
      one.hasAttribute("data-reached") ||
      one.querySelector("[data-reached]") !== null ||
      other(one)?.matches("[data-reached], :has([data-reached])") === true ||
      links.has(one.getAttribute("href")) ||
      (one instanceof HTMLLabelElement && one.control?.hasAttribute("data-reached")) ||
      ((one.matches("input[type=radio]") || one.getAttribute("tabindex") === "-1") && group(one)?.querySelector("[data-reached]") != null);
    const lost = [...document.body.querySelectorAll("*")].filter(
      (one) => (one.matches(usual) || acts(one)) && seen(one) && !one.matches(":disabled, [inert] *") && !reached(one),
    );
    for (const one of document.querySelectorAll("[data-reached]")) one.removeAttribute("data-reached");
    return lost.map((one) => one.outerHTML.replace(/\s+/g, " ").slice(0, 160));
  });
}

/** Nothing that axe complains of, in light and dark; nothing wider than a phone, a projector, or a screen at 200 %. */
export async function forEverybody(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, impact, nodes }) => `${colorScheme} ${impact} ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
  expect(await notReachedByKeys(page), "by keys alone").toEqual([]);
  for (const [width, height] of [[1920, 1080], [640, 360], [320, 640]] as const) {
    await page.setViewportSize({ width, height });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide, `${width} points`).toBeLessThanOrEqual(0);
  }
}
