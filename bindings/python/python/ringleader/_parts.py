"""Checks and searches for the worst in parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from . import _native, _work
from ._options import given
from ._pools import Pool, pool
from ._progress import Tell
from ._refused import Refused
from ._results import Check, Worst

#: So many parts for each worker: a part that costs more than others does not hold up the rest.
_SHARE = 8


def _all(
    workers: Pool,
    work: list[tuple[Callable[..., Any], tuple[Any, ...]]],
    tell: Tell | None,
    enough: Callable[[int, Any], bool],
) -> list[Any]:
    """The results in their order, as far as they are wanted: what comes after one that is enough is not waited for."""
    results: dict[int, Any] = {}
    running: dict[object, int] = {}
    end, waiting = len(work), list(enumerate(work))[::-1]
    try:
        while waiting or running:
            while waiting and len(running) < 2 * workers.slots:
                number, (act, arguments) = waiting.pop()
                if number < end:
                    running[workers.submit(act, *arguments)] = number
            for handle, result in workers.done(0.1) if running else []:
                number = running.pop(handle, end)
                if number >= end:
                    # Nobody waits for it any more.
                    continue
                results[number] = result()
                if enough(number, results[number]):
                    end = min(end, number + 1)
            running = {handle: number for handle, number in running.items() if number < end}
            if tell is not None:
                tell(len(results) / len(work), f"{len(results)} of {len(work)} parts")
    finally:
        workers.close()
    return [results[number] for number in range(end)]


def _least(values: list[Any]) -> Any:
    return min((value for value in values if value is not None), default=None)


def _most(values: list[Any]) -> Any:
    return None if any(value is None for value in values) else max(values)


def together(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """What parts of a check come to, of which the last may be violated or undecided."""
    last = dict(answers[-1])
    for field in ("states", "transitions", "cases", "missed_probability", "elapsed_s"):
        last[field] = sum(answer[field] or 0 for answer in answers)
    for field in ("depth", "search_bytes"):
        last[field] = max(answer[field] for answer in answers)
    last["states_per_s"] = last["states"] / last["elapsed_s"] if last["elapsed_s"] else None
    last["peak_bytes"] = None
    last["notes"] = list(dict.fromkeys(note for answer in answers for note in answer["notes"]))
    if last["verdict"] == "holds":
        for field in ("messages", "election_messages"):
            last[field] = {
                "min": _least([answer[field]["min"] for answer in answers]),
                "max": _most([answer[field]["max"] for answer in answers]),
            }
        chances = [answer["probability"] for answer in answers]
        if all(chances):
            last["probability"] = {
                "almost_sure": all(chance["almost_sure"] for chance in chances),
                **{
                    field: {
                        "min": _least([chance[field]["min"] for chance in chances]),
                        "max": _most([chance[field]["max"] for chance in chances]),
                    }
                    for field in ("expected_rounds", "expected_messages")
                },
            }
    return last


def check_in_parts(
    algorithm: str, options: list[tuple[str, str]], on: str, address: str | None, tell: Tell | None
) -> Check:
    """A check whose cases are parted among workers."""
    if any(long == "all-violations" for long, _ in options):
        raise Refused("all_violations= searches again and again: it cannot be parted", help=["leave out on="])
    cases = _native.cases(algorithm, options)
    workers = pool(on, None, address)
    size = max(1, cases // (_SHARE * workers.slots))
    alone = [(long, value) for long, value in options if long != "threads"] + [("threads", "1")]
    work = [(_work.check, (algorithm, alone, (begin, min(begin + size, cases)))) for begin in range(0, cases, size)]
    results = _all(workers, work, tell, lambda _, result: json.loads(result[0])["verdict"] != "holds")
    answer = together([json.loads(text) for text, _ in results])
    # The command is that of the whole.
    answer["again"] = answer["again"].replace(" --threads 1", "")
    return Check(json.dumps(answer), results[-1][1])


def worst_in_chains(
    algorithm: str, options: Mapping[str, Any], chains: int, on: str | None, address: str | None, tell: Tell | None
) -> Worst:
    """The best of several searches, whose seeds follow each other."""
    if chains < 1:
        raise Refused(f"chains={chains}: one at least")
    first = int(options.get("seed") or 0)
    work = [
        (_work.worst, (algorithm, given("worst", {**options, "threads": 1, "seed": first + chain})))
        for chain in range(chains)
    ]
    results = _all(pool(on, None, address), work, tell, lambda _, result: bool(json.loads(result)["exact"]))
    key = (
        (lambda text: json.loads(text)["election_messages"])
        if not options.get("best")
        else (lambda text: -json.loads(text)["election_messages"])
    )
    return Worst(max(results, key=key))
