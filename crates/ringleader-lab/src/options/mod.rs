//! The options of `run`, `check`, `compare` and `worst` as plain data: from typed values, or by name from words as they
//! are typed ([`ByName`]). The command line, the page and sweeps all make them, so that an option means the same
//! everywhere. Each says itself again, as the words of a command.

mod check;
mod clocks;
mod compare;
mod environment;
pub mod fault;
mod ids;
pub mod number;
mod run;
mod schedule;
mod size;
pub mod value;
mod workload;
mod worst;

pub use check::CheckOptions;
pub use clocks::DelayRange;
pub use compare::{CompareOptions, Per};
pub use environment::{EnvironmentOptions, SettingOptions, setting};
pub use fault::{At, Lose, Partition};
pub use ids::IdsArg;
pub(crate) use ids::identity;
pub use number::Number;
pub use run::{Meter, RunOptions};
pub use schedule::ScheduleArg;
pub use size::{MemoryLimit, TimeLimit};
pub use value::{Chance, Time};
pub use workload::{From, LoadArg, Wants};
pub use worst::WorstOptions;

/// Something that one word says.
pub trait Word: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// What was expected instead.
    fn parse(text: &str) -> Result<Self, String>;
}

/// A value and the text that gave it, so that the command which repeats a run says it in the user's words.
#[derive(Clone, Debug)]
pub struct Typed<T> {
    /// What it means.
    pub value: T,
    /// As it was typed.
    pub text: String,
}

impl<T: Word> Typed<T> {
    /// Reads it.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn parse(text: &str) -> Result<Typed<T>, String> {
        T::parse(text.trim()).map(|value| Typed { value, text: text.trim().to_owned() })
    }
}

/// An option that can be given by its name.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its name, without the dashes.
    pub long: &'static str,
    /// What help calls its value; nothing for a switch.
    pub value: &'static str,
    /// Whether it may be given several times.
    pub repeats: bool,
}

impl Known {
    /// Whether it is given without a value.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        self.value.is_empty()
    }

    /// As errors name it.
    fn shown(&self) -> String {
        if self.is_switch() {
            format!("--{}", self.long)
        } else {
            format!("--{} <{}>", self.long, self.value)
        }
    }
}

/// Options that can be given by their names, with values as they are typed on the command line.
pub trait ByName: Default {
    /// All of them, in the order in which help lists them.
    fn known() -> Vec<Known>;

    /// Gives one of them a value, or says what is wrong with it; nothing if there is none of this name.
    fn put(&mut self, long: &str, word: &str) -> Option<Result<(), String>>;

    /// Whether those that were given go together.
    ///
    /// # Errors
    /// Which do not, in the words of the command line.
    fn agree(&self) -> Result<(), String>;

    /// These options, by name; those that are not among them take their usual values from `usual`.
    ///
    /// # Errors
    /// If a value is wrong, or two do not go together.
    fn of(given: &[(&str, &str)], usual: &[(&'static str, String)]) -> Result<Self, String> {
        let mut options = Self::default();
        let absent = usual.iter().filter(|(long, _)| !given.iter().any(|(named, _)| named == long));
        let absent = absent.map(|(long, word)| (*long, word.as_str(), true));
        for (long, word, is_usual) in given.iter().map(|&(long, word)| (long, word, false)).chain(absent) {
            match options.put(long, word) {
                Some(done) => done?,
                // What is usual elsewhere may mean nothing here.
                None if is_usual => {}
                None => return Err(format!("unexpected argument '--{long}' found")),
            }
        }
        options.agree().map(|()| options)
    }

    /// The same from the words of a command: `-n 5 --ids random --unsound`.
    ///
    /// # Errors
    /// Likewise.
    fn of_words(words: &[&str], usual: &[(&'static str, String)]) -> Result<Self, String> {
        let known = Self::known();
        let mut given = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let long = if *word == "-n" { "nodes" } else { word.trim_start_matches('-') };
            let is_switch = known.iter().any(|known| known.long == long && known.is_switch());
            given.push((long, if is_switch { "" } else { words.next().copied().unwrap_or_default() }));
        }
        Self::of(&given, usual)
    }
}

/// Two options of which only one can be given.
fn exclusive<T: ByName>(first: (&str, bool), second: (&str, bool)) -> Result<(), String> {
    if !(first.1 && second.1) {
        return Ok(());
    }
    let shown = |long: &str| {
        T::known().iter().find(|known| known.long == long).map_or_else(String::new, Known::shown)
    };
    Err(format!("the argument '{}' cannot be used with '{}'", shown(first.0), shown(second.0)))
}

/// Where the value of an option goes.
trait Slot {
    type Item;
    const REPEATS: bool;
    fn is_full(&self) -> bool;
    fn fill(&mut self, item: Self::Item);
}

impl<T> Slot for Option<T> {
    type Item = T;
    const REPEATS: bool = false;
    fn is_full(&self) -> bool {
        self.is_some()
    }
    fn fill(&mut self, item: T) {
        *self = Some(item);
    }
}

impl<T> Slot for Vec<T> {
    type Item = T;
    const REPEATS: bool = true;
    fn is_full(&self) -> bool {
        false
    }
    fn fill(&mut self, item: T) {
        self.push(item);
    }
}

impl Slot for bool {
    type Item = ();
    const REPEATS: bool = false;
    fn is_full(&self) -> bool {
        *self
    }
    fn fill(&mut self, (): ()) {
        *self = true;
    }
}

fn fill<S: Slot>(
    slot: &mut S,
    known: Known,
    word: &str,
    parse: impl Fn(&str) -> Result<S::Item, String>,
) -> Result<(), String> {
    if slot.is_full() {
        return Err(format!("the argument '{}' cannot be used multiple times", known.shown()));
    }
    let item = parse(word).map_err(|why| {
        let gap = if why.starts_with('[') { "" } else { ":" };
        format!("invalid value '{word}' for '{}'{gap} {why}", known.shown())
    })?;
    slot.fill(item);
    Ok(())
}

/// A switch is on as soon as it is there.
fn on(_: &str) -> Result<(), String> {
    Ok(())
}

/// One of a few names.
fn one_of<T: Copy>(text: &str, known: &[(&'static str, T)]) -> Result<T, String> {
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        format!("[possible values: {}]", names.join(", "))
    })
}

/// A table of options: field, type, name, name of the value, how a word is read.
macro_rules! options {
    ($(#[$about:meta])* $name:ident $([$($inner:ident: $type:ty),*])?
     { $($field:ident: $kind:ty = $long:literal $value:literal $parse:expr;)* }) => {
        $(#[$about])*
        #[derive(Clone, Default, Debug)]
        pub struct $name {
            $(#[doc = concat!("`--", $long, "`.")] pub $field: $kind,)*
            $($(#[doc = "What other commands have, too."] pub $inner: $type,)*)?
        }

        impl $name {
            pub(super) fn listed() -> Vec<$crate::options::Known> {
                #[allow(unused_mut, reason = "not all have others inside")]
                let mut all = vec![$($crate::options::Known {
                    long: $long,
                    value: $value,
                    repeats: <$kind as $crate::options::Slot>::REPEATS,
                }),*];
                $($(all.extend(<$type>::listed());)*)?
                all
            }

            pub(super) fn take(&mut self, long: &str, word: &str) -> Option<Result<(), String>> {
                match long {
                    $($long => {
                        let repeats = <$kind as $crate::options::Slot>::REPEATS;
                        let known = $crate::options::Known { long: $long, value: $value, repeats };
                        Some($crate::options::fill(&mut self.$field, known, word, $parse))
                    })*
                    _ => None$($(.or_else(|| self.$inner.take(long, word)))*)?,
                }
            }
        }
    };
}
use options;

/// Words as a line that a shell takes apart into the same words.
#[must_use]
pub fn quoted(program: &str, words: &[String]) -> String {
    let mut line = program.to_owned();
    for word in words {
        let safe = |c: char| c.is_alphanumeric() || "-_@%+=:,./^".contains(c);
        line.push(' ');
        if !word.is_empty() && word.chars().all(safe) {
            line.push_str(word);
        } else {
            line.push('\'');
            line.push_str(&word.replace('\'', r"'\''"));
            line.push('\'');
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_by_name_say_themselves_again() {
        let given =
            [("ids", "3,7, 4"), ("meter", "bits,load"), ("unsound", ""), ("crash", "0@2"), ("crash", "1@3")];
        let options = RunOptions::of(&given, &[("max-steps", "1k".into()), ("budget", "1".into())]).unwrap();
        let again = quoted("ringleader", &options.again("peterson", None, Some(1)));
        assert_eq!(
            again,
            "ringleader run peterson --ids '3,7, 4' --crash 0@2 --crash 1@3 --meter bits,load --max-steps 1000 \
             --seed 1 --unsound"
        );
        let given = [("nodes", "9"), ("search", ""), ("budget", "1k"), ("schedule", "rounds")];
        let worst = WorstOptions::of(&given, &[("seed", "4".into())]).unwrap().again("lcr", 9).join(" ");
        assert_eq!(worst, "worst lcr -n 9 --search --budget 1000 --schedule rounds --seed 4");
        let words = ["-n", "5", "--all-ids", "--reduce", "none"];
        let check = CheckOptions::of_words(&words, &[]).unwrap().again("lcr", Some(5)).join(" ");
        assert_eq!(check, "check lcr -n 5 --reduce none --all-ids");
    }

    #[test]
    fn what_is_wrong_with_options_is_said_as_on_the_command_line() {
        for (given, said) in [
            (
                vec![("links", "x")],
                "invalid value 'x' for '--links <LINKS>' [possible values: fifo, bag, half-duplex]",
            ),
            (vec![("range", "-1")], "invalid value '-1' for '--range <K>': a whole number"),
            (vec![("seed", "1"), ("seed", "2")], "the argument '--seed <S>' cannot be used multiple times"),
            (vec![("total", "9")], "the following required arguments were not provided: --load <KIND>"),
            (
                vec![("load", "light"), ("entries", "2")],
                "the argument '--load <KIND>' cannot be used with '--entries <K|LIST>'",
            ),
            (vec![("sizes", "8")], "unexpected argument '--sizes' found"),
        ] {
            let wrong = RunOptions::of(&given, &[]).expect_err("it is wrong");
            assert!(wrong.starts_with(said), "{wrong}");
        }
        let both = WorstOptions::of(&[("exact", ""), ("search", "")], &[]).expect_err("one or the other");
        assert_eq!(both, "the argument '--exact' cannot be used with '--search'");
        let both = CheckOptions::of(&[("all-ids", ""), ("ids", "worst")], &[]).expect_err("one or the other");
        assert_eq!(both, "the argument '--all-ids' cannot be used with '--ids <LIST|@FILE|KIND>'");
    }
}
