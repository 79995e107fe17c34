"""Sweeps in files: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars
import pytest
import ringleader as rl
from conftest import PROGRAM
from ringleader._drive import Costs
from ringleader._store import Results

GRID: dict[str, Any] = {"algorithm": ["peterson", "franklin"], "n": [4, 16, 64], "seed": range(200)}


def rows(results: Any) -> polars.DataFrame:
    return polars.DataFrame(results)


@pytest.mark.parametrize("on", [None, "processes"])
def test_the_rows_are_those_in_memory(tmp_path: Path, on: str | None) -> None:
    results = rl.sweep(GRID, results=tmp_path / "ring", on=on, part_seconds=0.2)
    assert results.complete and len(results) == 1200 and len(results.parts()) > 2
    assert rows(results).equals(rows(rl.sweep(GRID)))
    assert results.table(["seed", "nodes"]).column_names == ["seed", "nodes"]
    with pytest.raises(rl.Refused, match="there is no column `sed`"):
        results.table(["sed"])
    # Again: there is nothing to do, and no file is touched.
    before = {path: path.stat().st_mtime_ns for path in results.folder.iterdir()}
    rl.sweep(GRID, results=tmp_path / "ring", on=on)
    assert {path: path.stat().st_mtime_ns for path in results.folder.iterdir()} == before


def test_what_is_missing_is_made_and_the_rest_is_kept(tmp_path: Path) -> None:
    results = rl.sweep(GRID, results=tmp_path / "ring", part_seconds=0.1)
    whole = rows(results)
    parts = results.parts()
    for part in parts[1:-1:2]:
        part.path.unlink()
    kept = parts[0].path.stat().st_mtime_ns
    assert not results.complete
    again = rl.sweep(GRID, results=tmp_path / "ring", part_seconds=0.3)
    assert rows(again).equals(whole) and parts[0].path.stat().st_mtime_ns == kept


def test_a_run_in_two_files_is_one_row(tmp_path: Path) -> None:
    results = rl.sweep(GRID, results=tmp_path / "ring", part_seconds=0.1)
    whole = rows(results)
    # What a process wrote that was thought dead: longer than one part, and into the next ones.
    begin = results.parts()[1].begin
    from ringleader._sweep import Planned

    frame, _ = Planned(GRID).native.rows(begin, begin + 500, 1, {})
    results.write(begin, frame)
    assert rows(results).equals(whole) and len(results) == 1200


def test_a_file_that_was_cut_off_is_no_part(tmp_path: Path) -> None:
    results = rl.sweep(GRID, results=tmp_path / "ring", part_seconds=0.1)
    (results.folder / ".runs-0000000000-0000000100.parquet.77.tmp").write_bytes(b"PAR1")
    assert results.complete and len(results) == 1200


def test_results_of_another_sweep_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "ring"
    rl.sweep(GRID, results=folder)
    other = {**GRID, "n": [4]}
    with pytest.raises(rl.Refused, match="has the results of another sweep"):
        rl.sweep(other, results=folder)
    assert len(rl.Results(folder)) == 1200
    assert len(rl.sweep(other, results=folder, restart=True)) == 400
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("do not touch")
    with pytest.raises(rl.Refused, match="is not empty: thesis.tex"):
        rl.sweep(GRID, results=tmp_path / "full")
    with pytest.raises(rl.Refused, match="is not empty: thesis.tex"):
        rl.sweep(GRID, results=tmp_path / "full", restart=True)
    with pytest.raises(rl.Refused, match="holds no results"):
        rl.Results(tmp_path)


def test_ctrl_c_keeps_what_was_done(tmp_path: Path) -> None:
    long = {"algorithm": "peterson", "n": 256, "seed": range(5000)}

    def press_ctrl_c(share: float, words: str) -> None:
        if share > 0:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(rl.Interrupted) as stopped:
        rl.sweep(long, results=tmp_path / "ring", part_seconds=0.2, progress=press_ctrl_c)
    partial = stopped.value.partial
    assert isinstance(partial, Results) and 0 < len(partial) < 5000
    done = {part.path for part in partial.parts()}
    whole = rl.sweep(long, results=tmp_path / "ring")
    assert whole.complete and done <= {part.path for part in whole.parts()}
    assert rows(whole)["run"].to_list() == [*range(5000)]


def test_a_driver_that_is_killed_goes_on(tmp_path: Path) -> None:
    script = f"import ringleader as rl\nrl.sweep({GRID | {'seed': range(2000)}!r}, results={str(tmp_path / 'ring')!r}, part_seconds=0.1)"
    child = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and len(list((tmp_path / "ring").glob("runs-*"))) < 5:
        time.sleep(0.05)
    child.kill()
    child.wait()
    assert 0 < len(rl.Results(tmp_path / "ring"))
    whole = rl.sweep(GRID | {"seed": range(2000)}, results=tmp_path / "ring", on="processes")
    assert rows(whole).equals(rows(rl.sweep(GRID | {"seed": range(2000)})))


def test_parts_take_about_as_long_as_they_should() -> None:
    costs = Costs([100, 100, 10_000], 1000)
    assert costs.cut(0, 3000, 1.0) == 32
    costs.learn(0, 32, 0.32)
    # 10 ms a run: a hundred of them, and of those that cost a hundred times as much one.
    assert costs.cut(32, 3000, 1.0) == pytest.approx(132, abs=2)
    assert costs.cut(2000, 3000, 1.0) == 2001
    costs.learn(2000, 2001, 0.02)
    assert costs.cut(2001, 3000, 1.0) == pytest.approx(2051, abs=2)
    assert costs.left([(0, 1000)]) == pytest.approx(10, rel=0.2)


def test_a_check_in_parts_is_the_same_check() -> None:
    times = ("elapsed_s", "states_per_s", "peak_bytes", "bytes_per_state", "search_bytes")
    asked: list[tuple[str, dict[str, Any]]] = [
        ("peterson", {"n": 4, "all_ids": True}),
        ("franklin", {"n": 3, "all_ids": True}),
        ("peterson@as-printed", {"n": 3, "all_ids": True}),
        ("ricart-agrawala", {"n": 2, "entries": 2}),
        ("itai-rodeh", {"n": 2}),
    ]
    for name, keywords in asked:
        whole, parts = rl.check(name, **keywords), rl.check(name, on="processes", **keywords)
        assert [(key, value) for key, value in whole.dict().items() if key not in times] == [
            (key, value) for key, value in parts.dict().items() if key not in times
        ], name
        assert (whole.trace() is None) == (parts.trace() is None)


def test_chains_give_the_best_of_their_searches() -> None:
    one = [rl.worst("franklin", n=10, search=True, budget=300, seed=seed).election_messages for seed in (5, 6, 7)]
    best = rl.worst("franklin", n=10, search=True, budget=300, seed=5, chains=3, on="processes")
    assert best.election_messages == max(one)


def test_a_script_without_a_guard_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        'import ringleader as rl\nrl.worst("franklin", n=6, search=True, budget=50, chains=2, on="processes")\n'
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and 'stands under: if __name__ == "__main__"' in done.stderr


def test_the_command_line_of_the_package(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text('[grid]\nalgorithm = ["peterson"]\nn = [4, 8]\nseed = { range = [0, 20] }\n')
    words = [sys.executable, "-m", "ringleader", "sweep", str(file)]
    options = ["-o", str(tmp_path / "rows"), "--json"]
    done = subprocess.run([*words, *options], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["runs"] == 40
    # `ringleader sweep --on` calls it.
    asked = [str(PROGRAM), "sweep", str(file), "n=4", "--on", "processes", "-o", str(tmp_path / "more"), "--json"]
    told = subprocess.run(
        asked, capture_output=True, text=True, check=True, env={**os.environ, "RINGLEADER_PYTHON": sys.executable}
    )
    assert json.loads(told.stdout)["runs"] == 20 == len(rl.Results(tmp_path / "more"))
    wrong = subprocess.run([*words, "n=ten", *options, "--restart"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and json.loads(wrong.stdout)["schema"] == "ringleader.error/1"
