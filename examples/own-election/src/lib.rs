//! Roll call: an election of our own, in which everybody hears everybody.
//!
//! **Idea.** Every identity goes once round the ring. Who has heard n of them knows the largest.

use ringleader::{model::*, registry::Entry};

/// All that the command line needs to know about this crate.
pub static REGISTRY: &[Entry] = &[Entry::election::<RollCall>()];

state! {
    /// One process: who it is, the largest identity it has heard, and how many it has yet to hear.
    pub struct RollCall {
        id: Id,
        told n: Size,
        largest: Id = id,
        missing: u32 = n.0,
        outcome = |me| Decision::of(me.id, (me.missing == 0).then_some(me.largest)),
    }
}

messages! {
    /// An identity on its way, and how far it has to go.
    pub enum Msg { "call" Call { id: Id, hops: u32 } }
}

rules! {
    /// send call(id, n)
    Start,
    /// on call(v, h): remember the largest v; one less is missing; if h > 1, send call(v, h - 1)
    Call,
}

impl Process for RollCall {
    const SPEC: Spec = Spec::election("roll-call", 2026, include_str!("lib.rs"))
        .proved("counting: n identities, n hops each")
        .at_most(Counts::All, "n²", |n| n * n)
        .example("-n 3");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Start);
        out.send(Next, Msg::Call { id: self.id, hops: self.missing });
    }

    fn receive(&mut self, _: Next, Msg::Call { id, hops }: Msg, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Call);
        self.largest = self.largest.max(id);
        self.missing = self.missing.saturating_sub(1);
        if hops > 1 {
            out.send(Next, Msg::Call { id, hops: hops - 1 });
        }
    }
}
