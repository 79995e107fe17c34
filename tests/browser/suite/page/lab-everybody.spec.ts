// The Lab for everybody: keyboard alone, dark and light, a phone, a projector, nothing that moves by itself.
import AxeBuilder from "@axe-core/playwright";
import { expect, isAt, test, where } from "../../page";
import { notReachedByKeys } from "../../screens";

const EIGHT = "#/lab?a=chang-roberts&nodes=8&ids=random&seed=7";

test("everything works with the keyboard", async ({ page, visit }) => {
  await visit(EIGHT);
  await isAt(page, 0);
  const [, steps] = await where(page);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await isAt(page, 2);
  await page.keyboard.press("ArrowLeft");
  await isAt(page, 1);
  await page.keyboard.press("n");
  await expect(page.locator('svg.picture [data-process="0"]')).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("Shift+ArrowRight");
  await expect(page.locator("tr[aria-current]")).toContainText("p0 receives");
  await page.keyboard.press("Shift+ArrowLeft");
  await isAt(page, 1);
  await page.keyboard.press("End");
  await isAt(page, steps);
  await page.keyboard.press("Home");
  await isAt(page, 0);
  await page.keyboard.press("g");
  await page.keyboard.type("12");
  await page.keyboard.press("Enter");
  await isAt(page, 12);
  await page.locator("#go-to").blur();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("one step forward");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("m");
  await expect(page.locator("button.message[aria-pressed=true]")).toHaveCount(1);
  await page.keyboard.press("d");
  await expect(page.getByRole("alert")).toContainText("drop");
  await page.keyboard.press("p");
  await expect(page.getByText(/The longest chain has \d+ messages/)).toBeVisible();
  await page.keyboard.press("t");
  await expect(page.getByRole("button", { name: /Leave presenting/ })).toBeVisible();
});

test("Tab reaches whatever a mouse can do", async ({ page, visit }) => {
  for (const hash of [`${EIGHT}&at=11&sel=3`, "#/lab?a=ricart-agrawala&nodes=5&seed=2&at=12&sel=1"]) {
    await visit(hash);
    await isAt(page, hash.includes("at=11") ? 11 : 12);
    for (const summary of await page.locator("details:not([open]) > summary").all()) await summary.click();
    expect(await notReachedByKeys(page)).toEqual([]);
  }
});

test("a key right after the help was closed counts", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=12`);
  await isAt(page, 12);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  // In one go: the dialog has not told yet that it is closed.
  await page.evaluate(() => {
    document.querySelector("dialog")?.close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true }));
  });
  await expect(page.locator("button.message[aria-pressed=true]")).toHaveCount(1);
});

test("nothing moves by itself; Space plays and pauses", async ({ page, visit }) => {
  await visit(EIGHT);
  await isAt(page, 0);
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("]");
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect(page.getByTestId("where")).not.toHaveText(/^step [0-3] /);
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
});

test("a process in the picture is a button with a name", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=9`);
  await isAt(page, 9);
  const third = page.getByRole("button", { name: /^process 3, identity \d+, undecided/ });
  await third.focus();
  await page.keyboard.press("Enter");
  await expect(third).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("heading", { name: /Process 3/ })).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const hash of [`${EIGHT}&at=11&sel=3`, "#/lab?a=peterson&nodes=4&links=bag&unsound=1&cx=1&at=14&sel=0", "#/lab?a=ricart-agrawala&nodes=5&seed=2&at=12&sel=1", "#/lab?a=nobody"]) {
    test(`axe finds nothing, ${colorScheme}: ${hash}`, async ({ page, visit }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await visit(hash);
      if (hash.endsWith("nobody")) await expect(page.getByRole("alert")).toBeVisible();
      else await expect(page.locator("svg.picture")).toBeVisible();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n")}`)).toEqual([]);
    });
  }
}

for (const [width, height] of [[320, 640], [768, 1024], [1280, 900], [1920, 1080]] as const) {
  test(`no scrolling sideways at ${width} points`, async ({ page, visit }) => {
    await page.setViewportSize({ width, height });
    await visit(`${EIGHT}&at=11&sel=3`);
    await isAt(page, 11);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(await wide()).toBeLessThanOrEqual(0);
    await page.keyboard.press("t");
    await expect(page.getByRole("button", { name: /Leave presenting/ })).toBeVisible();
    expect(await wide()).toBeLessThanOrEqual(0);
  });
}

test("how long a step takes with 200 processes (measured, not asserted)", async ({ page, visit }, info) => {
  const measured: Record<string, string> = {};
  for (const [name, hash] of [["ring", "#/lab?a=peterson&nodes=200&seed=2&at=300"], ["everybody with everybody", "#/lab?a=suzuki-kasami&nodes=100&seed=2&at=120"]] as const) {
    await visit(hash);
    await page.reload();
    await expect(page.locator("svg.picture")).toBeVisible({ timeout: 30_000 });
    const times = await page.evaluate(async () => {
      const button = document.querySelector<HTMLButtonElement>('button[aria-label="One step forward"]');
      const taken: number[] = [];
      for (let step = 0; step < 60; step += 1) {
        const start = performance.now();
        button?.click();
        // The click changes the document; the layout that follows is part of what one waits for.
        await Promise.resolve();
        await new Promise((resolve) => setTimeout(resolve));
        document.body.getBoundingClientRect();
        taken.push(performance.now() - start);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return taken.sort((a, b) => a - b);
    });
    measured[name] = `median ${times[30]?.toFixed(1)} ms, 95 % ${times[57]?.toFixed(1)} ms, most ${times[59]?.toFixed(1)} ms`;
  }
  info.annotations.push({ type: "measured", description: JSON.stringify(measured) });
  await info.attach("time of a step", { body: JSON.stringify(measured, null, 2), contentType: "application/json" });
  console.log("time of a step, n = 200:", JSON.stringify(measured));
});
