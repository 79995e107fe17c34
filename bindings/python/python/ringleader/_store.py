"""The folder of a sweep: Parquet files, each with the rows of some runs, and what they are of."""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._refused import Refused

if TYPE_CHECKING:
    import pyarrow

SCHEMA = "ringleader.sweep-results/1"
_HEAD = "sweep.json"
_NAME = re.compile(r"runs-(\d{10})-(\d{10})\.parquet")


def arrow() -> Any:
    """pyarrow, or what to type."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise Refused("results in files need pyarrow", "no_pyarrow", ["pip install pyarrow"], 4) from error
    return pyarrow


@dataclass(frozen=True)
class Part:
    """Rows of a file: of these runs, which are those from ``begin`` on in it."""

    path: Path
    begin: int
    end: int
    first: int

    @property
    def skipped(self) -> int:
        """How many rows of the file come before."""
        return self.begin - self.first


def write_atomically(path: Path, write: Any) -> None:
    """A file appears whole or not at all, whoever writes it."""
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with open(beside, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


class Results:
    """The rows of a sweep, in files. pyarrow, polars, pandas and DuckDB read it as a stream; it needs no memory itself."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        try:
            self.head: dict[str, Any] = json.loads((self.folder / _HEAD).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Refused(f"{self.folder} holds no results of a sweep: {error}", "no_results") from error
        if self.head.get("schema") != SCHEMA:
            raise Refused(
                f"{self.folder}: its schema is {self.head.get('schema')}, and {SCHEMA} is needed", "no_results"
            )

    @classmethod
    def begin(cls, folder: Path, head: dict[str, Any], *, restart: bool) -> Results:
        """The folder of this sweep: a new one, or one in which a part is done already."""
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / _HEAD
        if restart:
            # What does not look like ours stays.
            for path in [*folder.glob("runs-*.parquet"), *folder.glob(".runs-*.tmp"), place]:
                path.unlink(missing_ok=True)
        if not place.exists():
            others = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
            if others:
                raise Refused(
                    f"{folder} is not empty: {others[0]}", "other_results", ["a folder of its own for each sweep"]
                )
            write_atomically(place, lambda file: file.write(json.dumps(head, indent=2).encode()))
        results = cls(folder)
        for key in ("sweep", "version", "columns"):
            if results.head.get(key) != head[key]:
                raise Refused(
                    f"{folder} has the results of another sweep, or of another version",
                    "other_results",
                    ["give another folder, or begin anew with restart=True"],
                )
        return results

    @property
    def runs(self) -> int:
        """How many runs there are to make."""
        return int(self.head["runs"])

    def parts(self) -> list[Part]:
        """What is done, in the order of the runs, each run once: where two files have a run, the first counts."""
        files = []
        for path in self.folder.glob("runs-*.parquet"):
            named = _NAME.fullmatch(path.name)
            if named:
                files.append((int(named[1]), -int(named[2]), path))
        parts, done = [], 0
        for first, end, path in sorted(files):
            begin = max(first, done)
            if begin < -end:
                parts.append(Part(path, begin, -end, first))
                done = -end
        return parts

    def missing(self) -> list[tuple[int, int]]:
        """The runs that are not done."""
        gaps, done = [], 0
        for part in self.parts():
            if part.begin > done:
                gaps.append((done, part.begin))
            done = part.end
        if done < self.runs:
            gaps.append((done, self.runs))
        return gaps

    @property
    def complete(self) -> bool:
        """Whether every run is done."""
        return not self.missing()

    def __len__(self) -> int:
        return sum(part.end - part.begin for part in self.parts())

    def path_of(self, begin: int, end: int) -> Path:
        """The file of these runs."""
        return self.folder / f"runs-{begin:010}-{end:010}.parquet"

    def done_from(self, begin: int) -> int | None:
        """Where the file ends that begins with this run, if there is one."""
        ends = [
            int(named[2])
            for path in self.folder.glob(f"runs-{begin:010}-*.parquet")
            if (named := _NAME.fullmatch(path.name))
        ]
        return max(ends, default=None)

    def write(self, begin: int, frame: Any) -> int:
        """Keeps rows; gives where they end."""
        pyarrow = arrow()
        table = pyarrow.table(frame)
        end = begin + int(table.num_rows)
        write_atomically(
            self.path_of(begin, end),
            lambda file: pyarrow.parquet.write_table(table, file, compression="zstd", use_dictionary=True),
        )
        return end

    def batches(self, columns: list[str] | None = None) -> Iterator[pyarrow.RecordBatch]:
        """The rows, some at a time, in the order of the runs."""
        pyarrow = arrow()
        for part in self.parts():
            with pyarrow.parquet.ParquetFile(part.path) as file:
                at = part.first
                for batch in file.iter_batches(batch_size=65_536, columns=columns):
                    begin, end = max(part.begin - at, 0), min(part.end - at, batch.num_rows)
                    if begin < end:
                        yield batch.slice(begin, end - begin)
                    at += batch.num_rows

    def schema(self) -> Any:
        """The columns and their types."""
        pyarrow = arrow()
        parts = self.parts()
        if not parts:
            raise Refused(f"{self.folder}: no run is done yet", "no_results")
        return pyarrow.parquet.read_schema(parts[0].path)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        # The notes of one file are not those of all.
        return (
            arrow().RecordBatchReader.from_batches(self.schema(), self.batches()).__arrow_c_stream__(requested_schema)
        )

    def table(self, columns: list[str] | None = None) -> pyarrow.Table:
        """All rows in memory."""
        pyarrow = arrow()
        schema = self.schema()
        if columns is not None:
            unknown = [name for name in columns if name not in schema.names]
            if unknown:
                raise Refused(
                    f"there is no column `{unknown[0]}`", "no_column", [f"the columns are {', '.join(schema.names)}"]
                )
            schema = pyarrow.schema([schema.field(name) for name in columns])
        return pyarrow.Table.from_batches(self.batches(columns), schema=schema)

    def __repr__(self) -> str:
        done = len(self)
        far = "complete" if done == self.runs else f"{self.runs - done:,} are missing"
        return f"<results of {self.runs:,} runs in {self.folder}: {done:,} done, {far}>"
