"""The clock of deadlines: nanoseconds that go on while the machine sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable

_STEP = 250_000_000
_DAY = 86_400_000_000_000


class Fallback:
    """Where no clock counts sleep: the monotonic one, put forward by what the wall clock says it has missed.

    A wall clock that was set back hides how long the machine slept. Then this one leaps a day: every session ends.
    """

    def __init__(self, steady: Callable[[], int] = time.monotonic_ns, wall: Callable[[], int] = time.time_ns) -> None:
        self._steady, self._wall = steady, wall
        self._base = wall() - steady()
        self._ahead = 0

    def __call__(self) -> int:
        while True:
            before = self._steady()
            missed = self._wall() - before - self._base
            steady = self._steady()
            # Both were read at one moment, or this process was paused between them: then once more.
            if steady - before > _STEP // 4:
                continue
            if abs(missed) > _STEP:
                self._base += missed
                self._ahead += missed if missed > 0 else _DAY
            return steady + self._ahead


def _choose() -> Callable[[], int]:
    # CLOCK_MONOTONIC stands still while Linux sleeps: a lock that ran out meanwhile would seem to be held.
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return Fallback() if boot is None else lambda: time.clock_gettime_ns(boot)


now_ns: Callable[[], int] = _choose()


def now() -> float:
    """This moment in seconds, on the clock of `deadline`."""
    return now_ns() / 1e9
