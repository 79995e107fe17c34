//! The list-collecting ring: one message goes round and collects who is up, a second tells the largest of them.
//!
//! **Idea.** An initiator sends a list with its own identity round the ring. Everybody appends itself and passes it on.
//! When the list comes back to the one whose identity is first in it, it has been everywhere: its largest member is the
//! coordinator, and a second lap says so. Several initiators do that independently, with the same result.
//!
//! **Needs.** Distinct comparable identities and a ring of processes that are up: those that crashed before the
//! election are bypassed by the network below. A crash during the election is not tolerated. Neither FIFO links nor
//! the ring's size are needed: each list is a matter of its own.
//!
//! **Cost.** Exactly 2a messages for each initiator, of a live processes: a lap to collect and a lap to tell. But the
//! messages grow: a list holds up to a identities.
//!
//! **Source.** Lecture slides on coordinator election ("token ring"). The example forgets process 4 on its second lap
//! (erratum 003-6).
//!
//! ```
//! use ringleader::{election::RingCollect, sim};
//! let run = sim::elect::<RingCollect>(&[3, 7, 4]);
//! assert_eq!((run.leader_id(), run.messages), (Some(7), 18));
//! ```

use crate::model::{
    Bound, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Needs, Never, Next, Outbox, Process,
    Promises, Reached, Rule, Schedules, Spec, Verdict, Winner, fields, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RingCollect {
    id: Id,
    coordinator: Option<Id>,
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// Who is up, in the order of the ring; the initiator is the first.
        "election" Election { list: Vec<Id> },
        /// The largest of them, and who found out.
        announces "coordinator" Coordinator { id: Id, origin: Id },
    }
}

impl Process for RingCollect {
    const SPEC: Spec = SPEC;
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        RingCollect { id, coordinator: None }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("start");
        out.send(Next, Msg::Election { list: vec![self.id] });
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Election { list } if list.first() == Some(&self.id) => {
                out.rule("home");
                let largest = list.iter().copied().fold(self.id, Id::max);
                out.send(Next, Msg::Coordinator { id: largest, origin: self.id });
            }
            Msg::Election { mut list } => {
                out.rule("append");
                list.push(self.id);
                out.send(Next, Msg::Election { list });
            }
            Msg::Coordinator { id, origin } => {
                out.rule("coordinator");
                self.coordinator = Some(id);
                if origin != self.id {
                    out.send(Next, Msg::Coordinator { id, origin });
                }
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; id, coordinator)
    }
}

impl Election for RingCollect {
    fn verdict(&self) -> Verdict {
        Verdict::of(self.id, self.coordinator)
    }

    fn knows(&self) -> Knows {
        self.coordinator.into()
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "ring-collect",
    aliases: &[],
    title: "List-collecting ring",
    year: 1992,
    source: "lecture slides after A. Tanenbaum, Modern Operating Systems, 1992",
    idea: "An initiator sends a list round the ring to which everybody appends itself. When it is back its largest \
           member is the coordinator, and a second lap tells everybody. Several initiators come to the same result \
           independently.",
    needs: Needs { reached: Reached::Relays, bypass: true, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::LargestLive, informed: Informed::Live },
    cost: Cost {
        worst: Some(Bound {
            formula: "2a·k",
            counts: Counts::All,
            value: |facts| facts.live.checked_mul(2 * facts.initiators),
        }),
        average: None,
        words: "exactly 2a for each initiator, a to collect and a to tell, of a live processes; a list holds up to \
                a identities",
        schedules: Schedules::Same,
        ..Cost::UNKNOWN
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule { name: "start", text: "send election([id])" },
        Rule { name: "home", text: "on election(L), L begins with id: send coordinator(max(L), id)" },
        Rule { name: "append", text: "on election(L) otherwise: append id; send election(L)" },
        Rule {
            name: "coordinator",
            text: "on coordinator(x, o): coordinator := x; if o != id: send coordinator(x, o)",
        },
    ],
    errata: &[
        Erratum {
            id: "003-6",
            text: "the coordinator lap of the example, 5, 0, 1, 3, leaves out process 4, which the election lap \
                   passed",
        },
        Erratum {
            id: "003-7",
            text: "the slides call three different algorithms 'the ring algorithm': this one, the one with active \
                   lists, and Chang-Roberts",
        },
        Erratum {
            id: "003-8",
            text: "somebody below must bypass crashed processes; a crash during the election can take messages \
                   with it",
        },
    ],
    example: "--ids 3,7,4,1 --crash 1@0 --initiators one",
};
