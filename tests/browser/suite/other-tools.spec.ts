// Other tools' formats, read by those tools where they can be had, and by their rules where not.
import { expect, test } from "@playwright/test";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { RUNS, exported, text } from "../exports";

const small = Object.keys(RUNS).filter((run) => run !== "large");
const mermaid = join(dirname(createRequire(import.meta.url).resolve("mermaid")), "mermaid.min.js");

for (const run of small) {
  test(`Mermaid draws ${run}`, async ({ page }) => {
    const source = text(exported(run, "mmd"));
    await page.setContent("<!doctype html><main></main>");
    await page.addScriptTag({ path: mermaid });
    const drawn = await page.evaluate(async (source) => {
      const tool = (window as any).mermaid;
      tool.initialize({ startOnLoad: false });
      const { svg } = await tool.render("drawing", source);
      document.querySelector("main")!.innerHTML = svg;
      const words = (selector: string) => [...document.querySelectorAll(selector)].map((element) => element.textContent);
      return { actors: words("text.actor"), messages: words("text.messageText").length };
    }, source);
    const participants = [...source.matchAll(/participant p\d+ as (.*)/g)].map(([, name]) => name);
    expect(participants.length).toBeGreaterThan(2);
    for (const name of participants) expect(drawn.actors).toContain(name);
    expect(drawn.messages).toBe([...source.matchAll(/^ +p\d+(->>|-x|--\))p\d+: /gm)].length);
  });
}

for (const [run, options] of [...small.map((run): [string, string[]] => [run, []]), ["large", ["--nodes", "3..9", "--steps", "20..200"]] as [string, string[]]]) {
  test(`ShiViz would take ${run} ${options.join(" ")}`, async ({ page }) => {
    // The rules of its parser: the first line is the expression, the second the delimiter; every line matches; a clock is
    // JSON; a host is in its own clock and grows by one; no clock speaks of an event that does not exist.
    const problems = await page.evaluate((log) => {
      const lines = log.split("\n");
      const expression = new RegExp(lines[0]);
      const found: string[] = [];
      if (lines[1] !== "") found.push("the delimiter is not empty");
      const seen = new Map<string, number>();
      let count = 0;
      for (const line of lines.slice(2).filter((line) => line !== "")) {
        const match = expression.exec(line);
        if (!match?.groups) {
          found.push(`no match: ${line}`);
          continue;
        }
        const { host, clock, event } = match.groups;
        const entries = JSON.parse(clock) as Record<string, number>;
        const own = (seen.get(host) ?? 0) + 1;
        if (entries[host] !== own) found.push(`${host} should be at ${own}: ${line}`);
        seen.set(host, own);
        for (const [other, time] of Object.entries(entries)) {
          if (time > (seen.get(other) ?? 0)) found.push(`${other} has no event ${time} yet: ${line}`);
        }
        if (event === "") found.push(`no words: ${line}`);
        count += 1;
      }
      if (count < 5) found.push(`only ${count} events`);
      return found;
    }, text(exported(run, "shiviz", ...options)));
    expect(problems).toEqual([]);
  });
}
