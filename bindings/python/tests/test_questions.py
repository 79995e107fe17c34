"""Runs, checks, comparisons: what the command line says, as objects."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from typing import Any

import pytest
import ringleader as rl

#: These differ from call to call.
TIMES = {"elapsed_s", "messages_per_s", "states_per_s", "peak_bytes"}


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert {key: value for key, value in one.items() if key not in TIMES} == {
        key: value for key, value in other.items() if key not in TIMES
    }


RUNS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("peterson", {"n": 8, "seed": 7}, ["-n", "8", "--seed", "7"]),
    ("chang-roberts", {"ids": [3, 7, 4, 1], "seed": 1}, ["--ids", "3,7,4,1", "--seed", "1"]),
    ("ricart-agrawala", {"n": 3, "entries": 2, "seed": 1}, ["-n", "3", "--entries", "2", "--seed", "1"]),
    ("bully", {"n": 5, "crash": ["4@1"], "seed": 2}, ["-n", "5", "--crash", "4@1", "--seed", "2"]),
    (
        "peterson",
        {"n": 6, "links": "bag", "unsound": True, "seed": 5},
        ["-n", "6", "--links", "bag", "--unsound", "--seed", "5"],
    ),
    ("misra-k", {"n": 4, "set": {"tokens": 3}, "seed": 1}, ["-n", "4", "--set", "tokens=3", "--seed", "1"]),
    (
        "peterson",
        {"n": "2^5", "meter": ["bits", "load"], "seed": 3},
        ["-n", "2^5", "--meter", "bits", "--meter", "load", "--seed", "3"],
    ),
    ("ntp", {"n": 4, "seed": 1}, ["-n", "4", "--seed", "1"]),
]


@pytest.mark.parametrize(("name", "keywords", "words"), RUNS, ids=[" ".join([name, *words]) for name, _, words in RUNS])
def test_a_run_is_that_of_the_command_line(program: Any, name: str, keywords: dict[str, Any], words: list[str]) -> None:
    same(rl.run(name, **keywords).dict(), program("run", name, *words))


def test_every_algorithm_runs_as_on_the_command_line(program: Any) -> None:
    for one in rl.list(errata=True):
        try:
            run = rl.run(one.name, max_steps=2000, seed=1).dict()
        except rl.Refused as refused:
            # One is for 1, 3, 7 ... processes.
            assert refused.code == "ringleader::wrong_size" == program("run", one.name)["code"]
            continue
        same(run, program("run", one.name, "--max-steps", "2000", "--seed", "1"))


def test_checks_worst_cases_and_comparisons_are_those_of_the_command_line(program: Any) -> None:
    same(rl.check("peterson", n=3).dict(), program("check", "peterson", "-n", "3"))
    same(rl.check("peterson@as-printed", n=3).dict(), program("check", "peterson@as-printed", "-n", "3"))
    same(rl.check("dijkstra-3", n=3).dict(), program("check", "dijkstra-3", "-n", "3"))
    same(rl.worst("chang-roberts", n=6).dict(), program("worst", "chang-roberts", "-n", "6"))
    asked = rl.compare("peterson", "franklin", n="4..16", runs=3, seed=1).dict()
    told = program("compare", "peterson", "franklin", "-n", "4..16", "--runs", "3", "--seed", "1")
    assert {key: asked[key] for key in told if key not in ("elapsed_s",)} == {
        key: told[key] for key in told if key not in ("elapsed_s",)
    }
    same(rl.show("franklin").dict(), program("show", "franklin"))
    assert [one.dict() for one in rl.list(errata=True)] == program("list", "--errata")["algorithms"]


def test_a_counterexample_is_drawn_and_saved(tmp_path: Any) -> None:
    check = rl.check("peterson@as-printed", n=3)
    trace = check.trace()
    assert not check.holds and trace is not None
    assert "<svg" in trace._repr_svg_() and "<svg" in check._repr_html_()
    for name, part in [
        ("a.rlt", '"ringleader.trace/1"'),
        ("a.svg", "<svg"),
        ("a.html", "<html"),
        ("a.mmd", "sequenceDiagram"),
        ("a.jsonl", "{"),
    ]:
        trace.save(str(tmp_path / name))
        assert part in (tmp_path / name).read_text()
    assert rl.check("peterson", n=3).trace() is None


def test_a_trace_is_replayed_by_the_command_line(program: Any, tmp_path: Any) -> None:
    run = rl.run("franklin", n=6, seed=3)
    run.trace().save(str(tmp_path / "run.rlt"))
    replayed = program("replay", str(tmp_path / "run.rlt"))
    assert replayed["messages"] == run.messages.dict()


def test_a_run_in_a_notebook_has_words_and_a_picture() -> None:
    run = rl.run("peterson", n=8, seed=7)
    assert repr(run) == "<run of peterson, n = 8, seed 7: elected, 42 messages, everything holds>"
    assert "<svg" in run._repr_html_() and "ringleader run peterson" in run._repr_html_()
    large = rl.run("peterson", n=1000, seed=7)
    assert large._repr_svg_() is None and "<svg" not in large._repr_html_()
    broken = rl.run("peterson@as-printed", ids=[3, 1, 2], seed=1, max_steps=100)
    assert not broken.holds and "does not hold" in repr(broken)


def test_results_are_pickled() -> None:
    for made in (rl.run("peterson", n=4, seed=1), rl.check("lcr", n=2), rl.worst("lcr", n=3), rl.show("lcr")):
        assert repr(pickle.loads(pickle.dumps(made))) == repr(made)


def test_fields_say_which_there_are() -> None:
    run = rl.run("peterson", n=4, seed=1)
    with pytest.raises(AttributeError, match="there is no field 'mesages', only schema, algorithm"):
        _ = run.mesages
    assert "messages" in dir(run) and run["nodes"] == 4 and "nodes" in run and len(run) == len(run.dict())


def test_the_constants_of_a_table() -> None:
    rows = rl.constants(1000).dict()["rows"]
    assert any(row["algorithm"] == "peterson" for row in rows)


def test_other_threads_go_on_meanwhile() -> None:
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    rl.run("chang-roberts", n=300, ids="descending", schedule="random", seed=1)
    rl.check("franklin", n=4)
    stop.set()
    thread.join()
    assert counted > 0


def press_ctrl_c(share: float, words: str) -> None:
    """Somebody who has waited long enough: told of progress for the first time, they press Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(
    "work",
    [
        lambda tell: rl.run("ricart-agrawala", n=2000, load="saturated", total=10_000_000, seed=1, progress=tell),
        lambda tell: rl.check("franklin", n=8, all_ids=True, progress=tell),
        lambda tell: rl.compare("peterson", "franklin", n="1024..65536", runs=500, seed=1, progress=tell),
        lambda tell: rl.worst("franklin", n=64, search=True, budget=100_000_000, progress=tell),
    ],
    ids=["run", "check", "compare", "worst"],
)
def test_ctrl_c_stops_long_work(work: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        work(press_ctrl_c)


def test_progress_is_told() -> None:
    told: list[tuple[float, str]] = []
    rl.sweep(
        {"algorithm": "peterson", "n": 512, "seed": range(400)},
        progress=lambda share, words: told.append((share, words)),
    )
    assert told and all(0 <= share <= 1 for share, _ in told) and "runs" in told[-1][1]
