//! A token ring on which somebody lets the token pass: the second entry of another is found.

use super::*;
use crate::check::{Answer, Scope, exclusion};
use crate::model::{
    Exclusion, Fields, Launch, Never, Next, Order, Outbox, Process, Promises, Spec, State, User, fields,
    messages,
};
use crate::scenario::Entries;

messages! {
    /// What travels on the ring.
    enum Msg {
        /// The privilege.
        "token" Token,
    }
}

/// A token ring on which the last process lets the token pass three times before it enters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Polite {
    user: Stage,
    launches: bool,
    passes: u8,
}

impl Process for Polite {
    const SPEC: Spec = Spec {
        promises: Promises::Exclusion { order: Order::Ring, falls_silent: false },
        ..Spec::election("polite", 2026, "")
    };
    type Given = Launch;
    type Port = Next;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(launch: Launch) -> Self {
        let launches = launch == Launch::Sends;
        Polite { user: Stage::Idle, launches, passes: if launches { 3 } else { 0 } }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.launches {
            out.send(Next, Msg::Token {});
        }
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        if self.user == Stage::Waiting && self.passes == 0 {
            self.user = Stage::Inside;
            return;
        }
        if self.user == Stage::Waiting {
            self.passes -= 1;
        }
        out.send(Next, msg);
    }
}

impl State for Polite {
    fn fields(&self) -> Fields {
        fields!(self; user, passes)
    }
}

impl User for Polite {
    fn stage(&self) -> Stage {
        self.user
    }
}

impl Exclusion for Polite {
    const TOKENS: &'static [&'static str] = &["token"];

    fn request(&mut self, _: &mut impl Outbox<Self>) {
        self.user = Stage::Waiting;
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        self.user = Stage::Idle;
        out.send(Next, Msg::Token {});
    }

    fn tokens(&self) -> u32 {
        u32::from(self.user == Stage::Inside)
    }
}

/// What is found wrong when this process of so many wants in twice, and the polite one once.
fn found(n: u32, who: u32) -> Vec<&'static str> {
    let mut entries = vec![0; n as usize];
    (entries[who as usize], entries[n as usize - 1]) = (2, 1);
    let scope = Scope { entries: Entries::Listed(entries), safety_only: true, ..Scope::new(n) };
    let findings = exclusion::<Polite>(&scope, &[], &()).expect("the contract admits it");
    let broken = findings.properties.iter().filter(|finding| finding.answer == Answer::Violated);
    broken.map(|finding| finding.name).collect()
}

#[test]
fn second_entry_is_found_for_every_n() {
    for (n, who) in [(3, 0), (64, 62), (65, 63), (70, 68), (200, 69), (200, 198)] {
        assert_eq!(found(n, who), [ONCE_EACH], "process {who} of {n}");
    }
}
