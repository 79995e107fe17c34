//! Homed chain with a mistake in it: three that are easily made, and what each leads to.
//!
//! **Idea.** As `homed-chain`, with one thing forgotten in each: that a token counts once, that PASS is meant for one
//! owner, that PASS may come before its token. They are here to be found out.
//!
//! **Needs.** As `homed-chain`.
//!
//! **Cost.** As `homed-chain`, until it goes wrong.
//!
//! **Source.** The wrong versions of the design of this project's lock service, section 9; H1 to H3 of `homed-chain`.

use super::homed_chain::{HomedChain, Msg, Token};
use crate::model::{Outbox, Peer, Process, RuleText, Stage, Text, Variant};

/// A token is taken whatever its number (erratum H1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct HomedChainNoDedupe;

impl Variant for HomedChainNoDedupe {
    type Right = HomedChain;
    const TEXT: Text = Text {
        name: "homed-chain@nodedupe",
        title: "Homed chain, every token taken",
        erratum: "H1",
        idea: "If a token is taken whatever its number, one that comes twice is two tokens: the copy stays where the \
               first was, and lets its user in while the other is elsewhere.",
        rules: &[RuleText { name: "twice", text: "on TOKEN(k, ctr) otherwise: take it as well" }],
        example: "-n 2 --entries 3 --schedule random --duplicate 0.3 --seed 82",
    };

    fn receive(&mut self, right: &mut HomedChain, from: Peer, msg: Msg, out: &mut impl Outbox<HomedChain>) {
        match (&msg, right.user) {
            (&Msg::Token { k, fence }, Stage::Idle | Stage::Inside) => {
                out.rule("twice");
                right.owner.token = Some(Token { k, counter: fence });
            }
            (Msg::Req { .. } | Msg::Pass { .. } | Msg::Token { .. }, _) => {
                // Nothing was here, as far as it knows.
                right.owner.largest = None;
                right.receive(from, msg, out);
            }
        }
    }
}

/// PASS means the token that is here, whatever its number (erratum H2).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct HomedChainNoNumber;

impl Variant for HomedChainNoNumber {
    type Right = HomedChain;
    const TEXT: Text = Text {
        name: "homed-chain@nonumber",
        title: "Homed chain, PASS without a number",
        erratum: "H2",
        idea: "If PASS does not say which owner it means, one that comes twice sends the token away on a later turn, \
               to a process that does not want it, and past the chain that the home knows.",
        rules: &[RuleText {
            name: "give",
            text: "on PASS(k, r), any token here, the user outside: send it to r",
        }],
        example: "-n 3 --entries 2 --schedule random --duplicate 0.3 --seed 460",
    };

    fn receive(&mut self, right: &mut HomedChain, from: Peer, msg: Msg, out: &mut impl Outbox<HomedChain>) {
        let msg = match (msg, right.owner.token()) {
            (Msg::Pass { to, .. }, Some(here)) => Msg::Pass { k: here.k, to },
            (msg, _) => msg,
        };
        right.receive(from, msg, out);
    }
}

/// A PASS that comes before its token is forgotten (erratum H3).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct HomedChainNoEarly;

impl Variant for HomedChainNoEarly {
    type Right = HomedChain;
    const TEXT: Text = Text {
        name: "homed-chain@noearly",
        title: "Homed chain, an early PASS forgotten",
        erratum: "H3",
        idea: "PASS comes from the home and the token from the owner before, so that PASS may be there first. If it is \
               taken for a mistake and forgotten, the token stays where it came to, and the next one waits for ever.",
        rules: &[RuleText { name: "early", text: "on PASS(k, r), TOKEN(k) not yet here: nothing" }],
        example: "-n 3 --entries 1 --schedule random --seed 4",
    };

    fn receive(&mut self, right: &mut HomedChain, from: Peer, msg: Msg, out: &mut impl Outbox<HomedChain>) {
        right.receive(from, msg, out);
        right.owner.early = None;
    }
}
