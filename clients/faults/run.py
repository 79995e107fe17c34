#!/usr/bin/env python3
"""Clients of several languages contend for the same locks, while servers are killed, paused and cut off.

    run.py --program ringleader --driver python="CMD" --driver go="CMD" ... --seconds 60

Every client writes down what it believed: lock, fence, from and until, on one clock of this machine. Afterwards no two
beliefs of a lock may overlap, and fences must strictly grow in the order of time.
"""

from __future__ import annotations

import argparse
import json
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from service import NAMES, Service

LOCKS = ["stock", "till", "ledger"]


@dataclass(frozen=True)
class Belief:
    """Who believed to hold what, and when."""

    lock: str
    fence: int
    begun: int
    until: int
    language: str


def clock_offset() -> int:
    """What is to be added to CLOCK_MONOTONIC: Java has no other clock."""
    best, offset = 1 << 62, 0
    for _ in range(100):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        if after - before < best:
            # Rounded down, so that nothing seems to overlap that did not.
            best, offset = after - before, boot - after
    return offset


def violations(beliefs: list[Belief]) -> list[str]:
    """What must not be: beliefs that overlap, fences that do not grow."""
    found = []
    for lock in sorted({each.lock for each in beliefs}):
        of_lock = sorted((each for each in beliefs if each.lock == lock), key=lambda each: each.begun)
        longest = of_lock[0]
        for before, after in pairwise(of_lock):
            longest = max(longest, before, key=lambda each: each.until)
            if after.begun < longest.until:
                over = (longest.until - after.begun) / 1e6
                found.append(f"{lock}: {longest.language} and {after.language} overlap by {over:.3f} ms")
            if after.fence <= before.fence:
                found.append(
                    f"{lock}: fence {after.fence} of {after.language} after {before.fence} of {before.language}"
                )
    return found


def controls(beliefs: list[Belief]) -> list[str]:
    """What is planted must be found: an overlap, a fence twice, and a fence that goes back."""
    lock = Counter(each.lock for each in beliefs).most_common(1)[0][0]
    of_lock = sorted((each for each in beliefs if each.lock == lock), key=lambda each: each.begun)
    if len(of_lock) < 10:
        return ["too few grants for a control"]
    first, second = of_lock[4], of_lock[5]
    rest = [each for each in beliefs if each not in (first, second)]
    planted = {
        "an overlap": [replace(first, until=second.begun + 1), second],
        "a fence that is given twice": [first, replace(second, fence=first.fence)],
        "fences that go back": [replace(first, fence=second.fence), replace(second, fence=first.fence)],
    }
    return [f"not found, although planted: {what}" for what, pair in planted.items() if not violations(rest + pair)]


class Contender:
    """One client, in a process of its own."""

    def __init__(self, language: str, command: str, record: Path) -> None:
        self.language, self.record = language, record
        self.child = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, number: int, **command: Any) -> None:
        assert self.child.stdin
        self.child.stdin.write(json.dumps({"id": number, **command}) + "\n")
        self.child.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.child.stdout
        line = self.child.stdout.readline()
        if not line:
            raise SystemExit(f"the {self.language} client has ended")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise SystemExit(f"the {self.language} client says {reply['error']}")
        return reply

    def beliefs(self, offset: int) -> list[Belief]:
        found, shift = [], offset if self.language == "java" else 0
        for line in self.record.read_text().splitlines():
            lock, fence, begun, until, _ = line.split()
            found.append(Belief(lock, int(fence), int(begun) + shift, int(until) + shift, self.language))
        return found


def harm(service: Service, contenders: list[Contender], seconds: float, chance: random.Random) -> Counter[str]:
    """One fault after the other, never two servers at once: a majority lives."""
    done: Counter[str] = Counter()
    end, kinds = time.monotonic() + seconds, ["kill", "cut", "pause", "pause a client"]
    time.sleep(3)
    while time.monotonic() < end - 8:
        kind, name = kinds[done.total() % len(kinds)], chance.choice(NAMES)
        done[kind] += 1
        lasts = chance.uniform(0.5, 5)
        if kind == "kill":
            service.kill(name)
            time.sleep(chance.uniform(0.2, 2))
            service.start(name)
        elif kind == "cut":
            service.cut(name, False)
            time.sleep(lasts)
            service.cut(name, True)
        elif kind == "pause":
            service.signal(name, signal.SIGSTOP)
            time.sleep(lasts)
            service.signal(name, signal.SIGCONT)
        else:
            child = chance.choice(contenders).child
            child.send_signal(signal.SIGSTOP)
            time.sleep(lasts)
            child.send_signal(signal.SIGCONT)
        # Long enough that the server is a member again, and locks go round.
        time.sleep(chance.uniform(1, 4))
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the program `ringleader`")
    parser.add_argument("--driver", action="append", required=True, metavar="LANGUAGE=CMD")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--each", type=int, default=2, help="so many clients of each language (2)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 100_000)
    asked = parser.parse_args()
    print(f"{asked.seconds:.0f} s of faults, --seed {asked.seed}", flush=True)
    drivers = dict(each.split("=", 1) for each in asked.driver)
    contenders: list[Contender] = []
    with tempfile.TemporaryDirectory(prefix="rl") as scratch:
        folder = Path(scratch) / "s"
        service = Service(asked.program.resolve(), folder)
        try:
            service.with_cuts()
            for name in NAMES:
                service.start(name)
            service.wait_ready()
            offset = clock_offset()
            files = {"authority": "ca.pem", "certificate": "client.pem", "key": "client.key"}
            credentials = {what: str(folder / file) for what, file in files.items()}
            servers = [f"https://{service.cuts['client', name].address}#{name}.local.ringleader" for name in NAMES]
            for language, command in drivers.items():
                for number in range(asked.each):
                    contender = Contender(language, command, Path(scratch) / f"{language}-{number}")
                    contenders.append(contender)
                    # Each begins at another server.
                    turned = servers[len(contenders) % 3 :] + servers[: len(contenders) % 3]
                    contender.say(1, op="open", servers=turned, **credentials)
                    contender.hear()
            for place, contender in enumerate(contenders):
                # Some hold for long, so that deadlines pass while somebody holds.
                hold = 1500 if place % asked.each else 15
                work = {"names": LOCKS, "seconds": asked.seconds, "wait_ms": 5000, "hold_ms": hold}
                contender.say(2, op="contend", record=str(contender.record), **work)
            faults = harm(service, contenders, asked.seconds, random.Random(asked.seed))
            counts: dict[str, Counter[str]] = {language: Counter() for language in drivers}
            for contender in contenders:
                counts[contender.language].update(contender.hear()["counts"])
            if abs(clock_offset() - offset) > 1_000_000:
                print("the machine slept: its clocks cannot be compared")
                return 1
            beliefs = [each for contender in contenders for each in contender.beliefs(offset)]
        finally:
            for contender in contenders:
                contender.child.kill()
                contender.child.wait()
            service.close()
    print("faults: " + ", ".join(f"{number} × {kind}" for kind, number in faults.items()))
    for language, count in counts.items():
        print(f"{language:<8} " + ", ".join(f"{number} {word}" for word, number in count.items()))
    ordered = [sorted((each for each in beliefs if each.lock == lock), key=lambda each: each.fence) for lock in LOCKS]
    changes = sum(a.language != b.language for each in ordered for a, b in pairwise(each))
    print(f"{len(beliefs)} beliefs, {changes} times the next holder was of another language")
    problems = violations(beliefs)[:20]
    problems += [f"{language} was granted nothing" for language, count in counts.items() if not count["granted"]]
    problems = problems or controls(beliefs)
    for problem in problems:
        print(f"FAILED {problem}")
    if not problems:
        print("no beliefs overlap, fences strictly grow; what was planted was found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
