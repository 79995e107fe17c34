// The Lab: choose, run, step, look, break, and come back to the same moment.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { complaints, expect, fromFolder, isAt, test, where } from "../../page";

const EIGHT = "#/lab?a=chang-roberts&nodes=8&ids=random&seed=7";

/** Everything that one sees of a moment. */
async function seen(page: Page) {
  return {
    where: await where(page),
    looks: await page.locator("svg.picture [data-process]").evaluateAll((all) => all.map((one) => one.getAttribute("data-look"))),
    transit: await page.locator("ul[aria-labelledby=transit] li").allTextContents(),
    current: await page.locator("tr[aria-current]").textContent(),
    branches: await page.locator("#branches button[aria-current]").allTextContents(),
    selected: await page.locator("svg.picture [aria-pressed=true]").evaluateAll((all) => all.map((one) => one.getAttribute("data-process"))),
  };
}

test("an algorithm is found by a part of its name, and run", async ({ page, visit }) => {
  await visit("#/lab");
  await isAt(page, 0);
  await expect(page.locator("#option-nodes")).toHaveValue("8");
  await expect(page.locator("#option-seed")).toHaveValue(/^\d+$/);
  const field = page.getByRole("combobox", { name: "algorithm" });
  await field.click();
  await field.fill("hirsch");
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue("hirschberg-sinclair");
  await page.locator("#option-nodes").fill("5");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("svg.picture [data-process]")).toHaveCount(5);
  await expect(page).toHaveURL(/a=hirschberg-sinclair.*nodes=5/);
  await page.goBack();
  await expect(page.locator("svg.picture [data-process]")).toHaveCount(8);
});

test("steps go forward and back, and each shows the same both ways", async ({ page, visit }) => {
  await visit(EIGHT);
  await isAt(page, 0);
  const [, steps] = await where(page);
  const forward: unknown[] = [];
  for (let step = 1; step <= 12; step += 1) {
    await page.getByRole("button", { name: "One step forward" }).click();
    await isAt(page, step);
    forward.push((await seen(page)).transit);
  }
  for (let step = 11; step >= 1; step -= 1) {
    await page.getByRole("button", { name: "One step back" }).click();
    await isAt(page, step);
    expect((await seen(page)).transit).toEqual(forward[step - 1]);
  }
  await page.getByRole("button", { name: "To the end" }).click();
  await isAt(page, steps);
  await expect(page.locator('svg.picture [data-look="leads"]')).toHaveCount(1);
  await expect(page.locator('svg.picture [data-look="lost"]')).toHaveCount(7);
  await page.getByRole("button", { name: "To the start" }).click();
  await isAt(page, 0);
});

test("the process panel shows what a step changed, the rules which fired, the meter how many messages", async ({ page, visit }) => {
  await visit(`${EIGHT}&sel=0`);
  await isAt(page, 0);
  await page.keyboard.press("ArrowRight");
  await isAt(page, 1);
  const panel = page.getByRole("region", { name: "Process" });
  await expect(panel.locator("tr.changed")).toHaveText(/participant\s*no\s*yes/);
  await expect(page.getByRole("region", { name: "Rules" }).locator('[aria-current="step"]')).toContainText("start");
  await expect(page.getByRole("region", { name: "Messages against the bound" })).toContainText("1 election messages");
  await page.keyboard.press("ArrowRight");
  await expect(panel.locator("tr.changed")).toHaveCount(0);
});

test("dropping a message is refused with the reason, allowed if one insists, and makes a branch", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=10`);
  await isAt(page, 10);
  const before = await seen(page);
  await page.locator("ul[aria-labelledby=transit] button").first().click();
  const drop = page.getByRole("button", { name: "drop", exact: true });
  await expect(drop).toHaveAttribute("aria-disabled", "true");
  // Greyed, but not mute: it says why.
  await drop.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("excludes the loss of messages");
  await page.getByRole("button", { name: "Allow what the contract excludes" }).click();
  await expect(page.getByRole("navigation", { name: "Branches" })).toContainText("fork 1 (drop)");
  await isAt(page, 11);
  await expect(page.getByRole("note")).toContainText("Outside the contract");
  await expect(page.locator("tr[aria-current]")).toContainText("lost");
  // It is gone, and nobody waits behind it any more.
  const without = (behind: string) => behind.replace(/ behind \d+$/, "");
  expect((await seen(page)).transit.map(without)).toEqual(before.transit.slice(1).map(without));
  await expect(page).toHaveURL(/unsound=1.*e=10\.drop\.\d+/);
  // The other branch is still there.
  await page.getByRole("button", { name: "main" }).click();
  await expect(page.getByRole("button", { name: "main" })).toHaveAttribute("aria-current", "true");
  await expect(page.locator("tr[aria-current]")).not.toContainText("lost");
  await page.getByRole("button", { name: /fork 1/ }).click();
  await expect(page.locator("tr[aria-current]")).toContainText("lost");
  await page.keyboard.press("Control+z");
  await isAt(page, 10);
  await expect(page.getByRole("button", { name: /fork 1/ })).toBeVisible();
});

test("a message can be delivered before others, and the run goes on from there", async ({ page, visit }) => {
  await visit("#/lab?a=chang-roberts&nodes=6&schedule=random&seed=3&at=8");
  await isAt(page, 8);
  const last = page.locator("ul[aria-labelledby=transit] button").last();
  const text = (await last.locator("code").textContent()) ?? "";
  await last.click();
  await page.getByRole("button", { name: "deliver", exact: true }).click();
  await isAt(page, 9);
  await expect(page.locator("tr[aria-current]")).toContainText(`receives ${text}`);
  await expect(page.getByRole("navigation", { name: "Branches" })).toContainText("fork 1 (deliver)");
});

test("a crash makes a branch, and the process is down", async ({ page, visit }) => {
  await visit("#/lab?a=bully&nodes=5&seed=1&at=6&sel=4");
  await isAt(page, 6);
  await page.getByRole("button", { name: "crash", exact: true }).click();
  await isAt(page, 7);
  await expect(page.locator('svg.picture [data-process="4"]')).toHaveAttribute("data-look", "down");
  await expect(page.getByRole("navigation", { name: "Branches" })).toContainText("fork 1 (crash)");
  await expect(page).toHaveURL(/e=6\.crash\.4/);
});

test("the violation of chang-roberts@as-printed is found, jumped to, and its address shows the same afresh", async ({ page, visit, browser }) => {
  await visit("#/lab?a=chang-roberts@as-printed&nodes=4&seed=1");
  await isAt(page, 0);
  await page.getByRole("button", { name: "Show its error" }).click();
  await expect(page).toHaveURL(/ids=3,7,4,1/);
  await isAt(page, 0);
  const row = page.getByRole("region", { name: "Properties" }).locator("tr", { hasText: "exactly one leader" });
  await row.getByRole("button").click();
  const [step, steps] = await where(page);
  expect(step).toBe(steps);
  await expect(row).toContainText("violated");
  await page.locator('svg.picture [data-process="2"]').click();
  await expect(page).toHaveURL(/at=2&sel=2/);
  const context = await browser.newContext();
  const other = await context.newPage();
  const errors = complaints(other);
  await fromFolder(other);
  await other.goto(page.url());
  await isAt(other, step);
  expect(await seen(other)).toEqual(await seen(page));
  expect(errors).toEqual([]);
  await context.close();
});

test("a counterexample shows two leaders, and I jumps to it", async ({ page, visit }) => {
  await visit("#/lab?a=peterson&nodes=4&links=bag&unsound=1&cx=1");
  await isAt(page, 0);
  await expect(page.getByRole("note")).toContainText("fifo");
  await page.keyboard.press("i");
  await expect(page.locator('svg.picture [data-look="leads"]')).toHaveCount(2);
  await expect(page.getByRole("region", { name: "Properties" })).toContainText("at most one leader");
});

test("a trace is exported, and read again by the file button and by dropping it", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=9`);
  await isAt(page, 9);
  const before = await seen(page);
  const download = page.waitForEvent("download");
  await page.getByLabel("Export").selectOption("trace");
  const file = await (await download).path();
  const text = readFileSync(file, "utf8");
  expect(text).toContain("ringleader.trace/1");
  await page.locator("input[type=file]").setInputFiles({ name: "mine.rlt", mimeType: "application/jsonl", buffer: Buffer.from(text) });
  await expect(page).toHaveURL(/trace=/);
  await isAt(page, 0);
  await page.locator("#go-to").fill("9");
  await page.keyboard.press("Enter");
  await isAt(page, 9);
  expect(await seen(page)).toEqual(before);
  // The same by dropping it, and a broken one gives a sentence while the run stays.
  const drop = async (content: string) => {
    const data = await page.evaluateHandle((given) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([given], "dropped.rlt"));
      return transfer;
    }, content);
    await page.dispatchEvent("#lab", "drop", { dataTransfer: data });
  };
  await drop(text.slice(0, text.length / 2));
  await expect(page.getByRole("alert")).toContainText("dropped.rlt");
  await isAt(page, 9);
  await drop(text);
  await isAt(page, 0);
});

test("pictures are saved as SVG and PNG, made in the page", async ({ page, visit }) => {
  await visit(`${EIGHT}&at=9`);
  await isAt(page, 9);
  for (const [option, start] of [["picture:svg", "<svg"], ["spacetime:svg", "<svg"], ["picture:png", "\u0089PNG"], ["spacetime:png", "\u0089PNG"]] as const) {
    const download = page.waitForEvent("download");
    await page.getByLabel("Export").selectOption(option);
    const content = readFileSync(await (await download).path());
    expect(content.toString("latin1").slice(0, 4)).toBe(start);
    if (option.endsWith("svg")) expect(content.toString()).not.toContain("var(--");
  }
});

test("the event list can be searched, and leads anywhere", async ({ page, visit }) => {
  await visit(EIGHT);
  await isAt(page, 0);
  await page.keyboard.press("/");
  await page.keyboard.type("leads");
  await expect(page.locator("table tbody tr[data-step]")).toHaveCount(1);
  await page.locator("table tbody tr[data-step] button").click();
  await expect(page.locator('svg.picture [data-look="leads"]')).toHaveCount(1);
  await expect(page.locator("tr[aria-current]")).toContainText("LEADS");
  await expect(page.locator("[data-testid=said]")).toContainText("receives");
});
