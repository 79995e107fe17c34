//! Naimi–Tréhel: a request runs to the last that asked, and turns the pointers on its way.
//!
//! **Idea.** Each process points to the one that it believes to have asked last. A request runs along the pointers to
//! the last, and whoever it passes from now on points to its origin. The last remembers who is next, and sends it the
//! token when it leaves, or at once if it does not need it.
//!
//! **Needs.** Named processes that can all send to each other, and one that has the token at first, known to all: it is
//! the last that asked.
//!
//! **Cost.** 0 to n per entry; 1 + 1/2 + ... + 1/(n-1) on average under light load, 3 to 4 when everybody always wants
//! in; one message delay from an exit to the next entry
//!
//! **Source.** M. Naimi, M. Trehel, A. Arnold, JPDC 34(1):1-13, 1996
//!
//! First published in 1987. Nobody needs to know how many there are, and no table grows with them.
//!
//! ```
//! use ringleader::{mutex::NaimiTrehel, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<NaimiTrehel>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.messages <= 4 * 4); // four entries, n at most for each
//! ```

use crate::model::*;

state! {
    pub struct NaimiTrehel {
        me: Peer,
        told holder: Holder,
        user: Stage = Stage::Idle,
        /// Who asked last, as far as this process knows; none if it was this one.
        last: Option<Peer> = if holder.0 { None } else { Some(Peer(0)) },
        /// Who gets the token after this process.
        next: Option<Peer> = None,
        /// Whether the token is here.
        token: bool = holder.0,
        drawn = [last: pointer, next: waiting, token: token],
    }
}

messages! {
    pub enum Msg {
        /// This process wants in.
        "request" Request { k: Peer } serves Process(k),
        /// The right to enter.
        "token" Token serves Receiver,
    }
}

rules! {
    /// want, the token here: enter
    Enter,
    /// want, the token elsewhere: send REQUEST(i) to last; last := none; wait for the token
    Want,
    /// on REQUEST(k), last = j: send REQUEST(k) to j; last := k
    Forward,
    /// on REQUEST(k), last = none, the user idle: send TOKEN to k; last := k
    Give,
    /// on REQUEST(k), last = none, the user waiting or inside: next := k; last := k
    Remember,
    /// on TOKEN: enter
    Token,
    /// next = k: send TOKEN to k; next := none. Otherwise keep the token
    Exit,
}

impl Process for NaimiTrehel {
    const SPEC: Spec = Spec::exclusion("naimi-trehel", 1987, include_str!("mod.rs"))
        .family(Family::Token)
        .talks(Talks::ToFew)
        .proved("counting: a request reaches nobody twice, and brings one TOKEN")
        .at_most_per_entry("n per entry", |n| n)
        .example("-n 5 --entries 1");
    types! { Port = Peer }

    fn receive(&mut self, _: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user, self.last) {
            (Msg::Request { k }, ..) if k == self.me => {
                out.impossible("a request does not come back to its origin");
            }
            (Msg::Request { k }, _, Some(last)) => {
                out.rule(Rule::Forward);
                out.send(last, Msg::Request { k });
                self.last = Some(k);
            }
            (Msg::Request { k }, Stage::Idle, None) => {
                out.rule(Rule::Give);
                out.send(k, Msg::Token {});
                self.token = false;
                self.last = Some(k);
            }
            (Msg::Request { k }, Stage::Waiting | Stage::Inside, None) => {
                out.rule(Rule::Remember);
                self.next = Some(k);
                self.last = Some(k);
            }
            (Msg::Token {}, Stage::Waiting, _) => {
                out.rule(Rule::Token);
                self.token = true;
                self.user = Stage::Inside;
            }
            (Msg::Token {}, Stage::Idle | Stage::Inside, _) => {
                out.impossible("the token is sent to who waits for it");
            }
        }
    }
}

impl Exclusion for NaimiTrehel {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        match (self.token, self.last.take()) {
            (true, None) => {
                out.rule(Rule::Enter);
                self.user = Stage::Inside;
            }
            (false, Some(last)) => {
                out.rule(Rule::Want);
                self.user = Stage::Waiting;
                out.send(last, Msg::Request { k: self.me });
            }
            (true, Some(_)) | (false, None) => {
                out.impossible("an idle process is the last if it has the token");
            }
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        if let Some(next) = self.next.take() {
            self.token = false;
            out.send(next, Msg::Token {});
        }
    }
}
