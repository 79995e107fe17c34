//! Ricart–Agrawala: ask everybody; whoever asked earlier answers later.
//!
//! **Idea.** A process that wants in sends a time-stamped request to all others and enters when all have replied.
//! Whoever is inside, or wants in and asked earlier, replies when it leaves; everybody else at once.
//!
//! **Needs.** A clock that is raised to every time stamp received, or a later request may get a smaller stamp than one
//! that was already granted. Links may deliver in any order.
//!
//! **Cost.** exactly 2(n-1) per entry; one message delay from an exit to the next entry
//!
//! **Source.** G. Ricart, A. K. Agrawala, CACM 24(1):9-17, 1981
//!
//! ```
//! use ringleader::{mutex::RicartAgrawala, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<RicartAgrawala>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 4 * 2 * 3); // four entries, one each
//! ```

use crate::model::*;

state! {
    pub struct RicartAgrawala {
        me: Peer,
        hidden n: Size,
        user: Stage = Stage::Idle,
        /// The highest time stamp used or seen.
        clock: Clock = Clock::default(),
        /// The time stamp of its own request; 0 if there is none.
        ts: u64 = 0,
        /// How many replies have not come yet. Everybody replies once, so they need not be told apart.
        missing: u32 = 0,
        /// Who waits for our reply.
        deferred: Peers = Peers::default(),
        drawn = [clock: clock, deferred: waiting],
    }
}

messages! {
    pub enum Msg {
        /// May I? I asked at this time.
        "request" Request { t: u64 } serves Sender,
        /// You may, as far as I am concerned.
        "reply" Reply serves Receiver,
    }
}

rules! {
    /// C := C + 1; ts := C; send REQUEST(ts) to all others; enter when n - 1 replies are in
    Want,
    /// on REQUEST(t) from j, inside or waiting with (ts, i) < (t, j): C := max(C, t); remember j
    Defer,
    /// on REQUEST(t) from j otherwise: C := max(C, t); send REPLY to j
    Grant,
    /// on REPLY, others missing: one less is missing
    Reply,
    /// on the last REPLY: enter
    Enter,
    /// send REPLY to all that were remembered; forget them
    Exit,
}

impl Process for RicartAgrawala {
    const SPEC: Spec = Spec::exclusion("ricart-agrawala", 1981, include_str!("mod.rs"))
        .family(Family::Permission)
        .errata(include_str!("errata.md"))
        .aliases(&["ra"])
        .serves(Order::Priority)
        .proved("Ricart and Agrawala 1981")
        .at_most_per_entry("2(n-1) per entry", |n| 2 * n.saturating_sub(1))
        .example("-n 3 --entries 2");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user) {
            (Msg::Request { t }, user) => {
                self.clock.raise(t);
                let earlier = match user {
                    Stage::Idle => false,
                    Stage::Waiting => (self.ts, self.me) < (t, from),
                    Stage::Inside => true,
                };
                if earlier {
                    out.rule(Rule::Defer);
                    if !self.deferred.insert(from) {
                        out.impossible("it asks once, and not again before it has our reply");
                    }
                } else {
                    out.rule(Rule::Grant);
                    out.send(from, Msg::Reply {});
                }
            }
            (Msg::Reply {}, Stage::Waiting) => {
                self.missing -= 1;
                if self.missing == 0 {
                    out.rule(Rule::Enter);
                    self.user = Stage::Inside;
                } else {
                    out.rule(Rule::Reply);
                }
            }
            (Msg::Reply {}, Stage::Idle | Stage::Inside) => {
                out.impossible("all replies are in before it enters");
            }
        }
    }
}

impl Exclusion for RicartAgrawala {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.ts = self.clock.tick();
        self.missing = self.n.0.saturating_sub(1);
        self.user = if self.missing == 0 { Stage::Inside } else { Stage::Waiting };
        out.send_all(self.me.others(self.n), Msg::Request { t: self.ts });
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.ts = 0;
        out.send_all(self.deferred.drain(), Msg::Reply {});
    }

    fn priority(&self) -> Option<(u64, u32)> {
        (self.user != Stage::Idle).then_some((self.ts, self.me.0))
    }
}
