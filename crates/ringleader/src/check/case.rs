//! One case from beginning to end: search it, look at its edges, and say what was found.

use super::cases::One;
use super::chance::Actions;
use super::fairness::Cycle;
use super::findings::{Limit, Probability, Range, States};
use super::ground::{Ground, How, Subject};
use super::locals::Lag;
use super::memo::lock;
use super::network::{Searched, explore, first};
use super::path::recording;
use super::property::{BOUND, NOBODY_WAITS, PROGRESS, bounded, runs};
use super::scope::{Extreme, Reduce};
use super::search::Limits;
use crate::model::{Counts, Order};
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
    pub(crate) graph: Option<States>,
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
    pub(crate) graph: Option<States>,
}

/// Said where a cycle makes the reduced search too weak.
const FULL_FOR_CYCLES: &str =
    "there are cycles: every interleaving was searched, because a reduced search could miss violations";
const FULL_FOR_CHANCE: &str = "chance decides: every interleaving was searched";
const FULL_FOR_TOKENS: &str = "tokens circulate for ever: every interleaving was searched";
const FULL_FOR_USERS: &str = "users want in again and again: every interleaving was searched";
const UNFAIR_CYCLES: &str = "there are runs without end, but none of them is fair";
const NO_EXPECTATION: &str = "a scheduler can put chance off for ever, unfairly: no expectations are given";
const ROUNDS_AT_LIMIT: &str = "the search for the expected number of rounds reached a limit";
const NO_ROUNDS: &str = "processes fall too far behind each other to count rounds";

/// Checks one case.
pub(crate) fn check(
    subject: Subject<'_>,
    one: &One,
    limits: Limits<'_>,
    threads: usize,
) -> Result<Came, Refusal> {
    let scope = subject.scope;
    let ground = Ground::new(subject, one, None)?;
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
        came.notes.push(if ground.circulates() { FULL_FOR_TOKENS } else { FULL_FOR_USERS });
    }
    let mut look = Look { ground: &ground, limits, threads, came };
    let searched = look.explore(how);
    if let Some(searched) = searched
        && !scope.safety_only
    {
        look.judge(searched);
    }
    Ok(look.came)
}

/// A case while it is looked at.
struct Look<'a> {
    ground: &'a Ground<'a>,
    limits: Limits<'a>,
    threads: usize,
    came: Came,
}

impl<'a> Look<'a> {
    /// Searches it; none if that already decided everything: a violation, or a limit.
    fn explore(&mut self, how: How) -> Option<Searched<'a>> {
        let searched = explore(self.ground, how, self.limits, self.threads);
        let (came, explored) = (&mut self.came, &searched.explored);
        came.states = u64::from(explored.visited.len()).min(self.limits.states);
        came.transitions = explored.transitions;
        came.depth = explored.depth;
        came.visited = (explored.visited.bytes(), u64::from(explored.visited.len()));
        came.peak_bytes = came.peak_bytes.max(explored.peak_bytes);
        came.limit = explored.limit;
        if explored.violation.is_some() {
            came.wrong = wrong(&searched);
            return None;
        }
        came.graph = states(&searched, &[], None);
        came.limit.is_none().then_some(searched)
    }

    /// Looks at the edges.
    fn judge(&mut self, mut searched: Searched<'a>) {
        if let Some(order) = searched.explored.graph.order() {
            self.messages(&searched, &order);
            if self.ground.is_randomised() {
                self.chance(&searched);
            }
            return;
        }
        let how = searched.how;
        if !how.keep || how.por {
            if how.por {
                self.came.notes.push(FULL_FOR_CYCLES);
            }
            drop(searched);
            let Some(again) = self.explore(How { por: false, turn: false, keep: true, ..how }) else {
                return;
            };
            searched = again;
        }
        self.least(&searched);
        let leads = self.ground.keeps_its_leader() && self.ground.asks(runs::POSSIBLE);
        if leads && runs::hopeless(&searched).is_some() {
            self.no_leader_possible(How { turn: false, ..searched.how });
        } else if self.ground.is_randomised() {
            self.chance(&searched);
        } else if self.ground.never_silent() {
            if self.ground.order() == Some(Order::Any)
                && self.ground.asks(PROGRESS)
                && let Some(cycle) = runs::stalled(&searched)
            {
                return self.went_round(&searched, PROGRESS, "somebody waits, and nobody enters", &cycle);
            }
            if self.ground.asks(NOBODY_WAITS) {
                self.starvation(&searched);
            }
        } else if self.ground.asks(runs::ENDS) {
            match runs::endless(&searched) {
                Some(cycle) => self.went_round(&searched, runs::ENDS, "it goes on for ever", &cycle),
                None => self.came.notes.push(UNFAIR_CYCLES),
            }
        }
    }

    /// The least and the largest number of messages, and whether that is within the bound.
    fn messages(&mut self, searched: &Searched<'_>, order: &[u32]) {
        let explored = &searched.explored;
        let Some(sums) = explored.graph.sums(order, &explored.ends) else { return };
        let (_, before) = first(self.ground, searched.how);
        let range = |(min, max): (u64, u64)| Range { min: min + before, max: Some(max + before) };
        self.came.messages = Some(range(sums.messages));
        self.came.election_messages = self.ground.is_election().then(|| range(sums.elections));
        if let Some(extreme) = self.ground.scope.extreme {
            let way = explored.graph.extreme(order, &explored.ends, extreme == Extreme::Most);
            let (least, most) = sums.elections;
            let rank = if extreme == Extreme::Most { most as i64 } else { -(least as i64) };
            let shown = way.and_then(|way| recording(searched, &way, None));
            self.came.extreme = shown.map(|recording| (rank, recording));
        }
        let Some((counts, formula, most)) = self.ground.bound() else { return };
        let sent = match counts {
            Counts::All => range(sums.messages),
            Counts::Election => range(sums.elections),
        };
        if self.ground.asks(BOUND) && sent.max.is_some_and(|sent| sent > most) {
            self.over_the_bound(counts, formula, most);
        }
    }

    /// Finds a shortest run that sends too many messages.
    fn over_the_bound(&mut self, counts: Counts, formula: &'static str, most: u64) {
        let bounded = bounded(most, formula);
        let how = How { count: Some(counts), ..How::default() };
        let properties = [&*bounded];
        let found = self.ground.again(&properties, None).ok();
        let found = found.and_then(|ground| wrong(&explore(&ground, how, self.limits, self.threads)));
        self.came.wrong = found.or_else(|| {
            Some(Wrong {
                property: BOUND,
                detail: format!("more than {most} messages are sent; the bound is {formula}"),
                length: 0,
                recording: None,
                repeats_from: None,
                shortest: false,
                graph: None,
            })
        });
    }

    /// The least number of messages where there are cycles; there is no largest.
    fn least(&mut self, searched: &Searched<'_>) {
        let explored = &searched.explored;
        let ends: Vec<u32> = explored.ends.iter().chain(&explored.served).copied().collect();
        let (_, before) = first(self.ground, searched.how);
        if let Some((all, election)) = explored.graph.least(&ends) {
            // Who shares registers sends nothing, however long it waits.
            let most = self.ground.has_registers().then_some(0);
            let range = |min: u64| Range { min: min + before, max: most };
            self.came.messages = Some(range(all));
            self.came.election_messages = self.ground.is_election().then(|| range(election));
        }
    }

    /// No leader is possible from some state: searches once more without rotations, to show the way there.
    fn no_leader_possible(&mut self, how: How) {
        let Some(searched) = self.explore(how) else { return };
        if let Some(state) = runs::hopeless(&searched) {
            let way = searched.explored.way_to(state);
            self.violated(&searched, runs::POSSIBLE, "no leader is possible any more", &way, None);
        }
    }

    /// Whether somebody is starved by tokens that circulate for ever.
    fn starvation(&mut self, searched: &Searched<'_>) {
        let starved = |process| Some((process, runs::starved(searched, process)?));
        if let Some((process, cycle)) = (0..self.ground.setup.n).find_map(starved) {
            let detail = format!("process {process} waits for ever in a fair run");
            self.went_round(searched, NOBODY_WAITS, &detail, &cycle);
        }
    }

    /// Whether it ends with probability 1, and what to expect.
    fn chance(&mut self, searched: &Searched<'_>) {
        let actions = Actions::new(&searched.explored.graph);
        if !actions.end_components().is_empty() {
            return self.chance_with_cycles(searched.how);
        }
        let mut probability =
            Probability { almost_sure: true, expected_rounds: None, expected_messages: None };
        if self.ground.scope.expectations {
            let messages = |place: usize| f64::from(searched.explored.graph.edges[place].messages);
            probability.expected_messages = actions.expected_range(&messages);
            probability.expected_rounds = self.rounds(searched.how);
        }
        self.came.probability = Some(probability);
    }

    /// Likewise, where a scheduler can put chance off for ever.
    fn chance_with_cycles(&mut self, how: How) {
        // Who is where matters for fairness: without rotations.
        let Some(searched) = self.explore(How { turn: false, ..how }) else { return };
        let actions = Actions::new(&searched.explored.graph);
        let endless = runs::endless_by_chance(&searched, &actions);
        let almost_sure = endless.is_none();
        self.came.probability =
            Some(Probability { almost_sure, expected_rounds: None, expected_messages: None });
        match endless {
            Some(cycle) if self.ground.asks(runs::ENDS_BY_CHANCE) => {
                let detail = "a scheduler can go on for ever, whatever is drawn";
                self.went_round(&searched, runs::ENDS_BY_CHANCE, detail, &cycle);
            }
            Some(_) => {}
            None => self.came.notes.push(NO_EXPECTATION),
        }
    }

    /// The expected number of rounds: how many phases the process begins that begins most.
    fn rounds(&mut self, how: How) -> Option<(f64, f64)> {
        let cap = 2 * self.ground.setup.n + 2;
        let contenders = lock(&self.ground.shared).locals.contenders();
        // What must hold is known by now.
        let ground = self.ground.again(&[], Some(Lag { cap, contenders })).ok()?;
        let how = How { phases: true, ..how };
        let Searched { explored, .. } = explore(&ground, how, self.limits, self.threads);
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
        actions.expected_range(&phases)
    }

    /// A violation that is a run without end.
    fn went_round(
        &mut self,
        searched: &Searched<'_>,
        property: &'static str,
        detail: &str,
        Cycle(cycle): &Cycle,
    ) {
        let mut way = searched.explored.way_to(cycle[0]);
        let repeats_from = way.len() as u64 - 1;
        way.extend(&cycle[1..]);
        self.violated(searched, property, detail, &way, Some(repeats_from));
    }

    /// A violation that the run along these states shows.
    fn violated(
        &mut self,
        searched: &Searched<'_>,
        property: &'static str,
        detail: &str,
        way: &[u32],
        repeats_from: Option<u64>,
    ) {
        self.came.wrong = Some(Wrong {
            property,
            detail: detail.to_owned(),
            length: way.len() as u64 - 1,
            recording: recording(searched, way, None),
            repeats_from,
            shortest: !searched.how.por,
            graph: states(searched, way, None),
        });
    }
}

/// The states that were met, with a way among them that ends with this step of its last state.
fn states(searched: &Searched<'_>, way: &[u32], step: Option<u32>) -> Option<States> {
    let Searched { ground, explored, .. } = searched;
    let (graph, visited) = (&explored.graph, &explored.visited);
    if visited.len() > ground.scope.keep_states? || graph.states() == 0 {
        return None;
    }
    let mut depths = vec![0; visited.len() as usize];
    for state in 0..visited.len() {
        // Whoever comes before has a smaller number.
        let before = visited.parent(state);
        if before != state {
            depths[state as usize] = depths[before as usize] + 1;
        }
    }
    let from = 0..graph.states() as u32;
    let mut steps: Vec<(u32, u32)> =
        from.flat_map(|from| graph.edges(from).iter().map(move |edge| (from, edge.target))).collect();
    steps.sort_unstable();
    steps.dedup();
    let taken = step.zip(way.last()).and_then(|(step, &last)| graph.edges(last).get(step as usize));
    let way = way.iter().copied().chain(taken.map(|edge| edge.target)).collect();
    Some(States { depths, steps, ends: explored.ends.clone(), way })
}

/// The violation that a search ended with.
fn wrong(searched: &Searched<'_>) -> Option<Wrong> {
    let Searched { ground, how, explored } = searched;
    let violation = explored.violation.as_ref()?;
    let is_shown = !how.turn || ground.rotations().is_empty();
    let run = || recording(searched, &explored.way_to(violation.state), violation.step);
    Some(Wrong {
        property: ground.properties[violation.property].name(),
        detail: violation.detail.clone(),
        length: violation.length,
        recording: if is_shown { run() } else { None },
        repeats_from: None,
        shortest: !how.por,
        graph: states(searched, &explored.way_to(violation.state), violation.step),
    })
}

/// A shortest violation of one of the properties in this case, within so many steps, leaving nothing out; how many
/// states were met, and whether there is no shorter one for sure.
pub(crate) fn shortest(
    subject: Subject<'_>,
    one: &One,
    limits: Limits<'_>,
    max_depth: u64,
) -> Result<(Option<Wrong>, u64, bool), Refusal> {
    let ground = Ground::new(subject, one, None)?;
    let edges = subject.scope.keep_states.is_some();
    let how = How { max_depth: Some(max_depth), edges, ..How::default() };
    let searched = explore(&ground, how, limits, 1);
    let explored = &searched.explored;
    Ok((wrong(&searched), u64::from(explored.visited.len()), explored.limit.is_none()))
}
