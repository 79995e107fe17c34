"""The questions: run, check, compare, worst, list, show."""

from __future__ import annotations

import json
from typing import Any

from . import _native
from ._algorithm import Election, answer, called, native
from ._options import given
from ._progress import Tell, bar
from ._refused import Refused
from ._results import Algorithm, Check, Comparison, Fields, Run, Worst


def run(
    algorithm: str | type[Election], n: int | str | None = None, *, progress: bool | Tell | None = None, **options: Any
) -> Run:
    """Makes one run. The keywords are the options of ``ringleader run``, with ``_`` for ``-``.

    A switch is ``True``; what can be given several times takes a list, and ``set`` a dictionary.

    >>> import ringleader as rl
    >>> rl.run("chang-roberts", ids=[3, 7, 4, 1]).leader.id
    7
    >>> rl.run("ricart-agrawala", n=3, entries=2, seed=1).entries
    6
    """
    asked = given("run", {"n": n, **options})
    with bar(called(algorithm), progress) as tell:
        return Run(answer(algorithm, _native.run(native(algorithm), asked, tell), "run", asked), (algorithm, asked))


def check(
    algorithm: str | type[Election],
    n: int | str | None = None,
    *,
    on: str | None = None,
    address: str | None = None,
    progress: bool | Tell | None = None,
    **options: Any,
) -> Check:
    """Checks every run of a few processes. The keywords are the options of ``ringleader check``.

    ``on="processes"`` or ``on="ray"`` parts the cases (arrangements × initiators × numberings of ports) among processes
    of this machine or of a cluster; the answer is the same.
    """
    asked = given("check", {"n": n, **options})
    if on is not None:
        if not isinstance(algorithm, str):
            raise Refused(
                f"`{called(algorithm)}` cannot be checked elsewhere: its steps are in this Python",
                "bad_algorithm",
                ["leave out `on`"],
            )
        from ._parts import check_in_parts

        with bar(algorithm, progress) as tell:
            return check_in_parts(algorithm, asked, on, address, tell)
    with bar(called(algorithm), progress) as tell:
        text, trace = _native.check(native(algorithm), asked, tell)
        return Check(answer(algorithm, text, "check", asked), trace)


def _named(algorithm: object, command: str) -> str:
    if isinstance(algorithm, str):
        return algorithm
    raise Refused(
        f"`{command}` takes the names of algorithms, not a class or {type(algorithm).__name__}",
        help=["classes are for run() and check()"],
    )


def compare(
    *algorithms: str,
    n: int | str | range | list[int] | None = None,
    progress: bool | Tell | None = None,
    **options: Any,
) -> Comparison:
    """Compares algorithms on the same arrangements and seeds. The keywords are the options of ``ringleader compare``.

    >>> import ringleader as rl
    >>> rl.compare("peterson", "franklin", n="4..16", runs=3, seed=1)
    <comparison of peterson, franklin>
    """
    names = [_named(one, "compare") for one in algorithms]
    asked = given("compare", {"n": n, **options})
    with bar("compare", progress) as tell:
        return Comparison(*_native.compare(names, asked, tell))


def worst(
    algorithm: str,
    n: int | str | None = None,
    *,
    chains: int | None = None,
    on: str | None = None,
    address: str | None = None,
    progress: bool | Tell | None = None,
    **options: Any,
) -> Worst:
    """Looks for the arrangement with which it sends most. The keywords are the options of ``ringleader worst``.

    ``chains=8`` makes eight searches with seeds one after the other and gives the best; ``on="processes"`` or
    ``on="ray"`` makes them side by side.
    """
    _named(algorithm, "worst")
    if chains is not None or on is not None:
        from ._parts import worst_in_chains

        with bar(algorithm, progress) as tell:
            return worst_in_chains(algorithm, {"n": n, **options}, chains or 8, on, address, tell)
    with bar(algorithm, progress) as tell:
        return Worst(_native.worst(algorithm, given("worst", {"n": n, **options}), tell))


def constants(n: int = 10_000, *, progress: bool | Tell | None = None) -> Fields:
    """The table of message constants: the worst known case of every election with O(n log n) messages, beside the
    published factor, measured up to ``n`` processes."""
    with bar("constants", progress) as tell:
        return Fields(json.loads(_native.constants(n, tell)))


def algorithms(*, problem: str | None = None, errata: bool = False) -> list[Fields]:
    """The algorithms, in the order of the book.

    >>> import ringleader as rl
    >>> [one.name for one in rl.list(problem="clocks")][:2]
    ['cristian', 'berkeley']
    """
    rows = json.loads(_native.algorithms(errata))["algorithms"]
    return [Fields(row) for row in rows if problem in (None, row["problem"])]


def show(algorithm: str) -> Algorithm:
    """All that is known of an algorithm: idea, rules, promises, costs, source.

    >>> import ringleader as rl
    >>> rl.show("chang-roberts").rules[0].name
    'start'
    """
    return Algorithm(*_native.show(_named(algorithm, "show")))
