"""Three real servers on this machine, each a process of its own: killed, paused, started again, and cut off."""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

NAMES = ("a", "b", "c")
TOKEN = "correct-horse-battery"


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=5)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Cut:
    """A way to an address that can be cut: what is on it is lost, and nothing new gets through."""

    def __init__(self, to: tuple[str, int]) -> None:
        self.to, self.open = to, True
        self.streams: set[socket.socket] = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                inner, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(inner,), daemon=True).start()

    def _join(self, inner: socket.socket) -> None:
        try:
            outer = socket.create_connection(self.to, 5)
        except OSError:
            inner.close()
            return
        outer.settimeout(None)
        for each in (inner, outer):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.streams |= {inner, outer}
        back = threading.Thread(target=self._copy, args=(outer, inner), daemon=True)
        back.start()
        self._copy(inner, outer)
        back.join()
        self.streams -= {inner, outer}
        inner.close()
        outer.close()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                # Like a cut cable: nothing is refused, it only never arrives.
                while not self.open:
                    time.sleep(0.02)
                sink.sendall(data)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        self.listener.close()
        for each in list(self.streams):
            each.close()


class Service:
    """Three servers, in a folder."""

    def __init__(self, program: Path, folder: Path, *, plain: bool = False) -> None:
        self.program, self.folder, self.plain = program, folder, plain
        self.children: dict[str, subprocess.Popen[bytes]] = {}
        self.cuts: dict[tuple[str, str], Cut] = {}
        made = subprocess.Popen(
            [program, "up", "--service", "--keep", folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert made.stdout
        made.stdout.readline()
        made.send_signal(signal.SIGINT)
        made.wait()
        self.file = folder / "service.toml"
        text = self.file.read_text()
        if plain:
            text = re.sub(r"\[tls\]\n(.+\n)+", "[plain]\nallowed = true\n", text)
            secret = hashlib.sha256(TOKEN.encode()).hexdigest()
            text += f'\n[[token]]\nname = "test"\nsha256 = "{secret}"\n'
            text = text.replace('who = "cert:client"', 'who = "token:test"')
        self.text = text
        self.file.write_text(text)
        self.apis = dict(zip(NAMES, re.findall(r'^api = "(.+)"', text, re.M), strict=True))
        self.peers = dict(zip(NAMES, re.findall(r'^address = "(.+)"', text, re.M), strict=True))

    def replaced(self, old: str, new: str) -> None:
        """Changes the file that all servers read when they start."""
        assert old in self.text, old
        self.text = self.text.replace(old, new)
        self.file.write_text(self.text)

    def with_cuts(self) -> None:
        """Whatever goes from server to server or from a client to a server can be cut."""
        for name in NAMES:
            self.cuts["client", name] = self._cut(self.apis[name])
            for other in NAMES:
                if other != name:
                    self.cuts[name, other] = self._cut(self.peers[other])

    @staticmethod
    def _cut(address: str) -> Cut:
        host, _, port = address.rpartition(":")
        return Cut((host, int(port)))

    def start(self, name: str) -> None:
        """Starts a server; it reaches the others on ways that can be cut, if there are such."""
        environment = dict(os.environ)
        for (source, to), cut in self.cuts.items():
            if source == name:
                environment[f"RINGLEADER_SERVER_{to.upper()}_ADDRESS"] = cut.address
        command = [str(self.program), "node", "--config", str(self.file), "--name", name]
        log = open(self.folder / f"{name}.log", "ab")  # noqa: SIM115
        self.children[name] = subprocess.Popen(
            command + (["--plain"] if self.plain else []), stdout=log, stderr=log, env=environment
        )
        log.close()

    def ready(self, name: str) -> bool:
        """Whether a server can grant."""
        connection = UnixConnection(self.folder / f"{name}.sock")
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait_ready(self) -> None:
        """Waits until all of them can grant."""
        begun = time.monotonic()
        while not all(self.ready(name) for name in NAMES):
            if time.monotonic() - begun > 120:
                raise SystemExit(f"the servers are not ready; their logs are in {self.folder}")
            time.sleep(0.05)
        pairs = {frozenset(pair) for pair in self.cuts if "client" not in pair}
        for pair in pairs:
            # One connection for each pair: it goes through one of the two, or a cut would cut nothing.
            if not any(cut.streams for ends, cut in self.cuts.items() if frozenset(ends) == pair):
                raise SystemExit(f"servers {' and '.join(sorted(pair))} do not go through what can be cut")

    def signal(self, name: str, number: signal.Signals) -> None:
        self.children[name].send_signal(number)

    def kill(self, name: str) -> None:
        """As `kill -9` does."""
        self.signal(name, signal.SIGKILL)
        self.children[name].wait()

    def cut(self, name: str, is_open: bool) -> None:
        """Cuts everything from and to a server, or heals it."""
        for (source, to), cut in self.cuts.items():
            if name in (source, to):
                cut.open = is_open

    def close(self) -> None:
        for child in self.children.values():
            child.send_signal(signal.SIGCONT)
            child.kill()
            child.wait()
        for cut in self.cuts.values():
            cut.close()
