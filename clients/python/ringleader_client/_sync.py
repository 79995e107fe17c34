"""The client for threads: the same client, on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from ._aio import AsyncClient, AsyncHeld, AsyncLock
from ._errors import LockError

T = TypeVar("T")


class Client:
    """A client of the lock service, for threads: see `AsyncClient`. It is not to be used in a child after `fork`."""

    def __init__(self, servers: Iterable[str], **options: Any) -> None:
        self._inner = AsyncClient(servers, **options)
        self._loop = asyncio.new_event_loop()
        self._pid = os.getpid()
        self._thread = threading.Thread(target=self._loop.run_forever, name="ringleader", daemon=True)
        self._thread.start()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._pid != os.getpid() or self._loop.is_closed():
            work.close()
            raise RuntimeError("this client was closed, or belongs to the parent of this process")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Such as Ctrl-C: what was asked is withdrawn.
            future.cancel()
            raise

    def lock(self, name: str, **options: Any) -> Lock:
        """A lock that is to be asked for: `with client.lock("x") as held`. Options are those of `AsyncClient.lock`."""
        return Lock(self, self._inner.lock(name, **options))

    def campaign(self, name: str, value: str = "", **options: Any) -> Lock:
        """To lead: `with client.campaign("main", "10.0.0.1") as held`."""
        return Lock(self, self._inner.campaign(name, value, **options))

    def look(self, name: str, *, election: bool = False) -> dict[str, Any]:
        """How a lock or an election is."""
        return self._run(self._inner.look(name, election=election))

    def observe(self, name: str, *, election: bool = True) -> Iterator[dict[str, Any]]:
        """What becomes of an election or a lock."""
        events: AsyncIterator[dict[str, Any]] = self._inner.observe(name, election=election)
        with contextlib.suppress(StopAsyncIteration):
            while True:
                yield self._run(_next(events))

    def close(self) -> None:
        """Ends the session; everything held is free."""
        if not self._loop.is_closed():
            self._run(self._inner.close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


async def _next(events: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
    return await anext(events)


class Lock:
    """A lock or a leadership that is to be asked for: a context manager, or `acquire`."""

    def __init__(self, client: Client, inner: AsyncLock) -> None:
        self._client, self._inner = client, inner
        self._held: list[Held] = []

    @property
    def name(self) -> str:
        """The lock."""
        return self._inner.name

    def acquire(self) -> Held:
        """Waits until it is granted."""
        return self._client._run(self._acquire())

    async def _acquire(self) -> Held:
        return Held(self._client, await self._inner.acquire())

    def __enter__(self) -> Held:
        held = self.acquire()
        self._held.append(held)
        return held

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        held = self._held.pop()
        if error is None:
            held.release()
        else:
            with contextlib.suppress(LockError):
                held.release()


class Held:
    """A lock that is held, or was. `held`, `deadline` and `remaining` look at the clock themselves."""

    def __init__(self, client: Client, inner: AsyncHeld) -> None:
        self._client, self._inner = client, inner
        self.name, self.fence, self.session = inner.name, inner.fence, inner.session
        self.lost = threading.Event()
        inner._on_lost.append(self.lost.set)

    @property
    def held(self) -> bool:
        """Whether it is held at this moment, by this clock."""
        return self._inner.held

    @property
    def deadline(self) -> float:
        """From when on it is not held, as far as is known now: on the clock `now()`."""
        return self._inner.deadline

    @property
    def remaining(self) -> float:
        """For how many seconds it is held at least, from now on; 0 if it is not held."""
        return self._inner.remaining

    def release(self) -> None:
        """Gives it back, and waits until the server has heard it. `SessionExpired` if it was lost before."""
        self._client._run(self._inner.release())
