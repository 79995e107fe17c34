//! Misra, bounded: two tokens go round a ring, and each notices when the other is lost.
//!
//! **Idea.** The ping carries the privilege; the pong only watches, and is watched. Both bear the same number v, the
//! ping as v and the pong as −v; each process remembers the last number it saw, and whenever the tokens meet v goes up.
//! A token that finds its own number remembered has been round without the other having been here or having met it: the
//! other is lost, and is made anew on the spot.
//!
//! **Needs.** A one-way ring with FIFO links, its size, one process that holds both tokens at first. Tokens may be lost
//! in transit, but never both at once. The values 1 .. n+1 are enough, and n are not; 0 must not be among them.
//!
//! **Cost.** Tokens circulate for ever: no number of messages per entry. A lost token is replaced at the survivor's
//! (n+1)-th arrival at the latest, counting all processes.
//!
//! **Source.** J. Misra, Detecting termination of distributed computations using markers, PODC 1983, 290–294; as told
//! in a textbook chapter, whose bounded form "modulo n+1" uses 0 and makes two pings without any loss (erratum Z1).
//!
//! ```
//! use ringleader::{mutex::MisraBounded, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<MisraBounded>(&Scenario::new(3), &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::{
    Charge, Cost, Erratum, Exclusion, Fields, Holder, Links, Needs, Never, Next, Order, Outbox, Process,
    Promises, Reached, Rule, Size, Spec, Stage, Tolerates, fields, messages, names,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MisraBounded {
    n: u32,
    user: User,
    /// The number of the token that was here last; 0 if none was.
    m: i32,
    /// The ping's number, if it is here.
    ping: Option<i32>,
    /// The pong's number, if it is here.
    pong: Option<i32>,
}

names! {
    /// Where the user stands.
    enum User {
        Idle = "idle",
        Waiting = "waiting",
        Inside = "inside",
    }
}

names! {
    /// A token may stay as long as it likes; at some moment it is sent on.
    pub enum Local {
        ReleasePing = "release ping",
        ReleasePong = "release pong",
    }
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// The privilege, with its number v.
        "ping" Ping { nb: i32 },
        /// The watcher, with its number −v.
        "pong" Pong { nb: i32 },
    }
}

impl Process for MisraBounded {
    const SPEC: Spec = SPEC;
    type Given = (Size, Holder);
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Local;

    fn new((Size(n), Holder(holder)): (Size, Holder)) -> Self {
        let [ping, pong] = if holder { [Some(1), Some(-1)] } else { [None; 2] };
        MisraBounded { n, user: User::Idle, m: 0, ping, pong }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.ping, self.pong) {
            (Msg::Ping { .. }, Some(_), _) => return out.impossible("there is one ping"),
            (Msg::Pong { .. }, _, Some(_)) => return out.impossible("there is one pong"),
            (Msg::Ping { nb }, None, pong) => {
                let (nb, pong) = self.arrive(nb, pong, out);
                (self.ping, self.pong) = (Some(nb), pong);
            }
            (Msg::Pong { nb }, ping, None) => {
                let (nb, ping) = self.arrive(nb, ping, out);
                (self.ping, self.pong) = (ping, Some(nb));
            }
        }
        if self.user == User::Waiting && self.ping.is_some() {
            self.user = User::Inside;
        }
    }

    fn can(&self, step: Local) -> bool {
        match step {
            Local::ReleasePing => self.ping.is_some() && self.user != User::Inside,
            Local::ReleasePong => self.pong.is_some(),
        }
    }

    fn step(&mut self, step: Local, out: &mut impl Outbox<Self>) {
        match step {
            Local::ReleasePing => {
                out.rule("send ping");
                self.send_ping(out);
            }
            Local::ReleasePong => {
                out.rule("send pong");
                match self.pong.take() {
                    Some(nb) => out.send(Next, Msg::Pong { nb }),
                    None => out.impossible("the pong is sent on where it is"),
                }
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; user, m, ping, pong)
    }
}

impl MisraBounded {
    /// A token with number `nb` arrives where `other` is the other token, if it is here: the new numbers of both. The
    /// number received is compared and remembered first; only then do the tokens meet (errata Z4, Z5).
    fn arrive(&mut self, nb: i32, other: Option<i32>, out: &mut impl Outbox<Self>) -> (i32, Option<i32>) {
        match (nb == self.m, other) {
            (true, None) => {
                out.rule("regenerate");
                let nb = self.next(nb);
                (nb, Some(-nb))
            }
            (true, Some(_)) => {
                out.impossible("a token that is here has left its number here");
                (nb, other)
            }
            (false, None) => {
                out.rule("arrive");
                self.m = nb;
                (nb, None)
            }
            (false, Some(_)) => {
                out.rule("meet");
                self.m = nb;
                let nb = self.next(nb);
                (nb, Some(-nb))
            }
        }
    }

    /// The number after this one, with its sign: 1, 2, .. n+1, and 1 again.
    fn next(&self, nb: i32) -> i32 {
        let v = if nb.unsigned_abs() > self.n { 1 } else { nb.abs() + 1 };
        v * nb.signum()
    }

    /// The ping is sent on.
    fn send_ping(&mut self, out: &mut impl Outbox<Self>) {
        match self.ping.take() {
            Some(nb) => out.send(Next, Msg::Ping { nb }),
            None => out.impossible("the ping is sent on where it is"),
        }
    }
}

impl Exclusion for MisraBounded {
    const TOKENS: &'static [&'static str] = &["ping", "pong"];

    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("want");
        self.user = if self.ping.is_some() { User::Inside } else { User::Waiting };
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule("exit");
        self.user = User::Idle;
        self.send_ping(out);
    }

    fn stage(&self) -> Stage {
        match self.user {
            User::Idle => Stage::Idle,
            User::Waiting => Stage::Waiting,
            User::Inside => Stage::Inside,
        }
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Ping { .. } | Msg::Pong { .. } => Charge::Nobody,
        }
    }

    fn tokens(&self) -> u32 {
        u32::from(self.ping.is_some()) | u32::from(self.pong.is_some()) << 1
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "misra-bounded",
    aliases: &[],
    title: "Misra, bounded",
    year: 1983,
    source: "J. Misra, PODC 1983, 290-294",
    idea: "Two tokens go round the ring: the ping lets in, the pong watches. Both bear one number v, as v and -v, \
           which goes up when they meet; a process remembers the last one it saw. A token that finds its own number \
           has met no trace of the other for a whole round: the other is lost, and is made anew.",
    needs: Needs {
        links: Links::Fifo,
        reached: Reached::Relays,
        tolerates: Tolerates { loss: true, ..Tolerates::NOTHING },
        ..Needs::NOTHING
    },
    promises: Promises::Exclusion { order: Order::Ring, falls_silent: false },
    cost: Cost {
        worst: None,
        average: None,
        words: "no number per entry: the tokens circulate for ever; a lost token is back at the survivor's \
                (n+1)-th arrival at the latest",
    },
    worst_ids: None,
    settings: &[],
    rules: &[
        Rule {
            name: "arrive",
            text: "on a token with number x, m != x, the other not here: m := x. A waiting user enters with the ping",
        },
        Rule {
            name: "meet",
            text: "on a token with number x, m != x, the other here: m := x; then v := next(v) for both",
        },
        Rule {
            name: "regenerate",
            text: "on a token with number x, m = x: the other is lost; make it here, v := next(v) for both; m stays",
        },
        Rule { name: "send ping", text: "the ping is here, the user not inside: send it on" },
        Rule { name: "send pong", text: "the pong is here: send it on" },
        Rule { name: "want", text: "enter if the ping is here, wait for it otherwise" },
        Rule { name: "exit", text: "leave; send the ping on" },
    ],
    errata: &[
        Erratum {
            id: "Z1",
            text: "'modulo (n+1)' includes 0, and 0 = -0: one token is taken for the other. The values are 1 .. n+1",
        },
        Erratum { id: "Z2", text: "a residue of -v loses the sign: v and n+1-v collide" },
        Erratum { id: "Z3", text: "n values are too few: the number can come back to m" },
        Erratum { id: "Z4", text: "the number is compared and stored before the meeting, not after" },
        Erratum {
            id: "Z5",
            text: "a regeneration must not store the number, though it looks like an omission",
        },
        Erratum { id: "Z7", text: "a token that waits at a process is met by one that arrives there" },
        Erratum {
            id: "Z10",
            text: "'in one passage round the ring' is n+1 arrivals of the survivor at most",
        },
        Erratum { id: "Z11", text: "if both tokens are lost nothing ever happens again" },
    ],
    example: "-n 3 --lose ping@2",
};
