"""``python -m ringleader sweep FILE -o FOLDER --on ray``: what ``ringleader sweep --on`` calls."""

from __future__ import annotations

import argparse
import json
import sys

from ._refused import Refused
from ._sweep import sweep


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m ringleader", description="Makes a sweep on processes or on a Ray cluster."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("sweep", help="every run of a sweep file")
    one.add_argument("file", help="the sweep file")
    one.add_argument("replace", nargs="*", metavar="KEY=VALUES", help="instead of what the file says")
    one.add_argument("--on", choices=["processes", "ray"], default="processes")
    one.add_argument("--address", help="the Ray cluster: 10.0.0.1:6379, or auto")
    one.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the rows go, in Parquet files")
    one.add_argument("--threads", type=int, help="how many cores are used at most")
    one.add_argument("--restart", action="store_true", help="begin anew")
    one.add_argument("--json", action="store_true")
    one.add_argument("-q", "--quiet", action="store_true")
    asked = parser.parse_args(words)
    replace = dict(pair.split("=", 1) for pair in asked.replace if "=" in pair)
    try:
        results = sweep(
            asked.file,
            results=asked.output,
            on=asked.on,
            address=asked.address,
            threads=asked.threads,
            replace=replace,
            restart=asked.restart,
            progress=False if asked.quiet or asked.json else None,
        )
    except Refused as refused:
        if asked.json:
            error = {
                "schema": "ringleader.error/1",
                "code": refused.code,
                "message": refused.message,
                "help": "\n".join(refused.help),
            }
            print(json.dumps({**error, "file": refused.file, "line": refused.line, "column": refused.column}))
        else:
            print(f"{refused.code}\n  × {refused}", file=sys.stderr)
        return refused.exit
    except KeyboardInterrupt as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    if asked.json:
        print(
            json.dumps(
                {
                    "schema": "ringleader.sweep/1",
                    "runs": len(results),
                    "output": str(results.folder),
                    "parts": len(results.parts()),
                }
            )
        )
    elif not asked.quiet:
        print(f"{len(results):,} runs\nrows in {results.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
