//! Berkeley, surviving a crash: the others elect a new master, which brings all clocks together again at once.
//!
//! **Idea.** A master asks everybody for the time, and tells each by how much to correct its clock. If it crashes, the
//! others elect a new one on the ring of the living. It begins an epoch: its rounds are numbered anew, and are none of
//! the old one's.
//!
//! **Needs.** The longest delay, to stop waiting, and a time between rounds that is not shorter than that. FIFO links,
//! for the election; a failure detector that is never wrong. One process may crash, whoever it is; another only when
//! the new master has closed a round.
//!
//! **Cost.** 3(n-1) messages a round while nobody crashes; a crash of the master costs an election among n-1 processes
//! and another round
//!
//! **Source.** after R. Gusella, S. Zatti, IEEE Trans. Software Engineering 15(7):847-853, 1989, who elect the master
//! by time-outs; with a detector the rules are our own
//!
//! ```
//! use ringleader::{registry::{self, ALL}, sim::{Fault, Scenario}};
//! let scenario = Scenario { faults: vec![Fault::Crash { process: 0, at: 2 }], ..Scenario::new(4) };
//! let run = registry::find(ALL, "berkeley-failover").unwrap().run(&scenario, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::clocks::{largest_group, mean};
use crate::model::*;

state! {
    pub struct BerkeleyFailover {
        me: Peer,
        hidden n: Size,
        hidden delays: Delays,
        hidden drift: Drift,
        hidden settings: Settings,
        hidden elector: Option<Elector>,
        epoch: u32 = 0,
        master: Peer = Peer(0),
        /// Who is known to have crashed.
        dead: Peers = Peers::default(),
        /// The number of the round in this epoch: the master's, or that of the last poll that was answered.
        r: u32 = 0,
        /// What the own clock showed when it asked (master) or answered (slave), while that is not over.
        hidden since: Option<Ticks> = None,
        /// The master's own reading is 0 and counts.
        readings: Vec<(Peer, Ticks)> = Vec::new(),
        /// The election of the next epoch's master, while it goes on.
        hidden contest: Option<Contest> = None,
        electing = |me| me.contest.is_some(),
        hidden belief: Belief = Belief::Unsynchronised,
        bound = |me| if let Belief::Within { bound, .. } = me.belief { Some(bound) } else { None },
    }
}

/// The places of the settings.
const GAMMA: usize = 0;
const PERIOD: usize = 1;
const ROUNDS: usize = 2;

names! {
    /// What a process waits for.
    pub enum Timer {
        Round = "round",
        Collect = "collect",
        Watch = "watch",
    }
}

messages! {
    /// What processes say to each other, each with its epoch.
    pub enum Msg {
        /// What does your clock show? I am the master of this epoch.
        "poll" Poll { epoch: u32, r: u32 },
        /// It shows c.
        "answer" Answer { epoch: u32, r: u32, c: Ticks },
        /// Correct it by so much.
        "adjust" Adjust { epoch: u32, r: u32, by: Ticks },
        /// A message of the election on the ring of the living: the port that it arrives at, and its wire form.
        "elect" Elect { epoch: u32, port: u8, msg: Vec<u8> },
    }
}

rules! {
    /// master: r := r+1; note the time, send poll(e, r) to all others that live; wait 2hi+1 for their answers
    Poll,
    /// slave, on poll(e, r): send answer(e, r, now)
    Answer,
    /// on poll(e', r), e' > e: that is the master; e := e'; answer
    Follow,
    /// master, on answer(e, r, c) from j: reading[j] := c + (now - sent)/2 - now
    Read,
    /// master, all that live are in or the wait over: m := the mean of the largest group within γ; send adjust(e, r,
    /// m - reading[j]) to each with a reading; adjust by m
    Close,
    /// slave, on adjust(e, r, δ), r that of the last poll that was answered: adjust by δ
    Obey,
    /// slave, never told to adjust in the time that a round takes: contact is lost, until it is told
    Alone,
    /// the master has crashed: take part in an election for epoch e+1
    Crashed,
    /// master, j has crashed: do not wait for it
    Mourn,
    /// somebody else has crashed: remember it
    Note,
    /// on a message of the election for e+1: take part
    Elect,
    /// on a message of an election that is over: nothing
    Late,
    /// elected: e := e+1; r := 0; begin a round
    Lead,
}

impl Process for BerkeleyFailover {
    const SPEC: Spec = Spec::clocks("berkeley-failover", 1989, include_str!("mod.rs"), Against::EachOther)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .detector()
        .tolerates(Tolerates { crash: true, ..Tolerates::NOTHING })
        .proved("counting: the master asks, hears and tells each of the others once a round")
        .at_most_of(Counts::All, "3(n-1) a round", |facts| {
            let Settings([_, _, rounds, _]) = facts.settings;
            let crashed = facts.top_down + facts.other_faults > 0;
            (!crashed).then_some(3 * (facts.n - 1) * u64::from(rounds).max(1))
        })
        .settings(&[
            Setting::number(
                "gamma",
                "how far clocks that agree are apart at most, in ticks",
                (0, 1_000_000_000),
                60,
            ),
            Setting::number("period", "ticks from the end of a round to the next", (1, 1_000_000_000), 1000),
            Setting::number("rounds", "how often a master sets the clocks", (1, 1_000_000), 1),
            Setting {
                name: "election",
                about: "the ring election by which a new master is found",
                values: SettingValues::RingElection { default: "chang-roberts" },
            },
        ])
        .example("-n 4 --schedule delay:uniform:1:3 --clock-offset 0,25,-10,5 --crash 0@3");
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
        if self.me == self.master {
            self.poll(out);
        } else {
            // A poll, its answer, the wait for others, and what the master says then.
            let round = self.delays.hi.saturating_mul(4).saturating_add(2);
            out.set_timer(Timer::Watch, self.drift.patience(round));
        }
    }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        let leads = self.master == self.me;
        match msg {
            Msg::Poll { epoch, r } if epoch > self.epoch => {
                out.rule(Rule::Follow);
                self.dead.insert(self.master);
                (self.epoch, self.master, self.contest) = (epoch, from, None);
                self.answer(r, out);
            }
            Msg::Poll { epoch, r } if epoch == self.epoch && from == self.master => {
                out.rule(Rule::Answer);
                self.answer(r, out);
            }
            Msg::Poll { .. } => out.impossible("who is taken for dead has said all that it says"),
            Msg::Answer { epoch, r, c } if leads && epoch == self.epoch && r == self.r => match self.since {
                Some(sent) => {
                    out.rule(Rule::Read);
                    let passed = out.now() - sent;
                    let ahead = c + passed.over(2) - out.now();
                    let bound = passed.over_up(2) - Ticks::whole(i64::from(self.delays.lo));
                    out.estimate(Estimate { of: from, ahead, round_trip: Some(passed), bound });
                    self.readings.push((from, ahead));
                    self.readings.sort_unstable();
                    self.close_if_complete(out);
                }
                None => out.impossible("who lives answers in time"),
            },
            Msg::Answer { .. } => out.impossible("who answers knows the master, and is waited for"),
            Msg::Adjust { epoch, r, by } if epoch == self.epoch && r == self.r => match self.since.take() {
                Some(since) => {
                    out.rule(Rule::Obey);
                    out.stop_timer(Timer::Watch);
                    out.adjust(by);
                    let bound = Ticks::whole(self.delays.uncertainty()).over_up(2);
                    // It was asked at most hi before it read its clock.
                    let since = since + by - Ticks::whole(i64::from(self.delays.hi));
                    self.belief = Belief::Within { bound, since, round: self.round() };
                }
                None => out.impossible("whoever is told has answered in that round"),
            },
            Msg::Adjust { .. } => out.impossible("whoever is told has answered in that round"),
            Msg::Elect { epoch, .. } if epoch <= self.epoch => out.rule(Rule::Late),
            Msg::Elect { epoch, port, msg } if epoch == self.epoch + 1 => {
                // Whoever has not heard of the crash hears of it now.
                out.rule(Rule::Elect);
                self.dead.insert(self.master);
                self.elect(None, out);
                self.elect(Some((port.into(), msg)), out);
            }
            Msg::Elect { .. } => out.impossible("nobody is an election ahead"),
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

    fn suspect(&mut self, who: Peer, out: &mut impl Outbox<Self>) {
        self.dead.insert(who);
        if who == self.master {
            out.rule(Rule::Crashed);
            self.elect(None, out);
        } else if self.master == self.me {
            out.rule(Rule::Mourn);
            if self.since.is_some() {
                self.close_if_complete(out);
            }
        } else {
            out.rule(Rule::Note);
        }
    }
}

impl BerkeleyFailover {
    /// The number of the round among all of all masters: what is agreed in one has nothing to do with the others.
    fn round(&self) -> u32 {
        self.epoch.wrapping_shl(20) + self.r
    }

    fn others(&self) -> Vec<Peer> {
        self.me.others(self.n).filter(|peer| !self.dead.has(*peer)).collect()
    }

    fn poll(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Poll);
        self.r += 1;
        self.since = Some(out.now());
        self.readings = vec![(self.me, Ticks::ZERO)];
        out.send_all(self.others(), Msg::Poll { epoch: self.epoch, r: self.r });
        let wait = self.delays.hi.saturating_mul(2).saturating_add(1);
        out.set_timer(Timer::Collect, self.drift.patience(wait));
        self.close_if_complete(out);
    }

    fn answer(&mut self, r: u32, out: &mut impl Outbox<Self>) {
        let c = out.now();
        (self.r, self.since) = (r, Some(c));
        out.send(self.master, Msg::Answer { epoch: self.epoch, r, c });
    }

    fn close_if_complete(&mut self, out: &mut impl Outbox<Self>) {
        let has_answered = |peer: &Peer| self.readings.iter().any(|(known, _)| known == peer);
        if let Some(sent) = self.since
            && self.others().iter().all(has_answered)
        {
            out.stop_timer(Timer::Collect);
            self.close(sent, out);
        }
    }

    /// Takes the mean of those who agree, and tells everybody who has answered.
    fn close(&mut self, sent: Ticks, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Close);
        let gamma = Ticks::whole(i64::from(self.settings.0[GAMMA]));
        let m = mean(&largest_group(&self.readings, gamma, self.me));
        for (who, reading) in core::mem::take(&mut self.readings) {
            if who != self.me && !self.dead.has(who) {
                out.send(who, Msg::Adjust { epoch: self.epoch, r: self.r, by: m - reading });
            }
        }
        out.adjust(m);
        self.since = None;
        self.belief = Belief::Within { bound: Ticks::ZERO, since: sent + m, round: self.round() };
        if self.r < self.settings.0[ROUNDS] {
            out.set_timer(Timer::Round, self.settings.0[PERIOD]);
        }
    }

    /// Starts the election on the ring of the living, or takes a message of it; what goes to itself is no message.
    fn elect(&mut self, first: Option<(u32, Vec<u8>)>, out: &mut impl Outbox<Self>) {
        if first.is_some() != self.contest.is_some() {
            return; // it has started already, or is over
        }
        let Some(elector) = self.elector else {
            return out.impossible("an election was chosen");
        };
        let part = elector.take_part(&mut self.contest, (self.me, self.n, &self.dead), first);
        if let Some(why) = part.impossible {
            out.impossible(why);
        }
        for (to, port, msg) in part.sends {
            out.send(to, Msg::Elect { epoch: self.epoch + 1, port, msg });
        }
        if part.leads {
            self.lead(out);
        }
    }

    /// This process is elected: it begins an epoch with a round.
    fn lead(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Lead);
        out.stop_timer(Timer::Watch);
        (self.epoch, self.master, self.contest) = (self.epoch + 1, self.me, None);
        self.r = 0;
        self.poll(out);
    }
}

impl Timekeeping for BerkeleyFailover {
    fn belief(&self) -> Belief {
        self.belief
    }
}
