//! Ring with active lists: everybody collects the identities of all, and takes the largest.
//!
//! **Idea.** A process that starts, or is reached for the first time, sends its identity ahead, and from then on adds
//! every identity that comes by to its list and passes it on. Its own identity is the last to come round: the list is
//! complete, and its largest member is the coordinator.
//!
//! **Needs.** FIFO links: an identity that falls behind what it went ahead of lets somebody close its list too early.
//! And a ring that is closed over those that are down: who crashes during the election takes messages with it.
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

state! {
    pub struct RingActiveList {
        id: Id,
        /// Who is up, as far as it knows; nobody before it has sent or seen an identity.
        list: Vec<Id> = Vec::new(),
        coordinator: Option<Id> = None,
        outcome = |me| Decision::of(me.id, me.coordinator),
        drawn = [coordinator: leader],
    }
}

messages! {
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
        .family(Family::Collect)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .bypass()
        .elects(Winner::LargestLive, Informed::Live)
        .proved("counting: a identities, a hops each")
        .at_most_of(Counts::All, "a²", |facts| facts.live.checked_mul(facts.live))
        .example("--ids 3,7,4,1 --crash 1@0 --initiators one");
    types! { Port = Next }

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
            out.impossible("its own identity is the last to come round");
        } else if self.list.is_empty() {
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
            self.coordinator = self.list.iter().max().copied();
        }
    }
}
