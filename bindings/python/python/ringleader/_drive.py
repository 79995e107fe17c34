"""A sweep in parts. A part takes about so many seconds, however much one run costs; what is done is in files, and only
how far each part is stands in memory."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from . import _work
from ._pools import pool
from ._progress import Tell
from ._refused import Interrupted
from ._store import SCHEMA, Results, arrow

if TYPE_CHECKING:
    from ._sweep import Planned

#: No file has more rows: they are in memory while it is made.
ROWS_MAX = 50_000
#: A part that takes so many times as long as it should ends early; the rest is another part.
PATIENCE = 4
#: The first parts, of which nobody knows how long they take.
FIRST = 32


class Costs:
    """How long runs take, as far as it was seen: for each configuration, and for all by their weight."""

    def __init__(self, weights: list[int], seeds: int) -> None:
        self._weights = weights
        self._seeds = seeds
        self._seconds: dict[int, float] = {}
        self._by_weight: float | None = None

    def run(self, run: int) -> float | None:
        """Seconds for this run; none before anything was seen."""
        configuration = run // self._seeds
        known = self._seconds.get(configuration)
        if known is None and self._by_weight is not None:
            return self._by_weight * self._weights[configuration]
        return known

    def learn(self, begin: int, end: int, seconds: float) -> None:
        """So long these took."""
        first, last = begin // self._seeds, (end - 1) // self._seeds
        weights = [
            self._weights[one] * (min(end, (one + 1) * self._seeds) - max(begin, one * self._seeds))
            for one in range(first, last + 1)
        ]
        rate = seconds / max(1, sum(weights))
        self._by_weight = rate if self._by_weight is None else 0.8 * self._by_weight + 0.2 * rate
        if first == last:
            each = seconds / (end - begin)
            known = self._seconds.get(first)
            self._seconds[first] = each if known is None else 0.5 * known + 0.5 * each

    def cut(self, begin: int, end: int, target: float) -> int:
        """The end of a part that begins here and takes about so many seconds."""
        if self.run(begin) is None:
            return min(end, begin + FIRST)
        at, left = begin, target
        while at < end and left > 0:
            each = max(self.run(at) or 0.0, 1e-7)
            of_this = min(end, (at // self._seeds + 1) * self._seeds) - at
            take = min(of_this, max(1, int(left / each)))
            at += take
            left -= take * each
            if take < of_this:
                break
        return min(at, begin + ROWS_MAX)

    def left(self, gaps: list[tuple[int, int]]) -> float:
        """About how long these take on one core."""
        total = 0.0
        for begin, end in gaps:
            at = begin
            while at < end:
                to = min(end, (at // self._seeds + 1) * self._seeds)
                total += (to - at) * (self.run(at) or 0.0)
                at = to
        return total


def drive(
    planned: Planned,
    folder: Path,
    *,
    on: str | None,
    slots: int | None,
    columns: list[str] | None,
    tell: Tell | None,
    address: str | None,
    restart: bool,
    part_seconds: float,
) -> Results:
    """Makes what is missing in the folder."""
    arrow()
    native, notes = planned.native, planned.notes()
    head = {
        "schema": SCHEMA,
        "sweep": native.name,
        "version": notes["ringleader.version"],
        "runs": native.runs,
        "columns": columns,
        "grid": planned.text,
        "replace": planned.replace,
        "begun": notes["ringleader.time"],
    }
    results = Results.begin(folder.absolute(), head, restart=restart)
    gaps = deque(results.missing())
    if not gaps:
        return results
    workers = pool(on, slots, address)
    asked = (planned.text, planned.name, tuple(planned.replace))
    costs = Costs(native.weights, native.seeds)
    running: dict[object, tuple[int, int]] = {}
    todo = sum(end - begin for begin, end in gaps)
    before = native.runs - todo
    done, begun = 0, time.monotonic()
    try:
        while gaps or running:
            most = 2 * workers.slots
            while gaps and len(running) < most:
                begin, end = gaps.popleft()
                # Towards the end parts are smaller, so that nobody waits for one.
                share = costs.left([(begin, end), *gaps]) / most
                cut = costs.cut(begin, end, min(part_seconds, max(share, part_seconds / 20)))
                if cut < end:
                    gaps.appendleft((cut, end))
                handle = workers.submit(
                    _work.rows,
                    asked,
                    native.name,
                    str(results.folder),
                    (begin, cut),
                    PATIENCE * part_seconds,
                    columns,
                    notes,
                )
                running[handle] = (begin, cut)
            for handle, result in workers.done(0.1):
                begin, end = running.pop(handle)
                to, seconds = result()
                costs.learn(begin, to, seconds)
                done += to - begin
                if to < end:
                    gaps.appendleft((to, end))
            if tell is not None:
                rate = done / max(time.monotonic() - begun, 1e-9)
                tell((before + done) / native.runs, f"{before + done:,} of {native.runs:,} runs, {rate:,.0f} a second")
    except KeyboardInterrupt as interrupted:
        words = f"{len(results):,} of {native.runs:,} runs are in {folder}; the same call goes on from there"
        raise Interrupted(words, results) from interrupted
    finally:
        workers.close()
    return results
