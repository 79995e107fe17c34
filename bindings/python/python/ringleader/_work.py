"""What a process of a pool does: runs of a sweep, cases of a check, one search for the worst."""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from . import _native
from ._refused import Refused
from ._store import Results


@lru_cache(maxsize=4)
def _planned(text: str, name: str, replace: tuple[str, ...]) -> Any:
    return _native.Sweep(text, name, list(replace), False)


def rows(
    asked: tuple[str, str, tuple[str, ...]],
    sweep: str,
    folder: str,
    part: tuple[int, int],
    seconds: float,
    columns: list[str] | None,
    notes: dict[str, str],
) -> tuple[int, float]:
    """Makes runs and keeps their rows; gives where it ended, and how long it took. Made twice, it is kept once."""
    begun = time.perf_counter()
    results = Results(Path(folder))
    begin, end = part
    done = results.done_from(begin)
    if done is None:
        native = _planned(*asked)
        if native.name != sweep:
            raise Refused(
                "this node understands another sweep: it has another version, or another file of identities",
                "other_results",
                exit=4,
            )
        frame, interrupted = native.rows(begin, end, 1, notes, columns=columns, seconds=seconds)
        if interrupted is not None:
            raise interrupted
        done = results.write(begin, frame)
    return done, time.perf_counter() - begun


def check(algorithm: str, options: list[tuple[str, str]], cases: tuple[int, int]) -> tuple[str, str | None]:
    """Some cases of a check."""
    return _native.check(algorithm, options, None, cases)


def worst(algorithm: str, options: list[tuple[str, str]]) -> str:
    """One search."""
    return _native.worst(algorithm, options, None)
