"""The client for asyncio: a session, its keep-alives, and what is asked in it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from types import TracebackType
from typing import Any
from urllib.parse import quote

from . import _clock
from ._errors import (
    BadRequest,
    Draining,
    Forbidden,
    Limit,
    Locked,
    LockError,
    LockTimeout,
    Moved,
    NoLease,
    NoServer,
    NotHolder,
    ProtocolError,
    Recovering,
    SessionExpired,
    Unauthenticated,
    refusal,
)
from ._http import Connections, Endpoint
from ._session import Request, Session, fence_of, whole

_FREE = "nothing of it is held; what the server may still keep is free when the session ends there"
# Timers may stand still while the machine sleeps, and the deadline does not: nothing sleeps longer than this.
_SLEEP_MAX = 0.1
_AGAIN = 0.05


def _checked(status: int, body: Any, *wanted: int) -> Any:
    """The body of an answer that is one of these; a refusal is raised, and anything else counts as no answer."""
    if status in wanted:
        return body
    error = refusal(body) if status >= 300 else None
    raise error or ProtocolError(f"the answer `{status}` is none of those that there are", "nothing")


class AsyncClient:
    """A client of the lock service, for asyncio. It has one session, opened when it is first needed.

    `servers` are those of one cluster: `https://HOST:PORT`, `https://HOST:PORT#NAME` with the name in the certificate,
    or `unix:PATH`. `authority` is the file with the cluster's authority; `certificate` and `key` or `token` say who
    asks. `ttl` is how long the client may be silent at most, in seconds, and `patience` how long a server is looked for.
    """

    def __init__(
        self,
        servers: Iterable[str],
        *,
        authority: str | os.PathLike[str] | None = None,
        certificate: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
        token: str | None = None,
        meta: str | None = None,
        session_class: str | None = None,
        ttl: float | None = None,
        patience: float = 5.0,
    ) -> None:
        self._servers = [Endpoint.parse(text) for text in servers]
        if not self._servers:
            raise BadRequest("no server was named", "nothing was asked")
        if any(server.name for server in self._servers) and authority is None:
            raise BadRequest("no authority was named", "nothing was asked", "authority='ca.pem' of the cluster")
        tls = None
        if authority is not None:
            tls = ssl.create_default_context(cafile=os.fspath(authority))
            tls.minimum_version = ssl.TLSVersion.TLSv1_3
            if certificate is not None:
                tls.load_cert_chain(certificate, key)
        self._http = Connections(tls, token)
        self._open_body: dict[str, Any] = {
            "meta": f"{socket.gethostname()}:{os.getpid()}" if meta is None else meta,
            "follow_key": secrets.token_hex(32),
        }
        if session_class is not None:
            self._open_body["class"] = session_class
        if ttl is not None:
            self._open_body["ttl_ms"] = round(ttl * 1000)
        self._patience = round(patience * 1e9)
        self._at = 0
        self._link: _Link | None = None
        self._opening = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def lock(
        self,
        name: str,
        *,
        timeout: float | None = None,
        wait: bool = True,
        shared: bool = False,
        permits: int | None = None,
        value: str = "",
    ) -> AsyncLock:
        """A lock that is to be asked for: `async with client.lock("x") as held`, or `await client.lock("x").acquire()`.

        `timeout` limits the wait in seconds; with `wait=False` it is `Locked` if somebody else has it. `shared` is for
        readers, `permits` makes it a semaphore: so many at a time.
        """
        more: dict[str, Any] = {"mode": "shared"} if shared else {}
        if permits is not None:
            more["permits"] = permits
        return AsyncLock(self, "locks", name, timeout, wait, {**more, **({"value": value} if value else {})})

    def campaign(self, name: str, value: str = "", *, priority: int = 0, timeout: float | None = None) -> AsyncLock:
        """To lead: as `lock`, with a value that others see. The highest priority is first."""
        more: dict[str, Any] = {"priority": priority} if priority else {}
        return AsyncLock(self, "elections", name, timeout, True, {**more, **({"value": value} if value else {})})

    async def look(self, name: str, *, election: bool = False) -> dict[str, Any]:
        """How a lock or an election is, as its owner says."""
        path = f"/v1/{'elections' if election else 'locks'}/{quote(name, safe='')}"
        last: LockError = NoServer("no server answers", "nothing")
        for server in self._turn():
            try:
                async with asyncio.timeout(self._patience / 1e9):
                    found = _checked(*await self._http.ask(server, "GET", path), 200)
                if isinstance(found, dict):
                    return found
            except NoServer as error:
                last = error
            except TimeoutError:
                last = NoServer(f"{server.text} does not answer: it takes too long", "nothing")
        raise last

    async def observe(self, name: str, *, election: bool = True) -> AsyncGenerator[dict[str, Any], None]:
        """What becomes of an election or a lock: `event` is `granted` or `released`. It ends when it is closed."""
        kind, fence = ("elections", "observe") if election else ("locks", "watch"), None
        path, at = f"/v1/{kind[0]}/{quote(name, safe='')}/{kind[1]}", self._at
        while not self._closed:
            query = f"{path}?from_fence={fence}" if fence is not None else path
            with contextlib.suppress(NoServer, NoLease, Recovering, Limit):
                async for status, event in self._http.events(self._servers[at % len(self._servers)], query):
                    seen = _checked(status, event, 200)
                    if isinstance(seen, dict) and isinstance(seen.get("event"), str):
                        if seen.get("fence") is not None:
                            fence = max(fence or 0, fence_of(seen["fence"]))
                        yield seen
            at += 1
            await asyncio.sleep(0.2)

    async def close(self) -> None:
        """Ends the session; everything held is free."""
        self._closed = True
        link, self._link = self._link, None
        if link is not None:
            link.session.end("the client was closed")
            with contextlib.suppress(LockError, TimeoutError):
                async with asyncio.timeout(1):
                    await link.say_farewell()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._http.close()

    def _turn(self) -> list[Endpoint]:
        """The servers, that of the session first."""
        at = self._at % len(self._servers)
        return self._servers[at:] + self._servers[:at]

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _linked(self, until: int) -> _Link:
        """The session, opened if there is none: at each server in turn until then."""
        async with self._opening:
            last: LockError = NoServer("no server answers", "nothing was granted")
            while not self._closed:
                if self._link is not None and self._link.alive():
                    return self._link
                server, sent = self._turn()[0], _clock.now_ns()
                if sent >= until:
                    raise last
                try:
                    async with asyncio.timeout(min(until - sent, self._patience // 2) / 1e9):
                        opened = _checked(*await self._http.ask(server, "POST", "/v1/sessions", self._open_body), 201)
                    drift, valid = whole(opened, "drift_ppm", 999_999), whole(opened, "valid_ms", 10**10)
                    if not isinstance(opened.get("session"), str) or not opened["session"].isalnum():
                        raise ProtocolError("the answer has no session", "nothing")
                    session = Session(opened["session"], drift, sent, valid)
                    self._link = _Link(self, session, server)
                    self._spawn(self._link.keep_alive())
                    continue
                except TimeoutError:
                    last = NoServer(f"{server.text} does not answer: it takes too long", "nothing was granted")
                except (BadRequest, Unauthenticated, Forbidden):
                    raise
                except LockError as error:
                    last = error
                self._at += 1
                await asyncio.sleep(_AGAIN if self._at % len(self._servers) else 4 * _AGAIN)
            raise SessionExpired("the client was closed", _FREE)


class _Link:
    """A session at its server, which may become another one."""

    def __init__(self, client: AsyncClient, session: Session, home: Endpoint) -> None:
        self.client, self.session, self.home = client, session, home
        self.origin = home  # The server whose word counts if it says that the session is over.
        self.settled = asyncio.Event()
        self.settled.set()
        self.changed = asyncio.Event()
        self.wake = asyncio.Event()
        self.held: dict[int, AsyncHeld] = {}

    def alive(self) -> bool:
        return self.session.alive(_clock.now_ns())

    def notify(self) -> None:
        """Something about requests may be different: whoever waits looks, and what is lost is told."""
        self.changed.set()
        self.changed = asyncio.Event()
        for held in list(self.held.values()):
            if not held.held:
                self.held.pop(held._request.rid, None)
                held._tell_lost()

    def end(self, why: str) -> None:
        self.session.end(why)
        self.wake.set()
        self.notify()

    async def ask(self, path: str, body: Any, *wanted: int) -> Any:
        """A question about the session, where the session is."""
        while self.alive():
            await self._until(self.settled.is_set, self.settled)
            home = self.home
            try:
                return _checked(*await self.client._http.ask(home, "POST", path, body), *wanted)
            except Moved as error:
                self.seek(error.move_to)
            except SessionExpired as error:
                if home == self.home and self.settled.is_set():
                    self.end(error.message)
        raise SessionExpired(f"the session is over: {self.session.why}", _FREE)

    async def say_farewell(self) -> None:
        _checked(*await self.client._http.ask(self.home, "DELETE", f"/v1/sessions/{self.session.id}"), 204)

    def seek(self, to: str | None) -> None:
        """The session is at another server, perhaps this one. Nothing else is asked until a keep-alive was answered."""
        known = [server for server in self.client._servers if to and server.is_at(to)]
        with contextlib.suppress(BadRequest):
            known = known or ([Endpoint.parse(to)] if to else [])
        self.settled.clear()
        self.home = known[0] if known else self._next()
        self.origin = None if to else self.origin  # type: ignore[assignment]
        self.wake.set()

    def _next(self) -> Endpoint:
        servers = self.client._servers
        at = servers.index(self.home) + 1 if self.home in servers else 0
        return servers[at % len(servers)]

    async def _until(self, ready: Callable[[], bool], event: asyncio.Event) -> None:
        while self.alive() and not ready():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._pause()):
                    await event.wait()
        if not self.alive():
            self.notify()

    def _pause(self) -> float:
        return max(0.0, min((self.session.deadline - _clock.now_ns()) / 1e9, _SLEEP_MAX))

    async def keep_alive(self) -> None:
        """Keep-alives, each a third of what is valid after the one before, until the session is over."""
        session, vain = self.session, 0
        due = session.sent + session.valid_ms * 1_000_000 // 3
        while self.alive():
            if _clock.now_ns() < due and not self.wake.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(self._pause(), max(0.0, (due - _clock.now_ns()) / 1e9))):
                        await self.wake.wait()
                continue
            self.wake.clear()
            sent, third, home = _clock.now_ns(), session.valid_ms * 1_000_000 // 3, self.home
            work = self.client._spawn(self._beat(sent))
            late = sent + max(third, 100_000_000)
            while not work.done() and _clock.now_ns() < late and self.alive():
                await asyncio.wait([work], timeout=min(self._pause(), (late - _clock.now_ns()) / 1e9))
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError, LockError):
                if work.done() and await work:
                    vain, due = 0, sent + third
                    continue
            # No answer: the same again soon; at another server if this one does not come back.
            vain += 1
            if self.settled.is_set() and vain >= 2 and len(self.client._servers) > 1:
                self.seek(None)
            elif not self.settled.is_set() and self.home == home:
                self.home = self._next()
            pause = max(min(third // 10, 200_000_000), 10_000_000)
            due = _clock.now_ns() + (50_000_000 if not self.settled.is_set() else pause)
            self.wake.clear()
        self.end("")

    async def _beat(self, sent: int) -> bool:
        """One keep-alive. Whether the server has answered that the session lives."""
        session, home, settled = self.session, self.home, self.settled.is_set()
        believed = session.beliefs()
        states: list[dict[str, Any]] = []
        for request, state in believed:
            fence = {"fence": str(request.fence)} if state == "holds" else {}
            states.append({"rid": request.rid, "state": state, **fence})
        body: dict[str, Any] = {"requests": states} if states else {}
        if not settled:
            body["follow_key"] = self.client._open_body["follow_key"]
        path = f"/v1/sessions/{session.id}/keepalive"
        try:
            answer = _checked(*await self.client._http.ask(home, "POST", path, body), 200)
        except Moved as error:
            if not (settled and not self.settled.is_set()):
                self.seek(error.move_to)
            return False
        except SessionExpired as error:
            if home == self.origin and (settled or error.code == "session_expired" or len(self.client._servers) == 1):
                self.end(error.message)
            return False
        valid = whole(answer, "valid_ms", 10**10)
        again, unknown = session.told(_clock.now_ns(), believed, answer)
        session.kept_alive(_clock.now_ns(), sent, valid)
        self.home = self.origin = home
        with contextlib.suppress(ValueError):
            self.client._at = self.client._servers.index(home)
        self.settled.set()
        for rid in unknown:
            self.client._spawn(self.withdraw(rid))
        for request in again:
            request.why = "again"
        self.notify()
        if answer.get("draining") is True and not any(each.state != "waits" for each in session.requests.values()):
            self.client._at += 1
            self.client._spawn(self._leave())
        return True

    async def _leave(self) -> None:
        self.end("its server is about to leave")
        with contextlib.suppress(LockError):
            await self.say_farewell()

    async def withdraw(self, rid: int) -> None:
        """A request is not wanted any more: said until it is heard. If it was granted, that is given back."""
        await self._insist(f"/v1/sessions/{self.session.id}/cancel", {"rid": rid})

    async def _insist(self, path: str, body: Any) -> int:
        """Asks until it is answered. How often it was."""
        times = 0
        while True:
            times += 1
            try:
                await self.ask(path, body, 204)
                return times
            except NotHolder:
                if times == 1:
                    raise
                return times
            except (NoServer, NoLease, Recovering, Draining, Limit) as error:
                await asyncio.sleep(error.retry_after or _AGAIN)

    async def want(self, request: Request, until: int | None) -> None:
        """Asks with the same number until it is granted or refused."""
        waits, pause = request.body.get("wait_ms") != 0, _AGAIN
        while self.alive() and request.state == "waits":
            now = _clock.now_ns()
            if until is not None and now >= until:
                raise LockTimeout("it was not granted in time", "it is not held, and not waited for any more")
            if waits and until is not None:
                request.body["wait_ms"] = -(-(until - now) // 1_000_000)
            request.why = ""
            call = self.client._spawn(self.ask(request.path, request.body, 200))
            try:
                await self._answered(request, call, until)
                if request.state != "waits" or not call.done() or not self.alive():
                    continue
                answer = call.result()
                fence = fence_of(answer.get("fence") if isinstance(answer, dict) else None)
                if self.session.granted(_clock.now_ns(), request, fence):
                    return
            except NoServer:
                pause = min(2 * pause, 1.0)
            except (NoLease, Recovering, Limit) as error:
                if not waits:
                    raise
                pause = error.retry_after or _AGAIN
            except Draining:
                if not waits or any(each.state != "waits" for each in self.session.requests.values()):
                    raise
                self.client._at += 1
                self.client._spawn(self._leave())
            except Locked as error:
                if not waits:
                    raise
                raise LockTimeout("it was not free in time", error.certain) from error
            finally:
                call.cancel()
            left = (until - _clock.now_ns()) / 1e9 if until is not None else pause
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, min(pause, left, 1.0))):
                    await self.changed.wait()
        if request.state == "waits" or not self.alive():
            raise SessionExpired(f"the session is over: {self.session.why}", _FREE)

    async def _answered(self, request: Request, call: asyncio.Task[Any], until: int | None) -> None:
        """Until the call is answered, or a keep-alive has said what it would have, or it is too late."""
        changed = self.client._spawn(self.changed.wait())
        try:
            while self.alive() and not call.done() and request.state == "waits" and not request.why:
                left = self._pause() if until is None else min(self._pause(), (until - _clock.now_ns()) / 1e9)
                if left <= 0:
                    return
                await asyncio.wait([call, changed], timeout=left, return_when=asyncio.FIRST_COMPLETED)
                if changed.done():
                    changed = self.client._spawn(self.changed.wait())
        finally:
            changed.cancel()


class AsyncLock:
    """A lock or a leadership that is to be asked for: a context manager, or `acquire`."""

    def __init__(
        self, client: AsyncClient, kind: str, name: str, timeout: float | None, wait: bool, more: dict[str, Any]
    ) -> None:
        self._client, self._wait, self._timeout, self._more = client, wait, timeout, more
        self._path = f"/v1/{kind}/{quote(name, safe='')}"
        self._kind, self.name = kind, name
        self._held: list[AsyncHeld] = []

    async def acquire(self) -> AsyncHeld:
        """Waits until it is granted. If the session is lost meanwhile, it is asked for again in a new one."""
        client, begun = self._client, _clock.now_ns()
        until = None if self._timeout is None else begun + round(self._timeout * 1e9)
        limit = until if self._wait else begun + client._patience
        asks = self._path + ("/campaign" if self._kind == "elections" else "/acquire")
        while True:
            link = await client._linked(min(limit or begun + client._patience, _clock.now_ns() + client._patience))
            request = link.session.asks(asks, {**self._more, **({} if self._wait else {"wait_ms": 0})})
            try:
                await link.want(request, limit)
                held = AsyncHeld(link, request, self._path, self._kind, self.name)
                if held.held:
                    link.held[request.rid] = held
                    return held
                raise SessionExpired("it was over before the grant could be used", _FREE)
            except SessionExpired:
                self._withdraw(link, request)
                if not self._wait or client._closed or (until is not None and _clock.now_ns() >= until):
                    raise
            except BaseException:
                self._withdraw(link, request)
                raise

    def _withdraw(self, link: _Link, request: Request) -> None:
        link.session.over(request)
        # A dead session is cancelled in, too: its deadline here is before the one there.
        self._client._spawn(_quietly(link.withdraw(request.rid) if link.alive() else link.say_farewell()))

    async def __aenter__(self) -> AsyncHeld:
        held = await self.acquire()
        self._held.append(held)
        return held

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        held = self._held.pop()
        if error is None:
            await held.release()
        else:
            with contextlib.suppress(LockError):
                await held.release()


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    with contextlib.suppress(LockError):
        await work


class AsyncHeld:
    """A lock that is held, or was. Look at `held` before work that would be in vain; what protects data is `fence`."""

    def __init__(self, link: _Link, request: Request, path: str, kind: str, name: str) -> None:
        self._link, self._request, self._path, self._kind = link, request, path, kind
        self.name, self.fence, self.session = name, request.fence, link.session.id
        self.lost = asyncio.Event()
        self._on_lost: list[Callable[[], None]] = []

    @property
    def held(self) -> bool:
        """Whether it is held at this moment, by this clock."""
        return self._link.session.holds(_clock.now_ns(), self._request)

    @property
    def deadline(self) -> float:
        """From when on it is not held, as far as is known now: on the clock `now()`. It moves on with keep-alives."""
        return self._link.session.deadline / 1e9

    @property
    def remaining(self) -> float:
        """For how many seconds it is held at least, from now on; 0 if it is not held."""
        session, now = self._link.session, _clock.now_ns()
        return (session.deadline - now) / 1e9 if session.holds(now, self._request) else 0.0

    def _tell_lost(self) -> None:
        if self._request.state != "left":
            self.lost.set()
            for tell in self._on_lost:
                tell()

    async def release(self) -> None:
        """Gives it back, and waits until the server has heard it. `SessionExpired` if it was lost before."""
        link, request = self._link, self._request
        if request.state == "left":
            return
        if not self.held:
            why = request.why or link.session.why
            raise SessionExpired(f"it was lost: {why}", _FREE)
        request.state = "left"
        link.held.pop(request.rid, None)
        end = "/resign" if self._kind == "elections" else "/release"
        try:
            await link._insist(self._path + end, {"session": self.session, "fence": str(self.fence)})
        except SessionExpired:
            pass  # It is free: the session has ended.
        finally:
            if request.state == "left":
                link.session.requests.pop(request.rid, None)
