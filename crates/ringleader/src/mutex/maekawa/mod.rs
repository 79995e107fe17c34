//! Maekawa: ask about √n processes, so chosen that any two requests have a process in common.
//!
//! **Idea.** A process asks the processes of its quorum for their votes and enters when it has them all. Any two
//! quorums have a process in common, and each has one vote. Where an earlier request comes late, the vote is asked
//! back, and given back by whoever knows that it cannot enter yet.
//!
//! **Needs.** A complete graph of named processes, and FIFO links: an INQUIRE that overtakes its LOCKED is taken for a
//! late one, and nobody yields. A process knows n and computes its quorum: a line of a finite projective plane for n =
//! q² + q + 1 with q a prime power up to 19, otherwise its row and its column of a square grid.
//!
//! **Cost.** 3(K-1) undisturbed, at most 6(K-1) per entry of a run, with quorums of size K: q+1 for n = q^2+q+1, below
//! 2 sqrt(n)+1 on grids; at most two message delays from an exit to the next entry
//!
//! **Source.** M. Maekawa, ACM TOCS 3(2):145-159, 1985
//!
//! ```
//! use ringleader::{mutex::Maekawa, sim::{self, Entries, Scenario, Workload}};
//! let workload = Workload { entries: Entries::Listed(vec![0, 1, 0, 0, 0, 0, 0]), ..Workload::default() };
//! let run = sim::run_exclusion::<Maekawa>(&Scenario { workload, ..Scenario::new(7) }, &mut ()).unwrap();
//! assert_eq!(run.messages, 3 * 2); // one entry, with a quorum of three
//! ```

use crate::model::*;
use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;

/// Whom to ask: any two quorums have a process in common.
pub trait Quorums: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The contract of the algorithm that votes with these quorums.
    const SPEC: Spec;
    /// The quorum of this process among so many, in increasing order. It need not contain the process itself.
    fn of(me: Peer, n: Size) -> Vec<Peer>;
}

/// The local variables of one process: what it remembers of its own request, and as a voter of the requests of others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Voting<Q> {
    me: Peer,
    /// The highest time stamp used or seen.
    clock: Clock,
    user: Stage,
    /// The time stamp of the own request; 0 if there is none.
    ts: u64,
    /// Whom to ask, in increasing order, and what each has said to the own request.
    quorum: Vec<(Peer, Said)>,
    /// The request that has the vote of this process.
    locked: Option<(u64, Peer)>,
    /// The requests that wait for it, in order. The first one comes before the locked one if and only if an INQUIRE is
    /// under way or unanswered; so that need not be remembered.
    waiting: Vec<(u64, Peer)>,
    quorums: PhantomData<Q>,
}

/// Voting with lines of finite projective planes, and with grids where there are none.
pub type Maekawa = Voting<Planes>;

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
    /// What processes say to each other.
    pub enum Msg {
        /// I want your vote; I asked at this time.
        "request" Request { t: u64 },
        /// You have my vote.
        "locked" Locked,
        /// I have left.
        "release" Release,
        /// Somebody else comes first.
        "failed" Failed,
        /// Could you give the vote back?
        "inquire" Inquire,
        /// I give the vote back.
        "yield" Yield,
    }
}

impl<Q: Quorums> Process for Voting<Q> {
    const SPEC: Spec = Q::SPEC;
    type Given = (Peer, Size);
    type Port = Peer;
    type Msg = Msg;
    type Rule = &'static str;
    type Timer = Never;
    type Local = Never;

    fn new((me, n): (Peer, Size)) -> Self {
        Voting {
            me,
            clock: Clock::default(),
            user: Stage::Idle,
            ts: 0,
            quorum: Q::of(me, n).into_iter().map(|voter| (voter, Said::Nothing)).collect(),
            locked: None,
            waiting: Vec::new(),
            quorums: PhantomData,
        }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Request { t } => self.on_request((t, from), out),
            Msg::Release {} => self.on_release(from, out),
            Msg::Yield {} => self.on_yield(from, out),
            Msg::Locked {} | Msg::Failed {} | Msg::Inquire {} => {
                let Ok(voter) = self.quorum.binary_search_by_key(&from, |(voter, _)| *voter) else {
                    return out.impossible("only those that were asked answer");
                };
                match msg {
                    Msg::Locked {} => self.on_locked(voter, out),
                    Msg::Failed {} => self.on_failed(voter, out),
                    Msg::Inquire {} => self.on_inquire(voter, out),
                    Msg::Request { .. } | Msg::Release {} | Msg::Yield {} => {}
                }
            }
        }
    }
}

impl<Q: Quorums> State for Voting<Q> {
    fn fields(&self) -> Fields {
        fields!(self; me, user, clock, ts, quorum, locked, waiting)
    }
}

/// The voter.
impl<Q: Quorums> Voting<Q> {
    fn on_request(&mut self, request: (u64, Peer), out: &mut impl Outbox<Self>) {
        self.clock.raise(request.0);
        let Some(locked) = self.locked else { return self.lock(request, out) };
        let first = self.waiting.first().copied();
        self.wait(request, out);
        if request > locked || first.is_some_and(|first| request > first) {
            out.rule("refuse");
            self.tell(request.1, Msg::Failed {}, out);
        } else if let Some(first) = first.filter(|first| *first < locked) {
            // The holder has been asked for the vote already; but now it will not go to this one.
            out.rule("displace");
            self.tell(first.1, Msg::Failed {}, out);
        } else {
            out.rule("inquire");
            self.tell(locked.1, Msg::Inquire {}, out);
        }
    }

    fn on_release(&mut self, from: Peer, out: &mut impl Outbox<Self>) {
        match self.locked {
            Some((_, holder)) if holder == from => {
                out.rule("unlock");
                self.locked = None;
                self.lock_next(out);
            }
            Some(_) | None => out.impossible("only who has the vote releases it"),
        }
    }

    fn on_yield(&mut self, from: Peer, out: &mut impl Outbox<Self>) {
        match self.locked {
            Some(locked) if locked.1 == from => {
                out.rule("take back");
                self.locked = None;
                self.wait(locked, out);
                self.lock_next(out);
            }
            Some(_) | None => out.impossible("only who has the vote yields it"),
        }
    }

    /// The request waits for the vote.
    fn wait(&mut self, request: (u64, Peer), out: &mut impl Outbox<Self>) {
        match self.waiting.binary_search(&request) {
            Ok(_) => out.impossible("no process asks twice at one time"),
            Err(place) => self.waiting.insert(place, request),
        }
    }

    /// The first of those that wait gets the vote.
    fn lock_next(&mut self, out: &mut impl Outbox<Self>) {
        if !self.waiting.is_empty() {
            let first = self.waiting.remove(0);
            self.lock(first, out);
        }
    }

    fn lock(&mut self, request: (u64, Peer), out: &mut impl Outbox<Self>) {
        out.rule("lock");
        self.locked = Some(request);
        self.tell(request.1, Msg::Locked {}, out);
    }
}

/// Who wants in.
impl<Q: Quorums> Voting<Q> {
    fn on_locked(&mut self, voter: usize, out: &mut impl Outbox<Self>) {
        match (self.user, self.quorum[voter].1) {
            (Stage::Waiting, Said::Nothing | Said::Failed) => {
                self.quorum[voter].1 = Said::Locked;
                if self.quorum.iter().all(|(_, said)| matches!(said, Said::Locked | Said::Inquired)) {
                    out.rule("enter");
                    self.user = Stage::Inside;
                    // Who inquired gets its vote back on leaving.
                    self.quorum.iter_mut().for_each(|(_, said)| *said = Said::Locked);
                } else {
                    out.rule("vote");
                }
            }
            (Stage::Waiting, Said::Locked | Said::Inquired) => out.impossible("a voter has one vote"),
            (Stage::Idle | Stage::Inside, _) => out.impossible("all votes are in before it enters"),
        }
    }

    fn on_failed(&mut self, voter: usize, out: &mut impl Outbox<Self>) {
        match (self.user, self.quorum[voter].1) {
            (Stage::Waiting, Said::Nothing) => {
                out.rule("failed");
                self.quorum[voter].1 = Said::Failed;
                for voter in 0..self.quorum.len() {
                    if self.quorum[voter].1 == Said::Inquired {
                        self.give_back(voter, out);
                    }
                }
            }
            (Stage::Waiting, Said::Failed | Said::Locked | Said::Inquired) => {
                out.impossible("a voter refuses once, and before it votes");
            }
            (Stage::Idle | Stage::Inside, _) => out.impossible("who refuses votes later, and all have voted"),
        }
    }

    fn on_inquire(&mut self, voter: usize, out: &mut impl Outbox<Self>) {
        match (self.user, self.quorum[voter].1) {
            (Stage::Waiting, Said::Locked) => {
                if self.quorum.iter().any(|(_, said)| *said == Said::Failed) {
                    self.give_back(voter, out);
                } else {
                    out.rule("keep");
                    self.quorum[voter].1 = Said::Inquired;
                }
            }
            // It was sent before the RELEASE arrived that answers it.
            (Stage::Waiting, Said::Nothing) | (Stage::Idle | Stage::Inside, _) => out.rule("late"),
            (Stage::Waiting, Said::Failed) => out.impossible("a voter inquires only of who has its vote"),
            (Stage::Waiting, Said::Inquired) => out.impossible("a voter inquires once"),
        }
    }

    fn give_back(&mut self, voter: usize, out: &mut impl Outbox<Self>) {
        out.rule("yield");
        self.quorum[voter].1 = Said::Failed;
        self.tell(self.quorum[voter].0, Msg::Yield {}, out);
    }

    /// Asks all others in the quorum. The request, if the process has to ask itself as well.
    fn ask(&mut self, out: &mut impl Outbox<Self>) -> Option<(u64, Peer)> {
        out.rule("want");
        self.ts = self.clock.tick();
        self.user = Stage::Waiting;
        let mut own = None;
        for &(voter, _) in &self.quorum {
            if voter == self.me {
                own = Some((self.ts, self.me));
            } else {
                out.send(voter, Msg::Request { t: self.ts });
            }
        }
        own
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
        if let Some(own) = self.ask(out) {
            self.on_request(own, out);
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = Stage::Idle;
        self.ts = 0;
        for voter in 0..self.quorum.len() {
            self.quorum[voter].1 = Said::Nothing;
            self.tell(self.quorum[voter].0, Msg::Release {}, out);
        }
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Request { .. } | Msg::Release {} | Msg::Yield {} => Charge::Sender,
            Msg::Locked {} | Msg::Failed {} | Msg::Inquire {} => Charge::Receiver,
        }
    }
}

/// Lines of a finite projective plane for n = q² + q + 1, as far as the table goes; rows and columns of a grid for all
/// other n.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Planes;

impl Quorums for Planes {
    const SPEC: Spec = Spec::exclusion("maekawa", 1985, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .at_most(Counts::All, Basis::Proved("?"), "6(K-1) per entry", |facts| {
            let others = largest_quorum(u32::try_from(facts.n).ok()?).saturating_sub(1);
            Some(6 * others * facts.entries)
        })
        .rules(VOTING_RULES)
        .example("-n 7");

    fn of(me: Peer, n: Size) -> Vec<Peer> {
        line_or_grid(me, n)
    }
}

/// Voting alone: no INQUIRE, FAILED or YIELD (erratum M1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct MaekawaWithoutYield;

impl MaekawaWithoutYield {
    fn on_request(right: &mut Maekawa, request: (u64, Peer), out: &mut impl Outbox<Maekawa>) {
        right.clock.raise(request.0);
        match right.locked {
            None => right.lock(request, out),
            Some(_) => {
                out.rule("refuse");
                right.wait(request, out);
            }
        }
    }
}

impl Variant for MaekawaWithoutYield {
    type Right = Maekawa;
    const TEXT: Text = Text {
        name: "maekawa@m1",
        title: "Maekawa, votes are never given back",
        erratum: "M1",
        idea: "As often retold, each process of the quorum votes for one request at a time, and that is all. Three \
               processes that ask at once each have one vote, and wait for the one that the next has: for ever.",
        rules: &[
            RuleText { name: "refuse", text: "on REQUEST(t) from j, locked: C := max(C, t); (t, j) waits" },
            RuleText { name: "displace", text: "(the retelling has no such rule)" },
            RuleText { name: "inquire", text: "(the retelling has no such rule)" },
            RuleText { name: "failed", text: "(the retelling has no such rule)" },
            RuleText { name: "keep", text: "(the retelling has no such rule)" },
            RuleText { name: "yield", text: "(the retelling has no such rule)" },
            RuleText { name: "late", text: "(the retelling has no such rule)" },
            RuleText { name: "take back", text: "(the retelling has no such rule)" },
        ],
        example: "-n 3",
    };

    fn receive(&mut self, right: &mut Maekawa, from: Peer, msg: Msg, out: &mut impl Outbox<Maekawa>) {
        match msg {
            Msg::Request { t } => Self::on_request(right, (t, from), out),
            Msg::Locked {} | Msg::Release {} | Msg::Failed {} | Msg::Inquire {} | Msg::Yield {} => {
                right.receive(from, msg, out);
            }
        }
    }

    fn request(&mut self, right: &mut Maekawa, out: &mut impl Outbox<Maekawa>) {
        if let Some(own) = right.ask(out) {
            Self::on_request(right, own, out);
        }
    }
}

/// The paper taken literally: only a request that arrives is told that it failed (erratum M2).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct MaekawaWithoutDisplacing;

impl MaekawaWithoutDisplacing {
    fn on_request(right: &mut Maekawa, request: (u64, Peer), out: &mut impl Outbox<Maekawa>) {
        let first = right.waiting.first().copied();
        match (first, right.locked) {
            (Some(first), Some(locked)) if request < first && first < locked => {
                out.rule("displace");
                right.clock.raise(request.0);
                right.wait(request, out);
            }
            (Some(_) | None, Some(_) | None) => right.on_request(request, out),
        }
    }
}

impl Variant for MaekawaWithoutDisplacing {
    type Right = Maekawa;
    const TEXT: Text = Text {
        name: "maekawa@m2",
        title: "Maekawa, displaced requests are not told",
        erratum: "M2",
        idea: "As printed, FAILED goes to a request that arrives after an earlier one. A request that was first, and \
               is overtaken by a still earlier one while it waits, hears nothing; it yields no vote, and in the end \
               all wait for each other.",
        rules: &[RuleText {
            name: "displace",
            text: "on REQUEST(t) from j, (t, j) before the first that waits, and that before the locked: C := max(C, \
                   t); (t, j) waits",
        }],
        example: "-n 4 --entries 0,1,1,1 --schedule random --seed 5",
    };

    fn receive(&mut self, right: &mut Maekawa, from: Peer, msg: Msg, out: &mut impl Outbox<Maekawa>) {
        match msg {
            Msg::Request { t } => Self::on_request(right, (t, from), out),
            Msg::Locked {} | Msg::Release {} | Msg::Failed {} | Msg::Inquire {} | Msg::Yield {} => {
                right.receive(from, msg, out);
            }
        }
    }

    fn request(&mut self, right: &mut Maekawa, out: &mut impl Outbox<Maekawa>) {
        if let Some(own) = right.ask(out) {
            Self::on_request(right, own, out);
        }
    }
}

/// The rules of voting, whatever the quorums.
pub const VOTING_RULES: &[RuleText] = &[
    RuleText {
        name: "want",
        text: "C := C + 1; ts := C; nobody has said anything; send REQUEST(ts) to the quorum",
    },
    RuleText {
        name: "lock",
        text: "on REQUEST(t) from j, nothing locked, or for the first that waits: locked := (t, j); send LOCKED to j",
    },
    RuleText {
        name: "refuse",
        text: "on REQUEST(t) from j, after the locked or the first that waits: C := max(C, t); (t, j) waits; send \
               FAILED to j",
    },
    RuleText {
        name: "displace",
        text: "on REQUEST(t) from j, before the first that waits, and that before the locked: C := max(C, t); (t, j) \
               waits; send FAILED to whose request was first",
    },
    RuleText {
        name: "inquire",
        text: "on REQUEST(t) from j otherwise: C := max(C, t); (t, j) waits; send INQUIRE to whose request is locked",
    },
    RuleText { name: "vote", text: "on LOCKED from j, other votes missing: j has voted" },
    RuleText { name: "enter", text: "on LOCKED from j, no other vote missing: enter" },
    RuleText {
        name: "failed",
        text: "on FAILED from j: j has refused; give back every vote that was inquired after",
    },
    RuleText {
        name: "keep",
        text: "on INQUIRE from j, waiting with j's vote, nobody has refused: j has inquired",
    },
    RuleText {
        name: "yield",
        text: "on INQUIRE from j, likewise, somebody has refused: send YIELD to j; j has refused",
    },
    RuleText { name: "late", text: "on INQUIRE from j otherwise: the RELEASE is under way; nothing to do" },
    RuleText { name: "take back", text: "on YIELD: the locked request waits; lock the first that waits" },
    RuleText {
        name: "unlock",
        text: "on RELEASE: nothing is locked; lock the first that waits, if there is one",
    },
    RuleText { name: "exit", text: "send RELEASE to the quorum" },
];
