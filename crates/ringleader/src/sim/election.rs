//! Watching an election: who leads, whether verdicts are final, who knows.

use super::problem::{End, Problem, Seen, UserInput, outcome};
use super::report::{Details, ElectionDetails, Leader, Property};
use super::{Report, RunOutcome};
use crate::model::{Election, Informed, Knows, Promises, Spec, Verdict, Winner};
use crate::population::{Population, Status};
use crate::trace::Outcome;

/// What was seen of an election. Several can be watched apart (by threads) and added up.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ballot {
    /// How many times a process became leader.
    pub(crate) became_leader: u64,
    /// The first process that ever became leader, when, and after how long a chain of messages.
    pub(crate) first: Option<(u64, u32, u64)>,
    /// The second one, with the first: two led.
    pub(crate) second: Option<(u64, u32)>,
    /// The last process that became leader, likewise.
    pub(crate) last: Option<(u64, u32, u64)>,
    /// The first process that went back on its verdict, and when.
    pub(crate) wavered: Option<(u64, u32)>,
}

impl Ballot {
    /// Sees the verdict of a process change. Engines see what happens at one time in orders of their own; what is kept
    /// is by time and index.
    #[cold]
    pub(crate) fn change(&mut self, index: u32, before: Verdict, after: Verdict, now: u64, depth: u64) {
        let mut seen = Ballot::default();
        if before != Verdict::Undecided {
            seen.wavered = Some((now, index));
        }
        if after == Verdict::Leader {
            seen.became_leader = 1;
            (seen.first, seen.last) = (Some((now, index, depth)), Some((now, index, depth)));
        }
        self.add(&seen);
    }

    /// Adds what somebody else saw of the same run.
    pub(crate) fn add(&mut self, other: &Ballot) {
        self.became_leader += other.became_leader;
        let mut leads: Vec<(u64, u32, u64)> = [self.first, other.first].into_iter().flatten().collect();
        leads.extend([self.second, other.second].into_iter().flatten().map(|(now, index)| (now, index, 0)));
        leads.sort_unstable();
        self.first = leads.first().copied();
        self.second = leads.get(1).map(|&(now, index, _)| (now, index));
        self.last = self.last.max(other.last);
        self.wavered = [self.wavered, other.wavered].into_iter().flatten().min();
    }

    /// Fills in the report of a run of these processes.
    pub(crate) fn conclude_typed<P: Election>(&self, processes: &[P], end: &End<'_>, report: &mut Report) {
        let verdict = |index: u32| processes[index as usize].outcome().verdict;
        let knows = |index: u32| processes[index as usize].outcome().knows;
        self.conclude_from(&P::SPEC, &verdict, &knows, end, report);
    }

    /// Likewise, from what each process says and knows. This is compiled once, not once for each algorithm.
    fn conclude_from(
        &self,
        spec: &Spec,
        verdict: &dyn Fn(u32) -> Verdict,
        known_by: &dyn Fn(u32) -> Knows,
        end: &End<'_>,
        report: &mut Report,
    ) {
        let Promises::Election { winner, informed } = spec.promises else { return };
        let everybody = || 0..end.setup.n;
        let leaders: Vec<u32> =
            everybody().filter(|&i| !end.is_down(i) && verdict(i) == Verdict::Leader).take(1000).collect();
        let leads = match leaders.as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        let told = |index: u32| match informed {
            Informed::All => true,
            Informed::Initiators => end.setup.is_initiator(index),
            Informed::Live => !end.is_down(index),
        };
        let knows = |index: u32| match known_by(index) {
            Knows::Nothing => false,
            Knows::ThereIsOne => true,
            Knows::Identity(id) => leads.is_some_and(|leader| end.setup.id(leader) == id),
            Knows::Name(peer) => leads == Some(peer.0),
        };
        let known = everybody().filter(|&i| !end.is_down(i) && knows(i)).count() as u64;

        let mut properties = Vec::new();
        // While processes come and go two may believe that they lead; what counts is how it ends.
        if spec.keeps_its_leader() {
            properties.push(Property {
                name: "at most one leader",
                holds: self.became_leader <= 1,
                detail: self.second.zip(self.first).map(|((now, second), (_, first, _))| {
                    format!("process {second} became leader at time {now}, after process {first}")
                }),
            });
            properties.push(Property {
                name: "verdicts are final",
                holds: self.wavered.is_none(),
                detail: self
                    .wavered
                    .map(|(now, who)| format!("process {who} went back on its verdict at time {now}")),
            });
        }
        properties.push(end.possible());
        if end.complete {
            properties.push(Property {
                name: "exactly one leader",
                holds: leads.is_some(),
                detail: (leaders.len() != 1).then(|| format!("{} lead in the end", leaders.len())),
            });
            properties.extend(leads.and_then(|leader| promised(winner, leader, end)));
            let ignorant = everybody().find(|&i| told(i) && !end.is_down(i) && !knows(i));
            properties.push(Property {
                name: match informed {
                    Informed::All => "everybody knows the leader",
                    Informed::Initiators => "every initiator knows the leader",
                    Informed::Live => "everybody who is up knows the leader",
                },
                holds: ignorant.is_none(),
                detail: ignorant.map(|who| format!("process {who} does not")),
            });
        }

        report.outcome = outcome(end.complete, RunOutcome::Elected, leaders.is_empty(), &properties);
        report.properties = properties;
        let anonymous = leads.is_none_or(|i| matches!(known_by(i), Knows::ThereIsOne));
        // Where leaders come and go, the election that counts is the last.
        let election = if spec.keeps_its_leader() { self.first } else { self.last };
        report.details = Details::Election(ElectionDetails {
            leader: leads
                .map(|index| Leader { index, id: (!anonymous).then(|| end.setup.name(end.setup.id(index))) }),
            leaders: leaders.len() as u64,
            informed: known,
            elected_round: election.filter(|_| end.rounds).map(|(now, ..)| now),
            elected_depth: election.filter(|_| end.scenario.meters.depth).map(|(.., depth)| depth),
        });
    }
}

/// Whether the promised process won.
fn promised(winner: Winner, leader: u32, end: &End<'_>) -> Option<Property> {
    let starts = |index: u32| end.setup.is_initiator(index);
    let larger = |rivals: &dyn Fn(u32) -> bool| {
        let larger = |&i: &u32| rivals(i) && end.setup.id(i) > end.setup.id(leader);
        (0..end.setup.n).find(larger).map(|who| format!("process {who} is larger"))
    };
    let (name, detail) = match winner {
        Winner::Any => return None,
        Winner::Largest => ("the largest identity leads", larger(&|_| true)),
        Winner::LargestInitiator => ("the largest initiator leads", larger(&starts)),
        Winner::LargestLive => ("the largest process that is up leads", larger(&|i| !end.is_down(i))),
        Winner::AnyInitiator => {
            let other = (!starts(leader)).then(|| format!("process {leader} did not start"));
            ("an initiator leads", other)
        }
    };
    Some(Property { name, holds: detail.is_none(), detail })
}

impl Problem for Ballot {
    const ALL_START: bool = false;

    fn after(&mut self, step: &Seen<'_>) -> Option<Outcome> {
        if step.before == step.after {
            return None;
        }
        let after = step.after.verdict();
        self.change(step.index, step.before.verdict(), after, step.now, step.depth);
        Some(match after {
            Verdict::Undecided => Outcome::Undecided,
            Verdict::Lost => Outcome::Lost,
            Verdict::Leader => Outcome::Leads,
        })
    }

    fn crashed(&mut self, _: u32, _: Status) {}
    fn may(_: Status, _: UserInput) -> bool {
        false
    }
    fn is_finished(&self) -> bool {
        false
    }
    fn entries(&self) -> u64 {
        0
    }
    fn conclude(&self, population: &dyn Population, end: &End<'_>, report: &mut Report) {
        let verdict = |index: u32| population.status(index).verdict();
        let knows = |index: u32| population.knows(index);
        self.conclude_from(population.nature().spec, &verdict, &knows, end, report);
    }
}
