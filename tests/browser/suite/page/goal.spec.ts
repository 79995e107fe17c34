// Goals: somebody reaches into a run until the engine says that it is reached, and hands in a link; one that was changed
// is not as it was made.
import { expect, test } from "../../page";
import { forEverybody } from "../../screens";

test("a lost token reaches the goal; the link is sealed, and a changed one is said", async ({ page, visit }) => {
  await visit("#/teach");
  await page.getByRole("link", { name: "One lost message" }).click();
  const verdict = page.getByRole("region", { name: "The engine's verdict" });
  await expect(verdict).toContainText("Not yet");
  await page.getByLabel("Step", { exact: true }).fill("5");
  await page.getByRole("button", { name: "token from p3 to p0 is lost" }).click();
  await expect(verdict).toContainText("✓ Reached");
  await expect(page.getByRole("heading", { name: /0 of 1 left/ })).toBeVisible();
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Your name").press("Enter");
  const link = page.getByLabel("The link");
  await expect(link).toHaveValue(/#\/goal\?name=one-lost-message&e=5\.drop\.0&who=Ada&seal=[0-9a-f]{16}$/);
  const hash = new URL(await link.inputValue()).hash;
  await visit(hash);
  await expect(verdict).toContainText("This link is as Ada made it.");
  await visit(hash.replace("who=Ada", "who=Eve"));
  await expect(page.getByRole("alert")).toContainText("This link was changed after it was made");
});

test("nonsense in the address is said", async ({ page, visit }) => {
  await visit("#/goal?name=moon");
  await expect(page.getByRole("alert")).toContainText("moon");
  await expect(page.getByRole("link", { name: "Two leaders" })).toBeVisible();
});

test("for everybody", async ({ page, visit }) => {
  await visit("#/goal?name=two-leaders&at=4");
  await expect(page.getByRole("button", { name: /arrives now/ }).first()).toBeVisible();
  await forEverybody(page);
});
