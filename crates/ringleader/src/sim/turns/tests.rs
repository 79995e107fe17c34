//! Two tokens that arrive together: what carries one is counted by itself.

use crate::model::{
    Exclusion, Fields, Launch, Never, Next, Order, Outbox, Process, Promises, Spec, Stage, State, User,
    fields, messages,
};
use crate::sim::{Entries, Observer, Scenario, Workload, run_exclusion};

messages! {
    /// What travels on the ring.
    enum Msg {
        /// Who has it may enter.
        "ping" Ping,
        /// It only travels with the other.
        "pong" Pong,
    }
}

/// A ring on which two tokens travel side by side.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Pair {
    user: Stage,
    launches: bool,
}

impl Process for Pair {
    const SPEC: Spec = Spec {
        promises: Promises::Exclusion { order: Order::Ring, falls_silent: false },
        ..Spec::election("pair", 2026, "")
    };
    type Given = Launch;
    type Port = Next;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(launch: Launch) -> Self {
        Pair { user: Stage::Idle, launches: launch == Launch::Sends }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.launches {
            out.send(Next, Msg::Ping {});
            out.send(Next, Msg::Pong {});
        }
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (&msg, self.user) {
            (Msg::Ping {}, Stage::Waiting) => self.user = Stage::Inside,
            (Msg::Ping {}, Stage::Idle | Stage::Inside) | (Msg::Pong {}, _) => out.send(Next, msg),
        }
    }
}

impl State for Pair {
    fn fields(&self) -> Fields {
        fields!(self; user)
    }
}

impl User for Pair {
    fn stage(&self) -> Stage {
        self.user
    }
}

impl Exclusion for Pair {
    const TOKENS: &'static [&'static str] = &["ping", "pong"];

    fn request(&mut self, _: &mut impl Outbox<Self>) {
        self.user = Stage::Waiting;
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        self.user = Stage::Idle;
        out.send(Next, Msg::Ping {});
    }

    fn tokens(&self) -> u32 {
        u32::from(self.user == Stage::Inside)
    }
}

/// Somebody who looks on after every step.
struct Spectator;

impl Observer for Spectator {
    fn wants_moves(&self) -> bool {
        true
    }
}

#[test]
fn tokens_arriving_together_count_singly() {
    for n in [2, 3, 7] {
        for max_steps in (1..60).map(Some) {
            let workload = Workload { entries: Entries::Each(2), ..Workload::default() };
            let scenario = Scenario { workload, max_steps, ..Scenario::new(n) };
            let report = run_exclusion::<Pair>(&scenario, &mut ()).expect("the contract admits it");
            let watched = run_exclusion::<Pair>(&scenario, &mut Spectator).expect("the contract admits it");
            assert_eq!(report, watched, "{n} {max_steps:?}");
            let tokens = report.properties.iter().find(|property| property.name.contains("tokens"));
            assert!(tokens.is_some_and(|property| property.holds), "{n} {max_steps:?}");
        }
    }
}
