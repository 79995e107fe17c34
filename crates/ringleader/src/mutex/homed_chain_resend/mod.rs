//! Homed chain, asking again: what is lost is asked for once more.
//!
//! **Idea.** As homed-chain; and whoever waits asks again from time to time, under the same number. The home repeats
//! the PASS that the request led to, and whoever has sent that token on sends it again, as it was.
//!
//! **Needs.** As `homed-chain`, but messages may be lost, too. A bound on delays: then a request is made again only
//! when everything that came of the last one has arrived, or is lost, or waits for somebody who is inside.
//!
//! **Cost.** as homed-chain while nothing is lost and nobody waits longer than T; up to 3 more for each time that a
//! request is made again
//!
//! **Source.** the lock service of this project
//!
//! The one who waits makes good whatever was lost, and nobody else has to be in doubt. Where many wait, that is most of
//! the messages.
//!
//! ```
//! use ringleader::{mutex::HomedChainResend, sim::{self, Fault, Scenario}};
//! let lost = Fault::LoseNth { kind: "token".into(), nth: 2 };
//! let run = sim::run_exclusion::<HomedChainResend>(&Scenario { faults: vec![lost], ..Scenario::new(4) }, &mut ());
//! assert!(run.unwrap().holds());
//! ```

use crate::model::*;
use crate::mutex::homed_chain::{Chain, Rule, Waits};

/// The homed chain where messages are lost.
pub type HomedChainResend = Chain<AskingAgain>;

/// Whoever has asked asks again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AskingAgain;

names! {
    /// How long a process waits before it asks again.
    pub enum Timer { Resend = "resend" }
}

impl Waits for AskingAgain {
    const SPEC: Spec = Spec::exclusion("homed-chain-resend", 2026, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .rules(&Rule::and_resend(
            "waiting, and T is over: send REQ(n) to the home, which asks itself; wait for T again",
        ))
        .talks(Talks::ToFew)
        .tolerates(Tolerates { loss: true, duplication: true, ..Tolerates::NOTHING })
        .timing(Timing::BoundedDelay)
        .settings(&[Setting::number(
            "resend",
            "after how many times the longest delay a request is made again",
            (4, 1000),
            4,
        )])
        .example("-n 4 --entries 2 --loss 0.2 --seed 1");
    type Given = (Peer, MaxDelay, Settings);
    type Timer = Timer;

    fn told((me, MaxDelay(delay), settings): Self::Given) -> (Peer, u32) {
        (me, delay.saturating_mul(settings.0[0]))
    }

    fn begins(chain: &HomedChainResend, out: &mut impl Outbox<HomedChainResend>) {
        out.set_timer(Timer::Resend, chain.patience());
    }

    fn timeout(chain: &mut HomedChainResend, _: Timer, out: &mut impl Outbox<HomedChainResend>) {
        out.rule(Rule::Resend);
        chain.asks_again(out);
        out.set_timer(Timer::Resend, chain.patience());
    }

    fn ends(out: &mut impl Outbox<HomedChainResend>) {
        out.stop_timer(Timer::Resend);
    }
}
