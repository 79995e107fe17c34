//! Every algorithm with its type erased. The command line, the tests, the documents, the browser and the network walk
//! this list.
//!
//! An [`Entry`] hides the type of an algorithm. Only its processes and its fast lanes are compiled for it; engine,
//! checker and hosts are compiled once.

#[cfg(test)]
mod tests;

use crate::check::{self, Findings, Property, Scope, Watcher};
use crate::host::{Cast, Cells, Sharer, Way};
use crate::model;
use crate::model::{
    Drawn, Election, Elector, Exclusion, Fields, Graph, Knowledge, Links, Orientation, Port, RuleText,
    Setting, SettingValues, Shape, Spec, Timekeeping, Timing, Told, WireError,
};
use crate::network::Wired;
use crate::population::Nature;
use crate::scenario::Setup;
use crate::sim::{self, Lane, Observer, Refusal, Report, Scenario};
use crate::trace::Wire;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Without the feature `algorithms` there are none. Unit tests look at parts: the algorithms are compiled for everybody
/// else, and not once more for them.
#[cfg(any(not(feature = "algorithms"), test))]
pub static ALL: &[Entry] = &[];

/// All algorithms of this library, in the order of the book: the lists in `election/mod.rs`, `mutex/mod.rs` and
/// `clocks/mod.rs`.
#[cfg(all(feature = "algorithms", not(test)))]
pub static ALL: &[Entry] = {
    const ELECTIONS: usize = crate::election::ALL.len();
    const CLOCKS: usize = ELECTIONS + crate::mutex::ALL.len();
    const COUNT: usize = CLOCKS + crate::clocks::ALL.len();
    &{
        let mut all = [crate::election::ALL[0]; COUNT];
        let mut place = 0;
        while place < COUNT {
            all[place] = match (place.checked_sub(ELECTIONS), place.checked_sub(CLOCKS)) {
                (None, _) => crate::election::ALL[place],
                (Some(place), None) => crate::mutex::ALL[place],
                (Some(_), Some(place)) => crate::clocks::ALL[place],
            };
            place += 1;
        }
        all
    }
};

/// The problems.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Problem {
    /// Leader election.
    Election,
    /// Mutual exclusion.
    Mutex,
    /// Clocks that are brought together.
    Clocks,
}

impl Problem {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Problem::Election => "election",
            Problem::Mutex => "mutex",
            Problem::Clocks => "clocks",
        }
    }
}

/// One algorithm with its type erased.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its contract.
    pub spec: &'static Spec,
    /// The problem it solves.
    pub problem: Problem,
    /// The kind of network it is for.
    pub shape: Shape,
    /// What a process is told at birth.
    pub told: Knowledge,
    /// Its rules, in the order of the book; a step names the one that it follows.
    pub rules: &'static [RuleText],
    /// What pictures draw of its variables, and as what.
    pub drawn: &'static [(&'static str, Drawn)],
    /// The kinds of its messages.
    pub kinds: &'static [&'static str],
    /// Which kinds only announce.
    pub announces: &'static [bool],
    /// Bytes per process and per message in transit, for estimates before anything is allocated.
    pub bytes: (usize, usize),
    /// How another algorithm holds it inside; none if it is no ring election, or not one that can be held.
    pub elector: Option<Elector>,
    nature: &'static Nature,
    lane: Option<Lane>,
    /// Where a setting that names another algorithm finds it; without one, in [`ALL`].
    among: Option<&'static OnceLock<&'static [Entry]>>,
}

/// What an election is whose contract is known only when the program runs: its processes are told which it is
/// ([`Birth::which`](model::Birth::which)), and read the rest from a table.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// Its contract.
    pub spec: &'static Spec,
    /// What a process is told at birth.
    pub told: Knowledge,
    /// The kinds of its messages, no more than its type of messages has.
    pub kinds: &'static [&'static str],
    /// Which kinds only announce, one for each kind.
    pub announces: &'static [bool],
    /// Which one it is.
    pub which: u32,
}

/// A message that was read from its wire form, with its type erased.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// Its kind, an index into [`Entry::kinds`].
    pub kind: usize,
    /// Its fields.
    pub fields: Fields,
    /// Its wire form, written anew.
    pub bytes: Vec<u8>,
}

/// One size that the battery has checked: every arrangement, set of initiators, numbering of ports and schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The number of processes.
    pub n: u32,
    /// How often each wants in; 1 for elections.
    pub entries: u32,
    /// How many cases: arrangements, sets of initiators, numberings.
    pub cases: u64,
    /// How many states, in all of them.
    pub states: u64,
    /// The least number of messages of a run.
    pub least: u64,
    /// The largest, if there is one.
    pub most: Option<u64>,
}

impl Checked {
    /// A row of the record, without the name.
    fn parse(row: &'static str) -> Option<Checked> {
        let words: Vec<&str> = row.split(' ').collect();
        let [size, cases, states, _transitions, least, most] = words.as_slice() else { return None };
        let (n, entries) = size.split_once('x').unwrap_or((size, "1"));
        Some(Checked {
            n: n.parse().ok()?,
            entries: entries.parse().ok()?,
            cases: cases.parse().ok()?,
            states: states.parse().ok()?,
            least: least.parse().ok()?,
            most: most.parse().ok(),
        })
    }
}

impl Entry {
    /// The entry of an election algorithm.
    #[must_use]
    pub const fn election<P: Election>() -> Entry
    where
        P::Port: Wired,
    {
        let elector = if can_be_held(&P::SPEC, P::Port::SHAPE) { Some(Elector::of::<P>()) } else { None };
        // Nobody runs what is broken on purpose among ten million: it is not worth the time to build.
        let lane = const { if P::SPEC.is_literal() { None } else { sim::lane_of::<P>() } };
        Entry { elector, lane, ..Entry::new(Problem::Election, Nature::election::<P>()) }
    }

    /// The entry of an election whose contract is known only when the program runs. One type of process stands for all
    /// of them, as for those that somebody writes in another language. It has no fast lane, and nobody holds it inside.
    /// What is kept of it lives as long as the program: whoever asks often keeps the entry.
    #[must_use]
    pub fn described<P: Election>(described: Described) -> Entry {
        let Described { spec, told, kinds, announces, which } = described;
        let mut nature = *Nature::election::<P>();
        (nature.spec, nature.told, nature.which) = (spec, told, which);
        (nature.kinds, nature.announces) = (kinds, announces);
        Entry::new(Problem::Election, Box::leak(Box::new(nature)))
    }

    /// The entry of a mutual-exclusion algorithm.
    #[must_use]
    pub const fn exclusion<P: Exclusion>() -> Entry
    where
        P::Port: Wired,
    {
        Entry::new(Problem::Mutex, Nature::exclusion::<P>())
    }

    /// The entry of an algorithm that brings clocks together.
    #[must_use]
    pub const fn timekeeping<P: Timekeeping>() -> Entry
    where
        P::Port: Wired,
    {
        Entry::new(Problem::Clocks, Nature::timekeeping::<P>())
    }

    const fn new(problem: Problem, nature: &'static Nature) -> Entry {
        let Nature { spec, shape, told, rules, drawn, kinds, announces, bytes, .. } = *nature;
        Entry {
            spec,
            problem,
            shape,
            told,
            rules,
            drawn,
            kinds,
            announces,
            bytes,
            elector: None,
            nature,
            lane: None,
            among: None,
        }
    }

    /// The registers that its processes share, by the names under which they are shown.
    pub fn registers(&self) -> impl Iterator<Item = &'static str> {
        self.nature.registers.iter().map(|kind| kind.name)
    }

    /// Runs it.
    ///
    /// # Errors
    /// If the scenario is impossible, or outside the contract and not declared unsound.
    pub fn run(&self, scenario: &Scenario, observer: &mut dyn Observer) -> Result<Report, Refusal> {
        let (entry, scenario) = self.resolve(scenario)?;
        sim::run(entry.nature, entry.lane, &scenario, observer)
    }

    /// Whether it would run: what is refused is refused before many runs are made, not among them.
    ///
    /// # Errors
    /// As [`Entry::run`] gives them.
    pub fn admits(&self, scenario: &Scenario) -> Result<(), Refusal> {
        let (entry, scenario) = self.resolve(scenario)?;
        Setup::new(entry.nature, &scenario).map(|_| ())
    }

    /// The algorithm that it is with the settings of this scenario, which says then what election is held inside.
    fn resolve<'s>(&self, scenario: &'s Scenario) -> Result<(&Entry, Cow<'s, Scenario>), Refusal> {
        let entry = self.with_settings(&scenario.settings);
        let scenario = match entry.inner(&scenario.settings)? {
            None => Cow::Borrowed(scenario),
            elector => Cow::Owned(Scenario { elector, ..scenario.clone() }),
        };
        Ok((entry, scenario))
    }

    /// Checks it: every run of a few processes. What the contract promises must hold, and these properties as well.
    ///
    /// # Errors
    /// If the scope is impossible, or outside the contract and not declared unsound.
    pub fn check(
        &self,
        scope: &Scope,
        own: &[&dyn Property],
        watcher: &dyn Watcher,
    ) -> Result<Findings, Refusal> {
        let entry = self.with_settings(&scope.settings);
        match entry.inner(&scope.settings)? {
            None => check::check(entry.nature, scope, own, watcher),
            elector => check::check(entry.nature, &Scope { elector, ..scope.clone() }, own, watcher),
        }
    }

    /// How many cases (arrangements, sets of initiators, numberings of ports) a check has.
    ///
    /// # Errors
    /// As [`Entry::check`] gives them.
    pub fn cases(&self, scope: &Scope) -> Result<u64, Refusal> {
        let entry = self.with_settings(&scope.settings);
        match entry.inner(&scope.settings)? {
            None => check::cases(entry.nature, scope),
            elector => check::cases(entry.nature, &Scope { elector, ..scope.clone() }),
        }
    }

    /// Hands out everybody's part, for machines that run it themselves.
    ///
    /// # Errors
    /// As [`Entry::run`] gives them.
    pub fn cast(&self, scenario: &Scenario) -> Result<Cast, Refusal> {
        if self.with_settings(&scenario.settings).is_literal() {
            let expected = "must not be an as-printed variant, which is broken on purpose".to_owned();
            return Err(Refusal::BadSetting { name: "algorithm".into(), expected });
        }
        let (entry, scenario) = self.resolve(scenario)?;
        if entry.shape == Shape::Memory {
            return Err(Refusal::SharedRegisters);
        }
        if entry.spec.stabilises() {
            return Err(Refusal::Surroundings {
                why: "it counts on links that hold few messages, and those of real nodes hold many more"
                    .into(),
                help: format!("simulate it, from any state: ringleader run {}", entry.spec.name),
            });
        }
        Cast::new(entry.nature, &scenario)
    }

    /// The links of its network in a scenario.
    ///
    /// # Errors
    /// As [`Entry::run`] gives them.
    pub fn wires(&self, scenario: &Scenario) -> Result<Vec<Wire>, Refusal> {
        let (entry, scenario) = self.with_settings(&scenario.settings).resolve(scenario)?;
        let cast = Cast::new(entry.nature, &scenario)?;
        let of = |from: u32| {
            let ways = cast.ways(from).into_iter();
            ways.map(move |Way { out, to, arrival }| Wire { from, out, to, arrival })
        };
        Ok((0..scenario.n).flat_map(of).collect())
    }

    /// Hands out its processes on registers that are elsewhere, for threads that run it themselves: `make` makes the
    /// registers of what they hold at first.
    ///
    /// # Errors
    /// As [`Entry::run`] gives them; and if it needs more than registers that are read and written one at a time.
    pub fn share<C: Cells + 'static>(
        &self,
        scenario: &Scenario,
        make: impl FnOnce(&[u32]) -> C,
    ) -> Result<Vec<Sharer>, Refusal> {
        let (entry, scenario) = self.resolve(scenario)?;
        if entry.shape != Shape::Memory || entry.spec.needs.registers == model::Registers::Composite {
            return Err(Refusal::NoSingleRegisters);
        }
        Sharer::all(entry.nature, &scenario, make)
    }

    /// The algorithm that it is with these settings: mostly itself.
    #[must_use]
    pub fn with_settings(&self, settings: &[(String, String)]) -> &Entry {
        let is_given = |setting: &&Setting| settings.iter().any(|(name, _)| name == setting.name);
        let elsewhere = |setting: &Setting| {
            if let SettingValues::Elsewhere(other) = setting.values {
                find(self.registry(), other)
            } else {
                None
            }
        };
        let other = self.spec.settings.iter().filter(is_given).find_map(elsewhere);
        other.unwrap_or(self)
    }

    /// The algorithm as a network without lock-step runs it: mostly itself, or the one with a synchroniser; none where
    /// there is none.
    #[must_use]
    pub fn asynchronous(&self) -> Option<&Entry> {
        let needs_rounds = |entry: &&Entry| entry.spec.needs.timing == Timing::LockStep;
        if !needs_rounds(&self) {
            return Some(self);
        }
        let with = self.with_settings(&[("synchroniser".to_owned(), String::new())]);
        Some(with).filter(|entry| !needs_rounds(entry))
    }

    /// The algorithms among which it stands.
    #[must_use]
    pub fn registry(&self) -> &'static [Entry] {
        self.among.and_then(|among| among.get().copied()).unwrap_or(ALL)
    }

    /// The ring elections that it could hold inside.
    pub fn electors(&self) -> impl Iterator<Item = Elector> {
        self.registry().iter().filter_map(|entry| entry.elector)
    }

    /// The election that it holds inside, if one of its settings names one.
    fn inner(&self, settings: &[(String, String)]) -> Result<Option<Elector>, Refusal> {
        for setting in self.spec.settings {
            let SettingValues::RingElection { default } = setting.values else { continue };
            let given = settings.iter().rfind(|(name, _)| name == setting.name);
            let name = given.map_or(default, |(_, value)| value);
            if let Some(elector) = find(self.registry(), name).and_then(|entry| entry.elector) {
                return Ok(Some(elector));
            }
            let all: Vec<&str> = self.electors().map(|elector| elector.name).collect();
            let expected = format!("must be one of {}, not {name}", all.join(", "));
            return Err(Refusal::BadSetting { name: setting.name.into(), expected });
        }
        Ok(None)
    }

    /// The largest n up to which the battery has checked it, in the weakest environment that its contract admits: read
    /// from what the battery recorded.
    #[must_use]
    pub fn checked_up_to(&self) -> Option<u32> {
        self.checked().map(|size| size.n).max()
    }

    /// The sizes that the battery has checked, and what it found.
    pub fn checked(&self) -> impl Iterator<Item = Checked> {
        let rows = include_str!("../battery.txt").lines();
        rows.filter_map(|row| row.strip_prefix(self.spec.name)?.strip_prefix(' ').and_then(Checked::parse))
    }

    /// Reads one of its messages.
    ///
    /// # Errors
    /// If the bytes are not exactly one message.
    pub fn decode(&self, bytes: &[u8]) -> Result<Decoded, WireError> {
        let mut nobody = self.nature.population(0, &|index| unreachable!("there is no process {index}"));
        let message = nobody.decode(bytes)?;
        Ok(Decoded {
            kind: nobody.message_kind(message),
            fields: nobody.message_fields(message),
            bytes: nobody.encode(message),
        })
    }

    /// Whether its processes share registers that hold numbers which grow without end.
    #[must_use]
    pub fn has_growing_registers(&self) -> bool {
        self.nature.registers.iter().any(|kind| kind.grows)
    }

    /// Whether it is an as-printed variant: broken on purpose, and to be seen so.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.spec.is_literal()
    }

    /// The number of the erratum that it has in it, if it is an as-printed variant.
    #[must_use]
    pub fn erratum(&self) -> Option<String> {
        self.spec.known_errata().into_iter().next().filter(|_| self.is_literal()).map(|erratum| erratum.id)
    }

    /// Whether its processes have no identities.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        !self.told.has(Told::Identity) && !self.told.has(Told::Names)
    }

    /// What it needs, a few words each, for tables.
    #[must_use]
    pub fn needs(&self) -> Vec<&'static str> {
        let needs = &self.spec.needs;
        let words = [
            (needs.links == Links::Fifo, "fifo"),
            (needs.links == Links::HalfDuplex, "half-duplex"),
            (self.told.has(Told::Identity), "distinct-ids"),
            (self.told.has(Told::Names), "names"),
            (self.told.has(Told::Size), "known-n"),
            (self.told.has(Told::Degree), "known-degree"),
            (self.told.has(Told::MaxDelay), "bounded-delay"),
            (self.told.has(Told::Range), "random-ids"),
            (self.told.has(Told::Delays), "delay-bounds"),
            (self.told.has(Told::Drift), "drift-bound"),
            (needs.orientation == Orientation::Same && self.shape == Shape::TwoWayRing, "orientation"),
            (
                needs.timing == Timing::BoundedDelay
                    && !self.told.has(Told::MaxDelay)
                    && !self.told.has(Told::Delays),
                "bounded-delay",
            ),
            (needs.timing == Timing::LockStep, "lock-step"),
            (needs.choices, "random-choices"),
            (needs.detector, "failure-detector"),
            (needs.bypass, "bypass"),
        ];
        words.into_iter().filter(|(needs_it, _)| *needs_it).map(|(_, word)| word).collect()
    }

    /// The network of a run or check with this topology, in words.
    #[must_use]
    pub fn network(&self, topology: Option<&str>) -> String {
        if self.shape != Shape::Edges {
            return self.topology().to_owned();
        }
        // The usual one, where there is a choice.
        let usual = self.spec.needs.graphs.contains(&Graph::Complete).then_some("complete");
        match topology.or(usual) {
            Some("complete") => "complete graph".to_owned(),
            Some(which) => format!("{which} tree"),
            None => self.topology().to_owned(),
        }
    }

    /// The networks that it is for, in words.
    #[must_use]
    pub fn topology(&self) -> &'static str {
        match self.shape {
            Shape::OneWayRing => "one-way ring",
            Shape::TwoWayRing => "two-way ring",
            Shape::Named => "complete graph",
            Shape::Memory => "shared memory",
            Shape::Edges => match self.spec.needs.graphs {
                [Graph::Tree] => "tree",
                [_, _, ..] => "complete graph or tree",
                [Graph::Complete] | [] => "complete graph",
            },
        }
    }
}

/// Whether another algorithm can hold this one inside: a ring election with identities, without clocks and draws, on
/// links that keep the order.
const fn can_be_held(spec: &Spec, shape: Shape) -> bool {
    let needs = &spec.needs;
    matches!(shape, Shape::OneWayRing | Shape::TwoWayRing)
        && matches!(needs.timing, Timing::Asynchronous)
        && !matches!(needs.links, Links::HalfDuplex)
        && !needs.choices
        && !spec.is_literal()
}

/// These algorithms as a registry of their own: a setting that names another algorithm finds it among them and nowhere
/// else. It lives as long as the program.
#[must_use]
pub fn own(entries: &'static [Entry]) -> &'static [Entry] {
    if entries.iter().all(|entry| core::ptr::eq(entry.registry(), entries)) {
        return entries;
    }
    let among: &'static OnceLock<&'static [Entry]> = Box::leak(Box::default());
    let entries: Vec<Entry> = entries.iter().map(|entry| Entry { among: Some(among), ..*entry }).collect();
    among.get_or_init(|| entries.leak())
}

/// The entry with this name or alias. A variant may be named after an alias too: `lcr@as-printed`.
#[must_use]
pub fn find<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    let called = |name: &str| {
        entries.iter().find(|entry| entry.spec.name == name || entry.spec.aliases.contains(&name))
    };
    called(name).or_else(|| {
        let (alias, variant) = name.split_once('@')?;
        called(&format!("{}@{variant}", called(alias)?.spec.name))
    })
}
