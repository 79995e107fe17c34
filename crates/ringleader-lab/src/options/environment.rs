//! The arrangement, the environment and the workload of runs, and an algorithm's own settings: options of several
//! commands.

use super::clocks::backward;
use super::number::small;
use super::{
    At, Chance, From, IdsArg, Lose, Partition, ScheduleArg, Time, Typed, Wants, on, one_of, options,
};
use crate::Diagnostic;
use ringleader::model::{Links, Orientation};
use ringleader::sim::{Backward, Entries, Initiators, Scatter, Topology};

options! {
    /// Where runs take place.
    EnvironmentOptions {
        ids: Option<Typed<IdsArg>> = "ids" "LIST|@FILE|KIND" Typed::parse;
        initiators: Option<Typed<Initiators>> = "initiators" "WHO" Typed::parse;
        topology: Option<Topology> = "topology" "TOPOLOGY" topology;
        orientation: Option<Orientation> = "orientation" "ORIENTATION" orientation;
        range: Option<u32> = "range" "K" small;
        schedule: Option<Typed<ScheduleArg>> = "schedule" "KIND" Typed::parse;
        links: Option<Links> = "links" "LINKS" links;
        unsound: bool = "unsound" "" on;
        crash: Vec<Typed<At>> = "crash" "P@T" Typed::parse;
        recover: Vec<Typed<At>> = "recover" "P@T" Typed::parse;
        lose: Vec<Typed<Lose>> = "lose" "KIND@K" Typed::parse;
        loss: Option<Typed<Chance>> = "loss" "P" Typed::parse;
        duplicate: Option<Typed<Chance>> = "duplicate" "P" Typed::parse;
        partition: Vec<Typed<Partition>> = "partition" "A|B@T1..T2" Typed::parse;
        clock_offset: Option<Typed<Scatter>> = "clock-offset" "LIST|random:K" Typed::parse;
        clock_drift: Option<Typed<Scatter>> = "clock-drift" "LIST|random:K" Typed::parse;
        drift_bound: Option<u32> = "drift-bound" "PPM" small;
        clock_backward: Option<Backward> = "clock-backward" "HOW" backward;
        entries: Option<Typed<Entries>> = "entries" "K|LIST" Typed::parse;
        hold: Option<Typed<Time>> = "hold" "T" Typed::parse;
        think: Option<Typed<Time>> = "think" "T" Typed::parse;
        wants: Option<Typed<Wants>> = "wants" "SCRIPT" Typed::parse;
        from: Option<Typed<From>> = "from" "any|LIST" Typed::parse;
        corrupt: Vec<Typed<At>> = "corrupt" "P@T" Typed::parse;
    }
}

pub(super) fn links(text: &str) -> Result<Links, String> {
    one_of(text, &[Links::Fifo, Links::Bag, Links::HalfDuplex].map(|links| (links.name(), links)))
}

pub(super) fn orientation(text: &str) -> Result<Orientation, String> {
    one_of(text, &[Orientation::Same, Orientation::Random].map(|ports| (ports.name(), ports)))
}

pub(super) fn topology(text: &str) -> Result<Topology, String> {
    const NAMES: [&str; 6] = ["ring", "complete", "line", "star", "binary", "random"];
    let place = one_of(text, &[0, 1, 2, 3, 4, 5].map(|place| (NAMES[place], place)))?;
    Ok(match place {
        0 => Topology::Ring,
        1 => Topology::Complete,
        2 => Topology::Line,
        3 => Topology::Star,
        4 => Topology::Binary,
        _ => Topology::RandomTree,
    })
}

/// Words that say options again.
pub(super) struct Again<'a>(pub(super) &'a mut Vec<String>);

impl Again<'_> {
    pub(super) fn value(&mut self, option: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.extend([format!("--{option}"), value.to_string()]);
        }
    }

    pub(super) fn typed<T>(&mut self, option: &str, given: Option<&Typed<T>>) {
        self.value(option, given.map(|given| given.text.as_str()));
    }

    pub(super) fn each<T>(&mut self, option: &str, given: &[Typed<T>]) {
        given.iter().for_each(|given| self.typed(option, Some(given)));
    }

    pub(super) fn switch(&mut self, option: &str, on: bool) {
        self.0.extend(on.then(|| format!("--{option}")));
    }
}

impl EnvironmentOptions {
    /// Adds the words that say it again, as it was given; `--unsound` comes last of all, so it is left to the caller.
    pub(super) fn again(&self, words: &mut Vec<String>) {
        let mut add = Again(words);
        add.typed("ids", self.ids.as_ref());
        add.typed("initiators", self.initiators.as_ref());
        add.value("topology", self.topology.as_ref().map(Topology::name));
        add.value("orientation", self.orientation.map(Orientation::name));
        add.value("range", self.range);
        add.typed("schedule", self.schedule.as_ref());
        add.value("links", self.links.map(Links::name));
        add.each("crash", &self.crash);
        add.each("recover", &self.recover);
        add.each("lose", &self.lose);
        add.typed("loss", self.loss.as_ref());
        add.typed("duplicate", self.duplicate.as_ref());
        add.each("partition", &self.partition);
        add.typed("clock-offset", self.clock_offset.as_ref());
        add.typed("clock-drift", self.clock_drift.as_ref());
        add.value("drift-bound", self.drift_bound);
        add.value("clock-backward", self.clock_backward.map(Backward::name));
        add.typed("entries", self.entries.as_ref());
        add.typed("hold", self.hold.as_ref());
        add.typed("think", self.think.as_ref());
        add.typed("wants", self.wants.as_ref());
        add.typed("from", self.from.as_ref());
        add.each("corrupt", &self.corrupt);
    }
}

options! {
    /// The algorithm's own settings.
    SettingOptions {
        set: Vec<(String, String)> = "set" "NAME=VALUE" setting;
        ending: Option<String> = "ending" "HOW" text;
        denied: bool = "denied" "" on;
        election: Option<String> = "election" "NAME" text;
        tokens: Option<u32> = "tokens" "K" small;
        synchroniser: bool = "synchroniser" "" on;
        registers: Option<String> = "registers" "KIND" text;
        daemon: Option<String> = "daemon" "WHO" text;
        k: Option<u32> = "k" "K" small;
        capacity: Option<u32> = "capacity" "C" small;
    }
}

fn text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// A setting, `NAME=VALUE`.
///
/// # Errors
/// What was expected instead.
pub fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        Some(_) | None => Err("a name and a value, such as tokens=3".into()),
    }
}

impl SettingOptions {
    /// The algorithm's own settings, by name.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut settings = self.set.clone();
        let mut add = |name: &str, value: Option<String>| {
            settings.extend(value.map(|value| (name.to_owned(), value)));
        };
        add("ending", self.ending.clone());
        add("denied", self.denied.then(|| "yes".to_owned()));
        add("election", self.election.clone());
        add("tokens", self.tokens.map(|tokens| tokens.to_string()));
        add("synchroniser", self.synchroniser.then(|| "yes".to_owned()));
        add("registers", self.registers.clone());
        add("daemon", self.daemon.clone());
        add("k", self.k.map(|k| k.to_string()));
        add("capacity", self.capacity.map(|capacity| capacity.to_string()));
        settings
    }

    /// The same; a setting that is given twice must have the same value both times.
    ///
    /// # Errors
    /// If it has two.
    pub fn agreed(&self) -> Result<Vec<(String, String)>, Diagnostic> {
        let pairs = self.pairs();
        for (place, (name, value)) in pairs.iter().enumerate() {
            let Some((_, other)) =
                pairs[..place].iter().find(|(before, other)| before == name && other != value)
            else {
                continue;
            };
            let message = format!("`{name}` is given twice, as `{other}` and as `{value}`");
            return Err(Diagnostic::input("contradiction", message)
                .help(format!("give it once: `--set {name}={value}`")));
        }
        Ok(pairs)
    }

    /// Those of them whose names are wanted: of several algorithms each takes its own.
    pub(super) fn only(&self, wanted: impl Fn(&str) -> bool) -> SettingOptions {
        SettingOptions {
            set: self.set.iter().filter(|(name, _)| wanted(name)).cloned().collect(),
            ending: self.ending.clone().filter(|_| wanted("ending")),
            denied: self.denied && wanted("denied"),
            election: self.election.clone().filter(|_| wanted("election")),
            tokens: self.tokens.filter(|_| wanted("tokens")),
            synchroniser: self.synchroniser && wanted("synchroniser"),
            registers: self.registers.clone().filter(|_| wanted("registers")),
            daemon: self.daemon.clone().filter(|_| wanted("daemon")),
            k: self.k.filter(|_| wanted("k")),
            capacity: self.capacity.filter(|_| wanted("capacity")),
        }
    }

    /// Adds the words that say them again.
    pub fn again(&self, words: &mut Vec<String>) {
        let mut add = Again(words);
        self.set.iter().for_each(|(name, value)| add.value("set", Some(format!("{name}={value}"))));
        add.value("ending", self.ending.as_ref());
        add.value("election", self.election.as_ref());
        add.value("tokens", self.tokens);
        add.value("registers", self.registers.as_ref());
        add.value("daemon", self.daemon.as_ref());
        add.value("k", self.k);
        add.value("capacity", self.capacity);
        add.switch("denied", self.denied);
        add.switch("synchroniser", self.synchroniser);
    }
}
