"""The player in a notebook."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
import ringleader as rl
from ringleader import _player


def test_a_run_is_played_in_a_cell() -> None:
    pytest.importorskip("anywidget")
    widget = rl.run("peterson", n=6, seed=1).player()
    assert "<html" in widget.page and "peterson" in widget.page and "sandbox" in str(widget._esm)
    with pytest.raises(rl.Refused, match="no counterexample"):
        rl.check("peterson", n=2).player()


def test_the_page_with_an_engine_is_taken_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = '<script type="application/json" id="recording">null</script>'
    (tmp_path / "live.html").write_text(f"<body>{place}</body>")
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    page = _player.page(rl.run("peterson", n=4, seed=1).trace())
    assert page.startswith("<body>") and "run.rlt" in page
    # Without it the recorded player does.
    (tmp_path / "live.html").unlink()
    assert "<svg" in _player.page(rl.run("peterson", n=4, seed=1).trace())
