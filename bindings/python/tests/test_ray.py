"""A sweep on a cluster of Ray: three nodes, each with processes of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import polars
import pytest
import ringleader as rl
from conftest import Nodes

pytestmark = pytest.mark.ray

GRID: dict[str, Any] = {"algorithm": ["peterson", "franklin"], "n": [4, 16, 64], "seed": range(2000)}


def rows(results: Any) -> polars.DataFrame:
    return polars.DataFrame(results)


def wait_for_parts(folder: Path, count: int) -> None:
    deadline = time.monotonic() + 120
    while len(list(folder.glob("runs-*.parquet"))) < count:
        assert time.monotonic() < deadline, "no part was made"
        time.sleep(0.05)


def test_rows_are_the_same_and_a_node_that_dies_loses_none(tmp_path: Path, nodes: Nodes) -> None:
    killed: list[int] = []

    def kill() -> None:
        wait_for_parts(tmp_path / "ring", 6)
        nodes.kill()
        killed.append(len(list((tmp_path / "ring").glob("runs-*.parquet"))))

    thread = threading.Thread(target=kill)
    thread.start()
    results = rl.sweep(GRID, results=tmp_path / "ring", on="ray", address=nodes.address, part_seconds=0.3)
    thread.join()
    assert killed and killed[0] < len(results.parts()), "it was over before the node was killed"
    assert results.complete and rows(results).equals(rows(rl.sweep(GRID)))


def test_a_driver_that_is_killed_goes_on(tmp_path: Path, nodes: Nodes) -> None:
    folder = tmp_path / "ring"
    script = (
        f"import ringleader as rl\n"
        f"rl.sweep({GRID!r}, results={str(folder)!r}, on='ray', address={nodes.address!r}, part_seconds=0.2)"
    )
    child = subprocess.Popen([sys.executable, "-c", script])
    wait_for_parts(folder, 6)
    child.kill()
    child.wait()
    done = {part.path for part in rl.Results(folder).parts()}
    results = rl.sweep(GRID, results=folder, on="ray", address=nodes.address)
    assert done and done <= {part.path for part in results.parts()}
    assert results.complete and rows(results).equals(rows(rl.sweep(GRID)))


def test_checks_and_searches_on_the_cluster(nodes: Nodes) -> None:
    check = rl.check("peterson", n=4, all_ids=True, on="ray", address=nodes.address)
    assert check.states == rl.check("peterson", n=4, all_ids=True).states and check.holds
    assert not rl.check("peterson@as-printed", n=3, all_ids=True, on="ray", address=nodes.address).holds
    one = [rl.worst("franklin", n=10, search=True, budget=300, seed=seed).election_messages for seed in (0, 1)]
    best = rl.worst("franklin", n=10, search=True, budget=300, chains=2, on="ray", address=nodes.address)
    assert best.election_messages == max(one)


def test_an_address_that_nobody_answers(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    for address, words in [("127.0.0.1:1", "no Ray cluster answers"), ("nowhere", "is no address")]:
        with pytest.raises(rl.Refused, match=words):
            rl.sweep(GRID, results=tmp_path / "ring", on="ray", address=address)
    # Nothing is lost: the folder is there, and its sweep goes on elsewhere.
    assert rl.sweep(GRID, results=tmp_path / "ring").complete
