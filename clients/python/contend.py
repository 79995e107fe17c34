"""The work of the fault run: take locks, hold them for a moment, and write down what was believed."""

from __future__ import annotations

import random
import time
from typing import Any

from ringleader_client import Client, LockError, now


def contend(client: Client, command: dict[str, Any]) -> dict[str, Any]:
    """Until the time is over. Each line of the record: lock, fence, from and until (nanoseconds on `now()`), how it ended."""
    until, counts = now() + command["seconds"], {"granted": 0, "released": 0, "lost": 0, "refused": 0}
    with open(command["record"], "w", buffering=1) as record:
        while now() < until:
            name = random.choice(command["names"])
            try:
                held = client.lock(name, timeout=command["wait_ms"] / 1000).acquire()
            except LockError:
                counts["refused"] += 1
                time.sleep(0.02)
                continue
            counts["granted"] += 1
            begun, stays = now(), random.expovariate(1 / (command["hold_ms"] / 1000))
            while held.held and now() < begun + stays:
                time.sleep(0.002)
            # What it believes ends here: when it begins to give it back, or at its deadline.
            last, end = min(now(), held.deadline), "lost"
            try:
                held.release()
                counts["released"] += 1
                end = "released"
            except LockError:
                counts["lost"] += 1
            last = held.deadline if end == "lost" and not held.held and last >= held.deadline else last
            record.write(f"{name} {held.fence} {round(begun * 1e9)} {round(last * 1e9)} {end}\n")
    return {"ok": True, "counts": counts}
