//! A run that sends what was found.

use super::judge::Judge;
use super::{Over, Question, Trouble};
use ringleader::check::Extreme;
use ringleader::sim::{BoundCheck, Ids, Initiators, Ports, Scenario, Schedule};
use ringleader::trace::Recording;
use std::sync::Arc;

/// A run that sends what was found.
#[derive(Clone, Debug)]
pub enum Shown {
    /// Under this schedule, as it is written on the command line, with this seed; none: as it was asked for.
    Run(Option<(String, u64)>),
    /// No schedule that has a name was found to send so much: this run does, found by the checker.
    Recorded(Box<Recording>),
    /// There is none to show.
    Nothing,
}

/// How many random schedules are tried.
const SEEDS: u64 = 50;
/// The most states that are searched once more to show a run.
const STATES: u64 = 20_000_000;

/// Looks for a run with these identities that sends so many messages.
pub(crate) fn show(
    question: &Question<'_>,
    judge: &Judge<'_>,
    ids: &[u64],
    count: u64,
) -> Result<(Shown, Option<BoundCheck>), Trouble> {
    let as_is = judge.run_with(ids, &judge.scenario.schedule)?;
    if as_is.election_messages == count {
        return Ok((Shown::Run(None), as_is.bound));
    }
    let n = question.scenario.n;
    let named = [("fifo", Schedule::Fifo), ("lifo", Schedule::Lifo), ("greedy", Schedule::Greedy)];
    let named = named.into_iter().map(|(name, schedule)| (name.to_owned(), schedule, judge.scenario.seed));
    let starved = (0..n.min(64)).map(|i| (format!("starve:{i}"), Schedule::Starve(i), judge.scenario.seed));
    let seeds = (0..SEEDS).map(|more| judge.scenario.seed.wrapping_add(more));
    let random = seeds.map(|seed| ("random".to_owned(), Schedule::Random, seed));
    for (name, schedule, seed) in named.chain(starved).chain(random) {
        let mut other = judge.with_nodes(n);
        other.scenario.seed = seed;
        let report = other.run_with(ids, &schedule)?;
        if report.election_messages == count {
            return Ok((Shown::Run(Some((name, seed))), report.bound));
        }
    }
    if judge.over != Over::Every {
        return Ok((Shown::Nothing, None));
    }
    let findings = judge.check(ids, Some(STATES), Some(question.extreme))?;
    let Some(recording) = findings.extreme else { return Ok((Shown::Nothing, None)) };
    let report = judge.entry.run(&following(&recording, judge), &mut ())?;
    let reaches = match question.extreme {
        Extreme::Most => report.election_messages >= count,
        Extreme::Least => report.election_messages <= count,
    };
    let shown = if reaches { Shown::Recorded(Box::new(recording)) } else { Shown::Nothing };
    Ok((shown, report.bound.filter(|_| reaches)))
}

/// The scenario that follows a recording.
fn following(recording: &Recording, judge: &Judge<'_>) -> Scenario {
    let header = &recording.header;
    Scenario {
        ids: Ids::Listed(header.ids.clone()),
        initiators: Initiators::Listed(header.initiators.clone()),
        ports: if header.ports.is_empty() {
            judge.scenario.ports.clone()
        } else {
            Ports::Listed(header.ports.clone())
        },
        schedule: Schedule::Replay(Arc::new(recording.clone())),
        ..judge.scenario.clone()
    }
}
