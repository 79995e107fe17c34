// Space-time diagrams as a browser draws them: everything is there, inside the picture, and nothing covers a name.
import { expect, test } from "@playwright/test";
import { RUNS, address, exported } from "../exports";

const whole = Object.keys(RUNS).filter((run) => run !== "large");
const pictures: [string, string[]][] = [
  ...whole.map((run): [string, string[]] => [run, []]),
  ["chang-roberts", ["--rightward"]],
  ["bully", ["--dark", "--critical"]],
  ["suzuki-kasami", ["--past", "9"]],
  ["large", ["--steps", "1..300"]],
  ["large", ["--nodes", "10..20"]],
];

for (const [run, options] of pictures) {
  test(`${run} ${options.join(" ")}`, async ({ page }) => {
    await page.goto(address(exported(run, "svg", ...options)));
    const found = await page.evaluate(() => {
      const root = document.documentElement;
      const picture = root.getBoundingClientRect();
      const box = (element: Element) => {
        const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
        return { left, top, right, bottom, width, height, text: element.textContent ?? "" };
      };
      const boxes = (selector: string) => [...root.querySelectorAll(selector)].map(box);
      return {
        tag: root.tagName,
        picture: box(root),
        size: [picture.width, picture.height],
        texts: boxes("text"),
        names: boxes("text.name"),
        still: boxes("text.name, text.time, text.title, .legend text, text.small, text.code, text.note"),
        marks: boxes(".event"),
        lanes: boxes(".lane").length,
        messages: boxes(".messages > .message"),
        title: root.querySelector("title")?.textContent,
        unstyled: getComputedStyle(root.querySelector(".lane")!).strokeWidth,
      };
    });
    expect(found.tag).toBe("svg");
    expect(found.title).toContain(run === "overtaking" ? "peterson" : run === "faults" ? "ricart-agrawala" : run === "large" ? "chang-roberts" : run);
    expect(found.unstyled).toBe("1.2px");
    expect(found.lanes).toBeGreaterThan(2);
    expect(found.marks.length).toBeGreaterThan(5);
    expect(found.messages.length).toBeGreaterThan(3);
    const { picture } = found;
    const outside = [...found.texts, ...found.marks, ...found.messages].filter(
      ({ left, top, right, bottom }) =>
        left < picture.left - 0.5 || top < picture.top - 0.5 || right > picture.right + 0.5 || bottom > picture.bottom + 0.5,
    );
    expect(outside.map(({ text }) => text)).toEqual([]);
    expect(Math.min(...found.marks.map(({ width }) => width))).toBeGreaterThan(3);
    // No two of the texts that are always there touch.
    const touching = found.still.flatMap((one, place) =>
      found.still.slice(place + 1).flatMap((other) => {
        const apart =
          one.right <= other.left + 1 || other.right <= one.left + 1 || one.bottom <= other.top + 3 || other.bottom <= one.top + 3;
        return apart ? [] : [`“${one.text}” and “${other.text}”`];
      }),
    );
    expect(touching).toEqual([]);
  });
}

test("without the critical path there is none, with it there is one", async ({ page }) => {
  await page.goto(address(exported("franklin", "svg")));
  await expect(page.locator("path.path")).toHaveCount(0);
  await page.goto(address(exported("franklin", "svg", "--critical")));
  await expect(page.locator("g > path.path").first()).toBeVisible();
});
