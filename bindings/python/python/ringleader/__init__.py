"""Leader election and mutual exclusion, from textbook to production.

>>> import ringleader as rl
>>> run = rl.run("peterson", n=8, seed=7)
>>> run.leader.id, run.holds
(8, True)
"""

from ._algorithm import AlgorithmError, Election
from ._ask import algorithms as list
from ._ask import check, compare, constants, run, show, worst
from ._native import VERSION as __version__
from ._native import Frame
from ._refused import Interrupted, Refused
from ._results import Algorithm, Check, Comparison, Fields, Run, Trace, Worst
from ._store import Results
from ._sweep import sweep

__all__ = [
    "Algorithm",
    "AlgorithmError",
    "Check",
    "Comparison",
    "Election",
    "Fields",
    "Frame",
    "Interrupted",
    "Refused",
    "Results",
    "Run",
    "Trace",
    "Worst",
    "__version__",
    "check",
    "compare",
    "constants",
    "list",
    "run",
    "show",
    "sweep",
    "worst",
]
