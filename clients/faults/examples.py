#!/usr/bin/env python3
"""The examples of all clients beside real servers: `examples.py --program ringleader --classes FOLDER --go FOLDER`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from service import NAMES, Service

CLIENTS = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the program `ringleader`")
    parser.add_argument("--classes", required=True, help="where the classes of the Java client are")
    parser.add_argument("--go", type=Path, required=True, help="where the examples of the Go client are, as programs")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rl") as scratch:
        folder = Path(scratch) / "s"
        service = Service(asked.program.resolve(), folder)
        try:
            for name in NAMES:
                service.start(name)
            service.wait_ready()
            servers = [f"https://{service.apis[name]}#{name}.local.ringleader" for name in NAMES]
            socket, java = str(folder / "a.sock"), ["java", "-cp", asked.classes]
            python = dict(os.environ, PYTHONPATH=str(CLIENTS / "python"))
            for command, said in [
                ([sys.executable, str(CLIENTS / "python/examples/backup.py"), str(folder)], "I hold it with fence"),
                ([sys.executable, str(CLIENTS / "python/examples/leader.py"), socket], "still leads"),
                ([str(asked.go / "backup"), socket], "I hold it with fence"),
                ([*java, "Backup", str(folder), *servers], "I hold it with fence"),
                ([*java, "Leader", str(folder), *servers], "a second later nothing was lost"),
                # It leads until it is interrupted.
                (
                    ["timeout", "--signal=INT", "--preserve-status", "5", str(asked.go / "leader"), socket],
                    "I lead with fence",
                ),
            ]:
                ran = subprocess.run(command, env=python, capture_output=True, text=True, timeout=120, check=False)
                if ran.returncode != 0 or said not in ran.stdout:
                    print(f"FAILED {' '.join(command)}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
                    return 1
        finally:
            service.close()
    print("6 examples do what they say")
    return 0


if __name__ == "__main__":
    sys.exit(main())
