//! Reading a trace. Every line is checked as it comes, so that an error names the line, not a later surprise.

use super::check::{Rule, Rules};
use super::line::{EndLine, EventLine, HeaderLine};
use super::{PART_SCHEMA, Part, Recorded, SCHEMA_STEM, TRACE_SCHEMA, TraceError};
use ringleader::trace::Recording;
use serde::de::DeserializeOwned;
use std::io::{BufRead, Read};
use std::sync::Arc;

/// No line of a trace is longer; something else was opened by mistake.
const LINE_MAX: u64 = 256 << 20;

/// Reads a whole trace and checks that it is one.
///
/// # Errors
/// If it cannot be read, is something else, is of a later version, was cut off, or breaks a rule of the format.
pub fn read_trace(mut input: impl BufRead) -> Result<Recorded, TraceError> {
    if !matches!(input.fill_buf()?.first(), Some(b'{')) {
        return Err(TraceError::NotATrace("it does not begin with a header".into()));
    }
    let mut lines = Lines { input, number: 0 };
    let first = lines.next()?.unwrap_or_default();
    let head = header(&first, TRACE_SCHEMA)?;
    let by = head.by.clone().into_owned();
    let header = head.header();
    let mut rules = Rules::of(&header).map_err(|rule| rule.at(1, &first))?;
    let mut events = Vec::new();
    loop {
        let Some(text) = lines.next()? else {
            return Err(TraceError::Truncated { line: lines.number, steps: events.len() });
        };
        let number = lines.number;
        if text.starts_with("{\"end\"") {
            let EndLine { end } = parse(&text, number)?;
            if end.steps != events.len() as u64 {
                let rule = format!("the end record counts {} steps, there are {}", end.steps, events.len());
                return Err(Rule::new(rule, "\"steps\"").at(number, &text));
            }
            if let Some(text) = lines.next()? {
                return Err(Rule::new("nothing may follow the end record".into(), "").at(number + 1, &text));
            }
            return Ok(Recorded { recording: Arc::new(Recording { header, events }), by, end });
        }
        let event = match parse::<EventLine<'static>>(&text, number) {
            Ok(line) => line.event(),
            // A last line without its newline is the usual form of a cut file.
            Err(_) if !text.ends_with('}') && lines.at_end()? => {
                return Err(TraceError::Truncated { line: number, steps: events.len() });
            }
            Err(error) => return Err(error),
        };
        rules.step(&event).map_err(|rule| rule.at(number, &text))?;
        events.push(event);
    }
}

/// Reads a part. Where it was cut off, it ends with its last whole line. What its lines mean together is for the merge
/// to say.
///
/// # Errors
/// If it cannot be read, is something else, is of a later version, or a line in the middle is malformed.
pub fn read_part(mut input: impl BufRead) -> Result<Part, TraceError> {
    if !matches!(input.fill_buf()?.first(), Some(b'{')) {
        return Err(TraceError::NotATrace("it does not begin with a header".into()));
    }
    let mut lines = Lines { input, number: 0 };
    let first = lines.next()?.unwrap_or_default();
    let head = header(&first, PART_SCHEMA)?;
    let by = head.by.clone().into_owned();
    let header = head.header();
    Rules::of(&header).map_err(|rule| rule.at(1, &first))?;
    let mut events = Vec::new();
    let mut whole = false;
    while let Some(text) = lines.next()? {
        let number = lines.number;
        if text.starts_with("{\"end\"") {
            whole = parse::<EndLine>(&text, number).is_ok();
            break;
        }
        match parse::<EventLine<'static>>(&text, number) {
            Ok(line) => events.push(line.event()),
            Err(_) if !text.ends_with('}') && lines.at_end()? => break,
            Err(error) => return Err(error),
        }
    }
    Ok(Part { recording: Recording { header, events }, by, whole })
}

/// The first line, if it is of a version that we understand.
fn header(first: &str, wanted: &'static str) -> Result<HeaderLine<'static>, TraceError> {
    #[derive(serde::Deserialize)]
    struct Schema {
        schema: Option<String>,
        by: Option<String>,
    }
    let Schema { schema, by } = parse(first, 1)?;
    match schema {
        Some(schema) if schema == wanted => parse(first, 1),
        Some(schema) if schema == PART_SCHEMA => Err(TraceError::NotATrace(
            "it is what one machine has seen of a run; `trace --merge` makes a trace of all parts".into(),
        )),
        Some(schema) if schema == TRACE_SCHEMA => Err(TraceError::NotATrace(
            "it is a whole trace, not a part of one: nothing is to be merged".into(),
        )),
        Some(schema) if schema.starts_with(SCHEMA_STEM) => Err(TraceError::Version {
            by: by.unwrap_or_else(|| "an unknown program".into()),
            schema,
            this: concat!("ringleader ", env!("CARGO_PKG_VERSION")).into(),
            known: wanted,
        }),
        Some(schema) => Err(TraceError::NotATrace(format!("its schema is {schema}, not {wanted}"))),
        None => Err(TraceError::NotATrace(format!("its first line has no schema {wanted}"))),
    }
}

fn parse<T: DeserializeOwned>(text: &str, line: usize) -> Result<T, TraceError> {
    serde_json::from_str(text).map_err(|error| {
        // serde_json counts bytes; people count characters.
        let bytes = error.column().saturating_sub(1);
        let column = text.get(..bytes).map_or(bytes, |before| before.chars().count()) + 1;
        let said = error.to_string();
        let rule = said.rsplit_once(" at line ").map_or(said.as_str(), |(rule, _)| rule);
        TraceError::Broken { line, column, rule: rule.into(), text: text.into() }
    })
}

struct Lines<R> {
    input: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// The next line without its end; none at the end of the file.
    fn next(&mut self) -> Result<Option<String>, TraceError> {
        let mut bytes = Vec::new();
        (&mut self.input).take(LINE_MAX).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let broken = |rule: &str, column: usize| TraceError::Broken {
            line: self.number,
            column,
            rule: rule.into(),
            text: String::new(),
        };
        if bytes.len() as u64 == LINE_MAX {
            return Err(broken("the line is too long to be one of a trace", 1));
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| broken("this is not UTF-8", error.utf8_error().valid_up_to() + 1))
    }

    fn at_end(&mut self) -> Result<bool, TraceError> {
        Ok(self.input.fill_buf()?.is_empty())
    }
}
