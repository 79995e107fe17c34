"""The cases: each plays one exchange, and looks at what the client believes, says and asks."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from driver import Driver
from scripted import Exchange, Failed, Server, World, now

Case = Callable[[World, Driver], None]
CASES: dict[str, Case] = {}
NEEDS: dict[str, str] = {}


def case(needs: str = "") -> Callable[[Case], Case]:
    def add(function: Case) -> Case:
        CASES[function.__name__] = function
        NEEDS[function.__name__] = needs
        return function

    return add


def same(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise Failed(f"{what}: {found!r} instead of {expected!r}")


def held(world: World, client: Driver, fence: int = 7, key: str = "k", **more: Any) -> Exchange:
    """The client holds a lock."""
    world.by_hand("acquire")
    number = client.acquire(key, **more)
    while True:
        asked = world.take("acquire")
        asked.grant(fence)
        # Where everything is slow, its session may have ended before: then it asks again, in a new one.
        while not client.has_replied(number) and world.queues["acquire"].empty():
            time.sleep(0.002)
        if client.has_replied(number):
            client.granted(number, fence)
            return asked


def past(world: World, session: str) -> None:
    """Waits until a session is over for every client."""
    while now() <= world.bounds[session] + 5:
        time.sleep(0.01)


def sessions(world: World, *valid: int, drift: int = 5000) -> None:
    """Sessions are valid for so long, the last number for all that follow."""
    left = list(valid)

    def opens(it: Exchange) -> None:
        it.opens(left.pop(0) if len(left) > 1 else left[0], drift)

    world.by_itself["open"] = opens


@case()
def lock_is_granted_and_released(world: World, client: Driver) -> None:
    client.open()
    asked = held(world, client, 7)
    same("held", client.holds("k"), True)
    same("fields", sorted(asked.body), ["rid", "session"])
    same("released", "error" in client.ask(op="release", key="k"), False)
    gone = world.wait("release", lambda it: it.kind == "release")
    same("release", gone.body, {"session": asked.session, "fence": "7"})
    same("held", client.holds("k"), False)


@case()
def fences_keep_every_digit(world: World, client: Driver) -> None:
    client.open()
    for number, fence in enumerate([9007199254740993, 2**63 - 1]):
        held(world, client, fence, f"k{number}")
        client.ask(op="release", key=f"k{number}")
        world.wait("release", lambda it, fence=fence: it.kind == "release" and it.body["fence"] == str(fence))


@case()
def deadline_counts_from_sending(world: World, client: Driver) -> None:
    def opens_late(it: Exchange) -> None:
        time.sleep(1)
        it.opens(60_000)

    world.by_itself["open"] = opens_late
    client.open()
    held(world, client)
    for _ in range(20):
        client.check()


@case()
def late_keepalive_answer_counts_from_sending(world: World, client: Driver) -> None:
    def answers_late(it: Exchange) -> None:
        time.sleep(1)
        it.lives()

    sessions(world, 9000)
    world.by_itself["keepalive"] = answers_late
    client.open()
    held(world, client)
    for count in (1, 2):
        kept = [0.0]
        while len(kept) <= count:
            client.check()
            kept = [it.received for it in world.log if it.kind == "keepalive" and it.done.is_set()] + [0.0]
            time.sleep(0.05)
    for _ in range(20):
        client.check()


@case()
def drift_is_counted(world: World, client: Driver) -> None:
    sessions(world, 60_000, drift=300_000)
    client.open()
    held(world, client)
    for _ in range(5):
        client.check()


@case()
def grant_extends_nothing(world: World, client: Driver) -> None:
    sessions(world, 30_000)
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k")
    world.take("acquire").grant(7, valid_ms=600_000)
    client.granted(number, 7)
    for _ in range(5):
        client.check()


@case()
def silence_ends_what_is_held(world: World, client: Driver) -> None:
    sessions(world, 2000)
    world.by_itself["keepalive"] = lambda it: it.drop()
    client.open()
    held(world, client)
    client.until_lost("k")
    client.refused(client.send(op="release", key="k"), "session_expired")


@case()
def keepalives_that_hang_end_what_is_held(world: World, client: Driver) -> None:
    sessions(world, 2000)
    world.by_hand("keepalive")
    client.open()
    held(world, client)
    client.until_lost("k")


@case()
def wrong_answers_extend_nothing(world: World, client: Driver) -> None:
    more = {"requests": [], "draining": False}
    wrong: list[Callable[[Exchange], None]] = [
        lambda it: it.answer(200, raw=b"<html>well</html>"),
        lambda it: it.answer(200, raw=b""),
        lambda it: it.answer(200, {"valid_ms": "60000", **more}),
        lambda it: it.answer(200, {"valid_ms": -60000, **more}),
        lambda it: it.answer(200, {"valid_ms": None, **more}),
        lambda it: it.answer(200, more),
        lambda it: it.answer(200, raw=b"[60000]"),
        lambda it: it.answer(200, raw=b"60000"),
        lambda it: it.answer(204),
        lambda it: it.answer(500, raw=b'{"valid_ms":60000}'),
        lambda it: it.answer(302, raw=b'{"valid_ms":60000}'),
        lambda it: it.answer(201, raw=b'{"valid_ms":60000}'),
        lambda it: it.refuse(503, "no_lease", retry_after_ms=10, valid_ms=60_000),
        lambda it: it.refuse(429, "limit", retry_after_ms=10, valid_ms=60_000),
        lambda it: it.refuse(503, "brand_new", valid_ms=60_000),
    ]
    count = [0]

    def answers(it: Exchange) -> None:
        # What is wrong tells nothing: the suite does not note it, and the client must not either.
        notes, world.notes = world.notes, lambda *_: None  # type: ignore[method-assign]
        wrong[count[0] % len(wrong)](it)
        world.notes = notes  # type: ignore[method-assign]
        count[0] += 1

    sessions(world, 6000)
    world.by_itself["keepalive"] = answers
    client.open()
    held(world, client)
    client.until_lost("k")


@case()
def session_that_has_ended_is_lost_at_once(world: World, client: Driver) -> None:
    sessions(world, 6000)
    world.by_itself["keepalive"] = lambda it: it.refuse(410, "session_expired")
    client.open()
    first = held(world, client, 7)
    client.until_lost("k")
    second = held(world, client, 8, "l")
    same("a new session", second.session != first.session, True)


@case()
def unlisted_hold_is_lost(world: World, client: Driver) -> None:
    sessions(world, 6000)
    world.by_itself["keepalive"] = lambda it: it.lives(requests=[])
    client.open()
    held(world, client)
    client.until_lost("k")


@case()
def one_lost_lock_leaves_the_other(world: World, client: Driver) -> None:
    sessions(world, 18_000)
    client.open()
    held(world, client, 7, "k", name="x")
    kept = held(world, client, 7, "l", name="y")
    world.by_itself["keepalive"] = lambda it: it.lives(
        requests=[{"rid": kept.body["rid"], "state": "holds", "fence": "7"}]
    )
    client.until_lost("k")
    same("the other", client.holds("l"), True)


@case()
def paused_holder_has_lost_it(world: World, client: Driver) -> None:
    sessions(world, 3000)
    client.open()
    asked = held(world, client)
    client.stop()
    past(world, asked.session)
    client.go()
    same("held", client.holds("k"), False)
    client.until_lost("k")


@case()
def keepalive_answer_after_the_deadline_revives_nothing(world: World, client: Driver) -> None:
    sessions(world, 3000)
    world.by_hand("keepalive")
    client.open()
    asked = held(world, client)
    beat = world.take("keepalive")
    client.stop()
    past(world, asked.session)
    # It reads this after its deadline.
    notes, world.notes = world.notes, lambda *_: None  # type: ignore[method-assign]
    beat.answer(200, {"valid_ms": 60_000, "requests": beat.body["requests"], "draining": False})
    world.notes = notes  # type: ignore[method-assign]
    client.go()
    same("held", client.holds("k"), False)
    client.until_lost("k")


@case()
def late_grant_is_given_back(world: World, client: Driver) -> None:
    sessions(world, 1500, 60_000)
    world.by_itself["keepalive"] = lambda it: it.drop()
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k")
    first = world.take("acquire")
    past(world, first.session)
    world.by_itself["keepalive"] = lambda it: it.lives()
    first.grant(7)
    # It asks again in a new session.
    second = world.take("acquire")
    while second.session == first.session:
        second.drop()
        second = world.take("acquire")
    world.gave_back(first.session, first.body["rid"], "7")
    second.grant(8)
    client.granted(number, 8)
    client.check()


@case()
def grant_that_a_paused_client_reads_late_is_given_back(world: World, client: Driver) -> None:
    sessions(world, 3000)
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k", wait_ms=3_600_000)
    first = world.take("acquire")
    client.stop()
    first.grant(7)
    past(world, first.session)
    sessions(world, 60_000)
    client.go()
    client.check()
    while (second := world.take("acquire")).session == first.session:
        client.check()
    world.gave_back(first.session, first.body["rid"], "7")
    second.grant(8)
    client.granted(number, 8)
    client.check()


@case()
def lost_answer_is_asked_for_with_the_same_rid(world: World, client: Driver) -> None:
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k")
    first = world.take("acquire")
    for _ in range(3):
        first.drop()
        again = world.take("acquire")
        same("rid and session", (again.body["rid"], again.session), (first.body["rid"], first.session))
        first = again
    first.grant(7)
    client.granted(number, 7)


@case()
def lost_question_is_asked_again(world: World, client: Driver) -> None:
    client.open()
    held(world, client, 7, "l", name="y")
    world.deaf = 1
    number = client.acquire("k")
    world.take("acquire").grant(8)
    client.granted(number, 8)
    client.check()


@case()
def lost_grant_is_healed_by_a_keepalive(world: World, client: Driver) -> None:
    sessions(world, 18_000)
    client.open()
    world.by_hand("acquire", "keepalive")
    number = client.acquire("k")
    asked = world.take("acquire")
    rid = asked.body["rid"]
    while True:
        beat = world.take("keepalive")
        said = [each for each in beat.body.get("requests", []) if each["rid"] == rid]
        if said:
            same("belief", said, [{"rid": rid, "state": "waits"}])
            break
        beat.lives()
    world.by_itself["keepalive"] = lambda it: it.lives()
    world.grants[(asked.session, "7")] = rid
    beat.lives()
    client.granted(number, 7)
    client.check()


@case()
def lost_release_is_repeated(world: World, client: Driver) -> None:
    client.open()
    held(world, client)
    world.by_hand("release")
    number = client.send(op="release", key="k")
    first = world.take("release")
    same("held while it is released", client.holds("k"), False)
    first.drop()
    second = world.take("release")
    same("fence", second.body, first.body)
    # The first was heard: to the second it is not held any more.
    second.refuse(409, "not_holder")
    same("released", "error" in client.reply(number), False)


@case()
def release_of_what_is_not_held_is_refused(world: World, client: Driver) -> None:
    client.open()
    held(world, client)
    world.by_hand("release")
    number = client.send(op="release", key="k")
    world.take("release").refuse(409, "not_holder")
    client.refused(number, "not_holder")


@case()
def moved_session_is_followed(world: World, client: Driver) -> None:
    sessions(world, 18_000)
    there = Server(world)
    client.open()
    opened = held(world, client)
    key = world.wait("open", lambda it: it.kind == "open").body.get("follow_key", "")
    same("a follow_key of 16 to 128 characters", 16 <= len(key) <= 128, True)

    def elsewhere(it: Exchange) -> None:
        if it.server is there:
            it.answer(204) if it.kind == "release" else it.lives()
        else:
            it.refuse(307, "moved", move_to=there.address)

    world.by_itself["keepalive"] = world.by_itself["release"] = elsewhere
    number = client.acquire("l", name="y")
    asked = world.take("acquire")
    asked.refuse(307, "moved", move_to=there.address)
    again = world.take("acquire")
    same("where, rid and session", (again.server, again.body), (there, asked.body))
    beat = world.wait("keep-alive there", lambda it: it.kind == "keepalive" and it.server is there)
    same("the first keep-alive there shows the key", beat.body.get("follow_key"), key)
    same("session", beat.session, opened.session)
    again.grant(8)
    client.granted(number, 8)
    same("the first", client.holds("k"), True)
    same("released", "error" in client.ask(op="release", key="k"), False)
    gone = world.wait("release there", lambda it: it.kind == "release" and it.server is there)
    same("release", gone.body, {"session": opened.session, "fence": "7"})


@case()
def move_extends_nothing(world: World, client: Driver) -> None:
    sessions(world, 3000)
    there = Server(world)
    client.open()
    held(world, client)

    def elsewhere(it: Exchange) -> None:
        if it.server is there:
            it.drop()
        else:
            it.refuse(307, "moved", move_to=there.address, valid_ms=60_000)

    world.by_itself["keepalive"] = elsewhere
    client.until_lost("k")


@case()
def session_on_its_way_is_not_lost(world: World, client: Driver) -> None:
    sessions(world, 30_000)
    there = Server(world)
    client.open()
    held(world, client)
    refused = [0]

    def elsewhere(it: Exchange) -> None:
        if it.server is not there:
            it.refuse(307, "moved", move_to=there.address)
        elif refused[0] < 2:
            # It has not arrived yet.
            refused[0] += 1
            it.refuse(410, "session_unknown")
        else:
            it.lives()

    world.by_itself["keepalive"] = elsewhere
    arrived = "a keep-alive that is answered there"
    world.wait(
        arrived, lambda it: it.kind == "keepalive" and it.server is there and refused[0] == 2 and it.done.is_set()
    )
    same("held", client.holds("k"), True)


@case()
def refusals_keep_what_they_say(world: World, client: Driver) -> None:
    client.open()
    world.by_hand("acquire")
    for status, code in [
        (409, "locked"),
        (409, "mode_mixed"),
        (409, "not_holder"),
        (408, "timeout"),
        (503, "no_lease"),
        (503, "recovering"),
        (503, "draining"),
        (429, "limit"),
        (400, "bad_name"),
        (400, "bad_request"),
        (401, "unauthenticated"),
        (403, "forbidden"),
        (404, "not_found"),
        (413, "too_large"),
        (418, "brand_new"),
        (410, "session_expired"),
        (410, "session_unknown"),
    ]:
        number = client.acquire("k", **{"try": True})
        asked = world.take("acquire")
        same("wait_ms of a try", asked.body.get("wait_ms"), 0)
        asked.refuse(status, code, help=f"help for {code}", retry_after_ms=1234)
        reply = client.reply(number)
        error = reply.get("error", {})
        if code in ("session_expired", "session_unknown"):
            same("code", error.get("code"), "session_expired")
            continue
        expected = {
            "code": code,
            "message": f"it is {code}",
            "certain": f"certain of {code}",
            "help": f"help for {code}",
            "retry_after_ms": 1234,
        }
        same(f"the error of {code}", error, expected)


@case()
def refused_for_the_time_being_is_asked_again(world: World, client: Driver) -> None:
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k", wait_ms=3_600_000)
    first = world.take("acquire")
    same("wait_ms", 0 < first.body["wait_ms"] <= 3_600_000, True)
    asked = first
    for status, code in [(503, "recovering"), (503, "no_lease"), (429, "limit"), (503, "recovering")]:
        asked.refuse(status, code, retry_after_ms=5)
        asked = world.take("acquire")
        same("rid", (asked.body["rid"], asked.session), (first.body["rid"], first.session))
    asked.grant(7)
    client.granted(number, 7)


@case()
def unknown_fields_are_ignored(world: World, client: Driver) -> None:
    more: dict[str, Any] = {"new": {"a": [1, 2]}, "code": "odd", "fence2": 9}
    world.by_itself["open"] = lambda it: it.opens(18_000, **more) and None
    world.by_itself["keepalive"] = lambda it: it.lives(**more)
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k")
    world.take("acquire").grant(7, **more)
    client.granted(number, 7)
    world.wait("two keep-alives", lambda it: sum(each.kind == "keepalive" for each in world.log) > 1)
    same("held", client.holds("k"), True)


@case()
def wrong_grants_grant_nothing(world: World, client: Driver) -> None:
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k")
    first = asked = world.take("acquire")
    for fence in [12, 12.0, "12.5", "-1", "", " 12", "0x12", "９", "9223372036854775808", None, True, ["12"]]:
        asked.answer(200, {"name": "x", "fence": fence, "held_at": 1, "valid_ms": 1000})
        asked = world.take("acquire")
        same("rid", asked.body["rid"], first.body["rid"])
        same("granted", client.has_replied(number), False)
    for status, text in [(200, b"granted"), (200, b""), (204, b""), (201, b'{"fence":"12"}'), (302, b'{"fence":"12"}'),
                         (500, b'{"fence":"12"}'), (200, b'"12"'), (200, b'{"valid_ms":1000}')]:  # fmt: skip
        asked.answer(status, raw=text)
        asked = world.take("acquire")
        same("rid", asked.body["rid"], first.body["rid"])
        same("granted", client.has_replied(number), False)
    client.check()
    asked.grant(13)
    client.granted(number, 13)
    client.check()


@case()
def wrong_sessions_are_none(world: World, client: Driver) -> None:
    right = {"session": "0" * 32, "valid_ms": 60_000, "drift_ppm": 5000, "server": "s"}
    wrong: list[Any] = [
        {**right, "valid_ms": "60000"},
        {**right, "valid_ms": -1},
        {**right, "valid_ms": 10**30},
        {**right, "drift_ppm": 1_000_000},
        {**right, "drift_ppm": -1},
        {**right, "drift_ppm": None},
        {**right, "session": 5},
        {key: value for key, value in right.items() if key != "drift_ppm"},
        [],
        "session",
        None,
    ]

    def answers(it: Exchange) -> None:
        it.answer(201, wrong.pop(0)) if wrong else it.opens()

    world.by_itself["open"] = answers
    client.open()
    same("fence", held(world, client, 7, wait_ms=3_600_000).session in world.sessions, True)
    client.check()


@case("cancel")
def cancelled_wait_is_withdrawn(world: World, client: Driver) -> None:
    client.open()
    world.by_hand("acquire", "cancel")
    number = client.acquire("k")
    asked = world.take("acquire")
    client.send(op="cancel", key="k")
    client.refused(number, "cancelled")
    first = world.take("cancel")
    same("rid", (first.body, first.session), ({"rid": asked.body["rid"]}, asked.session))
    first.drop()
    again = world.take("cancel")
    same("repeated", again.body, first.body)
    again.answer(204)


@case()
def wait_that_is_over_is_withdrawn(world: World, client: Driver) -> None:
    client.open()
    held(world, client, 7, "l", name="y")
    # It may be over before it could be asked, where everything is slow.
    for wait in (300, 3000, 30_000):
        client.refused(client.acquire("k", wait_ms=wait), "timeout")
        asked = [it for it in world.log if it.kind == "acquire" and "/x/" in it.path]
        if asked:
            world.gave_back(asked[-1].session, asked[-1].body["rid"], "7")
            return
    raise Failed("never asked: acquire")


@case()
def options_are_sent_if_they_are_used(world: World, client: Driver) -> None:
    client.open()
    for key, more in [
        ("a", {"mode": "shared"}),
        ("b", {"permits": 3}),
        ("c", {"value": "10.0.0.1 – é"}),
        ("d", {}),
    ]:
        asked = held(world, client, 7, key, name=f"x{key}", **more)
        body = {each: asked.body[each] for each in asked.body if each not in ("session", "rid")}
        same("the body", body, more)


@case()
def names_are_one_part_of_a_path(world: World, client: Driver) -> None:
    client.open()
    asked = held(world, client, 7, name="a/b c?d=é%")
    same("path", [unquote(part) for part in asked.path.split("/")[2:]], ["locks", "a/b c?d=é%", "acquire"])
    client.ask(op="release", key="k")
    gone = world.wait("release", lambda it: it.kind == "release")
    same("path", [unquote(part) for part in gone.path.split("/")[2:]], ["locks", "a/b c?d=é%", "release"])


@case()
def leader_campaigns_and_resigns(world: World, client: Driver) -> None:
    client.open()
    world.by_hand("campaign")
    number = client.acquire("k", name="main", kind="election", value="here", priority=5)
    asked = world.take("campaign")
    same("path", asked.path, "/v1/elections/main/campaign")
    same("what is shown", (asked.body["value"], asked.body["priority"]), ("here", 5))
    asked.grant(7)
    client.granted(number, 7)
    same("held", client.holds("k"), True)
    client.ask(op="release", key="k")
    gone = world.wait("resign", lambda it: it.kind == "resign")
    same("resign", (gone.path, gone.body["fence"]), ("/v1/elections/main/resign", "7"))


@case()
def events_are_observed_and_followed(world: World, client: Driver) -> None:
    def event(fence: int, word: str = "granted") -> bytes:
        return b"data: " + json.dumps({"event": word, "name": "main", "fence": str(fence), "new": 1}).encode() + b"\n\n"

    def chunked(it: Exchange, *parts: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        text = head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
        it.connection.sendall(text)

    world.by_hand("observe")
    client.open()
    number = client.send(op="observe", name="main")
    first = world.take("observe")
    middle = event(8)
    chunked(first, b": comment\n\n", event(7), middle[:9], middle[9:])
    same("events", [client.reply(number)["event"]["fence"] for _ in range(2)], ["7", "8"])
    first.drop()
    again = world.take("observe")
    same("from", again.path, "/v1/elections/main/observe?from_fence=8")
    chunked(again, event(9, "released"))
    last = client.reply(number)["event"]
    same("the last", (last["event"], last["fence"]), ("released", "9"))


@case()
def next_server_is_asked(world: World, client: Driver) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        client.open(servers=[f"http://127.0.0.1:{nobody.getsockname()[1]}", world.servers[0].address])
        held(world, client)
        client.check()


@case()
def answers_come_in_pieces(world: World, client: Driver) -> None:
    client.open()
    world.by_hand("acquire")
    number = client.acquire("k")
    asked = world.take("acquire")
    world.grants[(asked.session, "7")] = asked.body["rid"]
    asked.answer(200, {"name": "x", "fence": "7", "held_at": 1, "valid_ms": 1000}, drip=True)
    client.granted(number, 7)
    client.check()


@case()
def keepalives_go_on(world: World, client: Driver) -> None:
    sessions(world, 18_000)
    client.open()
    asked = held(world, client)
    count = "three keep-alives"
    world.wait(count, lambda it: sum(each.kind == "keepalive" and each.done.is_set() for each in world.log) >= 3)
    same("held", client.holds("k"), True)
    belief = [it.body.get("requests") for it in world.log if it.kind == "keepalive"][-1]
    same("belief", belief, [{"rid": asked.body["rid"], "state": "holds", "fence": "7"}])


@case()
def server_that_leaves_is_left(world: World, client: Driver) -> None:
    other = Server(world)
    world.by_itself["keepalive"] = lambda it: it.lives(draining=it.server is world.servers[0])
    sessions(world, 3000)
    client.open(servers=[world.servers[0].address, other.address])
    held(world, client)
    client.ask(op="release", key="k")
    world.wait("the session closed", lambda it: it.kind == "close" and it.server is world.servers[0])
    same("where", held(world, client, 8, "l").server is other, True)


@case()
def closing_ends_the_session(world: World, client: Driver) -> None:
    client.open()
    asked = held(world, client)
    client.ask(op="close")
    gone = world.wait("the session closed", lambda it: it.kind == "close")
    same("session", gone.session, asked.session)
    same("held", client.holds("k"), False)


@case()
def bad_servers_are_refused(world: World, client: Driver) -> None:
    for servers in [[], [""], ["http://192.0.2.1:80"], ["ftp://x:1"], ["https://x"], ["http://127.0.0.1:99999"]]:
        reply = client.open(servers=servers)
        same(f"the error of {servers}", reply.get("error", {}).get("code"), "bad_request")


@case("unix")
def unix_socket_is_spoken(world: World, client: Driver) -> None:
    with tempfile.TemporaryDirectory(prefix="rl") as folder:
        server = Server(world, f"{folder}/s")
        client.open(servers=[server.address])
        same("where", held(world, client).server is server, True)
        client.check()


@case()
def token_is_shown(world: World, client: Driver) -> None:
    client.open(token="correct-horse")
    asked = held(world, client)
    same("authorization", asked.headers.get("authorization"), "Bearer correct-horse")


def play(name: str, command: str) -> str | None:
    """Plays a case against a client. Why it does not hold; `skipped` if the client cannot do what it needs."""
    world = World()
    client = Driver(command, world)
    result: list[str | None] = [None]

    def run() -> None:
        try:
            if NEEDS[name] and not client.about.get(NEEDS[name]):
                result[0] = "skipped"
                return
            CASES[name](world, client)
            client.check()
        except Failed as error:
            result[0] = str(error)
        except (KeyError, OSError, TypeError, ValueError) as error:
            result[0] = f"{type(error).__name__}: {error}"

    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        client.close()
        world.close()
    return result[0]
