"""How far long work is: a bar, once it takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

#: Called with a share from 0 to 1 (below 0: nobody knows) and words.
Tell = Callable[[float, str], None]


class bar:  # it reads as what one does: with bar(...)
    """Whom to tell. ``progress``: ``None`` for a bar where somebody can see it, a switch, or whom to tell instead.

    Nothing is made before there is something to tell: most questions are answered at once.
    """

    __slots__ = ("_progress", "_shown", "_words")

    def __init__(self, words: str, progress: bool | Tell | None) -> None:
        self._words = words
        self._progress = progress
        self._shown: Any = None

    def __enter__(self) -> Tell | None:
        if callable(self._progress):
            return self._progress
        wanted = self._progress if self._progress is not None else _is_seen()
        return self._tell if wanted else None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.close()

    def _tell(self, share: float, said: str) -> None:
        if self._shown is None:
            from tqdm.auto import tqdm

            form = "{desc} {percentage:3.0f} %|{bar}| {postfix} [{elapsed}<{remaining}]"
            self._shown = tqdm(total=100, desc=self._words, delay=0.5, leave=False, bar_format=form)
        if share >= 0:
            self._shown.n = round(100 * share, 1)
        self._shown.set_postfix_str(said, refresh=False)
        self._shown.refresh()


def _is_seen() -> bool:
    """Whether somebody looks: at a terminal, or at a notebook."""
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
