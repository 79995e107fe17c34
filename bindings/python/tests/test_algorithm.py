"""An election that is written in Python: run and checked like any other."""

from __future__ import annotations

import pickle
import signal
import traceback

import pytest
import ringleader as rl


class Mine(rl.Election):
    """Chang-Roberts once more: only the largest identity survives the trip home.

    Each initiator sends its identity round the ring.
    """

    messages = {"election": ["id"], "elected": ["id"]}
    announces = {"elected"}
    links = "fifo"
    reached = "relays"
    participant = False
    leads = False

    def start(self):
        if not self.participant:
            self.participant = True
            self.send("election", id=self.id)

    def receive(self, message):
        if message.kind == "elected":
            self.leader = message.id
            self.participant = False
            if message.id != self.id:
                self.send("elected", id=message.id)
        elif message.id > self.id:
            self.participant = True
            self.send("election", id=message.id)
        elif message.id == self.id:
            # Chang and Roberts: it leads from here on, and knows who leads when the announcement comes home.
            self.leads = True
            self.leader = True
            self.send("elected", id=self.id)
        elif not self.participant:
            self.participant = True
            self.send("election", id=self.id)


class Greedy(Mine):
    """Whoever hears a smaller identity takes itself for the leader."""

    def receive(self, message):
        if message.kind == "election" and message.id < self.id:
            self.leader = self.id
        else:
            super().receive(message)


class Sides(rl.Election):
    messages = {"probe": ["id"], "won": ["id"]}
    announces = ["won"]
    network = "two-way ring"

    def start(self):
        self.send("probe", port="right", id=self.id)

    def receive(self, message, port):
        onward = "left" if port == "right" else "right"
        if message.kind == "won":
            if self.leader is None:
                self.leader = message.id
                self.send("won", port=onward, id=message.id)
        elif message.id > self.id:
            self.send("probe", port=onward, id=message.id)
        elif message.id == self.id:
            self.leader = self.id
            self.send("won", port=onward, id=self.id)


class Everybody(rl.Election):
    """Everybody tells everybody."""

    messages = {"hello": ["id"]}
    network = "complete"
    heard = frozenset()

    def start(self):
        for port in self.ports:
            self.send("hello", port=port, id=self.id)
        self.look()

    def receive(self, message, port):
        self.heard = self.heard | {message.id}
        self.look()

    def look(self):
        if len(self.heard) == len(self.ports):
            self.leader = max([self.id, *self.heard])


class Coins(rl.Election):
    """Itai and Rodeh for two: whoever has the larger number leads."""

    messages = {"drew": ["number"]}
    links = "fifo"
    anonymous = True
    chooses = True
    mine = None

    def start(self):
        self.mine = self.choose(2)
        self.send("drew", number=self.mine)

    def receive(self, message):
        if message.number == self.mine:
            self.start()
        else:
            self.leader = self.mine > message.number


def test_a_run_is_that_of_the_same_algorithm_in_rust():
    for seed in range(20):
        mine, other = rl.run(Mine, n=3 + seed % 9, seed=seed), rl.run("chang-roberts", n=3 + seed % 9, seed=seed)
        assert mine.ids == other.ids
        assert (mine.leader, mine.steps, mine.holds) == (other.leader, other.steps, True)
        assert mine.messages == other.messages
    assert rl.run(Mine, ids=[3, 7, 4, 1]).leader.id == 7


def test_a_check_finds_the_states_of_the_same_algorithm_in_rust():
    mine, other = rl.check(Mine, n=3), rl.check("chang-roberts", n=3)
    assert mine.holds and other.holds
    assert (mine.cases, mine.messages) == (other.cases, other.messages)
    # The variables are the same, but that it says at once who leads.
    assert (mine.states, mine.transitions) == (other.states, other.transitions)


def test_answers_say_how_to_ask_again():
    run = rl.run(Mine, n=8, seed=7)
    assert run.algorithm == "mine"
    assert run.again == "ringleader.run(Mine, n=8, seed=7)"
    assert repr(run) == "<run of mine, n = 8, seed 7: elected, 30 messages, everything holds>"
    assert eval(run.again, {"ringleader": rl, "Mine": Mine}).dict()["messages"] == run.dict()["messages"]
    assert rl.check(Mine, n=2).again == "ringleader.check(Mine, n=2)"
    again = rl.run(Mine, ids=[3, 7, 4, 1], schedule="rounds", seed=1).again
    assert again == "ringleader.run(Mine, ids='3,7,4,1', schedule='rounds', seed=1)"


def test_a_run_is_recorded_and_drawn():
    run = rl.run(Mine, n=4, seed=1)
    trace = run.trace()
    assert '"algorithm":"mine"' in trace.text and trace.steps == run.trace().steps
    assert run._repr_svg_().startswith("<svg")
    assert "election" in trace.to("html") and trace.to("jsonl")
    again = pickle.loads(pickle.dumps(run))
    assert again.trace().text == trace.text


def test_a_broken_one_is_found_and_drawn():
    found = rl.check(Greedy, n=3)
    assert found.verdict == "violated" and not found.holds
    assert found.trace().steps < 20
    assert found._repr_svg_().startswith("<svg")


def test_other_networks_and_draws():
    assert rl.check(Sides, n=3, unsound=True).states > 0
    assert rl.run(Everybody, n=5, seed=2).leader.id == 5
    assert rl.check(Everybody, n=3).holds
    assert rl.run(Coins, n=2, seed=3).holds
    assert rl.check(Coins, n=2).states > 10


def test_the_same_question_has_the_same_answer():
    first = rl.run(Everybody, n=7, seed=5)
    assert rl.run(Everybody, n=7, seed=5).trace().text == first.trace().text


def test_states_hold_what_can_be_compared():
    class Keeps(rl.Election):
        messages = {"bag": ["things", "of"]}
        things = {"b": [1, (2, None)], "a": {3, -4}}

        def start(self):
            self.send("bag", things=self.things, of={"me": self.id})
            self.word = "<&\"'] é"

        def receive(self, message):
            assert message.things == {"b": [1, (2, None)], "a": {3, -4}}
            assert list(message.things) == ["a", "b"]
            assert self.things == message.things and self.things is not message.things
            self.things["b"].append(message.of["me"])
            self.leader = True

    run = rl.run(Keeps, n=1, seed=1)
    assert run.holds and run.leader.id == 1
    assert run._repr_svg_().startswith("<svg") and run.trace().to("html")
    assert Keeps.things == {"b": [1, (2, None)], "a": {3, -4}}


def test_what_a_step_raises_comes_out():
    class Fails(Mine):
        def receive(self, message):
            if message.kind == "elected":
                raise ZeroDivisionError("seven")
            super().receive(message)

    for ask in (lambda: rl.run(Fails, n=4, seed=1), lambda: rl.check(Fails, n=3), lambda: rl.run(Fails, n=4, seed=1)):
        with pytest.raises(rl.AlgorithmError) as raised:
            ask()
        error = raised.value
        assert (error.algorithm, error.method) == ("Fails", "receive")
        assert error.input.startswith("elected(id=") and error.process in (1, 2, 3, 4)
        assert isinstance(error.__cause__, ZeroDivisionError)
        assert "raise ZeroDivisionError" in "".join(traceback.format_exception(error))
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert rl.run(Mine, n=4, seed=1).holds


def test_what_is_no_error_is_not_wrapped():
    class Stops(Mine):
        def start(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rl.run(Stops, n=3)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that sends signals")
def test_a_step_without_an_end_is_stopped():
    class Endless(Mine):
        def receive(self, message):
            while True:
                pass

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        for ask in (lambda: rl.run(Endless, n=3), lambda: rl.check(Endless, n=3)):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(KeyboardInterrupt):
                ask()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_check_says_how_far_it_is():
    said = []
    rl.check(Mine, n=5, progress=lambda share, words: said.append((share, words)))
    assert said and all("states" in words for _, words in said)

    def stop(share, words):
        raise LookupError

    with pytest.raises(LookupError):
        rl.check(Mine, n=5, progress=stop)


def test_several_threads_find_the_same():
    one, four = rl.check(Mine, n=4), rl.check(Mine, n=4, threads=4)
    assert (one.states, one.transitions, one.verdict) == (four.states, four.transitions, four.verdict)


def test_a_step_may_ask_about_its_own_class():
    class Nested(Mine):
        def start(self):
            if self.id == 1:
                assert rl.run(Mine, n=3, seed=1).holds
            super().start()

    assert rl.run(Nested, n=3, seed=1).holds


def test_objects_are_made_by_the_engines():
    with pytest.raises(RuntimeError, match="made by the engines"):
        Mine().start()


def made(name="Bad", of=Mine, **body):
    return type(name, (of,), body)


def sends(*given, of=Mine, **fields):
    return made(of=of, start=lambda self: self.send(*given, **fields))


def test_what_a_class_may_not_say():
    def receive(self, message):
        pass

    def keeps(value: object) -> type[rl.Election]:
        def start(self):
            self.thing = value

        return made(start=start)

    plain = {"receive": receive, "start": lambda self: None}
    wrong = {
        "does not say what messages it has": type("Bad", (rl.Election,), plain),
        "no name for a kind": made(messages={"Not Good": []}, announces=()),
        "no name for a field": made(messages={"a": ["kind"]}, announces=()),
        "has a field twice": made(messages={"a": ["x", "x"]}, announces=()),
        "are no list": made(messages={"a": "id"}, announces=()),
        "announces by `other`": made(announces={"other"}),
        "no kind of its messages": sends("bid", id=1),
        "without `id`": sends("election"),
        "with `hops`, which it has not": sends("election", id=1, hops=2),
        "out of port 1": sends("election", port=1, id=1),
        "without a port": sends("probe", of=Sides, id=1),
        "out of port 'up'": sends("probe", of=Sides, port="up", id=1),
        "out of port 9": sends("hello", of=Everybody, port=9, id=1),
        "`self.thing` cannot be kept: it is of type `function`": keeps(lambda: None),
        "cannot be kept: it is of type `float`": keeps(0.5),
        "more than 64 bits": keeps(1 << 70),
        "deeper than": keeps([[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]),
        "the field `id` of `election` cannot be kept": sends("election", id=object()),
        "does not say what happens when": type("Bad", (rl.Election,), {"messages": {"a": []}}),
        "takes other arguments": made(receive=lambda self: None),
        "is called `peterson` already": made(name="Peterson"),
        "is no name for an algorithm": type("Bad", (Mine,), {"name": "not good"}),
        "has a meaning already": made(send=None),
        "has `__slots__`": made(__slots__=("x",)),
        'network = "star"': made(network="star", receive=lambda self, message, port: None),
        'links = "slow"': made(links="slow"),
        'winner = "me"': made(winner="me"),
        "neither True nor False": made(oriented="yes"),
        "draws, and does not say so": made(start=lambda self: self.choose(2)),
        "is not told n": made(start=lambda self: self.n),
        "is anonymous": type("Bad", (Coins,), {"start": lambda self: self.id}),
        "neither an identity nor": made(start=lambda self: setattr(self, "leader", "me")),
        "before it starts": made(__init__=lambda self: self.send("election", id=1)),
        "for classes that are made from it": rl.Election,
        "neither the name of an algorithm nor a class": 7,
    }
    for words, bad in wrong.items():
        for ask in (lambda: rl.run(bad, n=3), lambda: rl.check(bad, n=2)):
            with pytest.raises(rl.Refused) as refused:
                ask()
            assert refused.value.code == "ringleader::bad_algorithm", (words, refused.value)
            assert words in refused.value.message, (words, refused.value.message)
            assert refused.value.help, words


def test_nobody_hides_what_is_wrong():
    def start(self):
        try:
            self.send("bid")
        except Exception:
            pass

    with pytest.raises(rl.Refused, match="no kind of its messages"):
        rl.run(made(start=start), n=3)


def test_a_check_is_not_shared_out():
    with pytest.raises(rl.Refused, match="in this Python"):
        rl.check(Mine, n=3, on="processes")
