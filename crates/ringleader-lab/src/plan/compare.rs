//! What is to be compared: the algorithms, sizes, loads and seeds of options, and the scenario of each run.

use super::{PlannedRun, drawn_seed, explain, find, ids_file, memory, stopped};
use crate::compare::{Cell, Comparison, Place, Progress, Trouble, admits, is_random, run as run_all};
use crate::options::{CompareOptions, IdsArg, LoadArg, RunOptions, ScheduleArg, Typed, quoted};
use crate::sizes::Sizes;
use crate::table::{Format, refuse_large};
use crate::{App, Diagnostic};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Load, Refusal, Scenario};
use std::ops::ControlFlow;

/// How many runs of each size there are when nobody says otherwise.
const RUNS_DEFAULT: u32 = 10;

/// What is to be compared, resolved.
pub struct PlannedComparison<'a> {
    /// Who asks.
    pub app: &'a App,
    /// The arguments as they were given, for what is wrong with them.
    given: CompareOptions,
    /// The arguments with identities from a file listed in them: it is read once.
    pub options: CompareOptions,
    /// The algorithms.
    pub algorithms: Vec<&'static Entry>,
    /// The problem that they solve.
    pub problem: Problem,
    /// The numbers of processes.
    pub sizes: Vec<u32>,
    /// The loads; one that is none where there is nothing to choose.
    pub loads: Vec<Option<Typed<LoadArg>>>,
    /// The seed of the first run.
    pub seed: u64,
    /// The words of the command that repeats it.
    pub again: Vec<String>,
}

impl<'a> PlannedComparison<'a> {
    /// What these options ask for.
    ///
    /// # Errors
    /// If they contradict each other, or what they name is not there.
    pub fn new(
        app: &'a App,
        names: &[String],
        args: &CompareOptions,
    ) -> Result<PlannedComparison<'a>, Diagnostic> {
        let mut algorithms: Vec<&'static Entry> = Vec::new();
        for name in names {
            let entry = find(app, name)?;
            if algorithms.iter().any(|known| known.spec.name == entry.spec.name) {
                let message = format!("`{}` is named twice", entry.spec.name);
                return Err(Diagnostic::input("named_twice", message).help("name each once"));
            }
            algorithms.push(entry);
        }
        let problem = one_problem(app, &algorithms)?;
        if let Some(ScheduleArg::Replay(path)) = args.environment.schedule.as_ref().map(|given| &given.value)
        {
            let message = "a recording is of one run; a comparison makes its own";
            return Err(Diagnostic::input("no_replay_here", message)
                .help("to repeat the recorded run:")
                .command(quoted(&app.program, &["replay".into(), path.display().to_string()]), ""));
        }
        let unknown = |(name, _): &(String, String)| !algorithms.iter().any(|entry| args.knows(entry, name));
        if let Some((name, _)) = args.settings.pairs().into_iter().find(unknown) {
            let message = format!("none of these algorithms has a setting `{name}`");
            return Err(Diagnostic::input("bad_setting", message)
                .help("the settings of an algorithm, if it has any, are explained by:")
                .command(format!("{} show {}", app.program, algorithms[0].spec.name), ""));
        }
        let given = args.clone();
        let mut args = args.clone();
        if let Some(given) = &mut args.environment.ids
            && let IdsArg::File(path) = &given.value
        {
            given.value = IdsArg::Listed(ids_file::read(path)?);
        }
        let (sizes, said) = sizes(&args, problem)?;
        let loads = loads(&args, problem);
        let seed = args.seed.unwrap_or_else(drawn_seed);
        let again = args.again(&algorithms, &said, seed);
        Ok(PlannedComparison { app, given, options: args, algorithms, problem, sizes, loads, seed, again })
    }

    /// Refuses seeds and identities that are too large for this format.
    ///
    /// # Errors
    /// If there are such.
    pub fn fits(&self, format: Format) -> Result<(), Diagnostic> {
        let runs = self.places().map(|place| self.runs(place)).max().unwrap_or(1);
        let seeds = [0, runs.saturating_sub(1)].map(|run| ("seed", self.seed.wrapping_add(u64::from(run))));
        let ids = match self.options.environment.ids.as_ref().map(|given| &given.value) {
            Some(IdsArg::Listed(ids)) => ids.as_slice(),
            Some(IdsArg::Random | IdsArg::Arranged(_) | IdsArg::Worst | IdsArg::File(_)) | None => &[],
        };
        refuse_large(format, seeds.into_iter().chain(ids.iter().map(|&id| ("identity", id))))
    }

    /// Makes all runs.
    ///
    /// # Errors
    /// If one of them is refused, or `progress` says `Break`.
    pub fn measure(
        &self,
        max_messages: u64,
        progress: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<Cell>, Diagnostic> {
        let scenario = |place: Place, run: u32| self.plan(place, run).map(|plan| plan.scenario);
        // What can go wrong in a plan goes wrong here, before anything runs.
        for place in self.places() {
            let (entry, one) = self.first(place);
            super::run(entry, &one)?;
        }
        let fixed =
            |place: Place, run: u32| scenario(place, run).unwrap_or_else(|_| Scenario::new(place.nodes));
        let threads = self.options.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(1))
        });
        let threads = memory::threads(threads);
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
        run_all(&comparison, progress).map_err(|trouble| match trouble {
            Trouble::Refused(place, refused) => self.refusal(place, &refused),
            Trouble::Stopped => stopped(),
        })
    }

    /// All places, in order.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let series = (0..self.algorithms.len())
            .flat_map(|algorithm| (0..self.loads.len()).map(move |load| Place { algorithm, load, nodes: 0 }));
        series.flat_map(|place| self.sizes.iter().map(move |&nodes| Place { nodes, ..place }))
    }

    /// One run, as `run` would make it.
    pub(crate) fn plan(&self, place: Place, run: u32) -> Result<PlannedRun, Diagnostic> {
        let entry = self.algorithms[place.algorithm];
        let seed = self.seed.wrapping_add(u64::from(run));
        super::run(entry, &self.options.one(entry, place.nodes, seed, self.loads[place.load].as_ref()))
    }

    /// How many runs there are at a place.
    #[must_use]
    pub fn runs(&self, place: Place) -> u32 {
        let random = || {
            let entry = self.algorithms[place.algorithm];
            self.plan(place, 0).is_ok_and(|plan| is_random(entry, &plan.scenario))
        };
        self.options.runs.unwrap_or_else(|| if random() { RUNS_DEFAULT } else { 1 })
    }

    /// The arguments of the first run at a place, as they were given.
    fn first(&self, place: Place) -> (&'static Entry, RunOptions) {
        let entry = self.algorithms[place.algorithm];
        (entry, self.given.one(entry, place.nodes, self.seed, self.loads[place.load].as_ref()))
    }

    fn refusal(&self, place: Place, refused: &Refusal) -> Diagnostic {
        let (entry, one) = self.first(place);
        match super::run(entry, &one) {
            Ok(plan) => {
                let form = entry.with_settings(&plan.scenario.settings);
                explain(self.app, form, &plan.asked(Some(&one)), refused)
            }
            Err(diagnostic) => diagnostic,
        }
    }
}

/// The problem that all of them solve.
fn one_problem(app: &App, algorithms: &[&Entry]) -> Result<Problem, Diagnostic> {
    let of = |problem| algorithms.iter().find(|entry| entry.problem == problem);
    if let (Some(clocks), Some(other)) = (of(Problem::Clocks), of(Problem::Election).or(of(Problem::Mutex))) {
        let message = format!(
            "`{}` brings clocks together, `{}` does not: they cannot be compared",
            clocks.spec.name, other.spec.name
        );
        return Err(Diagnostic::input("two_problems", message)
            .help("compare those of one problem:")
            .command(format!("{} list --problem clocks", app.program), ""));
    }
    match (of(Problem::Election), of(Problem::Mutex)) {
        (Some(election), Some(mutex)) => {
            let message = format!(
                "`{}` is an election, `{}` is mutual exclusion: their messages cannot be compared",
                election.spec.name, mutex.spec.name
            );
            Err(Diagnostic::input("two_problems", message)
                .help("compare those of one problem:")
                .command(format!("{} list --problem election", app.program), "")
                .command(format!("{} list --problem mutex", app.program), ""))
        }
        (None, Some(_)) => Ok(Problem::Mutex),
        (None, None) if of(Problem::Clocks).is_some() => Ok(Problem::Clocks),
        (Some(_) | None, None) => Ok(Problem::Election),
    }
}

/// The sizes, and how they are said again.
fn sizes(args: &CompareOptions, problem: Problem) -> Result<(Vec<u32>, String), Diagnostic> {
    let usual = match problem {
        Problem::Election => "8..1024",
        Problem::Mutex => "4..64",
        Problem::Clocks => "2..16",
    };
    let listed = match args.environment.ids.as_ref().map(|given| &given.value) {
        Some(IdsArg::Listed(ids)) => Some(ids.len()),
        Some(IdsArg::Random | IdsArg::Arranged(_) | IdsArg::Worst | IdsArg::File(_)) | None => None,
    };
    let (sizes, said) = match (&args.nodes, listed) {
        (Some(given), _) => (given.value.clone(), given.text.clone()),
        (None, Some(listed)) => (Sizes::from(vec![listed as u64]), listed.to_string()),
        (None, None) => {
            let sizes = Sizes::parse(usual).map_err(|why| Diagnostic::input("bad_sizes", why))?;
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

fn loads(args: &CompareOptions, problem: Problem) -> Vec<Option<Typed<LoadArg>>> {
    let given: Vec<Option<Typed<LoadArg>>> = args.load.iter().cloned().map(Some).collect();
    let other = args.environment.entries.is_some() || args.environment.wants.is_some();
    if !given.is_empty() {
        given
    } else if other || problem != Problem::Mutex {
        vec![None]
    } else {
        let usual = |load, text: &str| Some(Typed { value: LoadArg(load), text: text.to_owned() });
        vec![usual(Load::Light, "light"), usual(Load::Saturated, "saturated")]
    }
}
