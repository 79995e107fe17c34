"""What went wrong, and what is certain then: one class for each code of a refusal."""

from __future__ import annotations

from typing import Any, ClassVar


class LockError(Exception):
    """A refusal. `code` is a word, `certain` says what is certain, `help` what to do, `retry_after` when (seconds)."""

    word: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        certain: str = "",
        help: str | None = None,
        retry_after: float | None = None,
        code: str | None = None,
        move_to: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code or self.word
        self.message = message
        self.certain = certain
        self.help = help
        self.retry_after = retry_after
        self.move_to = move_to

    def __str__(self) -> str:
        text = f"{self.message} ({self.code})"
        return f"{text}; certain: {self.certain}" if self.certain else text


class Locked(LockError):
    """Somebody else has it."""

    word = "locked"


class ModeMixed(LockError):
    """Somebody holds it or waits for it in another way, such as a semaphore with other permits."""

    word = "mode_mixed"


class LockTimeout(LockError, TimeoutError):
    """It was not granted in time, and is not waited for any more."""

    word = "timeout"


class SessionExpired(LockError):
    """The session is over: nothing of it is held."""

    word = "session_expired"


class SessionUnknown(SessionExpired):
    """The server knows of no such session."""

    word = "session_unknown"


class NotHolder(LockError):
    """This fence does not hold now."""

    word = "not_holder"


class NoLease(LockError):
    """The server may grant nothing now."""

    word = "no_lease"


class Recovering(LockError):
    """The lock's shard is being rebuilt."""

    word = "recovering"


class Draining(LockError):
    """The server is about to leave."""

    word = "draining"


class Moved(LockError):
    """The session is at the server in `move_to`. The client goes there by itself."""

    word = "moved"


class Limit(LockError):
    """Too many of something."""

    word = "limit"


class BadName(LockError):
    """It is no name."""

    word = "bad_name"


class BadRequest(LockError):
    """It cannot be asked like this."""

    word = "bad_request"


class Unauthenticated(LockError):
    """The server does not know who asks."""

    word = "unauthenticated"


class Forbidden(LockError):
    """Who asks may not."""

    word = "forbidden"


class NoServer(LockError):
    """No server answers: nothing is certain."""

    word = "no_server"


class ProtocolError(NoServer):
    """What answers is no server of this kind, or another version: its answer counts as none."""

    word = "protocol"


_KNOWN: dict[str, type[LockError]] = {
    kind.word: kind
    for kind in (
        Locked,
        ModeMixed,
        LockTimeout,
        SessionExpired,
        SessionUnknown,
        NotHolder,
        NoLease,
        Recovering,
        Draining,
        Moved,
        Limit,
        BadName,
        BadRequest,
        Unauthenticated,
        Forbidden,
    )
}


def refusal(body: Any) -> LockError | None:
    """The error that the body of an answer describes; none if it describes none. Unknown codes stay what they are."""
    if not isinstance(body, dict) or not isinstance(body.get("code"), str) or not body["code"]:
        return None
    texts = {
        key: body[key] if isinstance(body.get(key), str) else None for key in ("message", "certain", "help", "move_to")
    }
    after = body.get("retry_after_ms")
    retry = after / 1000 if isinstance(after, int) and not isinstance(after, bool) and after >= 0 else None
    kind = _KNOWN.get(body["code"], LockError)
    message, certain = texts["message"] or "refused", texts["certain"] or ""
    return kind(message, certain, texts["help"], retry, body["code"], texts["move_to"])
