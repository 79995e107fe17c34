"""Where parts of a work are done: threads here, processes here, or the nodes of a Ray cluster."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import process
from typing import Any, Protocol

from ._refused import Refused


class Pool(Protocol):
    """Does parts, some at a time."""

    @property
    def slots(self) -> int:
        """How many it does at once."""

    def submit(self, act: Callable[..., Any], *given: Any) -> object:
        """Begins one."""

    def done(self, seconds: float) -> list[tuple[object, Callable[[], Any]]]:
        """Those that are done, each with its result or exception; waits so long for one at most."""

    def close(self) -> None:
        """Nobody waits for the others any more."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Local:
    """Threads or processes of this machine."""

    def __init__(self, slots: int | None, *, processes: bool) -> None:
        self.slots = slots or cores()
        self._running: set[futures.Future[Any]] = set()
        self._pool: futures.Executor
        if processes:
            import multiprocessing

            # What forks may hang: the engines have threads.
            self._pool = futures.ProcessPoolExecutor(self.slots, multiprocessing.get_context("spawn"))
        else:
            self._pool = futures.ThreadPoolExecutor(self.slots)

    def submit(self, act: Callable[..., Any], *given: Any) -> object:
        future = self._pool.submit(act, *given)
        self._running.add(future)
        return future

    def done(self, seconds: float) -> list[tuple[object, Callable[[], Any]]]:
        done, self._running = futures.wait(self._running, seconds, futures.FIRST_COMPLETED)
        return [(future, functools.partial(self._get, future)) for future in done]

    @staticmethod
    def _get(future: futures.Future[Any]) -> Any:
        try:
            return future.result()
        except process.BrokenProcessPool as error:
            guard = 'in a script, what begins the work stands under: if __name__ == "__main__":'
            raise Refused(
                "a process of the pool died", "lost_part", [guard, "the same call goes on where it was"], 4
            ) from error

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class Ray:
    """The nodes of a Ray cluster, one core for each part. A part whose node dies is done again elsewhere."""

    def __init__(self, address: str | None, slots: int | None) -> None:
        try:
            import ray
        except ImportError as error:
            raise Refused(
                "Ray is not installed", "no_ray", ["pip install 'ray[default]'", 'or on="processes"'], 4
            ) from error
        self._ray: Any = ray
        _connect(ray, address)
        self._most = slots
        self._running: dict[Any, object] = {}
        self._tasks: dict[Callable[..., Any], Any] = {}

    @property
    def slots(self) -> int:
        # Nodes come and go.
        there = int(self._ray.cluster_resources().get("CPU", 1))
        return max(1, min(there, self._most or there))

    def submit(self, act: Callable[..., Any], *given: Any) -> object:
        if act not in self._tasks:
            # A node that dies is no reason to give up; an exception is.
            self._tasks[act] = self._ray.remote(num_cpus=1, max_retries=16)(act)
        reference = self._tasks[act].remote(*given)
        self._running[reference] = reference
        return reference

    def done(self, seconds: float) -> list[tuple[object, Callable[[], Any]]]:
        done, _ = self._ray.wait(list(self._running), timeout=seconds)
        return [(self._running.pop(one), functools.partial(self._get, one)) for one in done]

    def _get(self, reference: Any) -> Any:
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, BaseException) else error) from error
        except self._ray.exceptions.RayError as error:
            raise Refused(
                f"the cluster lost a part: {error}", "lost_part", ["the same call goes on where it was"], 4
            ) from error

    def close(self) -> None:
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running = {}


#: The address at which we joined a cluster: it stays joined, for workers that were started are worth something.
_joined: str | None = None


def _connect(ray: Any, address: str | None) -> None:
    """Joins the cluster, unless this process is in it already."""
    global _joined
    if ray.is_initialized():
        here = ray.get_runtime_context().gcs_address
        if address in (None, "auto", "local", here, _joined):
            return
        if _joined is None:
            raise Refused(
                f"this process is in the Ray cluster at {here}, not at {address}",
                "no_cluster",
                ["leave address= out, or call ray.shutdown() first"],
            )
        ray.shutdown()
    if address is not None:
        _must_answer(address)
    try:
        ray.init(
            address=address,
            log_to_driver=False,
            include_dashboard=False if address is None else None,
            logging_level=logging.WARNING,
        )
    except Exception as error:
        where = address or "this machine"
        raise Refused(
            f"no Ray cluster answers at {where}: {error}",
            "no_cluster",
            ["ray status", "leave address= out for one on this machine"],
            4,
        ) from error
    _joined = address


def _must_answer(address: str) -> None:
    """Ray itself waits for minutes where nobody listens."""
    import socket

    place = address.removeprefix("ray://")
    host, _, port = place.rpartition(":")
    if not host or not port.isdigit():
        if address in ("auto", "local"):
            return
        raise Refused(
            f"address={address!r} is no address", "no_cluster", ['such as address="10.0.0.1:6379", or "auto"']
        )
    try:
        socket.create_connection((host, int(port)), 5).close()
    except OSError as error:
        raise Refused(
            f"no Ray cluster answers at {address}: {error}",
            "no_cluster",
            ["ray start --head", "leave address= out for one on this machine"],
            4,
        ) from error


def pool(on: str | None, slots: int | None, address: str | None) -> Pool:
    """The pool that is asked for."""
    if address is not None and on != "ray":
        raise Refused('address= is for on="ray"')
    if on == "ray":
        return Ray(address, slots)
    if on in (None, "threads", "processes"):
        return Local(slots, processes=on == "processes")
    raise Refused(
        f"on={on!r}: there is no such place", help=['one of "processes", "ray"; nothing for threads of this process']
    )
