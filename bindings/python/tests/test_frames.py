"""Sweeps as tables that other libraries take as they are."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
import ringleader as rl
from conftest import PROGRAM

GRID: dict[str, Any] = {"algorithm": ["peterson", "franklin", "ricart-agrawala"], "n": [4, 8], "seed": range(20)}


def test_rows_are_those_of_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(
        '[grid]\nalgorithm = ["peterson", "franklin", "ricart-agrawala"]\nn = [4, 8]\nseed = { range = [0, 20] }\n'
    )
    subprocess.run([PROGRAM, "sweep", file, "-o", tmp_path / "ring.parquet", "-q"], check=True)
    told = polars.read_parquet(tmp_path / "ring.parquet")
    assert polars.DataFrame(rl.sweep(file)).equals(told)
    assert polars.DataFrame(rl.sweep(GRID)).equals(told)
    for threads in (1, 3):
        assert polars.DataFrame(rl.sweep(GRID, threads=threads)).equals(told)


def test_polars_pandas_pyarrow_and_duckdb_take_it() -> None:
    frame = rl.sweep(GRID)
    assert len(frame) == 120 and repr(frame).startswith("<frame: 120 rows, ")
    assert (
        polars.DataFrame(frame).height
        == pandas.DataFrame.from_arrow(frame).shape[0]
        == pyarrow.table(frame).num_rows
        == 120
    )
    query: Any = duckdb.sql('select sum("messages.total") from frame')
    assert query.fetchall()[0][0] == sum(frame.column("messages.total") or [])


def test_columns_are_typed_and_signed() -> None:
    types = dict(rl.sweep(GRID).types)
    assert types["messages.total"] == types["seed"] == types["nodes"] == "int64"
    assert types["algorithm"] == types["again"] == types["version"] == "text"
    assert types["bound.holds"] == "bool" and types["average.value"] == "float64"
    # The same whatever comes of the runs.
    few = dict(rl.sweep({**GRID, "seed": [1]}).types)
    assert few == types


def test_each_row_has_its_seed_version_and_command() -> None:
    frame = polars.DataFrame(rl.sweep(GRID))
    for row in frame.sample(5, seed=1).iter_rows(named=True):
        words = row["again"].split()
        options = dict(zip(words[3::2], words[4::2], strict=True))
        again = rl.run(words[2], n=options["-n"], seed=options["--seed"])
        assert again.messages.total == row["messages.total"] and row["version"].endswith(rl.__version__)
        assert str(row["seed"]) == options["--seed"]


def test_it_says_where_it_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text('[grid]\nalgorithm = ["peterson"]\nseed = [1]\n')
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "ring.toml"], ["commit", "-q", "-m", "ring"]):
        subprocess.run([*git, *words], check=True)
    notes = rl.sweep(file).notes
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    assert notes["ringleader.git"] == commit and notes["ringleader.version"] == rl.__version__
    assert notes["ringleader.host"] and notes["ringleader.time"].endswith("+00:00")
    file.write_text(file.read_text() + "# changed\n")
    assert rl.sweep(file).notes["ringleader.git"] == commit + "+"
    metadata = pyarrow.table(rl.sweep(file)).schema.metadata
    assert metadata[b"ringleader.version"].decode() == rl.__version__


def test_polars_takes_columns_without_a_copy() -> None:
    frame = rl.sweep({"algorithm": "peterson", "n": 4, "seed": range(1000)})
    ours = pyarrow.table(frame)
    theirs: Any = polars.DataFrame(frame)
    for name in ("messages.total", "seed", "time"):
        assert ours[name].num_chunks == 1
        address = ours[name].chunk(0).buffers()[1].address
        assert theirs[name].to_arrow().buffers()[1].address == address, name


def test_ctrl_c_gives_what_was_done() -> None:
    whole = {"algorithm": "peterson", "n": 512, "seed": range(100_000)}

    def press_ctrl_c(share: float, words: str) -> None:
        if share > 0.001:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(rl.Interrupted) as stopped:
        rl.sweep(whole, progress=press_ctrl_c)
    partial = stopped.value.partial
    assert isinstance(partial, rl.Frame) and 0 < len(partial) < 100_000
    runs = polars.DataFrame(partial)["run"].to_list()
    assert runs == [*range(len(partial))]
