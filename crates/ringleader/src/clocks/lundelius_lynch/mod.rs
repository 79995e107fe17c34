//! Lundelius-Lynch: everybody shows its clock once, and each moves its own by the mean of the differences.
//!
//! **Idea.** When its own clock shows T0, a process says so to all others. Who hears it knows what the other's clock
//! shows now, to within half the uncertainty u of the delays, and so how far its own is from it. The mean of these
//! differences, its own 0 among them, is the correction. Nothing can do better for all delays.
//!
//! **Needs.** The least and the longest delay, and a T0 that no clock shows yet when it starts (`--set at=T0`). Clocks
//! that do not drift, for the bound; with drift the promise grows.
//!
//! **Cost.** n(n-1) messages; clocks within u(1-1/n) of each other, which is the best possible
//!
//! **Source.** J. Lundelius, N. Lynch, Information and Control 62:190-204, 1984
//!
//! ```
//! use ringleader::{clocks::LundeliusLynch, sim::{self, Scenario}};
//! let run = sim::run_clocks::<LundeliusLynch>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.holds());
//! assert_eq!(run.messages, 4 * 3);
//! ```

use crate::model::*;

state! {
    pub struct LundeliusLynch {
        me: Peer,
        hidden n: Size,
        hidden delays: Delays,
        hidden settings: Settings,
        /// Whose clocks it knows.
        heard: Peers = Peers::default(),
        /// The sum of the differences to them.
        sum: Ticks = Ticks::ZERO,
        /// What its clock showed when the first of them was measured.
        hidden since: Option<Ticks> = None,
        hidden belief: Belief = Belief::Unsynchronised,
        bound = |me| if let Belief::Within { bound, .. } = me.belief { Some(bound) } else { None },
    }
}

names! {
    /// What a process waits for.
    pub enum Timer {
        Show = "show",
    }
}

messages! {
    pub enum Msg {
        /// My clock shows T0.
        "show" Show,
    }
}

rules! {
    /// at the beginning: wait until the own clock shows T0
    Wait,
    /// at the beginning, the own clock showing more than T0 already: contact is lost
    Missed,
    /// the own clock shows T0: send show to all others
    Show,
    /// on show from j, the own clock showing h: diff[j] := T0 + (lo+hi)/2 - h
    Hear,
    /// all n-1 are in: adjust by (0 + the sum of diff[j])/n
    Adjust,
}

impl Process for LundeliusLynch {
    const SPEC: Spec = Spec::clocks("lundelius-lynch", 1984, include_str!("mod.rs"), Against::EachOther)
        .errata(include_str!("errata.md"))
        .proved("counting: everybody shows its clock to everybody else")
        .at_most(Counts::All, "n(n-1)", |n| n * (n - 1))
        .settings(&[Setting::number(
            "at",
            "what the clocks show when they are compared, in ticks",
            (0, 1_000_000_000),
            12,
        )])
        .example("-n 3 --schedule delay:uniform:4:16 --clock-offset 0,5,-7");
    types! { Port = Peer, Timer = Timer }

    fn refuses(around: &Surroundings) -> Option<(String, String)> {
        let latest = around.clocks.iter().map(|clock| clock.0).max().unwrap_or(0);
        let at = around.settings.0[0];
        (latest > i64::from(at)).then(|| {
            (
                format!("a clock shows {latest} at the beginning, which is later than T0 = {at}"),
                format!("choose a T0 that no clock shows yet: --set at={}", latest + 1),
            )
        })
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Wait);
        let left = self.t0() - out.now();
        if left < Ticks::ZERO {
            // To show it now would be a lie.
            out.rule(Rule::Missed);
            self.belief = Belief::Lost;
            return;
        }
        let ticks = left.over_up(Ticks::PARTS).parts();
        out.set_timer(Timer::Show, u32::try_from(ticks).unwrap_or(0));
    }

    fn receive(&mut self, from: Peer, Msg::Show {}: Msg, out: &mut impl Outbox<Self>) {
        if !self.heard.insert(from) {
            return out.impossible("everybody shows its clock once");
        }
        out.rule(Rule::Hear);
        let half = Ticks::ratio(i64::from(self.delays.lo) + i64::from(self.delays.hi), 2);
        let ahead = self.t0() + half - out.now();
        self.sum += ahead;
        let bound = Ticks::whole(self.delays.uncertainty()).over_up(2);
        out.estimate(Estimate { of: from, ahead, round_trip: None, bound });
        self.measured(out.now() - Ticks::whole(i64::from(self.delays.hi)));
        self.finish(out);
    }

    fn timeout(&mut self, timer: Timer, out: &mut impl Outbox<Self>) {
        match timer {
            Timer::Show => {
                out.rule(Rule::Show);
                out.send_all(self.me.others(self.n), Msg::Show {});
                if self.n.0 == 1 {
                    self.measured(out.now());
                    self.finish(out);
                }
            }
        }
    }
}

impl LundeliusLynch {
    fn t0(&self) -> Ticks {
        Ticks::whole(i64::from(self.settings.0[0]))
    }

    /// From then on clocks that drift may have come further apart.
    fn measured(&mut self, since: Ticks) {
        self.since = Some(self.since.map_or(since, |earlier| earlier.min(since)));
    }

    /// Adjusts the clock once all others are in.
    fn finish(&mut self, out: &mut impl Outbox<Self>) {
        let n = i64::from(self.n.0);
        if self.heard.len() as i64 != n - 1 {
            return;
        }
        out.rule(Rule::Adjust);
        let by = self.sum.over(n);
        out.adjust(by);
        // Two clocks end within u(1 - 1/n) of each other: half of that is for each of the two to promise.
        let bound = (Ticks::whole(self.delays.uncertainty()) * (n - 1)).over_up(2 * n);
        let rounded = if by * n == self.sum { Ticks::ZERO } else { Ticks::PART };
        let since = self.since.unwrap_or_default() + by;
        self.belief = Belief::Within { bound: bound + rounded, since, round: 1 };
    }
}

impl Timekeeping for LundeliusLynch {
    fn belief(&self) -> Belief {
        self.belief
    }
}
