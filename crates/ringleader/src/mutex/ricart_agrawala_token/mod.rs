//! Ricart–Agrawala with a token: ask everybody, and wait for the one token.
//!
//! **Idea.** A process that wants in and has not got the token sends a numbered request to all others and waits for the
//! token, which carries for each process the number of its last request that was served. Whoever has no more use for
//! the token sends it to the next process, in cyclic order of names, with a newer request.
//!
//! **Needs.** A complete graph of named processes, reliable links in any order, one process that has the token at
//! first. To find the token here and to hold it fast are one step. A request that comes late must not hide a newer one.
//!
//! **Cost.** n per entry, or none where the token is already here; n-1 on average under light load; one message delay
//! from an exit to the next entry
//!
//! **Source.** G. Ricart, A. K. Agrawala, CACM 26(2):147-148, 1983
//!
//! ```
//! use ringleader::{mutex::RicartAgrawalaToken, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<RicartAgrawalaToken>(&Scenario::new(4), &mut ()).unwrap();
//! assert_eq!(run.messages, 3 * 4); // four entries: nothing for the first holder, n for each of the others
//! ```

use crate::model::*;

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RicartAgrawalaToken {
    me: Peer,
    n: Size,
    user: Stage,
    /// How many requests it has made. Who enters with the token already here makes none.
    clock: u32,
    /// For each process the highest number among its requests that came here.
    requests: Vec<u32>,
    /// The token, if it is here: for each process the number of its last request that was served.
    token: Option<Vec<u32>>,
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// I want in, for the k-th time that I ask.
        "request" Request { k: u32 },
        /// The right to enter, with what was served.
        "token" Token { array: Vec<u32> },
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
        .errata(include_str!("errata.md"))
        .aliases(&["ra-token"])
        .reached(Reached::Relays)
        .talks(Talks::ToAll { keeps: 4 })
        .at_most(Counts::All, Basis::Proved("?"), "n per entry", |facts| Some(facts.n * facts.entries))
        .example("-n 3 --entries 2");
    type Given = (Peer, Size, Holder);
    type Port = Peer;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Never;

    fn new((me, n, Holder(holder)): (Peer, Size, Holder)) -> Self {
        let nothing = vec![0; n.0 as usize];
        let token = holder.then(|| nothing.clone());
        RicartAgrawalaToken { me, n, user: Stage::Idle, clock: 0, requests: nothing, token }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

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

impl State for RicartAgrawalaToken {
    fn fields(&self) -> Fields {
        fields!(self; me, user, clock, requests, token)
    }
}

impl RicartAgrawalaToken {
    /// The k-th request of a process has come. Requests may overtake each other.
    fn note(&mut self, from: Peer, k: u32) {
        if let Some(last) = self.requests.get_mut(from.0 as usize) {
            *last = k.max(*last);
        }
    }

    /// The token goes to the first after this process that was not served, if there is one.
    fn hand_over(&mut self, out: &mut impl Outbox<Self>) {
        if let Some((to, token)) = self.give(|asked, served, _| asked > served) {
            out.send(to, token);
        }
    }

    /// To whom the token goes, and the token: to the first after this process that asks, going by its last request,
    /// its number in the token, and the own number there.
    fn give(&mut self, asks: impl Fn(u32, u32, u32) -> bool) -> Option<(Peer, Msg)> {
        let mut array = self.token.take()?;
        let number = |list: &[u32], j: u32| list.get(j as usize).copied().unwrap_or(0);
        if let Some(own) = array.get_mut(self.me.0 as usize) {
            *own = self.clock;
        }
        let mut round = (self.me.0 + 1..self.n.0).chain(0..self.me.0);
        match round.find(|&j| asks(number(&self.requests, j), number(&array, j), self.clock)) {
            Some(j) => Some((Peer(j), Msg::Token { array })),
            None => {
                self.token = Some(array);
                None
            }
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
            for other in self.me.others(self.n) {
                out.send(other, Msg::Request { k: self.clock });
            }
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.hand_over(out);
    }

    fn stage(&self) -> Stage {
        self.user
    }

    fn charge(msg: &Msg) -> Charge {
        match msg {
            Msg::Request { .. } => Charge::Sender,
            Msg::Token { .. } => Charge::Receiver,
        }
    }
}

/// The textbook taken literally: requests are compared with the holder's own number in the token (erratum T1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct RicartAgrawalaTokenOwnEntry;

impl RicartAgrawalaTokenOwnEntry {
    fn hand_over(right: &mut RicartAgrawalaToken, out: &mut impl Outbox<RicartAgrawalaToken>) {
        if let Some((to, token)) = right.give(|asked, _, own| asked > own) {
            out.send(to, token);
        }
    }
}

impl Variant for RicartAgrawalaTokenOwnEntry {
    type Right = RicartAgrawalaToken;
    const TEXT: Text = Text {
        name: "ricart-agrawala-token@t1",
        title: "Ricart–Agrawala with a token, own number compared",
        erratum: "T1",
        idea: "As printed in prose, a request is pending if its number is greater than what the token records for \
               the holder. Numbers are per process: a holder that was served as often as another asked does not see \
               that request, keeps the token, and the other waits for ever.",
        rules: &[
            RuleText {
                name: "hand over",
                text: "on REQUEST(k) from j, the token here, the user idle: requests[j] := max(requests[j], k); then \
                       as at the exit",
            },
            RuleText {
                name: "exit",
                text: "token[i] := clock; the first j of i+1 .. n-1, 0 .. i-1 with requests[j] > token[i] gets \
                       TOKEN(token); if there is none, keep it",
            },
        ],
        example: "-n 2 --load open:0.3 --total 2 --seed 1",
    };

    fn receive(
        &mut self,
        right: &mut RicartAgrawalaToken,
        from: Peer,
        msg: Msg,
        out: &mut impl Outbox<RicartAgrawalaToken>,
    ) {
        match (msg, right.user) {
            (Msg::Request { k }, Stage::Idle) if right.token.is_some() => {
                out.rule(Rule::HandOver);
                right.note(from, k);
                Self::hand_over(right, out);
            }
            (msg, Stage::Idle | Stage::Waiting | Stage::Inside) => right.receive(from, msg, out),
        }
    }

    fn release(&mut self, right: &mut RicartAgrawalaToken, out: &mut impl Outbox<RicartAgrawalaToken>) {
        out.rule(Rule::Exit);
        right.user = Stage::Idle;
        Self::hand_over(right, out);
    }
}

/// The slides taken literally: the clock is not advanced before a request (erratum T2).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct RicartAgrawalaTokenStoppedClock;

impl Variant for RicartAgrawalaTokenStoppedClock {
    type Right = RicartAgrawalaToken;
    const TEXT: Text = Text {
        name: "ricart-agrawala-token@t2",
        title: "Ricart–Agrawala with a token, clock not advanced",
        erratum: "T2",
        idea: "As printed, a request carries the time of a clock that begins with 0 and that no rule advances. The \
               token records 0 for everybody as well: no request is greater, and only the first holder ever enters.",
        rules: &[RuleText {
            name: "want",
            text: "the token elsewhere: send REQUEST(clock) to all others; wait",
        }],
        example: "-n 2",
    };

    fn request(&mut self, right: &mut RicartAgrawalaToken, out: &mut impl Outbox<RicartAgrawalaToken>) {
        if right.token.is_some() {
            return right.request(out);
        }
        out.rule(Rule::Want);
        right.user = Stage::Waiting;
        for other in right.me.others(right.n) {
            out.send(other, Msg::Request { k: right.clock });
        }
    }
}

/// Without the maximum: the request that came last counts, were it an old one (erratum T3b).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct RicartAgrawalaTokenLastCounts;

impl Variant for RicartAgrawalaTokenLastCounts {
    type Right = RicartAgrawalaToken;
    const TEXT: Text = Text {
        name: "ricart-agrawala-token@t3b",
        title: "Ricart–Agrawala with a token, the last request counts",
        erratum: "T3b",
        idea: "With requests[j] := k instead of the maximum, a request that was served long ago and comes late hides \
               a newer one that overtook it. If the token is there, or comes there, it stays, and the newer request \
               waits for ever. On FIFO links nothing goes wrong.",
        rules: &[
            RuleText {
                name: "note",
                text: "on REQUEST(k) from j, the token elsewhere or the user inside: requests[j] := k",
            },
            RuleText {
                name: "hand over",
                text: "on REQUEST(k) from j, the token here, the user idle: requests[j] := k; then as at the exit",
            },
        ],
        example: "-n 3 --schedule random --load open:0.3 --total 4 --seed 2746",
    };

    fn receive(
        &mut self,
        right: &mut RicartAgrawalaToken,
        from: Peer,
        msg: Msg,
        out: &mut impl Outbox<RicartAgrawalaToken>,
    ) {
        // Nothing is known of older requests when the newest comes.
        if let (Msg::Request { .. }, Some(last)) = (&msg, right.requests.get_mut(from.0 as usize)) {
            *last = 0;
        }
        right.receive(from, msg, out);
    }
}

/// The textbook taken literally: that the token is here, and that it is held, are two steps (erratum T4). Requests
/// are heard in between, which takes a local step that the right algorithm has not got: it is a process of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RicartAgrawalaTokenTwoSteps {
    right: RicartAgrawalaToken,
    /// It has seen the token here, and is about to hold it.
    about_to_hold: bool,
}

names! {
    /// What the text does some time after it has seen the token.
    pub enum Hold {
        Hold = "hold the token",
    }
}

impl Process for RicartAgrawalaTokenTwoSteps {
    const SPEC: Spec = Spec {
        name: "ricart-agrawala-token@t4",
        aliases: &[],
        title: "Ricart–Agrawala with a token, entry in two steps",
        idea: "As printed, a process tests whether the token is here, and then says that it holds it. A request that \
               is heard in between finds a token that nobody holds, and is sent it; the process enters without it, \
               and two are inside.",
        rules: &[
            RuleText {
                name: "enter",
                text: "some time after the token was seen here: token_held := true; enter",
            },
            RuleText {
                name: "want",
                text: "the token here: be about to enter; elsewhere: clock := clock + 1; send REQUEST(clock) to all \
                       others; wait",
            },
            RuleText { name: "token", text: "on TOKEN(array): it is here; be about to enter" },
            RuleText {
                name: "note",
                text: "on REQUEST(k) from j, the token elsewhere or held: requests[j] := max(requests[j], k)",
            },
            RuleText {
                name: "hand over",
                text: "on REQUEST(k) from j, the token here and not held: requests[j] := max(requests[j], k); then \
                       as at the exit",
            },
            EXIT,
        ],
        erratum: "T4",
        example: "-n 2 --hold 3",
        ..<RicartAgrawalaToken as Process>::SPEC
    };
    type Given = (Peer, Size, Holder);
    type Port = Peer;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Hold;

    fn new(given: (Peer, Size, Holder)) -> Self {
        RicartAgrawalaTokenTwoSteps { right: RicartAgrawalaToken::new(given), about_to_hold: false }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.right.user) {
            (Msg::Request { k }, Stage::Idle | Stage::Waiting) if self.right.token.is_some() => {
                out.rule(Rule::HandOver);
                self.right.note(from, k);
                self.hand_over(out);
            }
            (Msg::Request { k }, Stage::Idle | Stage::Waiting | Stage::Inside) => {
                out.rule(Rule::Note);
                self.right.note(from, k);
            }
            (Msg::Token { array }, Stage::Waiting) => {
                out.rule(Rule::Token);
                self.right.token = Some(array);
                self.about_to_hold = true;
            }
            (Msg::Token { .. }, Stage::Idle | Stage::Inside) => {
                out.impossible("the token is sent to who waits for it")
            }
        }
    }

    fn can(&self, Hold::Hold: Hold) -> bool {
        self.about_to_hold
    }

    fn step(&mut self, Hold::Hold: Hold, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Enter);
        self.about_to_hold = false;
        self.right.user = Stage::Inside;
    }
}

impl State for RicartAgrawalaTokenTwoSteps {
    fn fields(&self) -> Fields {
        let mut fields = self.right.fields();
        fields.extend(fields!(self; about_to_hold));
        fields
    }
}

impl RicartAgrawalaTokenTwoSteps {
    /// As in the right algorithm; without the token there is nothing to hand over.
    fn hand_over(&mut self, out: &mut impl Outbox<Self>) {
        if let Some((to, token)) = self.right.give(|asked, served, _| asked > served) {
            out.send(to, token);
        }
    }
}

impl Exclusion for RicartAgrawalaTokenTwoSteps {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.right.user = Stage::Waiting;
        if self.right.token.is_some() {
            self.about_to_hold = true;
        } else {
            self.right.clock += 1;
            for other in self.right.me.others(self.right.n) {
                out.send(other, Msg::Request { k: self.right.clock });
            }
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.right.user = Stage::Idle;
        self.hand_over(out);
    }

    fn stage(&self) -> Stage {
        self.right.stage()
    }

    fn charge(msg: &Msg) -> Charge {
        RicartAgrawalaToken::charge(msg)
    }
}

const EXIT: RuleText = RuleText {
    name: "exit",
    text: "token[i] := clock; the first j of i+1 .. n-1, 0 .. i-1 with requests[j] > token[j] gets TOKEN(token); if \
           there is none, keep it",
};
