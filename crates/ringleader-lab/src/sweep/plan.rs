//! From the sweep file to configurations: each combination is understood, and held against the contract, before
//! anything runs.

use super::file::{Mistake, SweepFile};
use super::grid::{Axis, Grid, Value};
use super::options::Options;
use super::rows::Columns;
use super::source::Source;
use crate::options::{RunOptions, quoted};
use crate::plan::{self, PlannedRun, memory};
use crate::table::{Format, refuse_large};
use crate::{App, Diagnostic, Spot};
use ringleader::registry::{Entry, find};
use ringleader::rng::mix;
use ringleader::sim::Ids;
use std::path::Path;

/// A sweep that can be run.
pub struct Sweep {
    /// The file.
    pub file: SweepFile,
    /// Its combinations.
    pub grid: Grid,
    /// The combinations that can be run, in order. Each is run with every seed.
    pub configurations: Vec<Configuration>,
    /// What is varied, and how much: `4 algorithm`.
    pub varied: Vec<(String, usize)>,
    /// How many combinations were left out.
    pub skipped: u64,
    /// What identifies it: the runs, in order, and the program.
    pub name: String,
}

/// One combination of everything but the seed.
pub struct Configuration {
    /// The algorithm.
    pub entry: &'static Entry,
    /// Its options.
    pub options: RunOptions,
    /// What is run.
    pub plan: PlannedRun,
    /// What the file says of it.
    pub asked: Vec<(String, String)>,
}

impl Configuration {
    /// The command that repeats its run with this seed.
    #[must_use]
    pub fn again(&self, app: &App, seed: u64) -> String {
        // A list of identities says how many there are.
        let n = (!matches!(self.plan.scenario.ids, Ids::Listed(_))).then_some(self.plan.scenario.n);
        quoted(&app.program, &self.options.again(self.entry.spec.name, n, Some(seed)))
    }

    /// About how many messages it sends.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let n = u64::from(self.plan.scenario.n);
        let facts = ringleader::model::Facts::plain(n);
        let cost = &self.entry.spec.cost;
        let average = cost.average.and_then(|average| (average.value)(&facts)).map(|value| value as u64);
        let bound = || cost.worst.and_then(|bound| bound.value(&facts));
        average.or_else(bound).unwrap_or(n * u64::from(n.max(2).ilog2())).max(n).max(1)
    }
}

impl Sweep {
    /// Understands the file, with these values instead of some of its own.
    ///
    /// # Errors
    /// If it cannot be read, or what it asks for cannot be run.
    pub fn new(app: &App, path: &Path, replace: &[String]) -> Result<Sweep, Diagnostic> {
        Sweep::of(app, &Source::read(path)?, replace)
    }

    /// The same from a text; errors speak of it by this name.
    ///
    /// # Errors
    /// Likewise.
    pub fn from_text(app: &App, name: &str, text: &str, replace: &[String]) -> Result<Sweep, Diagnostic> {
        Sweep::of(app, &Source::named(name, text), replace)
    }

    fn of(app: &App, source: &Source, replace: &[String]) -> Result<Sweep, Diagnostic> {
        let mut file = SweepFile::parse(&source.text).map_err(|mistake| source.explain(mistake))?;
        for replaced in replace {
            file.replace(replaced).map_err(|mistake| {
                let error = Diagnostic::input("bad_sweep", mistake.message);
                mistake.help.into_iter().fold(error, Diagnostic::help)
            })?;
        }
        let options = Options::new(app);
        for axis in &file.axes {
            options.check(axis).map_err(|mistake| source.explain(mistake))?;
        }
        if !file.axes.iter().any(|axis| axis.key == "algorithm") {
            let mistake = Mistake::new("no algorithm is named").help("[grid]\nalgorithm = [\"peterson\"]");
            return Err(source.explain(mistake));
        }
        let varied = (file.axes.iter())
            .filter(|axis| axis.values.len() > 1 || axis.key == "seed")
            .map(|axis| (axis.key.clone(), axis.values.len()))
            .collect();
        let grid = Grid::new(file.axes.clone()).map_err(|mistake| source.explain(mistake))?;
        let mut configurations = Vec::new();
        let mut skipped = 0;
        for number in 0..grid.configurations() {
            let values = grid.configuration(number);
            match configuration(app, &options, source, grid.axes(), &values) {
                Ok(configuration) => configurations.push(configuration),
                Err(Trouble::Impossible(_)) if file.skip_impossible => skipped += 1,
                Err(Trouble::Impossible(error)) => {
                    let help =
                        "combinations that cannot be run are left out with this line at the top of the file:";
                    return Err(error.help(help).help("  impossible = \"skip\""));
                }
                Err(Trouble::Wrong(error)) => return Err(error),
            }
        }
        if configurations.is_empty() {
            let mistake = Mistake::new("none of the combinations can be run");
            return Err(source.explain(mistake));
        }
        let mut sweep = Sweep { file, grid, configurations, varied, skipped, name: String::new() };
        sweep.name = sweep.fingerprint(app);
        Ok(sweep)
    }

    /// How many runs there are.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.configurations.len() as u64 * self.grid.seeds().len() as u64
    }

    /// The configuration and the seed of a run.
    #[must_use]
    pub fn run(&self, run: u64) -> (&Configuration, u64) {
        let (configuration, seed) = self.grid.run(run);
        (&self.configurations[configuration as usize], seed)
    }

    /// The columns of its rows where they are a table: of all its runs, so that every shard has the same.
    #[must_use]
    pub fn columns(&self) -> Columns {
        let mut columns = Columns::default();
        let mut last = None;
        for configuration in &self.configurations {
            let form = configuration.entry.with_settings(&configuration.plan.scenario.settings);
            // Neighbours are mostly of one algorithm.
            if last.replace(form.spec.name) != Some(form.spec.name) {
                let asked: Vec<&str> = configuration.asked.iter().map(|(key, _)| key.as_str()).collect();
                columns.expect((form.problem, form.spec.stabilises()), form.kinds, &asked);
            }
        }
        columns
    }

    /// Refuses seeds and identities that are too large for this format.
    ///
    /// # Errors
    /// If there are such.
    pub fn fits(&self, format: Format) -> Result<(), Diagnostic> {
        let ids =
            self.configurations.iter().flat_map(|configuration| match &configuration.plan.scenario.ids {
                Ids::Listed(ids) => ids.as_slice(),
                Ids::Default | Ids::Random | Ids::Arranged(_) | Ids::Worst => &[],
            });
        refuse_large(format, self.grid.seeds().iter().map(|&seed| ("seed", seed)))?;
        refuse_large(format, ids.map(|&id| ("identity", id)))
    }

    /// Equal for equal runs by the same version, different otherwise.
    fn fingerprint(&self, app: &App) -> String {
        let mut hash = Fingerprint(0);
        hash.add(&app.version());
        hash.add(&format!("{} {}", self.file.timing, self.file.traces));
        for configuration in &self.configurations {
            hash.add(&configuration.again(app, 0));
            configuration.asked.iter().for_each(|(key, value)| hash.add(&format!("{key}={value}")));
            // A file of identities may change, and keep its name.
            if let Ids::Listed(ids) = &configuration.plan.scenario.ids {
                ids.iter().for_each(|&id| hash.mix(id));
            }
        }
        self.grid.seeds().iter().for_each(|&seed| hash.mix(seed));
        format!("{:016x}", hash.0)
    }
}

struct Fingerprint(u64);

impl Fingerprint {
    fn mix(&mut self, number: u64) {
        self.0 = mix(self.0 ^ mix(number));
    }

    fn add(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.mix(u64::from(byte)));
        self.mix(u64::MAX);
    }
}

/// Why a combination is not run.
enum Trouble {
    /// The contract excludes it, or there is no such thing.
    Impossible(Diagnostic),
    /// The file is wrong.
    Wrong(Diagnostic),
}

fn configuration(
    app: &App,
    options: &Options<'_>,
    source: &Source,
    axes: &[Axis],
    values: &[&Value],
) -> Result<Configuration, Trouble> {
    let placed = |error: Diagnostic| shown(error, source, axes, values);
    let mut given = Vec::new();
    let mut name = String::new();
    for (axis, value) in axes.iter().zip(values) {
        if axis.key == "algorithm" {
            name = value.words.text();
        } else {
            options.say(&axis.key, value, &mut given);
        }
    }
    let Some(entry) = find(app.registry, &name) else {
        let error = plan::unknown_algorithm(app, &name);
        let value = axes.iter().zip(values).find(|(axis, _)| axis.key == "algorithm").map(|(_, value)| value);
        let place = value.and_then(|value| value.place.clone());
        return Err(Trouble::Wrong(match place {
            Some(place) => error.at(source.name.clone(), vec![Spot::of(&source.text, &place, "here")]),
            None => error,
        }));
    };
    given.push(("seed".to_owned(), "0".to_owned()));
    let options = options
        .parse(&given)
        .map_err(|why| Trouble::Impossible(placed(Diagnostic::input("bad_sweep", why))))?;
    let plan = plan::run(entry, &options).map_err(|error| Trouble::Wrong(placed(error)))?;
    memory::check(entry, &plan.scenario).map_err(|error| Trouble::Impossible(placed(error)))?;
    // What the contract excludes is refused here, not after an hour.
    if let Err(refused) = entry.admits(&plan.scenario) {
        let form = entry.with_settings(&plan.scenario.settings);
        let error = plan::explain(app, form, &plan.asked(Some(&options)), &refused);
        return Err(Trouble::Impossible(placed(error)));
    }
    let asked = axes.iter().zip(values).map(|(axis, value)| (axis.key.clone(), value.words.text())).collect();
    Ok(Configuration { entry, options, plan, asked })
}

/// The error with the places of the options that it speaks of; of the algorithm, if it speaks of none.
fn shown(error: Diagnostic, source: &Source, axes: &[Axis], values: &[&Value]) -> Diagnostic {
    let place = |chosen: &dyn Fn(&Axis) -> bool| {
        let chosen = axes.iter().zip(values).filter(|(axis, _)| chosen(axis));
        let label = |(axis, value): (&Axis, &&Value)| {
            let said = format!("{} = {}", axis.key, value.words.text());
            value.place.as_ref().map(|place| Spot::of(&source.text, place, said))
        };
        chosen.filter_map(label).collect::<Vec<_>>()
    };
    let algorithm = |axis: &Axis| axis.key == "algorithm";
    let mut labels = place(&|axis| algorithm(axis) || error.mentions(&axis.key));
    // One place on each line is shown.
    labels.sort_by_key(|label| (label.line, label.column));
    labels.dedup_by_key(|label| label.line);
    if labels.is_empty() { error } else { error.at(source.name.clone(), labels) }
}
