#!/usr/bin/env python3
"""The HTTP interface of real servers against its document: `document.py --program ringleader --schemathesis st`.

schemathesis asks for everything that docs/locks/openapi.json describes, rightly and wrongly, one call at a time and in
chains. Every answer must be one that the document has for that call: its number, its headers, its type and its schema.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "faults"))

from service import NAMES, TOKEN, Service  # noqa: E402

DOCUMENT = HERE.parent.parent / "docs" / "locks" / "openapi.json"
CHECKS = [
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
]
# What never ends is asked by tests of the server; `admin` is asked by name, so that no server leaves by chance.
ENDLESS = "/(watch|observe|stream)$"
ADMIN = "/v1/members/{id}/{what}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the program `ringleader`")
    parser.add_argument("--schemathesis", type=Path, required=True, help="the program `schemathesis`")
    parser.add_argument("--examples", type=int, default=15, help="so many for each call (15)")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rl") as folder:
        service = Service(asked.program.resolve(), Path(folder) / "s", plain=True)
        try:
            for name in NAMES:
                service.start(name)
            service.wait_ready()
            common = [
                str(asked.schemathesis.resolve()),
                "--config-file",
                str(HERE / "schemathesis.toml"),
                "run",
                str(DOCUMENT),
            ]
            common += ["--url", f"http://{service.apis['a']}", "--header", f"Authorization: Bearer {TOKEN}"]
            common += ["--checks", ",".join(CHECKS), "--request-timeout", "60", "--seed", str(asked.seed), "--no-color"]
            common += ["--generation-database", "none", "--suppress-health-check", "all"]
            calls = ["--exclude-path-regex", ENDLESS, "--exclude-path", ADMIN, "--max-examples", str(asked.examples)]
            first = subprocess.run([*common, *calls], cwd=folder, check=False).returncode
            admin = ["--include-path", ADMIN, "--phases", "examples,coverage"]
            second = subprocess.run([*common, *admin], cwd=folder, check=False).returncode if first == 0 else 0
            alive = all(child.poll() is None for child in service.children.values())
            if not alive:
                print("a server has ended")
            return 0 if first == second == 0 and alive else 1
        finally:
            service.close()


if __name__ == "__main__":
    sys.exit(main())
