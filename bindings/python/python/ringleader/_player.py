"""The player in a notebook: the page's stage over the engine, where the package has it, and the recorded player otherwise."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from . import _native
from ._refused import Refused

if TYPE_CHECKING:
    from ._results import Trace

#: What shows a page inside a cell: a frame of its own, so that its styles and keys stay its own.
_SHOW = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.srcdoc = model.get("page");
  frame.title = model.get("title");
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8888; border-radius: 4px`;
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  el.append(frame);
}
export default { render };
"""


def page(trace: Trace) -> str:
    """One HTML page that plays the run and needs nothing else."""
    file = resources.files(__package__) / "live.html"
    if file.is_file():
        made = _native.live(file.read_text(encoding="utf-8"), "run.rlt", trace.text)
        if made is not None:
            return made
    return trace.to("html")


def player(trace: Trace, height: int = 640) -> Any:
    """A widget that shows it."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise Refused(
            "the player needs anywidget", "no_anywidget", ["pip install anywidget", 'or trace().save("run.html")'], 4
        ) from error

    class Player(anywidget.AnyWidget):  # type: ignore[misc, no-any-unimported, unused-ignore]
        _esm = _SHOW
        page = traitlets.Unicode("").tag(sync=True)
        title = traitlets.Unicode("").tag(sync=True)
        height = traitlets.Int(640).tag(sync=True)

    return Player(page=page(trace), title=repr(trace), height=height)
