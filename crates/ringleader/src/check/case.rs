//! One case from beginning to end: search it, look at its edges, and say what was found.

use super::cases::One;
use super::chance::Actions;
use super::fairness::Cycle;
use super::findings::{Limit, Probability, Range};
use super::ground::{Ground, How};
use super::locals::Lag;
use super::path::{recording, steps_along, way_to};
use super::property::bound::Bounded;
use super::property::{Property, bound, ends, nobody_waits, possible};
use super::scope::{Extreme, Reduce, Scope};
use super::search::{Explored, Limits};
use crate::model::Counts;
use crate::population::Nature;
use crate::scenario::Refusal;
use crate::trace::Recording;

/// What one case came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Came {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) depth: u64,
    pub(crate) visited: (u64, u64),
    pub(crate) peak_bytes: u64,
    pub(crate) wrong: Option<Wrong>,
    pub(crate) limit: Option<Limit>,
    pub(crate) messages: Option<Range>,
    pub(crate) election_messages: Option<Range>,
    /// A run with the most or the least of them, and how well it does: more is better either way.
    pub(crate) extreme: Option<(i64, Recording)>,
    pub(crate) probability: Option<Probability>,
    pub(crate) notes: Vec<&'static str>,
}

/// A violation.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) property: &'static str,
    pub(crate) detail: String,
    pub(crate) length: u64,
    pub(crate) recording: Option<Recording>,
    pub(crate) repeats_from: Option<u64>,
    /// Whether it was found in a search that left nothing out, so that no run of this case is shorter.
    pub(crate) shortest: bool,
}

/// Said where a cycle makes the reduced search too weak.
const FULL_FOR_CYCLES: &str =
    "there are cycles: every interleaving was searched, for a reduced search could miss what they hide";
const FULL_FOR_CHANCE: &str = "chance decides: every interleaving was searched";
const FULL_FOR_TOKENS: &str = "tokens circulate for ever: every interleaving was searched";
const UNFAIR_CYCLES: &str = "there are runs without end, but none of them is fair";
const NO_EXPECTATION: &str = "a scheduler can put chance off for ever, unfairly: no expectations are given";
const ROUNDS_AT_LIMIT: &str = "the search for the expected number of rounds reached a limit";
const NO_ROUNDS: &str = "processes fall too far behind each other to count rounds";

/// Checks one case.
pub(crate) fn check(
    nature: &'static Nature,
    scope: &Scope,
    properties: &[&dyn Property],
    one: &One,
    limits: Limits<'_>,
    threads: usize,
) -> Result<Came, Refusal> {
    let ground = Ground::new(nature, scope, properties, one, None)?;
    let mut came = Came::default();
    let keep = ground.is_randomised() || ground.never_silent();
    let how = How {
        por: ground.admits_por(),
        turn: scope.reduce == Reduce::Full,
        edges: !scope.safety_only,
        keep: keep && !scope.safety_only,
        ..How::default()
    };
    if scope.reduce != Reduce::None && ground.is_randomised() {
        came.notes.push(FULL_FOR_CHANCE);
    } else if scope.reduce != Reduce::None && ground.never_silent() {
        came.notes.push(FULL_FOR_TOKENS);
    }
    let mut look = Look { ground, limits, threads, came };
    let explored = look.explore(how);
    if let Some(explored) = explored
        && !scope.safety_only
    {
        look.judge(how, explored);
    }
    Ok(look.came)
}

/// A case while it is looked at.
struct Look<'a, 'w> {
    ground: Ground<'a>,
    limits: Limits<'w>,
    threads: usize,
    came: Came,
}

impl Look<'_, '_> {
    /// Searches it; none if that already decided everything: a violation, or a limit.
    fn explore(&mut self, how: How) -> Option<Explored> {
        let explored = self.ground.explore(how, self.limits, self.threads);
        let came = &mut self.came;
        came.states = u64::from(explored.visited.len()).min(self.limits.states);
        came.transitions = explored.transitions;
        came.depth = explored.depth;
        came.visited = (explored.visited.bytes(), u64::from(explored.visited.len()));
        came.peak_bytes = came.peak_bytes.max(explored.peak_bytes);
        came.limit = explored.limit;
        if explored.violation.is_some() {
            came.wrong = wrong(&self.ground, how, &explored);
            return None;
        }
        came.limit.is_none().then_some(explored)
    }

    /// Looks at the edges.
    fn judge(&mut self, how: How, explored: Explored) {
        if let Some(order) = explored.graph.order() {
            self.messages(how, &explored, &order);
            if self.ground.is_randomised() {
                self.chance(how, &explored);
            }
            return;
        }
        let mut how = how;
        let mut explored = explored;
        if !how.keep || how.por {
            if how.por {
                self.came.notes.push(FULL_FOR_CYCLES);
            }
            how = How { por: false, turn: false, keep: true, ..how };
            drop(explored);
            let Some(again) = self.explore(how) else { return };
            explored = again;
        }
        self.least(how, &explored);
        if self.ground.keeps_its_leader() && possible::hopeless(&self.ground, &explored).is_some() {
            self.no_leader_possible(How { turn: false, ..how });
        } else if self.ground.is_randomised() {
            self.chance(how, &explored);
        } else if self.ground.never_silent() {
            self.starvation(how, &explored);
        } else {
            match ends::endless(&self.ground, how, &explored) {
                Some(cycle) => self.went_round(how, &explored, ends::NAME, "it goes on for ever", &cycle),
                None => self.came.notes.push(UNFAIR_CYCLES),
            }
        }
    }

    /// The least and the largest number of messages, and whether that is within the bound.
    fn messages(&mut self, how: How, explored: &Explored, order: &[u32]) {
        let Some(sums) = explored.graph.sums(order, &explored.ends) else { return };
        let (_, before) = self.ground.first(how);
        let range = |(min, max): (u64, u64)| Range { min: min + before, max: Some(max + before) };
        self.came.messages = Some(range(sums.messages));
        self.came.election_messages = self.ground.is_election().then(|| range(sums.elections));
        if let Some(extreme) = self.ground.scope.extreme {
            let way = explored.graph.extreme(order, &explored.ends, extreme == Extreme::Most);
            let taken = way.map(|way| steps_along(&self.ground, how, explored, &way, None));
            let (least, most) = sums.elections;
            let rank = if extreme == Extreme::Most { most as i64 } else { -(least as i64) };
            let shown = taken.and_then(|taken| recording(&self.ground, how, &taken));
            self.came.extreme = shown.map(|recording| (rank, recording));
        }
        let Some((counts, formula, most)) = self.ground.bound() else { return };
        let sent = match counts {
            Counts::All => range(sums.messages),
            Counts::Election => range(sums.elections),
        };
        if sent.max.is_some_and(|sent| sent > most) {
            self.over_the_bound(counts, formula, most);
        }
    }

    /// Finds a shortest run that sends too many messages.
    fn over_the_bound(&mut self, counts: Counts, formula: &'static str, most: u64) {
        let bounded = Bounded { most, formula };
        let how = How { count: Some(counts), ..How::default() };
        let properties: [&dyn Property; 1] = [&bounded];
        let found = self.ground.again(&properties).ok().and_then(|ground| {
            let explored = ground.explore(how, self.limits, self.threads);
            wrong(&ground, how, &explored)
        });
        self.came.wrong = found.or_else(|| {
            Some(Wrong {
                property: bound::NAME,
                detail: format!("more than {most} messages are sent; the bound is {formula}"),
                length: 0,
                recording: None,
                repeats_from: None,
                shortest: false,
            })
        });
    }

    /// The least number of messages where there are cycles; there is no largest.
    fn least(&mut self, how: How, explored: &Explored) {
        let ends: Vec<u32> = explored.ends.iter().chain(&explored.served).copied().collect();
        let (_, before) = self.ground.first(how);
        if let Some((all, election)) = explored.graph.least(&ends) {
            let range = |min: u64| Range { min: min + before, max: None };
            self.came.messages = Some(range(all));
            self.came.election_messages = self.ground.is_election().then(|| range(election));
        }
    }

    /// No leader is possible from some state: searches once more without rotations, to show the way there.
    fn no_leader_possible(&mut self, how: How) {
        let Some(explored) = self.explore(how) else { return };
        if let Some(state) = possible::hopeless(&self.ground, &explored) {
            let detail = "no leader is possible any more".to_owned();
            self.came.wrong = Some(self.wrong_at(how, &explored, possible::NAME, detail, state));
        }
    }

    /// Whether somebody is starved by tokens that circulate for ever.
    fn starvation(&mut self, how: How, explored: &Explored) {
        let starved = (0..self.ground.setup.n).find_map(|process| {
            Some((process, nobody_waits::starved(&self.ground, how, explored, process)?))
        });
        if let Some((process, cycle)) = starved {
            let detail = format!("process {process} waits for ever in a fair run");
            self.went_round(how, explored, nobody_waits::NAME, &detail, &cycle);
        }
    }

    /// Whether it ends with probability 1, and what to expect.
    fn chance(&mut self, how: How, explored: &Explored) {
        let actions = Actions::new(&explored.graph);
        if !actions.end_components().is_empty() {
            // Who is where matters for fairness: without rotations.
            let how = How { turn: false, ..how };
            let Some(apart) = self.explore(how) else { return };
            let actions = Actions::new(&apart.graph);
            let endless = ends::endless_by_chance(&self.ground, how, &apart, &actions);
            let almost_sure = endless.is_none();
            self.came.probability =
                Some(Probability { almost_sure, expected_rounds: None, expected_messages: None });
            match endless {
                Some(cycle) => {
                    let detail = "a scheduler can go on for ever, whatever is drawn";
                    self.went_round(how, &apart, ends::NAME_OF_CHANCE, detail, &cycle);
                }
                None => self.came.notes.push(NO_EXPECTATION),
            }
            return;
        }
        if !self.ground.scope.expectations {
            self.came.probability =
                Some(Probability { almost_sure: true, expected_rounds: None, expected_messages: None });
            return;
        }
        let messages = |place: usize| f64::from(explored.graph.edges[place].messages);
        let both = |cost: &dyn Fn(usize) -> f64, actions: &Actions<'_>| {
            Some((actions.expected(cost, false)?, actions.expected(cost, true)?))
        };
        let expected_messages = both(&messages, &actions);
        let expected_rounds = self.rounds(how);
        self.came.probability = Some(Probability { almost_sure: true, expected_rounds, expected_messages });
    }

    /// The expected number of rounds: how many phases the process begins that begins most.
    fn rounds(&mut self, how: How) -> Option<(f64, f64)> {
        let cap = 2 * self.ground.setup.n + 2;
        let contenders = super::memo::lock(&self.ground.shared).locals.contenders();
        let ground = self.ground.watching_phases(Lag { cap, contenders }).ok()?;
        let how = How { phases: true, ..how };
        let explored = ground.explore(how, self.limits, self.threads);
        self.came.peak_bytes = self.came.peak_bytes.max(explored.peak_bytes);
        if explored.limit.is_some() {
            self.came.notes.push(ROUNDS_AT_LIMIT);
            return None;
        }
        if explored.furthest_lag >= cap {
            self.came.notes.push(NO_ROUNDS);
            return None;
        }
        let actions = Actions::new(&explored.graph);
        let phases = |place: usize| f64::from(explored.graph.phases[place]);
        Some((actions.expected(&phases, false)?, actions.expected(&phases, true)?))
    }

    /// A violation that shows in a state.
    fn wrong_at(
        &self,
        how: How,
        explored: &Explored,
        property: &'static str,
        detail: String,
        state: u32,
    ) -> Wrong {
        let way = way_to(explored, state);
        let taken = steps_along(&self.ground, how, explored, &way, None);
        Wrong {
            property,
            detail,
            length: taken.len() as u64,
            recording: recording(&self.ground, how, &taken),
            repeats_from: None,
            shortest: !how.por,
        }
    }

    /// A violation that is a run without end.
    fn went_round(
        &mut self,
        how: How,
        explored: &Explored,
        property: &'static str,
        detail: &str,
        cycle: &Cycle,
    ) {
        let mut way = way_to(explored, cycle.0[0]);
        let repeats_from = way.len() as u64 - 1;
        way.extend(&cycle.0[1..]);
        let taken = steps_along(&self.ground, how, explored, &way, None);
        self.came.wrong = Some(Wrong {
            property,
            detail: detail.to_owned(),
            length: taken.len() as u64,
            recording: recording(&self.ground, how, &taken),
            repeats_from: Some(repeats_from),
            shortest: !how.por,
        });
    }
}

/// The violation that a search ended with.
fn wrong(ground: &Ground<'_>, how: How, explored: &Explored) -> Option<Wrong> {
    let violation = explored.violation.as_ref()?;
    let recording = (!how.turn || ground.rules(how).rotations.is_empty()).then(|| {
        let way = way_to(explored, violation.state);
        let taken = steps_along(ground, how, explored, &way, violation.step);
        recording(ground, how, &taken)
    });
    Some(Wrong {
        property: ground.properties[violation.property].name(),
        detail: violation.detail.clone(),
        length: violation.length,
        recording: recording.flatten(),
        repeats_from: None,
        shortest: !how.por,
    })
}

/// A shortest violation of one of the properties in this case, within so many steps, leaving nothing out.
pub(crate) fn shortest(
    nature: &'static Nature,
    scope: &Scope,
    properties: &[&dyn Property],
    one: &One,
    limits: Limits<'_>,
    max_depth: u64,
) -> Result<(Option<Wrong>, u64, bool), Refusal> {
    let ground = Ground::new(nature, scope, properties, one, None)?;
    let how = How { max_depth: Some(max_depth), ..How::default() };
    let explored = ground.explore(how, limits, 1);
    let states = u64::from(explored.visited.len());
    Ok((wrong(&ground, how, &explored), states, explored.limit.is_none()))
}
