//! Maekawa: ask about √n processes, so chosen that any two requests have a process in common.
//!
//! **Idea.** A process asks the processes of its quorum for their votes and enters when it has them all. Any two
//! quorums have a process in common, and each has one vote. Where an earlier request comes late, the vote is asked
//! back, and given back by whoever knows that it cannot enter yet.
//!
//! **Needs.** FIFO links: an INQUIRE that overtakes its LOCKED is taken for a late one, and nobody yields. Names decide
//! between equal time stamps, and of its name and n a process computes its quorum.
//!
//! **Cost.** 3(K-1) undisturbed, at most 6(K-1) per entry of a run, with quorums of size K: q+1 for n = q^2+q+1, below
//! 2 sqrt(n)+1 on grids; at most two message delays from an exit to the next entry
//!
//! **Source.** M. Maekawa, ACM TOCS 3(2):145-159, 1985
//!
//! At each voter a request costs REQUEST, LOCKED and RELEASE, and on its arrival one FAILED, or INQUIRE, YIELD and a
//! second LOCKED. At home it costs nothing: it comes after all that are known there.
//!
//! ```
//! use ringleader::{mutex::Maekawa, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![0, 1, 0, 0, 0, 0, 0]), ..Workload::default() };
//! let run = sim::run_exclusion::<Maekawa>(&Scenario { workload, ..Scenario::new(7) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 3 * 2); // one entry, with a quorum of three
//! ```

use crate::model::*;
use core::marker::PhantomData;
use std::collections::BTreeSet;

/// Whom to ask: any two quorums have a process in common.
pub trait Quorums: Clone + Eq + core::hash::Hash + core::fmt::Debug + Send + Sync + 'static {
    /// The contract of the algorithm that votes with these quorums.
    const SPEC: Spec;
    /// The quorum of this process among so many, in increasing order. It need not contain the process itself.
    fn of(me: Peer, n: Size) -> Vec<Peer>;
}

/// Voting with lines and grids.
pub type Maekawa = Voting<Planes>;

state! {
    /// The local variables of one process: what it remembers of its own request, and as a voter of those of others.
    pub struct Voting<Q: Quorums> {
        me: Peer,
        told n: Size,
        user: Stage = Stage::Idle,
        /// The highest time stamp used or seen.
        clock: Clock = Clock::default(),
        /// The time stamp of its own request; 0 if there is none.
        ts: u64 = 0,
        /// Whom to ask, in increasing order, and what each has said to its own request.
        quorum: Vec<(Peer, Said)> = Q::of(me, n).into_iter().map(|voter| (voter, Said::Nothing)).collect(),
        /// The request that has the vote of this process.
        locked: Option<(u64, Peer)> = None,
        /// The requests that wait for it, in order. The first one comes before the locked one if and only if an
        /// INQUIRE is under way or unanswered; so that need not be remembered.
        waiting: BTreeSet<(u64, Peer)> = BTreeSet::new(),
        hidden quorums: PhantomData<Q> = PhantomData,
        drawn = [clock: clock, quorum: quorum, locked: vote, waiting: waiting],
    }
}

names! {
    /// What a voter has said.
    enum Said {
        Nothing = "-",
        Failed = "failed",
        Locked = "locked",
        Inquired = "inquired",
    }
}

messages! {
    pub enum Msg {
        /// I want your vote; I asked at this time.
        "request" Request { t: u64 } serves Sender,
        /// You have my vote.
        "locked" Locked serves Receiver,
        /// I have left.
        "release" Release serves Sender,
        /// Somebody else comes first.
        "failed" Failed serves Receiver,
        /// Could you give the vote back?
        "inquire" Inquire serves Receiver,
        /// I give the vote back.
        "yield" Yield serves Sender,
    }
}

rules! {
    /// C := C + 1; ts := C; nobody has said anything; send REQUEST(ts) to the quorum
    Want,
    /// on REQUEST(t) from j, nothing locked, or for the first that waits: locked := (t, j); send LOCKED to j
    Lock,
    /// on REQUEST(t) from j, after the locked or the first that waits: C := max(C, t); (t, j) waits; send FAILED to j
    Refuse,
    /// on REQUEST(t) from j, before the first that waits, and that before the locked: C := max(C, t); (t, j) waits;
    /// send FAILED to whose request was first
    Displace,
    /// on REQUEST(t) from j otherwise: C := max(C, t); (t, j) waits; send INQUIRE to whose request is locked
    Inquire,
    /// on LOCKED from j, other votes missing: j has voted
    Vote,
    /// on LOCKED from j, no other vote missing: enter
    Enter,
    /// on FAILED from j: j has refused; give back every vote that was inquired after
    Failed,
    /// on INQUIRE from j, waiting with j's vote, nobody has refused: j has inquired
    Keep,
    /// on INQUIRE from j, likewise, somebody has refused: send YIELD to j; j has refused
    Yield,
    /// on INQUIRE from j otherwise: the RELEASE is under way; nothing to do
    Late,
    /// on YIELD: the locked request waits; lock the first that waits
    TakeBack = "take back",
    /// on RELEASE: nothing is locked; lock the first that waits, if there is one
    Unlock,
    /// send RELEASE to the quorum
    Exit,
}

/// Lines of a finite projective plane for n = q² + q + 1, q a prime power up to 19; row and column of a grid otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Planes;

impl Quorums for Planes {
    const SPEC: Spec = Spec::exclusion("maekawa", 1985, include_str!("mod.rs"))
        .family(Family::Quorum)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .proved("counting: six at each voter")
        .at_most_of(Counts::All, "6(K-1) per entry", |facts| {
            let others = largest_quorum(u32::try_from(facts.n).ok()?).saturating_sub(1);
            Some(6 * others * facts.entries)
        })
        .example("-n 7");

    fn of(me: Peer, n: Size) -> Vec<Peer> {
        line_or_grid(me, n)
    }
}

impl<Q: Quorums> Process for Voting<Q> {
    const SPEC: Spec = Q::SPEC;
    types! { Port = Peer }

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        let voter = self.quorum.binary_search_by_key(&from, |(voter, _)| *voter).ok();
        let said = voter.map(|voter| (voter, self.quorum[voter].1));
        match (msg, self.user, said, self.locked) {
            // As a voter.
            (Msg::Request { t }, .., None) => {
                self.clock.raise(t);
                self.lock((t, from), out);
            }
            (Msg::Request { t }, .., Some(locked)) => {
                self.clock.raise(t);
                let (request, first) = ((t, from), self.waiting.first().copied());
                self.wait(request, out);
                if request > locked || first.is_some_and(|first| request > first) {
                    out.rule(Rule::Refuse);
                    self.tell(from, Msg::Failed {}, out);
                } else if let Some(first) = first.filter(|first| *first < locked) {
                    // The holder has been asked for the vote already; but now it will not go to this one.
                    out.rule(Rule::Displace);
                    self.tell(first.1, Msg::Failed {}, out);
                } else {
                    out.rule(Rule::Inquire);
                    self.tell(locked.1, Msg::Inquire {}, out);
                }
            }
            (Msg::Release {}, .., Some((_, holder))) if holder == from => {
                out.rule(Rule::Unlock);
                self.lock_first(out);
            }
            (Msg::Release {}, ..) => out.impossible("only who has the vote releases it"),
            (Msg::Yield {}, .., Some(locked)) if locked.1 == from => {
                out.rule(Rule::TakeBack);
                self.wait(locked, out);
                self.lock_first(out);
            }
            (Msg::Yield {}, ..) => out.impossible("only who has the vote yields it"),
            // As one who wants in.
            (Msg::Locked {} | Msg::Failed {} | Msg::Inquire {}, _, None, _) => {
                out.impossible("only those that were asked answer");
            }
            (Msg::Locked {}, Stage::Waiting, Some((voter, Said::Nothing | Said::Failed)), _) => {
                self.quorum[voter].1 = Said::Locked;
                if self.quorum.iter().all(|(_, said)| matches!(said, Said::Locked | Said::Inquired)) {
                    out.rule(Rule::Enter);
                    self.user = Stage::Inside;
                    // Who inquired gets its vote back on leaving.
                    self.quorum.iter_mut().for_each(|(_, said)| *said = Said::Locked);
                } else {
                    out.rule(Rule::Vote);
                }
            }
            (Msg::Locked {}, Stage::Waiting, ..) => out.impossible("a voter has one vote"),
            (Msg::Locked {}, ..) => out.impossible("all votes are in before it enters"),
            (Msg::Failed {}, Stage::Waiting, Some((voter, Said::Nothing)), _) => {
                out.rule(Rule::Failed);
                self.quorum[voter].1 = Said::Failed;
                for voter in 0..self.quorum.len() {
                    if self.quorum[voter].1 == Said::Inquired {
                        self.give_back(voter, out);
                    }
                }
            }
            (Msg::Failed {}, Stage::Waiting, ..) => {
                out.impossible("a voter refuses once, and before it votes")
            }
            (Msg::Failed {}, ..) => out.impossible("who refuses votes later, and all have voted"),
            (Msg::Inquire {}, Stage::Waiting, Some((voter, Said::Locked)), _) => {
                if self.quorum.iter().any(|(_, said)| *said == Said::Failed) {
                    self.give_back(voter, out);
                } else {
                    out.rule(Rule::Keep);
                    self.quorum[voter].1 = Said::Inquired;
                }
            }
            (Msg::Inquire {}, Stage::Waiting, Some((_, Said::Failed)), _) => {
                out.impossible("a voter inquires only of who has its vote");
            }
            (Msg::Inquire {}, Stage::Waiting, Some((_, Said::Inquired)), _) => {
                out.impossible("a voter inquires once");
            }
            // It was sent before the RELEASE arrived that answers it.
            (Msg::Inquire {}, ..) => out.rule(Rule::Late),
        }
    }
}

impl<Q: Quorums> Voting<Q> {
    /// The request waits for the vote.
    fn wait(&mut self, request: (u64, Peer), out: &mut impl Outbox<Self>) {
        if !self.waiting.insert(request) {
            out.impossible("no process asks twice at one time");
        }
    }

    /// The vote is back, and the first of those that wait gets it.
    fn lock_first(&mut self, out: &mut impl Outbox<Self>) {
        self.locked = None;
        if let Some(first) = self.waiting.pop_first() {
            self.lock(first, out);
        }
    }

    fn lock(&mut self, request: (u64, Peer), out: &mut impl Outbox<Self>) {
        out.rule(Rule::Lock);
        self.locked = Some(request);
        self.tell(request.1, Msg::Locked {}, out);
    }

    fn give_back(&mut self, voter: usize, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Yield);
        self.quorum[voter].1 = Said::Failed;
        self.tell(self.quorum[voter].0, Msg::Yield {}, out);
    }

    /// Sends a message. What a process would send to itself it handles at once.
    fn tell(&mut self, to: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        if to == self.me {
            self.receive(to, msg, out);
        } else {
            out.send(to, msg);
        }
    }
}

impl<Q: Quorums> Exclusion for Voting<Q> {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.ts = self.clock.tick();
        self.user = Stage::Waiting;
        for voter in 0..self.quorum.len() {
            self.tell(self.quorum[voter].0, Msg::Request { t: self.ts }, out);
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.ts = 0;
        for voter in 0..self.quorum.len() {
            self.quorum[voter].1 = Said::Nothing;
            self.tell(self.quorum[voter].0, Msg::Release {}, out);
        }
    }
}
