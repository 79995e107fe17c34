//! What came of a check as JSON. The fields and their order are a contract; further ones come at the end.

use crate::formats::trace::{EventLine, HeaderLine, TRACE_SCHEMA};
use ringleader::check::{Counterexample, Findings, Limit};
use ringleader::registry::Problem;
use ringleader::trace::{Line, Narrator};
use serde::Serialize;

/// The schema of [`check_json`].
pub const CHECK_SCHEMA: &str = "ringleader.check/1";

/// What findings do not know: who asked, how long it took, how to repeat it.
#[derive(Clone, Debug)]
pub struct CheckContext<'a> {
    /// The problem that the algorithm solves.
    pub problem: Problem,
    /// How much was left out of the search, by name.
    pub reduce: &'a str,
    /// The time of the check itself, in seconds.
    pub elapsed_s: f64,
    /// Peak resident memory, where it can be known.
    pub peak_bytes: Option<u64>,
    /// The time limit in seconds, if there was one.
    pub time_limit_s: Option<f64>,
    /// The file to which the counterexample was written.
    pub trace: Option<&'a str>,
    /// The command that repeats the check.
    pub again: &'a str,
    /// The program and its version.
    pub version: &'a str,
}

/// `ringleader.check/1`: findings as one line of JSON.
#[must_use]
pub fn check_json(findings: &Findings, context: &CheckContext<'_>) -> String {
    serde_json::to_string(&check(findings, context)).expect("plain data has a JSON form")
}

#[derive(Serialize)]
struct Check<'a> {
    schema: &'static str,
    algorithm: &'static str,
    nodes: u32,
    verdict: &'static str,
    states: u64,
    transitions: u64,
    depth: u64,
    arrangements: u64,
    properties: Vec<Property>,
    messages: Range<Option<u64>>,
    election_messages: Range<Option<u64>>,
    probability: Option<Probability>,
    elapsed_s: f64,
    states_per_s: Option<f64>,
    peak_bytes: Option<u64>,
    counterexample: Option<Vec<Step<'a>>>,
    // Beyond the contract, from here on.
    problem: &'static str,
    links: &'static str,
    reduce: &'a str,
    cases: u64,
    initiator_sets: u64,
    labellings: u64,
    within_assumptions: bool,
    outside: &'a [String],
    violations: Vec<Violation<'a>>,
    shortest: Option<bool>,
    repeats_from: Option<u64>,
    counterexample_header: Option<HeaderLine<'a>>,
    trace: Option<&'a str>,
    limit: Option<LimitJson>,
    notes: &'a [String],
    missed_probability: f64,
    bytes_per_state: Option<f64>,
    search_bytes: u64,
    broken_on_purpose: bool,
    again: &'a str,
    version: &'a str,
    other_violations: Vec<Shown<'a>>,
    #[serde(flatten)]
    stabilisation: Option<Stabilisation>,
}

/// Of machines that may begin anywhere.
#[derive(Serialize)]
struct Stabilisation {
    convergence: Option<Convergence>,
    closure: Option<Closure>,
    legitimate: Option<u64>,
}

#[derive(Serialize)]
struct Convergence {
    holds: bool,
    worst_moves: Option<u64>,
    worst_steps: Option<u64>,
}

#[derive(Serialize)]
struct Closure {
    holds: bool,
}

#[derive(Serialize)]
struct Property {
    name: &'static str,
    verdict: &'static str,
    trace_steps: Option<u64>,
}

#[derive(Serialize)]
struct Range<T> {
    min: T,
    max: T,
}

#[derive(Serialize)]
struct Probability {
    almost_sure: bool,
    expected_rounds: Range<Option<f64>>,
    expected_messages: Range<Option<f64>>,
}

/// A line of a trace, and the same in words.
#[derive(Serialize)]
struct Step<'a> {
    #[serde(flatten)]
    line: EventLine<'a>,
    words: String,
}

#[derive(Serialize)]
struct Violation<'a> {
    name: &'static str,
    detail: &'a str,
}

/// A run that violates a further property.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'static str,
    detail: &'a str,
    shortest: bool,
    repeats_from: Option<u64>,
    counterexample: Vec<Step<'a>>,
    counterexample_header: HeaderLine<'a>,
}

#[derive(Serialize)]
struct LimitJson {
    kind: &'static str,
    value: Option<serde_json::Number>,
}

fn check<'a>(findings: &'a Findings, context: &'a CheckContext<'a>) -> Check<'a> {
    let counts = |range: Option<ringleader::check::Range>| Range {
        min: range.map(|range| range.min),
        max: range.and_then(|range| range.max),
    };
    let found = findings.counterexample.as_ref();
    let header =
        |found: &'a Counterexample| HeaderLine::new(TRACE_SCHEMA, context.version, &found.recording.header);
    Check {
        schema: CHECK_SCHEMA,
        algorithm: findings.algorithm,
        nodes: findings.n,
        verdict: findings.answer.name(),
        states: findings.states,
        transitions: findings.transitions,
        depth: findings.depth,
        arrangements: findings.arrangements,
        properties: (findings.properties.iter())
            .map(|finding| Property {
                name: finding.name,
                verdict: finding.answer.name(),
                trace_steps: finding.trace_steps,
            })
            .collect(),
        messages: counts(findings.messages),
        election_messages: counts(findings.election_messages),
        probability: findings.probability.map(|probability| Probability {
            almost_sure: probability.almost_sure,
            expected_rounds: expected(probability.expected_rounds),
            expected_messages: expected(probability.expected_messages),
        }),
        elapsed_s: context.elapsed_s,
        states_per_s: (context.elapsed_s > 0.0).then(|| findings.states as f64 / context.elapsed_s),
        peak_bytes: context.peak_bytes,
        counterexample: found.map(steps),
        problem: context.problem.name(),
        links: findings.links,
        reduce: context.reduce,
        cases: findings.cases,
        initiator_sets: findings.initiator_sets,
        labellings: findings.labellings,
        within_assumptions: findings.outside.is_empty(),
        outside: &findings.outside,
        violations: (findings.properties.iter())
            .filter_map(|finding| Some(Violation { name: finding.name, detail: finding.detail.as_deref()? }))
            .collect(),
        shortest: found.map(|found| found.shortest),
        repeats_from: found.and_then(|found| found.repeats_from),
        counterexample_header: found.map(header),
        trace: context.trace,
        limit: findings.limit.map(|limit| match limit {
            Limit::States(states) => LimitJson { kind: "states", value: Some(states.into()) },
            Limit::Bytes(bytes) => LimitJson { kind: "bytes", value: Some(bytes.into()) },
            Limit::Stopped => {
                let value = context.time_limit_s.and_then(serde_json::Number::from_f64);
                LimitJson { kind: "time", value }
            }
        }),
        notes: &findings.notes,
        missed_probability: findings.missed,
        bytes_per_state: (findings.visited_states > 0)
            .then(|| findings.visited_bytes as f64 / findings.visited_states as f64),
        search_bytes: findings.peak_bytes,
        // An as-printed variant has an @ in its name.
        broken_on_purpose: findings.algorithm.contains('@'),
        again: context.again,
        version: context.version,
        other_violations: (findings.others.iter())
            .map(|found| Shown {
                name: found.property,
                detail: &found.detail,
                shortest: found.shortest,
                repeats_from: found.repeats_from,
                counterexample: steps(found),
                counterexample_header: header(found),
            })
            .collect(),
        stabilisation: findings.is_of_machines().then(|| Stabilisation {
            convergence: findings.convergence.map(|convergence| Convergence {
                holds: convergence.holds,
                worst_moves: convergence.worst.map(|(moves, _)| moves),
                worst_steps: convergence.worst.map(|(_, steps)| steps),
            }),
            closure: findings.closure.map(|holds| Closure { holds }),
            legitimate: findings.legitimate,
        }),
    }
}

/// What has no bound is null.
fn expected(range: Option<(f64, f64)>) -> Range<Option<f64>> {
    let finite = |value: f64| value.is_finite().then_some(value);
    Range { min: range.and_then(|(min, _)| finite(min)), max: range.and_then(|(_, max)| finite(max)) }
}

fn steps(found: &Counterexample) -> Vec<Step<'_>> {
    let mut narrator = Narrator::new(found.recording.header.ticks_per_unit);
    (found.recording.events.iter())
        .map(|event| {
            let Line { time: _, input, rules, effects } = narrator.tell(event);
            let parts: Vec<String> =
                [input, rules, effects].into_iter().filter(|part| !part.is_empty()).collect();
            Step { line: EventLine::new(event), words: parts.join("  ") }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::check::{Answer, Finding};
    use ringleader::trace::{Event, Header, Input, Outcome, Recording, Sent};

    fn findings() -> Findings {
        Findings {
            algorithm: "x",
            n: 2,
            links: "fifo",
            outside: Vec::new(),
            answer: Answer::Holds,
            states: 100,
            transitions: 250,
            depth: 9,
            arrangements: 1,
            initiator_sets: 3,
            labellings: 1,
            cases: 3,
            properties: vec![Finding { name: "one", answer: Answer::Holds, trace_steps: None, detail: None }],
            messages: Some(ringleader::check::Range { min: 3, max: None }),
            election_messages: None,
            extreme: None,
            probability: None,
            counterexample: None,
            others: Vec::new(),
            limit: None,
            notes: vec!["a note".into()],
            missed: 0.0,
            visited_bytes: 900,
            visited_states: 100,
            peak_bytes: 4096,
            convergence: None,
            closure: None,
            legitimate: None,
            graph: None,
        }
    }

    const CONTEXT: CheckContext<'static> = CheckContext {
        problem: Problem::Election,
        reduce: "full",
        elapsed_s: 0.5,
        peak_bytes: None,
        time_limit_s: Some(30.0),
        trace: None,
        again: "ringleader check x",
        version: "ringleader 0",
    };

    #[test]
    fn json_of_a_check_has_the_documented_fields() {
        assert_eq!(
            check_json(&findings(), &CONTEXT),
            concat!(
                r#"{"schema":"ringleader.check/1","algorithm":"x","nodes":2,"verdict":"holds","states":100,"#,
                r#""transitions":250,"depth":9,"arrangements":1,"properties":[{"name":"one","verdict":"holds","#,
                r#""trace_steps":null}],"messages":{"min":3,"max":null},"election_messages":{"min":null,"max":null},"#,
                r#""probability":null,"elapsed_s":0.5,"states_per_s":200.0,"peak_bytes":null,"counterexample":null,"#,
                r#""problem":"election","links":"fifo","reduce":"full","cases":3,"initiator_sets":3,"labellings":1,"#,
                r#""within_assumptions":true,"outside":[],"violations":[],"shortest":null,"repeats_from":null,"#,
                r#""counterexample_header":null,"trace":null,"limit":null,"notes":["a note"],"#,
                r#""missed_probability":0.0,"#,
                r#""bytes_per_state":9.0,"search_bytes":4096,"broken_on_purpose":false,"again":"ringleader check x","#,
                r#""version":"ringleader 0","other_violations":[]}"#,
            )
        );
    }

    #[test]
    fn a_counterexample_is_a_trace_with_words() {
        let event = |process: u32, input: Input, sends: Vec<Sent>, outcome: Option<Outcome>| Event {
            time: u64::from(process),
            process,
            input,
            choices: Vec::new(),
            rules: vec!["start".into()],
            sends,
            outcome,
            impossible: None,
            accesses: Vec::new(),
            clock: None,
        };
        let sent = Sent {
            message: 0,
            port: 0,
            to: 1,
            kind: "tid".into(),
            fields: vec![("id".into(), "2".into())],
            fate: ringleader::trace::Fate::Travels,
        };
        let header = Header {
            algorithm: "x".into(),
            n: 2,
            ids: vec![2, 1],
            initiators: vec![0],
            links: "bag".into(),
            topology: "ring".into(),
            ports: Vec::new(),
            neighbours: Vec::new(),
            range: 2,
            settings: Vec::new(),
            schedule: "check".into(),
            seed: 0,
            unsound: true,
            ticks_per_unit: 1,
            max_delay: 1,
            from: Vec::new(),
            clocks: None,
        };
        let arrival = ringleader::trace::Arrival { message: 0, port: 0 };
        let events = vec![
            event(0, Input::Start, vec![sent], None),
            event(1, Input::Deliver(vec![arrival]), Vec::new(), Some(Outcome::Leads)),
        ];
        let recording = Recording { header, events };
        let mut findings = findings();
        findings.answer = Answer::Violated;
        findings.limit = Some(Limit::States(7));
        findings.properties[0].detail = Some("two of them".into());
        findings.counterexample = Some(Counterexample {
            property: "one",
            detail: "two of them".into(),
            recording,
            shortest: true,
            repeats_from: None,
        });
        let json = check_json(&findings, &CONTEXT);
        for part in [
            concat!(
                r#""counterexample":[{"t":0,"p":0,"in":"start","rules":["start"],"sends":[{"m":0,"port":0,"to":1,"#,
                r#""kind":"tid","fields":{"id":"2"}}],"words":"p0 starts  [start]  sends tid(2) to p1"},"#,
                r#"{"t":1,"p":1,"in":{"deliver":[[0,0]]},"rules":["start"],"out":"leads","#,
                r#""words":"p1 receives tid(2) from p0  [start]  → LEADS"}]"#,
            ),
            r#""violations":[{"name":"one","detail":"two of them"}],"shortest":true,"#,
            concat!(
                r#""counterexample_header":{"schema":"ringleader.trace/1","by":"ringleader 0","#,
                r#""algorithm":"x","n":2,"ids":[2,1],"#,
            ),
            r#""limit":{"kind":"states","value":7}"#,
        ] {
            assert!(json.contains(part), "no {part} in {json}");
        }
    }

    #[test]
    fn chance_keeps_all_its_digits() {
        let mut findings = findings();
        findings.probability = Some(ringleader::check::Probability {
            almost_sure: true,
            expected_rounds: Some((1.0 / 3.0, f64::INFINITY)),
            expected_messages: None,
        });
        let json = check_json(&findings, &CONTEXT);
        let chance = concat!(
            r#""probability":{"almost_sure":true,"expected_rounds":{"min":0.3333333333333333,"max":null},"#,
            r#""expected_messages":{"min":null,"max":null}}"#,
        );
        assert!(json.contains(chance), "{json}");
    }
}
