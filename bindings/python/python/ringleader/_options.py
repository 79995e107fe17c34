"""Keywords as options of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from . import _native
from ._refused import Refused


@lru_cache
def _known(command: str) -> dict[str, tuple[str, bool]]:
    return {long: (value, repeats) for long, value, repeats in _native.options(command)}


def word(value: object) -> str:
    """A value as it is typed."""
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, range):
        return ",".join(str(one) for one in value)
    if isinstance(value, Iterable):
        return ",".join(word(one) for one in value)
    return str(value)


def given(command: str, keywords: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The options that these keywords are. A keyword that is ``None`` is not given."""
    known = _known(command)
    options: list[tuple[str, str]] = []
    for keyword, value in keywords.items():
        long = "nodes" if keyword == "n" else keyword.replace("_", "-")
        if value is None or value is False:
            continue
        shape, repeats = known.get(long, ("", False))
        if value is True:
            if long in known and shape:
                raise Refused(f"a value is required for '--{long} <{shape}>' but none was supplied")
            options.append((long, ""))
        elif long in known and not shape:
            raise Refused(
                f"unexpected value '{word(value)}' for '--{long}' found; no more were expected",
                help=[f"{keyword}=True"],
            )
        elif isinstance(value, (int, float, str)):
            options.append((long, word(value)))
        elif isinstance(value, Mapping):
            options += [(long, f"{name}={word(one)}") for name, one in value.items()]
        elif repeats and isinstance(value, (list, tuple)):
            options += [(long, word(one)) for one in value]
        else:
            options.append((long, word(value)))
    return options
