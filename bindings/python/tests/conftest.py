"""What tests share: the program beside which the package is held, and a cluster of Ray."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("RINGLEADER_BIN", ROOT / "target/debug/ringleader"))


@pytest.fixture(scope="session")
def program() -> Any:
    """Runs the command line with `--json`; gives the object."""
    if not PROGRAM.exists():
        pytest.fail(f"{PROGRAM} is missing: cargo build -p ringleader-cli")

    def call(*words: str) -> dict[str, Any]:
        done = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, text=True, check=False)
        assert done.stdout, done.stderr
        return dict(json.loads(done.stdout))

    return call


class Nodes:
    """A Ray cluster on this machine: nodes that are processes of their own, and can be killed."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        self.cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        self.others = [self.cluster.add_node(num_cpus=1) for _ in range(count - 1)]
        self.cluster.wait_for_nodes()

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def kill(self) -> None:
        """One of the nodes is killed, as by `kill -9`."""
        self.cluster.remove_node(self.others.pop(), allow_graceful=False)

    def close(self) -> None:
        import ray

        # Whoever stays in a cluster that is gone dies with it.
        ray.shutdown()
        self.cluster.shutdown()


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    pytest.importorskip("ray", reason="pip install 'ray[default]'")
    made = Nodes(3)
    yield made
    made.close()
