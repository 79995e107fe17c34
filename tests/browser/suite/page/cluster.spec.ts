// Cluster: who leads, servers, locks and what happened, from answers that the test gives; a recording, saved and played.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { cluster, EPOCH, fence, lock, server, silent } from "../../../../web/src/cluster/sample";
import type { ClusterStatus } from "../../../../web/src/cluster/status";
import { expect, test } from "../../page";
import { forEverybody } from "../../screens";

type Answer = ClusterStatus | { error: { code: string; message: string; help: string[] } };

/** From now on the engine gives this answer; what is returned changes it. */
async function answers(page: Page, first: Answer): Promise<(next: Answer) => void> {
  let now = first;
  await page.route("**/api/cluster", (route) => route.fulfill({ status: "error" in now ? 400 : 200, json: now }));
  return (next) => (now = next);
}

const NO_CLUSTER: Answer = {
  error: { code: "ringleader::no_cluster", message: "this engine was started without a cluster", help: ["ringleader serve --cluster service.toml"] },
};

const T = Date.UTC(2026, 10, 16, 12, 0, 0);
const LEADS = lock("primary", { kind: "election", value: "10.0.0.7:5432", holder: "db-1", fence: fence(4), waiters: 2, owner_server: "b" });
const LOCKS = [
  lock("nightly-backup", { holder: "host-1", fence: fence(42), waiters: 3 }),
  lock("reindex", { holder: "host-2", owner_server: "c", class: "batch", lease_ms: 15_000, remaining_ms: 6000 }),
  lock("idle", { state: "free", holder: "", remaining_ms: 0 }),
  LEADS,
];

const rows = (page: Page) => page.getByRole("table").locator("tbody tr");
const log = (page: Page) => page.getByTestId("log").locator("li");

test("without a cluster it says what to type, and comes alive when there is one", async ({ page, visit }) => {
  await page.clock.install();
  const answer = await answers(page, NO_CLUSTER);
  await visit("#/");
  await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Cluster" }).click();
  await expect(page.getByText("ringleader up --service", { exact: true })).toBeVisible();
  await expect(page.getByText("ringleader serve --cluster service.toml", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: /Record/ })).toHaveCount(0);
  answer(cluster(T, LOCKS));
  await page.clock.runFor(6000);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Cluster: demo");
});

test("who leads, the servers with their leases, the locks", async ({ page, visit }) => {
  const warned = server("c", { certificate_days: 3, recovering: 5, epoch: EPOCH - 1, lease_ms: { fast: 0, normal: 1200, batch: 13_000 } });
  await answers(page, cluster(T, LOCKS, [server("a"), silent("b", "connection refused (127.0.0.1:7443)"), warned]));
  await visit("#/cluster");
  const leaders = page.getByRole("region", { name: "Who leads" });
  await expect(leaders).toContainText(`epoch ${EPOCH}`);
  await expect(leaders).toContainText("a proposes its changes");
  await expect(leaders).toContainText("10.0.0.7:5432 (db-1)");
  await expect(leaders).toContainText(fence(4));
  await expect(leaders).toContainText("2 candidates wait");
  const servers = page.getByRole("region", { name: "Servers" });
  await expect(servers).toContainText("does not answer: connection refused (127.0.0.1:7443)");
  await expect(servers).toContainText("rebuilds 5 of 85 shards");
  await expect(servers).toContainText("certificate expires in 3 days");
  await expect(servers).toContainText(`epoch ${EPOCH - 1} (behind)`);
  const arcs = page.getByRole("list", { name: "Leases of c" }).locator("svg");
  expect(await arcs.evaluateAll((all) => all.map((one) => (one as SVGElement).dataset.share))).toEqual(["0.00", "0.40", "0.87"]);
  await expect(rows(page)).toHaveCount(4);
  // Held first, and among them those that others wait for.
  expect(await rows(page).locator("th").allInnerTexts()).toEqual(["nightly-backup", "primary\nelection", "reindex", "idle"]);
  await expect(rows(page).first()).toContainText("host-1");
  await expect(rows(page).first()).toContainText(`${fence(42)} epoch ${EPOCH}, 42`);
  await expect(rows(page).first().locator("svg")).toHaveAttribute("data-share", "0.83");
  await expect(page.getByTestId("sum")).toContainText("2 of 3 servers answer · 3 locks held · 5 wait");
});

test("the token of a lock goes from server to server on the ring", async ({ page, visit }) => {
  await page.clock.install();
  const at = (seconds: number, owner: string) =>
    cluster(T + seconds * 1000, [lock("nightly-backup", { owner_server: owner, fence: fence(40 + seconds) }), LEADS]);
  const answer = await answers(page, at(0, "a"));
  await visit("#/cluster");
  const ring = page.getByTestId("ring");
  await expect(ring.locator("[data-server]")).toHaveCount(3);
  await expect(ring.locator("[data-token]")).toHaveAttribute("data-token", "a");
  await expect(ring.locator(".way")).toHaveCount(0);
  answer(at(1, "c"));
  await page.clock.runFor(1500);
  await expect(ring.locator("[data-token]")).toHaveAttribute("data-token", "c");
  await expect(ring.locator(".way")).toHaveCount(1);
  await expect(page.getByTestId("way")).toHaveText("The token of nightly-backup is at c, where host-1 holds it. It was at a before.");
  await page.getByLabel("Follow the token of").selectOption({ label: "primary (election)" });
  await expect(page.getByTestId("way")).toContainText("The token of primary is at b, where db-1 holds it.");
  await expect(ring.locator("[data-token]")).toHaveAttribute("data-token", "b");
});

test("locks are searched with the keyboard, and the words are in the address", async ({ page, visit }) => {
  await answers(page, cluster(T, LOCKS));
  await visit("#/cluster");
  await expect(rows(page)).toHaveCount(4);
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("host-2");
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByTestId("locks-count")).toHaveText("1 of 4 locks match");
  await expect(page).toHaveURL(/#\/cluster\?q=host-2$/);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("searchbox").fill("nobody");
  await expect(page.getByText("No lock matches “nobody”.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(rows(page)).toHaveCount(4);
});

test("of very many locks some are drawn, and the rest is counted", async ({ page, visit }) => {
  const many = Array.from({ length: 1000 }, (_, index) => lock(`job/${index}`));
  await answers(page, { ...cluster(T, many), locks_total: 100_000 });
  await visit("#/cluster");
  await expect(rows(page)).toHaveCount(200);
  await expect(page.getByTestId("locks-count")).toHaveText("1,000 locks, 1,000 held; the first 200 are shown; 99,000 more are not listed");
});

test("what happened, from one look to the next", async ({ page, visit }) => {
  const answer = await answers(page, cluster(T, LOCKS));
  await visit("#/cluster");
  await expect(page.getByText("Nothing since the first look.")).toBeVisible();
  const next = lock("nightly-backup", { holder: "host-3", fence: fence(43), waiters: 2 });
  answer(cluster(T + 1000, [next, ...LOCKS.slice(1)]));
  await expect(log(page)).toHaveCount(2);
  await expect(log(page).first()).toContainText("nightly-backup is held by host-3");
  await expect(log(page).last()).toContainText("host-1 gave back nightly-backup");
  const rest = [server("a"), silent("b", "timed out"), server("c", { epoch: EPOCH + 1 })];
  answer(cluster(T + 2000, [next, ...LOCKS.slice(1, 3)], rest));
  await expect(log(page)).toHaveCount(4);
  await expect(log(page).nth(1)).toContainText("b does not answer: timed out");
  await expect(log(page).first()).toContainText(`The view changed from epoch ${EPOCH} to ${EPOCH + 1}`);
  // What was there is shown as it was last seen, and not as lost.
  await expect(rows(page).filter({ hasText: "primary" })).toContainText("as last seen: b does not answer");
  // Who hears the page hears it too.
  await expect(page.getByRole("status").filter({ hasText: "b does not answer" })).toHaveCount(1);
});

test("an engine that goes away: old, since when, and then new again", async ({ page, visit }) => {
  await answers(page, cluster(T, LOCKS));
  await visit("#/cluster");
  await expect(rows(page)).toHaveCount(4);
  await page.route("**/api/cluster", (route) => route.abort());
  await expect(page.getByRole("alert")).toContainText(/Old: this is how it was at \d\d:\d\d:\d\d\. The engine does not answer/);
  await expect(rows(page)).toHaveCount(4);
  await page.unroute("**/api/cluster");
  await answers(page, cluster(T + 9000, LOCKS.slice(1)));
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(rows(page)).toHaveCount(3);
});

test("an answer that makes no sense is a sentence", async ({ page, visit }) => {
  await answers(page, { ...cluster(T), servers: [{}] } as unknown as Answer);
  await visit("#/cluster");
  await expect(page.getByRole("alert")).toContainText("the answer.servers[0].name: a text is needed");
});

test("a minute is recorded by itself, and the file plays on the same screen, without any cluster", async ({ page, visit }) => {
  await page.clock.install();
  const answer = await answers(page, cluster(T, LOCKS));
  await visit("#/cluster");
  await page.getByRole("button", { name: "Record a minute" }).click();
  await expect(page.getByTestId("counter")).toContainText(/\d+ of 60 s, \d+ looks?/);
  answer(cluster(T + 1000, LOCKS.slice(1)));
  await page.clock.runFor(2000);
  await expect(log(page)).toHaveCount(1);
  await expect(page.getByTestId("counter")).toContainText(/([2-9]|\d\d) of 60 s/);
  const saved = page.waitForEvent("download");
  await page.clock.runFor(60_000);
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^demo-2026-11-1\d-\d{6}\.cluster\.json$/);
  const path = await file.path();
  const made = JSON.parse(readFileSync(path, "utf8")) as { schema: string; looks: { status: ClusterStatus }[]; events: { kind: string }[] };
  expect(made.schema).toBe("ringleader.cluster-recording/1");
  expect(made.looks[0]?.status.at_ms).toBe(T);
  expect(made.events.map(({ kind }) => kind)).toEqual(["released"]);

  answer(NO_CLUSTER);
  await visit("#/");
  await visit("#/cluster");
  await page.getByLabel("Open a recording …").setInputFiles(path);
  await expect(page.getByRole("group", { name: "The recording" })).toContainText("A recording, not the cluster as it is");
  await expect(rows(page)).toHaveCount(4);
  await expect(page.getByTestId("where")).toContainText(`Look 1 of ${made.looks.length}`);
  await page.getByRole("slider", { name: "Look" }).press("End");
  await expect(page.getByTestId("where")).toContainText(`Look ${made.looks.length} of ${made.looks.length}`);
  await expect(rows(page)).toHaveCount(3);
  await expect(log(page)).toContainText(["host-1 gave back nightly-backup"]);
  await page.getByRole("button", { name: "One look back" }).click();
  await expect(page.getByTestId("where")).toContainText(`Look ${made.looks.length - 1} of`);
  await page.getByRole("slider", { name: "Look" }).press("Home");
  await expect(log(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Play" }).click();
  await page.clock.runFor(3000 * made.looks.length);
  await expect(page.getByTestId("where")).toContainText(`Look ${made.looks.length} of`);
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  await page.getByRole("button", { name: "Close it" }).click();
  await expect(page.getByText("ringleader up --service", { exact: true })).toBeVisible();
});

test("a recording stopped early or thrown away; a file that is none, chosen or dropped, is a sentence", async ({ page, visit }) => {
  await answers(page, cluster(T, LOCKS));
  await visit("#/cluster");
  await page.getByRole("button", { name: "Record a minute" }).click();
  await page.getByRole("button", { name: "Throw away" }).click();
  await expect(page.getByText("Thrown away.")).toBeVisible();
  await page.getByRole("button", { name: "Record a minute" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Stop and save" }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  await expect(page.getByText(/^Saved demo-.*: \d+ looks?/)).toBeVisible();
  await page.getByLabel("Open a recording …").setInputFiles({ name: "run.rlt", mimeType: "text/plain", buffer: Buffer.from("no recording") });
  await expect(page.getByRole("alert")).toContainText("“run.rlt” is no recording of a cluster: it is no JSON");
  const files = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "minute.cluster.json"));
    return data;
  }, text);
  await page.dispatchEvent("h1", "drop", { dataTransfer: files });
  await expect(page.getByRole("group", { name: "The recording" })).toContainText("minute.cluster.json");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("for everybody", async ({ page, visit }) => {
  const long = lock("a-name-without-any-space-".repeat(12), { holder: "holder-".repeat(20), value: "value-".repeat(30) });
  const answer = await answers(page, cluster(T, [long, ...LOCKS], [server("a"), server("b"), server("c")]));
  await visit("#/cluster");
  await expect(rows(page)).toHaveCount(5);
  answer(cluster(T + 1000, LOCKS, [server("a"), silent("b"), server("c", { draining: true })]));
  await expect(log(page).first()).toBeVisible();
  await page.getByRole("button", { name: "Record a minute" }).click();
  await forEverybody(page);
});

test("for everybody, without a cluster and with a recording", async ({ page, visit }) => {
  await answers(page, NO_CLUSTER);
  await visit("#/cluster");
  await expect(page.getByText("ringleader up --service", { exact: true })).toBeVisible();
  await forEverybody(page);
  const looks = [0, 1000].map((after) => ({ at_ms: T + after, status: cluster(T + after, LOCKS), error: null }));
  const text = JSON.stringify({ schema: "ringleader.cluster-recording/1", looks: [...looks, { at_ms: T + 2000, status: null, error: "gone" }] });
  await page.getByLabel("Open a recording …").setInputFiles({ name: "minute.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.getByRole("slider", { name: "Look" }).press("End");
  await expect(page.getByText(/^Old: this is how it was/)).toBeVisible();
  await forEverybody(page);
});
