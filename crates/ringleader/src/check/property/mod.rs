//! What must hold, one property in each file. Which of them are asked follows from what the contract promises; users
//! add their own.

pub(crate) mod bound;
mod bypass;
mod clean;
pub(crate) mod ends;
mod final_verdicts;
mod informed;
pub(crate) mod nobody_waits;
mod one_in_the_end;
mod one_leader;
mod one_token;
mod order;
pub(crate) mod possible;
mod two_inside;
mod winner;

use super::space::{Common, Parts, Space};
use super::stimulus::Facts;
use crate::model::{Id, Knows, Order, Promises, Spec, Stage, Value, Verdict, Winner};

/// Something that must hold.
pub trait Property: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// What it looks at. Steps that change nothing of it may be taken in any order.
    fn watches(&self) -> Watch;

    /// Asked of every state that a step leads to which changes what it watches.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let _ = state;
        Ok(())
    }

    /// Asked of every such step.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn step(&self, step: &Step<'_>) -> Result<(), String> {
        let _ = step;
        Ok(())
    }

    /// Asked of every state in which nothing more will happen unless somebody wants in or something fails.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        let _ = state;
        Ok(())
    }
}

/// What a property looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// How runs end, and what single processes do; not which of several processes moved first.
    Ends,
    /// Who is inside, and who waits.
    Stages,
    /// Everything: no step may be left out.
    Everything,
}

/// A state, to be looked at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(super) case: &'a Case,
    pub(super) space: &'a Space,
    pub(super) parts: &'a Parts,
    pub(super) state: &'a [u32],
}

/// A step, to be looked at.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The state before.
    pub before: View<'a>,
    /// The state after.
    pub after: View<'a>,
    /// Who moved.
    pub process: u32,
    /// A case that the proof excludes, if one arose.
    pub impossible: Option<&'static str>,
}

/// What is fixed in a search.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) ids: Vec<Id>,
    pub(crate) initiators: Vec<bool>,
}

impl View<'_> {
    fn facts(&self, process: u32) -> &Facts {
        self.parts.facts(self.state[process as usize])
    }

    pub(super) fn common(&self) -> &Common {
        self.parts.commons.value(self.state[self.space.common()])
    }

    /// The number of processes.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.space.n
    }

    /// All processes.
    pub fn everybody(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.space.n
    }

    /// What a process says about itself; undecided where this is no election.
    #[must_use]
    pub fn verdict(&self, process: u32) -> Verdict {
        self.facts(process).verdict
    }

    /// What a process knows about the leader.
    #[must_use]
    pub fn knows(&self, process: u32) -> Knows {
        self.facts(process).knows
    }

    /// Where the user of a process stands.
    #[must_use]
    pub fn stage(&self, process: u32) -> Stage {
        self.facts(process).stage
    }

    /// Whether a process is down.
    #[must_use]
    pub fn is_down(&self, process: u32) -> bool {
        self.facts(process).down
    }

    /// Whether a process starts of its own accord.
    #[must_use]
    pub fn is_initiator(&self, process: u32) -> bool {
        self.case.initiators[process as usize]
    }

    /// The identity of a process.
    #[must_use]
    pub fn id(&self, process: u32) -> Id {
        self.case.ids[process as usize]
    }

    /// A local variable of a process, by its name.
    #[must_use]
    pub fn field(&self, process: u32, name: &str) -> Option<Value> {
        let fields = self.parts.locals.fields(self.state[process as usize]);
        fields.into_iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    /// How many messages of a kind are on their way.
    #[must_use]
    pub fn in_transit(&self, kind: &str) -> usize {
        self.parts.travelling(self.space, self.state, kind)
    }

    /// Those who lead and are up.
    pub(super) fn leaders(&self) -> Vec<u32> {
        self.everybody().filter(|&i| !self.is_down(i) && self.verdict(i) == Verdict::Leader).collect()
    }

    /// Whether what a process knows is this leader.
    pub(super) fn knows_that(&self, process: u32, leader: u32) -> bool {
        match self.knows(process) {
            Knows::Nothing => false,
            Knows::ThereIsOne => true,
            Knows::Identity(id) => id == self.id(leader),
            Knows::Name(peer) => peer.0 == leader,
        }
    }
}

/// The properties that a contract promises, deadlock and message counts aside.
pub(crate) fn promised(spec: &Spec, tokens: &'static [&'static str]) -> Vec<Box<dyn Property>> {
    let mut list: Vec<Box<dyn Property>> = Vec::new();
    match spec.promises {
        Promises::Election { winner: who, informed: whom } => {
            // While processes come and go two may believe that they lead; what counts is how it ends.
            if spec.keeps_its_leader() {
                list.push(Box::new(one_leader::OneLeader));
                list.push(Box::new(final_verdicts::FinalVerdicts));
            }
            list.push(Box::new(clean::Clean));
            list.push(Box::new(one_in_the_end::OneInTheEnd));
            if who != Winner::Any {
                list.push(Box::new(winner::PromisedWinner(who)));
            }
            list.push(Box::new(informed::Told(whom)));
        }
        Promises::Exclusion { order: how, .. } => {
            list.push(Box::new(two_inside::NeverTwoInside));
            list.push(Box::new(clean::Clean));
            if !tokens.is_empty() {
                list.push(Box::new(one_token::OneToken(tokens)));
            }
            match how {
                Order::Priority => list.push(Box::new(order::InOrder)),
                Order::Ring => list.push(Box::new(bypass::OnceEach)),
                Order::Fair => {}
            }
            list.push(Box::new(nobody_waits::NobodyWaits));
        }
    }
    list
}
