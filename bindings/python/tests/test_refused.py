"""What is refused, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ringleader as rl
from conftest import ROOT

#: Command lines that are refused; each is asked here with the same keywords.
TABLE = """
run petersen
run peterson -n 0
run peterson -n ten
run peterson -n 2^40
run lcr --ids 3,17,4,17
run lcr -n 5 --ids 3,1,2
run ra -n 3 --entries 1,2
run lcr --ids @/nowhere/ring.ids
run lcr --ids decending
run lcr --initiators 9
run lcr --initiators 120%
run lcr --initiators 0%
run peterson --links bag --seed 5
run peterson --links half-duplex
run peterson --links bags
run peterson --topology complete
run ra --topology line
run franklin --orientation random
run bully --schedule random
run itai-rodeh-sync --schedule random
run lcr --crash 3@1
run lcr --loss 0.1
run lcr --entries 2
run lcr --tokens 3
run probabilistic-franklin --ids 1,2,3
run probabilistic-franklin --ending third
run probabilistic-franklin --range 1
run lcr --schedule starve:8
run lcr --schedule sometimes
run lcr --schedule round
run misra-bounded --lose pin@1
run bully --crash 4
run bully --crash 4@0.5
run ra --wants 1,3
run ra --load light --entries 3
run ra --total 3
run ra --load saturate --total 5
run misra-k --set tokens=3 --set tokens=4
run peterson --threads 0
run peterson --schedule replay:/nowhere/x.rlt
run peterson --clock-drift 3
run ntp --clock-drift 1000000
run dijkstra-k --from 9,9,9 -n 3
run bakery --links bag
run dijkstra-k -n 5 --k 2
run dijkstra-k --load light
run dijkstra-k-messages -n 2 --k 3 --capacity 1 --from 0+1+2,0
run dijkstra-3 --from 9,0,0 -n 3
run dekker -n 2 --registers safe
run cristian --clock-backward step
run ntp -n 4 --clock-drift 0,0,0,400 --drift-bound 50
run ntp -n 4 --clock-offset 5,5,5,0
run tree-quorum -n 8
run bully --ids worst
run ra --entries forever
run lcr --edit 3.drop.9
run lcr --edit 3.drop.9 --unsound --seed 1
run peterson --corrupt 1@3
check lcr --ids bit-reversed
check lcr --initiators all-lat
check peterson -n 2000
check peterson --property nobody
check peterson -n 12 --all-ids
check peterson --crashes 1
check peterson --topology random
check probabilistic-franklin --ids 1,2,3,4
worst peterson --exact --search
worst ra
worst peterson -n 30 --exact
compare peterson ra
compare peterson peterson
compare peterson franklin -n 8..4
compare peterson franklin --set nothing=1
"""


def _keywords(words: list[str]) -> tuple[str, list[str], dict[str, Any]]:
    """The same question in Python."""
    command, names, keywords = words[0], [], dict[str, Any]()
    rest = iter(words[1:])
    for word in rest:
        if not word.startswith("-") or word == "-":
            names.append(word)
            continue
        keyword = "n" if word == "-n" else word[2:].replace("-", "_")
        if keyword in ("exact", "search", "all_ids", "unsound"):
            keywords[keyword] = True
        elif keyword in keywords:
            keywords[keyword] = [keywords[keyword], next(rest)]
        else:
            keywords[keyword] = next(rest)
    return command, names, keywords


def _refused(line: str) -> rl.Refused:
    command, names, keywords = _keywords(line.split())
    ask: Callable[..., object] = getattr(rl, command)
    with pytest.raises(rl.Refused) as refused:
        ask(*names, **keywords)
    return refused.value


#: What a seed is that nobody gave.
SEED = re.compile(r"--seed \d+")


@pytest.mark.parametrize("line", TABLE.split("\n")[1:-1])
def test_the_words_are_those_of_the_command_line(program: Any, line: str) -> None:
    told, refused = program(*line.split()), _refused(line)
    assert told["schema"] == "ringleader.error/1"
    assert (refused.code, refused.message.split()) == (told["code"], told["message"].split())
    if refused.code != "ringleader::usage":
        assert SEED.sub("", "\n".join(refused.help)) == SEED.sub("", told["help"])
        assert (refused.file, refused.line, refused.column) == (told["file"], told["line"], told["column"])
    assert refused.message in str(refused)


#: What these commands cannot be refused with.
ELSEWHERE = {
    "shared_registers": "`up`",
    "no_single_registers": "`up`",
    "bad_ports": "a list of ports, which no option takes",
    "broken_replay": "a recording",
    "needs_links": "no algorithm needs links other than FIFO and a two-way ring at once",
    "no_worst_ids": "an algorithm whose worst case nobody knows",
    "no_initiator": "an empty list, which no option takes",
}


def test_every_code_of_the_refusal_table_is_here() -> None:
    source = (ROOT / "crates/ringleader-lab/src/plan/refusal.rs").read_text()
    body = source.split("pub fn code(", 1)[1].split("\n}\n", 1)[0]
    codes = set(re.findall(r'=> "(\w+)"', body))
    seen = {_refused(line).code.removeprefix("ringleader::") for line in TABLE.split("\n")[1:-1]}
    assert codes - seen - set(ELSEWHERE) == set()


@pytest.mark.parametrize(
    ("keyword", "meant"), [("nodse", "n="), ("sed", "seed="), ("max_step", "max_steps="), ("initiator", "initiators=")]
)
def test_a_wrong_keyword_says_which_was_meant(keyword: str, meant: str) -> None:
    with pytest.raises(rl.Refused, match=re.escape(meant)):
        wrong: dict[str, Any] = {keyword: 3}
        rl.run("peterson", **wrong)


def test_a_switch_takes_no_value_and_an_option_needs_one() -> None:
    with pytest.raises(rl.Refused, match="unexpected value '3' for '--unsound'"):
        rl.run("peterson", unsound=3)
    with pytest.raises(rl.Refused, match="a value is required for '--nodes <N>'"):
        rl.run("peterson", n=True)


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({"algorithm": "peterson", "n": [], "seed": [1]}, "`nodes` has no values|`n` has no values"),
        ({"algorithm": "peterson", "n": 8}, "a sweep needs seeds"),
        ({"n": 8, "seed": [1]}, "no algorithm is named"),
        ({"algorithm": "petersen", "seed": [1]}, "no algorithm is called `petersen`"),
        ({"algorithm": "peterson", "nods": 8, "seed": [1]}, "nods"),
        ({"algorithm": "peterson", "seed": range(5, 5)}, "`seed` has no values"),
        ({"algorithm": "peterson", "seed": {1, 2}}, "`seed` is"),
        ({"algorithm": "peterson", "links": ["fifo", "bag"], "seed": [1]}, "needs FIFO links"),
        ({"algorithm": "peterson", "seed": [2**63]}, "does not fit"),
    ],
)
def test_a_wrong_grid(grid: dict[str, Any], words: str) -> None:
    with pytest.raises(rl.Refused, match=words):
        rl.sweep(grid)


class Mine(rl.Election):
    """Mine: nothing yet."""

    messages = {"hello": ["id"]}

    def receive(self, message: Any) -> None:
        self.leader = self.id


@pytest.mark.parametrize("ask", [lambda: rl.worst(Mine), lambda: rl.compare(Mine, "peterson"), lambda: rl.show(Mine)])  # type: ignore[arg-type]
def test_a_class_where_only_names_are_taken(ask: Callable[[], object]) -> None:
    with pytest.raises(rl.Refused, match="takes the names of algorithms, not a class"):
        ask()


def test_a_wrong_column_says_which_was_meant() -> None:
    with pytest.raises(rl.Refused, match="did you mean `messages.total`"):
        rl.sweep({"algorithm": "peterson", "seed": [1]}, columns=["message.total"])


def test_a_place_that_is_none(tmp_path: Path) -> None:
    grid = {"algorithm": "peterson", "seed": [1]}
    with pytest.raises(rl.Refused, match="needs results="):
        rl.sweep(grid, on="processes")  # type: ignore[call-overload]
    with pytest.raises(rl.Refused, match="there is no such place"):
        rl.sweep(grid, on="cloud", results=tmp_path / "never")
    with pytest.raises(rl.Refused, match="cannot read"):
        rl.sweep("/nowhere/ring.toml")


def test_a_mistake_in_a_file_has_its_place(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text('[grid]\nalgorithm = ["peterson"]\nseed = { rang = [0, 3] }\n')
    with pytest.raises(rl.Refused) as refused:
        rl.sweep(file)
    assert (refused.value.file, refused.value.line) == (str(file), 3)
