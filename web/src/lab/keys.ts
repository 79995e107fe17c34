// The keyboard: which key does what. One list for the keys and for the help.

export type Command =
  | "play" | "forward" | "back" | "next-of-process" | "previous-of-process" | "start" | "end" | "slower" | "faster"
  | "next-process" | "next-message" | "drop" | "delay" | "overtake" | "crash" | "branches" | "violation" | "chain"
  | "present" | "go" | "search" | "help" | "undo";

interface Key {
  keys: string[];
  shown: string;
  command: Command;
  words: string;
  shift?: true;
  control?: true;
}

export const KEYS: Key[] = [
  { keys: [" ", ".", "PageDown"], shown: "Space . PageDown", command: "play", words: "play or pause" },
  { keys: ["ArrowRight"], shown: "→", command: "forward", words: "one step forward" },
  { keys: ["ArrowLeft", "PageUp"], shown: "← PageUp", command: "back", words: "one step back" },
  {
    keys: ["ArrowRight"], shown: "Shift →", command: "next-of-process", shift: true,
    words: "the next step of the selected process",
  },
  {
    keys: ["ArrowLeft"], shown: "Shift ←", command: "previous-of-process", shift: true,
    words: "the step before of the selected process",
  },
  { keys: ["Home"], shown: "Home", command: "start", words: "to the start" },
  { keys: ["End"], shown: "End", command: "end", words: "to the end" },
  { keys: ["["], shown: "[", command: "slower", words: "slower" },
  { keys: ["]"], shown: "]", command: "faster", words: "faster" },
  { keys: ["n"], shown: "N", command: "next-process", words: "select the next process" },
  { keys: ["m"], shown: "M", command: "next-message", words: "select the next message on its way (or Tab to it)" },
  { keys: ["d"], shown: "D", command: "drop", words: "drop the selected message" },
  { keys: ["l"], shown: "L", command: "delay", words: "delay the selected message" },
  { keys: ["r"], shown: "R", command: "overtake", words: "let the selected message overtake those before it" },
  { keys: ["c"], shown: "C", command: "crash", words: "crash the selected process, or recover it" },
  { keys: ["f"], shown: "F", command: "branches", words: "to the list of branches" },
  { keys: ["i"], shown: "I", command: "violation", words: "to the next violation" },
  { keys: ["p"], shown: "P", command: "chain", words: "show the longest chain of messages" },
  { keys: ["t"], shown: "T", command: "present", words: "present: stage and rules, large; PageUp and PageDown step, B blanks, T leaves" },
  { keys: ["g"], shown: "G", command: "go", words: "go to a step" },
  { keys: ["/"], shown: "/", command: "search", words: "search in the list of events" },
  { keys: ["?"], shown: "?", command: "help", words: "this list" },
  { keys: ["z"], shown: "Ctrl Z", command: "undo", words: "go back to the run without the last edit", control: true },
];

export interface Pressed { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean }

/** What a key asks for; null: nothing of ours. */
export function command(event: Pressed): Command | null {
  if (event.altKey) return null;
  const control = event.ctrlKey || event.metaKey;
  const letter = event.key.length === 1;
  const key = letter ? event.key.toLowerCase() : event.key;
  for (const known of KEYS) {
    if (!known.keys.includes(key) || control !== (known.control ?? false)) continue;
    // With letters and signs Shift belongs to the key itself; with arrows it is a key of its own.
    if (!letter && event.shiftKey !== (known.shift ?? false)) continue;
    return known.command;
  }
  return null;
}

/** Keys that mean something else while one presents: those of a presenter's remote control. */
export function presenting(event: Pressed): Command | "blank" | "leave" | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  switch (event.key) {
    case "PageDown": return "forward";
    case "PageUp": return "back";
    case "b": case "B": return "blank";
    case "Escape": return "leave";
    default: return null;
  }
}

interface Target { tagName: string; type?: string; isContentEditable?: boolean }

/** Whether somebody types or chooses there, so that keys are not ours. */
export function isTyping(target: Target | null, key: string): boolean {
  if (!target) return false;
  if (target.isContentEditable || target.tagName === "TEXTAREA" || target.tagName === "SELECT") return true;
  if (target.tagName === "INPUT") {
    if (target.type === "checkbox" || target.type === "radio") return key === " ";
    // A slider moves with the arrows by itself.
    return target.type !== "range" || ["ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"].includes(key);
  }
  // Space and Enter press a button or follow a link.
  return ["BUTTON", "A", "SUMMARY"].includes(target.tagName) && (key === " " || key === "Enter");
}
