//! The options of `run`, and the command that says them again.

use super::environment::Again;
use super::number::{number, threads};
use super::{
    ByName, EnvironmentOptions, Known, LoadArg, Number, SettingOptions, Typed, exclusive, one_of, options,
};
use ringleader::sim::{Edit, Meters};

options! {
    /// One run.
    RunOptions [environment: EnvironmentOptions, settings: SettingOptions] {
        nodes: Option<Typed<Number>> = "nodes" "N" Typed::parse;
        seed: Option<u64> = "seed" "S" number;
        max_steps: Option<u64> = "max-steps" "M" number;
        threads: Option<u32> = "threads" "T" threads;
        edit: Vec<Edit> = "edit" "EDIT" str::parse::<Edit>;
        meter: Vec<Meter> = "meter" "LIST" |text: &str| one_of(text, &Meter::ALL.map(|meter| (meter.name(), meter)));
        load: Option<Typed<LoadArg>> = "load" "KIND" Typed::parse;
        total: Option<u64> = "total" "E" number;
    }
}

/// An extra meter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meter {
    /// The size of messages in bits.
    Bits,
    /// Messages handled per process.
    Load,
    /// The longest causal chain.
    Depth,
}

impl Meter {
    const ALL: [Meter; 3] = [Meter::Bits, Meter::Load, Meter::Depth];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Meter::Bits => "bits",
            Meter::Load => "load",
            Meter::Depth => "depth",
        }
    }

    /// These meters as they are written.
    #[must_use]
    pub fn names(listed: &[Meter]) -> String {
        listed.iter().map(|meter| meter.name()).collect::<Vec<_>>().join(",")
    }

    /// These meters together.
    #[must_use]
    pub fn all(listed: &[Meter]) -> Meters {
        Meters {
            bits: listed.contains(&Meter::Bits),
            load: listed.contains(&Meter::Load),
            depth: listed.contains(&Meter::Depth),
        }
    }
}

impl ByName for RunOptions {
    fn known() -> Vec<Known> {
        RunOptions::listed()
    }

    fn put(&mut self, long: &str, word: &str) -> Option<Result<(), String>> {
        if long == "meter" && word.contains(',') {
            return Some(word.split(',').filter_map(|part| self.take(long, part)).collect());
        }
        self.take(long, word)
    }

    fn agree(&self) -> Result<(), String> {
        let entries = ("entries", self.environment.entries.is_some());
        let load = ("load", self.load.is_some());
        exclusive::<RunOptions>(load, entries)?;
        let wants = ("wants", self.environment.wants.is_some());
        exclusive::<RunOptions>(wants, entries)?;
        exclusive::<RunOptions>(wants, load)?;
        if self.total.is_some() && self.load.is_none() {
            return Err("the following required arguments were not provided: --load <KIND>".into());
        }
        Ok(())
    }
}

impl RunOptions {
    /// The words of the command that gives the same run: the name of the algorithm and `n` as they were understood,
    /// everything else as it was given. Where it is recorded and how it is shown is left out.
    #[must_use]
    pub fn again(&self, algorithm: &str, n: Option<u32>, seed: Option<u64>) -> Vec<String> {
        let mut words = vec!["run".to_owned(), algorithm.to_owned()];
        words.extend(n.into_iter().flat_map(|n| ["-n".to_owned(), n.to_string()]));
        self.environment.again(&mut words);
        let mut add = Again(&mut words);
        add.typed("load", self.load.as_ref());
        add.value("total", self.total);
        self.edit.iter().for_each(|edit| add.value("edit", Some(edit)));
        self.settings.again(&mut words);
        let mut add = Again(&mut words);
        add.value("meter", Some(Meter::names(&self.meter)).filter(|names| !names.is_empty()));
        add.value("max-steps", self.max_steps);
        add.value("threads", self.threads);
        add.value("seed", seed);
        add.switch("unsound", self.environment.unsound);
        words
    }
}
