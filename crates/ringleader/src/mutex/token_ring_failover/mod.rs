//! Token ring, surviving crashes: the living elect one of them, which makes the token anew after one lap.
//!
//! **Idea.** One token goes round the ring, and whoever holds it may enter. A crash may take it along, and nobody can
//! tell. So after every crash the living elect one of them, which sends a renewal round the ring of the living: whoever
//! has passed it on takes no older token any more, and whoever is inside keeps it until it leaves. When the renewal is
//! back, no older token can let anybody in, and the elected process makes a new one.
//!
//! **Needs.** A failure detector that is never wrong. Everybody knows all names, so that the ring closes over those
//! that are known to be down. FIFO links, for most elections need them; the token and the renewal do not.
//!
//! **Cost.** no number per entry: the token circulates for ever; a crash costs an election among the living and one lap
//! of theirs
//!
//! **Source.** after lecture slides; the rules are our own
//!
//! An epoch is the number of crashes that an election knows of. A crash during an election or a lap begins a larger
//! epoch, so that any number of processes may crash at any time.
//!
//! ```
//! use ringleader::{registry::{self, ALL}, sim::{Fault, Scenario}};
//! let scenario = Scenario { faults: vec![Fault::Crash { process: 0, at: 2 }], ..Scenario::new(4) };
//! let run = registry::find(ALL, "token-ring-failover").unwrap().run(&scenario, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

state! {
    pub struct TokenRingFailover {
        me: Peer,
        hidden n: Size,
        hidden elector: Option<Elector>,
        told launch: Launch,
        user: Stage = Stage::Idle,
        token: Token = match launch {
            Launch::No => Token::Elsewhere,
            Launch::Sends => Token::ToSend,
            Launch::Keeps => Token::Here,
        },
        /// Tokens of earlier epochs are old.
        epoch: u32 = 0,
        /// Whether a renewal waits here until the user leaves.
        held: bool = false,
        /// Whether this process begins the renewal, or began it.
        started: bool = false,
        /// Who is known to have crashed.
        dead: Peers = Peers::default(),
        /// The election among all others, while it goes on.
        hidden contest: Option<Contest> = None,
        electing = |me| me.contest.is_some(),
        drawn = [token: token],
    }

    /// Where the token is, as far as this process knows.
    enum Token {
        Elsewhere,
        ToSend = "to send first",
        Here,
    }
}

messages! {
    pub enum Msg {
        /// The privilege, with its epoch.
        "token" Token { epoch: u32 },
        /// These are down, and their number is the epoch: no token of an earlier one counts any more.
        "renew" Renew { down: Vec<Peer> },
        /// A message of the election among all but these, which are down: the port that it arrives at, its wire form.
        "elect" Elect { down: Vec<Peer>, port: u8, msg: Vec<u8> },
    }
}

rules! {
    /// at the beginning the last process sends TOKEN(0) to the first; one alone keeps it
    Launch,
    /// on TOKEN(e) or at the end of a lap, waiting: enter
    Enter,
    /// on TOKEN(e) or at the end of a lap, otherwise: send TOKEN(e) on
    Pass,
    /// on TOKEN(e') of an earlier epoch: nothing
    Old,
    /// wait for TOKEN; enter at once if it is kept
    Want,
    /// leave; send TOKEN(e) on, unless a renewal is held
    Exit,
    /// somebody has crashed, of whom no message has told: take part in an election among the others
    Crashed,
    /// on a message of the election among all but those known to be down: take part
    Elect,
    /// on a message of an election that is over, or of those who do not know of all that are down: nothing
    Late,
    /// elected: begin a renewal, its epoch the number of those that are down
    Elected,
    /// inside with a renewal: hold it
    Hold,
    /// with RENEW, or on leaving with one that is held: e := its epoch; drop the token; send RENEW on
    Renew,
    /// on RENEW, which began here: the lap is over; make TOKEN(e)
    Complete,
}

impl Process for TokenRingFailover {
    const SPEC: Spec = Spec::exclusion("token-ring-failover", 1977, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .detector()
        .tolerates(Tolerates { crash: true, ..Tolerates::NOTHING })
        .talks(Talks::ToFew)
        .serves(Order::Ring)
        .circulates()
        .settings(&[Setting {
            name: "election",
            about: "the ring election by which the process is found that makes the token anew",
            values: SettingValues::RingElection { default: "chang-roberts" },
        }])
        .example("-n 4 --crash 1@3 --hold 9");
    types! { Port = Peer }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if self.token == Token::ToSend {
            out.rule(Rule::Launch);
            self.send_on(out);
        }
    }

    fn receive(&mut self, _: Peer, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Token { epoch } if epoch < self.epoch => out.rule(Rule::Old),
            Msg::Token { epoch } if epoch > self.epoch => {
                out.impossible("the renewal went before the token that it made");
            }
            Msg::Token { .. } => self.take_token(out),
            Msg::Renew { down } => {
                let news = self.hear(&down);
                if down.len() < self.dead.len() {
                    out.rule(Rule::Late);
                    if news {
                        self.elect(None, out);
                    }
                } else if self.started {
                    out.rule(Rule::Complete);
                    self.started = false;
                    self.take_token(out);
                } else {
                    self.renew(out);
                }
            }
            Msg::Elect { down, port, msg } => {
                if self.hear(&down) {
                    self.elect(None, out);
                }
                if down.len() < self.dead.len() || self.held || self.epoch == self.crashes() {
                    out.rule(Rule::Late);
                } else {
                    out.rule(Rule::Elect);
                    self.elect(Some((port.into(), msg)), out);
                }
            }
        }
    }

    fn suspect(&mut self, who: Peer, out: &mut impl Outbox<Self>) {
        if self.hear(&[who]) {
            out.rule(Rule::Crashed);
            self.elect(None, out);
        }
    }
}

impl TokenRingFailover {
    /// Sends the token on; one alone keeps it.
    fn send_on(&mut self, out: &mut impl Outbox<Self>) {
        match self.next() {
            None => self.token = Token::Here,
            Some(next) => {
                self.token = Token::Elsewhere;
                out.send(next, Msg::Token { epoch: self.epoch });
            }
        }
    }

    /// The next on the ring of those that are not known to be down; nobody if all others are.
    fn next(&self) -> Option<Peer> {
        self.me.from_next(self.n).find(|peer| !self.dead.has(*peer))
    }

    /// The token comes in, or is made.
    fn take_token(&mut self, out: &mut impl Outbox<Self>) {
        match (self.token, self.user) {
            (Token::Elsewhere, Stage::Waiting) => {
                out.rule(Rule::Enter);
                (self.user, self.token) = (Stage::Inside, Token::Here);
            }
            (Token::Elsewhere, Stage::Idle) => {
                out.rule(Rule::Pass);
                self.send_on(out);
            }
            (Token::Elsewhere, Stage::Inside) => out.impossible("who is inside has the token"),
            (Token::ToSend | Token::Here, _) => out.impossible("there is one token of an epoch"),
        }
    }

    /// These are down. If that is news, elections and renewals that did not know of it are void.
    fn hear(&mut self, down: &[Peer]) -> bool {
        let mut news = false;
        for &who in down {
            news |= self.dead.insert(who);
        }
        if news {
            (self.contest, self.held, self.started) = (None, false, false);
        }
        news
    }

    /// The number of those that are down: the epoch that the others elect somebody for.
    fn crashes(&self) -> u32 {
        self.dead.len() as u32
    }

    /// A renewal is here. Whoever is inside holds it: behind it nobody is inside with an older token.
    fn renew(&mut self, out: &mut impl Outbox<Self>) {
        self.contest = None;
        if self.user == Stage::Inside {
            out.rule(Rule::Hold);
            self.held = true;
            return;
        }
        out.rule(Rule::Renew);
        (self.epoch, self.token, self.held) = (self.crashes(), Token::Elsewhere, false);
        match self.next() {
            Some(next) => out.send(next, Msg::Renew { down: self.dead.iter().collect() }),
            None => {
                self.started = false;
                self.take_token(out);
            }
        }
    }

    /// Starts the election, or takes a message of it.
    fn elect(&mut self, first: Option<(u32, Vec<u8>)>, out: &mut impl Outbox<Self>) {
        let Some(elector) = self.elector else {
            return out.impossible("an election was chosen");
        };
        let part = elector.take_part(&mut self.contest, (self.me, self.n, &self.dead), first);
        if let Some(why) = part.impossible {
            out.impossible(why);
        }
        for (to, port, msg) in part.sends {
            out.send(to, Msg::Elect { down: self.dead.iter().collect(), port, msg });
        }
        if part.leads {
            out.rule(Rule::Elected);
            self.started = true;
            self.renew(out);
        }
    }
}

impl Exclusion for TokenRingFailover {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        match self.token {
            Token::Elsewhere => self.user = Stage::Waiting,
            Token::Here => self.user = Stage::Inside,
            Token::ToSend => out.impossible("the token is sent before anybody asks"),
        }
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        match (self.held, self.token) {
            (true, _) => self.renew(out),
            (false, Token::Here) => self.send_on(out),
            (false, Token::Elsewhere | Token::ToSend) => out.impossible("who is inside has the token"),
        }
    }
}
