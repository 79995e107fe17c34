//! What must hold. Which properties are asked follows from what the contract promises; users add their own.

mod clocks;
mod election;
mod exclusion;
pub(crate) mod runs;

use super::space::{Common, Parts, Space};
use super::stimulus::Facts;
use crate::model::{Belief, Id, Knows, Order, Promises, Spec, Stage, Ticks, Value, Verdict, Winner};
use crate::scenario::Setup;
use crate::sim;

/// Something that must hold.
pub trait Property: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// What it looks at. Steps that change nothing of it may be taken in any order.
    fn watches(&self) -> Watch;

    /// Asked of every state that a step leads to which changes what it watches.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn always(&self, state: &View<'_>) -> Result<(), String> {
        let _ = state;
        Ok(())
    }

    /// Asked of every such step.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn step(&self, step: &Step<'_>) -> Result<(), String> {
        let _ = step;
        Ok(())
    }

    /// Asked of every state in which nothing more will happen unless somebody wants in or something fails.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        let _ = state;
        Ok(())
    }
}

/// What a property looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// How runs end, and what single processes do; not which of several processes moved first.
    Ends,
    /// Who is inside, and who waits.
    Stages,
    /// Everything: no step may be left out.
    Everything,
}

/// A state, to be looked at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(super) setup: &'a Setup,
    pub(super) space: &'a Space,
    pub(super) parts: &'a Parts,
    pub(super) state: &'a [u32],
}

/// A step, to be looked at.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The state before.
    pub before: View<'a>,
    /// The state after.
    pub after: View<'a>,
    /// Who moved.
    pub process: u32,
    /// A case that the proof excludes, if one arose.
    pub impossible: Option<&'static str>,
}

impl Step<'_> {
    /// Whether the user of the process that moved comes in.
    fn enters(&self) -> bool {
        let inside = |state: &View<'_>| state.stage(self.process) == Stage::Inside;
        !inside(&self.before) && inside(&self.after)
    }
}

impl View<'_> {
    fn facts(&self, process: u32) -> &Facts {
        self.parts.facts(self.state[process as usize])
    }

    fn common(&self) -> &Common {
        self.parts.commons.value(self.state[self.space.common()])
    }

    /// The number of processes.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.space.n
    }

    /// All processes.
    pub fn everybody(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.space.n
    }

    /// What a process says about itself; undecided where this is no election.
    #[must_use]
    pub fn verdict(&self, process: u32) -> Verdict {
        self.facts(process).verdict
    }

    /// What a process knows about the leader.
    #[must_use]
    pub fn knows(&self, process: u32) -> Knows {
        self.facts(process).knows
    }

    /// Where the user of a process stands.
    #[must_use]
    pub fn stage(&self, process: u32) -> Stage {
        self.facts(process).stage
    }

    /// What a process believes of its clock.
    #[must_use]
    pub fn belief(&self, process: u32) -> Belief {
        self.facts(process).belief
    }

    /// What the corrected clock of a process shows: what it reckons with.
    #[must_use]
    pub fn clock(&self, process: u32) -> Ticks {
        self.facts(process).clock
    }

    /// What users see of the clock of a process.
    #[must_use]
    pub fn shown(&self, process: u32) -> Ticks {
        self.facts(process).shown
    }

    /// The true time, as far as there are clocks that tell it: none of them drifts.
    #[must_use]
    pub fn true_time(&self) -> Ticks {
        let facts = self.facts(0);
        let offset = self.setup.clocks.first().map_or(0, |clock| clock.offset);
        facts.clock - facts.correction - Ticks::whole(offset)
    }

    /// Whether a process is down.
    #[must_use]
    pub fn is_down(&self, process: u32) -> bool {
        self.facts(process).down
    }

    /// Whether a process starts of its own accord.
    #[must_use]
    pub fn is_initiator(&self, process: u32) -> bool {
        self.setup.is_initiator(process)
    }

    /// The identity of a process.
    #[must_use]
    pub fn id(&self, process: u32) -> Id {
        self.setup.id(process)
    }

    /// A local variable of a process, by its name.
    #[must_use]
    pub fn field(&self, process: u32, name: &str) -> Option<Value> {
        let fields = self.parts.locals.fields(self.state[process as usize]);
        fields.into_iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    /// How many messages of a kind are on their way.
    #[must_use]
    pub fn in_transit(&self, kind: &str) -> usize {
        self.parts.travelling(self.space, self.state).filter(|&(_, other)| other == kind).count()
    }

    /// How many tokens of the kind at this place there are.
    fn tokens(&self, kinds: &[&str], place: usize) -> usize {
        self.parts.tokens(self.space, self.state, &kinds[place..=place], 1 << place, None)
    }

    /// Those who lead and are up.
    fn leaders(&self) -> Vec<u32> {
        self.everybody().filter(|&i| !self.is_down(i) && self.verdict(i) == Verdict::Leader).collect()
    }

    /// Whether what a process knows is this leader.
    fn knows_that(&self, process: u32, leader: u32) -> bool {
        match self.knows(process) {
            Knows::Nothing => false,
            Knows::ThereIsOne => true,
            Knows::Identity(id) => id == self.id(leader),
            Knows::Name(peer) => peer.0 == leader,
        }
    }
}

/// A property that a contract promises, or a bound that it proves.
struct Promised {
    name: &'static str,
    watches: Watch,
    question: Question,
}

/// Whether something holds of a state.
type Holds = Box<dyn Fn(&View<'_>) -> Result<(), String> + Send + Sync>;

/// What is asked, and of what.
enum Question {
    Always(Holds),
    Step(fn(&Step<'_>) -> Result<(), String>),
    Finally(Holds),
}

impl Property for Promised {
    fn name(&self) -> &'static str {
        self.name
    }

    fn watches(&self) -> Watch {
        self.watches
    }

    fn always(&self, state: &View<'_>) -> Result<(), String> {
        if let Question::Always(holds) = &self.question { holds(state) } else { Ok(()) }
    }

    fn step(&self, step: &Step<'_>) -> Result<(), String> {
        if let Question::Step(holds) = self.question { holds(step) } else { Ok(()) }
    }

    fn finally(&self, state: &View<'_>) -> Result<(), String> {
        if let Question::Finally(holds) = &self.question { holds(state) } else { Ok(()) }
    }
}

/// No user waits for ever. What shows at an end is asked there; what shows on a cycle, of the cycles.
pub(crate) const NOBODY_WAITS: &str = "nobody waits for ever";

/// Whoever waits, somebody enters. Likewise.
pub(crate) const PROGRESS: &str = "while somebody waits, somebody enters";

/// Whether a contract promises this of the properties that may be asked for: an algorithm without any order lets
/// somebody enter, but not everybody.
pub(super) fn is_promised(spec: &Spec, name: &str) -> bool {
    name != NOBODY_WAITS || !matches!(spec.promises, Promises::Exclusion { order: Order::Any, .. })
}

/// The number of messages is within the proved bound, in every run.
pub(crate) const BOUND: &str = "messages within the bound";

/// The bound, where messages are counted in the state, to find a shortest run that sends too many.
pub(crate) fn bounded(most: u64, formula: &'static str) -> Box<dyn Property> {
    let holds = move |state: &View<'_>| match state.common().sent {
        Some(sent) if u64::from(sent) > most => {
            Err(format!("{sent} messages were sent; the bound {formula} is {most}"))
        }
        Some(_) | None => Ok(()),
    };
    Box::new(Promised {
        name: BOUND,
        watches: Watch::Everything,
        question: Question::Always(Box::new(holds)),
    })
}

/// Whoever leads goes on leading, and whoever does not never will.
const FINAL: &str = "verdicts are final";

/// No case arises that the algorithm's proof excludes: no step says `impossible`.
fn clean(step: &Step<'_>) -> Result<(), String> {
    match step.impossible {
        None => Ok(()),
        Some(why) => Err(format!("at process {} the proof says: {why}", step.process)),
    }
}

/// The properties that a contract promises and that are asked for, deadlock and message counts aside.
pub(crate) fn promised(
    spec: &Spec,
    tokens: &'static [&'static str],
    asked: &dyn Fn(&str) -> bool,
) -> Vec<Box<dyn Property>> {
    use Question::{Always, Finally, Step};
    let mut list: Vec<Box<dyn Property>> = Vec::new();
    let mut add = |name, watches, question| {
        if asked(name) {
            list.push(Box::new(Promised { name, watches, question }));
        }
    };
    let no_impossible_case = "no case that the proof excludes";
    match spec.promises {
        Promises::Election { winner, informed } => {
            // While processes come and go two may believe that they lead; what counts is how it ends.
            if spec.keeps_its_leader() {
                // Verdicts are final, or that is the violation: whoever leads leads in the end, whatever the order of
                // steps. So ends are all there is to watch, as long as that is checked too.
                let watches = if asked(FINAL) { Watch::Ends } else { Watch::Everything };
                add("at most one leader", watches, Always(Box::new(election::one_leader)));
                add(FINAL, Watch::Ends, Step(election::final_verdicts));
            }
            add(no_impossible_case, Watch::Ends, Step(clean));
            add("exactly one leader", Watch::Ends, Finally(Box::new(election::one_in_the_end)));
            if winner != Winner::Any {
                let holds = move |state: &View<'_>| election::winner(winner, state);
                add(election::winner_name(winner), Watch::Ends, Finally(Box::new(holds)));
            }
            let holds = move |state: &View<'_>| election::informed(informed, state);
            add(election::informed_name(informed), Watch::Ends, Finally(Box::new(holds)));
        }
        // They are decided by a search of their own.
        Promises::Stabilisation => {}
        Promises::Exclusion { order, .. } => {
            add("never two inside", Watch::Stages, Always(Box::new(exclusion::one_inside)));
            add(no_impossible_case, Watch::Ends, Step(clean));
            if !tokens.is_empty() {
                // Tokens move with almost every step.
                let holds = move |state: &View<'_>| exclusion::one_token(tokens, state);
                add("never two tokens of a kind", Watch::Everything, Always(Box::new(holds)));
            }
            match order {
                Order::Priority => {
                    add(
                        "served in the order of (time stamp, name)",
                        Watch::Stages,
                        Step(exclusion::in_order),
                    );
                }
                Order::Ring => add(exclusion::ONCE_EACH, Watch::Stages, Step(exclusion::once_each)),
                Order::Doorway => {
                    add(
                        "first come, first served after the doorway",
                        Watch::Stages,
                        Step(exclusion::in_line),
                    );
                }
                Order::Any => add(PROGRESS, Watch::Ends, Finally(Box::new(exclusion::nobody_waits))),
                Order::Fair => {}
            }
            add(NOBODY_WAITS, Watch::Ends, Finally(Box::new(exclusion::nobody_waits)));
        }
        Promises::Clocks { against } => {
            add(sim::CLOCKS_NEVER_GO_BACK, Watch::Ends, Step(clocks::never_go_back));
            let holds = move |state: &View<'_>| clocks::within(against, state);
            add(sim::AT_ALL_TIMES, Watch::Everything, Always(Box::new(holds)));
            add(no_impossible_case, Watch::Ends, Step(clean));
            add(sim::EVERYBODY_KNOWS, Watch::Ends, Finally(Box::new(clocks::everybody_knows)));
        }
    }
    list
}
