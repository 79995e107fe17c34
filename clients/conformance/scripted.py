"""A scripted lock server: what a case does not answer by hand is answered as a server would."""

from __future__ import annotations

import json
import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 120.0  # Nothing takes so long, unless it never happens.
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def now() -> float:
    """This moment in milliseconds, on a clock that client and suite share."""
    return time.clock_gettime_ns(CLOCK) / 1e6


class Failed(AssertionError):
    """A case does not hold."""


@dataclass(eq=False)
class Exchange:
    """A question that was read, and where its answer goes."""

    world: World
    server: Server
    connection: socket.socket
    received: float
    method: str
    path: str
    headers: dict[str, str]
    body: Any
    done: threading.Event = field(default_factory=threading.Event)
    gone: bool = False

    @property
    def kind(self) -> str:
        """The call in a word: `open`, `keepalive`, `acquire`, ..."""
        parts = self.path.partition("?")[0].split("/")[2:]
        if parts[0] == "sessions":
            return {1: "open", 2: "close"}.get(len(parts), parts[-1])
        return "look" if len(parts) == 2 else parts[2]

    @property
    def session(self) -> str:
        """The session that it is about."""
        parts = self.path.split("/")
        return parts[3] if parts[2] == "sessions" and len(parts) > 3 else (self.body or {}).get("session", "")

    def answer(
        self, status: int, body: Any = None, *, raw: bytes | None = None, drip: bool = False, **headers: str
    ) -> None:
        """Answers. What the client may rely on from then on is noted before the first byte is written."""
        if self.done.is_set():
            return
        text = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        if isinstance(body, dict):
            self.world.notes(self, status, body)
        lines = [f"HTTP/1.1 {status} X", "content-type: application/json", *(f"{k}: {v}" for k, v in headers.items())]
        if status != 204:
            lines.append(f"content-length: {len(text)}")
        whole = "\r\n".join([*lines, "", ""]).encode() + text
        try:
            for at in range(0, len(whole), 7 if drip else len(whole)):
                self.connection.sendall(whole[at : at + 7] if drip else whole)
                if drip:
                    time.sleep(0.001)
        except OSError:
            pass  # The client does not listen any more.
        self.done.set()

    def refuse(self, status: int, code: str, **more: Any) -> None:
        """Answers a refusal."""
        body = {"code": code, "message": f"it is {code}", "certain": f"certain of {code}", **more}
        self.answer(status, body, **({"location": more["move_to"] + self.path} if "move_to" in more else {}))

    def drop(self) -> None:
        """The answer is lost: the connection is closed without one."""
        self.gone = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The client was first.
        self.done.set()

    def grant(self, fence: int | str, **more: Any) -> None:
        """The lock is held."""
        name = self.path.split("/")[3]
        text = str(fence)
        self.world.grants.setdefault((self.session, text), self.body["rid"])
        self.answer(200, {"name": name, "fence": text, "held_at": 1, "valid_ms": 1000, **more})

    def opens(self, valid_ms: int = 60_000, drift_ppm: int = 5000, **more: Any) -> str:
        """The session is open."""
        session = os.urandom(16).hex()
        body = {"session": session, "valid_ms": valid_ms, "drift_ppm": drift_ppm, "server": "s", **more}
        self.world.sessions[session] = (valid_ms, drift_ppm)
        self.answer(201, body)
        return session

    def lives(self, **more: Any) -> None:
        """The session goes on: what was granted in it is held, everything else that it believes waits."""
        known = {rid: fence for (session, fence), rid in self.world.grants.items() if session == self.session}
        requests = [
            {"rid": each["rid"], "state": "holds", "fence": known[each["rid"]]}
            if each["rid"] in known
            else {"rid": each["rid"], "state": "waits"}
            for each in self.body.get("requests", [])
        ]
        valid = self.world.sessions.get(self.session, (60_000, 0))[0]
        self.answer(200, {"valid_ms": valid, "requests": requests, "draining": False, **more})


class Server:
    """One listener."""

    def __init__(self, world: World, path: str | None = None) -> None:
        self.world = world
        if path:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(path)
            self.address = f"unix:{path}"
        else:
            self.listener = socket.socket()
            self.listener.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            if connection.family != socket.AF_UNIX:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as file:
                while line := file.readline():
                    received = now()
                    method, path, _ = line.decode().split(" ", 2)
                    if self.world.deaf > 0:
                        # Lost on its way: nothing of it was read.
                        self.world.deaf -= 1
                        return
                    headers = {}
                    while (header := file.readline().strip()) != b"":
                        key, _, value = header.decode().partition(":")
                        headers[key.lower()] = value.strip()
                    text = file.read(int(headers.get("content-length", "0")))
                    body = json.loads(text) if text else None
                    exchange = Exchange(self.world, self, connection, received, method, path, headers, body)
                    self.world.asked(exchange)
                    exchange.done.wait()
                    if exchange.gone:
                        return
        except (OSError, ValueError):
            pass


class World:
    """The servers of a case, what was asked of them, and what a client may believe of it."""

    def __init__(self, servers: int = 1, unix: str | None = None) -> None:
        self.deaf = 0
        self.sessions: dict[str, tuple[int, int]] = {}
        self.bounds: dict[str, float] = {}
        self.grants: dict[tuple[str, str], int] = {}
        self.log: list[Exchange] = []
        self.news = threading.Condition()
        self.queues: dict[str, queue.Queue[Exchange]] = {}
        self.by_itself: dict[str, Callable[[Exchange], None] | None] = {
            "open": lambda it: it.opens() and None,
            "keepalive": lambda it: it.lives(),
            "close": lambda it: it.answer(204),
            "cancel": lambda it: it.answer(204),
            "release": lambda it: it.answer(204),
            "resign": lambda it: it.answer(204),
        }
        self.servers = [Server(self, unix if unix and place == 0 else None) for place in range(servers)]

    def notes(self, exchange: Exchange, status: int, body: dict[str, Any]) -> None:
        """Until when a client may believe that it holds: from when the question was received, and it was sent before."""
        session = exchange.session
        if exchange.kind == "open" and status == 201:
            session = body.get("session", "")
        elif not (exchange.kind == "keepalive" and status == 200):
            return
        valid = body.get("valid_ms")
        drift = self.sessions.get(session, (0, 0))[1]
        if isinstance(valid, int) and session in self.sessions:
            until = exchange.received + valid * (1e6 - drift) / (1e6 + drift)
            self.bounds[session] = max(self.bounds.get(session, 0.0), until)

    def asked(self, exchange: Exchange) -> None:
        """A question was read: it is answered by itself, or waits for the case."""
        by_itself = self.by_itself.get(exchange.kind)
        with self.news:
            self.log.append(exchange)
            self.queues.setdefault(exchange.kind, queue.Queue())
            if by_itself is None:
                self.queues[exchange.kind].put(exchange)
            self.news.notify_all()
        if by_itself is not None:
            by_itself(exchange)

    def by_hand(self, *kinds: str) -> None:
        """From here on the case answers these."""
        for kind in kinds:
            self.by_itself[kind] = None

    def take(self, kind: str) -> Exchange:
        """The next question of this kind that waits for the case."""
        with self.news:
            waiting = self.queues.setdefault(kind, queue.Queue())
        try:
            return waiting.get(timeout=PATIENCE)
        except queue.Empty:
            raise Failed(f"never asked: {kind}; asked was {self.asked_so_far()}") from None

    def wait(self, what: str, fits: Callable[[Exchange], bool]) -> Exchange:
        """The first question that fits, of all that were and will be asked."""
        until = time.monotonic() + PATIENCE
        with self.news:
            while True:
                for exchange in self.log:
                    if fits(exchange):
                        return exchange
                if not self.news.wait(until - time.monotonic()) and time.monotonic() >= until:
                    raise Failed(f"never asked: {what}; asked was {self.asked_so_far()}")

    def asked_so_far(self) -> str:
        return ", ".join(exchange.kind for exchange in self.log[-20:])

    def gave_back(self, session: str, rid: int, fence: str) -> Exchange:
        """Waits until a grant is given back: released, cancelled, or its session closed."""

        def is_it(it: Exchange) -> bool:
            if it.session != session:
                return False
            released = it.kind in ("release", "resign") and it.body["fence"] == fence
            return it.kind == "close" or released or (it.kind == "cancel" and it.body["rid"] == rid)

        return self.wait(f"to give back fence {fence}", is_it)

    def close(self) -> None:
        for server in self.servers:
            server.listener.close()
        for exchange in self.log:
            exchange.done.set()
