"""The notebooks of the book: each is executed where it finds nothing, and its assertions hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

FOLDER = ROOT / "docs/measure"
#: What takes outputs and counts away again.
STRIP = "jupyter nbconvert --clear-output --inplace docs/measure/*.ipynb"

#: What a reader is to see in each: how many tables and pictures at least, and words of the results.
SEEN: dict[str, tuple[int, int, list[str]]] = {
    "constants": (4, 1, ["higham-przytycka", "largest difference between the two slopes"]),
    "elections": (6, 1, ["chang-roberts", "n·H(n)"]),
    "worst-case": (2, 4, ["28 election messages, exact", "ringleader worst chang-roberts -n 7", "a lower bound"]),
    "sweep-on-ray": (2, 1, ["720 done, complete", "are missing", "holds, 1,782 states", "violated"]),
}


def committed(name: str) -> Any:
    read: Any = nbformat.read
    return read(FOLDER / f"{name}.ipynb", as_version=4)


def outputs(notebook: Any) -> list[dict[str, str]]:
    """What the cells showed, each as texts by their type."""
    found: list[dict[str, str]] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            found.append(
                {"text/plain": output.text} if output.output_type == "stream" else dict(output.get("data", {}))
            )
    return found


def is_picture(shown: dict[str, str]) -> bool:
    return "image/svg+xml" in shown or "<svg" in shown.get("text/html", "")


def is_table(shown: dict[str, str]) -> bool:
    return "<table" in shown.get("text/html", "") and not is_picture(shown)


def execute(name: str, folder: Path) -> None:
    notebook = committed(name)
    nbformat.validate(notebook)
    # An exception in a cell is one here, with the cell and its words.
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    shown = outputs(notebook)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code"), "a cell was not executed"
    tables, pictures, words = SEEN[name]
    assert sum(map(is_table, shown)) >= tables and sum(map(is_picture, shown)) >= pictures
    text = "\n".join(one.get("text/plain", "") for one in shown)
    for wanted in words:
        assert wanted in text, f"{name} does not show {wanted!r}"


@pytest.mark.parametrize("name", ["constants", "elections", "worst-case"])
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    execute(name, tmp_path)


@pytest.mark.ray
def test_the_notebook_on_ray_runs(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="pip install 'ray[default]'")
    execute("sweep-on-ray", tmp_path)


def test_every_notebook_is_executed_and_linked() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(SEEN)
    chapter = (FOLDER / "python.md").read_text(encoding="utf-8")
    assert [name for name in SEEN if f"({name}.ipynb)" not in chapter] == []


@pytest.mark.parametrize("name", SEEN)
def test_a_notebook_is_kept_without_outputs(name: str) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, f"{name}.ipynb has outputs: {STRIP}"
        # Editors keep times and folds there.
        assert cell["metadata"] == {}, f"{name}.ipynb has metadata in a cell: {cell['metadata']}"


@pytest.mark.parametrize("name", SEEN)
def test_a_notebook_begins_and_ends_with_words(name: str) -> None:
    cells = [cell for cell in committed(name).cells if cell.cell_type == "markdown"]
    assert cells[0].source.startswith("# ") and cells[-1].source.startswith("## What was seen")
