"""The chapter of the book on Python: its blocks run in their order, and what they say comes out."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import ringleader as rl
from conftest import ROOT

CHAPTER = ROOT / "docs/measure/python.md"
#: Stands above a block that no test runs, with the reason.
NOT_RUN = "<!-- not run: "
#: Stands behind an expression, with its value.
VALUE = "  # -> "


def blocks(text: str) -> list[tuple[int, str]]:
    """The Python blocks that are run: the line of each, and its code."""
    found: list[tuple[int, str]] = []
    for fence in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        above = text[: fence.start()].rstrip().rsplit("\n", 1)[-1]
        if not above.startswith(NOT_RUN):
            found.append((text.count("\n", 0, fence.start()) + 2, fence[1]))
    return found


def run(code: str, line: int, names: dict[str, Any]) -> list[str]:
    """Runs a block; gives what is other than it says, by line."""
    lines, wrong, compared = code.split("\n"), [], 0
    for statement in ast.parse(code).body:
        last = statement.end_lineno or statement.lineno
        # So that an error has the line of the chapter.
        ast.increment_lineno(statement, line - 1)
        if isinstance(statement, ast.Expr) and VALUE in lines[last - 1]:
            said = lines[last - 1].split(VALUE, 1)[1].strip()
            came = repr(eval(compile(ast.Expression(statement.value), str(CHAPTER), "eval"), names))
            compared += 1
            if came != said:
                wrong.append(f"line {line + last - 1}: {said} is {came}")
        else:
            exec(compile(ast.Module([statement], []), str(CHAPTER), "exec"), names)
    if compared != code.count("# ->"):
        wrong.append(f"line {line}: a value stands behind what is no expression of its own")
    return wrong


def test_the_chapter_says_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("polars", "pandas", "pyarrow", "duckdb"):
        pytest.importorskip(library)
    # The sweep of the book is in the folder, as for its other chapters.
    shutil.copy(ROOT / "docs/ring.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    found = blocks(CHAPTER.read_text(encoding="utf-8"))
    wrong = [one for line, code in found for one in run(code, line, names)]
    assert wrong == [] and len(found) >= 6
    assert names["rl"] is rl


def test_a_block_that_is_not_run_is_left_out_and_a_wrong_value_is_seen() -> None:
    text = "# A\n\n```python\n1 + 1  # -> 2\n2 + 2  # -> 5\n```\n\n<!-- not run: needs a cluster -->\n\n```python\nx\n```\n"
    [(line, code)] = blocks(text)
    assert run(code, line, {}) == ["line 5: 5 is 4"]
    assert run("x = 3  # -> 3\n", 1, {}) == ["line 1: a value stands behind what is no expression of its own"]


def test_the_chapter_is_short_and_every_name_of_it_exists() -> None:
    text = CHAPTER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 180
    for name in set(re.findall(r"\brl\.([A-Za-z_]+)", text)):
        assert hasattr(rl, name), f"there is no rl.{name}"
