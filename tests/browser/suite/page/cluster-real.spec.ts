// Cluster, with a real service behind it: three servers, a lock that is held and given back.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, fromFolder, program, serve, test } from "../../page";

/** The first line that a program says. */
async function firstLine(child: ChildProcess): Promise<string> {
  let complaint = "";
  child.stderr?.on("data", (part) => (complaint += String(part)));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`it ended with ${code}: ${complaint}`)));
    if (child.stdout) createInterface(child.stdout).once("line", resolve);
  });
}

/** Ends it, and waits until what it started has ended. */
async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill();
  await ended;
}

test("a lock of a real service: held, then given back; recorded on the way", async ({ page }) => {
  test.setTimeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), "ringleader-"));
  const up = spawn(program, ["up", "--service", "--json", "--keep", join(folder, "service")], { stdio: ["ignore", "pipe", "pipe"] });
  let holder: ChildProcess | undefined;
  const closing: (() => Promise<void>)[] = [];
  try {
    const { config, cluster } = JSON.parse(await firstLine(up)) as { config: string; cluster: string };
    const server = await serve("--cluster", config);
    closing.push(server.stop);
    await fromFolder(page);
    await page.goto(`${server.url}#/cluster`);
    const patient = { timeout: 60_000 };
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Cluster: ${cluster}`, patient);
    await expect(page.getByTestId("sum")).toContainText("3 of 3 servers answer", patient);
    await expect(page.getByRole("region", { name: "Servers" }).getByText("✓ member")).toHaveCount(3, patient);
    await expect(page.getByRole("region", { name: "Who leads" })).toContainText("proposes its changes", patient);
    await page.getByRole("button", { name: "Record a minute" }).click();
    holder = spawn(program, ["lock", "nightly-backup", "--config", config, "--value", "attempt 1", "--", "sleep", "300"], { stdio: "ignore" });
    const row = page.getByRole("table").getByRole("row", { name: /nightly-backup/ });
    await expect(row).toContainText("attempt 1", patient);
    await expect(row.locator("svg")).toHaveAttribute("data-share", /^(0\.[1-9]|1)/);
    await expect(page.getByTestId("log")).toContainText("nightly-backup is held by", patient);
    await end(holder);
    await expect(page.getByTestId("log")).toContainText(/gave back nightly-backup|no longer holds nightly-backup/, patient);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Stop and save" }).click();
    const file = await (await saved).path();
    await page.getByLabel("Open a recording …").setInputFiles(file);
    await page.getByRole("slider", { name: "Look" }).press("End");
    await expect(page.getByTestId("log")).toContainText("nightly-backup is held by");
    // Handed to the Lab, it is shown where it can be.
    await page.goto(`${server.url}#/lab`);
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("slider", { name: "Look" }).press("End");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Cluster: ${cluster}`);
    await expect(page.getByTestId("log")).toContainText("nightly-backup is held by");
  } finally {
    await end(holder);
    for (const close of closing) await close();
    await end(up);
    rmSync(folder, { recursive: true, force: true });
  }
});
