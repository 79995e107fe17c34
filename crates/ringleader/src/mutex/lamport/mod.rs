//! Lamport: everybody keeps the whole queue, in the order of logical time.
//!
//! **Idea.** Everybody keeps the queue of all requests, in the order of logical time. A process that wants in sends its
//! request to all others, who queue it and reply. It enters when its request is first in its own queue and it has heard
//! from all others at a later time; on leaving it tells them.
//!
//! **Needs.** FIFO links: whoever has heard something later from a process knows then that no earlier request of it is
//! under way. Receipt must advance the clock, so that a reply is later than its request.
//!
//! **Cost.** exactly 3(n-1) per entry; one message delay from an exit to the next entry
//!
//! **Source.** L. Lamport, CACM 21(7):558-565, 1978
//!
//! ```
//! use ringleader::{mutex::Lamport, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<Lamport>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 4 * 3 * 3); // four entries, one each
//! ```

use crate::model::*;
use std::collections::BTreeSet;

state! {
    pub struct Lamport {
        me: Peer,
        hidden n: Size,
        user: Stage = Stage::Idle,
        clock: Clock = Clock::default(),
        /// The time stamp of its own request; 0 if there is none.
        ts: u64 = 0,
        /// All requests that are known and not released, its own included: (time stamp, process), in order.
        queue: BTreeSet<(u64, Peer)> = BTreeSet::new(),
        /// Who has sent nothing later than its own request. What came before the request was earlier, because receipt
        /// advances the clock; so the last time of each need not be kept.
        silent: Peers = Peers::default(),
        drawn = [clock: clock, queue: waiting],
    }
}

messages! {
    /// What processes say to each other, and when.
    pub enum Msg {
        /// I want in.
        "request" Request { t: u64 } serves Sender,
        /// I know that you want in.
        "reply" Reply { t: u64 } serves Receiver,
        /// I have left.
        "release" Release { t: u64 } serves Sender,
    }
}

rules! {
    /// C := C + 1; ts := C; queue (ts, i); send REQUEST(ts) to all others; nobody is heard yet
    Want,
    /// on REQUEST(t) from j: C := max(C, t + 1); queue (t, j); send REPLY(C) to j; j is heard if (t, j) > (ts, i)
    Queue,
    /// on REPLY(t) from j: C := max(C, t + 1); j is heard if (t, j) > (ts, i)
    Reply,
    /// on RELEASE(t) from j: C := max(C, t + 1); take j's request out; j is heard if (t, j) > (ts, i)
    Remove,
    /// after each receipt: enter if (ts, i) is first and all others are heard
    Enter,
    /// C := C + 1; take its own request out; send RELEASE(C) to all others
    Exit,
}

impl Process for Lamport {
    const SPEC: Spec = Spec::exclusion("lamport", 1978, include_str!("mod.rs"))
        .family(Family::Permission)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .talks(Talks::ToAll { keeps: 20 })
        .serves(Order::Priority)
        .proved("counting: a REQUEST, a REPLY and a RELEASE for each other process")
        .at_most_per_entry("3(n-1) per entry", |n| 3 * n.saturating_sub(1))
        .example("-n 3");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        let (Msg::Request { t } | Msg::Reply { t } | Msg::Release { t }) = msg;
        // At least as large as it is, and larger than t: Lamport's rule IR2. More is not needed, and makes more states.
        self.clock.raise(t.saturating_add(1));
        match msg {
            Msg::Request { .. } => {
                out.rule(Rule::Queue);
                self.insert((t, from), out);
                out.send(from, Msg::Reply { t: self.clock.now() });
            }
            Msg::Reply { .. } => out.rule(Rule::Reply),
            Msg::Release { .. } => {
                out.rule(Rule::Remove);
                self.remove(from, out);
            }
        }
        if self.user == Stage::Waiting {
            if (t, from) > (self.ts, self.me) {
                self.silent.remove(from);
            }
            if self.may_enter() {
                out.rule(Rule::Enter);
                self.user = Stage::Inside;
            }
        }
    }
}

impl Lamport {
    /// Whether its own request is first, and nothing earlier can come.
    fn may_enter(&self) -> bool {
        self.silent.is_empty() && self.queue.first() == Some(&(self.ts, self.me))
    }

    /// A request takes its place in the queue.
    fn insert(&mut self, request: (u64, Peer), out: &mut impl Outbox<Self>) {
        if !self.queue.insert(request) {
            out.impossible("no process asks twice at one time");
        }
    }

    /// The request of a process leaves the queue.
    fn remove(&mut self, who: Peer, out: &mut impl Outbox<Self>) {
        let before = self.queue.len();
        self.queue.retain(|request| request.1 != who);
        if self.queue.len() == before {
            out.impossible("on a FIFO link a request comes before its release");
        }
    }
}

impl Exclusion for Lamport {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.ts = self.clock.tick();
        self.insert((self.ts, self.me), out);
        self.silent = self.me.others(self.n).collect();
        out.send_all(self.me.others(self.n), Msg::Request { t: self.ts });
        self.user = if self.may_enter() { Stage::Inside } else { Stage::Waiting };
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.ts = 0;
        self.remove(self.me, out);
        let t = self.clock.tick();
        out.send_all(self.me.others(self.n), Msg::Release { t });
    }

    fn priority(&self) -> Option<(u64, u32)> {
        (self.user != Stage::Idle).then_some((self.ts, self.me.0))
    }
}
