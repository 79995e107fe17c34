//! Berkeley: a master asks everybody for the time, takes the mean, and tells each by how much to correct its clock.
//!
//! **Idea.** Nobody knows the true time. The master, process 0, estimates how far each clock is from its own, with half
//! the round trip as the delay of the answer. It takes the mean of the largest group of clocks that agree, so that one
//! bad clock moves nobody, and sends to each the difference to that mean.
//!
//! **Needs.** The longest delay, to stop waiting, and a time between rounds that is not shorter than that. Messages may
//! be lost and doubled. A difference is sent, not a time: the delay of that message does no harm.
//!
//! **Cost.** 3(n-1) messages a round; without drift two clocks are within u of each other, and each within u/2 of the
//! master's, u being the uncertainty of the delays
//!
//! **Source.** R. Gusella, S. Zatti, IEEE Trans. Software Engineering 15(7):847-853, 1989
//!
//! ```
//! use ringleader::{clocks::Berkeley, sim::{self, Scenario}};
//! let run = sim::run_clocks::<Berkeley>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.holds());
//! assert_eq!(run.by_kind, [("poll", 3), ("answer", 3), ("adjust", 3)]);
//! ```

mod group;

use crate::model::*;
pub use group::{largest_group, mean};

state! {
    pub struct Berkeley {
        me: Peer,
        hidden n: Size,
        hidden delays: Delays,
        hidden drift: Drift,
        hidden settings: Settings,
        /// The number of the round: the master's, or that of the last poll that was answered.
        r: u32 = 0,
        /// What the own clock showed when it asked (master) or answered (slave), while that is not over.
        hidden since: Option<Ticks> = None,
        /// The master's own reading is 0 and counts.
        readings: Vec<(Peer, Ticks)> = Vec::new(),
        /// The last round in which it was told to adjust.
        hidden obeyed: u32 = 0,
        hidden belief: Belief = Belief::Unsynchronised,
        bound = |me| if let Belief::Within { bound, .. } = me.belief { Some(bound) } else { None },
    }
}

/// The places of the settings.
const GAMMA: usize = 0;
const PERIOD: usize = 1;
const ROUNDS: usize = 2;

const MASTER: Peer = Peer(0);

names! {
    /// What a process waits for.
    pub enum Timer {
        Round = "round",
        Collect = "collect",
        Watch = "watch",
    }
}

messages! {
    pub enum Msg {
        /// What does your clock show?
        "poll" Poll { r: u32 },
        /// It shows c.
        "answer" Answer { r: u32, c: Ticks },
        /// Correct it by so much.
        "adjust" Adjust { r: u32, by: Ticks },
    }
}

rules! {
    /// master: r := r+1; note the time, send poll(r) to all others; wait 2hi+1 for their answers
    Poll,
    /// slave, on poll(r): send answer(r, now)
    Answer,
    /// master, on answer(r, c) from j, the first: reading[j] := c + (now - sent)/2 - now
    Read,
    /// master, on an answer of another round, or from one that has answered: nothing
    Late,
    /// master, all n-1 in or the wait over: m := the mean of the largest group within γ; send adjust(r, m - reading[j])
    /// to each with a reading; adjust by m
    Close,
    /// slave, on adjust(r, δ), r larger than the last one obeyed: adjust by δ
    Obey,
    /// slave, on adjust(r, δ) otherwise: nothing
    Old,
    /// slave, never told to adjust in the time that a round takes: contact is lost, until it is told
    Alone,
}

impl Process for Berkeley {
    const SPEC: Spec = Spec::clocks("berkeley", 1989, include_str!("mod.rs"), Against::EachOther)
        .errata(include_str!("errata.md"))
        .tolerates(Tolerates { loss: true, duplication: true, ..Tolerates::NOTHING })
        .proved("counting: the master asks, hears and tells each of the others once a round")
        .at_most_of(Counts::All, "3(n-1) a round", |facts| {
            let Settings([_, _, rounds, _]) = facts.settings;
            (facts.other_faults == 0).then_some(3 * (facts.n - 1) * u64::from(rounds).max(1))
        })
        .settings(&[
            Setting::number(
                "gamma",
                "how far clocks that agree are apart at most, in ticks",
                (0, 1_000_000_000),
                60,
            ),
            Setting::number("period", "ticks from the end of a round to the next", (1, 1_000_000_000), 1000),
            Setting::number("rounds", "how often clocks are set", (1, 1_000_000), 1),
            Setting::elsewhere(
                "election",
                "the ring election by which a new master is found after a crash",
                "berkeley-failover",
            ),
        ])
        .example("-n 3 --schedule delay:uniform:1:3 --clock-offset 0,25,-10");
    types! { Port = Peer, Timer = Timer }

    fn refuses(around: &Surroundings) -> Option<(String, String)> {
        let (period, hi) = (around.settings.0[PERIOD], around.delays.hi);
        (period < hi).then(|| {
            (
                format!("a round {period} ticks after the last may overtake it: a message takes up to {hi}"),
                format!("leave that time between rounds: --set period={hi}"),
            )
        })
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.me == MASTER {
            self.poll(out);
        } else {
            // A poll, its answer, the wait for others, and what the master says then.
            let round = self.delays.hi.saturating_mul(4).saturating_add(2);
            out.set_timer(Timer::Watch, self.drift.patience(round));
        }
    }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Poll { r } if self.me != MASTER => {
                out.rule(Rule::Answer);
                let c = out.now();
                if r > self.r {
                    (self.r, self.since) = (r, Some(c));
                }
                out.send(from, Msg::Answer { r, c });
            }
            Msg::Answer { r, c } if self.me == MASTER => match self.since {
                Some(sent) if r == self.r && !self.has_read(from) => {
                    out.rule(Rule::Read);
                    let passed = out.now() - sent;
                    self.readings.push((from, c + passed.over(2) - out.now()));
                    self.estimated(passed, out);
                    self.readings.sort_unstable();
                    if self.readings.len() == self.n.0 as usize {
                        out.stop_timer(Timer::Collect);
                        self.close(sent, out);
                    }
                }
                Some(_) | None => out.rule(Rule::Late),
            },
            Msg::Adjust { r, by } if self.me != MASTER && r > self.obeyed => match self.since {
                Some(since) if r == self.r => {
                    out.rule(Rule::Obey);
                    out.stop_timer(Timer::Watch);
                    out.adjust(by);
                    self.obeyed = r;
                    let bound = Ticks::whole(self.delays.uncertainty()).over_up(2);
                    // It was asked at most hi before it read its clock.
                    let since = since + by - Ticks::whole(i64::from(self.delays.hi));
                    self.belief = Belief::Within { bound, since, round: r };
                }
                Some(_) | None => out.impossible("whoever is told has answered in that round"),
            },
            Msg::Adjust { .. } if self.me != MASTER => out.rule(Rule::Old),
            Msg::Poll { .. } | Msg::Adjust { .. } => out.impossible("nobody asks or tells the master"),
            Msg::Answer { .. } => out.impossible("only the master asks"),
        }
    }

    fn timeout(&mut self, timer: Timer, out: &mut impl Outbox<Self>) {
        match (timer, self.since) {
            (Timer::Round, _) => self.poll(out),
            (Timer::Collect, Some(sent)) => self.close(sent, out),
            (Timer::Collect, None) => out.impossible("this timer is stopped when the round is closed"),
            (Timer::Watch, _) => {
                out.rule(Rule::Alone);
                self.belief = Belief::Lost;
            }
        }
    }
}

impl Berkeley {
    fn has_read(&self, who: Peer) -> bool {
        self.readings.iter().any(|&(known, _)| known == who)
    }

    fn poll(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Poll);
        self.r += 1;
        self.since = Some(out.now());
        self.readings = vec![(self.me, Ticks::ZERO)];
        out.send_all(self.me.others(self.n), Msg::Poll { r: self.r });
        if self.n.0 == 1 {
            return self.close(out.now(), out);
        }
        let wait = self.delays.hi.saturating_mul(2).saturating_add(1);
        out.set_timer(Timer::Collect, self.drift.patience(wait));
    }

    /// Says what it read last, from an answer that took so long.
    fn estimated(&self, passed: Ticks, out: &mut impl Outbox<Self>) {
        let bound = passed.over_up(2) - Ticks::whole(i64::from(self.delays.lo));
        if let Some(&(of, ahead)) = self.readings.last() {
            out.estimate(Estimate { of, ahead, round_trip: Some(passed), bound });
        }
    }

    /// Takes the mean of those who agree, and tells everybody who has answered.
    fn close(&mut self, sent: Ticks, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Close);
        let gamma = Ticks::whole(i64::from(self.settings.0[GAMMA]));
        let m = mean(&largest_group(&self.readings, gamma, self.me));
        for (who, reading) in core::mem::take(&mut self.readings) {
            if who != self.me {
                out.send(who, Msg::Adjust { r: self.r, by: m - reading });
            }
        }
        out.adjust(m);
        self.since = None;
        self.belief = Belief::Within { bound: Ticks::ZERO, since: sent + m, round: self.r };
        if self.r < self.settings.0[ROUNDS] {
            out.set_timer(Timer::Round, self.settings.0[PERIOD]);
        }
    }
}

impl Timekeeping for Berkeley {
    fn belief(&self) -> Belief {
        self.belief
    }
}
