//! NTP: a client asks several sources, finds those that may tell the truth, and follows their mean.
//!
//! **Idea.** Four time stamps of a question and its answer say how far the source's clock is ahead, to within half the
//! round trip. Of the last eight answers of a source that with the shortest round trip counts. Each source so gives an
//! interval; those that meet, if a majority does, may tell the truth. Of these the closest together are averaged, the
//! more certain ones weighing more, and the clock is corrected by that. A tick is a millisecond.
//!
//! **Needs.** A client, the last process, and sources, all others: more than half of them tell the true time, which
//! they do if their clocks begin at 0 and do not drift. The bound on the drift of the client's clock. Messages may be
//! lost and doubled: an answer counts once, if its t1 is that of the question that is out.
//!
//! **Cost.** 2 messages for each source and poll
//!
//! **Source.** D. Mills, RFC 5905, 2010; the interval in which the truth must be, K. Marzullo, 1984
//!
//! ```
//! use ringleader::{clocks::Ntp, sim::{self, Scenario}};
//! let run = sim::run_clocks::<Ntp>(&Scenario::new(5), &mut ()).unwrap();
//! assert!(run.holds());
//! assert_eq!(run.by_kind, [("req", 4), ("resp", 4)]);
//! ```

pub mod cluster;
pub mod combine;
pub mod filter;
pub mod on_wire;
pub mod select;

use crate::model::*;
use cluster::cluster;
use combine::combine;
use filter::{Filter, Filtered, Sample};
use on_wire::measure;
use select::{Candidate, select, surely};

state! {
    pub struct Ntp {
        me: Peer,
        hidden n: Size,
        hidden delays: Delays,
        hidden drift: Drift,
        hidden settings: Settings,
        /// What is known of each source.
        hidden sources: Vec<Source> = Vec::new(),
        hidden polls: u32 = settings.0[ROUNDS],
        asked = |me| me.sources.iter().map(|source| source.t1.is_some()).collect::<Vec<_>>(),
        offset = |me| me.sources.iter().map(|source| source.heard.map(|heard| heard.best.offset)).collect::<Vec<_>>(),
        /// Who was taken to tell the truth last.
        truechimers: Peers = Peers::default(),
        hidden belief: Belief = if me.0 + 1 < n.0 { Belief::Reference } else { Belief::Unsynchronised },
        bound = |me| if let Belief::Within { bound, .. } = me.belief { Some(bound) } else { None },
    }
}

/// What a client knows of a source.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Source {
    /// What the own clock showed when it was asked, while there is no answer.
    t1: Option<Ticks>,
    filter: Filter,
    /// What the filter made of the last answer.
    heard: Option<Filtered>,
}

/// The places of the settings.
const PERIOD: usize = 0;
const ROUNDS: usize = 1;
const STEP: usize = 2;
const CLUSTER: usize = 3;

/// Clocks are thought to drift so much at least, in millionths.
const PHI: u32 = 15;

names! {
    /// What a client waits for.
    pub enum Timer {
        Poll = "poll",
        Collect = "collect",
    }
}

messages! {
    pub enum Msg {
        /// What is the time? I ask at t1.
        "req" Req { t1: Ticks },
        /// You asked at t1; it came at t2; I answer at t3.
        "resp" Resp { t1: Ticks, t2: Ticks, t3: Ticks },
    }
}

rules! {
    /// client: send req(t1), t1 being its own reading, to every source; wait 2hi+1 for the answers
    Poll,
    /// source, on req(t1) at t2: send resp(t1, t2, t3)
    Answer,
    /// on resp(t1, t2, t3) at t4, t1 that of the question that is out: θ := ((t2-t1)+(t3-t4))/2, δ := (t4-t1)-(t3-t2);
    /// into the filter of that source
    Filter,
    /// on any other resp: nothing
    Stray,
    /// all in or the wait over, a newer sample chosen somewhere, and a majority agrees: adjust by the mean of the
    /// closest of those who do
    Follow,
    /// all in or the wait over, and no newer sample was chosen anywhere: nothing
    Keep,
    /// all in or the wait over, and no majority agrees: do not follow anybody
    Distrust,
}

impl Process for Ntp {
    const SPEC: Spec = Spec::clocks("ntp", 2010, include_str!("mod.rs"), Against::TrueTime)
        .errata(include_str!("errata.md"))
        .tolerates(Tolerates { loss: true, duplication: true, ..Tolerates::NOTHING })
        .proved("counting: a question to each source and its answer, each poll")
        .at_most_of(Counts::All, "2(n-1) a poll", |facts| {
            let Settings([_, polls, ..]) = facts.settings;
            (facts.other_faults == 0).then_some(2 * (facts.n - 1) * u64::from(polls).max(1))
        })
        .settings(&[
            Setting::number("period", "ticks from one poll to the next", (1, 1_000_000_000), 64_000),
            Setting::number("rounds", "how often it polls", (1, 1_000_000), 1),
            Setting::number(
                "step",
                "from which correction on the clock is set at once, in ticks; smaller ones are slewed",
                (0, 1_000_000_000),
                0,
            ),
            Setting::one_of(
                "cluster",
                "who is thrown out: whose offset is furthest from the others, or that times its root distance",
                &["offset", "weighed"],
            ),
        ])
        .example("-n 5 --schedule delay:uniform:5:30 --clock-offset 0,0,0,500,-300 --set rounds=2");
    types! { Port = Peer, Timer = Timer }

    fn refuses(around: &Surroundings) -> Option<(String, String)> {
        let sources = around.clocks.split_last().map_or(&[][..], |(_, sources)| sources);
        let liars = sources.iter().filter(|&&clock| clock != (0, 0)).count();
        let most = sources.len().saturating_sub(1) / 2;
        if liars > most {
            return Some((
                format!("{liars} of {} sources do not tell the true time, more than {most}", sources.len()),
                "all but the last process are sources; more than half of them must begin at 0 and not drift"
                    .into(),
            ));
        }
        let (period, least) = (around.settings.0[PERIOD], 2 * around.delays.hi + 2);
        (period < least).then(|| {
            (
                format!("a poll every {period} ticks begins before the answers to the last are in"),
                format!("poll less often: --set period={least}"),
            )
        })
    }

    fn is_true(index: u32, n: u32) -> bool {
        index + 1 < n
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.is_client() {
            self.sources = vec![Source::default(); self.n.0 as usize - 1];
            self.poll(out);
        }
    }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Req { t1 } if !self.is_client() => {
                out.rule(Rule::Answer);
                let now = out.now();
                out.send(from, Msg::Resp { t1, t2: now, t3: now });
            }
            Msg::Req { .. } => out.impossible("nobody asks a client"),
            Msg::Resp { t1, t2, t3 } => {
                let t4 = out.now();
                let aging = self.aging();
                let Some(source) = self.sources.get_mut(from.0 as usize) else {
                    return out.impossible("only a client is answered");
                };
                if source.t1 != Some(t1) {
                    return out.rule(Rule::Stray);
                }
                out.rule(Rule::Filter);
                source.t1 = None;
                let measured = measure([t1, t2, t3, t4]);
                let (ahead, round_trip, bound) = (measured.offset, measured.delay, measured.delay.over_up(2));
                out.estimate(Estimate { of: from, ahead, round_trip: Some(round_trip), bound });
                let dispersion = Ticks::ratio(1, 1000) + (t4 - t1).millionths(aging);
                let sample = Sample { offset: measured.offset, delay: measured.delay, dispersion, at: t4 };
                source.heard = Some(source.filter.take(sample, aging));
                if self.sources.iter().all(|source| source.t1.is_none()) {
                    out.stop_timer(Timer::Collect);
                    self.update(out);
                }
            }
        }
    }

    fn timeout(&mut self, timer: Timer, out: &mut impl Outbox<Self>) {
        match timer {
            Timer::Poll => self.poll(out),
            Timer::Collect => self.update(out),
        }
    }
}

impl Ntp {
    fn is_client(&self) -> bool {
        self.me.0 + 1 == self.n.0
    }

    /// How fast what is known gets older, in millionths: by what both clocks may drift.
    fn aging(&self) -> u32 {
        PHI.max(self.drift.0.saturating_mul(2))
    }

    fn poll(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Poll);
        self.polls -= 1;
        let t1 = out.now();
        for (place, source) in (0..).zip(&mut self.sources) {
            source.t1 = Some(t1);
            out.send(Peer(place), Msg::Req { t1 });
        }
        if self.sources.is_empty() {
            return self.update(out);
        }
        let wait = self.delays.hi.saturating_mul(2).saturating_add(1);
        out.set_timer(Timer::Collect, self.drift.patience(wait));
    }

    /// Follows those who may tell the truth.
    fn update(&mut self, out: &mut impl Outbox<Self>) {
        let now = out.now();
        if self.polls > 0 {
            out.set_timer(Timer::Poll, self.settings.0[PERIOD]);
        }
        self.sources.iter_mut().for_each(|source| source.t1 = None);
        let aging = self.aging();
        let heard: Vec<(Peer, Filtered)> = (0..)
            .map(Peer)
            .zip(&self.sources)
            .filter_map(|(who, source)| source.heard.map(|heard| (who, heard)))
            .collect();
        let is_new = heard.iter().any(|(_, heard)| heard.is_new);
        for heard in self.sources.iter_mut().filter_map(|source| source.heard.as_mut()) {
            heard.is_new = false;
        }
        // What the best sample says now of the true offset; the dispersion of the others is added for the choice.
        let known = |heard: &Filtered| {
            heard.best.delay.over_up(2) + heard.best.dispersion + (now - heard.best.at).millionths(aging)
        };
        let sure: Vec<Candidate> = heard
            .iter()
            .map(|(_, heard)| Candidate { offset: heard.best.offset, distance: known(heard) })
            .collect();
        let rated: Vec<Candidate> = heard
            .iter()
            .zip(&sure)
            .map(|((_, heard), sure)| Candidate { distance: sure.distance + heard.dispersion, ..*sure })
            .collect();
        if !is_new && !heard.is_empty() {
            return out.rule(Rule::Keep);
        }
        let agreed = select(&rated, |(sources, _points), allow| sources as i64 - allow as i64);
        // Who has not answered may be one of those who tell the truth: fewer of the others may lie.
        let liars = self.sources.len().saturating_sub(1) / 2;
        let (Some(agreed), Some((low, high))) = (agreed, surely(&sure, liars)) else {
            let agree = |a: &Candidate| rated.iter().all(|b| (a.offset - b.offset).abs() <= b.distance);
            if !rated.is_empty() && rated.iter().all(agree) {
                out.impossible("whoever lies in the intervals of all others is believed");
            }
            out.rule(Rule::Distrust);
            if self.belief == Belief::Unsynchronised {
                self.belief = Belief::Lost;
            }
            return;
        };
        let truechimers = &agreed.truechimers;
        let offsets: Vec<Ticks> = truechimers.iter().map(|&place| rated[place].offset).collect();
        let jitters: Vec<Ticks> = truechimers.iter().map(|&place| heard[place].1.jitter).collect();
        let weights = truechimers.iter().map(|&place| match self.settings.0[CLUSTER] {
            0 => Ticks::whole(1),
            _ => rated[place].distance,
        });
        let left = cluster(&offsets, &weights.collect::<Vec<_>>(), &jitters);
        let survivors: Vec<Candidate> = left.iter().map(|&place| rated[truechimers[place]]).collect();
        let Some(by) = combine(&survivors) else {
            return out.impossible("where some agree somebody is left");
        };
        out.rule(Rule::Follow);
        self.truechimers = Peers::default();
        for &place in truechimers {
            self.truechimers.insert(heard[place].0);
        }
        if by.abs() < Ticks::whole(i64::from(self.settings.0[STEP])) {
            out.slew(by);
        } else {
            out.adjust(by);
        }
        for source in &mut self.sources {
            source.filter.corrected(by);
            if let Some(heard) = &mut source.heard {
                heard.best.offset -= by;
                heard.best.at += by;
            }
        }
        let bound = (high - by).abs().max((by - low).abs());
        self.belief = Belief::Within { bound, since: now + by, round: 0 };
    }
}

impl Timekeeping for Ntp {
    fn belief(&self) -> Belief {
        self.belief
    }
}
