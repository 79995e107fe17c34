//! Itai–Rodeh: anonymous processes draw identities, and whoever shares the largest one draws again.
//!
//! **Idea.** An active process draws an identity and sends it round the ring. Something larger, of a later round first,
//! makes an active process passive; something smaller is swallowed; an equal is passed on marked as not unique. Who
//! gets its own message back unmarked leads; if it is marked, all that drew the same draw again.
//!
//! **Needs.** A one-way ring whose size is known, random choices from a range of at least two. No identities, and not
//! even FIFO: rounds tell old messages from new ones. Without knowing n no algorithm can do it.
//!
//! **Cost.** at most n² a round and n announcements, rounds without bound but finite with probability 1; O(n log n) on
//! average with a range of n
//!
//! **Source.** A. Itai, M. Rodeh, Information and Computation 88(1):60-87, 1990; FOCS 1981
//!
//! ```
//! use ringleader::{election::ItaiRodeh, sim::{self, Scenario}};
//! let run = sim::run_election::<ItaiRodeh>(&Scenario { range: 5, ..Scenario::new(5) }, &mut ()).unwrap();
//! assert_eq!((run.holds(), run.by_kind[1]), (true, ("elected", 5)));
//! ```

use crate::model::*;
use Role::*;

state! {
    pub struct ItaiRodeh {
        hidden n: Size,
        hidden range: Range,
        role: Role = Asleep,
        /// The round it is in, from 1; 0 before the first, and when it takes no part any more.
        round: u32 = 0,
        /// What it drew in this round, from 1; 0 likewise.
        id: u32 = 0,
        outcome = |me| me.role.anonymous(),
    }

    enum Role {
        Asleep,
        Active,
        Passive,
        Leader => leads,
        Lost => loses,
    }
}

messages! {
    pub enum Msg {
        /// What an active process drew, its round, the hops so far, and whether nobody else drew the same.
        "cand" Cand { id: u32, round: u32, hop: u32, unique: bool },
        /// There is a leader.
        announces "elected" Elected,
    }
}

rules! {
    /// active; round := 1; draw id in 1..k; send cand(id, 1, 1, T)
    Start,
    /// on cand of hop n, unique, active: leader; send elected
    Alone,
    /// on cand of hop n, not unique, active: round := round + 1; draw id; send cand(id, round, 1, T)
    Again,
    /// on cand(id', round', hop, u), active, equal to mine, hop < n: send it on with hop + 1, u := F
    Equal,
    /// on cand, active, (round', id') larger than mine: passive; send it on with hop + 1
    Larger,
    /// on cand, active, (round', id') smaller than mine: nothing
    Smaller,
    /// on cand, passive: send it on with hop + 1
    Relay,
    /// on cand, leader or lost: nothing
    Absorb,
    /// on elected, passive: lost; send it on
    Elected,
    /// on elected, leader: nothing
    Done,
}

impl Process for ItaiRodeh {
    const SPEC: Spec = Spec::election("itai-rodeh", 1981, include_str!("mod.rs"))
        .family(Family::Lottery)
        .draws()
        .elects(Winner::Any, Informed::All)
        .example("-n 4 --range 3 --seed 1");
    types! { Port = Next }

    /// Rounds are only compared, and with those of active processes: what is older than all of these is swallowed.
    const ROUNDS: Option<Rounds<Self>> = Some(Rounds {
        of: |process| match process.role {
            Asleep | Active => Some(process.round.max(1)),
            Passive | Leader | Lost => None,
        },
        process: |process, by| process.round = process.round.saturating_sub(by),
        message: |msg, by| match msg {
            Msg::Cand { round, .. } => *round = round.saturating_sub(by),
            Msg::Elected {} => {}
        },
    });

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.role == Asleep {
            out.rule(Rule::Start);
            self.role = Active;
            self.next_round(out);
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.role) {
            (Msg::Cand { hop, unique: true, .. }, Active) if hop == self.n.0 => {
                out.rule(Rule::Alone);
                self.retire(Leader);
                out.send(Next, Msg::Elected {});
            }
            (Msg::Cand { hop, unique: false, .. }, Active) if hop == self.n.0 => {
                out.rule(Rule::Again);
                self.next_round(out);
            }
            (Msg::Cand { id, round, hop, .. }, Active) if (round, id) == (self.round, self.id) => {
                out.rule(Rule::Equal);
                out.send(Next, Msg::Cand { id, round, hop: hop + 1, unique: false });
            }
            (Msg::Cand { id, round, hop, unique }, Active) if (round, id) > (self.round, self.id) => {
                out.rule(Rule::Larger);
                self.retire(Passive);
                out.send(Next, Msg::Cand { id, round, hop: hop + 1, unique });
            }
            (Msg::Cand { .. }, Active) => out.rule(Rule::Smaller),
            // Also its own, which was overtaken by what made it passive: the next that is active swallows it.
            (Msg::Cand { id, round, hop, unique }, Passive) => {
                out.rule(Rule::Relay);
                out.send(Next, Msg::Cand { id, round, hop: hop + 1, unique });
            }
            (Msg::Cand { .. }, Leader | Lost) => out.rule(Rule::Absorb),
            (Msg::Elected {}, Passive) => {
                out.rule(Rule::Elected);
                self.role = Lost;
                out.send(Next, Msg::Elected {});
            }
            (Msg::Elected {}, Leader) => out.rule(Rule::Done),
            (Msg::Elected {}, Active) => out.impossible("only the leader was left active"),
            (Msg::Elected {}, Lost) => out.impossible("the announcement makes one lap"),
            (_, Asleep) => out.impossible(NOT_STARTED),
        }
    }
}

impl ItaiRodeh {
    /// Draws, and sends what it drew.
    #[inline(always)]
    fn next_round(&mut self, out: &mut impl Outbox<Self>) {
        out.phase_begins();
        self.round += 1;
        self.id = 1 + out.choose(self.range.0);
        out.send(Next, Msg::Cand { id: self.id, round: self.round, hop: 1, unique: true });
    }

    /// It takes no part any more: what it drew is forgotten.
    fn retire(&mut self, role: Role) {
        (self.role, self.round, self.id) = (role, 0, 0);
    }
}
