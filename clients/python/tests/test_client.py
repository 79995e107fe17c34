"""What the conformance suite does not see from outside."""

from __future__ import annotations

import unittest

from ringleader_client import BadRequest, LockError
from ringleader_client._clock import Fallback
from ringleader_client._errors import refusal
from ringleader_client._http import Endpoint
from ringleader_client._session import Session

SECOND = 1_000_000_000


class ClockWithoutSleep(unittest.TestCase):
    def setUp(self) -> None:
        self.steady, self.wall = 5 * SECOND, 100 * SECOND
        self.clock = Fallback(lambda: self.steady, lambda: self.wall)
        self.begun = self.clock()

    def test_sleep_is_counted(self) -> None:
        self.wall += 60 * SECOND
        self.steady += SECOND
        self.assertEqual(self.clock() - self.begun, 60 * SECOND)
        self.wall += SECOND
        self.steady += SECOND
        self.assertEqual(self.clock() - self.begun, 61 * SECOND)

    def test_small_corrections_do_nothing(self) -> None:
        self.wall += SECOND + 100_000_000
        self.steady += SECOND
        self.assertEqual(self.clock() - self.begun, SECOND)

    def test_wall_clock_set_back_ends_everything(self) -> None:
        self.wall -= 60 * SECOND
        self.assertGreater(self.clock() - self.begun, 3600 * SECOND)


class Deadlines(unittest.TestCase):
    def test_deadline_is_rounded_down(self) -> None:
        session = Session("s", 5000, 7, 3000)
        self.assertEqual(session.deadline, 7 + 3_000_000_000 * 995_000 // 1_005_000)
        self.assertTrue(session.alive(session.deadline - 1))
        self.assertFalse(session.alive(session.deadline))
        session.kept_alive(session.deadline, session.deadline, 3000)
        self.assertFalse(session.alive(8))

    def test_older_answer_shortens_nothing(self) -> None:
        session = Session("s", 5000, 0, 3000)
        before = session.deadline
        session.kept_alive(1, 1, 100)
        self.assertEqual(session.deadline, before)

    def test_request_that_is_over_takes_no_grant(self) -> None:
        session = Session("s", 5000, 0, 3000)
        request = session.asks("/", {})
        session.over(request)
        self.assertFalse(session.granted(1, request, 7))


class Words(unittest.TestCase):
    def test_servers_are_read(self) -> None:
        named = Endpoint.parse("https://10.0.0.1:7431#a.demo.ringleader")
        self.assertEqual((named.host, named.port, named.name), ("10.0.0.1", 7431, "a.demo.ringleader"))
        self.assertTrue(named.is_at("https://10.0.0.1:7431"))
        self.assertEqual(Endpoint.parse("unix:///run/a.sock").path, "/run/a.sock")
        for bad in ("", "unix:", "https://a", "https://a:0", "https://a:70000", "http://10.0.0.1:1", "https://a:1/x"):
            with self.assertRaises(BadRequest, msg=bad) as caught:
                Endpoint.parse(bad)
            self.assertIn("unix:PATH", caught.exception.help or "")

    def test_body_that_is_no_refusal_is_none(self) -> None:
        bodies: list[object] = [None, [], {}, {"code": 5}, {"code": ""}]
        for body in bodies:
            self.assertIsNone(refusal(body))
        error = refusal({"code": "brand_new", "retry_after_ms": True})
        assert error is not None
        self.assertEqual((type(error), error.code, error.retry_after), (LockError, "brand_new", None))


if __name__ == "__main__":
    unittest.main()
