//! Ring with active lists: everybody collects the identities of all, and takes the largest.
//!
//! **Idea.** A process that starts, or is reached for the first time, sends its identity ahead, and from then on adds
//! every identity that comes by to its list and passes it on. Its own identity is the last to come round: the list is
//! complete, and its largest member is the coordinator.
//!
//! **Needs.** Distinct comparable identities, FIFO links, and a ring of processes that are up: those that crashed
//! before the election are bypassed by the network below. A crash during the election is not tolerated, it takes
//! messages with it. The own identity must go ahead of what is passed on, or somebody closes its list too early.
//!
//! **Cost.** exactly a² for a live processes, whoever starts; nothing is announced
//!
//! **Source.** lecture slides after A. Silberschatz, P. Galvin, Operating System Concepts, 1994
//!
//! ```
//! use ringleader::{election::RingActiveList, sim};
//! let run = sim::elect::<RingActiveList>(&[3, 7, 4]);
//! assert_eq!((run.leader_id(), run.messages), (Some(7), 9));
//! ```

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RingActiveList {
    id: Id,
    /// Who is up, as far as it knows; nobody before it has sent or seen an identity.
    list: Vec<Id>,
    coordinator: Option<Id>,
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// This process is up.
        "elect" Elect { id: Id },
    }
}

rules! {
    /// if there is no list: list := [id]; send elect(id)
    Start,
    /// on elect(j), no list: list := [id, j]; send elect(id), then elect(j)
    First,
    /// on elect(j), with a list, j != id: add j; send elect(j)
    Add,
    /// on elect(id): the list is complete; coordinator := max(list)
    Home,
}

impl Process for RingActiveList {
    const SPEC: Spec = Spec::election("ring-active-list", 1994, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .bypass()
        .elects(Winner::LargestLive, Informed::Live)
        .at_most(Counts::All, Basis::Proved("?"), "a²", |facts| facts.live.checked_mul(facts.live))
        .example("--ids 3,7,4,1 --crash 1@0 --initiators one");
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        RingActiveList { id, list: Vec::new(), coordinator: None }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.list.is_empty() {
            out.rule(Rule::Start);
            self.list.push(self.id);
            out.send(Next, Msg::Elect { id: self.id });
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, Msg::Elect { id }: Msg, out: &mut impl Outbox<Self>) {
        if self.coordinator.is_some() {
            out.impossible("the own identity is the last to come round");
        } else {
            self.take(id, out);
        }
    }
}

impl State for RingActiveList {
    fn fields(&self) -> Fields {
        fields!(self; id, list, coordinator)
    }
}

impl RingActiveList {
    /// An identity comes in.
    #[inline(always)]
    fn take(&mut self, id: Id, out: &mut impl Outbox<Self>) {
        if self.list.is_empty() {
            out.rule(Rule::First);
            self.list.extend([self.id, id]);
            out.send(Next, Msg::Elect { id: self.id });
            out.send(Next, Msg::Elect { id });
        } else if id != self.id {
            out.rule(Rule::Add);
            self.list.push(id);
            out.send(Next, Msg::Elect { id });
        } else {
            out.rule(Rule::Home);
            self.decide();
        }
    }

    /// The list is complete.
    fn decide(&mut self) {
        self.coordinator = self.list.iter().max().copied();
    }
}

impl Election for RingActiveList {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.verdict(), knows: self.knows() }
    }
}

impl RingActiveList {
    #[inline(always)]
    fn verdict(&self) -> Verdict {
        Verdict::of(self.id, self.coordinator)
    }

    fn knows(&self) -> Knows {
        self.coordinator.into()
    }
}

/// The slides taken literally: the list is complete as soon as a foreign identity comes in (erratum 003-4).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct RingActiveListAsPrinted;

impl Variant for RingActiveListAsPrinted {
    type Right = RingActiveList;
    const TEXT: Text = Text {
        name: "ring-active-list@as-printed",
        title: "Ring with active lists, as printed",
        erratum: "003-4",
        idea: "As printed, a process that has a list and gets somebody else's identity takes its list for complete. \
               It neither adds the identity nor passes it on, and decides on what it has: several come to \
               different results, and several lead.",
        rules: &[RuleText {
            name: "add",
            text: "on elect(j), with a list, j != id: the list is complete; coordinator := max(list)",
        }],
        example: "--ids 1,2",
    };

    fn receive(
        &mut self,
        right: &mut RingActiveList,
        _: Next,
        msg: Msg,
        out: &mut impl Outbox<RingActiveList>,
    ) {
        match msg {
            Msg::Elect { id } if !right.list.is_empty() && id != right.id => {
                out.rule(Rule::Add);
                right.decide();
            }
            Msg::Elect { id } => right.take(id, out),
        }
    }
}

/// The slides with the two messages of the first case the other way round (erratum 003-4b).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct RingActiveListOwnLast;

impl Variant for RingActiveListOwnLast {
    type Right = RingActiveList;
    const TEXT: Text = Text {
        name: "ring-active-list@003-4b",
        title: "Ring with active lists, the own identity last",
        erratum: "003-4b",
        idea: "The slides do not say that the order of the two messages in the first case matters. If a process passes \
               on what it got before it sends its own identity, that one is behind: the starter's identity is home \
               before the others have come by, and its list is closed too early.",
        rules: &[RuleText {
            name: "first",
            text: "on elect(j), no list: list := [id, j]; send elect(j), then elect(id)",
        }],
        example: "--ids 1,2 --initiators one",
    };

    fn receive(
        &mut self,
        right: &mut RingActiveList,
        _: Next,
        msg: Msg,
        out: &mut impl Outbox<RingActiveList>,
    ) {
        match msg {
            Msg::Elect { id } if right.list.is_empty() => {
                out.rule(Rule::First);
                right.list.extend([right.id, id]);
                out.send(Next, Msg::Elect { id });
                out.send(Next, Msg::Elect { id: right.id });
            }
            Msg::Elect { id } => right.take(id, out),
        }
    }
}
