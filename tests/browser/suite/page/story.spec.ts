// Stories: through one with buttons, keys and a presenter's remote; every step of every story has its picture.
import { join } from "node:path";
import { expect, fromFolder, isAt, serve, site, test, type Server } from "../../page";
import { forEverybody, gone } from "../../screens";
import type { About, Story } from "../../../../web/src/engine/types";

async function ask<T>(server: Server, verb: string, question: object): Promise<T> {
  const answer = await fetch(new URL(`/api/${verb}`, server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as T;
}

/** The first story that has a step for which this is true, and which step. */
async function find(server: Server, wanted: (step: Story["steps"][number]) => boolean): Promise<{ name: string; s: number; story: Story }> {
  const { stories } = await ask<About>(server, "about", {});
  for (const { name } of stories) {
    const story = await ask<Story>(server, "story", { name });
    const s = story.steps.findIndex(wanted);
    if (s >= 0) return { name, s: s + 1, story };
  }
  throw new Error("no story has such a step");
}

test("from the gallery through a story: buttons, dots, arrows, Page keys; opened afresh it is the same", async ({ page, visit, context }) => {
  await visit("#/");
  await page.locator("section[aria-labelledby=stories] a").first().click();
  const progress = page.locator(".progress");
  await expect(progress).toHaveText(/^1 of \d+$/);
  const many = (await progress.innerText()).split(" of ")[1];
  await expect(page.locator("figure svg").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "← Back" })).toBeDisabled();
  await page.getByRole("button", { name: "Next →" }).click();
  await expect(progress).toHaveText(`2 of ${many}`);
  await page.getByRole("button", { name: "Step 1 of the story" }).click();
  await expect(progress).toHaveText(`1 of ${many}`);
  // With a question on the way a key shows the answer first.
  const forward = async (key: string, to: string) => {
    await page.keyboard.press(key);
    if ((await progress.innerText()) !== to) await page.keyboard.press(key);
    await expect(progress).toHaveText(to);
  };
  await page.locator("h1").click();
  await forward("ArrowRight", `2 of ${many}`);
  await forward("PageDown", `3 of ${many}`);
  await page.keyboard.press("PageUp");
  await expect(progress).toHaveText(`2 of ${many}`);
  await page.keyboard.press("ArrowLeft");
  await expect(progress).toHaveText(`1 of ${many}`);
  await forward("ArrowRight", `2 of ${many}`);
  await expect(page).toHaveURL(/&s=2$/);
  const other = await context.newPage();
  await fromFolder(other);
  await other.goto(page.url());
  await expect(other.locator(".progress")).toHaveText(`2 of ${many}`);
  await expect(other.locator("figure svg").first()).toBeVisible();
  expect(await other.locator("article").innerText()).toBe(await page.locator("article").innerText());
});

test("every step of every story has a caption and a picture, and stands where it says", async ({ page, visit, server }) => {
  test.setTimeout(240_000);
  const { stories } = await ask<About>(server, "about", {});
  expect(stories.length).toBeGreaterThanOrEqual(5);
  for (const { name } of stories) {
    const { steps } = await ask<Story>(server, "story", { name });
    await visit(`#/story?name=${name}`);
    for (const [index, step] of steps.entries()) {
      await page.getByRole("button", { name: `Step ${index + 1} of the story`, exact: true }).click();
      await expect(page.locator(".progress")).toHaveText(`${index + 1} of ${steps.length}`);
      await expect(page.locator("figure")).toHaveCount(step.beside ? 2 : 1);
      await expect(page.locator("figure").first()).toContainText(step.at === null ? /step (\d+) of \1|in all/ : `step ${step.at} of`);
      await expect(page.getByRole("alert")).toHaveCount(0);
    }
  }
});

test("a run is played only when somebody asks, and stops where the story stands", async ({ page, visit, server }) => {
  const { name, s, story } = await find(server, ({ from, at }) => from !== null && at !== null && at > from && at - from <= 20);
  const { at, from } = story.steps[s - 1]!;
  await page.clock.install({ time: 0 });
  await visit(`#/story?name=${name}&s=${s}`);
  await expect(page.locator("figcaption").first()).toContainText(`step ${at} of`);
  await page.getByRole("button", { name: "One step of the run back" }).click();
  await expect(page.locator("figcaption").first()).toContainText(`step ${at! - 1} of`);
  await expect(page).toHaveURL(new RegExp(`at=${at! - 1}`));
  await page.getByRole("button", { name: "One step of the run forward" }).click();
  await page.clock.pauseAt(600_000);
  await page.getByRole("button", { name: `Play from step ${from}` }).click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect(page.locator("figcaption").first()).toContainText(`step ${from} of`);
  await page.clock.runFor(20_000);
  await expect(page.getByRole("button", { name: `Play from step ${from}` })).toBeVisible();
  await expect(page.locator("figcaption").first()).toContainText(`step ${at} of`);
});

test("a question keeps its answer until it is asked for", async ({ page, visit, server }) => {
  const { name, s, story } = await find(server, ({ question, answer }) => question !== null && answer !== null);
  await visit(`#/story?name=${name}&s=${s}`);
  const question = page.getByRole("region", { name: "Question" });
  const answer = story.steps[s - 1]!.answer!.replaceAll("`", "").slice(0, 30).split("\n")[0]!;
  await expect(question).toBeVisible();
  await expect(question).not.toContainText(answer);
  await page.keyboard.press("PageDown");
  await expect(question).toContainText(answer);
  await expect(page).toHaveURL(/answer=1/);
  await question.getByRole("button", { name: "Hide the answer" }).click();
  await expect(question).not.toContainText(answer);
});

test("Back goes a slide back, and the buttons stay where they are", async ({ page, visit }) => {
  await visit("#/story?name=deadlock");
  const next = page.getByRole("button", { name: "Next →" });
  await expect(page.locator(".progress")).toHaveText(/^1 of/);
  const places: string[] = [];
  for (let slide = 1; slide <= 5; slide += 1) {
    await expect(page.locator(".progress")).toHaveText(new RegExp(`^${slide} of`));
    await expect(page.locator("figure svg").first()).toBeVisible();
    places.push(JSON.stringify(await next.boundingBox()));
    await next.click();
  }
  expect(new Set(places).size).toBe(1);
  await page.goBack();
  await page.goBack();
  await expect(page.locator(".progress")).toHaveText(/^4 of/);
  await page.goForward();
  await expect(page.locator(".progress")).toHaveText(/^5 of/);
  await expect(page.locator("figure").first()).toBeInViewport();
});

test("no accusation before the first step: a bound per entry counts who asked", async ({ page, visit }) => {
  await visit("#/story?name=deadlock&s=1");
  await expect(page.locator("figcaption").first()).toContainText("step 0 of");
  await expect(page.locator("figcaption").first()).not.toContainText("exceeded");
});

test("the text scrolls and the stage follows; a slide is embedded without the ways to elsewhere", async ({ page, visit }) => {
  await visit("#/story?name=eight-steps");
  await expect(page.locator("figure svg").first()).toBeVisible();
  await page.getByRole("region", { name: "The text" }).hover();
  await page.mouse.wheel(0, 300);
  await expect(page.locator(".progress")).not.toHaveText(/^1 of/);
  await expect(page.locator("figure").first()).toBeInViewport();
  await visit("#/story?name=eight-steps&s=4&embed=1");
  await expect(page.locator("figure svg").first()).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Screens" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Open this in the Lab" })).toHaveCount(0);
  await page.getByRole("button", { name: "Next →" }).click();
  await expect(page).toHaveURL(/s=5&embed=1/);
});

test("a question is answered by a click on the stage, or on a rule", async ({ page, visit, server }) => {
  const clicked = await find(server, ({ click }) => click !== null);
  await visit(`#/story?name=${clicked.name}&s=${clicked.s}`);
  const question = page.getByRole("region", { name: "Question" });
  const right = clicked.story.steps[clicked.s - 1]!.click!;
  await page.locator(`[data-process='${right === 0 ? 1 : 0}']`).click();
  await expect(question).toContainText("✗ Not p");
  await page.locator(`[data-process='${right}']`).click();
  await expect(question).toContainText(`✓ Yes, p${right}.`);
  await expect(page).toHaveURL(/answer=1/);
  const ruled = await find(server, ({ rule }) => rule !== null);
  await visit(`#/story?name=${ruled.name}&s=${ruled.s}`);
  await question.getByRole("button", { name: ruled.story.steps[ruled.s - 1]!.rule!, exact: true }).click();
  await expect(question).toContainText("✓ Yes");
});

test("large type for a lecture, and the way to the Lab", async ({ page, visit }) => {
  await visit("#/");
  await page.locator("section[aria-labelledby=stories] a").first().click();
  await expect(page.locator("figure svg").first()).toBeVisible();
  await page.keyboard.press("t");
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("24px");
  await expect(page).toHaveURL(/t=1/);
  await expect(page.getByRole("link", { name: "Open this in the Lab" })).toHaveAttribute("href", /^#\/lab\?v=1&a=/);
  await page.getByRole("link", { name: "Gallery" }).click();
  await expect(page.getByRole("heading", { name: "All algorithms" })).toBeVisible();
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("16px");
});

test("a story is saved as a page, which needs nothing else, and a run as a film", async ({ page, visit, server, context }, info) => {
  const { steps } = await ask<Story>(server, "story", { name: "deadlock" });
  await visit("#/story?name=deadlock&s=4");
  await expect(page.locator("figure svg").first()).toBeVisible();
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a page" }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe("deadlock.html");
  const path = info.outputPath("deadlock.html");
  await download.saveAs(path);
  const saved = await context.newPage();
  await context.setOffline(true);
  await saved.goto(`file://${path}`);
  await expect(saved.locator("section")).toHaveCount(steps.length);
  await expect(saved.locator("section svg").first()).toBeVisible();
  expect(await saved.locator("section svg .node").count()).toBeGreaterThan(3 * (steps.length - 1));
  await context.setOffline(false);
  const film = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a film" }).click();
  expect((await film).suggestedFilename()).toMatch(/^maekawa-m1-3-4\.(webm|svg)$/);
});

test("moments of the Lab become slides, and a story that the program tells", async ({ page, visit }, info) => {
  test.skip(site !== undefined, "a folder of stories needs a server");
  await visit("#/lab?v=1&a=peterson&nodes=4&ids=3,7,4,1&seed=1&at=2");
  await isAt(page, 2);
  const sentence = (await page.locator(".sentence").textContent()) ?? "";
  await page.getByRole("button", { name: "Add as a slide" }).click();
  await page.keyboard.press("ArrowRight");
  await isAt(page, 3);
  await page.getByRole("button", { name: "Add as a slide" }).click();
  await page.reload();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save story (2)" }).click()]);
  const folder = info.outputPath("stories");
  await file.saveAs(join(folder, file.suggestedFilename()));
  const server = await serve("--stories", folder);
  await page.goto(`${server.url}#/story?name=mine`);
  await expect(page.getByText(sentence, { exact: true }).first()).toBeVisible();
  await server.stop();
  await visit("#/lab?v=1&a=peterson&nodes=4&ids=3,7,4,1&seed=1&at=2");
  await page.getByRole("button", { name: "Forget slides" }).click();
  await expect(page.getByRole("button", { name: /Save story/ })).toHaveCount(0);
});

test("nonsense in the address is said", async ({ page, visit }) => {
  await visit("#/story?name=moon");
  await expect(page.getByRole("alert")).toContainText("moon");
  await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
  await visit("#/story");
  await expect(page.getByText("The address names no story.")).toBeVisible();
  await page.getByRole("main").getByRole("link").first().click();
  await expect(page.locator(".progress")).toBeVisible();
  const address = new URL(page.url()).hash.split("&")[0]!;
  await visit(`${address}&s=99`);
  await expect(page.getByRole("alert")).toContainText("the address asks for step 99. This is the last one.");
  await visit(`${address}&s=x`);
  await expect(page.getByRole("alert")).toContainText("step “x”");
});

test("no engine: a sentence, and another try", async ({ page, visit }) => {
  await visit("#/");
  await expect(page.locator("section[aria-labelledby=stories] a").first()).toBeVisible();
  const back = await gone(page);
  await page.locator("section[aria-labelledby=stories] a").first().click();
  await expect(page.getByRole("alert")).toContainText("The engine does not answer");
  await back();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator("figure svg").first()).toBeVisible();
});

test("for everybody", async ({ page, visit, server }) => {
  const { name, s } = await find(server, ({ question }) => question !== null);
  await visit(`#/story?name=${name}&s=${s}&answer=1`);
  await expect(page.locator("figure svg").first()).toBeVisible();
  await forEverybody(page);
});
