// Check: a search from the page, its answer, the counterexample step by step; and everything of it in the address.
import { expect, fromFolder, test } from "../../page";
import { forEverybody, gone } from "../../screens";

const TWO_LEADERS = "#/check?v=1&a=peterson&nodes=4&links=bag&unsound=1&run=1";

test("choose, start, holds", async ({ page, visit }) => {
  await visit("#/check");
  await expect(page.getByRole("button", { name: "Start the search" })).toBeDisabled();
  await page.getByLabel("algorithm", { exact: true }).selectOption("chang-roberts");
  await page.getByLabel("processes").fill("3");
  await expect(page).toHaveURL(/a=chang-roberts&nodes=3$/);
  await page.getByRole("button", { name: "Start the search" }).click();
  await expect(page.locator(".answer")).toContainText("Holds: in every run of chang-roberts with 3 processes");
  await expect(page.getByRole("row", { name: /messages, least to most 6 to 9/ })).toBeVisible();
  await expect(page.getByText("at most one leader: holds")).toBeVisible();
  await expect(page.getByText("ringleader check chang-roberts -n 3", { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/&run=1$/);
});

test("two leaders: the counterexample by mouse and keyboard; its address opened afresh shows the same", async ({ page, visit, context }) => {
  await visit(TWO_LEADERS);
  await expect(page.locator(".answer")).toContainText("Violated by peterson with 4 processes: “at most one leader”");
  const steps = page.getByRole("list", { name: /^Steps/ }).getByRole("button");
  await expect(steps).toHaveCount(15);
  await expect(page.locator("table").filter({ hasText: "After step 14" }).getByText("★ leads")).toHaveCount(2);
  await steps.nth(3).click();
  await expect(page.getByText(/^After step 3;/)).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(steps.nth(4)).toBeFocused();
  await expect(steps.nth(4)).toHaveAttribute("aria-current", "step");
  await page.keyboard.press("Home");
  await expect(steps.first()).toHaveAttribute("aria-current", "step");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(page).toHaveURL(/at=2$/);
  const other = await context.newPage();
  await fromFolder(other);
  await other.goto(page.url());
  await expect(other.getByText(/^After step 2;/)).toBeVisible();
  const variables = "[aria-label='Variables of all processes']";
  expect(await other.locator(variables).innerText()).toBe(await page.locator(variables).innerText());
  await expect(other.getByRole("link", { name: "Play in the Lab" })).toHaveAttribute("href", /#\/lab\?v=1&a=peterson&cx=1&.*at=2/);
});

test("few states are drawn, and the run that shows a violation among them", async ({ page, visit }) => {
  await visit("#/check?v=1&a=chang-roberts&nodes=3&run=1");
  const graph = page.getByRole("region", { name: "Graph of states" });
  await expect(graph.getByRole("img")).toBeVisible();
  const states = Number((await page.getByRole("row", { name: /^states/ }).locator("td").textContent())?.replace(/\D/g, ""));
  expect(states).toBeGreaterThan(5);
  const drawn = await graph.locator("circle").count();
  expect(drawn).toBeGreaterThan(5);
  expect(drawn).toBeLessThanOrEqual(states);
  await expect(graph.locator("circle.on")).toHaveCount(0);
  await visit("#/check?v=1&a=ricart-agrawala@as-printed&nodes=2&entries=2&run=1");
  await expect(page.getByRole("region", { name: /A run that shows it \(6 steps\)/ })).toBeVisible();
  await expect(graph.locator("circle.on")).toHaveCount(7);
  await visit("#/check?v=1&a=ricart-agrawala&nodes=3&run=1");
  await expect(page.locator(".answer")).toBeVisible();
  await expect(graph).toHaveCount(0);
});

test("what goes wrong with a text taken literally, and its trace as a file", async ({ page, visit }) => {
  await visit("#/check");
  await page.getByText("What goes wrong with texts taken literally").click();
  await page.getByRole("button", { name: "chang-roberts@as-printed" }).click();
  await expect(page.locator(".answer")).toContainText("Violated by chang-roberts@as-printed");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save trace" }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.rlt$/);
});

test("a limit is unknown, never holds", async ({ page, visit }) => {
  await visit("#/check?v=1&a=chang-roberts&nodes=6&max-states=100&run=1");
  await expect(page.locator(".answer")).toContainText("Unknown: the search of chang-roberts with 6 processes ended early");
  await expect(page.locator(".answer")).not.toContainText("Holds");
  await expect(page.getByText("at most one leader: unknown")).toBeVisible();
});

test("a long search shows how far it is, and can be stopped", async ({ page, visit }) => {
  await visit("#/check?v=1&a=misra-k&nodes=4&run=1");
  await expect(page.getByText(/\d+ states? · depth/)).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.locator(".answer")).toContainText("Unknown");
});

test("nonsense: a sentence of the form, or of the engine; the form stays", async ({ page, visit }) => {
  await visit("#/check?v=1&a=nobody&run=1");
  await expect(page.getByRole("alert")).toContainText("nobody");
  await expect(page.getByText("No algorithm is called “nobody”. Choose one of the list.")).toBeVisible();
  await visit("#/check?v=1&a=peterson&nodes=4&links=bag&run=1");
  await expect(page.getByRole("alert")).toContainText(/fifo/i);
  await page.getByLabel("processes").fill("many");
  await expect(page.getByText("processes: a whole number such as 4 is needed, not “many”.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Start the search" })).toBeDisabled();
  await visit("#/check?v=1&a=peterson&moon=7&run=1");
  await expect(page.getByRole("alert")).toContainText("moon");
  await page.getByRole("button", { name: "Leave out" }).click();
  await page.getByRole("button", { name: "Start the search" }).click();
  await expect(page.locator(".answer")).toContainText("Holds");
});

test("what the contract excludes is greyed with the reason, until somebody leaves the contract", async ({ page, visit }) => {
  await visit("#/check?v=1&a=peterson&nodes=4");
  await page.getByText("Links and faults").click();
  const bag = page.getByLabel("links", { exact: true }).locator("option", { hasText: /^bag/ });
  await expect(bag).toHaveText(/needs fifo links/i);
  await expect(bag).toHaveJSProperty("disabled", true);
  await page.getByRole("checkbox", { name: /outside the contract/ }).check();
  await expect(bag).toHaveJSProperty("disabled", false);
  await expect(page).toHaveURL(/unsound=1/);
});

test("an engine that goes away: a sentence, what was found stays, and another try", async ({ page, visit }) => {
  await visit(TWO_LEADERS);
  await expect(page.getByRole("list", { name: /^Steps/ })).toBeVisible();
  const back = await gone(page);
  await page.getByRole("list", { name: /^Steps/ }).getByRole("button").nth(5).click();
  await expect(page.getByText(/^After step 5;/)).toBeVisible();
  await page.getByRole("button", { name: "Start the search" }).click();
  await expect(page.getByRole("alert")).toContainText("The engine does not answer");
  await back();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".answer")).toContainText("Violated by peterson");
});

test("for everybody", async ({ page, visit }) => {
  await visit(TWO_LEADERS);
  await expect(page.getByText(/^After step 14;/)).toBeVisible();
  await page.getByText("The search", { exact: true }).click();
  await forEverybody(page);
});
