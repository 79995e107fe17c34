// Compare: runs under one slider, one that cannot run, the plot; and everything of it in the address.
import { readFileSync } from "node:fs";
import { expect, fromFolder, test } from "../../page";
import { forEverybody, gone } from "../../screens";

const PAIR = "#/compare?v=1&x=chang-roberts,peterson&nodes=8&seed=7";
const steps = (name: string) => `section[aria-label="${name}"] tr:has-text("step") td`;

test("one slider, three ways to go together, keys; opened afresh it is the same", async ({ page, visit, context }) => {
  await visit(PAIR);
  const [first, second] = [page.locator(steps("chang-roberts")).first(), page.locator(steps("peterson")).first()];
  await expect(first).toHaveText(/^0 of \d+$/);
  await expect(second).toHaveText(/^0 of \d+$/);
  const [long, other] = (await Promise.all([first, second].map((one) => one.innerText()))).map((text) => Number(text.split(" of ")[1]));
  await page.getByLabel("together by").selectOption("step");
  await page.getByRole("button", { name: "One step forward" }).click();
  await page.locator("h1").click();
  await page.keyboard.press("ArrowRight");
  await expect(first).toHaveText(`2 of ${long}`);
  await expect(second).toHaveText(`2 of ${other}`);
  await page.keyboard.press("ArrowLeft");
  await expect(first).toHaveText(`1 of ${long}`);
  await page.getByLabel("How far the runs are").fill("9");
  await expect(second).toHaveText(`9 of ${other}`);
  await expect(page).toHaveURL(/by=step&at=9$/);
  const again = await context.newPage();
  await fromFolder(again);
  await again.goto(page.url());
  await expect(again.locator(steps("peterson")).first()).toHaveText(`9 of ${other}`);
  expect(await again.locator("section[aria-label=peterson] .event").innerText()).toBe(
    await page.locator("section[aria-label=peterson] .event").innerText(),
  );
  await page.getByLabel("together by").selectOption("depth");
  await page.locator("h1").click();
  await page.keyboard.press("End");
  await expect(first).toHaveText(`${long} of ${long}`);
  await expect(second).toHaveText(`${other} of ${other}`);
});

test("a race: a lane for each, an odometer of its messages, and who needed the fewest", async ({ page, visit }) => {
  await visit("#/compare?v=1&x=chang-roberts,peterson&nodes=16&ids=descending&seed=7");
  const race = page.getByRole("list", { name: "The race" });
  await expect(race.getByRole("listitem")).toHaveCount(2);
  await expect(race).toContainText("000");
  await expect(page.getByLabel("together by")).toHaveValue("step");
  await page.locator("h1").click();
  await page.keyboard.press("End");
  // 136 messages and 16 to announce the leader; Peterson needs fewer.
  await expect(race.getByRole("listitem").first()).toContainText("messages: 152");
  await expect(race.getByRole("listitem").nth(1)).toContainText("fewest messages");
});

test("play goes to the end and stops there", async ({ page, visit }) => {
  await page.clock.install({ time: 0 });
  await visit("#/compare?v=1&x=chang-roberts,peterson&nodes=3&seed=7");
  await expect(page.locator("section[aria-label=peterson] svg")).toBeVisible();
  await page.clock.pauseAt(600_000);
  await page.getByRole("button", { name: "Play" }).click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect(page.locator(steps("peterson")).first()).toHaveText(/^0 of \d+$/);
  await page.clock.runFor(20_000);
  await expect(page.getByRole("button", { name: "To the end" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  await expect(page).toHaveURL(/at=end$/);
});

test("one that cannot run says why; the others stay", async ({ page, visit }) => {
  await visit("#/compare?v=1&x=chang-roberts,maekawa,peterson&nodes=8&seed=7&ids=worst&at=end");
  await expect(page.locator("section[aria-label=maekawa]").getByRole("alert")).toContainText(/\w+ \w+/);
  await expect(page.locator("section[aria-label=chang-roberts] svg")).toBeVisible();
  await expect(page.locator("section[aria-label=peterson] svg")).toBeVisible();
});

test("algorithms are added and taken out", async ({ page, visit }) => {
  await visit(PAIR);
  await page.getByLabel("algorithm 3").selectOption("franklin");
  await expect(page.locator("section[aria-label=franklin] svg")).toBeVisible();
  await expect(page).toHaveURL(/x=chang-roberts,peterson,franklin/);
  await page.getByLabel("algorithm 1").selectOption("");
  await expect(page.locator("section[aria-label=chang-roberts]")).toHaveCount(0);
  await expect(page.locator("section[aria-label=franklin] svg")).toBeVisible();
});

test("the plot, the table, the command, and both as files", async ({ page, visit }) => {
  await visit(`${PAIR}&sizes=4,8&runs=2`);
  await page.getByRole("button", { name: "Measure" }).click();
  await expect(page.getByRole("img", { name: /^Plot: messages of chang-roberts, peterson/ })).toBeVisible();
  await expect(page.getByText(/^ringleader compare chang-roberts peterson/)).toBeVisible();
  expect(await page.getByRole("region", { name: "The numbers" }).getByRole("row").count()).toBeGreaterThanOrEqual(5);
  await expect(page).toHaveURL(/plot=1$/);
  const table = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const csv = readFileSync(await (await table).path(), "utf8");
  expect(csv.trim().split("\r\n").length).toBeGreaterThanOrEqual(5);
  const picture = page.waitForEvent("download");
  await page.getByRole("button", { name: "SVG" }).click();
  expect(readFileSync(await (await picture).path(), "utf8")).toContain("<svg");
  await page.reload();
  await expect(page.getByRole("img", { name: /^Plot/ })).toBeVisible();
});

test("nonsense in the address is said", async ({ page, visit }) => {
  await visit("#/compare?v=1&x=chang-roberts&by=moon&at=x");
  for (const words of ["fewer than two algorithms", "“moon”", "“x”"]) {
    await expect(page.getByRole("alert").filter({ hasText: words })).toBeVisible();
  }
  await visit("#/compare?v=1&x=nobody,peterson&nodes=8&seed=7");
  await expect(page.locator("section[aria-label=nobody]").getByRole("alert")).toContainText("nobody");
  await expect(page.locator("section[aria-label=peterson] svg")).toBeVisible();
  await visit(`${PAIR}&sizes=many&plot=1`);
  await expect(page.locator("section[aria-labelledby=growth]").getByRole("alert")).toContainText("many");
});

test("no engine: a sentence in each frame, and another try", async ({ page, visit }) => {
  await visit(PAIR);
  await expect(page.locator("section[aria-label=peterson] svg")).toBeVisible();
  const back = await gone(page);
  await page.getByLabel("seed").fill("8");
  await page.keyboard.press("Tab");
  await expect(page.locator("section[aria-label=peterson]").getByRole("alert")).toContainText("The engine does not answer");
  await back();
  await page.locator("section[aria-label=peterson]").getByRole("button", { name: "Try again" }).click();
  await expect(page.locator("section[aria-label=peterson] svg")).toBeVisible();
});

test("for everybody", async ({ page, visit }) => {
  await visit("#/compare?v=1&x=chang-roberts,franklin&nodes=8&seed=7&at=500&sizes=4,8&runs=2&plot=1");
  await expect(page.getByRole("img", { name: /^Plot/ })).toBeVisible();
  await forEverybody(page);
});
