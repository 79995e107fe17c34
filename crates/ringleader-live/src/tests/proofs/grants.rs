//! That no two members lead at once: the real `Granter` and `Claim`, in a world of three members that the
//! checker searches.
//!
//! In this world time passes, A or B asks or gives back, a message arrives, arrives and stays (so that it arrives
//! again), or is lost, somebody restarts. Messages take as long as they like. Time passes for all at once: in each tick
//! of it a slow clock gains 1 and a fast one 2, so that with ρ = 1/3 a lease of 4 lasts 4 ticks on a slow clock and 2
//! on a fast one, and the 2 that are counted of it last 2 ticks at most: nothing is to spare. The search has an end
//! because times are kept relative to each member's clock, and what is past is forgotten.
//!
//! Who is elected does not matter here: A and B both believe that they are, all the time.

use crate::{Answer, Claim, Claimant, Epoch, Granter, Micros, Terms};
use core::fmt::{self, Display};
use ringleader::check::{self, Effort, Model, ModelFindings, Properties};
use ringleader::model::{Name, names};
use std::collections::VecDeque;

const TERMS: Terms = Terms { lease: Micros(4), drift: 333_333 };
const EPOCH: Epoch = Epoch { number: 1, steward: 0 };
/// What every clock is set to after every step: all times that still matter are above 0.
const NOW: Micros = Micros(8);
/// How many questions and releases may be under way from one member to another; one that finds no room is
/// lost. One more where they overtake each other.
const ROOM: usize = 1;

names! {
    /// How the promise is kept, or broken.
    enum Version {
        Right = "right",
        FromReceipt = "a grant counts from the moment its answer comes in",
        NoMargin = "the lease is counted in full",
        NoQuarantine = "a restarted member grants at once",
        Hearing = "whoever hears from a majority leads",
        Early = "a member grants to another before the grant has run out",
        ThoseUp = "a majority of those that are up is enough",
        Overtaking = "releases and questions overtake each other",
        Forgetful = "a claim is made anew in the same epoch",
        OldReading = "the clock is read before the question comes in",
        Immortal = "a restarted member is the same claimant as before",
    }
}

/// C alone is the cluster, and A and B are others who ask it.
const ONE: u32 = 16;

/// From whom to whom questions go, and answers, in the order of the moves.
const ASKS: [(usize, usize); 4] = [(0, 1), (0, 2), (1, 0), (1, 2)];
const SAYS: [(usize, usize); 4] = [(1, 0), (2, 0), (0, 1), (2, 1)];

/// What happens to a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Arrives,
    Stays,
    Lost,
}

/// What can happen.
#[derive(Clone, Copy)]
enum Action {
    Tick,
    Ask(usize),
    Release(usize),
    Restart(usize),
    /// Of the asks with this number.
    Question(usize, Way),
    /// Of the says with this number.
    Answer(usize, Way),
}

/// `ask` stands for questions and releases, `say` for answers; two letters are from whom to whom.
impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |who: usize| ["A", "B", "C"][who];
        let way = |way: &Way| match way {
            Way::Arrives => "",
            Way::Stays => ", stays",
            Way::Lost => ", lost",
        };
        match self {
            Action::Tick => f.write_str("tick"),
            Action::Ask(who) => write!(f, "{} asks", name(*who)),
            Action::Release(who) => write!(f, "{} gives back", name(*who)),
            Action::Restart(who) => write!(f, "{} restarts", name(*who)),
            Action::Question(pair, how) => {
                write!(f, "ask {}{}{}", name(ASKS[*pair].0), name(ASKS[*pair].1), way(how))
            }
            Action::Answer(pair, how) => {
                write!(f, "say {}{}{}", name(SAYS[*pair].0), name(SAYS[*pair].1), way(how))
            }
        }
    }
}

/// What A or B says to a member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Said {
    Ask { incarnation: u64, sent: Micros },
    Release { incarnation: u64 },
}

/// One member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Machine {
    /// What its clock gains in a tick.
    rate: u64,
    incarnation: u64,
    granter: Granter,
    claim: Claim,
}

/// Everything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    version: Version,
    machines: [Machine; 3],
    asks: [VecDeque<Said>; 4],
    /// An answer that grants: to which incarnation, and when it was asked.
    says: [Option<(u64, Micros)>; 4],
    /// Which of the four ways for questions, and back for their answers, are not cut.
    open: u32,
    restarts: u8,
}

/// The model is the world as it begins.
impl Model for World {
    type State = World;
    type Action = Action;

    fn initial(&self) -> Vec<World> {
        vec![self.clone()]
    }

    fn actions(&self, world: &World) -> Vec<Action> {
        let ways = |pair: usize, action: fn(usize, Way) -> Action| {
            [Way::Arrives, Way::Stays, Way::Lost].map(|way| action(pair, way))
        };
        let mut actions = vec![Action::Tick, Action::Ask(0), Action::Ask(1)];
        let holds = |who: &usize| world.machines[*who].claim.holds(NOW);
        actions.extend((0..2).filter(holds).map(Action::Release));
        actions.extend((0..3).filter(|_| world.restarts > 0).map(Action::Restart));
        let asked = (0..4).filter(|pair| !world.asks[*pair].is_empty());
        actions.extend(asked.flat_map(|pair| ways(pair, Action::Question)));
        let said = (0..4).filter(|pair| world.says[*pair].is_some());
        actions.extend(said.flat_map(|pair| ways(pair, Action::Answer)));
        actions
    }

    fn next(&self, world: &World, action: &Action) -> World {
        let mut world = world.clone();
        match *action {
            Action::Tick => world.tick(),
            Action::Ask(who) => world.ask(who),
            Action::Release(who) => world.release(who),
            Action::Restart(who) => world.restart(who),
            Action::Question(pair, way) => world.question(pair, way),
            Action::Answer(pair, way) => world.answer(pair, way),
        }
        world
    }

    fn properties(&self, must: &mut Properties<World>) {
        must.always("no two lead at once", |_, world| {
            world.machines.iter().filter(|machine| machine.claim.holds(NOW)).count() <= 1
        });
    }
}

fn claim(version: Version, open: u32) -> Claim {
    let terms = if version == Version::NoMargin { Terms { drift: 0, ..TERMS } } else { TERMS };
    // Whoever hears nobody takes everybody for down.
    let members = if version == Version::ThoseUp || open & ONE != 0 { 1 } else { 3 };
    Claim::new(terms, members, EPOCH)
}

impl World {
    /// With those clocks fast whose bits are set, and those ways open.
    fn new(version: Version, fast: u32, open: u32, restarts: u8) -> World {
        let machine = |place: u32| Machine {
            rate: if fast >> place & 1 == 1 { 2 } else { 1 },
            incarnation: 1,
            granter: Granter::new(TERMS, Micros(0)),
            claim: claim(version, open),
        };
        World {
            version,
            machines: [0, 1, 2].map(machine),
            asks: Default::default(),
            says: Default::default(),
            open,
            restarts,
        }
    }

    fn claimant(place: usize, incarnation: u64) -> Claimant {
        Claimant { place: place as u16, incarnation, epoch: EPOCH }
    }

    fn tick(&mut self) {
        for (place, machine) in self.machines.iter_mut().enumerate() {
            let later = Micros(machine.rate);
            machine.granter.passes(later, NOW);
            machine.claim.passes(later, NOW);
            let past = |sent: &mut Micros| {
                *sent = *sent - later;
                // What counts no more is all the same.
                let counts = if self.version == Version::NoMargin { TERMS.lease } else { TERMS.counted() };
                if *sent + counts <= NOW {
                    *sent = Micros(0);
                }
            };
            let own = ASKS.iter().zip(&mut self.asks).filter(|((from, _), _)| *from == place);
            for said in own.flat_map(|(_, said)| said) {
                if let Said::Ask { sent, .. } = said {
                    past(sent);
                }
            }
            let own = SAYS.iter().zip(&mut self.says).filter(|((_, to), _)| *to == place);
            own.flat_map(|(_, say)| say).for_each(|(_, sent)| past(sent));
        }
    }

    fn ask(&mut self, who: usize) {
        let incarnation = self.machines[who].incarnation;
        if self.open & ONE == 0 && self.grants(who, who, incarnation) {
            self.counts(who, if self.version == Version::ThoseUp { 0 } else { who }, NOW);
        }
        self.say_to_others(who, &Said::Ask { incarnation, sent: NOW });
    }

    fn release(&mut self, who: usize) {
        let machine = &mut self.machines[who];
        match self.version {
            Version::Forgetful => machine.claim = claim(self.version, self.open),
            Version::Right
            | Version::FromReceipt
            | Version::NoMargin
            | Version::NoQuarantine
            | Version::Hearing
            | Version::Early
            | Version::ThoseUp
            | Version::Overtaking
            | Version::OldReading
            | Version::Immortal => machine.claim.release(NOW),
        }
        machine.granter.released(World::claimant(who, machine.incarnation));
        let incarnation = machine.incarnation;
        self.say_to_others(who, &Said::Release { incarnation });
    }

    fn restart(&mut self, who: usize) {
        self.restarts -= 1;
        let machine = &mut self.machines[who];
        let start = if self.version == Version::NoQuarantine { NOW - TERMS.lease } else { NOW };
        machine.granter = Granter::new(TERMS, start);
        machine.claim = claim(self.version, self.open);
        machine.incarnation += u64::from(self.version != Version::Immortal);
    }

    /// What finds no room is lost.
    fn say_to_others(&mut self, who: usize, said: &Said) {
        let room = if self.version == Version::Overtaking { ROOM + 1 } else { ROOM };
        for (pair, queue) in self.asks.iter_mut().enumerate() {
            let is_open = ASKS[pair].0 == who && self.open >> pair & 1 == 1;
            if is_open && queue.len() < room && queue.back() != Some(said) {
                queue.push_back(said.clone());
            }
        }
    }

    fn question(&mut self, pair: usize, way: Way) {
        let (from, to) = ASKS[pair];
        let queue = &mut self.asks[pair];
        let place = if self.version == Version::Overtaking { queue.len() - 1 } else { 0 };
        let said = match way {
            Way::Stays => queue.get(place).cloned(),
            Way::Arrives | Way::Lost => queue.remove(place),
        };
        match said {
            Some(_) if way == Way::Lost => {}
            None => {}
            Some(Said::Release { incarnation }) => {
                self.machines[to].granter.released(World::claimant(from, incarnation));
            }
            Some(Said::Ask { incarnation, sent }) => {
                let granted = self.grants(to, from, incarnation).then_some((incarnation, sent));
                let back = SAYS.iter().position(|&says| says == (to, from));
                // Room for one: whoever wants the new one instead loses the old one first.
                let say = back.map(|back| &mut self.says[back]);
                say.into_iter().for_each(|say| *say = say.or(granted));
            }
        }
    }

    fn answer(&mut self, pair: usize, way: Way) {
        let (from, to) = SAYS[pair];
        let said = match way {
            Way::Stays => self.says[pair],
            Way::Arrives | Way::Lost => self.says[pair].take(),
        };
        if let Some((incarnation, sent)) = said
            && way != Way::Lost
            && incarnation == self.machines[to].incarnation
        {
            self.counts(to, from, sent);
        }
    }

    fn counts(&mut self, who: usize, by: usize, sent: Micros) {
        let sent = if self.version == Version::FromReceipt { NOW } else { sent };
        let claim = &mut self.machines[who].claim;
        let by = if self.open & ONE == 0 { by } else { 0 };
        claim.granted(by as u16, sent);
        claim.passes(Micros(0), NOW);
    }

    fn grants(&mut self, by: usize, to: usize, incarnation: u64) -> bool {
        let Machine { granter, rate, .. } = &mut self.machines[by];
        let mut now = NOW;
        match self.version {
            Version::Hearing => return true,
            Version::Early => {
                if let Some((holder, until)) = granter.held(NOW)
                    && until <= NOW + Micros(2)
                {
                    granter.released(holder);
                }
            }
            Version::OldReading => now = NOW - Micros(*rate),
            Version::Right
            | Version::FromReceipt
            | Version::NoMargin
            | Version::NoQuarantine
            | Version::ThoseUp
            | Version::Overtaking
            | Version::Forgetful
            | Version::Immortal => {}
        }
        match granter.asked(World::claimant(to, incarnation), now) {
            Answer::Granted(_) => true,
            Answer::Held(_) | Answer::Old | Answer::Quarantine(_) => false,
        }
    }
}

/// Which ways are open: A and B both ask C, which alone is the cluster; or three members, of which A and B
/// both hear C and not each other; or A asks B, which asks C; or A and B ask each other.
const C_ALONE: u32 = ONE | 0b1010;
const BOTH_ASK_C: u32 = 0b1010;
const IN_A_ROW: u32 = 0b1001;
const EACH_OTHER: u32 = 0b0101;

fn searched(version: Version, fast: u32, open: u32, restarts: u8) -> ModelFindings<World> {
    check::model(&World::new(version, fast, open, restarts), &Effort::default(), &())
}

/// How many states there are, each of which is well.
fn states(fast: u32, open: u32, restarts: u8) -> u64 {
    let findings = searched(Version::Right, fast, open, restarts);
    assert!(findings.holds(), "fast {fast:b}, open {open:b}, {restarts} restarts: {findings:?}");
    findings.states
}

/// Two majorities have a member in common: it is enough that no two ever count on the same one. Here that is
/// C, with every way the three clocks may run, but for A and B exchanged.
#[test]
fn no_two_count_on_the_same_member() {
    let found = [0b000, 0b001, 0b011, 0b100, 0b101, 0b111].map(|fast| states(fast, C_ALONE, 0));
    assert_eq!(found, [13_449, 6_104, 2_805, 12_325, 5_556, 2_549]);
}

/// The same, and somebody restarts. All eight ways of the clocks have 618,406 states, and hold; these are the
/// ones that take less than the others: one who counts is slow and the one who grants is fast, all are, or
/// only C is not.
#[test]
fn restart_cannot_grant_twice() {
    let found = [0b011, 0b101, 0b111].map(|fast| states(fast, C_ALONE, 1));
    assert_eq!(found, [26_249, 59_329, 23_177]);
}

/// And with all three members. The clocks that matter are slow where somebody counts, and fast where somebody
/// grants.
#[test]
fn no_two_of_three_lead_at_once() {
    let found = [(0b100, BOTH_ASK_C), (0b010, IN_A_ROW), (0b010, EACH_OTHER)];
    assert_eq!(found.map(|(fast, open)| states(fast, open, 0)), [72_591, 44_131, 22_634]);
}

#[test]
fn no_two_leaders_when_both_ask_the_third() {
    assert_eq!(states(0b111, BOTH_ASK_C, 1), 75_231);
}

#[test]
fn no_two_leaders_when_asked_in_a_row() {
    assert_eq!(states(0b111, IN_A_ROW, 1), 93_411);
}

#[test]
fn no_two_leaders_when_asking_each_other() {
    assert_eq!(states(0b111, EACH_OTHER, 1), 63_514);
}

/// With C fast, A and B slow: the shortest way to two leaders in each.
#[test]
fn every_wrong_version_is_found() {
    let wrong = [
        (Version::FromReceipt, C_ALONE, 0, "A asks; B asks; ask AC; tick; tick; ask BC; say CA; say CB"),
        (Version::NoMargin, C_ALONE, 0, "A asks; B asks; ask AC; tick; tick; ask BC; say CA; say CB"),
        (Version::NoQuarantine, C_ALONE, 1, "A asks; B asks; ask AC; C restarts; ask BC; say CA; say CB"),
        (Version::Hearing, BOTH_ASK_C, 0, "A asks; B asks; ask AC; ask BC; say CA; say CB"),
        (Version::Early, C_ALONE, 0, "A asks; B asks; ask AC; tick; ask BC; say CA; say CB"),
        (Version::ThoseUp, BOTH_ASK_C, 0, "A asks; B asks"),
        (
            Version::Overtaking,
            C_ALONE,
            0,
            "A asks; B asks; ask AC; say CA; A gives back; tick; A asks; ask AC; ask AC; ask BC; say CA; say CB",
        ),
        (
            Version::Forgetful,
            C_ALONE,
            0,
            "A asks; B asks; ask AC; say CA, stays; A gives back; ask AC; ask BC; say CA; say CB",
        ),
        (Version::OldReading, C_ALONE, 0, "A asks; B asks; ask AC; tick; ask BC; say CA; say CB"),
        (
            Version::Immortal,
            C_ALONE,
            1,
            "A asks; B asks; ask AC; say CA, stays; A gives back; A restarts; ask AC; ask BC; say CA; say CB",
        ),
    ];
    assert_eq!(wrong.len() + 1, Version::ALL.len());
    for (version, open, restarts, shortest) in wrong {
        let run = searched(version, 0b100, open, restarts).counterexample;
        let run = run.unwrap_or_else(|| panic!("nothing is found where {}", version.name()));
        assert_eq!(run.to_string(), shortest, "{}", version.name());
    }
}
