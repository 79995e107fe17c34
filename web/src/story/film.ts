// A story, or the way of a run, as a file: pictures as they are on the page, taken one by one.

import { flushSync, mount, unmount } from "svelte";
import type { Exported, Run, Story } from "../engine";
import Picture from "../lab/Picture.svelte";
import type { Moment, Timeline } from "../lab/timeline";
import { pieces } from "./place";

/** Everything that the page's own rules say: a picture keeps its looks wherever it is. */
export function rules(sheets: Iterable<{ cssRules: Iterable<{ cssText: string }> }>): string {
  return [...sheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText)).join("\n");
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** A moment as the markup of an SVG. */
export function still(run: Run, moment: Moment, selected: number | null): string {
  const target = document.createElement("div");
  const picture = mount(Picture, { target, props: { run, moment, selected, compact: true } });
  flushSync();
  const svg = target.querySelector("svg");
  const markup = svg ? new XMLSerializer().serializeToString(svg) : "";
  void unmount(picture);
  return markup;
}

/** The same with its looks inside, in this size: it needs no page around it. */
export function alone(markup: string, css: string, theme: string, side: number): string {
  return markup
    .replace("<svg", `<svg width="${side}" height="${side}" data-theme="${theme}"`)
    .replace(/(<svg[^>]*>)/, `$1<style>${escaped(css)} * { transition: none !important; }</style><rect width="100%" height="100%" fill="var(--paper)"/>`);
}

const words = (text: string): string =>
  pieces(text)
    .map(({ text, code }) => (code ? `<code>${escaped(text)}</code>` : escaped(text)))
    .join("");

export interface Slide { pictures: { title: string; svg: string; said: string }[] }

/** All slides under each other, each a page when it is printed; without scripts, so that it may lie anywhere. */
export function asPage(story: Story, slides: Slide[], css: string, theme: string): string {
  const body = story.steps.map((step, index) => {
    const figures = (slides[index]?.pictures ?? []).map(
      ({ title, svg, said }) => `<figure>${svg}<figcaption><strong>${escaped(title)}</strong> ${escaped(said)}</figcaption></figure>`,
    );
    const asked = step.question
      ? `<details><summary>${words(step.question)}</summary><p>${words(step.answer ?? "")}</p></details>`
      : "";
    return `<section id="s${index + 1}"><p class="where">${index + 1} of ${story.steps.length}</p><p class="told">${words(step.caption)}</p>${asked}<div class="figures">${figures.join("")}</div></section>`;
  });
  return `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(story.title)}</title>
<style>
${css.replaceAll("</", "<\\/")}
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
section { break-after: page; border-top: 1px solid var(--line); padding: 1rem 0; }
.told { font-size: 1.2rem; }
.where { color: var(--soft); margin: 0; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; flex: 1 1 20rem; }
figure svg { width: 100%; max-height: 30rem; }
</style>
</head>
<body>
<h1>${escaped(story.title)}</h1>
<p>${words(story.summary)}</p>
${body.join("\n")}
</body>
</html>
`;
}

/** The steps that a film shows: not more than `most`, the last one always. */
export function frames(from: number, to: number, most: number): number[] {
  const stride = Math.max(1, Math.ceil((to - from + 1) / most));
  const shown = Array.from({ length: Math.floor((to - from) / stride) + 1 }, (_, k) => from + k * stride);
  return shown.at(-1) === to ? shown : [...shown, to];
}

/** One SVG that shows its frames in turn, for a browser that records no films. */
export function flicker(stills: string[], css: string, theme: string, waitMs: number): string {
  const total = stills.length * waitMs;
  const groups = stills.map((markup, index) => {
    const values = stills.map((_, k) => (k === index ? "inline" : "none")).join(";");
    return `<g display="none">${markup}<animate attributeName="display" values="${values}" dur="${total}ms" calcMode="discrete" repeatCount="indefinite"/></g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="720" height="720" data-theme="${theme}"><style>${escaped(css)}</style><rect width="100%" height="100%" fill="var(--paper)"/>${groups.join("")}</svg>`;
}

const SIDE = 720;
const KIND = "video/webm";

/** Whether this browser records films. */
export const records = (): boolean =>
  typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(KIND) && "captureStream" in HTMLCanvasElement.prototype;

async function picture(svg: string): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  return image;
}

/** The way of a run from one step to another: a WebM, or an SVG where that cannot be. */
export async function film(timeline: Timeline, from: number, to: number, theme: string, waitMs: number): Promise<Exported | { name: string; blob: Blob }> {
  const css = rules(document.styleSheets);
  const name = `${timeline.run.algorithm.replace("@", "-")}-${from}-${to}`;
  const stills = frames(from, to, 120).map((step) => still(timeline.run, timeline.at(step), null));
  if (!records()) return { name: `${name}.svg`, type: "image/svg+xml", text: flicker(stills, css, theme, waitMs) };
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d");
  const images = await Promise.all(stills.map((markup) => picture(alone(markup, css, theme, SIDE))));
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: KIND });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const over = new Promise<void>((resolve) => (recorder.onstop = () => resolve()));
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  recorder.start();
  for (const image of images) {
    // A canvas that does not change gives no frames: each picture is drawn again while it stands.
    for (let shown = 0; shown < waitMs; shown += 50) {
      context?.drawImage(image, 0, 0, SIDE, SIDE);
      await wait(50);
    }
  }
  recorder.stop();
  await over;
  return { name: `${name}.webm`, blob: new Blob(parts, { type: KIND }) };
}
