//! The rules that the lines of a trace keep between them.

use super::TraceError;
use ringleader::trace::{Event, Fate, Header, Input};

/// A broken rule, and the key in the line that breaks it.
pub(super) struct Rule {
    what: String,
    key: &'static str,
    /// Which message of the step it is about, for keys of messages.
    nth: Option<usize>,
}

impl Rule {
    pub(super) fn new(what: String, key: &'static str) -> Rule {
        Rule { what, key, nth: None }
    }

    fn of_send(self, nth: usize) -> Rule {
        Rule { nth: Some(nth), ..self }
    }

    /// The error for this rule, broken in this line.
    pub(super) fn at(self, line: usize, text: &str) -> TraceError {
        let byte = match self.nth {
            None => text.find(self.key),
            // A field of a message may have the same name, but its value is a text.
            Some(nth) => text
                .match_indices(self.key)
                .map(|(byte, _)| byte)
                .filter(|byte| !text[byte + self.key.len()..].starts_with(":\""))
                .nth(nth),
        };
        let byte = byte.unwrap_or(0);
        let column = text[..byte].chars().count() + 1;
        TraceError::Broken { line, column, rule: self.what, text: text.into() }
    }
}

/// What was seen so far.
pub(super) struct Rules {
    n: u32,
    time: u64,
    /// For each message where it goes, and whether it is still under way.
    messages: Vec<(u32, Way)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Under,
    Arrived,
    Lost,
}

impl Rules {
    pub(super) fn of(header: &Header) -> Result<Rules, Rule> {
        let n = header.n;
        if n == 0 {
            return Err(Rule::new("there must be at least one process".into(), "\"n\""));
        }
        let length = |got: usize, what: &str, key: &'static str| {
            if got != 0 && got != n as usize {
                return Err(Rule::new(format!("{got} {what} for {n} processes"), key));
            }
            Ok(())
        };
        length(header.ids.len(), "identities", "\"ids\"")?;
        length(header.ports.len(), "lists of ports", "\"ports\"")?;
        length(header.neighbours.len(), "lists of neighbours", "\"neighbours\"")?;
        length(header.from.len(), "states of machines", "\"from\"")?;
        let index = |process: u32, key: &'static str| exists(n, process, key);
        header.initiators.iter().try_for_each(|&p| index(p, "\"initiators\""))?;
        header.neighbours.iter().flatten().try_for_each(|&p| index(p, "\"neighbours\""))?;
        if header.ticks_per_unit == 0 {
            return Err(Rule::new("a unit of time has at least one tick".into(), "\"ticks_per_unit\""));
        }
        if super::replay::links(&header.links).is_none() {
            return Err(Rule::new(format!("there are no links called {}", header.links), "\"links\""));
        }
        Ok(Rules { n, time: 0, messages: Vec::new() })
    }

    pub(super) fn step(&mut self, event: &Event) -> Result<(), Rule> {
        exists(self.n, event.process, "\"p\"")?;
        if event.time < self.time {
            return Err(Rule::new(format!("time goes back from {} to {}", self.time, event.time), "\"t\""));
        }
        self.time = event.time;
        match &event.input {
            Input::Deliver(arrivals) => {
                if arrivals.is_empty() {
                    return Err(Rule::new("a delivery needs a message".into(), "\"deliver\""));
                }
                for arrival in arrivals {
                    self.deliver(arrival.message, event.process, "\"deliver\"", "delivered")?;
                }
            }
            Input::Suspect(process) => exists(self.n, *process, "\"suspect\"")?,
            Input::Lose(arrival) => self.deliver(arrival.message, event.process, "\"lose\"", "lost")?,
            Input::Double(arrival) => {
                // A doubled message is still on its way, and so is its copy.
                self.deliver(arrival.message, event.process, "\"double\"", "doubled")?;
                self.messages[arrival.message as usize].1 = Way::Under;
                self.messages.push((event.process, Way::Under));
            }
            Input::Start
            | Input::Timeout(_)
            | Input::Local(_)
            | Input::Want
            | Input::Exit
            | Input::Crash
            | Input::Recover => {}
        }
        for (nth, sent) in event.sends.iter().enumerate() {
            exists(self.n, sent.to, "\"to\"").map_err(|rule| rule.of_send(nth))?;
            let next = self.messages.len() as u64;
            if sent.message != next {
                let rule = format!("message {} is sent, the next number is {next}", sent.message);
                return Err(Rule::new(rule, "\"m\"").of_send(nth));
            }
            let way = if sent.fate == Fate::Lost { Way::Lost } else { Way::Under };
            self.messages.push((sent.to, way));
            if sent.fate == Fate::Doubled {
                self.messages.push((sent.to, Way::Under));
            }
        }
        Ok(())
    }

    /// A message arrives, or something else becomes of it that only one on its way can meet.
    fn deliver(&mut self, message: u64, process: u32, key: &'static str, fate: &str) -> Result<(), Rule> {
        let wrong = |rule: String| Err(Rule::new(rule, key));
        let found = usize::try_from(message).ok().and_then(|place| self.messages.get_mut(place));
        let Some((to, way)) = found else {
            return wrong(format!("message {message} is {fate} but was never sent"));
        };
        match way {
            Way::Arrived => wrong(format!("message {message} is {fate} after it has arrived")),
            Way::Lost => wrong(format!("message {message} is {fate} but was lost")),
            Way::Under if *to != process => {
                wrong(format!("message {message} goes to process {to}, not to process {process}"))
            }
            Way::Under => {
                *way = Way::Arrived;
                Ok(())
            }
        }
    }
}

fn exists(n: u32, process: u32, key: &'static str) -> Result<(), Rule> {
    if process < n {
        return Ok(());
    }
    Err(Rule::new(format!("there is no process {process}; indices are 0 to {}", n - 1), key))
}
