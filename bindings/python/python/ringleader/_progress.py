"""How far long work is: a bar, once it takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Called with a share from 0 to 1 (below 0: nobody knows) and words.
Tell = Callable[[float, str], None]


def _wanted(progress: bool | Tell | None) -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules if progress is None else bool(progress)


@contextmanager
def bar(words: str, progress: bool | Tell | None) -> Iterator[Tell | None]:
    """Whom to tell. ``progress``: ``None`` for a bar where somebody can see it, a switch, or whom to tell instead."""
    if callable(progress):
        yield progress
        return
    if not _wanted(progress):
        yield None
        return
    from tqdm.auto import tqdm

    shown: Any = tqdm(
        total=100,
        desc=words,
        delay=0.5,
        leave=False,
        bar_format="{desc} {percentage:3.0f} %|{bar}| {postfix} [{elapsed}<{remaining}]",
    )

    def tell(share: float, said: str) -> None:
        if share >= 0:
            shown.n = round(100 * share, 1)
        shown.set_postfix_str(said, refresh=False)
        shown.refresh()

    try:
        yield tell
    finally:
        shown.close()
