"""HTTP/1.1 over TLS, the Unix socket, or plain text on this machine: one question, one answer, connections kept."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ._errors import BadRequest, NoServer, ProtocolError

BODY_MAX = 8 << 20
EXPECTED = "a server is https://HOST:PORT, https://HOST:PORT#NAME with the name in its certificate, or unix:PATH"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Endpoint:
    """Where a server is."""

    text: str
    host: str = ""
    port: int = 0
    name: str = ""
    path: str = ""

    @staticmethod
    def parse(text: str) -> Endpoint:
        """`https://HOST:PORT`, `https://HOST:PORT#NAME` or `unix:PATH`; `http://` on this machine only."""

        def bad(why: str) -> BadRequest:
            return BadRequest(f"`{text}` is no server: {why}", "nothing was done", EXPECTED)

        if text.startswith("unix:"):
            path = text[5:].removeprefix("//")
            if not path:
                raise bad("there is no path after unix:")
            return Endpoint(text, path=path)
        parts = urlsplit(text)
        if parts.scheme not in ("https", "http"):
            raise bad("it begins with neither https:// nor unix:")
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            raise bad("its port is none") from None
        if not host or not port or parts.username or parts.query or parts.path not in ("", "/"):
            raise bad("it has no host or no port, or more than that")
        if parts.scheme == "http":
            if not _is_loopback(host):
                raise bad("plain text is for 127.0.0.1 and [::1] only")
            return Endpoint(text, host, port)
        return Endpoint(text, host, port, parts.fragment or host)

    def is_at(self, address: str) -> bool:
        """Whether a server that was named by another one is this one."""
        parts = urlsplit(address)
        with contextlib.suppress(ValueError):
            return bool(self.host) and (parts.hostname, parts.port) == (self.host, self.port)
        return False


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


class Connections:
    """Connections to servers: those that are free are used again. A call whose task ends early closes its own."""

    def __init__(self, tls: ssl.SSLContext | None, token: str | None) -> None:
        self._tls, self._token = tls, token
        self._free: dict[Endpoint, list[Streams]] = {}
        self._closed = False

    async def _open(self, to: Endpoint) -> Streams:
        if to.path:
            return await asyncio.open_unix_connection(to.path)
        if not to.name:
            return await asyncio.open_connection(to.host, to.port)
        if self._tls is None:
            raise NoServer(f"{to.text} cannot be asked: there is no authority to know it by", "nothing was asked")
        return await asyncio.open_connection(to.host, to.port, ssl=self._tls, server_hostname=to.name)

    def _head(self, to: Endpoint, method: str, path: str, body: bytes) -> bytes:
        host = f"[{to.host}]" if ":" in to.host else to.host
        lines = [f"{method} {path} HTTP/1.1", f"host: {f'{host}:{to.port}' if host else 'localhost'}"]
        if self._token is not None:
            lines.append(f"authorization: Bearer {self._token}")
        if body:
            lines.append("content-type: application/json")
        lines.append(f"content-length: {len(body)}")
        return "\r\n".join([*lines, "", ""]).encode()

    async def ask(self, to: Endpoint, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The number of the answer, and its body as JSON. Whatever else comes, or nothing, is `NoServer`."""
        text = b"" if body is None else json.dumps(body).encode()
        free = self._free.get(to)
        streams, reuse = (free.pop() if free else None), False
        try:
            streams = streams or await self._open(to)
            reader, writer = streams
            writer.write(self._head(to, method, path, text) + text)
            await writer.drain()
            status, headers = await _read_head(reader)
            content = await _read_body(reader, status, headers)
            reuse = "close" not in headers.get("connection", "").lower()
        except (OSError, EOFError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError) as error:
            raise NoServer(f"{to.text} does not answer: {error or type(error).__name__}", "nothing") from error
        except ValueError as error:
            raise ProtocolError(f"{to.text} answers something that is no HTTP: {error}", "nothing") from error
        finally:
            if streams and reuse and not self._closed:
                self._free.setdefault(to, []).append(streams)
            elif streams:
                streams[1].close()
        if not content:
            return status, None
        try:
            return status, json.loads(content)
        except ValueError as error:
            raise ProtocolError(f"{to.text} answers `{status}` and no JSON", "nothing") from error

    async def events(self, to: Endpoint, path: str) -> AsyncIterator[tuple[int, Any]]:
        """The `data:` lines of server-sent events, as JSON; of another answer, that one."""
        try:
            reader, writer = await self._open(to)
            try:
                writer.write(self._head(to, "GET", path, b""))
                await writer.drain()
                status, headers = await _read_head(reader)
                if status != 200:
                    yield status, json.loads(await _read_body(reader, status, headers) or b"null")
                    return
                rest = b""
                async for part in _parts(reader, headers):
                    *lines, rest = (rest + part).split(b"\n")
                    for line in lines:
                        if line.startswith(b"data:"):
                            yield status, json.loads(line[5:])
                    if len(rest) > BODY_MAX:
                        raise ValueError("a line without an end")
            finally:
                writer.close()
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError) as error:
            raise NoServer(f"{to.text} does not answer: {error or type(error).__name__}", "nothing") from error

    def close(self) -> None:
        """Closes what is free; what is in use closes itself."""
        self._closed = True
        for _, writer in [each for free in self._free.values() for each in free]:
            writer.close()
        self._free.clear()


async def _line(reader: asyncio.StreamReader) -> str:
    line = await reader.readuntil(b"\n")
    return line.decode("latin-1").rstrip("\r\n")


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    version, _, rest = (await _line(reader)).partition(" ")
    if not version.startswith("HTTP/1."):
        raise ValueError("no status")
    headers: dict[str, str] = {}
    while line := await _line(reader):
        key, _, value = line.partition(":")
        headers[key.strip().lower()] = value.strip()
        if len(headers) > 100:
            raise ValueError("too many headers")
    return int(rest[:3]), headers


async def _parts(reader: asyncio.StreamReader, headers: dict[str, str]) -> AsyncIterator[bytes]:
    """The body in parts as they come: in chunks, of a length, or until the end."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        while size := int((await _line(reader)).partition(";")[0], 16):
            if size > BODY_MAX:
                raise ValueError("too large")
            yield await reader.readexactly(size)
            await reader.readexactly(2)
        await _line(reader)
    elif length := int(headers.get("content-length", "0")):
        if not 0 < length <= BODY_MAX:
            raise ValueError("too large")
        yield await reader.readexactly(length)


async def _read_body(reader: asyncio.StreamReader, status: int, headers: dict[str, str]) -> bytes:
    body = b""
    if status != 204:
        async for part in _parts(reader, headers):
            body += part
            if len(body) > BODY_MAX:
                raise ValueError("too large")
    return body
