//! Chang–Roberts: on a one-way ring, only the largest identity survives the trip home.
//!
//! **Idea.** Each initiator sends its identity round the ring. A process that meets a larger identity passes it on; one
//! that meets a smaller one replaces it by its own if it had not yet taken part, and swallows it otherwise. An identity
//! that comes home met nobody larger, so its owner leads, and says so in a second lap.
//!
//! **Needs.** Distinct comparable identities, reliable links, at least one initiator; not the ring's size. FIFO links
//! are needed only for the count and the clean end: if messages overtake each other, a late election message can reach
//! a process that the announcement has already reset, and start a harmless extra election (5 > 3 messages at n = 2).
//!
//! **Cost.** n(n+1)/2 election messages at worst (identities falling along the ring), 2n−1 at best, n·H(n) on average
//! over random arrangements; n more for the announcement. The largest identity is home after n rounds if all start,
//! after at most 2n−1 if one does.
//!
//! **Source.** E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in circular
//! configurations of processes, CACM 22(5):281–283, 1979. A widely used chapter lost the "not" before "participant" in
//! the second case (erratum 001-1).
//!
//! ```
//! use ringleader::{election::ChangRoberts, sim};
//! let run = sim::elect::<ChangRoberts>(&[3, 2, 1]); // falling: the worst case
//! assert_eq!((run.leader_id(), run.election_messages()), (Some(3), 6));
//! ```

use core::cmp::Ordering::{Equal, Greater, Less};

use crate::model::{
    Arranged, Average, Bound, Cost, Counts, Election, Erratum, Fields, Id, Informed, Knows, Links, Needs,
    Never, Next, Outbox, Process, Promises, Reached, Rule, Spec, Text, Variant, Verdict, Winner, fields,
    harmonic, messages,
};

/// The local variables of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ChangRoberts {
    id: Id,
    participant: bool,
    leader: bool,
    coordinator: Option<Id>,
}

messages! {
    /// What travels on the ring.
    pub enum Msg {
        /// An identity that has met nobody larger so far.
        "election" Election { id: Id },
        /// The winner's identity.
        announces "elected" Elected { id: Id },
    }
}

impl Process for ChangRoberts {
    const SPEC: Spec = SPEC;
    type Given = Id;
    type Port = Next;
    type Msg = Msg;
    type Timer = Never;
    type Local = Never;

    fn new(id: Id) -> Self {
        ChangRoberts { id, participant: false, leader: false, coordinator: None }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        if !self.participant {
            out.rule("start");
            self.participant = true;
            out.send(Next, Msg::Election { id: self.id });
        }
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, _: Next, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Election { id } => match (id.cmp(&self.id), self.participant) {
                (Greater, _) => {
                    out.rule("larger");
                    self.participant = true;
                    out.send(Next, Msg::Election { id });
                }
                (Less, false) => {
                    out.rule("replace");
                    self.participant = true;
                    out.send(Next, Msg::Election { id: self.id });
                }
                (Less, true) => out.rule("swallow"),
                (Equal, _) => {
                    out.rule("home");
                    self.leader = true;
                    out.send(Next, Msg::Elected { id });
                }
            },
            Msg::Elected { id } => {
                out.rule("elected");
                self.coordinator = Some(id);
                self.participant = false;
                if id != self.id {
                    out.send(Next, Msg::Elected { id });
                }
            }
        }
    }

    fn fields(&self) -> Fields {
        fields!(self; id, participant, leader, coordinator)
    }
}

impl Election for ChangRoberts {
    fn verdict(&self) -> Verdict {
        match (self.leader, self.coordinator) {
            (true, _) => Verdict::Leader,
            (false, Some(_)) => Verdict::Lost,
            (false, None) => Verdict::Undecided,
        }
    }

    fn knows(&self) -> Knows {
        self.coordinator.into()
    }
}

/// The chapter taken literally: the "not" before "participant" is lost (erratum 001-1).
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub struct ChangRobertsAsPrinted;

impl Variant for ChangRobertsAsPrinted {
    type Right = ChangRoberts;
    const TEXT: Text = Text {
        name: "chang-roberts@as-printed",
        title: "Chang–Roberts, as printed",
        erratum: "001-1",
        idea: "As printed, a process answers a smaller identity with its own if it takes part already, and swallows \
               it otherwise. A largest process that did not start stays silent, and nobody is elected; those that \
               take part send their identities again and again.",
        rules: &[
            Rule { name: "replace", text: "on election(j), j < id, participant: send election(id)" },
            Rule { name: "swallow", text: "on election(j), j < id, not participant: nothing" },
        ],
        example: "--ids 3,7,4,1 --initiators 0",
    };

    fn receive(&mut self, right: &mut ChangRoberts, _: Next, msg: Msg, out: &mut impl Outbox<ChangRoberts>) {
        match msg {
            Msg::Election { id } if id < right.id && right.participant => {
                out.rule("replace");
                out.send(Next, Msg::Election { id: right.id });
            }
            Msg::Election { id } if id < right.id => out.rule("swallow"),
            Msg::Election { .. } | Msg::Elected { .. } => right.receive(Next, msg, out),
        }
    }
}

/// The contract, as every face of the project shows it.
const SPEC: Spec = Spec {
    name: "chang-roberts",
    aliases: &["lcr"],
    title: "Chang–Roberts",
    year: 1979,
    source: "E. Chang, R. Roberts, CACM 22(5):281-283, 1979",
    idea: "Each initiator sends its identity round the ring. A process passes a larger identity on, replaces a \
           smaller one by its own if it had not taken part yet, and swallows it otherwise. An identity that comes \
           home met nobody larger: its owner leads.",
    needs: Needs { links: Links::Fifo, reached: Reached::Relays, ..Needs::NOTHING },
    promises: Promises::Election { winner: Winner::Largest, informed: Informed::All },
    cost: Cost {
        worst: Some(Bound {
            formula: "n(n+1)/2",
            counts: Counts::Election,
            value: |facts| Some(facts.n * (facts.n + 1) / 2),
        }),
        average: Some(Average {
            formula: "n·H(n)",
            value: |facts| (facts.initiators == facts.n).then(|| facts.n as f64 * harmonic(facts.n)),
        }),
        words: "worst n(n+1)/2, average n·H(n), best 2n-1 (all start), n announcements; elected after n rounds if \
                all start, at most 2n-1 if one does",
        ..Cost::UNKNOWN
    },
    worst_ids: Some(Arranged::Descending),
    settings: &[],
    rules: &[
        Rule { name: "start", text: "if not participant: participant := T; send election(id)" },
        Rule { name: "larger", text: "on election(j), j > id: participant := T; send election(j)" },
        Rule {
            name: "replace",
            text: "on election(j), j < id, not participant: participant := T; send election(id)",
        },
        Rule { name: "swallow", text: "on election(j), j < id, participant: nothing" },
        Rule { name: "home", text: "on election(j), j = id: leader := T; send elected(id)" },
        Rule {
            name: "elected",
            text: "on elected(j): coordinator := j; participant := F; if j != id: send elected(j)",
        },
    ],
    errata: &[
        Erratum {
            id: "001-1",
            text: "the chapter prints 'j < my_number and participant then send(election, my_number)': the 'not' \
                   before participant is lost, and a maximum that did not start swallows every message",
        },
        Erratum { id: "001-2", text: "the start must be guarded by 'not participant'" },
        Erratum { id: "001-2b", text: "time 2(n-1) for one initiator should be 2n-1" },
    ],
    example: "--ids 3,7,4,1",
};
