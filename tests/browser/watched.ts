// What every test of a page wants to know.
import type { Page } from "@playwright/test";

/** What went wrong on the page, and what it asked for. */
export function watched(page: Page): { errors: string[]; asked: string[] } {
  const seen = { errors: [] as string[], asked: [] as string[] };
  page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("request", (request) => seen.asked.push(request.url()));
  return seen;
}
