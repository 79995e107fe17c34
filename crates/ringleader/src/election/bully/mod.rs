//! Bully: whoever finds the coordinator gone asks everybody larger; the largest that is up takes over.
//!
//! **Idea.** A process that starts an election asks everybody larger. If one answers, it waits for the new coordinator;
//! if nobody does within the time a message and its answer can take, they are down, and it tells everybody smaller that
//! it leads. Whoever is asked answers and holds an election of its own.
//!
//! **Needs.** A bound D on the delay of messages, because silence must mean that somebody is down, and somebody who
//! notices that the coordinator is. Links may deliver in any order.
//!
//! **Cost.** the largest down, process i alone starts, m = n-1-i processes above it: m(m+1)/2 election, m(m-1)/2
//! answer, n-2 coordinator, together m²+n-2; best n-1, worst n²-n-1; otherwise no bound is claimed
//!
//! **Source.** H. Garcia-Molina, IEEE Trans. Computers C-31(1):48-59, 1982
//!
//! If all start at once and delays vary it can be very many, for every late ELECTION finds an idle process, which
//! starts again: with delays of 1 to 10 and seed 1, 326 messages at n = 8 and 67,883 at n = 16.
//!
//! ```
//! use ringleader::{election::Bully, sim::{self, Fault, Initiators, Scenario}};
//! let faults = vec![Fault::Crash { process: 3, at: 0 }];
//! let scenario = Scenario { faults, initiators: Initiators::One, ..Scenario::new(4) };
//! let run = sim::run_election::<Bully>(&scenario, &mut ()).unwrap();
//! assert_eq!(run.messages, 4 * 4 - 4 - 1); // the worst case: the largest down, the smallest starts
//! ```

use crate::model::*;
use Mode::*;

state! {
    pub struct Bully {
        me: Peer,
        hidden n: Size,
        hidden max_delay: MaxDelay,
        mode: Mode = Idle,
        leader: Option<Peer> = None,
        outcome = |bully| Decision::named(bully.me, bully.leader),
        drawn = [leader: leader],
    }

    /// What a process is doing.
    enum Mode {
        Idle,
        AwaitAnswer = "await answer",
        AwaitCoordinator = "await coordinator",
    }
}

names! {
    /// What a process waits for, but not for ever.
    pub enum Timer {
        Answer = "answer",
        Coordinator = "coordinator",
    }
}

messages! {
    pub enum Msg {
        /// To a larger process: are you up?
        "election" Election,
        /// To a smaller one: I am, leave it to me.
        "answer" Answer,
        /// To all smaller ones: I lead.
        announces "coordinator" Coordinator,
    }
}

rules! {
    /// (also after a recovery) if idle: leader := none; send ELECTION to all larger, wait T for an answer; nobody
    /// larger: leader := me, send COORDINATOR to all smaller
    Start,
    /// on ELECTION from a smaller process: send ANSWER; start if idle
    Election,
    /// on ANSWER, waiting for one: wait T' for the coordinator
    Answer,
    /// on ANSWER otherwise: nothing
    Late,
    /// T is over: leader := me; idle; send COORDINATOR to all smaller
    Silence,
    /// T' is over: start again
    Again,
    /// on COORDINATOR from j: leader := j; idle
    Coordinator,
    /// on COORDINATOR from j < me, or from j smaller than the recorded leader: start if idle
    Object,
    /// the leader is said to be down: start if idle
    Suspect,
}

impl Process for Bully {
    const SPEC: Spec = Spec::election("bully", 1982, include_str!("mod.rs"))
        .family(Family::Outrank)
        .errata(include_str!("errata.md"))
        .reached(Reached::Relays)
        .timing(Timing::BoundedDelay)
        .detector()
        .tolerates(Tolerates { crash: true, recovery: true, ..Tolerates::NOTHING })
        .elects(Winner::LargestLive, Informed::Live)
        .proved("counting: m ask all above once, those that are up answer, one tells all below")
        .at_most_of(Counts::All, "m²+n-2", |facts| {
            match (facts.n, facts.initiators, facts.top_down, facts.other_faults) {
                (1, _, 0, 0) => Some(0),
                (n, 1, 1, 0) => {
                    let above = n.checked_sub(1 + facts.first_initiator).filter(|&m| m > 0);
                    above.map(|m| m * m + n - 2)
                }
                (_, _, _, _) => None,
            }
        })
        .example("-n 5 --crash 4@0 --initiators 0");
    types! { Port = Peer, Timer = Timer }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Start);
        self.begin(out);
    }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.mode) {
            (Msg::Election {}, _) if from > self.me => out.impossible("only smaller processes ask"),
            (Msg::Election {}, _) => {
                out.rule(Rule::Election);
                out.send(from, Msg::Answer {});
                self.begin(out);
            }
            (Msg::Answer {}, AwaitAnswer) => {
                out.rule(Rule::Answer);
                out.stop_timer(Timer::Answer);
                out.set_timer(Timer::Coordinator, self.coordinator_timeout());
                self.mode = AwaitCoordinator;
            }
            (Msg::Answer {}, Idle | AwaitCoordinator) => out.rule(Rule::Late),
            (Msg::Coordinator {}, _) if from < self.me || self.leader.is_some_and(|leader| leader > from) => {
                out.rule(Rule::Object);
                self.begin(out);
            }
            (Msg::Coordinator {}, _) => {
                out.rule(Rule::Coordinator);
                out.stop_timer(Timer::Answer);
                out.stop_timer(Timer::Coordinator);
                self.mode = Idle;
                self.leader = Some(from);
            }
        }
    }

    fn timeout(&mut self, timer: Timer, out: &mut impl Outbox<Self>) {
        match (timer, self.mode) {
            (Timer::Answer, AwaitAnswer) => {
                out.rule(Rule::Silence);
                self.win(out);
            }
            (Timer::Coordinator, AwaitCoordinator) => {
                out.rule(Rule::Again);
                self.mode = Idle;
                self.begin(out);
            }
            (Timer::Answer, Idle | AwaitCoordinator) | (Timer::Coordinator, Idle | AwaitAnswer) => {
                out.impossible("this timer was stopped");
            }
        }
    }

    fn suspect(&mut self, who: Peer, out: &mut impl Outbox<Self>) {
        if self.leader == Some(who) {
            out.rule(Rule::Suspect);
            self.begin(out);
        }
    }
}

impl Bully {
    /// Asks everybody larger, if idle.
    fn begin(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode != Idle {
            return;
        }
        self.leader = None;
        if self.me.0 + 1 == self.n.0 {
            return self.win(out);
        }
        out.send_all(self.me.larger(self.n), Msg::Election {});
        out.set_timer(Timer::Answer, self.answer_timeout());
        self.mode = AwaitAnswer;
    }

    /// Nobody larger is up.
    fn win(&mut self, out: &mut impl Outbox<Self>) {
        self.mode = Idle;
        self.leader = Some(self.me);
        out.send_all(self.me.smaller(), Msg::Coordinator {});
    }

    /// T = 2D + 1, longer than a question and its answer take.
    fn answer_timeout(&self) -> u32 {
        self.max_delay.0.saturating_mul(2).saturating_add(1)
    }

    /// T' = T + 2D, longer than the largest that is up needs to be asked, to wait in vain and to say so.
    fn coordinator_timeout(&self) -> u32 {
        self.answer_timeout().saturating_add(self.max_delay.0.saturating_mul(2))
    }
}
