// Large runs: from far away, and any part of them exactly. How long it takes is measured and attached, not asserted.
import { expect, test } from "../../page";
import { forEverybody } from "../../screens";

const THOUSANDS = "#/lab?v=1&a=peterson&nodes=3000&seed=7";

test("a run of thousands: sectors, rows, who is left, and the numbers", async ({ page, visit }) => {
  await visit(THOUSANDS);
  const moment = page.getByTestId("moment");
  await expect(moment).toContainText("After step");
  await expect(page.getByRole("img", { name: /sectors/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /Messages received/ })).toBeVisible();
  await page.getByRole("button", { name: "End", exact: true }).click();
  await expect(moment).toContainText("1 leader");
  await expect(page.getByText(/By themselves: .*identity 3,000\) leader/)).toBeVisible();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await expect(moment).not.toContainText("0 on their way");
  await page.getByText("The numbers, row by row").click();
  await expect(page.getByRole("table").getByRole("row")).toHaveCount(97);
});

test("closer, and exactly; the address opened afresh shows the same part", async ({ page, visit, context }) => {
  await visit(THOUSANDS);
  await expect(page.getByTestId("moment")).toBeVisible();
  const processes = page.getByRole("group", { name: "Processes" });
  await processes.getByLabel("from").fill("100");
  await processes.getByLabel("up to before").fill("110");
  await page.getByRole("button", { name: "Look closer" }).click();
  const heading = page.getByRole("heading", { name: /Processes 100 to 109/ });
  await expect(heading).toBeVisible();
  await expect(page).toHaveURL(/zoom=nodes:100-110/);
  const rows = page.getByRole("region", { name: "Events of this part" }).locator("tbody tr");
  await expect(rows.first()).toContainText("p100 starts");
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByRole("heading", { name: /Processes 100 to 109/ })).toHaveText(await heading.innerText());
  await page.getByRole("button", { name: "All of it" }).click();
  await expect(heading).toBeHidden();
  await expect(page).not.toHaveURL(/zoom/);
});

test("the heat map comes first, over the whole width; a look that takes long can be stopped", async ({ page, visit }) => {
  await visit(THOUSANDS);
  await expect(page.getByTestId("moment")).toBeVisible();
  const heat = await page.getByRole("img", { name: /Messages received/ }).boundingBox();
  const band = await page.getByRole("img", { name: /sectors/ }).boundingBox();
  expect(heat!.width).toBeGreaterThan(0.85 * 1280);
  expect(heat!.y).toBeLessThan(band!.y);
  // An engine that never answers.
  await page.route("**/api/overview", () => undefined);
  await page.reload();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByText(/^Stopped after \d+ s\.$/)).toBeVisible();
  await page.unroute("**/api/overview");
  await page.getByRole("button", { name: "Look after all" }).click();
  await expect(page.getByTestId("moment")).toBeVisible();
});

test("drag over a part to look closer", async ({ page, visit }) => {
  await visit(THOUSANDS);
  await expect(page.getByTestId("moment")).toBeVisible();
  const box = await page.getByRole("img", { name: /Messages received/ }).boundingBox();
  if (!box) throw new Error("it has no place");
  await page.mouse.move(box.x + box.width * 0.25, box.y + 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
  await page.mouse.up();
  await expect(page).toHaveURL(/zoom=nodes:7\d\d-1[45]\d\d,steps:0-/);
});

test("too many are refused with a sentence, before they cost anything", async ({ page, visit }) => {
  await visit("#/lab?v=1&a=peterson&nodes=90000000");
  await expect(page.getByRole("alert").first()).toContainText("too many");
});

test("for everybody", async ({ page, visit }) => {
  await visit(THOUSANDS);
  await expect(page.getByTestId("moment")).toBeVisible();
  await forEverybody(page);
});

test("a million processes, measured", async ({ page, visit }, report) => {
  test.setTimeout(300_000);
  const begun = Date.now();
  await visit("#/lab?v=1&a=chang-roberts&nodes=1000000&seed=7");
  await expect(page.getByTestId("moment")).toBeVisible({ timeout: 240_000 });
  const first = Date.now() - begun;
  await page.getByRole("button", { name: "End", exact: true }).click();
  await expect(page.getByText(/By themselves: .*identity 1,000,000\)/)).toBeVisible();
  const heap = await page.evaluate(() => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0);
  const text = `10^6 processes of chang-roberts: first picture after ${first} ms, ${(heap / 2 ** 20).toFixed(0)} MiB in the page`;
  report.annotations.push({ type: "measured", description: text });
  console.log(text);
});
