"""What came of a question: small objects with attributes, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from . import _native
from ._algorithm import Election, native
from ._refused import Refused

#: Runs with more steps are not drawn in a notebook.
_DRAWN_STEPS = 400
#: No trace is longer.
_TRACED_STEPS = 1_000_000


def _made(value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(value)
    if isinstance(value, list):
        return [_made(one) for one in value]
    return value


class Fields:
    """A JSON object. Its fields are attributes, and by name in brackets where the name is no word.

    >>> fields = Fields({"total": 3, "by_kind": {"election": 2, "elected": 1}})
    >>> fields.total, fields.by_kind.election, fields["total"]
    (3, 2, 3)
    """

    __slots__ = ("_fields",)
    _fields: dict[str, Any]

    def __init__(self, fields: dict[str, Any]) -> None:
        object.__setattr__(self, "_fields", fields)

    def _all(self) -> dict[str, Any]:
        return self._fields

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return _made(self._all()[name])
        except KeyError:
            raise AttributeError(f"there is no field {name!r}, only {', '.join(self._all())}") from None

    def __getitem__(self, name: str) -> Any:
        return _made(self._all()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def __len__(self) -> int:
        return len(self._all())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._all()]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fields) and self._all() == other._all()

    __hash__ = None  # type: ignore[assignment]

    def dict(self) -> dict[str, Any]:
        """The plain JSON object, as ``--json`` prints it."""
        return self._all()

    def __repr__(self) -> str:
        return f"Fields({', '.join(f'{name}={value!r}' for name, value in self._all().items())})"


class Answer(Fields):
    """An answer, read when it is first looked at."""

    __slots__ = ("_text",)
    _text: str

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", text)

    def _all(self) -> dict[str, Any]:
        try:
            return self._fields
        except AttributeError:
            object.__setattr__(self, "_fields", json.loads(self._text))
            return self._fields

    def __getattr__(self, name: str) -> Any:
        # Of an answer whose fields are not read yet.
        if name in ("_fields", "_text"):
            raise AttributeError(name)
        return super().__getattr__(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text,)

    def _rows(self) -> list[tuple[str, str]]:
        return []

    def _title(self) -> str:
        return type(self).__name__.lower()

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(text)}</td></tr>"
            for name, text in self._rows()
        )
        return f"<p><strong>{escape(self._title())}</strong></p><table>{rows}</table>"


def _number(value: float | int | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _marks(properties: list[Any], key: str, good: object) -> str:
    return ", ".join(
        f"{'✓' if one[key] == good else '✗' if one[key] in (False, 'violated') else '?'} {one['name']}"
        for one in properties
    )


class Trace:
    """A recorded run: a picture, a page that plays it, a file for other tools."""

    def __init__(self, text: str, again: str = "") -> None:
        self.text = text
        self._again = again

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return self.text.count("\n") - 2

    def to(self, form: str, *, dark: bool = False, rightward: bool = False, critical: bool = False) -> str:
        """The text of another form: svg, html, shiviz, chrome, mermaid, itf, jsonl."""
        return _native.draw(self.text, form, again=self._again, dark=dark, rightward=rightward, critical=critical)

    def save(self, path: str) -> None:
        """Writes it: ``.rlt`` as it is, for ``ringleader replay`` and the page; other endings say the form."""
        endings = {
            "svg": "svg",
            "html": "html",
            "mmd": "mermaid",
            "jsonl": "jsonl",
            "shiviz": "shiviz",
            "itf.json": "itf",
        }
        form = next((form for ending, form in endings.items() if str(path).endswith("." + ending)), None)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to(form) if form else self.text)

    def player(self) -> Any:
        """The player, in a notebook."""
        from ._player import player

        return player(self)

    def __repr__(self) -> str:
        return f"<trace: {self.steps} steps>"

    def _repr_svg_(self) -> str:
        return self.to("svg")


class Run(Answer):
    """One run (``ringleader.run/1``).

    >>> import ringleader as rl
    >>> rl.run("peterson", n=8, seed=7)
    <run of peterson, n = 8, seed 7: elected, 42 messages, everything holds>
    """

    __slots__ = ("_asked",)
    _asked: tuple[str, list[tuple[str, str]]]

    def __init__(self, text: str, asked: tuple[str | type[Election], list[tuple[str, str]]]) -> None:
        super().__init__(text)
        object.__setattr__(self, "_asked", asked)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text, self._asked)

    @property
    def holds(self) -> bool:
        """Whether it came to an end, and everything that the contract promises was kept."""
        bound = self.bound
        kept = all(one["holds"] is not False for one in self._all()["properties"])
        return self.outcome in ("elected", "done") and kept and (bound is None or bound.holds is not False)

    def trace(self) -> Trace:
        """The same run once more, recorded."""
        name, options = self._asked
        seeded = [(long, value) for long, value in options if long != "seed"] + [("seed", str(self.seed))]
        return Trace(_native.trace(native(name), seeded, _TRACED_STEPS), self.again)

    def player(self) -> Any:
        """The player, in a notebook."""
        return self.trace().player()

    def _title(self) -> str:
        kept = "everything holds" if self.holds else "something does not hold"
        total = self.messages.total
        return f"run of {self.algorithm}, n = {self.nodes}, seed {self.seed}: {self.outcome}, {_number(total)} messages, {kept}"

    def _rows(self) -> list[tuple[str, str]]:
        fields = self._all()
        kinds = ", ".join(f"{kind} {_number(count)}" for kind, count in fields["messages"]["by_kind"].items())
        rows = [("messages", f"{_number(fields['messages']['total'])}: {kinds}")]
        if fields.get("leader"):
            rows.append(("leader", f"p{fields['leader']['index']}, identity {fields['leader']['id']}"))
        if fields["bound"]:
            rows.append(("bound", f"{fields['bound']['formula']} = {_number(fields['bound']['value'])}"))
        rows += [("properties", _marks(fields["properties"], "holds", True)), ("again", fields["again"])]
        return rows

    def _is_small(self) -> bool:
        return bool(self.steps <= _DRAWN_STEPS and self.nodes <= 32)

    def _repr_svg_(self) -> str | None:
        return self.trace()._repr_svg_() if self._is_small() else None

    def _repr_html_(self) -> str:
        return super()._repr_html_() + (self._repr_svg_() or "")


class Check(Answer):
    """Every run of a few processes (``ringleader.check/1``).

    >>> import ringleader as rl
    >>> rl.check("chang-roberts", n=3)
    <check of chang-roberts, n = 3: holds, 73 states, 7 cases>
    >>> rl.check("peterson@as-printed", n=3).holds
    False
    """

    __slots__ = ("_trace",)
    _trace: str | None

    def __init__(self, text: str, trace: str | None) -> None:
        super().__init__(text)
        object.__setattr__(self, "_trace", trace)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text, self._trace)

    @property
    def holds(self) -> bool:
        """Whether every property holds in every run that was looked at."""
        return bool(self.verdict == "holds")

    def trace(self) -> Trace | None:
        """The counterexample, if there is one: the shortest that was found."""
        text = self._trace
        return None if text is None else Trace(text, self.again)

    def player(self) -> Any:
        """The player of the counterexample, in a notebook."""
        trace = self.trace()
        if trace is None:
            raise Refused("there is no counterexample to play")
        return trace.player()

    def _title(self) -> str:
        return f"check of {self.algorithm}, n = {self.nodes}: {self.verdict}, {_number(self.states)} states, {_number(self.cases)} cases"

    def _rows(self) -> list[tuple[str, str]]:
        fields = self._all()
        rows = [("properties", _marks(fields["properties"], "verdict", "holds"))]
        rows += [(one["name"], one["detail"]) for one in fields["violations"]]
        messages = fields["messages"]
        rows.append(("messages", f"{_number(messages['min'])} to {_number(messages['max'])}"))
        return [*rows, ("again", fields["again"])]

    def _repr_svg_(self) -> str | None:
        trace = self.trace()
        return None if trace is None or trace.steps > _DRAWN_STEPS else trace._repr_svg_()

    def _repr_html_(self) -> str:
        return super()._repr_html_() + (self._repr_svg_() or "")


class Comparison(Answer):
    """Algorithms side by side (``ringleader.compare/1``)."""

    __slots__ = ("_svg",)
    _svg: str

    def __init__(self, text: str, svg: str) -> None:
        super().__init__(text)
        object.__setattr__(self, "_svg", svg)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text, self._svg)

    def _title(self) -> str:
        return f"comparison of {', '.join(self._all()['algorithms'])}"

    def _repr_svg_(self) -> str:
        """The plot: messages against the number of processes, with intervals and bounds."""
        return self._svg

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(self._title())}</strong></p>{self._repr_svg_()}"


class Worst(Answer):
    """The arrangement with which most is sent (``ringleader.worst/1``).

    >>> import ringleader as rl
    >>> rl.worst("chang-roberts", n=5)
    <worst case of chang-roberts, n = 5: 15 election messages, exact>
    """

    __slots__ = ()

    def run(self) -> Run:
        """A run with that many messages, where a schedule with a name has it."""
        from ._ask import run

        fields = self._all()
        schedule = fields.get("schedule")
        return run(
            self.algorithm, ids=fields["ids"], seed=fields["seed"], **({"schedule": schedule} if schedule else {})
        )

    def _title(self) -> str:
        how = "exact" if self.exact else "a lower bound"
        return f"worst case of {self.algorithm}, n = {self.nodes}: {_number(self.election_messages)} election messages, {how}"

    def _rows(self) -> list[tuple[str, str]]:
        fields = self._all()
        shown = ", ".join(str(one) for one in fields["ids"][:32]) + (" …" if len(fields["ids"]) > 32 else "")
        return [("identities", shown), ("again", fields["again"])]


class Algorithm(Answer):
    """All that is known of an algorithm (``ringleader.show/1``); ``source`` is its file."""

    __slots__ = ("source",)

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text)
        object.__setattr__(self, "source", source)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text, self.source)

    def _title(self) -> str:
        return f"{self.name}: {self.title}, {self.year}"

    def _rows(self) -> list[tuple[str, str]]:
        fields = self._all()
        rules = [(rule["name"], rule["text"]) for rule in fields["rules"]]
        return [("idea", fields["idea"]), ("costs", fields["costs"]), *rules, ("source", fields["source"])]
