//! What chains differ in: what is done while somebody waits.

use super::{Chain, HOME, Msg, Rule};
use crate::model::*;
use core::fmt::Debug;
use core::hash::Hash;

/// What a process does besides while it waits: nothing where no message is lost, asking again where some are.
pub trait Waits: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The contract.
    const SPEC: Spec;
    /// What a process is told at birth.
    type Given: Given;
    /// Its timers.
    type Timer: Name;

    /// Its name, and how many ticks it is patient.
    fn told(given: Self::Given) -> (Peer, u32);

    /// It has asked, and waits.
    fn begins(chain: &Chain<Self>, out: &mut impl Outbox<Chain<Self>>) {
        let _ = (chain, out);
    }

    /// A timer runs out.
    fn timeout(chain: &mut Chain<Self>, timer: Self::Timer, out: &mut impl Outbox<Chain<Self>>) {
        let _ = (chain, timer, out);
    }

    /// The token has come.
    fn ends(out: &mut impl Outbox<Chain<Self>>) {
        let _ = out;
    }
}

/// Whoever has asked waits, and does nothing else.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Patiently;

impl<W: Waits> Chain<W> {
    /// A request goes to the home; the home asks itself.
    pub(super) fn ask(&mut self, n: u64, out: &mut impl Outbox<Self>) {
        if self.me == HOME {
            self.asked(self.me, n, out);
        } else {
            out.send(HOME, Msg::Req { n });
        }
    }

    /// The request that waits is made once more, under its old number.
    pub fn asks_again(&mut self, out: &mut impl Outbox<Self>) {
        match self.owner.asking() {
            Some(n) => self.ask(n, out),
            None => out.impossible("who asks again waits"),
        }
    }

    /// How many ticks it waits before it asks again, if it does.
    pub fn patience(&self) -> u32 {
        self.patience
    }
}

impl Rule {
    /// The rules of a chain that asks again, which says what it does then.
    pub const fn and_resend(text: &'static str) -> [RuleText; Rule::ALL.len()] {
        let mut rules = *Rule::ALL.first_chunk().expect("as many as there are");
        rules[Rule::Resend as usize].text = text;
        rules
    }
}
