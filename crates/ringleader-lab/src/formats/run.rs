//! What came of a run as JSON. The fields and their order are a contract; further ones come at the end.

use ringleader::model::Ticks;
use ringleader::registry::Problem;
use ringleader::sim::{ClockDetails, Details, ElectionDetails, ExclusionDetails, Report, Spread};
use serde::{Serialize, Serializer};

/// The schema of [`run_json`].
pub const RUN_SCHEMA: &str = "ringleader.run/1";
/// The schema of [`list_json`](crate::formats::list_json).
pub const LIST_SCHEMA: &str = "ringleader.list/1";

/// What a report does not know: who asked, how long it took, how to repeat it.
#[derive(Clone, Debug)]
pub struct RunContext<'a> {
    /// The name of the algorithm.
    pub algorithm: &'a str,
    /// The problem it solves.
    pub problem: Problem,
    /// The seed of the run.
    pub seed: u64,
    /// The schedule, by name.
    pub schedule: &'a str,
    /// The time of the run itself, in seconds; none where equal runs are to have equal reports.
    pub elapsed_s: Option<f64>,
    /// Peak resident memory, where it can be known.
    pub peak_bytes: Option<u64>,
    /// The command that repeats the run.
    pub again: &'a str,
    /// The program and its version.
    pub version: &'a str,
    /// More identities than so many are left out.
    pub ids_most: u32,
}

/// How many identities a report has at most.
pub const IDS_OF_RUN: u32 = 10_000;
/// How many a row of a table has at most, which is one of thousands.
pub const IDS_OF_ROW: u32 = 64;

/// `ringleader.run/1`: a report as one line of JSON.
#[must_use]
pub fn run_json(report: &Report, context: &RunContext<'_>) -> String {
    let text = match &report.details {
        Details::Election(details) => serde_json::to_string(&election(report, details, context)),
        Details::Exclusion(details) => serde_json::to_string(&exclusion(report, details, context)),
        Details::Clocks(details) => serde_json::to_string(&clocks(report, details, context)),
    };
    text.expect("plain data has a JSON form")
}

#[derive(Serialize)]
struct Run<'a, Middle: Serialize> {
    schema: &'static str,
    algorithm: &'a str,
    problem: &'static str,
    nodes: u32,
    seed: u64,
    schedule: &'a str,
    links: &'static str,
    within_assumptions: bool,
    outcome: &'static str,
    #[serde(flatten)]
    middle: Middle,
    phases: Option<u64>,
    steps: u64,
    time: Option<f64>,
    bound: Option<Bound>,
    average: Option<Average>,
    properties: Vec<Property>,
    elapsed_s: Option<f64>,
    messages_per_s: Option<f64>,
    peak_bytes: Option<u64>,
    again: &'a str,
    // Beyond the contract, from here on.
    topology: &'static str,
    outside: &'a [String],
    violations: Vec<Violation<'a>>,
    bits: Option<u64>,
    depth: Option<u64>,
    load: Option<Range<f64>>,
    elected_depth: Option<u64>,
    broken_on_purpose: bool,
    version: &'a str,
    ids: Option<&'a [u64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    convergence: Option<Convergence<'a>>,
}

#[derive(Serialize)]
struct ElectionMiddle<'a> {
    leader: Option<Leader>,
    leaders: u64,
    informed: u64,
    messages: Messages<'a>,
    election_messages: u64,
    rounds: Option<u64>,
    elected_round: Option<u64>,
}

#[derive(Serialize)]
struct ExclusionMiddle<'a> {
    entries: u64,
    entry_order: &'a [u32],
    messages: MessagesPerEntry<'a>,
    waiting: Option<Range<f64>>,
    bypass_max: u64,
    sync_delay: Option<Range<f64>>,
    fairness: Option<f64>,
    in_section_max: u32,
    rounds: Option<u64>,
}

/// How machines that began anywhere came to one privilege.
#[derive(Serialize)]
struct Convergence<'a> {
    moves: Option<u64>,
    steps: Option<u64>,
    from: &'a [u32],
}

#[derive(Serialize)]
struct ClockMiddle<'a> {
    messages: Messages<'a>,
    rounds: Option<u64>,
    skew: Apart,
    error: Option<Apart>,
    promise: Option<f64>,
    optimum: f64,
}

#[derive(Serialize)]
struct Apart {
    r#final: f64,
    max: Option<f64>,
    first: Option<f64>,
}

#[derive(Serialize)]
struct Leader {
    index: u32,
    id: Option<u64>,
}

#[derive(Serialize)]
struct Messages<'a> {
    total: u64,
    by_kind: ByKind<'a>,
}

#[derive(Serialize)]
struct MessagesPerEntry<'a> {
    total: u64,
    by_kind: ByKind<'a>,
    per_entry: PerEntry<'a>,
}

#[derive(Serialize)]
struct PerEntry<'a> {
    min: Option<u64>,
    mean: Option<f64>,
    max: Option<u64>,
    by_kind: Option<MeansByKind<'a>>,
}

/// The mean number of messages of each kind, given how many entries there were.
struct MeansByKind<'a>(&'a [(&'static str, u64)], u64);

impl Serialize for MeansByKind<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(kind, count)| (kind, *count as f64 / self.1 as f64)))
    }
}

#[derive(Serialize)]
struct Range<T> {
    min: T,
    mean: T,
    max: T,
}

#[derive(Serialize)]
struct Bound {
    formula: &'static str,
    counts: &'static str,
    value: u64,
    holds: bool,
    basis: &'static str,
    by: &'static str,
}

#[derive(Serialize)]
struct Average {
    formula: &'static str,
    value: f64,
}

#[derive(Serialize)]
struct Property {
    name: &'static str,
    holds: bool,
}

#[derive(Serialize)]
struct Violation<'a> {
    name: &'static str,
    detail: &'a str,
}

struct ByKind<'a>(&'a [(&'static str, u64)]);

impl Serialize for ByKind<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

fn range(spread: &Spread) -> Range<f64> {
    Range { min: spread.min, mean: spread.mean, max: spread.max }
}

fn election<'a>(
    report: &'a Report,
    details: &'a ElectionDetails,
    context: &'a RunContext<'a>,
) -> Run<'a, ElectionMiddle<'a>> {
    let middle = ElectionMiddle {
        leader: details.leader.as_ref().map(|leader| Leader { index: leader.index, id: leader.id }),
        leaders: details.leaders,
        informed: details.informed,
        messages: Messages { total: report.messages, by_kind: ByKind(&report.by_kind) },
        election_messages: report.election_messages,
        rounds: report.rounds,
        elected_round: details.elected_round,
    };
    frame(report, middle, context)
}

fn exclusion<'a>(
    report: &'a Report,
    details: &'a ExclusionDetails,
    context: &'a RunContext<'a>,
) -> Run<'a, ExclusionMiddle<'a>> {
    let middle = ExclusionMiddle {
        entries: details.entries,
        entry_order: &details.entry_order,
        messages: MessagesPerEntry {
            total: report.messages,
            by_kind: ByKind(&report.by_kind),
            per_entry: PerEntry {
                min: details.per_entry_range.map(|(min, _)| min),
                mean: details.per_entry_mean,
                max: details.per_entry_range.map(|(_, max)| max),
                by_kind: (details.entries > 0).then(|| MeansByKind(&report.by_kind, details.entries)),
            },
        },
        waiting: details.waiting.as_ref().map(range),
        bypass_max: details.bypass_max,
        sync_delay: details.sync_delay.as_ref().map(range),
        fairness: details.fairness,
        in_section_max: details.in_section_max,
        rounds: report.rounds,
    };
    frame(report, middle, context)
}

fn clocks<'a>(
    report: &'a Report,
    details: &'a ClockDetails,
    context: &'a RunContext<'a>,
) -> Run<'a, ClockMiddle<'a>> {
    let middle = ClockMiddle {
        messages: Messages { total: report.messages, by_kind: ByKind(&report.by_kind) },
        rounds: report.rounds,
        skew: Apart {
            r#final: details.skew_final.as_f64(),
            max: details.skew_max.map(Ticks::as_f64),
            first: Some(details.skew_first.as_f64()),
        },
        error: details.error_final.map(|error| Apart {
            r#final: error.as_f64(),
            max: details.error_max.map(Ticks::as_f64),
            first: None,
        }),
        promise: details.promise.map(Ticks::as_f64),
        optimum: details.optimum.as_f64(),
    };
    frame(report, middle, context)
}

fn frame<'a, Middle: Serialize>(
    report: &'a Report,
    middle: Middle,
    context: &'a RunContext<'a>,
) -> Run<'a, Middle> {
    Run {
        schema: RUN_SCHEMA,
        algorithm: context.algorithm,
        problem: context.problem.name(),
        nodes: report.n,
        seed: context.seed,
        schedule: context.schedule,
        links: report.links.name(),
        within_assumptions: report.outside.is_empty(),
        outcome: report.outcome.name(),
        middle,
        phases: report.phases,
        steps: report.steps,
        time: report.time,
        bound: report.bound.as_ref().map(|bound| Bound {
            formula: bound.formula,
            counts: bound.counts.name(),
            value: bound.value,
            holds: bound.holds,
            basis: bound.basis.name(),
            by: bound.basis.by(),
        }),
        average: report
            .average
            .as_ref()
            .map(|average| Average { formula: average.formula, value: average.value }),
        properties: report
            .properties
            .iter()
            .map(|property| Property { name: property.name, holds: property.holds })
            .collect(),
        elapsed_s: context.elapsed_s,
        messages_per_s: (context.elapsed_s.filter(|elapsed| *elapsed > 0.0))
            .map(|elapsed| report.messages as f64 / elapsed),
        peak_bytes: context.peak_bytes,
        again: context.again,
        topology: report.topology,
        outside: &report.outside,
        violations: report
            .properties
            .iter()
            .filter(|property| !property.holds)
            .map(|property| Violation {
                name: property.name,
                detail: property.detail.as_deref().unwrap_or_default(),
            })
            .collect(),
        bits: report.bits,
        depth: report.depth,
        load: report.load.as_ref().map(range),
        elected_depth: match &report.details {
            Details::Election(details) => details.elected_depth,
            Details::Exclusion(_) | Details::Clocks(_) => None,
        },
        // An as-printed variant has an @ in its name.
        broken_on_purpose: context.algorithm.contains('@'),
        version: context.version,
        ids: (report.n <= context.ids_most && !report.ids.is_empty()).then_some(report.ids.as_slice()),
        convergence: match &report.details {
            Details::Exclusion(details) => details.convergence.as_ref().map(|convergence| Convergence {
                moves: convergence.moves,
                steps: convergence.steps,
                from: &convergence.from,
            }),
            Details::Election(_) | Details::Clocks(_) => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::model::{Basis, Counts, Links};
    use ringleader::sim::{BoundCheck, Expected, RunOutcome};

    fn report(details: Details) -> Report {
        Report {
            n: 4,
            links: Links::Fifo,
            topology: "ring",
            outside: vec!["links are bag".into()],
            outcome: RunOutcome::Elected,
            messages: 11,
            election_messages: 7,
            by_kind: vec![("tid", 7), ("max", 0), ("elected", 4)],
            rounds: Some(8),
            phases: None,
            steps: 15,
            time: Some(8.0),
            bound: Some(BoundCheck {
                formula: "n(n+1)/2",
                counts: Counts::Election,
                value: 10,
                measured: 7,
                holds: true,
                basis: Basis::Proved("Chang and Roberts 1979"),
            }),
            average: Some(Expected { formula: "n·H(n)", value: 8.5 }),
            properties: vec![
                ringleader::sim::Property { name: "one leader", holds: true, detail: None },
                ringleader::sim::Property { name: "largest", holds: false, detail: Some("p1".into()) },
            ],
            per_round: vec![4, 3],
            ids: vec![3, 7, 4, 1],
            bits: None,
            depth: Some(3),
            load: None,
            details,
        }
    }

    const CONTEXT: RunContext<'static> = RunContext {
        algorithm: "x",
        problem: Problem::Election,
        seed: 7,
        schedule: "rounds",
        elapsed_s: Some(0.5),
        peak_bytes: None,
        again: "ringleader run x",
        version: "ringleader 0",
        ids_most: IDS_OF_RUN,
    };

    #[test]
    fn json_of_an_election_has_the_documented_fields() {
        let details = Details::Election(ElectionDetails {
            leader: Some(ringleader::sim::Leader { index: 1, id: Some(7) }),
            leaders: 1,
            informed: 4,
            elected_round: Some(4),
            elected_depth: None,
        });
        assert_eq!(
            run_json(&report(details), &CONTEXT),
            concat!(
                r#"{"schema":"ringleader.run/1","algorithm":"x","problem":"election","nodes":4,"seed":7,"#,
                r#""schedule":"rounds","links":"fifo","within_assumptions":false,"outcome":"elected","#,
                r#""leader":{"index":1,"id":7},"leaders":1,"informed":4,"messages":{"total":11,"#,
                r#""by_kind":{"tid":7,"max":0,"elected":4}},"election_messages":7,"rounds":8,"elected_round":4,"#,
                r#""phases":null,"steps":15,"time":8.0,"bound":{"formula":"n(n+1)/2","counts":"election","#,
                r#""value":10,"holds":true,"basis":"proved","by":"Chang and Roberts 1979"},"#,
                r#""average":{"formula":"n·H(n)","value":8.5},"properties":"#,
                r#"[{"name":"one leader","holds":true},{"name":"largest","holds":false}],"elapsed_s":0.5,"#,
                r#""messages_per_s":22.0,"peak_bytes":null,"again":"ringleader run x","topology":"ring","#,
                r#""outside":["links are bag"],"violations":[{"name":"largest","detail":"p1"}],"bits":null,"#,
                r#""depth":3,"load":null,"elected_depth":null,"broken_on_purpose":false,"version":"ringleader 0","#,
                r#""ids":[3,7,4,1]}"#,
            )
        );
    }

    #[test]
    fn identities_are_null_if_none_or_too_many() {
        let details = || {
            Details::Election(ElectionDetails {
                leader: None,
                leaders: 0,
                informed: 0,
                elected_round: None,
                elected_depth: None,
            })
        };
        let many = run_json(&report(details()), &RunContext { ids_most: 3, ..CONTEXT });
        assert!(many.ends_with(r#""ids":null}"#), "{many}");
        let anonymous = run_json(&Report { ids: Vec::new(), ..report(details()) }, &CONTEXT);
        assert!(anonymous.ends_with(r#""ids":null}"#), "{anonymous}");
    }

    #[test]
    fn mutual_exclusion_has_its_own_middle() {
        let details = Details::Exclusion(ExclusionDetails {
            entries: 2,
            requests: 2,
            entry_order: vec![0, 3],
            per_entry_mean: Some(5.5),
            per_entry_range: None,
            waiting: Some(Spread { min: 1.0, mean: 2.0, max: 3.0 }),
            bypass_max: 1,
            sync_delay: None,
            fairness: Some(1.0),
            in_section_max: 1,
            convergence: None,
        });
        let json = run_json(&report(details), &RunContext { problem: Problem::Mutex, ..CONTEXT });
        assert!(
            json.contains(concat!(
                r#""outcome":"elected","entries":2,"entry_order":[0,3],"messages":{"total":11,"by_kind":"#,
                r#"{"tid":7,"max":0,"elected":4},"per_entry":{"min":null,"mean":5.5,"max":null,"#,
                r#""by_kind":{"tid":3.5,"max":0.0,"elected":2.0}}},"waiting":"#,
                r#"{"min":1.0,"mean":2.0,"max":3.0},"bypass_max":1,"sync_delay":null,"fairness":1.0,"#,
                r#""in_section_max":1,"rounds":8,"phases":null"#,
            )),
            "{json}"
        );
    }
}
