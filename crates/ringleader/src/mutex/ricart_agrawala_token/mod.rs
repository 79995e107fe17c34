//! Ricart–Agrawala with a token: ask everybody, and wait for the one token.
//!
//! **Idea.** A process that wants in and has not got the token sends a numbered request to all others and waits for the
//! token, which carries for each process the number of its last request that was served. Whoever has no more use for
//! the token sends it to the next process, in cyclic order of names, with a newer request.
//!
//! **Needs.** Named processes, each linked with each other: nobody knows where the token is, so that all are asked. One
//! process has the token at first. Links may reorder, but lose nothing.
//!
//! **Cost.** n per entry, or none where the token is already here; n-1 on average under light load; one message delay
//! from an exit to the next entry
//!
//! **Source.** G. Ricart, A. K. Agrawala, CACM 26(2):147-148, 1983
//!
//! The source is their response to a letter, "On mutual exclusion in computer networks". I. Suzuki and T. Kasami found
//! the same independently.
//!
//! ```
//! use ringleader::{mutex::RicartAgrawalaToken, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<RicartAgrawalaToken>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 3 * 4); // four entries: nothing for the first holder, n for each of the others
//! ```

use crate::model::*;

state! {
    pub struct RicartAgrawalaToken {
        me: Peer,
        hidden n: Size,
        told holder: Holder,
        user: Stage = Stage::Idle,
        /// How many requests it has made. Who enters with the token already here makes none.
        clock: u32 = 0,
        /// For each process the highest number among its requests that came here.
        requests: Vec<u32> = vec![0; n.0 as usize],
        /// The token, if it is here: for each process the number of its last request that was served.
        token: Option<Vec<u32>> = holder.0.then(|| vec![0; n.0 as usize]),
        drawn = [token: token],
    }
}

messages! {
    pub enum Msg {
        /// I want in, for the k-th time that I ask.
        "request" Request { k: u32 } serves Sender,
        /// The right to enter, with what was served.
        "token" Token { array: Vec<u32> } serves Receiver,
    }
}

rules! {
    /// want, the token here: enter; clock stays
    Enter,
    /// want, the token elsewhere: clock := clock + 1; send REQUEST(clock) to all others; wait
    Want,
    /// on TOKEN(array): keep it; enter
    Token,
    /// on REQUEST(k) from j, the token elsewhere or the user inside: requests[j] := max(requests[j], k)
    Note,
    /// on REQUEST(k) from j, the token here, the user idle: requests[j] := max(requests[j], k); then as at the exit
    HandOver = "hand over",
    /// token[i] := clock; the first j of i+1 .. n-1, 0 .. i-1 with requests[j] > token[j] gets TOKEN(token); if there
    /// is none, keep it
    Exit,
}

impl Process for RicartAgrawalaToken {
    const SPEC: Spec = Spec::exclusion("ricart-agrawala-token", 1983, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .aliases(&["ra-token"])
        .talks(Talks::ToAll { keeps: 4 })
        .proved("counting: n-1 requests, one token")
        .at_most_per_entry("n per entry", |n| n)
        .example("-n 3 --entries 2");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user) {
            (Msg::Request { k }, Stage::Idle) if self.token.is_some() => {
                out.rule(Rule::HandOver);
                self.note(from, k);
                self.hand_over(out);
            }
            (Msg::Request { k }, Stage::Idle | Stage::Waiting | Stage::Inside) => {
                out.rule(Rule::Note);
                self.note(from, k);
            }
            (Msg::Token { array }, Stage::Waiting) => {
                out.rule(Rule::Token);
                self.token = Some(array);
                self.user = Stage::Inside;
            }
            (Msg::Token { .. }, Stage::Idle | Stage::Inside) => {
                out.impossible("the token is sent to who waits for it")
            }
        }
    }
}

impl RicartAgrawalaToken {
    /// The k-th request of a process has come. Requests may overtake each other.
    fn note(&mut self, from: Peer, k: u32) {
        if let Some(last) = self.requests.get_mut(from.0 as usize) {
            *last = k.max(*last);
        }
    }

    /// The token, if it is here, goes to the first after this process that was not served, if there is one.
    fn hand_over(&mut self, out: &mut impl Outbox<Self>) {
        let Some(mut array) = self.token.take() else { return };
        if let Some(own) = array.get_mut(self.me.0 as usize) {
            *own = self.clock;
        }
        let number = |list: &[u32], j: Peer| list.get(j.0 as usize).copied().unwrap_or(0);
        match self.me.from_next(self.n).find(|&j| number(&self.requests, j) > number(&array, j)) {
            Some(j) => out.send(j, Msg::Token { array }),
            None => self.token = Some(array),
        }
    }
}

impl Exclusion for RicartAgrawalaToken {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        if self.token.is_some() {
            out.rule(Rule::Enter);
            self.user = Stage::Inside;
        } else {
            out.rule(Rule::Want);
            self.clock += 1;
            self.user = Stage::Waiting;
            out.send_all(self.me.others(self.n), Msg::Request { k: self.clock });
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.hand_over(out);
    }
}
