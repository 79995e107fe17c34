// What becomes of a story as a file, as far as it needs no browser.

import { expect, test } from "vitest";
import type { Story } from "../engine";
import { alone, asPage, escaped, flicker, frames, rules } from "./film";

test("a film shows not too many steps, and always the last", () => {
  expect(frames(0, 3, 100)).toEqual([0, 1, 2, 3]);
  expect(frames(5, 5, 100)).toEqual([5]);
  const long = frames(0, 1001, 100);
  expect(long.length).toBeLessThanOrEqual(101);
  expect(long.at(-1)).toBe(1001);
});

test("a picture has its looks inside", () => {
  const css = rules([{ cssRules: [{ cssText: ".a > b { fill: red }" }] }]);
  const svg = alone('<svg viewBox="0 0 1 1"><g/></svg>', css, "dark", 10);
  expect(svg).toMatch(/^<svg width="10" height="10" data-theme="dark" viewBox="0 0 1 1"><style>\.a &gt; b \{ fill: red \}/);
});

test("a story as a page: every slide, no script, nothing that could be taken for markup", () => {
  const step = { caption: "`a<b` & so on", question: "Who?", answer: "Nobody." } as Story["steps"][number];
  const story: Story = { name: "s", title: "T <1>", minutes: 1, summary: "S", steps: [step, { ...step, question: null }] };
  const slides = [0, 1].map(() => ({ pictures: [{ title: "lcr", svg: "<svg/>", said: "x < y" }] }));
  const page = asPage(story, slides, ".a{content:'</style>'}", "light");
  expect(page.match(/<section /g)).toHaveLength(2);
  expect(page.match(/<svg\/>/g)).toHaveLength(2);
  expect(page.match(/<details>/g)).toHaveLength(1);
  expect(page).toContain("<code>a&lt;b</code> &amp; so on");
  expect(page).toContain("<title>T &lt;1&gt;</title>");
  expect(page).not.toContain("<script");
  expect(page.match(/<\/style>/g)).toHaveLength(1);
});

test("without a recorder the frames take turns in one SVG", () => {
  const svg = flicker(["<svg/>", "<svg/>"], "", "light", 500);
  expect(svg).toContain('values="inline;none" dur="1000ms"');
  expect(svg).toContain('values="none;inline" dur="1000ms"');
  expect(escaped('"<')).toBe("&quot;&lt;");
});
