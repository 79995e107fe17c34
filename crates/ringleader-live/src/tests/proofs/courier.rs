//! Two ends of a link as processes: one hands payloads to its link, the other takes them out.
//!
//! Process 0 sends the payloads 0, 1, .. to every incarnation of process 1 that it meets; process 1 notes how
//! far they came. Either may restart, as a local step: everything but the incarnation is forgotten. A timer
//! stands for a connection that is made anew: both greet, and what waits is sent again.
//!
//! What is carried says by whom and for whom it was handed over, so that whoever takes it out can tell what
//! should never have come. A [`Flaw`] changes what goes into a link or comes out of it, as if one line of it
//! were wrong; the link itself has no switch.

use crate::{Greeting, Limits, Link, Meeting, Received, Segment};
use ringleader::model::{
    Decision, Election, Fields, Informed, Knows, MaxDelay, Name, Needs, Never, Outbox, Peer, Process,
    Promises, Setting, SettingValues, Settings, Show, Spec, State, Timing, Tolerates, Verdict, Winner,
    messages, names,
};

/// One end. With a clock (`TIMED`) a connection is made anew when everything of the last one has arrived or
/// is lost, as often as it takes, and it is promised that everything arrives. Without one it may be made anew
/// at any moment, but only so often, old segments stay in the network for as long as they like, and what is
/// promised is that nothing wrong arrives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Courier<const TIMED: bool> {
    me: Peer,
    patience: u32,
    payloads: u8,
    /// How often it may still restart.
    restarts: u8,
    /// Whether its clock goes back before it does.
    back: bool,
    /// How often a connection may still be made anew, without a clock.
    tries: u8,
    flaw: Flaw,
    mine: u64,
    link: Link<Parcel>,
    /// Whether the other end has shown that it knows this incarnation.
    known: bool,
    /// How many payloads came out of the link since the other end was met, and from which incarnation the
    /// last one was.
    got: u8,
    got_from: u64,
    /// How many of those that went in are acknowledged.
    acked: u8,
}

/// By which incarnation for which one it was handed over, and the how many-th of them it is.
type Parcel = ((u64, u64), u8);

names! {
    /// What is wrong.
    pub(super) enum Flaw {
        Nothing = "none",
        AnySender = "takes what an earlier incarnation sent",
        AnyReceiver = "takes what was sent to an earlier incarnation",
        TakesAgain = "takes what it has taken already",
        TakesEarly = "takes what is not next",
        AnyAck = "takes an acknowledgement of other incarnations",
        AnyGreeting = "takes what a greeting acknowledges to another incarnation",
        OldGreeting = "takes an old incarnation for a new one",
        KeepsWaiting = "sends a new incarnation what waited for the old one",
        KeepsCounting = "expects of a new incarnation what it expected of the old one",
        SkipsFirst = "sends again all but the first",
        ClaimsGap = "acknowledges what it has not taken",
        SilentOnDuplicate = "acknowledges nothing twice",
        SameAgain = "restarts under the incarnation that it had",
    }
}

names! {
    /// What it waits for, but not for ever.
    pub(super) enum Timer {
        Reconnect = "reconnect",
    }
}

names! {
    /// What happens to it.
    pub(super) enum Local {
        Restart = "restart",
    }
}

messages! {
    /// What travels, as in the frames of the same names.
    pub(super) enum Msg {
        "hello" Hello { mine: u64, yours: u64, next: u64 },
        "data" Data { from: u64, to: u64, number: u64, payload: Parcel },
        "ack" Ack { from: u64, to: u64, next: u64 },
        "refuse" Refuse { newest: u64 },
    }
}

/// Who restarts: how often process 0 does and how often process 1, and whether their clocks have gone back
/// meanwhile, so that they begin with a smaller incarnation.
pub(super) const RESTARTS: [(&str, [u8; 2], bool); 8] = [
    ("none", [0, 0], false),
    ("sender", [1, 0], false),
    ("receiver", [0, 1], false),
    ("both", [1, 1], false),
    ("sender twice", [2, 0], false),
    ("receiver twice", [0, 2], false),
    ("sender, clock back", [1, 0], true),
    ("receiver, clock back", [0, 1], true),
];

/// The names of these.
const fn names_of_restarts() -> [&'static str; RESTARTS.len()] {
    let mut names = [""; RESTARTS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = RESTARTS[place].0;
        place += 1;
    }
    names
}

const LIMITS: Limits = Limits { unacknowledged: 16, ack_every: 1 };

impl<const TIMED: bool> Courier<TIMED> {
    fn other(&self) -> Peer {
        Peer(1 - self.me.0)
    }

    fn sends(&self) -> bool {
        self.me == Peer(0)
    }

    /// It begins, as a new incarnation.
    fn begin(&mut self, out: &mut impl Outbox<Self>) {
        self.link = Link::new(self.mine, LIMITS);
        self.known = false;
        (self.got, self.got_from, self.acked) = (0, 0, 0);
        self.connect(out);
    }

    /// A connection is there: it greets, and sends what waits.
    fn connect(&mut self, out: &mut impl Outbox<Self>) {
        self.greet(out);
        self.send_again(out);
        self.wait(out);
    }

    fn greet(&self, out: &mut impl Outbox<Self>) {
        let Greeting { mine, yours, next } = self.link.greeting();
        out.send(self.other(), Msg::Hello { mine, yours, next });
    }

    fn send_again(&self, out: &mut impl Outbox<Self>) {
        let skipped = usize::from(self.flaw == Flaw::SkipsFirst);
        for segment in self.link.again().skip(skipped) {
            out.send(self.other(), data(segment));
        }
    }

    /// Sees to it that a connection is made anew if that is needed and nothing more can come of this one.
    fn wait(&mut self, out: &mut impl Outbox<Self>) {
        if self.known && self.link.peer().is_some() && self.link.waiting() == 0 {
            out.stop_timer(Timer::Reconnect);
        } else if TIMED {
            out.set_timer(Timer::Reconnect, self.patience);
        } else if self.tries > 0 {
            out.set_timer(Timer::Reconnect, 1);
        }
    }

    /// A greeting comes in.
    fn greeted(&mut self, mut theirs: Greeting, out: &mut impl Outbox<Self>) {
        let knows_me = theirs.yours == self.mine;
        if self.flaw == Flaw::AnyGreeting {
            theirs.yours = self.mine;
        }
        let before = self.link.clone();
        let mut meeting = self.link.greeted(theirs);
        if matches!(meeting, Meeting::Stale(_)) && self.flaw == Flaw::OldGreeting {
            self.link = Link::new(self.mine, LIMITS);
            self.link.greeted(theirs);
            meeting = Meeting::Restarted;
        }
        match meeting {
            Meeting::Stale(newest) => {
                out.send(self.other(), Msg::Refuse { newest });
                return;
            }
            Meeting::Same => {}
            Meeting::First | Meeting::Restarted => {
                self.met(&before, out);
                self.wait(out);
            }
        }
        self.known |= knows_me;
        if !knows_me {
            self.greet(out);
        }
    }

    /// A new incarnation is met: everything begins anew.
    fn met(&mut self, before: &Link<Parcel>, out: &mut impl Outbox<Self>) {
        (self.known, self.got, self.acked) = (false, 0, 0);
        let theirs = self.link.peer().unwrap_or_default();
        if self.flaw == Flaw::KeepsWaiting {
            for kept in before.again() {
                self.hand_over(kept.payload, out);
            }
        }
        if self.flaw == Flaw::KeepsCounting {
            for number in 0..before.greeting().next {
                let payload = ((theirs, self.mine), 0);
                self.link.receive(Segment { from: theirs, to: self.mine, number, payload });
            }
        }
        if self.sends() {
            for number in 0..self.payloads {
                self.hand_over(((self.mine, theirs), number), out);
            }
        }
    }

    fn hand_over(&mut self, parcel: Parcel, out: &mut impl Outbox<Self>) {
        match self.link.send(parcel) {
            Ok(segment) => out.send(self.other(), data(segment)),
            Err(_) => out.impossible("there is room for all payloads"),
        }
    }

    /// A segment comes in.
    fn take(&mut self, mut segment: Segment<Parcel>, out: &mut impl Outbox<Self>) {
        self.known |= segment.to == self.mine;
        let next = self.link.greeting().next;
        match self.flaw {
            Flaw::AnySender => segment.from = self.link.peer().unwrap_or_default(),
            Flaw::AnyReceiver => segment.to = self.mine,
            Flaw::TakesAgain => segment.number = segment.number.max(next),
            Flaw::TakesEarly => segment.number = segment.number.min(next),
            Flaw::Nothing
            | Flaw::AnyAck
            | Flaw::AnyGreeting
            | Flaw::OldGreeting
            | Flaw::KeepsWaiting
            | Flaw::KeepsCounting
            | Flaw::SkipsFirst
            | Flaw::ClaimsGap
            | Flaw::SilentOnDuplicate
            | Flaw::SameAgain => {}
        }
        let number = segment.number;
        match self.link.receive(segment) {
            Received::Deliver(((from, to), number)) => {
                if to != self.mine || Some(from) != self.link.peer() {
                    out.impossible("this was meant for another pair of incarnations");
                } else if from < self.got_from {
                    out.impossible("something of a later incarnation was here already");
                } else if number < self.got {
                    out.impossible("it was here already");
                } else if number > self.got {
                    out.impossible("one before it is missing");
                }
                (self.got, self.got_from) = (number + 1, from);
            }
            Received::Duplicate if self.flaw == Flaw::SilentOnDuplicate => {
                self.link.acknowledgement(true);
            }
            Received::Gap if self.flaw == Flaw::ClaimsGap => {
                let (from, to) = (self.mine, self.link.peer().unwrap_or_default());
                out.send(self.other(), Msg::Ack { from, to, next: number + 1 });
            }
            Received::Duplicate | Received::Gap | Received::Stranger => {}
        }
        if let Some((from, to, next)) = self.link.acknowledgement(true) {
            out.send(self.other(), Msg::Ack { from, to, next });
        }
    }
}

fn data(Segment { from, to, number, payload }: Segment<Parcel>) -> Msg {
    Msg::Data { from, to, number, payload }
}

impl<const TIMED: bool> Process for Courier<TIMED> {
    const SPEC: Spec = Spec {
        needs: Needs {
            timing: if TIMED { Timing::BoundedDelay } else { Timing::Asynchronous },
            // A verdict that is taken back is all right (there is a new incarnation): that is what tolerating
            // crashes means.
            tolerates: Tolerates { crash: true, loss: true, duplication: true, ..Tolerates::NOTHING },
            ..Needs::NOTHING
        },
        promises: Promises::Election { winner: Winner::Any, informed: Informed::Live },
        settings: &[
            number("payloads", 1, 8),
            Setting {
                name: "restarts",
                about: "who restarts",
                values: SettingValues::OneOf(&names_of_restarts()),
            },
            number("tries", 0, 9),
            number("flaw", 0, Flaw::ALL.len() as u32 - 1),
        ],
        ..Spec::election("courier", 2026, "")
    };
    type Given = (Peer, MaxDelay, Settings);
    type Port = Peer;
    type Msg = Msg;
    type Rule = Never;
    type Timer = Timer;
    type Local = Local;
    type Register = Never;

    fn new((me, MaxDelay(delay), Settings([payloads, restarts, tries, flaw])): Self::Given) -> Self {
        let place = me.0.min(1) as usize;
        // The two never have the same incarnation, so that one taken for the other shows.
        let mine = [11, 21][place];
        Courier {
            me,
            patience: 2 * delay + 1,
            payloads: payloads as u8,
            restarts: RESTARTS[restarts as usize].1[place],
            back: RESTARTS[restarts as usize].2,
            tries: tries as u8,
            flaw: Flaw::ALL[flaw as usize],
            mine,
            link: Link::new(mine, LIMITS),
            known: false,
            got: 0,
            got_from: 0,
            acked: 0,
        }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        self.begin(out);
    }

    fn receive(&mut self, _: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Hello { mine, yours, next } => self.greeted(Greeting { mine, yours, next }, out),
            Msg::Data { from, to, number, payload } => self.take(Segment { from, to, number, payload }, out),
            Msg::Ack { from, to, next } if self.flaw == Flaw::AnyAck => {
                let _ = (from, to);
                let theirs = self.link.peer().unwrap_or_default();
                self.link.acknowledged(theirs, self.mine, next);
            }
            Msg::Ack { from, to, next } => {
                self.known |= to == self.mine;
                self.link.acknowledged(from, to, next);
            }
            // Only a clock that has gone back makes a newer one possible; otherwise this is about an older
            // greeting.
            Msg::Refuse { newest } if newest > self.mine => {
                self.mine = newest + 1;
                self.begin(out);
            }
            Msg::Refuse { newest: _ } => {}
        }
        if self.sends() && self.link.peer().is_some() {
            self.acked = self.payloads.saturating_sub(self.link.waiting() as u8);
        }
        if self.known && self.link.waiting() == 0 {
            self.wait(out);
        }
    }

    fn timeout(&mut self, timer: Timer, out: &mut impl Outbox<Self>) {
        match timer {
            Timer::Reconnect => {
                self.tries = self.tries.saturating_sub(u8::from(!TIMED));
                self.connect(out);
            }
        }
    }

    fn can(&self, step: Local) -> bool {
        match step {
            Local::Restart => self.restarts > 0,
        }
    }

    fn step(&mut self, step: Local, out: &mut impl Outbox<Self>) {
        match step {
            Local::Restart => {
                self.restarts -= 1;
                if self.back {
                    self.mine -= 6;
                } else if self.flaw != Flaw::SameAgain {
                    self.mine += 1;
                }
                self.begin(out);
            }
        }
    }
}

impl<const TIMED: bool> State for Courier<TIMED> {
    fn fields(&self) -> Fields {
        let peer = self.link.peer();
        vec![
            ("mine", self.mine.show()),
            ("peer", peer.show()),
            ("got", self.got.show()),
            ("acked", self.acked.show()),
        ]
    }
}

const fn number(name: &'static str, min: u32, max: u32) -> Setting {
    Setting { name, about: "", values: SettingValues::Number { min, max, default: min } }
}

impl<const TIMED: bool> Election for Courier<TIMED> {
    fn outcome(&self) -> Decision {
        let done = if self.sends() { self.acked } else { self.got };
        if TIMED && done < self.payloads {
            return Decision::NONE;
        }
        let verdict = if self.sends() { Verdict::Lost } else { Verdict::Leader };
        Decision { verdict, knows: Knows::Name(Peer(1)) }
    }
}
