// The gallery: found by words and marks, never empty, a file of one's own, and the way to the other screens.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "../../exports";
import { expect, test } from "../../page";
import { forEverybody, gone } from "../../screens";

const ALGORITHMS = "section[aria-labelledby=all] li";

test("stories, all algorithms, marks and words; the filter is in the address", async ({ page, visit }) => {
  await visit("#/");
  await expect(page.getByRole("heading", { name: "Start with a story" })).toBeVisible();
  await expect(page.locator("section[aria-labelledby=stories]").getByText(/\d+ min/).first()).toBeVisible();
  const all = await page.locator(ALGORITHMS).count();
  expect(all).toBeGreaterThan(30);
  await page.getByRole("button", { name: "tree", exact: true }).click();
  await expect(page.locator(ALGORITHMS).filter({ hasText: "raymond" })).toBeVisible();
  expect(await page.locator(ALGORITHMS).count()).toBeLessThan(all);
  await expect(page).toHaveURL(/#\/\?f=tree$/);
  await page.reload();
  await expect(page.getByRole("button", { name: "tree", exact: true })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(page.locator(ALGORITHMS)).toHaveCount(all);
});

test("the slash leads to the search; nothing found is said; Escape clears", async ({ page, visit }) => {
  await visit("#/");
  await expect(page.getByRole("searchbox")).toBeVisible();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("lcr");
  await expect(page.locator(ALGORITHMS)).toHaveCount(1);
  await page.keyboard.type(" moon");
  await expect(page.getByText("No algorithm matches “lcr moon”.")).toBeVisible();
  await page.keyboard.press("Escape");
  expect(await page.locator(ALGORITHMS).count()).toBeGreaterThan(30);
});

test("texts taken literally are off until they are asked for", async ({ page, visit }) => {
  await visit("#/?q=as-printed");
  await expect(page.getByText(/literal texts match, but these are left out/)).toBeVisible();
  await page.getByRole("button", { name: /literal texts and their errors/ }).click();
  await expect(page.getByRole("link", { name: "What goes wrong: chang-roberts@as-printed" })).toBeVisible();
});

test("the way to the Lab and to Check", async ({ page, visit }) => {
  await visit("#/?q=peterson");
  await expect(page.getByRole("link", { name: "Lab: peterson", exact: true })).toHaveAttribute("href", "#/lab?v=1&a=peterson&nodes=8");
  await page.getByRole("link", { name: "Check: peterson", exact: true }).click();
  await expect(page.getByRole("heading", { name: /^Check/ })).toBeVisible();
  await expect(page.getByLabel("algorithm", { exact: true })).toHaveValue("peterson");
  await page.goBack();
  await expect(page.getByRole("searchbox")).toHaveValue("peterson");
});

test("a recorded run opens in the Lab, chosen or dropped; a broken one is a sentence", async ({ page, visit }) => {
  await visit("#/");
  const input = page.getByLabel("A recorded run");
  await input.setInputFiles({ name: "broken.rlt", mimeType: "text/plain", buffer: Buffer.from("this is no run\n") });
  await expect(page.getByRole("alert")).toContainText(/\w+ \w+/);
  await input.setInputFiles(join(folder, "chang-roberts.rlt"));
  await expect(page).toHaveURL(/#\/lab\?v=1&trace=/);
  await visit("#/");
  const text = readFileSync(join(folder, "franklin.rlt"), "utf8");
  const files = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "franklin.rlt"));
    return data;
  }, text);
  await page.dispatchEvent("h1", "drop", { dataTransfer: files });
  await expect(page).toHaveURL(/#\/lab\?v=1&trace=/);
});

test("nonsense in the address is said", async ({ page, visit }) => {
  await visit("#/?f=moon,tree");
  await expect(page.getByText(/asks for “moon”/)).toBeVisible();
  await expect(page.getByRole("button", { name: "tree", exact: true })).toHaveAttribute("aria-pressed", "true");
  await visit("#/nowhere");
  await expect(page.getByRole("alert")).toContainText("There is no screen called “nowhere”.");
});

test("no engine: a sentence, and another try", async ({ page, visit }) => {
  const back = await gone(page);
  await visit("#/");
  await expect(page.getByRole("alert")).toContainText("The engine does not answer");
  await back();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "All algorithms" })).toBeVisible();
});

test("for everybody", async ({ page, visit }) => {
  await visit("#/?literal=1&q=printed");
  await expect(page.getByRole("heading", { name: "All algorithms" })).toBeVisible();
  await forEverybody(page);
});
