// What the keys of the Lab do.

import type { Command } from "./keys";
import { DELAY, type Session } from "./session.svelte";

function focus(id: string): void {
  document.getElementById(id)?.focus();
}

export function act(session: Session, command: Exclude<Command, "present" | "help">): void {
  const chosen = session.message;
  switch (command) {
    case "play": session.togglePlay(); break;
    case "forward": void session.go(session.step + 1); break;
    case "back": void session.go(session.step - 1); break;
    case "next-of-process": session.along(1); break;
    case "previous-of-process": session.along(-1); break;
    case "start": void session.go(0); break;
    case "end": void session.go(session.run?.steps ?? 0); break;
    case "slower": session.player.faster(-1); break;
    case "faster": session.player.faster(1); break;
    case "next-process": session.nextProcess(); break;
    case "next-message": session.nextMessage(); break;
    case "drop": if (chosen !== null) void session.edit("drop", chosen); break;
    case "delay": if (chosen !== null) void session.edit("delay", chosen, DELAY); break;
    case "overtake": if (chosen !== null) void session.edit("overtake", chosen); break;
    case "crash": {
      if (session.selected === null) break;
      const isDown = session.moment?.processes[session.selected]?.down ?? false;
      void session.edit(isDown ? "recover" : "crash", session.selected);
      break;
    }
    case "branches": focus("branches"); break;
    case "violation": session.nextViolation(); break;
    case "chain": session.toggleChain(); break;
    case "go": focus("go-to"); break;
    case "search": focus("event-search"); break;
    case "undo": void session.undo(); break;
  }
}
