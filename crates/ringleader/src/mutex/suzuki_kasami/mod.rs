//! Suzuki–Kasami: ask everybody; the token carries a queue of those who wait.
//!
//! **Idea.** A process that wants in and has not got the token sends a numbered request to all others and waits for the
//! token, which carries the numbers of the requests that were served and a queue. Who leaves appends those that it
//! knows to wait, and sends the token to the head of the queue.
//!
//! **Needs.** Named processes, each linked with each other: nobody knows where the token is, so that all are asked. One
//! process has the token at first. Links may reorder, but lose nothing.
//!
//! **Cost.** n per entry, or none where the token is already here; n-1 on average under light load; one message delay
//! from an exit to the next entry
//!
//! **Source.** I. Suzuki, T. Kasami, ACM TOCS 3(4):344-349, 1985
//!
//! ```
//! use ringleader::{mutex::SuzukiKasami, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<SuzukiKasami>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 3 * 4); // four entries: nothing for the first holder, n for each of the others
//! ```

use crate::model::*;

state! {
    pub struct SuzukiKasami {
        me: Peer,
        hidden n: Size,
        told holder: Holder,
        user: Stage = Stage::Idle,
        /// RN: for each process the highest number among its requests that came here; for this one, of its own.
        rn: Vec<u32> = vec![0; n.0 as usize],
        /// The token, if it is here: LN and Q.
        token: Option<(Vec<u32>, Vec<Peer>)> = holder.0.then(|| (vec![0; n.0 as usize], Vec::new())),
        drawn = [token: token],
    }
}

messages! {
    pub enum Msg {
        /// I want in, for the so-and-so-many-th time that I ask.
        "request" Request { sn: u32 } serves Sender,
        /// The right to enter, with what was served and who is next.
        "token" Token { ln: Vec<u32>, q: Vec<Peer> } serves Receiver,
    }
}

rules! {
    /// want, the token here: enter
    Enter,
    /// want, the token elsewhere: RN[i] := RN[i] + 1; send REQUEST(RN[i]) to all others; wait
    Want,
    /// on TOKEN(LN, Q): keep it; enter
    Token,
    /// on REQUEST(sn) from j, the token here, the user idle: RN[j] := max(RN[j], sn); if RN[j] = LN[j] + 1: send
    /// TOKEN(LN, Q) to j
    Give,
    /// on REQUEST(sn) from j otherwise: RN[j] := max(RN[j], sn)
    Note,
    /// LN[i] := RN[i]; append to Q, in increasing order, every j not in it with RN[j] = LN[j] + 1; if Q is not empty:
    /// take its head off, send it TOKEN(LN, Q)
    Exit,
}

impl Process for SuzukiKasami {
    const SPEC: Spec = Spec::exclusion("suzuki-kasami", 1985, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .talks(Talks::ToAll { keeps: 4 })
        .proved("counting: n-1 requests, one token")
        .at_most_per_entry("n per entry", |n| n)
        .example("-n 3 --entries 2");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user) {
            (Msg::Request { sn }, user) => {
                if let Some(rn) = self.rn.get_mut(from.0 as usize) {
                    *rn = sn.max(*rn); // requests may overtake each other
                }
                let free = user == Stage::Idle;
                match self.token.take_if(|(ln, _)| free && waits(from, &self.rn, ln)) {
                    Some((ln, q)) => {
                        out.rule(Rule::Give);
                        out.send(from, Msg::Token { ln, q });
                    }
                    None => out.rule(Rule::Note),
                }
            }
            (Msg::Token { ln, q }, Stage::Waiting) => {
                out.rule(Rule::Token);
                self.token = Some((ln, q));
                self.user = Stage::Inside;
            }
            (Msg::Token { .. }, Stage::Idle | Stage::Inside) => {
                out.impossible("the token is sent to who waits for it")
            }
        }
    }
}

/// Whether a process has made one request more than were served.
fn waits(j: Peer, rn: &[u32], ln: &[u32]) -> bool {
    let j = j.0 as usize;
    ln.get(j).is_some_and(|served| rn.get(j) == Some(&(served + 1)))
}

impl Exclusion for SuzukiKasami {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        if self.token.is_some() {
            out.rule(Rule::Enter);
            self.user = Stage::Inside;
            return;
        }
        out.rule(Rule::Want);
        self.user = Stage::Waiting;
        let own = &mut self.rn[self.me.0 as usize];
        *own += 1;
        out.send_all(self.me.others(self.n), Msg::Request { sn: *own });
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        let Some((mut ln, mut q)) = self.token.take() else { return };
        if let Some(served) = ln.get_mut(self.me.0 as usize) {
            *served = self.rn[self.me.0 as usize];
        }
        let queued: Peers = q.iter().copied().collect();
        for j in self.me.others(self.n) {
            if waits(j, &self.rn, &ln) && !queued.has(j) {
                q.push(j);
            }
        }
        if q.is_empty() {
            self.token = Some((ln, q));
        } else {
            let head = q.remove(0);
            out.send(head, Msg::Token { ln, q });
        }
    }
}
