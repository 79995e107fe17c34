//! The settings that an algorithm has of its own, beside those of every run.

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
    /// With this setting it is another algorithm, which knows it: this one, by name.
    Elsewhere(&'static str),
    /// A ring election of the registry, by name, which the algorithm holds inside.
    RingElection {
        /// What it is when not given.
        default: &'static str,
    },
}
