"""What is not done, and why."""

from __future__ import annotations


class Refused(Exception):
    """A question that the engines do not answer, in the words of the command line.

    >>> import ringleader as rl
    >>> try:
    ...     rl.run("petersen")
    ... except rl.Refused as refused:
    ...     print(refused.code, "|", refused.message)
    ringleader::unknown_algorithm | no algorithm is called `petersen`
    """

    #: What is wrong.
    message: str
    #: A name to search for, such as ``ringleader::usage``.
    code: str
    #: What is needed, and what to type; line by line.
    help: list[str]
    #: What the command line would have exited with: 2 for input, 3 for a limit, 4 for the machine.
    exit: int
    #: The file in which it is wrong, and where: line and column.
    file: str | None
    line: int | None
    column: int | None

    def __init__(
        self,
        message: str,
        code: str = "ringleader::usage",
        help: list[str] | None = None,
        exit: int = 2,
        file: str | None = None,
        place: tuple[int, int, str] | None = None,
    ) -> None:
        self.message = message
        self.code = code if code.startswith("ringleader::") else f"ringleader::{code}"
        self.help = help or []
        self.exit = exit
        self.file = file
        self.line, self.column, label = place if place else (None, None, "")
        lines = [message]
        if label and label not in message:
            lines.append(f"  {label}")
        lines += [f"  {line}" if number else f"help: {line}" for number, line in enumerate(self.help)]
        super().__init__("\n".join(lines))
        self._given = (message, code, help, exit, file, place)

    def __reduce__(self) -> tuple[type[Refused], tuple[object, ...]]:
        return type(self), self._given


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or the like, in the middle of many runs: ``partial`` has what was done."""

    def __init__(self, words: str, partial: object) -> None:
        super().__init__(words)
        self.partial = partial
