#!/usr/bin/env python3
"""One suite for the clients of all languages: `run.py --driver "CMD"`. See README.md."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import scripted  # noqa: E402
from cases import CASES, play  # noqa: E402

# Wrong versions of the Python client, and the case by which each must be found.
CONTROLS = {
    "deadline-from-receipt": "deadline_counts_from_sending",
    "keepalive-from-receipt": "late_keepalive_answer_counts_from_sending",
    "no-drift": "drift_is_counted",
    "no-deadline": "silence_ends_what_is_held",
    "grant-extends": "grant_extends_nothing",
    "late-grant-stands": "grant_that_a_paused_client_reads_late_is_given_back",
    "grant-kept": "late_grant_is_given_back",
    "new-rid": "lost_answer_is_asked_for_with_the_same_rid",
    "any-answer-extends": "wrong_answers_extend_nothing",
    "move-extends": "move_extends_nothing",
    "unlisted-stays": "unlisted_hold_is_lost",
    "rounded-fence": "fences_keep_every_digit",
    "any-fence": "wrong_grants_grant_nothing",
    "no-key": "moved_session_is_followed",
    "no-withdrawal": "wait_that_is_over_is_withdrawn",
    "release-once": "lost_release_is_repeated",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", metavar="CMD", help="the client program; without it, the Python client")
    parser.add_argument("--only", metavar="CASE", action="append", choices=sorted(CASES), help="these cases only")
    parser.add_argument("--controls", action="store_true", help="wrong clients instead: each must be found")
    parser.add_argument("--jobs", type=int, default=8, help="so many cases at a time (8)")
    asked = parser.parse_args()
    begun = time.monotonic()
    python = f"{sys.executable} {HERE.parent / 'python' / 'driver.py'}"
    if asked.controls:
        # What a wrong client never does need not be waited for as long as what a right one must do.
        scripted.PATIENCE = 20.0
        jobs = [
            (f"{wrong} by {name}", name, f"{sys.executable} {HERE / 'wrong.py'} {wrong}")
            for wrong, name in CONTROLS.items()
        ]
    else:
        names = asked.only or list(CASES)
        jobs = [(name, name, asked.driver or python) for name in names]
    with ThreadPoolExecutor(asked.jobs) as pool:
        ends = list(pool.map(lambda job: play(job[1], job[2]), jobs))
    skipped = [job[0] for job, end in zip(jobs, ends, strict=True) if end == "skipped"]
    if asked.controls:
        missed = [
            job[0]
            for job, end in zip(jobs, ends, strict=True)
            if end in (None, "skipped", "the client program has ended")
        ]
        for job, end in zip(jobs, ends, strict=True):
            print(f"{job[0]:<75} {'MISSED' if job[0] in missed else f'found: {end}'}")
        print(f"{len(jobs) - len(missed)} of {len(jobs)} wrong clients found in {time.monotonic() - begun:.1f} s")
        return 1 if missed else 0
    failed = [(job[0], end) for job, end in zip(jobs, ends, strict=True) if end not in (None, "skipped")]
    for name, end in failed:
        print(f"FAILED {name}: {end}")
    for name in skipped:
        print(f"skipped, this client cannot do it: {name}")
    print(f"{len(jobs) - len(failed) - len(skipped)} of {len(jobs)} cases hold in {time.monotonic() - begun:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
