// The first screen: a ring and a question, three doors, algorithms by their idea; a file that is none is said where it is seen.
import { expect, test } from "../../page";
import { forEverybody } from "../../screens";

test("a click is the guess, plays the election, and names each rule", async ({ page, visit }) => {
  await page.clock.install({ time: 0 });
  await visit("#/");
  const ring = page.getByRole("region", { name: /Who becomes leader|An election|Elected/ });
  await expect(ring).toContainText("Who becomes leader? Click one.");
  await expect(page.getByTestId("rule")).toHaveCount(0);
  await ring.locator("[data-process='2']").click();
  await expect(ring).toContainText("An election by Chang and Roberts");
  const seen = new Set<string>();
  await page.clock.pauseAt(600_000);
  for (let step = 0; step < 60; step += 1) {
    await page.clock.runFor(500);
    if (await page.getByTestId("rule").count()) seen.add(await page.getByTestId("rule").innerText());
  }
  await expect(ring).toContainText(/p\d leads: \d is the largest identity, and nobody swallowed it/);
  expect([...seen]).toContain("swallow ✕");
  await ring.getByRole("button", { name: "Again, with other identities" }).click();
  await expect(ring).toContainText("Who becomes leader? Click one.");
});

test("three doors lead to a story, to what breaks, to what is for teachers", async ({ page, visit }) => {
  await visit("#/");
  const doors = page.getByRole("navigation", { name: "Where to begin" });
  await doors.getByRole("link", { name: /^Watch a story/ }).click();
  await expect(page.locator(".progress")).toBeVisible();
  await page.goBack();
  await doors.getByRole("link", { name: /^Try to break it/ }).click();
  await expect(page.getByRole("heading", { name: "Break it" })).toBeVisible();
  await page.goBack();
  await doors.getByRole("link", { name: /^Teach with it/ }).click();
  await expect(page.getByRole("heading", { name: "Assignments that judge themselves" })).toBeVisible();
});

test("algorithms stand together by their idea, those for clocks too", async ({ page, visit }) => {
  await visit("#/");
  const shelf = (name: string) => page.getByRole("region", { name: new RegExp(`^${name} `) });
  await expect(shelf("swallow").getByRole("link", { name: "chang-roberts", exact: true })).toBeVisible();
  await expect(shelf("quorum").getByRole("link", { name: "maekawa", exact: true })).toBeVisible();
  await expect(shelf("estimate").getByRole("link", { name: "cristian", exact: true })).toBeVisible();
});

test("what is wrong with a file is on the screen, wherever one has scrolled to", async ({ page, visit }) => {
  await visit("#/");
  await page.getByRole("region", { name: /^token / }).scrollIntoViewIfNeeded();
  const input = page.getByLabel("A recorded run");
  await input.setInputFiles({ name: "broken.rlt", mimeType: "text/plain", buffer: Buffer.from("this is no run\n") });
  await expect(page.getByRole("alert")).toBeInViewport();
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("for everybody", async ({ page, visit }) => {
  await visit("#/");
  await expect(page.locator("[data-process='5']")).toBeVisible();
  await forEverybody(page);
});

test("for everybody: the screen for teachers", async ({ page, visit }) => {
  await visit("#/teach");
  await expect(page.getByRole("heading", { name: "In a page of yours" })).toBeVisible();
  await forEverybody(page);
});
