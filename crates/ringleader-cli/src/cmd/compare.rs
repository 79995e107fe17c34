//! `ringleader compare ALGORITHM ALGORITHM ...`: the same arrangements and seeds for all.

#[cfg(feature = "page")]
mod page;

#[cfg(feature = "page")]
pub(crate) use page::for_page;

use super::find;
use super::run::without_effect;
use crate::args::{CompareArgs, Given, IdsArg, LoadArg, RunArgs, ScheduleArg, quoted};
use crate::console::Console;
use crate::error::{Diagnostic, Failure};
use crate::output::{Output, unwritten};
use crate::progress::ShareBar;
use crate::report::compare::{Compared, figure, json, notes, rows, text};
use crate::scenario::{Plan, drawn_seed, plan};
use crate::sweep::refuse_large;
use crate::{App, features, memory, refusal};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Load, Refusal, Scenario};
use ringleader_lab::compare::{Cell, Comparison, Place, Progress, admits, is_random, run as run_all};
use ringleader_lab::sizes::Sizes;
use ringleader_lab::table::Format;
use std::io::Write;
use std::path::Path;

/// How many runs of each size there are when nobody says otherwise.
const RUNS_DEFAULT: u32 = 10;
/// A run that is likely to send more is not made when nobody says otherwise.
const MESSAGES_MAX: u64 = 1_000_000_000;
pub(crate) fn run(app: &App, args: &CompareArgs, console: &mut Console<'_>) -> Result<u8, Failure> {
    let asked = Asked::new(app, args)?;
    let picture = args.plot.as_deref().map(picture_format).transpose()?;
    let format = args.output.as_deref().map(table_format).transpose()?;
    let typed = |option: &str, path: Option<&Path>| {
        let path = path.map_or_else(String::new, |path| path.display().to_string());
        asked.again.iter().cloned().chain([option.to_owned(), path]).collect::<Vec<String>>()
    };
    if let Some(Picture::Png) = picture {
        features::has_png(app, &typed("--plot", args.plot.as_deref()))?;
    }
    if let Some(format) = format {
        features::has_format(app, format, &typed("--output", args.output.as_deref()))?;
        asked.fits(format)?;
    }
    // A comparison may take an hour: whether its files can be written is found out now.
    let claim = |path: Option<&Path>| path.map(|path| Output::claim(path, args.force)).transpose();
    let (plot_file, table_file) = (claim(args.plot.as_deref())?, claim(args.output.as_deref())?);

    let bar = ShareBar::new(console.bars && !console.quiet && !console.json);
    let cells = asked.measure(args.max_messages.unwrap_or(MESSAGES_MAX), &|progress| {
        bar.update(progress.share, &format!("n = {}, {} runs", progress.nodes, progress.runs));
    });
    bar.finish();
    let cells = cells?;

    let compared = Compared::new(&asked, &cells);
    if !console.quiet && !console.json {
        notes(&compared, console.err)?;
        let given = &args.environment;
        let given = (given.initiators.is_some(), given.range.is_some(), given.orientation.is_some());
        for entry in &asked.algorithms {
            for note in without_effect(entry, given, "see --entries and --wants") {
                writeln!(console.err, "note: {note}")?;
            }
        }
    }
    if let (Some(file), Some(picture), Some(path)) = (plot_file, picture, args.plot.as_deref()) {
        let plot = figure::plot(&compared, args.per);
        let bytes = match picture {
            Picture::Svg => plot.svg().into_bytes(),
            Picture::Html => plot.html(&figure::table(&compared), &compared.again).into_bytes(),
            Picture::Png => plot.png().map_err(|why| {
                Diagnostic::new("ringleader::no_picture", 4, format!("cannot draw the plot: {why}"))
                    .help("an .svg needs no fonts and no pixels")
            })?,
        };
        written(file, path, |file| file.write_all(&bytes))?;
    }
    if let (Some(file), Some(format), Some(path)) = (table_file, format, args.output.as_deref()) {
        match format {
            Format::Json => written(file, path, |file| writeln!(file, "{}", json(&compared, true)))?,
            Format::Csv | Format::Parquet | Format::Jsonl | Format::Markdown => {
                let file = rows(&compared, format, file).map_err(|error| unwritten(path, &error))?;
                file.finish()?;
            }
        }
    }
    if console.json {
        writeln!(console.out, "{}", json(&compared, false))?;
    } else {
        text(&compared, console.out)?;
    }
    Ok(compared.exit_code())
}

fn written(
    mut file: Output,
    path: &Path,
    write: impl FnOnce(&mut Output) -> std::io::Result<()>,
) -> Result<(), Diagnostic> {
    write(&mut file).map_err(|error| unwritten(path, &error))?;
    file.finish()
}

/// A kind of picture.
#[derive(Clone, Copy)]
enum Picture {
    Svg,
    Png,
    Html,
}

fn picture_format(path: &Path) -> Result<Picture, Diagnostic> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "svg" => Ok(Picture::Svg),
        "png" => Ok(Picture::Png),
        "html" => Ok(Picture::Html),
        _ => Err(unknown_ending("--plot", path, "svg, png, html")),
    }
}

fn table_format(path: &Path) -> Result<Format, Diagnostic> {
    Format::of(path).ok_or_else(|| unknown_ending("-o", path, &Format::NAMES.join(", ")))
}

fn unknown_ending(option: &str, path: &Path, known: &str) -> Diagnostic {
    let message = format!("{option} {}: the ending of the name does not say what to write", path.display());
    Diagnostic::input("ringleader::unknown_format", message).help(format!("it is one of {known}"))
}

/// What is to be compared, resolved.
pub(crate) struct Asked<'a> {
    pub(crate) app: &'a App,
    /// The arguments as they were given, for what is wrong with them.
    given: CompareArgs,
    /// The arguments with identities from a file listed in them: it is read once.
    pub(crate) args: CompareArgs,
    pub(crate) algorithms: Vec<&'static Entry>,
    pub(crate) problem: Problem,
    pub(crate) sizes: Vec<u32>,
    /// The loads; one that is none where there is nothing to choose.
    pub(crate) loads: Vec<Option<Given<LoadArg>>>,
    pub(crate) seed: u64,
    /// The words of the command that repeats it.
    pub(crate) again: Vec<String>,
}

impl<'a> Asked<'a> {
    fn new(app: &'a App, args: &CompareArgs) -> Result<Asked<'a>, Diagnostic> {
        let mut algorithms: Vec<&'static Entry> = Vec::new();
        for name in &args.names {
            let entry = find(app, name)?;
            if algorithms.iter().any(|known| known.spec.name == entry.spec.name) {
                let message = format!("`{}` is named twice", entry.spec.name);
                return Err(Diagnostic::input("ringleader::named_twice", message).help("name each once"));
            }
            algorithms.push(entry);
        }
        let problem = one_problem(app, &algorithms)?;
        if let Some(ScheduleArg::Replay(path)) = args.environment.schedule.as_ref().map(|given| &given.value)
        {
            let message = "a recording is of one run; a comparison makes its own";
            return Err(Diagnostic::input("ringleader::no_replay_here", message)
                .help("to repeat the recorded run:")
                .command(quoted(&app.program, &["replay".into(), path.display().to_string()]), ""));
        }
        let unknown = |(name, _): &(String, String)| !algorithms.iter().any(|entry| args.knows(entry, name));
        if let Some((name, _)) = args.settings.pairs().into_iter().find(unknown) {
            let message = format!("none of these algorithms has a setting `{name}`");
            return Err(Diagnostic::input("ringleader::bad_setting", message)
                .help("the settings of an algorithm, if it has any, are told by:")
                .command(format!("{} show {}", app.program, algorithms[0].spec.name), ""));
        }
        let given = args.clone();
        let mut args = args.clone();
        if let Some(given) = &mut args.environment.ids
            && let IdsArg::File(path) = &given.value
        {
            given.value = IdsArg::Listed(crate::ids_file::read(path)?);
        }
        let (sizes, said) = sizes(&args, problem)?;
        let loads = loads(&args, problem);
        let seed = args.seed.unwrap_or_else(drawn_seed);
        let again = args.again(&algorithms, &said, seed);
        Ok(Asked { app, given, args, algorithms, problem, sizes, loads, seed, again })
    }

    /// Refuses seeds and identities that are too large for this format.
    fn fits(&self, format: Format) -> Result<(), Diagnostic> {
        let runs = self.places().map(|place| self.runs(place)).max().unwrap_or(1);
        let seeds = [0, runs.saturating_sub(1)].map(|run| ("seed", self.seed.wrapping_add(u64::from(run))));
        let ids = match self.args.environment.ids.as_ref().map(|given| &given.value) {
            Some(IdsArg::Listed(ids)) => ids.as_slice(),
            Some(IdsArg::Random | IdsArg::Arranged(_) | IdsArg::Worst | IdsArg::File(_)) | None => &[],
        };
        refuse_large(format, seeds.into_iter().chain(ids.iter().map(|&id| ("identity", id))))
    }

    /// Makes all runs.
    fn measure(
        &self,
        max_messages: u64,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Vec<Cell>, Diagnostic> {
        let scenario = |place: Place, run: u32| self.plan(place, run).map(|plan| plan.scenario);
        // What can go wrong in a plan goes wrong here, before anything runs.
        for place in self.places() {
            let (entry, one) = self.first(place);
            plan(entry, &one)?;
        }
        let fixed =
            |place: Place, run: u32| scenario(place, run).unwrap_or_else(|_| Scenario::new(place.nodes));
        let threads = self.args.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(1))
        });
        let comparison = Comparison {
            algorithms: &self.algorithms,
            loads: self.loads.len(),
            sizes: &self.sizes,
            runs: &|place| self.runs(place),
            scenario: &fixed,
            fits: &|place| memory::fits(self.algorithms[place.algorithm], &fixed(place, 0), threads),
            max_messages: max_messages as f64,
            threads,
        };
        admits(&comparison).map_err(|(place, refused)| self.refusal(place, &refused))?;
        run_all(&comparison, progress).map_err(|(place, refused)| self.refusal(place, &refused))
    }

    fn places(&self) -> impl Iterator<Item = Place> {
        let series = (0..self.algorithms.len())
            .flat_map(|algorithm| (0..self.loads.len()).map(move |load| Place { algorithm, load, nodes: 0 }));
        series.flat_map(|place| self.sizes.iter().map(move |&nodes| Place { nodes, ..place }))
    }

    /// One run, as `run` would make it.
    pub(crate) fn plan(&self, place: Place, run: u32) -> Result<Plan, Diagnostic> {
        let entry = self.algorithms[place.algorithm];
        let seed = self.seed.wrapping_add(u64::from(run));
        plan(entry, &self.args.one(entry, place.nodes, seed, self.loads[place.load].as_ref()))
    }

    /// How many runs there are at a place.
    pub(crate) fn runs(&self, place: Place) -> u32 {
        let random = || {
            let entry = self.algorithms[place.algorithm];
            self.plan(place, 0).is_ok_and(|plan| is_random(entry, &plan.scenario))
        };
        self.args.runs.unwrap_or_else(|| if random() { RUNS_DEFAULT } else { 1 })
    }

    /// The arguments of the first run at a place, as they were given.
    fn first(&self, place: Place) -> (&'static Entry, RunArgs) {
        let entry = self.algorithms[place.algorithm];
        (entry, self.given.one(entry, place.nodes, self.seed, self.loads[place.load].as_ref()))
    }

    fn refusal(&self, place: Place, refused: &Refusal) -> Diagnostic {
        let (entry, one) = self.first(place);
        match plan(entry, &one) {
            Ok(plan) => {
                let form = entry.with_settings(&plan.scenario.settings);
                refusal::explain(self.app, form, &plan.asked(Some(&one)), refused)
            }
            Err(diagnostic) => diagnostic,
        }
    }
}

/// The problem that all of them solve.
fn one_problem(app: &App, algorithms: &[&Entry]) -> Result<Problem, Diagnostic> {
    let of = |problem| algorithms.iter().find(|entry| entry.problem == problem);
    match (of(Problem::Election), of(Problem::Mutex)) {
        (Some(election), Some(mutex)) => {
            let message = format!(
                "`{}` is an election, `{}` is mutual exclusion: their messages cannot be compared",
                election.spec.name, mutex.spec.name
            );
            Err(Diagnostic::input("ringleader::two_problems", message)
                .help("compare those of one problem:")
                .command(format!("{} list --problem election", app.program), "")
                .command(format!("{} list --problem mutex", app.program), ""))
        }
        (None, Some(_)) => Ok(Problem::Mutex),
        (Some(_) | None, None) => Ok(Problem::Election),
    }
}

/// The sizes, and how they are said again.
fn sizes(args: &CompareArgs, problem: Problem) -> Result<(Vec<u32>, String), Diagnostic> {
    let usual = match problem {
        Problem::Election => "8..1024",
        Problem::Mutex => "4..64",
    };
    let listed = match args.environment.ids.as_ref().map(|given| &given.value) {
        Some(IdsArg::Listed(ids)) => Some(ids.len()),
        Some(IdsArg::Random | IdsArg::Arranged(_) | IdsArg::Worst | IdsArg::File(_)) | None => None,
    };
    let (sizes, said) = match (&args.nodes, listed) {
        (Some(given), _) => (given.value.clone(), given.text.clone()),
        (None, Some(listed)) => (Sizes::from(vec![listed as u64]), listed.to_string()),
        (None, None) => {
            let sizes = Sizes::parse(usual).map_err(|why| Diagnostic::input("ringleader::bad_sizes", why))?;
            (sizes, usual.to_owned())
        }
    };
    let small = |&n: &u64| {
        u32::try_from(n)
            .ok()
            .filter(|_| u128::from(n) <= memory::NODES_MAX)
            .ok_or_else(|| memory::too_many(u128::from(n)))
    };
    Ok((sizes.as_slice().iter().map(small).collect::<Result<_, _>>()?, said))
}

fn loads(args: &CompareArgs, problem: Problem) -> Vec<Option<Given<LoadArg>>> {
    let given: Vec<Option<Given<LoadArg>>> = args.load.iter().cloned().map(Some).collect();
    let other = args.environment.entries.is_some() || args.environment.wants.is_some();
    if !given.is_empty() {
        given
    } else if other || problem == Problem::Election {
        vec![None]
    } else {
        let usual = |load, text: &str| Some(Given { value: LoadArg(load), text: text.to_owned() });
        vec![usual(Load::Light, "light"), usual(Load::Saturated, "saturated")]
    }
}
