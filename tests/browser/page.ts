// The page of `ringleader serve`, for tests: a server of its own for each test, and whatever goes wrong on the page.
import { type Page, expect, test as base } from "@playwright/test";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const program = process.env.RINGLEADER_BIN ?? join(here, "../../target/debug/ringleader");

/** A folder with a page that was just built, instead of the one in the program: whoever works on the page need not build
 * the program each time. */
const folder = process.env.RINGLEADER_PAGE;

export interface Server {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a server on a free port; it says where it listens in its first line. */
export async function serve(...options: string[]): Promise<Server> {
  const child: ChildProcess = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--json", ...options], { stdio: ["ignore", "pipe", "pipe"] });
  let complaint = "";
  child.stderr?.on("data", (part) => (complaint += String(part)));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`ringleader serve ended with ${code}: ${complaint}`)));
    if (child.stdout) createInterface(child.stdout).once("line", resolve);
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill();
    await ended;
  };
  return { url: (JSON.parse(line) as { url: string }).url, stop };
}

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".md": "text/markdown" };

/** The page without a server, as `cargo xtask site` builds it; where this is set, tests look at it instead. */
export const site = process.env.RINGLEADER_SITE;

/** A server of files, and nothing else; `below` is the folder in which the site lies. */
export async function files(folder: string, below = ""): Promise<Server & { asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    asked.push(path);
    const inside = path.startsWith(`/${below}`) ? path.slice(below.length + 1) : null;
    const file = inside === null ? "" : join(folder, normalize(inside === "" || inside === "/" ? "/index.html" : inside));
    if (!file || !existsSync(file)) return response.writeHead(404).end();
    return response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/${below}`, stop, asked };
}

/** Takes the files of the page from the folder, if there is one; questions still go to the server. */
export async function fromFolder(page: Page): Promise<void> {
  if (!folder) return;
  await page.route("**/*", (route) => {
    const path = new URL(route.request().url()).pathname;
    const file = join(folder, normalize(path === "/" ? "/index.html" : path));
    if (path.startsWith("/api/") || !existsSync(file)) return route.continue();
    return route.fulfill({ body: readFileSync(file), contentType: TYPES[extname(file)] });
  });
}

/** Errors of the console, but for what the browser itself says of every refused request: the page has a sentence there. */
export function complaints(page: Page): string[] {
  const seen: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) seen.push(message.text());
  });
  page.on("pageerror", (error) => seen.push(String(error)));
  return seen;
}

export const test = base.extend<{ server: Server; errors: string[]; visit: (hash: string) => Promise<void> }>({
  server: async ({}, use) => {
    const server = site ? await files(site) : await serve();
    await use(server);
    await server.stop();
  },
  // Every test fails if the page complained, whatever else it looks at.
  errors: [
    async ({ page }, use) => {
      const seen = complaints(page);
      await use(seen);
      expect(seen).toEqual([]);
    },
    { auto: true },
  ],
  visit: async ({ page, server }, use) => {
    await fromFolder(page);
    await use(async (hash) => {
      await page.goto(`${server.url}${hash}`);
    });
  },
});

export { expect };

/** What the Lab says about where it is: `[step, steps]`. */
export async function where(page: Page): Promise<[number, number]> {
  const text = (await page.getByTestId("where").textContent()) ?? "";
  const found = /step (\d+) \/ (\d+)/.exec(text);
  return [Number(found?.[1] ?? -1), Number(found?.[2] ?? -1)];
}

/** Waits until the Lab is at a step. */
export async function isAt(page: Page, step: number): Promise<void> {
  await expect(page.getByTestId("where")).toHaveText(new RegExp(`^step ${step} / `));
}
