//! List-collecting ring: one message goes round and collects who is up, a second tells the largest of them.
//!
//! **Idea.** An initiator sends a list round the ring to which everybody appends itself. When it is back its largest
//! member is the coordinator, and a second lap tells everybody. Several initiators come to the same result
//! independently.
//!
//! **Needs.** A ring that is closed over those that are down: who crashes during the election takes a list with it.
//! Neither FIFO links nor the ring's size, for each list is a matter of its own.
//!
//! **Cost.** exactly 2a for each initiator, a to collect and a to tell, of a live processes; a list holds up to a
//! identities
//!
//! **Source.** lecture slides after A. Tanenbaum, Modern Operating Systems, 1992
//!
//! ```
//! use ringleader::{election::RingCollect, sim};
//! let run = sim::elect::<RingCollect>(&[3, 7, 4]);
//! assert_eq!((run.leader_id(), run.messages), (Some(7), 18));
//! ```

use crate::model::*;

state! {
    pub struct RingCollect {
        id: Id,
        coordinator: Option<Id> = None,
        outcome = |me| Decision::of(me.id, me.coordinator),
        drawn = [coordinator: leader],
    }
}

messages! {
    pub enum Msg {
        /// Who is up, in the order of the ring; the initiator is the first.
        "election" Election { list: Vec<Id> },
        /// The largest of them, and who found out.
        announces "coordinator" Coordinator { id: Id, origin: Id },
    }
}

rules! {
    /// send election([id])
    Start,
    /// on election(L), L begins with id: send coordinator(max(L), id)
    Home,
    /// on election(L) otherwise: append id; send election(L)
    Append,
    /// on coordinator(x, o): coordinator := x; if o != id: send coordinator(x, o)
    Coordinator,
}

impl Process for RingCollect {
    const SPEC: Spec = Spec::election("ring-collect", 1992, include_str!("mod.rs"))
        .family(Family::Collect)
        .errata(include_str!("errata.md"))
        .reached(Reached::Relays)
        .bypass()
        .elects(Winner::LargestLive, Informed::Live)
        .proved("counting: two laps for each initiator")
        .at_most_of(Counts::All, "2a·k", |facts| facts.live.checked_mul(2 * facts.initiators))
        .schedules(Schedules::Same)
        .example("--ids 3,7,4,1 --crash 1@0 --initiators one");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Start);
        out.send(Next, Msg::Election { list: vec![self.id] });
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Election { list } if list.first() == Some(&self.id) => {
                out.rule(Rule::Home);
                let largest = list.iter().copied().fold(self.id, Id::max);
                out.send(Next, Msg::Coordinator { id: largest, origin: self.id });
            }
            Msg::Election { mut list } => {
                out.rule(Rule::Append);
                list.push(self.id);
                out.send(Next, Msg::Election { list });
            }
            Msg::Coordinator { id, origin } => {
                out.rule(Rule::Coordinator);
                self.coordinator = Some(id);
                if origin != self.id {
                    out.send(Next, Msg::Coordinator { id, origin });
                }
            }
        }
    }
}
