//! Singhal's heuristic: ask only those that may have the token, and learn from the token who asks.
//!
//! **Idea.** A process that wants in asks only those that it believes to be asking, too: one of them has the token, or
//! will have it. At first these are the smaller names, so that of any two one asks the other. The token carries what is
//! known of requests, and who leaves sends it to one that asks.
//!
//! **Needs.** A complete graph, names, n for the lists of beliefs, and one process that has the token at first.
//!
//! **Cost.** (n-1)/2 + (n-1)/n per entry on average under light load, n when everybody always wants in; late requests
//! cost more, and no bound is proved: with n = 3 and two entries each at most 22 in all on FIFO links, 33 otherwise
//!
//! **Source.** M. Singhal, IEEE Trans. Computers 38(5):651-662, 1989
//!
//! One message delay from an exit to the next entry.
//!
//! ```
//! use ringleader::{mutex::SinghalHeuristic, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<SinghalHeuristic>(&Scenario::new(4), &mut ()).unwrap();
//! assert!(run.messages <= 4 * 4); // four entries, and nothing comes late
//! ```

use crate::model::*;

state! {
    /// The local variables of one process. The state vector SV of the source is `own` and `asks`: of others it only
    /// ever says whether they ask (R) or not (N).
    pub struct SinghalHeuristic {
        me: Peer,
        hidden n: Size,
        told holder: Holder,
        own: Own = if holder.0 { Own::Holding } else { Own::Nothing },
        /// For each process, whether it is believed to be asking.
        asks: Vec<bool> = (0..n.0).map(|j| j < me.0).collect(),
        /// For each process the number of its latest request, as far as it is known here.
        sn: Vec<u32> = vec![0; n.0 as usize],
        /// The token, if it is here: the same two lists, as the token has them.
        token: Option<(Vec<bool>, Vec<u32>)> = holder.0.then(|| (vec![false; n.0 as usize], vec![0; n.0 as usize])),
        drawn = [token: token],
    }

    /// What a process does, by the letters of the source.
    enum Own {
        Requesting = "R",
        Executing = "E",
        Holding = "H",
        Nothing = "N",
    }
}

messages! {
    pub enum Msg {
        /// I want in; or I did, and you should know.
        "request" Request { sn: u32 } serves Sender,
        /// The right to enter, with what it has learned.
        "token" Token { tsv: Vec<bool>, tsn: Vec<u32> } serves Receiver,
    }
}

rules! {
    /// want, the token here: SV[i] := E; enter
    Enter,
    /// want, the token elsewhere: SN[i] := SN[i] + 1; send REQUEST(SN[i]) to every j with SV[j] = R; SV[i] := R
    Want,
    /// on TOKEN(TSV, TSN): SV[i] := E; enter
    Token,
    /// on REQUEST(sn) from j, sn > SN[j] and > TSN[j] where the token is here, in state N or E, or in R with SV[j] = R:
    /// SN[j] := sn; SV[j] := R
    Note,
    /// on such a REQUEST in state R, SV[j] != R: SN[j] := sn; SV[j] := R; send REQUEST(SN[i]) to j
    AskBack = "ask back",
    /// on such a REQUEST in state H: SN[j] := sn; SV[j] := R; SV[i] := N; TSV[j] := R; TSN[j] := sn; send TOKEN(TSV,
    /// TSN) to j
    HandOver = "hand over",
    /// on any other REQUEST from j. State N: SV[j] := R. State R: if SV[j] != R: SV[j] := R, send REQUEST(SN[i]) to j.
    /// State E or H: send REQUEST(SN[i]) to j
    Outdated,
    /// SV[i] := N; TSV[i] := N; for every j the newer of (SV[j], SN[j]) and (TSV[j], TSN[j]) here and in the token; the
    /// first j of i+1 .. n-1, 0 .. i-1 with SV[j] = R gets TOKEN(TSV, TSN); if there is none, SV[i] := H
    Exit,
}

impl Process for SinghalHeuristic {
    const SPEC: Spec = Spec::exclusion("singhal-heuristic", 1989, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .talks(Talks::ToAll { keeps: 5 })
        .example("-n 3 --entries 2");
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        let is_fresh = matches!(msg, Msg::Request { sn } if sn > self.known(from));
        match (msg, self.own) {
            (Msg::Request { sn }, Own::Nothing | Own::Executing) if is_fresh => {
                out.rule(Rule::Note);
                self.note(from, sn);
            }
            (Msg::Request { sn }, Own::Requesting) if is_fresh => {
                if self.note(from, sn) {
                    out.rule(Rule::AskBack);
                    self.ask(from, out);
                } else {
                    out.rule(Rule::Note);
                }
            }
            (Msg::Request { sn }, Own::Holding) if is_fresh => {
                out.rule(Rule::HandOver);
                self.note(from, sn);
                self.own = Own::Nothing;
                let Some((mut tsv, mut tsn)) = self.token.take() else {
                    return out.impossible("who holds the token has it");
                };
                let place = from.0 as usize;
                if let (Some(asks), Some(number)) = (tsv.get_mut(place), tsn.get_mut(place)) {
                    (*asks, *number) = (true, sn);
                }
                out.send(from, Msg::Token { tsv, tsn });
            }
            // It comes late: what it asks for is known here, or over. But it may be the only word between the two, and
            // one of them must go on believing that the other asks.
            (Msg::Request { .. }, Own::Nothing) => {
                out.rule(Rule::Outdated);
                self.believe(from);
            }
            (Msg::Request { .. }, Own::Requesting) => {
                out.rule(Rule::Outdated);
                if self.believe(from) {
                    self.ask(from, out);
                }
            }
            (Msg::Request { .. }, Own::Executing | Own::Holding) => {
                out.rule(Rule::Outdated);
                self.ask(from, out);
            }
            (Msg::Token { tsv, tsn }, Own::Requesting) => {
                out.rule(Rule::Token);
                self.own = Own::Executing;
                self.token = Some((tsv, tsn));
            }
            (Msg::Token { .. }, Own::Executing | Own::Holding | Own::Nothing) => {
                out.impossible("the token is sent to who waits for it");
            }
        }
    }
}

impl SinghalHeuristic {
    /// The number of the latest request of this process that is known, here or in the token that is here.
    fn known(&self, of: Peer) -> u32 {
        let number = |list: &[u32]| list.get(of.0 as usize).copied().unwrap_or(0);
        self.token.as_ref().map_or(0, |(_, tsn)| number(tsn)).max(number(&self.sn))
    }

    /// This process asks, with this number. Whether it was not believed to be asking.
    fn note(&mut self, who: Peer, sn: u32) -> bool {
        if let Some(known) = self.sn.get_mut(who.0 as usize) {
            *known = sn;
        }
        self.believe(who)
    }

    /// This process is believed to be asking from now on. Whether that is new.
    fn believe(&mut self, who: Peer) -> bool {
        self.asks.get_mut(who.0 as usize).is_some_and(|asks| !core::mem::replace(asks, true))
    }

    /// Sends its own request to one process.
    fn ask(&self, whom: Peer, out: &mut impl Outbox<Self>) {
        out.send(whom, Msg::Request { sn: self.sn.get(self.me.0 as usize).copied().unwrap_or(0) });
    }
}

impl User for SinghalHeuristic {
    fn stage(&self) -> Stage {
        match self.own {
            Own::Nothing | Own::Holding => Stage::Idle,
            Own::Requesting => Stage::Waiting,
            Own::Executing => Stage::Inside,
        }
    }
}

impl Exclusion for SinghalHeuristic {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        if self.token.is_some() {
            out.rule(Rule::Enter);
            self.own = Own::Executing;
            return;
        }
        out.rule(Rule::Want);
        self.own = Own::Requesting;
        if let Some(own) = self.sn.get_mut(self.me.0 as usize) {
            *own += 1;
        }
        for (j, _) in (0..).zip(&self.asks).filter(|(_, asks)| **asks) {
            self.ask(Peer(j), out);
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        let Some((mut tsv, mut tsn)) = self.token.take() else {
            return out.impossible("who is inside has the token");
        };
        if let Some(own) = tsv.get_mut(self.me.0 as usize) {
            *own = false;
        }
        let here = self.asks.iter_mut().zip(&mut self.sn);
        for ((asks, sn), (tsv, tsn)) in here.zip(tsv.iter_mut().zip(&mut tsn)) {
            if sn > tsn {
                (*tsv, *tsn) = (*asks, *sn);
            } else {
                (*asks, *sn) = (*tsv, *tsn);
            }
        }
        match self.me.from_next(self.n).find(|&j| self.asks.get(j.0 as usize) == Some(&true)) {
            Some(next) => {
                self.own = Own::Nothing;
                out.send(next, Msg::Token { tsv, tsn });
            }
            None => {
                self.own = Own::Holding;
                self.token = Some((tsv, tsn));
            }
        }
    }
}
