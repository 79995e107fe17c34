// Every screen in light and dark, on a projector and on a phone, as a picture: nothing is cut at the side. With UPDATE=1
// those of a projector go to docs/page, where the book has them from.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { cluster, EPOCH, fence, lock, server, silent } from "../../../../web/src/cluster/sample";
import { expect, isAt, test } from "../../page";

const docs = join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/page");

/** A cluster that has just lost a server, at a time of day that is the same everywhere: three looks. */
async function clusterOfThree(page: Page): Promise<void> {
  const noon = new Date(2026, 10, 16, 12, 0, 0).getTime();
  const leads = lock("primary", { kind: "election", value: "10.0.0.7:5432", holder: "db-1", fence: fence(4), waiters: 2, owner_server: "b" });
  const reindex = lock("reindex", { holder: "search-2", owner_server: "c", class: "batch", lease_ms: 15_000, remaining_ms: 9300, fence: fence(3) });
  const backup = lock("nightly-backup", { holder: "host-1", fence: fence(42), waiters: 3 });
  const next = lock("nightly-backup", { holder: "host-3", fence: fence(43), waiters: 2, owner_server: "b", remaining_ms: 2800 });
  const idle = lock("billing/close-month", { state: "free", holder: "", remaining_ms: 0, fence: fence(9) });
  const looks = [
    cluster(noon, [backup, leads, reindex, idle]),
    cluster(noon + 1000, [next, leads, reindex, idle]),
    cluster(noon + 2000, [next, leads, idle], [server("a", { epoch: EPOCH + 1, recovering: 40 }), server("b", { epoch: EPOCH + 1 }), silent("c")]),
  ];
  let turn = 0;
  await page.route("**/api/cluster", (route) => route.fulfill({ json: looks[Math.min(turn++, looks.length - 1)] }));
}

const SCREENS: { name: string; hash: string; before?: (page: Page) => Promise<void>; ready: (page: Page) => Promise<void> }[] = [
  { name: "gallery", hash: "#/", ready: (page) => expect(page.getByRole("heading", { level: 1 })).toBeVisible() },
  { name: "lab", hash: "#/lab?v=1&a=chang-roberts&nodes=8&seed=7&e=9.drop.3&unsound=1&at=10&sel=2", ready: (page) => isAt(page, 10) },
  { name: "exclusion", hash: "#/lab?v=1&a=raymond&nodes=7&seed=3&at=18&sel=0", ready: (page) => isAt(page, 18) },
  {
    name: "large",
    hash: "#/lab?v=1&a=peterson&nodes=20000&seed=7&at=150000",
    ready: (page) => expect(page.getByTestId("moment")).toContainText("on their way"),
  },
  { name: "break", hash: "#/break", ready: (page) => expect(page.getByRole("heading", { level: 1 })).toBeVisible() },
  { name: "check", hash: "#/check?v=1&a=peterson&nodes=4&links=bag&unsound=1&run=1", ready: (page) => expect(page.locator(".answer")).toBeVisible() },
  {
    name: "compare",
    hash: "#/compare?x=chang-roberts,peterson,hirschberg-sinclair&nodes=12&seed=7&at=600",
    ready: (page) => expect(page.locator("svg.picture")).toHaveCount(3),
  },
  {
    name: "cluster",
    hash: "#/cluster",
    before: clusterOfThree,
    ready: (page) => expect(page.getByTestId("log").locator("li")).toHaveCount(4),
  },
  { name: "goal", hash: "#/goal?name=one-lost-message", ready: (page) => expect(page.locator("svg.picture").first()).toBeVisible() },
  { name: "story", hash: "#/story?name=two-leaders&s=3", ready: (page) => expect(page.locator("svg.picture").first()).toBeVisible() },
];

const SIZES = [{ size: "projector", width: 1280, height: 720 }, { size: "phone", width: 390, height: 844 }];

for (const { name, hash, before, ready } of SCREENS) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const { size, width, height } of SIZES) {
      test(`${name}, ${colorScheme}, ${size}`, async ({ page, visit }, report) => {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await before?.(page);
        await visit(hash);
        await ready(page);
        await expect(page.getByRole("alert")).toHaveCount(0);
        const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(dark).toBe(colorScheme === "dark" ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        const update = process.env.UPDATE === "1" && size === "projector";
        if (update) mkdirSync(docs, { recursive: true });
        await page.screenshot({ path: update ? join(docs, `${name}-${colorScheme}.png`) : report.outputPath(`${name}.png`) });
      });
    }
  }
}
