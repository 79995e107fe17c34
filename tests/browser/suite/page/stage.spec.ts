// The first screen of the Lab: messages that move, what the algorithm knows, the rule with its values, room for all of it.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, isAt, test, where } from "../../page";

const EIGHT = "#/lab?a=chang-roberts&nodes=8&ids=random&seed=7";
const texts = (index: number) => `svg.picture [data-texts="${index}"]`;
const node = (index: number) => `svg.picture [data-process="${index}"]`;

/** How many things are in motion on the stage. */
const moving = (page: Page) => page.evaluate(() => document.getAnimations().filter((one) => (one.effect as KeyframeEffect | null)?.target?.closest("svg.picture")).length);

test("a step is seen to happen: a message travels, the receiver pulses, the rule is named where it fired", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=11`);
  await isAt(page, 11);
  // The slowest pace: how fast this machine is decides nothing.
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("[");
  await page.keyboard.press("ArrowRight");
  await isAt(page, 12);
  expect(await moving(page)).toBeGreaterThan(0);
  await expect(page.locator('svg.picture [data-rule="swallow ✕"]')).toBeVisible();
});

test("nothing travels for those who want no motion, and the rule is named all the same", async ({ page, visit }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await visit(`${EIGHT}&at=11`);
  await isAt(page, 11);
  for (let press = 0; press < 6; press += 1) await page.keyboard.press("[");
  await page.keyboard.press("ArrowRight");
  await isAt(page, 12);
  expect(await moving(page)).toBe(0);
  await expect(page.locator('svg.picture [data-rule="swallow ✕"]')).toBeVisible();
});

test("the line that fired is marked, with the values for which it did", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=12`);
  await isAt(page, 12);
  const line = page.getByRole("region", { name: "Rules" }).locator('[aria-current="step"]');
  await expect(line).toContainText("on election(j), j < id, participant: nothing");
  await expect(line).toContainText("j = 3 < id = 8, participant = yes ⇒ swallow");
});

test("an election looks like a race: who cannot win any more, and who knows the leader", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=12`);
  await isAt(page, 12);
  // The identity 3 of p2 was swallowed by p3; that of p1 by p2.
  await expect(page.locator(node(2))).toHaveAttribute("data-look", "relay");
  await expect(page.locator(node(1))).toHaveAttribute("data-look", "relay");
  await expect(page.locator(node(3))).toHaveAttribute("data-look", "candidate");
  await expect(page.getByRole("list", { name: "What the shapes mean" })).toContainText("cannot win any more");
  await page.keyboard.press("End");
  await expect(page.getByRole("button", { name: /^process 2, .*knows that 8 leads/ })).toBeVisible();
  await visit("#/lab?a=bully&nodes=5&seed=1");
  await isAt(page, 0);
  await expect(page.getByRole("list", { name: "What the shapes mean" })).toContainText("takes no part yet");
});

test("pointers, the token, a quorum and clocks are drawn as the algorithm declares them", async ({ page, visit }) => {
  await visit("#/lab?a=raymond&nodes=7&seed=3&at=18");
  await isAt(page, 18);
  await expect(page.locator("svg.picture [data-token]")).toHaveCount(1);
  await expect(page.locator('svg.picture [data-token="3"]')).toBeVisible();
  await expect(page.locator("svg.picture [data-pointer]")).toHaveCount(6);
  await expect(page.locator('svg.picture [data-pointer="1>3"]')).toBeVisible();
  await visit("#/lab?a=naimi-trehel&nodes=5&seed=3");
  await isAt(page, 0);
  await expect(page.locator('svg.picture [data-token="0"]')).toBeVisible();
  await expect(page.locator('svg.picture [data-pointer="4>0"]')).toBeVisible();
  await visit("#/lab?a=maekawa&nodes=7&seed=3&at=18&sel=5");
  await isAt(page, 18);
  await expect(page.locator("svg.picture [data-quorum]")).toHaveAttribute("data-quorum", "1 5 6");
  await expect(page.locator('svg.picture [data-said="5 inquired"]')).toBeVisible();
  await expect(page.locator(texts(5))).toContainText("clock 1");
  // An election has none of this.
  await visit(EIGHT);
  await isAt(page, 0);
  await expect(page.locator("svg.picture [data-token], svg.picture [data-pointer]")).toHaveCount(0);
});

test("machines that send nothing show their state, and whose they read", async ({ page, visit }) => {
  await visit("#/lab?a=dijkstra-k&nodes=4&from=0,2,1,0&seed=1&at=1");
  await isAt(page, 1);
  await expect(page.locator(texts(0))).toContainText("S = 1");
  await expect(page.locator('svg.picture [data-read="3"]')).toBeVisible();
  await visit("#/lab?a=cristian&seed=1&at=3");
  await isAt(page, 3);
  await expect(page.locator(texts(1))).toContainText(/clock \d/);
});

test("stage, diagram, rules, sentence, transport and time line fit into 1280 by 720", async ({ page, visit }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const hash of [`${EIGHT}&at=12`, "#/lab?a=raymond&nodes=7&seed=3&at=18"]) {
    await visit(hash);
    await isAt(page, Number(/at=(\d+)/.exec(hash)?.[1]));
    for (const name of ["Picture", "Space-time diagram", "Rules", "Steps"]) {
      const box = await page.getByRole("region", { name, exact: true }).boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 9999), `${name} of ${hash}`).toBeLessThanOrEqual(720);
    }
    const stage = await page.getByRole("region", { name: "Picture" }).boundingBox();
    expect(stage?.width ?? 0).toBeGreaterThan(0.42 * 1280);
    await expect(page.locator("[aria-current=step]").first()).toBeInViewport();
  }
});

test("on a phone the stage, the sentence and the transport come first, the rest by turns", async ({ page, visit }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(`${EIGHT}&at=12`);
  await isAt(page, 12);
  for (const name of ["Picture", "Steps"]) {
    const box = await page.getByRole("region", { name, exact: true }).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 9999)).toBeLessThanOrEqual(844);
  }
  const rules = page.getByRole("region", { name: "Rules" });
  await expect(rules).toBeVisible();
  await page.getByRole("button", { name: "Space-time", exact: true }).click();
  await expect(rules).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Space-time diagram" })).toBeVisible();
});

test("eight presses of Tab lead to the first process", async ({ page, visit }) => {
  await visit(EIGHT);
  await isAt(page, 0);
  let presses = 0;
  const isThere = () => page.evaluate(() => document.activeElement?.getAttribute("data-process") === "0");
  do {
    await page.keyboard.press("Tab");
    presses += 1;
  } while (presses < 30 && !(await isThere()));
  expect(presses).toBeLessThanOrEqual(8);
});

test("what is written on a button is in its name", async ({ page, visit }) => {
  for (const hash of [`${EIGHT}&at=12&sel=3`, "#/lab?a=ricart-agrawala&nodes=5&seed=2&at=12&sel=1"]) {
    await visit(hash);
    await isAt(page, 12);
    const { violations } = await new AxeBuilder({ page }).withRules(["label-content-name-mismatch"]).analyze();
    expect(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))).toEqual([]);
  }
});

test("a form that is chosen from is the picture; what nobody knows by a name is said", async ({ page, visit }) => {
  await visit(EIGHT);
  await isAt(page, 0);
  const field = page.getByRole("combobox", { name: "algorithm" });
  await field.click();
  await field.fill("maek");
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue("maekawa");
  await expect(page.locator("svg.picture")).toHaveAttribute("aria-label", /^maekawa on 8 processes/);
  await field.click();
  await field.fill("zzz");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("zzz");
});

test("the Run button can be read while the mouse is on it", async ({ page, visit }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await visit(EIGHT);
    await isAt(page, 0);
    await page.locator("#option-nodes").fill("7");
    const run = page.getByRole("button", { name: "Run", exact: true });
    await expect(run).toHaveClass(/changed/);
    await run.hover();
    const { violations } = await new AxeBuilder({ page }).include("form.config").withRules(["color-contrast"]).analyze();
    expect(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))).toEqual([]);
  }
});

test("forks survive a reload, and edits are places in the history", async ({ page, visit }) => {
  await visit("#/lab?a=chang-roberts&nodes=6&schedule=random&seed=3&at=8");
  await isAt(page, 8);
  await page.locator("ul[aria-labelledby=transit] button").last().click();
  await page.getByRole("button", { name: "deliver", exact: true }).click();
  await isAt(page, 9);
  const branches = page.getByRole("navigation", { name: "Branches" });
  await page.getByRole("button", { name: "main" }).click();
  await expect(page.getByRole("button", { name: "main" })).toHaveAttribute("aria-current", "true");
  await expect(page).toHaveURL(/f=8\.deliver/);
  await page.reload();
  await expect(branches).toContainText("fork 1 (deliver)");
  await page.getByRole("button", { name: /fork 1/ }).click();
  await expect(page.getByRole("button", { name: /fork 1/ })).toHaveAttribute("aria-current", "true");
  await expect(page).toHaveURL(/e=8\.deliver/);
  await page.locator('ul[aria-labelledby=transit] button').first().click();
  await page.getByRole("button", { name: "deliver", exact: true }).click();
  await expect(branches).toContainText("fork 2");
  await page.goBack();
  await expect(page).not.toHaveURL(/e=8\.deliver\.\d+;/);
  await expect(branches).toContainText("fork 2");
});

test("T presents: stage and rules, one large sentence; Page keys step, B blanks", async ({ page, visit }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await visit(`${EIGHT}&at=11`);
  await isAt(page, 11);
  await page.keyboard.press("t");
  await expect(page.getByRole("region", { name: "Configuration and files" })).toHaveCount(0);
  const sentence = page.locator(".sentence");
  expect(await sentence.evaluate((one) => getComputedStyle(one).fontSize)).toBe("28px");
  await page.keyboard.press("PageDown");
  await expect(sentence).toContainText("p3 receives election(3) from p2");
  await page.keyboard.press("PageUp");
  await expect(sentence).toContainText("p2 receives election(1) from p1");
  await page.keyboard.press("b");
  await expect(sentence).toBeHidden();
  await page.keyboard.press("b");
  await expect(sentence).toBeVisible();
  await expect(page).toHaveURL(/view=present/);
  await page.keyboard.press("Escape");
  await isAt(page, 11);
});

test("you are the scheduler: nothing is known beforehand, and a click delivers", async ({ page, visit }) => {
  await visit("#/lab?a=chang-roberts&nodes=4&ids=3,7,4,1&at=4");
  await isAt(page, 4);
  await page.getByLabel("You are the scheduler").check();
  await expect(page.getByTestId("where")).toHaveText(/^step 4 \/ \?/);
  await page.locator('svg.picture [data-message="2"] path').click();
  await isAt(page, 5);
  await expect(page.locator("tr[aria-current]")).toContainText("p3 receives election(4) from p2");
  await expect(page.locator("tr[data-step]")).toHaveCount(5);
  await page.locator('svg.picture [data-message="0"] path').click();
  await isAt(page, 6);
  await expect(page).toHaveURL(/e=4\.deliver\.2;5\.deliver\.0.*you=1/);
  await page.goBack();
  await isAt(page, 5);
});

test("the menu on a message has what can be done to it, and why not", async ({ page, visit }) => {
  await visit("#/lab?a=chang-roberts&nodes=4&ids=3,7,4,1&at=4");
  await isAt(page, 4);
  await page.locator('svg.picture [data-message="1"] path').click();
  const menu = page.getByRole("group", { name: /^Do with election\(7\) from p1 to p2/ });
  await expect(menu.getByRole("button")).toHaveText(["deliver", "drop", "hold", "double", "overtake"]);
  await expect(menu.getByRole("button", { name: "drop" })).toHaveAttribute("aria-disabled", "true");
  await menu.getByRole("button", { name: "deliver" }).click();
  await isAt(page, 5);
  await expect(page.locator("tr[aria-current]")).toContainText("p2 receives election(7)");
  await page.locator(node(2)).click();
  const other = page.getByRole("group", { name: "Do with process 2" });
  await expect(other.getByRole("button", { name: "crash" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(other).toHaveCount(0);
  // By the keyboard one is led to it.
  await page.locator('svg.picture [data-message="3"]').focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("group", { name: /^Do with election/ }).getByRole("button", { name: "deliver" })).toBeFocused();
});

test("an embedded Lab is stage, sentence and transport", async ({ page, visit }) => {
  await page.setViewportSize({ width: 640, height: 480 });
  await visit(`${EIGHT}&at=12&embed=1`);
  await isAt(page, 12);
  await expect(page.getByRole("banner")).toHaveCount(0);
  await expect(page.getByRole("region")).toHaveCount(2);
  const box = await page.getByRole("region", { name: "Steps" }).boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 9999)).toBeLessThanOrEqual(480);
});

test("in a run without single steps the keys of steps do nothing, and say nothing", async ({ page, visit }) => {
  await visit("#/lab?a=peterson&nodes=2000&seed=7");
  await expect(page.getByTestId("moment")).toBeVisible();
  for (const key of ["Space", "ArrowRight", "ArrowLeft", "End", "n"]) await page.keyboard.press(key);
  await expect(page.getByTestId("moment")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("the past of a step is shown while the mouse is on it", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=20`);
  await isAt(page, 20);
  await expect(page.locator("svg.spacetime .dim")).toHaveCount(0);
  await page.locator('svg.spacetime [data-step="19"]').hover();
  await expect(page.locator("svg.spacetime .dim").first()).toBeAttached();
  expect((await where(page))[0]).toBe(20);
});
