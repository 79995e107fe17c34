//! Two algorithms that measure: one sends a token round and writes down when it arrives where, one sends as
//! much as it can. They are hosted like any other, as threads of this process, so that there is one clock.

use crate::cluster::{Folder, wait};
use crate::figures::Figures;
use ringleader::model::*;
use ringleader::registry::Entry;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

static PROBES: [Entry; 2] = [Entry::election::<Lap>(), Entry::election::<Pour>()];

/// How much there is to do, and the moments at which something arrived: an algorithm is not told such things.
static AMOUNT: AtomicU32 = AtomicU32::new(0);
static ARRIVALS: Mutex<Vec<Instant>> = Mutex::new(Vec::new());

/// So many messages are under way at most: well within what a link may have unacknowledged.
const WINDOW: u32 = 512;

/// The hops of a token that goes round among so many members, one after the other.
pub(crate) fn hops(members: usize, hops: u32) -> Figures {
    let arrivals = arrivals(members, "lap", hops);
    arrivals.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// How many messages arrive in a second if one member sends them to another as fast as they go.
pub(crate) fn flood(messages: u32) -> f64 {
    let arrivals = arrivals(2, "pour", messages);
    let time = arrivals[arrivals.len() - 1] - arrivals[0];
    f64::from(messages - 1) / time.as_secs_f64()
}

fn arrivals(members: usize, algorithm: &str, amount: u32) -> Vec<Instant> {
    let lock = || ARRIVALS.lock().unwrap_or_else(PoisonError::into_inner);
    lock().clear();
    lock().reserve(amount as usize + 1);
    AMOUNT.store(amount, Ordering::Relaxed);
    let folder = Folder::new(members, |_| format!("[[group]]\nname = \"g\"\nalgorithm = \"{algorithm}\"\n"));
    let threads = folder.threads(&PROBES);
    let enough = amount as usize;
    let found = wait("all arrivals", || {
        let mut arrivals = lock();
        (arrivals.len() >= enough).then(|| core::mem::take(&mut *arrivals))
    });
    drop(threads);
    found
}

fn arrived() {
    ARRIVALS.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// An identity that has met nobody larger so far.
        "candidate" Candidate { id: Id },
        /// The token, or one of many messages: so many are to follow, and who sent the first.
        "token" Token { left: u32, leader: Id },
        /// There is room for more.
        "more" More,
    }
}

/// Elects the largest, which then sends a token round.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lap {
    id: Id,
    leader: Option<Id>,
}

impl Process for Lap {
    const SPEC: Spec = Spec::election("lap", 2026, "");
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(id: Id) -> Self {
        Lap { id, leader: None }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.send(Next, Msg::Candidate { id: self.id });
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Candidate { id } if id > self.id => out.send(Next, msg),
            Msg::Candidate { id } if id == self.id => {
                self.leader = Some(id);
                out.send(Next, Msg::Token { left: AMOUNT.load(Ordering::Relaxed), leader: id });
            }
            Msg::Candidate { .. } => {}
            Msg::Token { left, leader } => {
                arrived();
                self.leader = Some(leader);
                if left > 0 {
                    out.send(Next, Msg::Token { left: left - 1, leader });
                }
            }
            Msg::More {} => out.impossible("nobody asks for more"),
        }
    }
}

impl State for Lap {
    fn fields(&self) -> Fields {
        fields!(self; id, leader)
    }
}

impl Election for Lap {
    fn outcome(&self) -> Decision {
        let verdict = Verdict::of(self.id, self.leader);
        let knows = self.leader.into();
        Decision { verdict, knows }
    }
}

/// Elects the largest of two, which then sends as much as the other takes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pour {
    id: Id,
    leader: Option<Id>,
    left: u32,
    received: u32,
}

impl Pour {
    fn pour(&mut self, most: u32, out: &mut impl Outbox<Self>) {
        for _ in 0..most.min(self.left) {
            self.left -= 1;
            out.send(Next, Msg::Token { left: self.left, leader: self.id });
        }
    }
}

impl Process for Pour {
    const SPEC: Spec = Spec::election("pour", 2026, "");
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Never;
    type Local = Never;
    type Register = Never;

    fn new(id: Id) -> Self {
        Pour { id, leader: None, left: 0, received: 0 }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        out.send(Next, Msg::Candidate { id: self.id });
    }

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Candidate { id } if id > self.id => out.send(Next, msg),
            Msg::Candidate { id } if id == self.id => {
                self.leader = Some(id);
                self.left = AMOUNT.load(Ordering::Relaxed);
                self.pour(WINDOW, out);
            }
            Msg::Candidate { .. } => {}
            Msg::Token { leader, .. } => {
                arrived();
                self.leader = Some(leader);
                self.received += 1;
                if self.received.is_multiple_of(WINDOW / 2) {
                    out.send(Next, Msg::More {});
                }
            }
            Msg::More {} => self.pour(WINDOW / 2, out),
        }
    }
}

impl State for Pour {
    fn fields(&self) -> Fields {
        fields!(self; id, leader, left, received)
    }
}

impl Election for Pour {
    fn outcome(&self) -> Decision {
        let verdict = Verdict::of(self.id, self.leader);
        let knows = self.leader.into();
        Decision { verdict, knows }
    }
}
