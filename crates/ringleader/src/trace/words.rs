//! Steps in words, one line each: the same words in the transcripts of the tests, on the command line and elsewhere.

use super::{Access, Arrival, Event, Fate, History, Input, Outcome, Recording, Sent, VectorClocks, Window};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A message as a call: `tid(7)`.
#[must_use]
pub fn message(sent: &Sent) -> String {
    as_call(&sent.kind, &sent.fields)
}

/// A kind and its fields as a call.
pub(crate) fn as_call(kind: &str, fields: &[(Cow<'static, str>, String)]) -> String {
    let values: Vec<&str> = fields.iter().map(|(_, value)| value.as_str()).collect();
    if values.is_empty() { kind.to_owned() } else { format!("{kind}({})", values.join(", ")) }
}

/// Puts the steps of one run into words, in order. It remembers what was sent, so that a delivery can say what arrives.
#[derive(Clone, Debug)]
pub struct Narrator {
    ticks_per_unit: u64,
    /// Who sent which message, and what it was, by its number.
    messages: BTreeMap<u64, (u32, String)>,
    /// The number of the next message.
    next: u64,
    down: BTreeSet<u32>,
}

/// One step in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// When.
    pub time: String,
    /// Who moved, and what came in.
    pub input: String,
    /// The rules that fired, in brackets.
    pub rules: String,
    /// What was drawn and sent, and what it means.
    pub effects: String,
}

impl Narrator {
    /// At the beginning of a run whose clock has so many ticks per unit ([`Header::ticks_per_unit`](super::Header)).
    #[must_use]
    pub fn new(ticks_per_unit: u64) -> Narrator {
        Narrator { ticks_per_unit, messages: BTreeMap::new(), next: 0, down: BTreeSet::new() }
    }

    /// In the middle of a run, when these processes are down.
    #[must_use]
    pub fn from(ticks_per_unit: u64, down: impl IntoIterator<Item = u32>) -> Narrator {
        Narrator { down: down.into_iter().collect(), ..Narrator::new(ticks_per_unit) }
    }

    /// Hears of a message that was sent before it came.
    pub fn hears(&mut self, message: u64, from: u32, text: String) {
        self.messages.insert(message, (from, text));
    }

    /// The next step.
    pub fn tell(&mut self, event: &Event) -> Line {
        if event.input == Input::Crash {
            self.down.insert(event.process);
        } else if event.input == Input::Recover {
            self.down.remove(&event.process);
        }
        let line = Line {
            time: time(event.time, self.ticks_per_unit),
            input: input(event, &self.messages, self.down.contains(&event.process)),
            rules: if event.rules.is_empty() {
                String::new()
            } else {
                format!("[{}]", event.rules.join(", "))
            },
            effects: effects(event),
        };
        if let Input::Double(arrival) = event.input
            && let Some(original) = self.messages.get(&arrival.message)
        {
            let original = original.clone();
            self.messages.insert(self.next, original);
            self.next += 1;
        }
        for sent in &event.sends {
            let copies = if sent.fate == Fate::Doubled { 2 } else { 1 };
            self.next = sent.message + copies;
            for number in sent.message..self.next {
                self.messages.insert(number, (event.process, message(sent)));
            }
        }
        line
    }
}

/// All steps of a run in words, one line each, in columns: time, what came in, the rules that fired, what was sent and
/// what it means.
#[must_use]
pub fn transcript(events: &[Event], ticks_per_unit: u64) -> Vec<String> {
    let mut narrator = Narrator::new(ticks_per_unit);
    let lines: Vec<Line> = events.iter().map(|event| narrator.tell(event)).collect();
    // Long lines stand out rather than push all others to the right.
    let width = |column: fn(&Line) -> &str, most: usize| {
        lines.iter().map(|line| column(line).chars().count()).max().unwrap_or(0).min(most)
    };
    let (times, inputs) = (width(|line| &line.time, 12), width(|line| &line.input, 56));
    let rules = width(|line| &line.rules, 24);
    lines
        .iter()
        .map(|Line { time, input, rules: rule, effects }| {
            let line = format!("{time:>times$}  {input:<inputs$}  {rule:<rules$}  {effects}");
            line.trim_end().to_owned()
        })
        .collect()
}

/// The same, with two columns in front of each line: the number of the step and its vector clock, and in brackets at
/// its end the steps that it follows from directly. One step comes before another if its clock is nowhere larger, and
/// somewhere smaller; if neither does they are concurrent.
#[must_use]
pub fn transcript_with_clocks(recording: &Recording) -> Vec<String> {
    let history = History::of(recording);
    let window = Window::whole(&history);
    let n = recording.header.n as usize;
    let mut clocks = vec![String::new(); history.steps.len()];
    for (number, clock) in VectorClocks::new(&history, &window) {
        let mut times = vec![0; n];
        for &(process, count) in clock.iter() {
            times[process as usize] = count;
        }
        let times: Vec<String> = times.iter().map(u64::to_string).collect();
        clocks[number] = format!("({})", times.join(" "));
    }
    let steps = (clocks.len().saturating_sub(1)).to_string().len();
    let width = clocks.iter().map(String::len).max().unwrap_or(0);
    let lines = transcript(&recording.events, recording.header.ticks_per_unit).into_iter();
    let told = lines.zip(&clocks).zip(&history.steps).enumerate();
    told.map(|(number, ((line, clock), step))| {
        let causes: Vec<String> = step.causes.iter().map(|cause| format!("#{cause}")).collect();
        let after = if causes.is_empty() { String::new() } else { format!("  after {}", causes.join(" ")) };
        format!("#{number:<steps$}  {clock:<width$}  {line}{after}")
    })
    .collect()
}

fn time(time: u64, ticks_per_unit: u64) -> String {
    if ticks_per_unit <= 1 {
        return time.to_string();
    }
    format!("{:.3}", time as f64 / ticks_per_unit as f64)
}

fn input(event: &Event, messages: &BTreeMap<u64, (u32, String)>, down: bool) -> String {
    let who = format!("p{}", event.process);
    let one = |arrival: &Arrival| match messages.get(&arrival.message) {
        Some((from, message)) => format!("{message} from p{from}"),
        None => format!("message {}", arrival.message),
    };
    match &event.input {
        Input::Start => format!("{who} starts"),
        Input::Deliver(arrivals) => {
            let what = arrivals.iter().map(one).collect::<Vec<_>>().join(" and ");
            if down { format!("{who} is down, misses {what}") } else { format!("{who} receives {what}") }
        }
        Input::Timeout(timer) => format!("{who} times out ({timer})"),
        Input::Local(step) => format!("{who} steps ({step})"),
        Input::Want => format!("{who} wants in"),
        Input::Exit => format!("{who} leaves"),
        Input::Crash => format!("{who} crashes"),
        Input::Recover => format!("{who} recovers"),
        Input::Suspect(other) => format!("{who} is told that p{other} is down"),
        Input::Lose(arrival) => format!("{} to {who} is lost", one(arrival)),
        Input::Double(arrival) => format!("{} to {who} is doubled", one(arrival)),
    }
}

fn effects(event: &Event) -> String {
    let mut parts = Vec::new();
    if !event.choices.is_empty() {
        let choices: Vec<String> = event.choices.iter().map(u32::to_string).collect();
        parts.push(format!("draws {}", choices.join(", ")));
    }
    parts.extend(event.accesses.iter().map(|Access { register, value, writes }| {
        if *writes { format!("{register} := {value}") } else { format!("{register} is {value}") }
    }));
    if !event.sends.is_empty() {
        parts.push(format!("sends {}", sends(&event.sends)));
    }
    let adjusts = event.clock.as_ref().and_then(|clock| clock.adjusts.as_ref());
    parts.extend(adjusts.map(|by| {
        let sign = if by.starts_with('-') { "" } else { "+" };
        format!("adjusts its clock by {sign}{by}")
    }));
    parts.extend(event.outcome.map(|outcome| {
        match outcome {
            Outcome::Leads => "→ LEADS",
            Outcome::Lost => "→ lost",
            Outcome::Undecided => "→ undecided again",
            Outcome::Waits => "→ waits",
            Outcome::Enters => "→ INSIDE",
            Outcome::Leaves => "→ outside",
            Outcome::Synchronises => "→ synchronised",
            Outcome::LosesContact => "→ lost contact",
        }
        .to_owned()
    }));
    parts.extend(event.impossible.as_ref().map(|why| format!("✗ the proof excludes this: {why}")));
    parts.join("  ")
}

/// What was sent; the same message to several is named once.
fn sends(sends: &[Sent]) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for sent in sends {
        let to = match sent.fate {
            Fate::Travels => format!("p{}", sent.to),
            Fate::Lost => format!("p{} (lost)", sent.to),
            Fate::Doubled => format!("p{} (twice)", sent.to),
        };
        let message = message(sent);
        match groups.last_mut() {
            Some((same, targets)) if *same == message => targets.push(to),
            Some(_) | None => groups.push((message, vec![to])),
        }
    }
    let one = |(message, targets): (String, Vec<String>)| format!("{message} to {}", targets.join(" "));
    groups.into_iter().map(one).collect::<Vec<_>>().join(", ")
}
