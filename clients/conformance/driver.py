"""A client under test: a program that is told what to do by lines of JSON, and says what it believes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import scripted
from scripted import Failed, World, now


class Driver:
    """A client program, and the central check: what it believes, against what it may believe."""

    def __init__(self, command: str, world: World, **options: Any) -> None:
        self.world = world
        self.child = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.replies: dict[int, list[dict[str, Any]]] = {}
        self.news = threading.Condition()
        self.last = 0
        self.ended: set[tuple[str, str]] = set()
        self.over = False
        threading.Thread(target=self._read, daemon=True).start()
        self.about = self.ask(op="about")
        if "servers" not in options:
            options["servers"] = [server.address for server in world.servers]
        # How slow this machine is must decide nothing.
        options["patience_ms"] = 60_000
        self.options = options

    def open(self, **more: Any) -> dict[str, Any]:
        """Makes the client. It may open its session now, or when it first needs it."""
        return self.ask(op="open", **{**self.options, **more})

    def _read(self) -> None:
        assert self.child.stdout
        for line in self.child.stdout:
            reply = json.loads(line)
            with self.news:
                self.replies.setdefault(reply["id"], []).append(reply)
                self.news.notify_all()
        with self.news:
            self.over = True
            self.news.notify_all()

    def send(self, **command: Any) -> int:
        """Says what is to be done; the number by which its reply is known."""
        assert self.child.stdin
        self.last += 1
        self.child.stdin.write(json.dumps({"id": self.last, **command}) + "\n")
        self.child.stdin.flush()
        return self.last

    def reply(self, number: int) -> dict[str, Any]:
        """The next reply to a command."""
        with self.news:
            if not self.news.wait_for(lambda: self.replies.get(number) or self.over, scripted.PATIENCE):
                raise Failed(f"the client never answers; asked was {self.world.asked_so_far()}")
            if not self.replies.get(number):
                raise Failed("the client program has ended")
            return self.replies[number].pop(0)

    def has_replied(self, number: int) -> bool:
        """Whether there is a reply that nobody has taken."""
        with self.news:
            return bool(self.replies.get(number))

    def ask(self, **command: Any) -> dict[str, Any]:
        return self.reply(self.send(**command))

    def acquire(self, key: str, name: str = "x", **more: Any) -> int:
        """Begins to ask for a lock."""
        return self.send(op="acquire", key=key, name=name, **more)

    def granted(self, number: int, fence: int | str) -> None:
        """Waits until it is granted."""
        reply = self.reply(number)
        if reply.get("fence") != str(fence):
            raise Failed(f"granted was {fence}, and the client says {reply}")

    def refused(self, number: int, code: str) -> dict[str, Any]:
        """Waits until it is refused."""
        reply = self.reply(number)
        error: dict[str, Any] = reply.get("error", {})
        if error.get("code") != code:
            raise Failed(f"expected was the error {code}, and the client says {reply}")
        return error

    def check(self) -> dict[str, dict[str, Any]]:
        """What it believes now. It may believe no longer than the last answered keep-alive allows, by when that was
        *received*: the client has sent it before. The question is older than the belief, so no pause of this machine
        makes a right client fail."""
        asked = now()
        holds = {each["key"]: each for each in self.ask(op="state")["holds"]}
        for key, hold in holds.items():
            fence = hold["fence"]
            if not hold["held"]:
                if hold["remaining_ms"] > 0:
                    raise Failed(f"{key} is not held, and has {hold['remaining_ms']} ms left")
                self.ended.add((key, fence))
                continue
            if (key, fence) in self.ended:
                raise Failed(f"{key} with fence {fence} was lost, and is held again")
            # Of sessions in which this fence was granted, the best: none is a violation in itself.
            bounds = [self.world.bounds.get(session, 0.0) for session, text in self.world.grants if text == fence]
            until = asked + hold["remaining_ms"]
            if not bounds or until > max(bounds) + 1.0:
                beyond = f"{until - max(bounds):.1f} ms beyond what it may" if bounds else "and nobody has granted it"
                raise Failed(f"{key} is believed to be held with fence {fence} {beyond}")
        return holds

    def holds(self, key: str) -> bool:
        """Whether it believes to hold this."""
        return bool(self.check().get(key, {}).get("held"))

    def until_lost(self, key: str) -> None:
        """Waits until it knows that it has lost this, and has said so to whoever waits for that."""
        limit = now() + scripted.PATIENCE * 1000
        while now() < limit:
            hold = self.check()[key]
            if not hold["held"] and hold["lost"]:
                return
            threading.Event().wait(0.02)
        raise Failed(f"{key} is never lost")

    def stop(self) -> None:
        """The client stands still, as if its machine had paused it."""
        os.kill(self.child.pid, signal.SIGSTOP)
        # The signal is on its way when `kill` returns: until every thread has it, the client goes on.
        tasks = Path(f"/proc/{self.child.pid}/task")
        while any("T" not in task.read_text().rpartition(")")[2].split()[0] for task in tasks.glob("*/stat")):
            time.sleep(0.001)

    def go(self) -> None:
        os.kill(self.child.pid, signal.SIGCONT)

    def close(self) -> None:
        self.go()
        assert self.child.stdin
        try:
            self.child.stdin.close()
            self.child.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.child.kill()
            self.child.wait()
