//! The options of `check`, and the command that says them again.

use super::environment::{Again, links, orientation, topology};
use super::number::{above_zero, small, threads};
use super::value::{did_you_mean, indices};
use super::{
    ByName, DelayRange, From, IdsArg, Known, MemoryLimit, Number, SettingOptions, TimeLimit, Typed, Word,
    exclusive, on, one_of, options,
};
use ringleader::check::{Reduce, Starts};
use ringleader::model::{Links, Orientation};
use ringleader::sim::{Entries, Scatter, Topology};

options! {
    /// A check.
    CheckOptions [settings: SettingOptions] {
        nodes: Option<Typed<Number>> = "nodes" "N" Typed::parse;
        reduce: Option<Reduce> = "reduce" "HOW" reduce;
        safety: bool = "safety" "" on;
        property: Vec<String> = "property" "NAME" |text: &str| Ok::<_, String>(text.to_owned());
        all_violations: bool = "all-violations" "" on;
        threads: Option<u32> = "threads" "T" threads;
        max_states: Option<u64> = "max-states" "M" above_zero;
        memory: Option<Typed<MemoryLimit>> = "memory" "B" Typed::parse;
        time: Option<Typed<TimeLimit>> = "time" "T" Typed::parse;
        all_ids: bool = "all-ids" "" on;
        ids: Option<Typed<IdsArg>> = "ids" "LIST|@FILE|KIND" Typed::parse;
        initiators: Option<Typed<Starts>> = "initiators" "WHO" Typed::parse;
        topology: Option<Topology> = "topology" "TOPOLOGY" topology;
        orientation: Option<Orientation> = "orientation" "ORIENTATION" orientation;
        range: Option<u32> = "range" "K" small;
        entries: Option<Typed<Entries>> = "entries" "K|LIST" Typed::parse;
        links: Option<Links> = "links" "LINKS" links;
        unsound: bool = "unsound" "" on;
        crashes: Option<u32> = "crashes" "K" small;
        recoveries: Option<u32> = "recoveries" "K" small;
        losses: Option<u32> = "losses" "K" small;
        duplications: Option<u32> = "duplications" "K" small;
        from: Option<Typed<From>> = "from" "any|LIST" Typed::parse;
        clock_offset: Option<Typed<Scatter>> = "clock-offset" "LIST|random:K" Typed::parse;
        delay: Option<Typed<DelayRange>> = "delay" "LO..HI" Typed::parse;
    }
}

fn reduce(text: &str) -> Result<Reduce, String> {
    one_of(text, &[Reduce::None, Reduce::Por, Reduce::Full].map(|reduce| (reduce.name(), reduce)))
}

impl Word for Starts {
    fn parse(text: &str) -> Result<Starts, String> {
        match text {
            "all" => Ok(Starts::All),
            "all-late" => Ok(Starts::AllLate),
            "any" => Ok(Starts::Any),
            "one" => Ok(Starts::Listed(vec![0])),
            _ if text.ends_with('%') => {
                Err("a check makes no random choices: `any` takes every set of initiators; a percentage is for `run`"
                    .into())
            }
            _ => indices(text).map(Starts::Listed).map_err(|_| {
                let meant = did_you_mean(text, &["all", "all-late", "any", "one"]);
                format!("all, all-late, any, one, or a list of indices (0,3,5){meant}")
            }),
        }
    }
}

impl ByName for CheckOptions {
    fn known() -> Vec<Known> {
        CheckOptions::listed()
    }

    fn put(&mut self, long: &str, word: &str) -> Option<Result<(), String>> {
        self.take(long, word)
    }

    fn agree(&self) -> Result<(), String> {
        exclusive::<CheckOptions>(("all-ids", self.all_ids), ("ids", self.ids.is_some()))
    }
}

impl CheckOptions {
    /// The words of the command that gives the same check: the name of the algorithm and `n` as they were understood,
    /// everything else as it was given. Where a run is written and how it is shown is left out.
    #[must_use]
    pub fn again(&self, algorithm: &str, n: Option<u32>) -> Vec<String> {
        let mut words = vec!["check".to_owned(), algorithm.to_owned()];
        words.extend(n.into_iter().flat_map(|n| ["-n".to_owned(), n.to_string()]));
        let mut add = Again(&mut words);
        add.typed("ids", self.ids.as_ref());
        add.typed("initiators", self.initiators.as_ref());
        add.value("topology", self.topology.as_ref().map(Topology::name));
        add.value("orientation", self.orientation.map(Orientation::name));
        add.value("range", self.range);
        add.typed("entries", self.entries.as_ref());
        add.typed("clock-offset", self.clock_offset.as_ref());
        add.typed("delay", self.delay.as_ref());
        add.value("links", self.links.map(Links::name));
        add.value("crashes", self.crashes);
        add.value("recoveries", self.recoveries);
        add.value("losses", self.losses);
        add.value("duplications", self.duplications);
        add.typed("from", self.from.as_ref());
        add.value("reduce", self.reduce.map(Reduce::name));
        add.value("max-states", self.max_states);
        add.typed("memory", self.memory.as_ref());
        add.typed("time", self.time.as_ref());
        add.value("threads", self.threads);
        for name in &self.property {
            add.value("property", Some(name));
        }
        self.settings.again(&mut words);
        let mut add = Again(&mut words);
        add.switch("all-violations", self.all_violations);
        add.switch("all-ids", self.all_ids);
        add.switch("safety", self.safety);
        add.switch("unsound", self.unsound);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_starts() {
        assert_eq!(Starts::parse("all-late"), Ok(Starts::AllLate));
        assert_eq!(Starts::parse("one"), Ok(Starts::Listed(vec![0])));
        assert_eq!(Starts::parse("0,2"), Ok(Starts::Listed(vec![0, 2])));
        assert!(Starts::parse("25%").is_err_and(|said| said.contains("`any`")));
        for text in ["", "some", "-1", "1,,2"] {
            assert!(Starts::parse(text).is_err(), "{text}");
        }
    }
}
