"""Many runs: a table in memory, or files on a disk that many machines fill."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, overload

from . import _native
from ._grid import Grid, text
from ._native import Frame
from ._progress import Tell, bar
from ._refused import Interrupted, Refused
from ._store import Results


class Planned:
    """A sweep that was understood; nothing has run yet."""

    def __init__(self, grid: str | os.PathLike[str] | Grid, replace: Mapping[str, Any] | None = None) -> None:
        self.file: Path | None = None
        if isinstance(grid, Mapping):
            self.name, self.text = "grid", text(grid)
        else:
            self.file = Path(grid)
            self.name = str(grid)
            try:
                self.text = self.file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                # The engines say what is wrong with it.
                self.text = ""
        self.replace = [f"{key}={_several(value)}" for key, value in (replace or {}).items()]
        self.native = _native.Sweep(self.text, self.name, self.replace, self.file is not None and self.text == "")

    def notes(self) -> dict[str, str]:
        """Where rows come from: version, machine, time, and the state of the file in git."""
        notes = {
            "ringleader.version": _native.VERSION,
            "ringleader.sweep": self.native.name,
            "ringleader.grid": self.text,
            "ringleader.replace": " ".join(self.replace),
            "ringleader.host": platform.node(),
            "ringleader.time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        }
        if self.file is not None:
            notes["ringleader.file"] = str(self.file)
            notes["ringleader.git"] = _git(self.file)
        return notes


def _several(value: object) -> str:
    if isinstance(value, range):
        return f"{value.start}..{value.stop - 1}" if value.step == 1 else ",".join(map(str, value))
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _git(file: Path) -> str:
    """The commit of the file, with `+` if it was changed since; empty without git."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", *words], cwd=file.resolve().parent, capture_output=True, text=True, timeout=10, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip()

    commit = git("log", "-1", "--format=%H", "--", file.name)
    if not commit:
        return ""
    return commit + ("+" if git("status", "--porcelain", "--", file.name) else "")


@overload
def sweep(
    grid: str | os.PathLike[str] | Grid,
    *,
    results: None = None,
    on: None = None,
    threads: int | None = None,
    columns: list[str] | None = None,
    replace: Mapping[str, Any] | None = None,
    progress: bool | Tell | None = None,
) -> Frame: ...
@overload
def sweep(
    grid: str | os.PathLike[str] | Grid,
    *,
    results: str | os.PathLike[str],
    on: str | None = None,
    threads: int | None = None,
    columns: list[str] | None = None,
    replace: Mapping[str, Any] | None = None,
    progress: bool | Tell | None = None,
    address: str | None = None,
    restart: bool = False,
    part_seconds: float = 2.0,
) -> Results: ...
def sweep(
    grid: str | os.PathLike[str] | Grid,
    *,
    results: str | os.PathLike[str] | None = None,
    on: str | None = None,
    threads: int | None = None,
    columns: list[str] | None = None,
    replace: Mapping[str, Any] | None = None,
    progress: bool | Tell | None = None,
    address: str | None = None,
    restart: bool = False,
    part_seconds: float = 2.0,
) -> Frame | Results:
    """Makes every run of a grid.

    ``grid`` is a sweep file, or a dictionary: options of ``run`` with one value or several, ``"seed"`` among them.
    ``replace`` puts other values in their place. ``columns`` chooses columns.

    Alone it gives a table in memory, which polars, pandas, pyarrow and DuckDB take without a copy. With ``results`` the
    rows go to Parquet files in that folder as they come: whatever stops it, the same call goes on where it was.
    ``on="processes"`` works on processes of this machine, ``on="ray"`` on a Ray cluster (at ``address``, or the one that
    Ray finds, or one on this machine); the folder must then be one that all its nodes can write.

    >>> import ringleader as rl
    >>> frame = rl.sweep({"algorithm": ["peterson", "franklin"], "n": [4, 8], "seed": range(3)})
    >>> len(frame), frame.column("messages.total")[:3]
    (12, [15, 20, 15])
    """
    planned = Planned(grid, replace)
    if columns is not None:
        planned.native.must_have(columns)
    if results is not None:
        from ._drive import drive

        with bar("sweep", progress) as tell:
            return drive(
                planned,
                Path(results),
                on=on,
                slots=threads,
                columns=columns,
                tell=tell,
                address=address,
                restart=restart,
                part_seconds=part_seconds,
            )
    if on is not None:
        raise Refused(
            f"on={on!r} needs results=", help=['a folder for the rows, which every process can write: results="ring"']
        )
    cores = (
        threads or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else threads or os.cpu_count() or 1
    )
    with bar("sweep", progress) as tell:
        frame, interrupted = planned.native.rows(
            0, planned.native.runs, cores, planned.notes(), columns=columns, progress=tell
        )
    if interrupted is not None:
        if not isinstance(interrupted, KeyboardInterrupt):
            raise interrupted
        done = f"{len(frame):,} of {planned.native.runs:,} runs were done: they are in `.partial` of this exception"
        raise Interrupted(done, frame) from interrupted
    return frame
