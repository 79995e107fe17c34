"""Locks and leaders of Ringleader from Python: `Client` for threads, `AsyncClient` for asyncio.

>>> from ringleader_client import Client
>>> with Client(["unix:demo/a.sock"]) as client, client.lock("nightly-backup") as held:  # doctest: +SKIP
...     storage.write(body, fence=held.fence)

A lock is held until `held.deadline`, on the clock `now()`. From then on it is not, whatever is heard later.
"""

from ._aio import AsyncClient, AsyncHeld, AsyncLock
from ._clock import now
from ._errors import (
    BadName,
    BadRequest,
    Draining,
    Forbidden,
    Limit,
    Locked,
    LockError,
    LockTimeout,
    ModeMixed,
    Moved,
    NoLease,
    NoServer,
    NotHolder,
    ProtocolError,
    Recovering,
    SessionExpired,
    SessionUnknown,
    Unauthenticated,
)
from ._sync import Client, Held, Lock

__all__ = [
    "AsyncClient",
    "AsyncHeld",
    "AsyncLock",
    "BadName",
    "BadRequest",
    "Client",
    "Draining",
    "Forbidden",
    "Held",
    "Limit",
    "Lock",
    "LockError",
    "LockTimeout",
    "Locked",
    "ModeMixed",
    "Moved",
    "NoLease",
    "NoServer",
    "NotHolder",
    "ProtocolError",
    "Recovering",
    "SessionExpired",
    "SessionUnknown",
    "Unauthenticated",
    "now",
]
__version__ = "0.1.0"
