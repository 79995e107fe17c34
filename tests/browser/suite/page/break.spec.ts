// Break it: an assumption is a switch, the checker finds the shortest run, and the step that was forbidden is marked.
import { expect, test } from "../../page";
import { forEverybody } from "../../screens";

test("without FIFO Peterson elects two; the step that overtakes is marked, and no other", async ({ page, visit }) => {
  await visit("#/break?a=peterson");
  await expect(page.getByText("Everything that Peterson")).toBeVisible();
  await page.getByRole("switch", { name: "Links are FIFO" }).click();
  await expect(page).toHaveURL(/off=fifo/);
  await expect(page.getByRole("heading", { name: /A run that shows it \(14 steps\)/ })).toBeVisible();
  const marked = page.getByText(/FIFO would have forbidden this: it overtakes/);
  await expect(marked.first()).toBeVisible();
  expect(await marked.count()).toBeLessThan(5);
  await page.keyboard.press("Home");
  await expect(page).toHaveURL(/at=0/);
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/at=1/);
  await page.getByRole("switch", { name: "Links are FIFO" }).click();
  await expect(page.getByText("Everything that Peterson")).toBeVisible();
});

test("a switch that does nothing says why; a loss is marked", async ({ page, visit }) => {
  await visit("#/break?a=ricart-agrawala&off=loss");
  await expect(page.getByRole("switch", { name: "Identities are distinct" })).toBeDisabled();
  await expect(page.getByText("it does not rest on distinct identities")).toBeVisible();
  await expect(page.getByText(/Without loss this would not have happened/).first()).toBeVisible();
});

test("texts taken literally: the text, the right one, the lines, and the shortest run", async ({ page, visit }) => {
  await visit("#/break");
  const one = page.locator("details", { hasText: "chang-roberts@as-printed" });
  await one.locator("summary").click();
  await expect(one.locator(".printed").first()).toContainText("participant: send election(id)");
  await expect(one.locator("pre")).toContainText("+ (Less, true) =>");
  await one.getByRole("link", { name: /Find the shortest run/ }).click();
  await expect(page.getByRole("heading", { name: /A run that shows it/ })).toBeVisible();
});

test("for everybody", async ({ page, visit }) => {
  await visit("#/break?a=peterson&off=fifo");
  await expect(page.getByRole("heading", { name: /A run that shows it/ })).toBeVisible();
  await forEverybody(page);
});
