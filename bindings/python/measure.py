"""Ratios, measured in one go. Machines are noisy: nothing here decides whether a test passes.

python bindings/python/measure.py [runs|frame|ray]
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars
import pyarrow
import ringleader as rl


def runs() -> None:
    """1,000 runs of peterson with n = 64, from Python and by the loop of the engine."""
    grid = {"algorithm": "peterson", "n": 64, "seed": range(1000)}
    ratios = []
    for _ in range(7):
        begun = time.perf_counter()
        made = [rl.run("peterson", n=64, seed=seed) for seed in range(1000)]
        python = time.perf_counter() - begun
        begun = time.perf_counter()
        frame = rl.sweep(grid, threads=1)
        rust = time.perf_counter() - begun
        assert [run.messages.total for run in made] == frame.column("messages.total")
        ratios.append(python / rust)
    ratios.sort()
    print(
        f"1,000 runs at n = 64: from Python {python:.3f} s, by the engine's loop {rust:.3f} s; ratio {ratios[3]:.2f} (of 7: {ratios[0]:.2f} to {ratios[-1]:.2f})"
    )


def frame() -> None:
    """10^6 rows, handed to polars."""
    begun = time.perf_counter()
    made = rl.sweep({"algorithm": "chang-roberts", "n": 3, "seed": range(1_000_000)})
    took = time.perf_counter() - begun
    begun = time.perf_counter()
    theirs: Any = polars.DataFrame(made)
    handed = time.perf_counter() - begun
    ours = pyarrow.table(made)
    numbers = [name for name, kind in made.types if kind in ("int64", "float64")]
    same = [
        theirs[name].to_arrow().buffers()[1].address == ours[name].chunk(0).buffers()[1].address for name in numbers
    ]
    print(
        f"10^6 rows in {took:.1f} s, {made.nbytes / 1e6:.0f} MB; to polars in {1000 * handed:.1f} ms, {sum(same)} of {len(same)} columns of numbers at the same address"
    )


def peak() -> float:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def ray() -> None:
    """A sweep on a cluster of three nodes on this machine, beside the plain one on as many cores."""
    import ray as ray_itself
    from ray.cluster_utils import Cluster

    folder = Path(tempfile.mkdtemp())
    cores = min(3, len(os.sched_getaffinity(0)))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1 if cores == 3 else 0})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    grid = {"algorithm": ["peterson", "franklin"], "n": [256, 1024], "seed": range(25_000)}
    # Workers start once; that is not measured.
    rl.sweep({**grid, "seed": range(50)}, results=folder / "warm", on="ray", address=cluster.address)
    times = {}
    for on in ("ray", None):
        begun = time.perf_counter()
        made = rl.sweep(grid, results=folder / str(on), on=on, threads=cores, address=cluster.address if on else None)
        times[on] = time.perf_counter() - begun
    assert polars.DataFrame(rl.Results(folder / "ray")).equals(polars.DataFrame(made))
    begun = time.perf_counter()
    table = rl.sweep(grid, threads=cores)
    memory = time.perf_counter() - begun
    assert polars.DataFrame(table).equals(polars.DataFrame(made))
    del table
    print(
        f"100,000 runs on {cores} cores: Ray {times['ray']:.1f} s, threads and files {times[None]:.1f} s, in memory {memory:.1f} s; Ray against memory {times['ray'] / memory:.2f}"
    )
    assert len(nodes) == 2
    ray_itself.shutdown()
    cluster.shutdown()
    shutil.rmtree(folder)


def driver() -> None:
    """10^6 rows on Ray: what the driver needs."""
    folder = Path(tempfile.mkdtemp())
    before = peak()
    begun = time.perf_counter()
    made = rl.sweep({"algorithm": "chang-roberts", "n": 3, "seed": range(1_000_000)}, results=folder / "ring", on="ray")
    assert len(made) == 1_000_000
    print(
        f"10^6 rows on Ray in {time.perf_counter() - begun:.0f} s: peak memory of the driver {peak():.0f} MB ({before:.0f} before)"
    )
    shutil.rmtree(folder)


if __name__ == "__main__":
    parts = {"runs": runs, "frame": frame, "ray": ray, "driver": driver}
    for name in sys.argv[1:] or ["runs"]:
        parts[name]()
    if len(sys.argv) == 1:
        # Each in a process of its own: memory is measured.
        for name in list(parts)[1:]:
            os.system(f"{sys.executable} {__file__} {name}")
