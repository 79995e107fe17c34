//! The lines of a trace as types: the keys are short, since there may be millions of them.

use super::End;
use ringleader::trace::{Access, Arrival, Clocks, Event, Fate, Header, Input, Outcome, Reading, Sent};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

type Text = Cow<'static, str>;
type Pairs<'a, Name> = Cow<'a, [(Name, String)]>;

/// The first line.
#[derive(Serialize, Deserialize)]
pub(crate) struct HeaderLine<'a> {
    pub(super) schema: Cow<'a, str>,
    pub(super) by: Cow<'a, str>,
    algorithm: Cow<'a, str>,
    n: u32,
    #[serde(default)]
    ids: Cow<'a, [u64]>,
    #[serde(default)]
    initiators: Cow<'a, [u32]>,
    links: Cow<'a, str>,
    topology: Cow<'a, str>,
    #[serde(default)]
    ports: Cow<'a, [Vec<u32>]>,
    #[serde(default)]
    neighbours: Cow<'a, [Vec<u32>]>,
    range: u32,
    #[serde(default)]
    settings: PairsLine<'a, String>,
    schedule: Cow<'a, str>,
    seed: u64,
    unsound: bool,
    ticks_per_unit: u64,
    max_delay: u32,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    from: Cow<'a, [u32]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clocks: Option<ClocksLine<'a>>,
}

/// The clocks of a run, where processes have any.
#[derive(Serialize, Deserialize)]
struct ClocksLine<'a> {
    offsets: Cow<'a, [i64]>,
    drifts: Cow<'a, [i64]>,
    bound: u32,
    backward: Cow<'a, str>,
    min_delay: u32,
}

impl<'a> HeaderLine<'a> {
    pub(crate) fn new(schema: &'a str, by: &'a str, header: &'a Header) -> HeaderLine<'a> {
        HeaderLine {
            schema: schema.into(),
            by: by.into(),
            algorithm: (&header.algorithm).into(),
            n: header.n,
            ids: (&header.ids).into(),
            initiators: (&header.initiators).into(),
            links: (&header.links).into(),
            topology: (&header.topology).into(),
            ports: (&header.ports).into(),
            neighbours: (&header.neighbours).into(),
            range: header.range,
            settings: PairsLine((&header.settings).into()),
            schedule: (&header.schedule).into(),
            seed: header.seed,
            unsound: header.unsound,
            ticks_per_unit: header.ticks_per_unit,
            max_delay: header.max_delay,
            from: (&header.from).into(),
            clocks: header.clocks.as_ref().map(|clocks| ClocksLine {
                offsets: (&clocks.offsets).into(),
                drifts: (&clocks.drifts).into(),
                bound: clocks.bound,
                backward: (&clocks.backward).into(),
                min_delay: clocks.min_delay,
            }),
        }
    }

    pub(super) fn header(self) -> Header {
        Header {
            algorithm: self.algorithm.into_owned(),
            n: self.n,
            ids: self.ids.into_owned(),
            initiators: self.initiators.into_owned(),
            links: self.links.into_owned(),
            topology: self.topology.into_owned(),
            ports: self.ports.into_owned(),
            neighbours: self.neighbours.into_owned(),
            range: self.range,
            settings: self.settings.0.into_owned(),
            schedule: self.schedule.into_owned(),
            seed: self.seed,
            unsound: self.unsound,
            ticks_per_unit: self.ticks_per_unit,
            max_delay: self.max_delay,
            from: self.from.into_owned(),
            clocks: self.clocks.map(|clocks| Clocks {
                offsets: clocks.offsets.into_owned(),
                drifts: clocks.drifts.into_owned(),
                bound: clocks.bound,
                backward: clocks.backward.into_owned(),
                min_delay: clocks.min_delay,
            }),
        }
    }
}

/// A line after the first: a step, or the end.
#[derive(Serialize, Deserialize)]
pub(crate) struct EventLine<'a> {
    t: u64,
    p: u32,
    #[serde(rename = "in")]
    input: InputLine<'a>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    choices: Cow<'a, [u32]>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    rules: Cow<'a, [Text]>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    sends: Vec<SentLine<'a>>,
    #[serde(default, rename = "out", skip_serializing_if = "Option::is_none")]
    outcome: Option<OutcomeLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    impossible: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    registers: Vec<AccessLine<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    adjusts: Option<Cow<'a, str>>,
}

/// The register, `is` for a read or `:=` for a write, and the value.
type AccessLine<'a> = (Cow<'a, str>, AccessWord, u32);

#[derive(Serialize, Deserialize, Clone, Copy)]
enum AccessWord {
    #[serde(rename = "is")]
    Read,
    #[serde(rename = ":=")]
    Written,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum InputLine<'a> {
    Start,
    Deliver(Vec<(u64, u32)>),
    Timeout(Cow<'a, str>),
    Local(Cow<'a, str>),
    Want,
    Exit,
    Crash,
    Recover,
    Suspect(u32),
    Lose((u64, u32)),
    Double((u64, u32)),
}

#[derive(Serialize, Deserialize)]
struct SentLine<'a> {
    m: u64,
    port: u32,
    to: u32,
    kind: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "PairsLine::is_empty")]
    fields: PairsLine<'a, Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fate: Option<FateLine>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum FateLine {
    Lost,
    Doubled,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum OutcomeLine {
    Leads,
    Lost,
    Undecided,
    Waits,
    Enters,
    Leaves,
    Synchronises,
    #[serde(rename = "loses-contact")]
    LosesContact,
}

/// The last line.
#[derive(Serialize, Deserialize)]
pub(super) struct EndLine {
    pub(super) end: End,
}

impl<'a> EventLine<'a> {
    pub(crate) fn new(event: &'a Event) -> EventLine<'a> {
        EventLine {
            t: event.time,
            p: event.process,
            input: match &event.input {
                Input::Start => InputLine::Start,
                Input::Deliver(arrivals) => {
                    InputLine::Deliver(arrivals.iter().map(|a| (a.message, a.port)).collect())
                }
                Input::Timeout(timer) => InputLine::Timeout(timer.as_ref().into()),
                Input::Local(step) => InputLine::Local(step.as_ref().into()),
                Input::Want => InputLine::Want,
                Input::Exit => InputLine::Exit,
                Input::Crash => InputLine::Crash,
                Input::Recover => InputLine::Recover,
                Input::Suspect(process) => InputLine::Suspect(*process),
                Input::Lose(arrival) => InputLine::Lose((arrival.message, arrival.port)),
                Input::Double(arrival) => InputLine::Double((arrival.message, arrival.port)),
            },
            choices: (&event.choices).into(),
            rules: (&event.rules).into(),
            sends: event.sends.iter().map(SentLine::new).collect(),
            outcome: event.outcome.map(|outcome| match outcome {
                Outcome::Leads => OutcomeLine::Leads,
                Outcome::Lost => OutcomeLine::Lost,
                Outcome::Undecided => OutcomeLine::Undecided,
                Outcome::Waits => OutcomeLine::Waits,
                Outcome::Enters => OutcomeLine::Enters,
                Outcome::Leaves => OutcomeLine::Leaves,
                Outcome::Synchronises => OutcomeLine::Synchronises,
                Outcome::LosesContact => OutcomeLine::LosesContact,
            }),
            impossible: event.impossible.as_deref().map(Cow::Borrowed),
            registers: event.accesses.iter().map(access_line).collect(),
            clock: event.clock.as_ref().map(|clock| clock.shows.as_str().into()),
            adjusts: event.clock.as_ref().and_then(|clock| clock.adjusts.as_deref().map(Cow::Borrowed)),
        }
    }

    pub(super) fn event(self) -> Event {
        let own = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        Event {
            time: self.t,
            process: self.p,
            input: match self.input {
                InputLine::Start => Input::Start,
                InputLine::Deliver(arrivals) => Input::Deliver(
                    arrivals.into_iter().map(|(message, port)| Arrival { message, port }).collect(),
                ),
                InputLine::Timeout(timer) => Input::Timeout(own(timer)),
                InputLine::Local(step) => Input::Local(own(step)),
                InputLine::Want => Input::Want,
                InputLine::Exit => Input::Exit,
                InputLine::Crash => Input::Crash,
                InputLine::Recover => Input::Recover,
                InputLine::Suspect(process) => Input::Suspect(process),
                InputLine::Lose((message, port)) => Input::Lose(Arrival { message, port }),
                InputLine::Double((message, port)) => Input::Double(Arrival { message, port }),
            },
            choices: self.choices.into_owned(),
            rules: self.rules.into_owned(),
            sends: self.sends.into_iter().map(SentLine::sent).collect(),
            outcome: self.outcome.map(|outcome| match outcome {
                OutcomeLine::Leads => Outcome::Leads,
                OutcomeLine::Lost => Outcome::Lost,
                OutcomeLine::Undecided => Outcome::Undecided,
                OutcomeLine::Waits => Outcome::Waits,
                OutcomeLine::Enters => Outcome::Enters,
                OutcomeLine::Leaves => Outcome::Leaves,
                OutcomeLine::Synchronises => Outcome::Synchronises,
                OutcomeLine::LosesContact => Outcome::LosesContact,
            }),
            impossible: self.impossible.map(own),
            accesses: self
                .registers
                .into_iter()
                .map(|(register, word, value)| {
                    let writes = matches!(word, AccessWord::Written);
                    Access { register: own(register), value, writes }
                })
                .collect(),
            clock: self.clock.map(|shows| Reading {
                shows: shows.into_owned(),
                adjusts: self.adjusts.map(Cow::into_owned),
            }),
        }
    }
}

fn access_line(access: &Access) -> AccessLine<'_> {
    let word = if access.writes { AccessWord::Written } else { AccessWord::Read };
    (access.register.as_ref().into(), word, access.value)
}

impl<'a> SentLine<'a> {
    fn new(sent: &'a Sent) -> SentLine<'a> {
        SentLine {
            m: sent.message,
            port: sent.port,
            to: sent.to,
            kind: sent.kind.as_ref().into(),
            fields: PairsLine((&sent.fields).into()),
            fate: match sent.fate {
                Fate::Travels => None,
                Fate::Lost => Some(FateLine::Lost),
                Fate::Doubled => Some(FateLine::Doubled),
            },
        }
    }

    fn sent(self) -> Sent {
        Sent {
            message: self.m,
            port: self.port,
            to: self.to,
            kind: Cow::Owned(self.kind.into_owned()),
            fields: self.fields.0.into_owned(),
            fate: match self.fate {
                None => Fate::Travels,
                Some(FateLine::Lost) => Fate::Lost,
                Some(FateLine::Doubled) => Fate::Doubled,
            },
        }
    }
}

/// Names and values as a JSON object whose order is kept.
pub(super) struct PairsLine<'a, Name: Clone>(Pairs<'a, Name>);

impl<Name: Clone> PairsLine<'_, Name> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<Name: Clone> Default for PairsLine<'_, Name> {
    fn default() -> Self {
        PairsLine(Cow::Owned(Vec::new()))
    }
}

impl<Name: Clone + Serialize> Serialize for PairsLine<'_, Name> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, Name: Clone + From<String>> Deserialize<'de> for PairsLine<'_, Name> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<Name>(std::marker::PhantomData<Name>);
        impl<'de, Name: Clone + From<String>> Visitor<'de> for Reader<Name> {
            type Value = Vec<(Name, String)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of names and texts")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    pairs.push((Name::from(name), value));
                }
                Ok(pairs)
            }
        }
        deserializer
            .deserialize_map(Reader(std::marker::PhantomData))
            .map(|pairs| PairsLine(Cow::Owned(pairs)))
    }
}
