// The Lab when something is wrong: an address, a configuration, a file, an engine that is gone. Always a sentence.
import { expect, isAt, test } from "../../page";

for (const [hash, sentence] of [
  ["#/lab?a=hirshberg&nodes=4", "hirschberg-sinclair"],
  ["#/lab?a=peterson&nodes=zero", "zero"],
  ["#/lab?a=peterson&nodes=4&nonsense=7", "nonsense"],
  ["#/lab?a=peterson&nodes=4&e=garbage", "garbage"],
  ["#/lab?a=peterson&nodes=4&links=bag", "fifo"],
  ["#/lab?trace=nothing-such", "trace"],
] as const) {
  test(`an address that makes no sense has a sentence: ${hash}`, async ({ page, visit }) => {
    await visit(hash);
    await expect(page.getByRole("alert")).toContainText(sentence);
    // The way on is there: the form, or a link to it.
    await expect(page.locator("form.config, a[href='#/lab']").first()).toBeVisible();
  });
}

test("a moment or a process that does not exist is said, and the run is shown", async ({ page, visit }) => {
  await visit("#/lab?v=1&a=peterson&nodes=4&seed=1&at=soon&sel=77");
  await isAt(page, 0);
  await expect(page.getByText("at=soon")).toBeVisible();
  await expect(page.getByText("selects process 77")).toBeVisible();
});

test("a refused configuration keeps the form and the run that was there", async ({ page, visit }) => {
  await visit("#/lab?a=peterson&nodes=4&seed=1");
  await isAt(page, 0);
  await page.locator("#option-nodes").fill("0");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.locator("#option-nodes")).toHaveValue("0");
  await page.locator("#option-nodes").fill("6");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("svg.picture [data-process]")).toHaveCount(6);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("what cannot be chosen is greyed with the reason", async ({ page, visit }) => {
  await visit("#/lab?a=peterson&nodes=4&seed=1");
  await isAt(page, 0);
  const bag = page.locator("#option-links option[value=bag]");
  await expect(bag).toBeDisabled();
  await expect(bag).toContainText("needs fifo links");
  await page.getByText("Faults and more").click();
  await expect(page.getByRole("list", { name: "Not possible here" })).toContainText("needs fifo links");
  await page.getByLabel(/allow what the contract excludes/).check();
  await expect(bag).toBeEnabled();
  await page.locator("#option-links").selectOption("bag");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("note")).toContainText("Outside the contract");
});

test("when the engine is gone, what is loaded stays usable", async ({ page, server, visit }) => {
  await visit("#/lab?a=chang-roberts&nodes=8&seed=7");
  await isAt(page, 0);
  await server.stop();
  for (let step = 1; step <= 4; step += 1) {
    await page.keyboard.press("ArrowRight");
    await isAt(page, step);
  }
  await page.getByRole("button", { name: "New seed, and run" }).click();
  await expect(page.getByRole("alert")).toContainText("The engine does not answer");
  await isAt(page, 4);
  await page.keyboard.press("ArrowLeft");
  await isAt(page, 3);
});
