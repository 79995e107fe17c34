#!/usr/bin/env python3
"""Wrong versions of the Python client, by name: the suite must find each of them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

import driver
import ringleader_client._aio as aio
from ringleader_client import ProtocolError
from ringleader_client._clock import now_ns
from ringleader_client._session import Request, Session

make, alive, kept_alive, granted, told = (
    Session.__post_init__,
    Session.alive,
    Session.kept_alive,
    Session.granted,
    Session.told,
)


def deadline_from_receipt() -> None:
    """The deadline counts from when the answer came."""

    def made(self: Session) -> None:
        self.sent = now_ns()
        make(self)

    Session.__post_init__ = made


def keepalive_from_receipt() -> None:
    Session.kept_alive = lambda self, now, sent, valid: kept_alive(self, now, now, valid)


def no_drift() -> None:
    """What the server says is taken as if both clocks were right."""
    Session.certain = lambda self, valid: valid * 1_000_000


def no_deadline() -> None:
    """Only what the server says ends a session."""
    Session.alive = lambda self, now: not self.why
    aio.AsyncHeld.remaining = property(lambda self: 1.0 if self.held else 0.0)


def grant_extends() -> None:
    """The answer to a request counts as one to a keep-alive."""
    ask = aio._Link.ask

    async def asked(self: Any, path: str, body: Any, *wanted: int) -> Any:
        sent = now_ns()
        answer = await ask(self, path, body, *wanted)
        if isinstance(answer, dict) and isinstance(answer.get("valid_ms"), int):
            self.session.kept_alive(now_ns(), sent, answer["valid_ms"])
        return answer

    aio._Link.ask = asked


def late_grant_stands() -> None:
    """A grant is believed whenever it is read."""
    ask = aio.Connections.ask

    async def asked(self: Any, to: Any, method: str, path: str, body: Any = None) -> Any:
        status, answer = await ask(self, to, method, path, body)
        if status == 200 and path.endswith("/acquire"):
            sessions.append(body["session"])
        return status, answer

    sessions: list[str] = []

    def lives(self: Session, now: int) -> bool:
        if self.id in sessions:
            self.why, self.deadline = "", max(self.deadline, now + 60_000_000_000)
        return not self.why and (now < self.deadline or any(each.state == "waits" for each in self.requests.values()))

    aio.Connections.ask, Session.alive = asked, lives


def grant_kept() -> None:
    """What was granted too late is not given back."""
    aio.AsyncLock._withdraw = lambda self, link, request: link.session.over(request)


def new_rid() -> None:
    """Every question has a number of its own."""
    ask = aio._Link.ask

    async def asked(self: Any, path: str, body: Any, *wanted: int) -> Any:
        if "rid" in body and not path.endswith("/cancel"):
            self.session.last_rid += 1
            body = {**body, "rid": self.session.last_rid}
        return await ask(self, path, body, *wanted)

    aio._Link.ask = asked


def any_answer_extends() -> None:
    """Whatever is answered to a keep-alive, the session lives."""
    beat = aio._Link._beat

    async def beats(self: Any, sent: int) -> bool:
        try:
            return await beat(self, sent)
        except Exception:
            self.session.kept_alive(now_ns(), sent, self.session.valid_ms)
            return True

    aio._Link._beat = beats


def move_extends() -> None:
    """That the session has moved is taken for a sign that it lives."""
    seek = aio._Link.seek

    def seeks(self: Any, to: str | None) -> None:
        self.session.kept_alive(now_ns(), now_ns(), self.session.valid_ms)
        seek(self, to)

    aio._Link.seek = seeks


def unlisted_stays() -> None:
    """What the server does not list any more is held all the same."""

    def tells(self: Session, now: int, believed: list[tuple[Request, str]], answer: Any) -> Any:
        return told(self, now, [each for each in believed if each[1] != "holds"], answer)

    Session.told = tells


def rounded_fence() -> None:
    """Fences are read as numbers of JSON are in many languages."""
    aio.fence_of = lambda value: int(float(value))


def any_fence() -> None:
    """A fence is whatever is there."""

    def reads(value: Any) -> int:
        try:
            return int(float(value))
        except (TypeError, ValueError):
            raise ProtocolError("no number") from None

    aio.fence_of = reads


def no_key() -> None:
    """The key of the session is not shown where it has moved."""
    ask = aio.Connections.ask

    async def asked(self: Any, to: Any, method: str, path: str, body: Any = None) -> Any:
        if path.endswith("/keepalive"):
            body = {key: value for key, value in body.items() if key != "follow_key"}
        return await ask(self, to, method, path, body)

    aio.Connections.ask = asked


def no_withdrawal() -> None:
    """Who does not wait any more tells nobody."""
    grant_kept()


def release_once() -> None:
    """A release is said once, whether it was heard or not."""

    async def says(self: Any, path: str, body: Any) -> int:
        await self.ask(path, body, 204)
        return 1

    aio._Link._insist = says


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")]()
    asyncio.run(driver.Asynchronous().run())
