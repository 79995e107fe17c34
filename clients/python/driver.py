#!/usr/bin/env python3
"""The client as a program for the conformance suite and the fault run: lines of JSON in, lines of JSON out.

`--sync` drives the client for threads instead of the one for asyncio.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from contend import contend
from ringleader_client import AsyncClient, AsyncHeld, Client, Held, LockError

OPTIONS = ("authority", "certificate", "key", "token", "meta", "session_class")


def options(command: dict[str, Any]) -> dict[str, Any]:
    patience = {"patience": command["patience_ms"] / 1000} if "patience_ms" in command else {}
    return {**patience, **{key: command[key] for key in OPTIONS if key in command}}


def asking(client: Any, command: dict[str, Any]) -> Any:
    """The lock or the leadership that is asked for."""
    wait = command["wait_ms"] / 1000 if "wait_ms" in command else None
    if command.get("kind") == "election":
        priority = command.get("priority", 0)
        return client.campaign(command["name"], command.get("value", ""), priority=priority, timeout=wait)
    return client.lock(
        command["name"],
        timeout=wait,
        wait=not command.get("try", False),
        shared=command.get("mode") == "shared",
        permits=command.get("permits"),
        value=command.get("value", ""),
    )


def described(error: LockError) -> dict[str, Any]:
    retry = None if error.retry_after is None else round(error.retry_after * 1000)
    code = "session_expired" if error.code == "session_unknown" else error.code
    texts = {"code": code, "message": error.message, "certain": error.certain, "help": error.help}
    return {"error": {**texts, "retry_after_ms": retry}}


def believed(key: str, held: AsyncHeld | Held) -> dict[str, Any]:
    remaining = held.remaining
    lost = held.lost.is_set()
    return {"key": key, "fence": str(held.fence), "held": remaining > 0, "remaining_ms": remaining * 1000, "lost": lost}


def say(number: int, **reply: Any) -> None:
    sys.stdout.write(json.dumps({"id": number, **reply}) + "\n")
    sys.stdout.flush()


class Asynchronous:
    """Commands for the client for asyncio."""

    def __init__(self) -> None:
        self.client: AsyncClient | None = None
        self.held: dict[str, AsyncHeld] = {}
        self.waits: dict[str, asyncio.Task[Any]] = {}

    async def obey(self, command: dict[str, Any]) -> None:
        number, op, key = command["id"], command["op"], command.get("key", "")
        try:
            if op == "about":
                say(number, language="python", unix=True, cancel=True)
            elif op == "open":
                self.client = AsyncClient(command["servers"], **options(command))
                say(number, ok=True)
            elif op == "state":
                say(number, holds=[believed(key, held) for key, held in self.held.items()])
            elif op == "cancel":
                self.waits[key].cancel()
            elif op == "release":
                await self.held[key].release()
                say(number, ok=True)
            elif self.client is None:
                raise LockError("no client was made", code="bad_request")
            elif op == "acquire":
                task = self.waits[key] = asyncio.ensure_future(asking(self.client, command).acquire())
                self.held[key] = held = await task
                say(number, fence=str(held.fence))
            elif op == "observe":
                async for event in self.client.observe(command["name"]):
                    say(number, event=event)
            elif op == "close":
                await self.client.close()
                say(number, ok=True)
        except LockError as error:
            say(number, **described(error))
        except asyncio.CancelledError:
            say(number, error={"code": "cancelled"})

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        tasks = set()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            tasks.add(asyncio.ensure_future(self.obey(json.loads(line))))


class Threaded:
    """Commands for the client for threads."""

    def __init__(self) -> None:
        self.client: Client | None = None
        self.held: dict[str, Held] = {}

    def obey(self, command: dict[str, Any]) -> None:
        number, op, key = command["id"], command["op"], command.get("key", "")
        try:
            if op == "about":
                say(number, language="python (threads)", unix=True, cancel=False)
            elif op == "open":
                self.client = Client(command["servers"], **options(command))
                say(number, ok=True)
            elif op == "state":
                say(number, holds=[believed(key, held) for key, held in dict(self.held).items()])
            elif op == "release":
                self.held[key].release()
                say(number, ok=True)
            elif self.client is None:
                raise LockError("no client was made", code="bad_request")
            elif op == "acquire":
                self.held[key] = held = asking(self.client, command).acquire()
                say(number, fence=str(held.fence))
            elif op == "observe":
                for event in self.client.observe(command["name"]):
                    say(number, event=event)
            elif op == "contend":
                say(number, **contend(self.client, command))
            elif op == "close":
                self.client.close()
                say(number, ok=True)
        except LockError as error:
            say(number, **described(error))

    def run(self) -> None:
        for line in sys.stdin:
            threading.Thread(target=self.obey, args=(json.loads(line),), daemon=True).start()


if __name__ == "__main__":
    if "--sync" in sys.argv:
        Threaded().run()
    else:
        asyncio.run(Asynchronous().run())
