"""An election that is written in Python: the class that it is, and the steps that the engines ask of it."""

from __future__ import annotations

import inspect
import json
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar, NoReturn

from . import _native
from ._refused import Refused

#: Where an object keeps what belongs to the step, and not to its state.
_STEP = "_ringleader"

#: What a class says of itself; everything else that is a value is a variable of a process.
_CONTRACT = frozenset(
    {
        "messages",
        "announces",
        "network",
        "links",
        "oriented",
        "reached",
        "winner",
        "informed",
        "knows_n",
        "anonymous",
        "chooses",
        "name",
        "leader",
    }
)

#: What a process is told, or can do.
_GIVEN = frozenset({"id", "n", "ports", "send", "choose"})

_SIDES = ("right", "left")


def _refuse(message: str, *help: str) -> NoReturn:
    raise Refused(message, "bad_algorithm", [*help])


class AlgorithmError(Exception):
    """A step of an algorithm that is written in Python went wrong. ``__cause__`` is what it raised, with its traceback."""

    #: The name of the class, and of the method.
    algorithm: str
    method: str
    #: The identity of the process, as the process knows it: 1 for the smallest. None where nobody has any.
    process: int | None
    #: What arrived, in words; empty for a start.
    input: str

    def __init__(self, algorithm: str, method: str, process: int | None, input: str, why: str) -> None:
        self.algorithm, self.method, self.process, self.input = algorithm, method, process, input
        self._given = (algorithm, method, process, input, why)
        where = "" if process is None else f" at the process with identity {process}"
        super().__init__(f"{algorithm}.{method}({input}){where}: {why}")

    def __reduce__(self) -> tuple[type[AlgorithmError], tuple[object, ...]]:
        return type(self), self._given


class Id(int):
    """An identity: a number that is there to be compared. 1 is the smallest, n the largest; pictures and reports show
    the one that was given. What is reckoned with it is a plain number."""

    __slots__ = ()


class Message:
    """A message: its ``kind``, and its fields by name."""

    __slots__ = ("_fields", "kind")
    kind: str

    def __init__(self, kind: str, fields: Mapping[str, Any]) -> None:
        self.kind = kind
        self._fields = dict(fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(
                f"a message `{self.kind}` has no field `{name}`; it has {', '.join(self._fields) or 'none'}"
            ) from None

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in self._fields.items())})"


class _Asks(BaseException):
    """The step wants a random number that it has not been given yet. No error, so that nobody catches it."""


@dataclass(slots=True)
class _Step:
    """What a process is told and does in one step."""

    of: Description
    id: Id | None
    n: int
    degree: int
    is_birth: bool = False
    answers: Sequence[int] = ()
    drawn: int = 0
    below: int = 0
    sent: list[tuple[int, int, list[Any]]] = field(default_factory=list)
    refused: Refused | None = None

    def refuse(self, message: str, *help: str) -> NoReturn:
        """Also where somebody catches it: a step that went wrong is not to be kept."""
        self.refused = Refused(message, "bad_algorithm", [*help])
        raise self.refused


class Election:
    """An election that you write: what a process does when it starts, and when a message arrives. It is run, checked,
    recorded and drawn like any other; give the class to ``run`` or ``check`` in the place of a name.

    >>> import ringleader as rl
    >>> class Largest(rl.Election):
    ...     \"\"\"Largest: an identity that comes home met nobody larger.\"\"\"
    ...
    ...     messages = {"election": ["id"], "elected": ["id"]}
    ...     announces = {"elected"}
    ...     links = "fifo"
    ...
    ...     def start(self):
    ...         self.send("election", id=self.id)
    ...
    ...     def receive(self, message):
    ...         if message.kind == "elected":
    ...             self.leader = message.id
    ...             if message.id != self.id:
    ...                 self.send("elected", id=message.id)
    ...         elif message.id > self.id:
    ...             self.send("election", id=message.id)
    ...         elif message.id == self.id:
    ...             self.send("elected", id=self.id)
    >>> rl.run(Largest, ids=[3, 7, 4, 1]).leader.id
    7
    >>> rl.check(Largest, n=3).holds
    True

    **What a process has.** ``self.id`` is its identity, to be compared and nothing else: 1 is the smallest, n the
    largest, whatever identities were given. ``self.ports`` are its ways out, ``self.n`` the number of processes if the
    class says ``knows_n = True``. It leads, or knows who does, as soon as it says so: ``self.leader`` is None as long as
    it does not know, otherwise the identity of the leader, or True (it leads) or False (another one does).

    **What it remembers.** All attributes of the object: None, truth values, integers, strings, and lists, tuples, sets
    and dictionaries of these. They are kept by value. Attributes of the class are their first values; names in capitals
    are constants. There may be an ``__init__`` without arguments, which can send nothing. A step must depend on these
    attributes, its input and ``self.choose`` alone: no clock, no ``random``, nothing that is remembered elsewhere, and
    no set of strings in the order in which Python happens to have it.

    **What it does.** ``start(self)``, and ``receive(self, message)``: ``message.kind`` and its fields. On a two-way
    ring and in a complete graph ``receive(self, message, port)`` says where it came in. ``self.send(kind, field=value)``
    sends; there is ``port=`` for the way out, where there are several: ``"left"`` or ``"right"``, or a number.
    ``self.choose(k)`` draws from 0 to k - 1; a check follows every answer.

    **What a class says.**

    ==============  ====================================================================================
    ``messages``    the kinds of messages, each with its fields
    ``announces``   the kinds that only tell the result; they do not count as messages of the election
    ``network``     ``"one-way ring"`` (unless it says otherwise), ``"two-way ring"``, ``"complete"``
    ``links``       ``"bag"``: messages may overtake each other (unless it says otherwise); ``"fifo"``
    ``oriented``    whether all agree on left and right, or on the numbers of their ports
    ``reached``     what somebody does who is reached by a message before it starts: ``"wakes"`` starts
                    first (unless it says otherwise), ``"relays"`` takes part without having started
    ``winner``      who is to be elected: ``"largest"`` (unless it says otherwise),
                    ``"largest-initiator"``, ``"any-initiator"``, ``"any"``
    ``informed``    who is to know it: ``"all"`` (unless it says otherwise), ``"initiators"``
    ``knows_n``     whether ``self.n`` is told
    ``anonymous``   whether there are no identities; then ``leader`` is None, True or False
    ``chooses``     whether it draws
    ``name``        what it is called in reports: otherwise the name of the class in small letters
    ==============  ====================================================================================

    The first line of the docstring is the title, ``Title: what it is in a sentence``, the rest the idea.

    **What goes wrong.** What a step raises stops the run or the check, and comes out as ``AlgorithmError``, whose
    ``__cause__`` it is. A class that says something impossible is ``Refused`` with ``ringleader::bad_algorithm``.

    **How fast it is.** Slow: each step makes an object anew and calls Python. A run makes some ten thousand steps a
    second and a check meets some thousand states, where the algorithms of the library do millions. It is for n up to
    some thousands in a run, and for a handful in a check.

    **What there is not.** Timers, rules with names, and the other questions: ``compare``, ``worst``, ``show`` and sweeps
    take names alone. It cannot be typed on a command line: ``again`` says how to ask for it in Python.
    """

    messages: ClassVar[Mapping[str, Sequence[str]]]
    announces: ClassVar[Iterable[str]] = ()
    network: ClassVar[str] = "one-way ring"
    links: ClassVar[str] = "bag"
    oriented: ClassVar[bool] = False
    reached: ClassVar[str] = "wakes"
    winner: ClassVar[str | None] = None
    informed: ClassVar[str] = "all"
    knows_n: ClassVar[bool] = False
    anonymous: ClassVar[bool] = False
    chooses: ClassVar[bool] = False
    name: ClassVar[str | None] = None

    #: Who leads, as far as this process knows.
    leader: Id | bool | None = None

    def start(self) -> None:
        """It starts: of its own accord, or just before its first message if it wakes."""

    @property
    def id(self) -> Any:
        """Its identity: an ``Id``."""
        step = self._step()
        if step.id is None:
            step.refuse(
                f"`{step.of.called}` is anonymous, and a process asks for its identity", "leave out `anonymous = True`"
            )
        return step.id

    @property
    def n(self) -> int:
        """The number of processes, if it is told."""
        step = self._step()
        if not step.of.knows_n:
            step.refuse(f"`{step.of.called}` is not told n, and a process asks for it", "knows_n = True")
        return step.n

    @property
    def ports(self) -> Sequence[Any]:
        """Its ways out."""
        step = self._step()
        return (
            range(step.degree)
            if step.of.network == "complete"
            else _SIDES
            if step.of.network == "two-way ring"
            else range(1)
        )

    def send(self, kind: str, /, *, port: Any = None, **fields: Any) -> None:
        """Sends a message of this kind."""
        step = self._step()
        called = step.of.called
        known = [name for name, _, _ in step.of.kinds]
        if step.is_birth:
            step.refuse(f"`{called}` sends `{kind}` before it starts", "def start(self): self.send(...)")
        if kind not in known:
            step.refuse(
                f"`{called}` sends `{kind}`, which is no kind of its messages",
                f"messages = {{{kind!r}: [...]}}; there are {', '.join(known)}",
            )
        place = known.index(kind)
        wanted = step.of.kinds[place][1]
        if set(wanted) != set(fields):
            missing, more = (
                [name for name in wanted if name not in fields],
                [name for name in fields if name not in wanted],
            )
            wrong = " and ".join(
                [f"without `{name}`" for name in missing] + [f"with `{name}`, which it has not" for name in more]
            )
            step.refuse(
                f"`{called}` sends `{kind}` {wrong}",
                f"self.send({kind!r}{''.join(f', {name}=...' for name in wanted)})",
            )
        step.sent.append((_way(step, kind, port), place, [fields[name] for name in wanted]))

    def choose(self, k: int) -> int:
        """A random number from 0 to k - 1."""
        step = self._step()
        if not step.of.chooses:
            step.refuse(f"`{step.of.called}` draws, and does not say so", "chooses = True")
        if step.is_birth or type(k) is not int or not 1 <= k < 1 << 32:
            step.refuse(
                f"`{step.of.called}` draws from 0 to {k!r} - 1{' before it starts' if step.is_birth else ''}",
                "self.choose(2), in a step",
            )
        if step.drawn == len(step.answers):
            step.below = k
            raise _Asks
        step.drawn += 1
        return step.answers[step.drawn - 1]

    def _step(self) -> _Step:
        try:
            return self.__dict__[_STEP]  # type: ignore[no-any-return]
        except KeyError:
            raise RuntimeError(
                f"objects of {type(self).__name__} are made by the engines: ringleader.run({type(self).__name__}, n=4)"
            ) from None


def _way(step: _Step, kind: str, port: Any) -> int:
    """The number of the port."""
    ports: Sequence[Any] = (
        range(step.degree)
        if step.of.network == "complete"
        else _SIDES
        if step.of.network == "two-way ring"
        else range(1)
    )
    if port is None and step.of.network == "one-way ring":
        return 0
    if port is None or isinstance(port, bool) or port not in ports:
        there = (
            "right and left"
            if step.of.network == "two-way ring"
            else f"0 to {step.degree - 1}"
            if step.of.network == "complete"
            else "one, which needs no number"
        )
        what = "without a port" if port is None else f"out of port {port!r}, which is not there"
        step.refuse(
            f"`{step.of.called}` sends `{kind}` {what}",
            f"there are {there}" if step.of.network != "one-way ring" else f"there is {there}",
        )
    return ports.index(port)


@dataclass(frozen=True, slots=True)
class Description:
    """What the engines need to know of a class."""

    of: type[Election]
    name: str
    file: str
    year: int
    network: str
    links: str
    oriented: bool
    reached: str
    winner: str
    informed: str
    knows_n: bool
    anonymous: bool
    chooses: bool
    kinds: tuple[tuple[str, tuple[str, ...], bool], ...]
    firsts: tuple[str, ...]
    takes_port: bool
    identity: type[Id] = Id

    @property
    def called(self) -> str:
        return self.of.__name__

    def birth(self, told: tuple[Id | None, int, int]) -> dict[str, Any]:
        """The attributes of a new process."""
        one = self.of.__new__(self.of)
        step = _Step(self, *told, is_birth=True)
        one.__dict__.update({name: getattr(self.of, name) for name in self.firsts}, leader=None)
        one.__dict__[_STEP] = step
        self._done(step, "__init__", "", one.__init__)  # type: ignore[misc]
        return self._left(one)

    def step(
        self,
        told: tuple[Id | None, int, int],
        attributes: dict[str, Any],
        arrives: tuple[int, int, tuple[Any, ...]] | None,
        answers: Sequence[int],
    ) -> int | tuple[dict[str, Any], list[tuple[int, int, list[Any]]]]:
        """One step: the attributes after it and what is sent; or below which number it wants another answer."""
        one = self.of.__new__(self.of)
        step = _Step(self, *told, answers=answers)
        one.__dict__.update(attributes)
        one.__dict__[_STEP] = step
        try:
            if arrives is None:
                self._done(step, "start", "", one.start)
            else:
                port, kind, values = arrives
                name, fields, _ = self.kinds[kind]
                message = Message(name, dict(zip(fields, values, strict=True)))
                way = (_SIDES[port] if self.network == "two-way ring" else port,) if self.takes_port else ()
                self._done(step, "receive", ", ".join([repr(message), *map(repr, way)]), one.receive, message, *way)  # type: ignore[attr-defined]
        except _Asks:
            return step.below
        return self._left(one), step.sent

    def _done(self, step: _Step, method: str, input: str, does: Any, *given: Any) -> None:
        try:
            does(*given)
        except Refused as refused:
            raise (step.refused or refused) from refused.__cause__
        except Exception as error:
            why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise AlgorithmError(self.called, method, None if step.id is None else int(step.id), input, why) from error
        if step.refused:
            raise step.refused

    def _left(self, one: Election) -> dict[str, Any]:
        del one.__dict__[_STEP]
        return one.__dict__


def _words(name: str) -> str:
    """The name of a class in small letters: ``MyOwn`` is ``my-own``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", "-", name).lower().strip("-")


def _prose(of: type[Election], name: str) -> str:
    """The docstring as the header of a file: a title, and the idea."""
    lines = inspect.cleandoc(of.__dict__.get("__doc__") or "").split("\n")
    first, idea = lines[0].strip(), " ".join(" ".join(lines[1:]).split())
    title = first if ": " in first else f"{name}: {first}" if first else f"{name}: an election of one's own."
    return f"//! {title}\n//!\n//! **Idea.** {idea or title.split(': ', 1)[1]}\n"


def _kinds(of: type[Election]) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    called = of.__name__
    messages = getattr(of, "messages", None)
    if not isinstance(messages, Mapping) or not messages:
        _refuse(f"`{called}` does not say what messages it has", 'messages = {"election": ["id"]}')
    announces = of.announces
    announces = {announces} if isinstance(announces, str) else set(announces)
    for name in announces - set(messages):
        _refuse(
            f"`{called}` announces by `{name}`, which is no kind of its messages", f"messages = {{{name!r}: [...]}}"
        )
    for name, fields in messages.items():
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
            _refuse(f"{name!r} is no name for a kind of messages of `{called}`", "small letters, digits, - and _")
        if isinstance(fields, str) or not isinstance(fields, Iterable):
            _refuse(f"the fields of `{name}` of `{called}` are no list", f"messages = {{{name!r}: [{str(fields)!r}]}}")
        fields = list(fields)
        if len(set(map(str, fields))) != len(fields):
            _refuse(
                f"`{name}` of `{called}` has a field twice",
                f"messages = {{{name!r}: {list(dict.fromkeys(map(str, fields)))!r}}}",
            )
        for one in fields:
            if (
                not isinstance(one, str)
                or not one.isidentifier()
                or keyword.iskeyword(one)
                or one.startswith("_")
                or one in ("kind", "port")
            ):
                _refuse(
                    f"{one!r} is no name for a field of `{name}` of `{called}`",
                    "a word that can follow a dot, and not `kind` or `port`",
                )
    return tuple((name, tuple(fields), name in announces) for name, fields in messages.items())


def _is_first(name: str, value: object) -> bool:
    """Whether an attribute of a class is the first value of a variable."""
    is_value = value is None or isinstance(value, (bool, int, str, list, tuple, set, frozenset, dict, float))
    return is_value and not name.startswith("__") and name not in _CONTRACT and not name.isupper()


def _takes_port(of: type[Election]) -> bool:
    """Whether ``receive`` is told the port; says how it has to look."""
    called, receive = of.__name__, getattr(of, "receive", None)
    takes_port = of.network != "one-way ring"
    wanted = "def receive(self, message, port): ..." if takes_port else "def receive(self, message): ..."
    if not callable(receive):
        _refuse(f"`{called}` does not say what happens when a message arrives", wanted)
    try:
        inspect.signature(receive).bind(*([None] * (3 if takes_port else 2)))
    except TypeError:
        _refuse(f"`receive` of `{called}` takes other arguments, on a network that is a {of.network}", wanted)
    return takes_port


def described(of: type[Election]) -> Description:
    """What a class says of itself, if that is possible."""
    if of is Election:
        _refuse("`Election` is for classes that are made from it", "class Mine(ringleader.Election): ...")
    called = of.__name__
    own = [base for base in of.__mro__ if issubclass(base, Election) and base is not Election]
    for base in own:
        for name in _GIVEN & set(vars(base)):
            _refuse(f"`{name}` of `{called}` has a meaning already", "give it another name")
        if vars(base).get("__slots__"):
            _refuse(f"`{called}` has `__slots__`, and its attributes cannot be seen", "leave out `__slots__`")
    name = of.name if of.name is not None else _words(called)
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        _refuse(f"{name!r} is no name for an algorithm", 'name = "my-own": small letters, digits and -')
    for switch in ("oriented", "knows_n", "anonymous", "chooses"):
        if not isinstance(getattr(of, switch), bool):
            _refuse(f"`{switch}` of `{called}` is neither True nor False", f"{switch} = True")
    for word in ("network", "links", "reached", "informed"):
        if not isinstance(getattr(of, word), str):
            _refuse(f"`{word}` of `{called}` is no word", f"{word} = {getattr(Election, word)!r}")
    firsts = {name for base in own for name, value in vars(base).items() if _is_first(name, value)}
    return Description(
        of=of,
        name=name,
        file=_prose(of, name),
        year=date.today().year,
        network=of.network,
        links=of.links,
        oriented=of.oriented,
        reached=of.reached,
        winner=str(of.winner or ("any" if of.anonymous else "largest")),
        informed=of.informed,
        knows_n=of.knows_n,
        anonymous=of.anonymous,
        chooses=of.chooses,
        kinds=_kinds(of),
        firsts=tuple(sorted(firsts)),
        takes_port=_takes_port(of),
    )


def native(algorithm: str | type[Election]) -> str | _native.Algorithm:
    """An algorithm as the engines take it: a name as it is, a class with what it says of itself."""
    if isinstance(algorithm, str):
        return algorithm
    if not isinstance(algorithm, type) or not issubclass(algorithm, Election):
        _refuse(
            f"{algorithm!r} is neither the name of an algorithm nor a class of one",
            "class Mine(ringleader.Election): ...",
        )
    return _native.Algorithm(described(algorithm))


def called(algorithm: str | type[Election]) -> str:
    """What it is called while one waits for it."""
    return algorithm if isinstance(algorithm, str) else getattr(algorithm, "__name__", repr(algorithm))


def answer(algorithm: str | type[Election], text: str, command: str, asked: list[tuple[str, str]]) -> str:
    """The answer; how to ask the same again is a line of Python where the algorithm is a class."""
    if isinstance(algorithm, str):
        return text
    fields = json.loads(text)
    given = [(long, value) for long, value in asked if long != "seed"]
    if "seed" in fields:
        given.append(("seed", str(fields["seed"])))
    shown = [f"{'n' if long == 'nodes' else long.replace('-', '_')}={_python(value)}" for long, value in given]
    fields["again"] = f"ringleader.{command}({', '.join([algorithm.__name__, *shown])})"
    return json.dumps(fields, ensure_ascii=False)


def _python(value: str) -> str:
    return "True" if value == "" else value if re.fullmatch(r"0|[1-9][0-9]*", value) else repr(value)
