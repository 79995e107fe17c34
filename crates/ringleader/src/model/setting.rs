//! The settings that an algorithm has of its own, beside those of every run.

use super::LeftOver;
use super::shared::Daemon;

/// The values of the algorithm's own settings, in the order in which its `Spec` declares them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Settings(pub [u32; 4]);

/// A setting of the algorithm's own.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its values.
    pub values: SettingValues,
}

impl Setting {
    /// What registers do while they are written; every algorithm on single registers has it.
    pub const REGISTERS: Setting = Setting::one_of(
        "registers",
        "whether a write is one step, or takes a while in which a read returns anything",
        &["atomic", "safe"],
    );

    /// Who chooses which machines move; every algorithm that may begin in any state has it.
    pub const DAEMON: Setting = Setting::one_of(
        "daemon",
        "who moves: any one machine that has a privilege, any of them at once, or all of them",
        &[Daemon::Central.name(), Daemon::Distributed.name(), Daemon::Synchronous.name()],
    );

    /// How many messages a link holds at most; every algorithm has it whose links may hold anything when a run begins.
    pub const CAPACITY: Setting = Setting::number(
        "capacity",
        "how many messages a link holds at most: one that is sent into a full link is lost",
        (1, LeftOver::MOST as u32),
        1,
    );

    /// One that is a number, with the least that is enough and the usual one, of the number of processes and the
    /// settings before it.
    #[must_use]
    pub const fn enough(
        name: &'static str,
        about: &'static str,
        range: (u32, u32),
        enough: fn(u32, &Settings) -> u32,
        usual: fn(u32, &Settings) -> u32,
    ) -> Setting {
        let (min, max) = range;
        Setting { name, about, values: SettingValues::Enough { min, max, enough, usual } }
    }

    /// One that is a word of this list; the first is the default.
    #[must_use]
    pub const fn one_of(name: &'static str, about: &'static str, words: &'static [&'static str]) -> Setting {
        Setting { name, about, values: SettingValues::OneOf(words) }
    }

    /// One that is a number from the smallest to the largest.
    #[must_use]
    pub const fn number(name: &'static str, about: &'static str, range: (u32, u32), default: u32) -> Setting {
        let (min, max) = range;
        Setting { name, about, values: SettingValues::Number { min, max, default } }
    }

    /// One with which it is this other algorithm.
    #[must_use]
    pub const fn elsewhere(name: &'static str, about: &'static str, algorithm: &'static str) -> Setting {
        Setting { name, about, values: SettingValues::Elsewhere(algorithm) }
    }
}

/// The values of a setting.
#[derive(Clone, Copy, Debug)]
pub enum SettingValues {
    /// One of these words; the first is the default; the process is told the place in the list.
    OneOf(&'static [&'static str]),
    /// A number.
    Number {
        /// The smallest.
        min: u32,
        /// The largest.
        max: u32,
        /// What it is when not given.
        default: u32,
    },
    /// A number of which a smaller one is possible and not enough.
    Enough {
        /// The smallest.
        min: u32,
        /// The largest.
        max: u32,
        /// The least that is enough, of the number of processes and the settings before it.
        enough: fn(u32, &Settings) -> u32,
        /// What it is when not given.
        usual: fn(u32, &Settings) -> u32,
    },
    /// With this setting it is another algorithm, which knows it: this one, by name.
    Elsewhere(&'static str),
    /// A ring election of the registry, by name, which the algorithm holds inside.
    RingElection {
        /// What it is when not given.
        default: &'static str,
    },
}
