"""A session as its client knows it: until when what it holds is held. No socket and no clock: times are given to it.

This is the part that carries safety. A session is alive until its deadline, and never again after it; a grant counts
only while its session is alive and its request is waited for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._errors import ProtocolError

FENCE_MAX = (1 << 63) - 1


def whole(body: Any, key: str, most: int) -> int:
    """A whole number of an answer."""
    value = body.get(key) if isinstance(body, dict) else None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise ProtocolError(f"`{key}` of the answer is no whole number from 0 to {most}", "nothing")
    return value


def fence_of(value: Any) -> int:
    """A fence: a string of digits, up to 63 bits."""
    if not isinstance(value, str) or not (value.isascii() and value.isdigit()) or int(value) > FENCE_MAX:
        raise ProtocolError("the fence of the answer is no string of up to 63 bits", "nothing")
    return int(value)


@dataclass(eq=False)
class Request:
    """What is wanted of a lock: it waits, holds, leaves or is over."""

    rid: int
    path: str
    body: dict[str, Any]
    state: str = "waits"
    fence: int = 0
    why: str = ""


@dataclass(eq=False)
class Session:
    """A session that was asked for at `sent`, and is valid for `valid_ms` on the server's clock."""

    id: str
    drift_ppm: int
    sent: int
    valid_ms: int
    deadline: int = field(init=False)
    why: str = field(init=False, default="")
    requests: dict[int, Request] = field(init=False, default_factory=dict)
    last_rid: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.deadline = self.sent + self.certain(self.valid_ms)

    def certain(self, valid_ms: int) -> int:
        """What is left of a promise if both clocks are as wrong as they may be: valid·(1-ρ)/(1+ρ), rounded down."""
        return valid_ms * 1_000_000 * (1_000_000 - self.drift_ppm) // (1_000_000 + self.drift_ppm)

    def alive(self, now: int) -> bool:
        """Whether it lives. Once it does not, it never does again."""
        if not self.why and now >= self.deadline:
            self.end("nothing was heard of its server in time")
        return not self.why

    def end(self, why: str) -> None:
        """The server says that it is over, or nothing was heard of it, or its user gives it up."""
        self.why = self.why or why

    def kept_alive(self, now: int, sent: int, valid_ms: int) -> None:
        """A keep-alive that was sent at `sent` was answered. Nothing comes back to life by it."""
        if self.alive(now):
            self.valid_ms, self.sent = valid_ms, sent
            self.deadline = max(self.deadline, sent + self.certain(valid_ms))

    def asks(self, path: str, body: dict[str, Any]) -> Request:
        """A request with a number that was never used."""
        self.last_rid += 1
        request = Request(self.last_rid, path, {"session": self.id, "rid": self.last_rid, **body})
        self.requests[request.rid] = request
        return request

    def over(self, request: Request, why: str = "") -> None:
        """The request is done with: whatever is heard of it later is given back."""
        request.state, request.why = "over", request.why or why
        self.requests.pop(request.rid, None)

    def granted(self, now: int, request: Request, fence: int) -> bool:
        """A grant has come. Whether it counts; otherwise it must be given back."""
        if not self.alive(now):
            return False
        if request.state == "waits":
            request.state, request.fence = "holds", fence
        return request.state == "holds" and request.fence == fence

    def holds(self, now: int, request: Request) -> bool:
        """Whether what this request was granted is held now."""
        return self.alive(now) and request.state == "holds"

    def beliefs(self) -> list[tuple[Request, str]]:
        """What is said in a keep-alive."""
        return [(each, each.state) for each in self.requests.values() if each.state in ("waits", "holds")][:500]

    def told(self, now: int, believed: list[tuple[Request, str]], answer: Any) -> tuple[list[Request], list[int]]:
        """What the answer to a keep-alive says of requests that it was asked about.

        Gives those to be asked again, and the numbers of those to be cancelled. What was believed to be held when the
        question was sent, and the server does not know, is lost. What waits and was granted is held.
        """
        known: dict[int, Any] = {}
        listed = answer.get("requests", [])
        for each in listed if isinstance(listed, list) else []:
            known[whole(each, "rid", (1 << 64) - 1)] = each
        again = []
        for request, state in believed:
            entry = known.get(request.rid)
            if state == "holds" and request.state == "holds" and entry is None:
                self.over(request, "its server does not know of it any more")
            elif request.state == "waits" and entry is None:
                again.append(request)
            elif request.state == "waits" and entry and entry.get("state") == "holds":
                self.granted(now, request, fence_of(entry.get("fence")))
        return again, [rid for rid in known if rid not in self.requests]
