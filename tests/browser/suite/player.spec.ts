// The page that plays a run: alone, from a file, with the keyboard, for everybody.
import AxeBuilder from "@axe-core/playwright";
import { type Page, expect, test } from "@playwright/test";
import { address, exported } from "../exports";
import { watched } from "../watched";

/** Opens the player of a run, with the network cut. */
async function open(page: Page, run: string, ...options: string[]) {
  const seen = watched(page);
  const url = address(exported(run, "html", ...options));
  await page.context().setOffline(true);
  await page.goto(url);
  return { ...seen, url };
}

const count = (page: Page) => page.locator("#count");

for (const run of ["chang-roberts", "franklin", "overtaking", "ricart-agrawala", "bully", "faults", "raymond"]) {
  test(`${run}: from the beginning to the end and back, asking for nothing`, async ({ page }) => {
    const { errors, asked, url } = await open(page, run);
    const total = Number(await page.locator("#slider").getAttribute("max"));
    expect(total).toBeGreaterThan(5);
    await expect(count(page)).toHaveText(`0 / ${total}`);
    await expect(page.locator("#rows tr")).toHaveCount(total);
    await page.keyboard.press("End");
    await expect(count(page)).toHaveText(`${total} / ${total}`);
    await expect(page.locator(".marks .future")).toHaveCount(0);
    for (let step = total - 1; step >= Math.max(0, total - 12); step -= 1) {
      await page.keyboard.press("ArrowLeft");
      await expect(count(page)).toHaveText(`${step} / ${total}`);
    }
    await page.keyboard.press("Home");
    await expect(count(page)).toHaveText(`0 / ${total}`);
    expect(errors).toEqual([]);
    expect(asked.filter((request) => request !== url && !request.startsWith("data:"))).toEqual([]);
  });
}

test("nothing moves by itself, Space plays, Space pauses", async ({ page }) => {
  await open(page, "chang-roberts");
  await expect(page.locator("#play")).toHaveText("Play");
  await expect(count(page)).toHaveText(/^0 /);
  for (let press = 0; press < 8; press += 1) await page.keyboard.press("]");
  await page.keyboard.press("Space");
  await expect(page.locator("#play")).toHaveText("Pause");
  await expect(count(page)).not.toHaveText(/^[0-3] /);
  await page.keyboard.press("Space");
  await expect(page.locator("#play")).toHaveText("Play");
});

test("it plays to the end, and the leader is crowned", async ({ page }) => {
  await open(page, "chang-roberts");
  for (let press = 0; press < 14; press += 1) await page.keyboard.press("]");
  await page.locator("#play").click();
  await expect(page.locator("#play")).toHaveText("Play", { timeout: 30_000 });
  const total = await page.locator("#slider").getAttribute("max");
  await expect(count(page)).toHaveText(`${total} / ${total}`);
  await expect(page.locator(".node.is-leads")).toHaveCount(1);
  await expect(page.locator(".node.is-lost")).toHaveCount(7);
  await expect(page.locator(".node.is-leads .who")).toContainText("★");
});

test("the slider and the list go where one wants", async ({ page }) => {
  await open(page, "ricart-agrawala");
  await page.locator("#slider").fill("7");
  await expect(count(page)).toHaveText(/^7 /);
  await expect(page.locator("tr[aria-current]")).toHaveCount(1);
  await page.locator("#slider").focus();
  await page.keyboard.press("ArrowRight");
  await expect(count(page)).toHaveText(/^8 /);
  await page.locator("#rows button").nth(3).click();
  await expect(count(page)).toHaveText(/^4 /);
  await expect(page.locator("#said")).toContainText("Step 4:");
});

test("a click on a step tells what it did, and shows its past", async ({ page }) => {
  await open(page, "chang-roberts");
  await page.locator('.event[data-step="14"] .mark').click();
  await expect(count(page)).toHaveText(/^15 /);
  await expect(page.locator("#about")).toContainText("receives election");
  await expect(page.locator("#about")).toContainText("Rule");
  await expect(page.locator("#past")).toBeChecked();
  expect(await page.locator(".marks .beside").count()).toBeGreaterThan(0);
  await expect(page.locator('.event[data-step="14"]')).not.toHaveClass(/beside/);
  await page.keyboard.press("Escape");
  await expect(page.locator("#diagram")).not.toHaveClass(/show-past/);
});

test("a click on a message tells what became of it", async ({ page }) => {
  await open(page, "chang-roberts");
  await page.keyboard.press("End");
  await page.locator('.messages [data-message="3"] .hit').dispatchEvent("click");
  await expect(page.locator("#about-heading")).toHaveText("This message");
  await expect(page.locator("#about")).toContainText("arrives in step");
});

test("P shows the critical path", async ({ page }) => {
  await open(page, "franklin");
  const path = page.locator(".spacetime > g > .path");
  await expect(path).toBeHidden();
  await page.keyboard.press("p");
  await expect(path).toBeVisible();
});

test("messages on their way are dots on the ring", async ({ page }) => {
  await open(page, "chang-roberts");
  await expect(page.locator(".flying")).toHaveCount(0);
  await page.locator("#slider").fill("8");
  await expect(page.locator(".flying")).toHaveCount(8);
});

test("a part of a run says that it is one", async ({ page }) => {
  const { errors } = await open(page, "large", "--nodes", "10..20", "--steps", "50..200");
  await expect(page.locator(".note").first()).toContainText("of 64 processes");
  await page.keyboard.press("End");
  await expect(page.locator(".node")).toHaveCount(11);
  expect(errors).toEqual([]);
});

for (const scheme of ["light", "dark"] as const) {
  test(`nobody is left out (${scheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await open(page, "bully");
    await page.locator("#slider").fill("20");
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe(scheme === "light" ? "rgb(255, 255, 255)" : "rgb(21, 23, 26)");
  });
}

for (const [width, height] of [[320, 640], [768, 1024], [1920, 1080]]) {
  test(`it fits into ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await open(page, "chang-roberts");
    await page.keyboard.press("End");
    const [content, view] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(content).toBeLessThanOrEqual(view);
    await expect(page.locator("#play")).toBeInViewport();
  });
}
