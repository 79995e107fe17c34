//! Higham–Przytycka: envelopes that meet drop the smaller or the larger, in turns, and some get on without meeting.
//!
//! **Idea.** Envelopes carry identities as labels round the ring. One that comes to the traces of another of its round
//! is destroyed or promoted to the next: in odd rounds the smaller label goes on, in even rounds the larger. A witness,
//! or the distance travelled, may promote it earlier. Where an envelope finds its own traces, that process leads.
//!
//! **Needs.** Distinct comparable identities, and FIFO links: without them an envelope meets traces of the wrong round.
//! Everybody takes part, and starts before its first message.
//!
//! **Cost.** worst 1.271 n log n+n: the leading term from the literature, the rest as measured; n announcements; count
//! and winner are the same under every schedule; phases are the largest round
//!
//! **Source.** L. Higham, T. Przytycka, WDAG 1993, LNCS 725:249-263
//!
//! A witness is the traces of the round before with a smaller label: what is ahead is no larger. Written from notes on
//! the paper.
//!
//! ```
//! use ringleader::{election::HighamPrzytycka, sim};
//! let run = sim::elect::<HighamPrzytycka>(&[1, 3, 5, 2, 4]); // the worst case of five
//! assert_eq!((run.phases, run.election_messages()), (Some(4), 18));
//! ```

use crate::model::*;
use Mode::*;
use core::cmp::Ordering::{Equal, Greater, Less};

state! {
    pub struct HighamPrzytycka {
        id: Id,
        mode: Mode = Asleep,
        leader = |me| me.mode.leader(me.id),
        outcome = |me| me.mode.outcome(me.id),
        drawn = [leader: leader],
    }

    enum Mode {
        Asleep,
        /// Label and round of the envelope that it sent last.
        Sent { label: Id, round: u8 },
        Leader => leads,
        Done { leader: Id } => follows leader,
    }
}

messages! {
    pub enum Msg {
        /// An envelope: its label, its round, and how many links are left until distance alone promotes it.
        "env" Env { label: Id, round: u8, counter: u32 },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

rules! {
    /// last := (id, 1); send env(id, 1, F(3) - 1)
    Start,
    /// on env(a, r, c), (a, r) = last: leader; send elected(id)
    Leader,
    /// on env(a, r, c), r = last.round, r odd and a > last.label, or r even and a < last.label: nothing
    Destroy,
    /// on env(a, r, c), r = last.round otherwise: last := (a, r + 1); send env(a, r + 1, F(r + 3) - 1)
    Promote,
    /// on env(a, r, c), r even, last.round = r - 1, a > last.label: as in promote
    Witness,
    /// on env(a, r, c), r odd, r > last.round, c = 0: as in promote
    Distance,
    /// on env(a, r, c), r > last.round otherwise: last := (a, r); send env(a, r, c - 1)
    Pass,
    /// on elected(v), not the leader: remember v; done; send it on
    Elected,
    /// on elected(v), leader: nothing
    Home,
}

impl Process for HighamPrzytycka {
    const SPEC: Spec = Spec::election("higham-przytycka", 1993, include_str!("mod.rs"))
        .family(Family::Tournament)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .elects(Winner::Any, Informed::All)
        .measured("all arrangements up to n = 9, random and bad ones beyond")
        .at_most(Counts::Election, "1.271 n log n+n", |n| n_log_n(1.271, n))
        .constant(1.271, "Higham and Przytycka 1993: 1.271 n log n + O(n)")
        .worst_on(Arranged::Fibonacci)
        .example("--ids 1,3,5,2,4");
    types! { Port = Next }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.mode == Asleep {
            self.enter(Rule::Start, 1, self.id, out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.mode) {
            (Msg::Env { label, round, counter }, Sent { label: last, round: last_round }) => {
                let odd = round % 2 == 1;
                let goes_on = if odd { label < last } else { label > last };
                match round.cmp(&last_round) {
                    Equal if label == last => {
                        out.rule(Rule::Leader);
                        self.mode = Leader;
                        out.send(Next, Msg::Elected { id: self.id });
                    }
                    Equal if goes_on => self.enter(Rule::Promote, round.saturating_add(1), label, out),
                    Equal => out.rule(Rule::Destroy),
                    Greater if !odd && last_round + 1 == round && label > last => {
                        self.enter(Rule::Witness, round.saturating_add(1), label, out);
                    }
                    Greater if odd && counter == 0 => {
                        self.enter(Rule::Distance, round.saturating_add(1), label, out);
                    }
                    Greater => {
                        out.rule(Rule::Pass);
                        self.mode = Sent { label, round };
                        // In even rounds nobody looks at the counter: it may stay at 0.
                        out.send(Next, Msg::Env { label, round, counter: counter.saturating_sub(1) });
                    }
                    Less => out.impossible("the rounds of what passes a process never fall"),
                }
            }
            (Msg::Elected { id }, Sent { .. }) => {
                out.rule(Rule::Elected);
                self.mode = Done { leader: id };
                out.send(Next, Msg::Elected { id });
            }
            (Msg::Elected { .. }, Leader) => out.rule(Rule::Home),
            (Msg::Env { .. }, Leader | Done { .. }) => {
                out.impossible("an envelope that finds its own traces is the last one");
            }
            (Msg::Elected { .. }, Done { .. }) => out.impossible("the announcement makes one lap"),
            (Msg::Env { .. } | Msg::Elected { .. }, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl HighamPrzytycka {
    /// By this rule an envelope enters a round here.
    #[inline(always)]
    fn enter(&mut self, rule: Rule, round: u8, label: Id, out: &mut impl Outbox<Self>) {
        out.rule(rule);
        out.phase_reached(u32::from(round));
        let links = fibonacci(usize::from(round) + 2);
        self.mode = Sent { label, round };
        // The link ahead is the first of them.
        out.send(Next, Msg::Env { label, round, counter: links - 1 });
    }
}
