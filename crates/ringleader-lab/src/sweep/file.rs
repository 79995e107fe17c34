//! The sweep file: TOML, with the place of every mistake.

use super::grid::{Axis, Value, Words};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The schema that a sweep file may name.
pub const SWEEP_SCHEMA: &str = "ringleader.sweep/1";

/// A place in the file, in bytes.
pub type Span = Range<usize>;

/// What is wrong with a file, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// Where, if it is somewhere.
    pub place: Option<Span>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Mistake {
    /// A mistake that is nowhere yet.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Mistake {
        Mistake { message: message.into(), place: None, help: None }
    }

    /// The same at this place.
    #[must_use]
    pub fn at(self, place: Option<Span>) -> Mistake {
        Mistake { place, ..self }
    }

    /// The same with advice.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Mistake {
        Mistake { help: Some(help.into()), ..self }
    }
}

/// A sweep as its file describes it. Whether the options exist and what they may take is not known here.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SweepFile {
    /// What is varied and what is fixed (an axis with one value), in the order of the file.
    pub axes: Vec<Axis>,
    /// The file that the rows go to.
    pub output: Option<String>,
    /// Whether rows say how long their run took: these columns are never the same twice.
    pub timing: bool,
    /// Whether runs that violate something are recorded.
    pub traces: bool,
    /// Whether combinations that are refused are left out, rather than an error.
    pub skip_impossible: bool,
}

impl SweepFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is no TOML, or says something that a sweep file does not say.
    pub fn parse(text: &str) -> Result<SweepFile, Mistake> {
        let root = DeTable::parse(text)
            .map_err(|error| Mistake::new(error.message().replace('\n', ", ")).at(error.span()))?;
        let mut file = SweepFile::default();
        for (key, value) in in_order(root.get_ref()) {
            match key.get_ref().as_ref() {
                "schema" => schema(value)?,
                "grid" => section(&mut file.axes, table(key, value)?, several)?,
                "fixed" => section(&mut file.axes, table(key, value)?, |value| Ok(vec![one(value)?]))?,
                "output" => file.output(table(key, value)?)?,
                "impossible" => {
                    file.skip_impossible = choice(value, &[("refuse", false), ("skip", true)])?;
                }
                other => {
                    return Err(unknown(key, other, &["grid", "fixed", "output", "impossible", "schema"]));
                }
            }
        }
        if file.axes.is_empty() {
            return Err(Mistake::new("there is nothing to run: no [grid]").help(EXAMPLE));
        }
        Ok(file)
    }

    /// `[output]`.
    fn output(&mut self, section: &DeTable<'_>) -> Result<(), Mistake> {
        for (key, value) in in_order(section) {
            match key.get_ref().as_ref() {
                "file" => self.output = Some(string(value)?.to_owned()),
                "timing" => {
                    let expected = || wrong(value, "true or false");
                    self.timing = value.get_ref().as_bool().ok_or_else(expected)?;
                }
                "trace" => self.traces = choice(value, &[("never", false), ("on-violation", true)])?,
                other => return Err(unknown(key, other, &["file", "timing", "trace"])),
            }
        }
        Ok(())
    }

    /// Replaces what the file says of an option, or adds it: `KEY=VALUE,VALUE`.
    ///
    /// # Errors
    /// If it is not of that form.
    pub fn replace(&mut self, text: &str) -> Result<(), Mistake> {
        let given = text.split_once('=').filter(|(key, values)| !key.is_empty() && !values.is_empty());
        let Some((key, values)) = given else {
            return Err(Mistake::new(format!("`{text}` is no KEY=VALUES"))
                .help("such as n=64,256 or seed=0..99 or ids=random,worst"));
        };
        let key = canonical(key);
        let mut axis = Axis { key: key.to_owned(), place: None, values: Vec::new() };
        for word in values.split(',') {
            axis.values.extend(expand(key, word, None)?);
        }
        match self.axes.iter_mut().find(|axis| axis.key == key) {
            Some(known) => *known = axis,
            None => self.axes.push(axis),
        }
        Ok(())
    }
}

/// A small file to begin with.
const EXAMPLE: &str = "[grid]
algorithm = [\"peterson\", \"franklin\"]
n = \"64..1024\"
seed = { range = [0, 10] }";

/// The entries of a table in the order of the file.
fn in_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<toml::de::DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// `[grid]` or `[fixed]`: options, and the settings of the algorithm's own.
fn section(
    axes: &mut Vec<Axis>,
    section: &DeTable<'_>,
    values: fn(&Keyed<'_, '_>) -> Result<Vec<Value>, Mistake>,
) -> Result<(), Mistake> {
    let mut add = |key: String, place: Span, value: &Spanned<DeValue<'_>>| {
        if axes.iter().any(|axis| axis.key == key) {
            return Err(Mistake::new(format!("`{key}` is given twice")).at(Some(place)));
        }
        let values = values(&Keyed { key: &key, value })?;
        axes.push(Axis { key, place: Some(place), values });
        Ok(())
    };
    for (key, value) in in_order(section) {
        if key.get_ref() == "set" {
            for (name, value) in in_order(table(key, value)?) {
                add(format!("set.{}", name.get_ref()), name.span(), value)?;
            }
        } else {
            add(canonical(key.get_ref()).to_owned(), key.span(), value)?;
        }
    }
    Ok(())
}

/// Some options have a short name.
fn canonical(key: &str) -> &str {
    if key == "n" { "nodes" } else { key }
}

/// A value, and what it is for.
struct Keyed<'v, 'i> {
    key: &'v str,
    value: &'v Spanned<DeValue<'i>>,
}

/// The values of an axis: a list, a range, or one.
fn several(given: &Keyed<'_, '_>) -> Result<Vec<Value>, Mistake> {
    let Keyed { key, value } = given;
    match value.get_ref() {
        DeValue::Array(items) => {
            let mut values = Vec::new();
            for item in items.iter() {
                match item.get_ref() {
                    DeValue::Array(_) => values.push(one(&Keyed { key, value: item })?),
                    DeValue::String(word) => values.extend(expand(key, word, Some(item.span()))?),
                    DeValue::Integer(_)
                    | DeValue::Float(_)
                    | DeValue::Boolean(_)
                    | DeValue::Datetime(_)
                    | DeValue::Table(_) => values.push(one(&Keyed { key, value: item })?),
                }
            }
            if values.is_empty() {
                return Err(Mistake::new(format!("`{key}` has no values")).at(Some(value.span())));
            }
            Ok(values)
        }
        DeValue::Table(range) => ranged(value, range),
        DeValue::String(word) => expand(key, word, Some(value.span())),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
            Ok(vec![one(given)?])
        }
    }
}

/// A word that may stand for several: `0..99` for seeds, `10..1e6` for sizes, both ends included.
fn expand(key: &str, word: &str, place: Option<Span>) -> Result<Vec<Value>, Mistake> {
    let value = |word: String| Value { words: Words::One(word), place: place.clone() };
    if key == "seed"
        && let Some((from, to)) = word.split_once("..")
    {
        let bad = || {
            Mistake::new(format!("`{word}` is no range of seeds")).at(place.clone()).help("such as \"0..99\"")
        };
        let number = |text: &str| text.replace('_', "").parse::<u64>().map_err(|_| bad());
        let (from, to) = (number(from)?, number(to)?);
        if from > to || to - from >= super::Grid::RUNS_MAX {
            return Err(bad());
        }
        return Ok((from..=to).map(|seed| value(seed.to_string())).collect());
    }
    if key == "nodes" && word.contains("..") {
        let sizes = crate::sizes::Sizes::parse(word)
            .map_err(|why| Mistake::new(format!("`{word}`: {why}")).at(place.clone()))?;
        return Ok(sizes.as_slice().iter().map(|n| value(n.to_string())).collect());
    }
    Ok(vec![value(word.to_owned())])
}

/// One value: a word, a switch, or several words together.
fn one(given: &Keyed<'_, '_>) -> Result<Value, Mistake> {
    let value = given.value;
    let words = match value.get_ref() {
        DeValue::Boolean(on) => Words::Flag(*on),
        DeValue::Array(items) => {
            Words::Several(items.iter().map(word).collect::<Result<Vec<String>, Mistake>>()?)
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Datetime(_)
        | DeValue::Table(_) => Words::One(word(value)?),
    };
    Ok(Value { words, place: Some(value.span()) })
}

/// A value as a word of the command line.
fn word(value: &Spanned<DeValue<'_>>) -> Result<String, Mistake> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().replace('_', "")),
        DeValue::Integer(_) => Err(wrong(value, "a decimal number")),
        DeValue::Float(number) => Ok(number.as_str().replace('_', "")),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            Err(wrong(value, "a number or a string"))
        }
    }
}

/// `{ range = [0, 100] }` (without its end, as in Python), `{ pow2 = [6, 20] }`, `{ pow10 = [1, 6] }` (both ends).
fn ranged(whole: &Spanned<DeValue<'_>>, range: &DeTable<'_>) -> Result<Vec<Value>, Mistake> {
    let entries = in_order(range);
    let [(kind, ends)] = entries.as_slice() else {
        return Err(wrong(whole, "one of { range = [0, 100] }, { pow2 = [6, 20] }, { pow10 = [1, 6] }"));
    };
    let numbers = integers(ends)?;
    let expected = |what: &str| wrong(ends, what);
    let numbers: Vec<u64> = match (kind.get_ref().as_ref(), numbers.as_slice()) {
        ("range", &[from, to]) if from < to && to - from <= super::Grid::RUNS_MAX => (from..to).collect(),
        ("range", &[from, to, step])
            if from < to && step > 0 && (to - from) / step <= super::Grid::RUNS_MAX =>
        {
            (from..to).step_by(usize::try_from(step).unwrap_or(usize::MAX)).collect()
        }
        ("range", _) => return Err(expected("[from, before] or [from, before, step], going up")),
        ("pow2", &[from, to]) if from <= to && to < 64 => (from..=to).map(|power| 1 << power).collect(),
        ("pow2", _) => return Err(expected("[first, last] exponents of 2, going up")),
        ("pow10", &[from, to]) if from <= to && to < 20 => {
            (from..=to).map(|power| 10u64.pow(power as u32)).collect()
        }
        ("pow10", _) => return Err(expected("[first, last] exponents of 10, going up")),
        (other, _) => return Err(unknown(kind, other, &["range", "pow2", "pow10"])),
    };
    let value = |number: u64| Value { words: Words::One(number.to_string()), place: Some(ends.span()) };
    Ok(numbers.into_iter().map(value).collect())
}

fn integers(value: &Spanned<DeValue<'_>>) -> Result<Vec<u64>, Mistake> {
    let expected = || wrong(value, "a list of whole numbers, such as [0, 100]");
    let items = value.get_ref().as_array().ok_or_else(expected)?;
    let number = |item: &Spanned<DeValue<'_>>| {
        let integer = item.get_ref().as_integer().filter(|integer| integer.radix() == 10);
        integer
            .and_then(|integer| integer.as_str().replace('_', "").parse().ok())
            .ok_or_else(|| wrong(item, "a whole number, not negative"))
    };
    items.iter().map(number).collect()
}

fn schema(value: &Spanned<DeValue<'_>>) -> Result<(), Mistake> {
    if string(value)? == SWEEP_SCHEMA {
        return Ok(());
    }
    Err(Mistake::new(format!("this program reads `{SWEEP_SCHEMA}`")).at(Some(value.span())))
}

fn choice(value: &Spanned<DeValue<'_>>, choices: &[(&str, bool)]) -> Result<bool, Mistake> {
    let given = string(value)?;
    let found = choices.iter().find(|(name, _)| *name == given);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        wrong(value, &names.join(" or "))
    })
}

fn string<'v>(value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, Mistake> {
    value.get_ref().as_str().ok_or_else(|| wrong(value, "a string"))
}

fn table<'v, 'i>(
    key: &Spanned<toml::de::DeString<'i>>,
    value: &'v Spanned<DeValue<'i>>,
) -> Result<&'v DeTable<'i>, Mistake> {
    let key = key.get_ref();
    value.get_ref().as_table().ok_or_else(|| wrong(value, &format!("a table: [{key}]")))
}

fn wrong(value: &Spanned<DeValue<'_>>, expected: &str) -> Mistake {
    let found = value.get_ref().type_str();
    let article = if found.starts_with(['a', 'i', 'o', 'u']) { "an" } else { "a" };
    Mistake::new(format!("expected {expected}, found {article} {found}")).at(Some(value.span()))
}

fn unknown(key: &Spanned<toml::de::DeString<'_>>, given: &str, known: &[&str]) -> Mistake {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    Mistake::new(format!("there is no `{given}` here, only {}", known.join(", "))).at(Some(key.span()))
}

#[cfg(test)]
mod tests;
