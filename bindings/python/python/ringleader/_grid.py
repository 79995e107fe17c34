"""A grid of runs as the text of a sweep file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._options import word
from ._refused import Refused

#: What a grid may be: a file, the text of one, or a dictionary.
Grid = Mapping[str, Any]


def _value(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return json.dumps(value)
    if isinstance(value, range):
        if value.step < 1 or len(value) == 0:
            raise Refused(f"`{key}` has no values: {value}", "bad_sweep", ["a range that goes up, such as range(100)"])
        ends = [value.start, value.stop] + ([value.step] if value.step > 1 else [])
        return f"{{ range = {ends} }}"
    if isinstance(value, (list, tuple)):
        # A list among the values is one value: several words together.
        inner = [
            f"[{', '.join(json.dumps(word(part)) for part in one)}]"
            if isinstance(one, (list, tuple))
            else _value(key, one)
            for one in value
        ]
        return f"[{', '.join(inner)}]"
    raise Refused(f"`{key}` is {value!r}", "bad_sweep", ["a number, a word, a switch, a list of them, or range(100)"])


def _key(key: str) -> str:
    return json.dumps(key.replace("_", "-"))


def text(grid: Grid) -> str:
    """The grid as a sweep file.

    >>> print(text({"algorithm": "peterson", "n": [8, 16], "seed": range(3)}))
    [grid]
    "algorithm" = "peterson"
    "n" = [8, 16]
    "seed" = { range = [0, 3] }
    <BLANKLINE>
    """
    lines: list[str] = []
    settings: list[str] = []
    top: list[str] = []
    for key, value in grid.items():
        if key == "impossible":
            top.append(f"impossible = {json.dumps(value)}")
        elif isinstance(value, Mapping):
            settings += [f"{_key(name)} = {_value(name, one)}" for name, one in value.items()]
        else:
            lines.append(f"{_key(key)} = {_value(key, value)}")
    if settings:
        lines += ["[grid.set]", *settings]
    return "\n".join([*top, "[grid]", *lines, ""])
