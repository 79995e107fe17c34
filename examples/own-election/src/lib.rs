//! Roll call, an election of our own: every identity goes once round the ring, so everybody hears the largest.

use ringleader::{model::*, registry::Entry};

/// All that the command line needs to know about this crate.
pub static REGISTRY: &[Entry] = &[Entry::election::<RollCall>()];

/// One process: who it is, the largest identity it has heard, and how many it has yet to hear.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RollCall {
    id: Id,
    largest: Id,
    missing: u32,
}

messages! {
    /// An identity on its way, and how far it has to go.
    pub enum Msg { "call" Call { id: Id, hops: u32 } }
}

impl Process for RollCall {
    const SPEC: Spec = Spec {
        idea: "Every identity goes once round the ring. Who has heard n of them knows the largest.",
        cost: Cost::at_most("n²", |facts| Some(facts.n * facts.n)),
        ..Spec::named("roll-call", "Roll call")
    };
    type Given = (Id, Size);
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new((id, n): (Id, Size)) -> Self {
        RollCall { id, largest: id, missing: n.0 }
    }
    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.send(Next, Msg::Call { id: self.id, hops: self.missing });
    }
    fn receive(&mut self, _: Next, Msg::Call { id, hops }: Msg, out: &mut impl Outbox<Self>) {
        self.largest = self.largest.max(id);
        self.missing = self.missing.saturating_sub(1);
        if hops > 1 {
            out.send(Next, Msg::Call { id, hops: hops - 1 });
        }
    }
    fn fields(&self) -> Fields {
        fields!(self; id, largest, missing)
    }
}

impl Election for RollCall {
    fn verdict(&self) -> Verdict {
        Verdict::of(self.id, (self.missing == 0).then_some(self.largest))
    }
    fn knows(&self) -> Knows {
        (self.missing == 0).then_some(self.largest).into()
    }
}
