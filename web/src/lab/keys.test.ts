// The keyboard.

import { expect, it } from "vitest";
import { command, isTyping, KEYS } from "./keys";

const press = (key: string, more = {}) => command({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more });

it("knows the keys of the design", () => {
  expect([" ", ".", "PageDown"].map((key) => press(key))).toEqual(["play", "play", "play"]);
  expect([press("ArrowRight"), press("ArrowRight", { shiftKey: true })]).toEqual(["forward", "next-of-process"]);
  expect([press("D"), press("d"), press("?", { shiftKey: true }), press("/")]).toEqual(["drop", "drop", "help", "search"]);
  expect([press("z", { ctrlKey: true }), press("z", { metaKey: true }), press("z")]).toEqual(["undo", "undo", null]);
});

it("leaves the browser its own", () => {
  expect([press("c", { ctrlKey: true }), press("f", { ctrlKey: true }), press("ArrowLeft", { altKey: true }), press("F5")]).toEqual([null, null, null, null]);
});

it("has no key twice", () => {
  const all = KEYS.flatMap(({ keys, shift, control }) => keys.map((key) => `${key} ${shift} ${control}`));
  expect(new Set(all).size).toBe(all.length);
});

it("keeps quiet while somebody types", () => {
  expect(isTyping({ tagName: "INPUT", type: "text" }, "d")).toBe(true);
  expect(isTyping({ tagName: "SELECT" }, "d")).toBe(true);
  expect(isTyping({ tagName: "INPUT", type: "range" }, "d")).toBe(false);
  expect(isTyping({ tagName: "INPUT", type: "range" }, "ArrowLeft")).toBe(true);
  expect(isTyping({ tagName: "BUTTON" }, " ")).toBe(true);
  expect(isTyping({ tagName: "BUTTON" }, "ArrowRight")).toBe(false);
  expect(isTyping(null, "d")).toBe(false);
});
