//! Cristian: a client asks a time server, and takes the middle of the round trip for the moment of the answer.
//!
//! **Idea.** A client notes when it asks. If the answer s comes D ticks later, the server's clock shows now between s
//! plus the least delay and s plus D minus the least delay: the client takes the middle, s + D/2, and knows that it is
//! off by at most D/2 minus the least delay. A round trip that took too long says too little, and the client asks
//! again.
//!
//! **Needs.** One server, process 0, whose clock is the truth; the least and the longest delay. Questions have numbers,
//! so messages may be lost and doubled: an answer to an old question is not taken for one to a new.
//!
//! **Cost.** 2 messages a try; 2/p on average, if a round trip is short enough with probability p
//!
//! **Source.** F. Cristian, Distributed Computing 3:146-158, 1989
//!
//! ```
//! use ringleader::{clocks::Cristian, sim::{self, Scenario}};
//! let run = sim::run_clocks::<Cristian>(&Scenario::new(2), &mut ()).unwrap();
//! assert!(run.holds());
//! assert_eq!(run.by_kind, [("ask", 1), ("time", 1)]);
//! ```

use crate::model::*;

state! {
    pub struct Cristian {
        me: Peer,
        hidden delays: Delays,
        hidden drift: Drift,
        hidden settings: Settings,
        /// The number of the question.
        q: u32 = 0,
        /// What the own clock showed when it was asked, while there is no answer.
        t0: Option<Ticks> = None,
        tries: u32 = 0,
        /// How often it still wants to set its clock.
        hidden rounds: u32 = settings.0[ROUNDS],
        hidden belief: Belief = if me.0 == 0 { Belief::Reference } else { Belief::Unsynchronised },
        bound = |me| if let Belief::Within { bound, .. } = me.belief { Some(bound) } else { None },
    }
}

/// The places of the settings.
const ROUND_TRIP: usize = 0;
const TRIES: usize = 1;
const PERIOD: usize = 2;
const ROUNDS: usize = 3;

names! {
    /// What a client waits for.
    pub enum Timer {
        Again = "again",
        Patience = "patience",
    }
}

messages! {
    pub enum Msg {
        /// What is the time?
        "ask" Ask { q: u32 },
        /// My clock shows s.
        "time" Time { q: u32, s: Ticks },
    }
}

rules! {
    /// q := q+1; t0 := now; send ask(q) to the server; wait 2hi+1 for the answer
    Ask,
    /// server, on ask(q): send time(q, own reading)
    Answer,
    /// on time(q', s), q' ≠ q or no question out: nothing
    Old,
    /// on time(q, s), D = now - t0 ≤ 2U: adjust by s + D/2 - now; off by at most D/2 - lo
    Adjust,
    /// on time(q, s), D > 2U: a failed try
    TooLate = "too late",
    /// no answer in time: a failed try
    NoAnswer = "no answer",
    /// a failed try, and fewer than r so far: ask again
    Retry,
    /// the r-th failed try: contact is lost, until the next round
    GiveUp,
}

impl Process for Cristian {
    const SPEC: Spec = Spec::clocks("cristian", 1989, include_str!("mod.rs"), Against::EachOther)
        .errata(include_str!("errata.md"))
        .tolerates(Tolerates { loss: true, duplication: true, ..Tolerates::NOTHING })
        .talks(Talks::ToFew)
        .proved("counting: a question and its answer for each try of each client")
        .at_most_of(Counts::All, "2r(n-1) a round", |facts| {
            let Settings([_, tries, _, rounds]) = facts.settings;
            let most = u64::from(tries).max(1) * u64::from(rounds).max(1);
            (facts.other_faults == 0).then_some(2 * (facts.n - 1) * most)
        })
        .settings(&[
            Setting::number(
                "round-trip",
                "the longest round trip that is acceptable, 2U, in ticks; 0: lo + hi",
                (0, 1_000_000_000),
                0,
            ),
            Setting::number("tries", "how often it is tried, r", (1, 1000), 3),
            Setting::number("period", "ticks from one round to the next", (1, 1_000_000_000), 1000),
            Setting::number("rounds", "how often clocks are set", (1, 1_000_000), 1),
        ])
        .example("-n 2 --schedule delay:uniform:8:32 --clock-offset 0,-40");
    types! { Port = Peer, Timer = Timer }

    fn refuses(around: &Surroundings) -> Option<(String, String)> {
        let (asked, least) = (around.settings.0[ROUND_TRIP], around.delays.lo.saturating_mul(2));
        (asked > 0 && asked < least).then(|| {
            (
                format!("no round trip takes {asked} ticks: the least delay is {}, twice", around.delays.lo),
                format!("accept round trips of {least} ticks or more: --set round-trip={least}"),
            )
        })
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.me != SERVER {
            self.round(out);
        }
    }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.t0) {
            (Msg::Ask { q }, _) if self.me == SERVER => {
                out.rule(Rule::Answer);
                let s = out.now();
                out.send(from, Msg::Time { q, s });
            }
            (Msg::Ask { .. }, _) => out.impossible("only the server is asked"),
            (Msg::Time { q, s }, Some(t0)) if q == self.q => {
                out.stop_timer(Timer::Patience);
                self.t0 = None;
                self.answered(t0, s, out);
            }
            (Msg::Time { .. }, _) => out.rule(Rule::Old),
        }
    }

    fn timeout(&mut self, timer: Timer, out: &mut impl Outbox<Self>) {
        match (timer, self.t0) {
            (Timer::Again, None) => self.round(out),
            (Timer::Patience, Some(_)) => {
                out.rule(Rule::NoAnswer);
                self.t0 = None;
                self.failed(out);
            }
            (Timer::Again, Some(_)) => out.impossible("a round begins when the one before is over"),
            (Timer::Patience, None) => out.impossible("with the answer this timer was stopped"),
        }
    }
}

const SERVER: Peer = Peer(0);

impl Cristian {
    /// Begins to set the clock.
    fn round(&mut self, out: &mut impl Outbox<Self>) {
        self.rounds -= 1;
        self.tries = 1;
        self.ask(out);
    }

    fn ask(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Ask);
        self.q += 1;
        self.t0 = Some(out.now());
        out.send(SERVER, Msg::Ask { q: self.q });
        let longest = self.delays.hi.saturating_mul(2).saturating_add(1);
        out.set_timer(Timer::Patience, self.drift.patience(longest));
    }

    /// The server's clock showed `s` at some moment since the own clock showed `t0`.
    fn answered(&mut self, t0: Ticks, s: Ticks, out: &mut impl Outbox<Self>) {
        let d = out.now() - t0;
        if d > self.acceptable() {
            out.rule(Rule::TooLate);
            return self.failed(out);
        }
        out.rule(Rule::Adjust);
        let by = s + d.over(2) - out.now();
        out.adjust(by);
        let bound = d.over_up(2) - Ticks::whole(i64::from(self.delays.lo));
        out.estimate(Estimate { of: SERVER, ahead: by, round_trip: Some(d), bound });
        // While the question was out the clocks drifted already.
        self.belief = Belief::Within { bound, since: t0 + by, round: 0 };
        self.rest(out);
    }

    fn failed(&mut self, out: &mut impl Outbox<Self>) {
        if self.tries < self.settings.0[TRIES] {
            out.rule(Rule::Retry);
            self.tries += 1;
            self.ask(out);
        } else {
            out.rule(Rule::GiveUp);
            self.belief = Belief::Lost;
            self.rest(out);
        }
    }

    /// Until the next round.
    fn rest(&mut self, out: &mut impl Outbox<Self>) {
        if self.rounds > 0 {
            out.set_timer(Timer::Again, self.settings.0[PERIOD]);
        }
    }

    /// 2U.
    fn acceptable(&self) -> Ticks {
        match self.settings.0[ROUND_TRIP] {
            0 => {
                let ticks = Ticks::whole(i64::from(self.delays.lo) + i64::from(self.delays.hi));
                // The own clock may be fast.
                ticks + ticks.millionths(self.drift.0)
            }
            ticks => Ticks::whole(i64::from(ticks)),
        }
    }
}

impl Timekeeping for Cristian {
    fn belief(&self) -> Belief {
        self.belief
    }
}
