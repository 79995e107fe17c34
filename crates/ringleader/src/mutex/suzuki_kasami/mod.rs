//! Suzuki–Kasami: ask everybody; the token carries a queue of those who wait.
//!
//! **Idea.** A process that wants in and has not got the token sends a numbered request to all others and waits for the
//! token, which carries the numbers of the requests that were served and a queue. Who leaves appends those that it
//! knows to wait, and sends the token to the head of the queue.
//!
//! **Needs.** A complete graph of named processes, reliable links in any order, one process that has the token at
//! first. To leave, to look for requests and to be free for them is one step.
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

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SuzukiKasami {
    me: Peer,
    n: Size,
    user: Stage,
    /// RN: for each process the highest number among its requests that came here; the own entry counts the own ones.
    rn: Vec<u32>,
    /// The token, if it is here: LN and Q.
    token: Option<(Vec<u32>, Vec<Peer>)>,
}

messages! {
    /// What processes say to each other.
    pub enum Msg {
        /// I want in, for the so-and-so-many-th time that I ask.
        "request" Request { sn: u32 },
        /// The right to enter, with what was served and who is next.
        "token" Token { ln: Vec<u32>, q: Vec<Peer> },
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
        .errata(include_str!("errata.md"))
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
        let token = holder.then(|| (nothing.clone(), Vec::new()));
        SuzukiKasami { me, n, user: Stage::Idle, rn: nothing, token }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.user) {
            (Msg::Request { sn }, Stage::Idle) => {
                self.note(from, sn);
                match self.give(from) {
                    Some(token) => {
                        out.rule(Rule::Give);
                        out.send(from, token);
                    }
                    None => out.rule(Rule::Note),
                }
            }
            (Msg::Request { sn }, Stage::Waiting | Stage::Inside) => {
                out.rule(Rule::Note);
                self.note(from, sn);
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

impl State for SuzukiKasami {
    fn fields(&self) -> Fields {
        fields!(self; me, user, rn, token)
    }
}

impl SuzukiKasami {
    /// A request has come. Requests may overtake each other.
    fn note(&mut self, from: Peer, sn: u32) {
        if let Some(rn) = self.rn.get_mut(from.0 as usize) {
            *rn = sn.max(*rn);
        }
    }

    /// The token, if it is here, and this process has a request that was not served.
    fn give(&mut self, to: Peer) -> Option<Msg> {
        let (ln, _) = self.token.as_ref()?;
        if self.rn.get(to.0 as usize)? != &(ln.get(to.0 as usize)? + 1) {
            return None;
        }
        let (ln, q) = self.token.take()?;
        Some(Msg::Token { ln, q })
    }

    /// The own request, if it has to be made, by its number; otherwise it enters with the token that is here.
    fn ask(&mut self) -> Option<u32> {
        if self.token.is_some() {
            self.user = Stage::Inside;
            return None;
        }
        self.user = Stage::Waiting;
        let own = self.rn.get_mut(self.me.0 as usize)?;
        *own += 1;
        Some(*own)
    }

    /// Leaves: the own request is served, who waits is appended to the queue, and its head is next.
    fn leave(&mut self) -> Option<(Peer, Msg)> {
        self.user = Stage::Idle;
        let (mut ln, mut q) = self.token.take()?;
        let mut queued = vec![false; self.rn.len()];
        for peer in &q {
            if let Some(queued) = queued.get_mut(peer.0 as usize) {
                *queued = true;
            }
        }
        for ((j, (&rn, ln)), queued) in (0..).zip(self.rn.iter().zip(&mut ln)).zip(queued) {
            if j == self.me.0 {
                *ln = rn;
            } else if rn == *ln + 1 && !queued {
                q.push(Peer(j));
            }
        }
        if q.is_empty() {
            self.token = Some((ln, q));
            return None;
        }
        let head = q.remove(0);
        Some((head, Msg::Token { ln, q }))
    }
}

impl Exclusion for SuzukiKasami {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        match self.ask() {
            None => out.rule(Rule::Enter),
            Some(sn) => {
                out.rule(Rule::Want);
                for other in self.me.others(self.n) {
                    out.send(other, Msg::Request { sn });
                }
            }
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        if let Some((head, token)) = self.leave() {
            out.send(head, token);
        }
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

/// The release procedure taken literally: to look for requests, and to be free for them, are two steps (erratum K1).
/// That takes a local step which the right algorithm has not got: it is a process of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SuzukiKasamiTwoSteps {
    right: SuzukiKasami,
    /// It has left, and has not yet said so: a request that comes is not given the token.
    requesting: bool,
}

names! {
    /// What the text does some time after it has looked for requests.
    pub enum Finish {
        Finish = "requesting := false",
    }
}

impl Process for SuzukiKasamiTwoSteps {
    const SPEC: Spec = Spec {
        name: "suzuki-kasami@k1",
        aliases: &[],
        title: "Suzuki–Kasami, release in two steps",
        idea: "As printed, a process that leaves looks for requests, sends the token or keeps it, and then says that \
               it is not requesting any more. A request that is heard in between is noted and not served: the token \
               stays where nobody wants it, and who asked waits for ever.",
        rules: &[
            RuleText { name: "enter", text: "want, the token here: requesting := true; enter" },
            WANT,
            TOKEN,
            RuleText {
                name: "give",
                text: "on REQUEST(sn) from j, the token here, not requesting: RN[j] := max(RN[j], sn); if RN[j] = \
                       LN[j] + 1: send TOKEN(LN, Q) to j",
            },
            RuleText {
                name: "note",
                text: "on REQUEST(sn) from j otherwise, also while requesting: RN[j] := max(RN[j], sn)",
            },
            RuleText {
                name: "exit",
                text: "LN[i] := RN[i]; append to Q, in increasing order, every j not in it with RN[j] = LN[j] + 1; \
                       if Q is not empty: take its head off, send it TOKEN(LN, Q); some time later: requesting := \
                       false",
            },
        ],
        erratum: "K1",
        example: "-n 2 --load open:0.3 --total 2 --seed 0",
        ..<SuzukiKasami as Process>::SPEC
    };
    type Given = (Peer, Size, Holder);
    type Port = Peer;
    type Msg = Msg;
    type Rule = Rule;
    type Timer = Never;
    type Local = Finish;

    fn new(given: (Peer, Size, Holder)) -> Self {
        SuzukiKasamiTwoSteps { right: SuzukiKasami::new(given), requesting: false }
    }

    fn start(&mut self, _: &mut impl Outbox<Self>) {}

    fn receive(&mut self, from: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match (msg, self.right.user) {
            (Msg::Request { sn }, Stage::Idle) if !self.requesting => {
                self.right.note(from, sn);
                match self.right.give(from) {
                    Some(token) => {
                        out.rule(Rule::Give);
                        out.send(from, token);
                    }
                    None => out.rule(Rule::Note),
                }
            }
            (Msg::Request { sn }, Stage::Idle | Stage::Waiting | Stage::Inside) => {
                out.rule(Rule::Note);
                self.right.note(from, sn);
            }
            (Msg::Token { ln, q }, Stage::Waiting) => {
                out.rule(Rule::Token);
                self.right.token = Some((ln, q));
                self.right.user = Stage::Inside;
            }
            (Msg::Token { .. }, Stage::Idle | Stage::Inside) => {
                out.impossible("the token is sent to who waits for it")
            }
        }
    }

    fn can(&self, Finish::Finish: Finish) -> bool {
        self.requesting
    }

    fn step(&mut self, Finish::Finish: Finish, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.requesting = false;
    }
}

impl State for SuzukiKasamiTwoSteps {
    fn fields(&self) -> Fields {
        let mut fields = self.right.fields();
        fields.extend(fields!(self; requesting));
        fields
    }
}

impl Exclusion for SuzukiKasamiTwoSteps {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        // Who wants in again has finished the release before.
        self.requesting = false;
        match self.right.ask() {
            None => out.rule(Rule::Enter),
            Some(sn) => {
                out.rule(Rule::Want);
                for other in self.right.me.others(self.right.n) {
                    out.send(other, Msg::Request { sn });
                }
            }
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.requesting = true;
        if let Some((head, token)) = self.right.leave() {
            out.send(head, token);
        }
    }

    fn stage(&self) -> Stage {
        self.right.stage()
    }

    fn charge(msg: &Msg) -> Charge {
        SuzukiKasami::charge(msg)
    }
}

const WANT: RuleText = RuleText {
    name: "want",
    text: "want, the token elsewhere: RN[i] := RN[i] + 1; send REQUEST(RN[i]) to all others; wait",
};

const TOKEN: RuleText = RuleText { name: "token", text: "on TOKEN(LN, Q): keep it; enter" };
