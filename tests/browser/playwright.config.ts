// How the browser is found and started. Debian's Chromium is used as it is; nothing is downloaded.
import { defineConfig } from "@playwright/test";
import { execFileSync } from "node:child_process";

/** The browser: CHROMIUM in the environment, or the first of these on the PATH. */
function chromium(): string {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { encoding: "utf8" }).trim();
    } catch {
      // Not this one.
    }
  }
  throw new Error("there is no chromium on the PATH; install it, or set CHROMIUM to its path");
}

export default defineConfig({
  testDir: "suite",
  outputDir: "test-results",
  globalSetup: "./exports.ts",
  // No retries: a test that passes the second time has failed.
  retries: 0,
  workers: 2,
  // Long: how fast this machine is decides nothing. Whoever waits for what never comes learns it a little later.
  timeout: 300_000,
  expect: { timeout: 120_000 },
  reporter: [["list"]],
  use: {
    viewport: { width: 1280, height: 900 },
    launchOptions: {
      executablePath: chromium(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
