//! Options as the page gives them, understood as the command line understands them: so they mean the same there and
//! here, and the command that the page shows is the one that `again` prints. What reads or writes a file is refused.

use crate::{Compared, OptionValue, Options, Planned, PlannedCheck, Words, compare, limits};
use ringleader::registry::{Entry, find};
use ringleader::sim::Edit;
use ringleader_lab::options::{
    ByName, CheckOptions, CompareOptions, IdsArg, Known, RunOptions, ScheduleArg, quoted,
};
use ringleader_lab::plan::{self, StateGrowth, memory};
use ringleader_lab::{App, Diagnostic, suggest};

/// The words of this command line.
#[derive(Clone)]
pub struct Program {
    app: App,
}

impl Program {
    /// What options mean to this program.
    #[must_use]
    pub fn new(app: &App) -> Program {
        Program { app: app.clone() }
    }

    fn find(&self, name: &str) -> Result<&'static Entry, Diagnostic> {
        find(self.app.registry, name).ok_or_else(|| {
            let names = self.app.registry.iter().map(|entry| entry.spec.name);
            let complaint = Diagnostic::input("unknown_algorithm", format!("there is no algorithm `{name}`"));
            match suggest::closest(name, names) {
                Some(meant) => complaint.help(format!("did you mean `{meant}`?")),
                None => complaint.help("choose one from the list"),
            }
        })
    }
}

impl Words for Program {
    fn registry(&self) -> &'static [Entry] {
        self.app.registry
    }

    fn version(&self) -> String {
        self.app.version()
    }

    fn run(&self, algorithm: &str, options: &Options, edits: &[Edit]) -> Result<Planned, Diagnostic> {
        let entry = self.find(algorithm)?;
        let mut args: RunOptions = parse(&self.app, "run", options)?;
        args.edit.extend(edits);
        // Equal questions have equal answers: nothing is drawn for whoever gives no seed.
        args.seed = args.seed.or(Some(0));
        let environment = &args.environment;
        no_files(environment.ids.as_ref().map(|given| &given.value))?;
        if let Some(ScheduleArg::Replay(_)) = environment.schedule.as_ref().map(|given| &given.value) {
            return Err(no_file("schedule").help("to follow a recording, open its file: drop it on the page"));
        }
        let plan = plan::run(entry, &args).map_err(helped)?;
        // Too many for the page are too many whatever memory there is, and are refused as such.
        if plan.scenario.n <= limits::NODES {
            memory::check_for_page(entry, &plan.scenario).map_err(helped)?;
        }
        Ok(Planned {
            algorithm: entry.spec.name,
            scenario: plan.scenario,
            schedule: plan.schedule,
            command: quoted(&self.app.program, &plan.again),
        })
    }

    fn check(&self, algorithm: &str, options: &Options) -> Result<PlannedCheck, Diagnostic> {
        let entry = self.find(algorithm)?;
        let args: CheckOptions = parse(&self.app, "check", options)?;
        no_files(args.ids.as_ref().map(|given| &given.value))?;
        let plan = plan::check(&self.app, entry, &args).map_err(helped)?;
        Ok(PlannedCheck {
            algorithm: entry.spec.name,
            scope: plan.scope,
            command: quoted(&self.app.program, &plan.again),
            time_limit: args.time.as_ref().map(|time| time.value.0),
        })
    }

    fn expected_states(&self, check: &PlannedCheck) -> Option<u64> {
        let entry = find(self.app.registry, check.algorithm)?;
        StateGrowth::measure(entry, &check.scope)?.at(check.scope.n)
    }

    fn compare(&self, algorithms: &[String], options: &Options) -> Result<Compared, Diagnostic> {
        for name in algorithms {
            self.find(name)?;
        }
        let args: CompareOptions = parse(&self.app, "compare", options)?;
        no_files(args.environment.ids.as_ref().map(|given| &given.value))?;
        compare::make(&self.app, algorithms, &args).map_err(helped)
    }
}

/// With help, whatever it is.
fn helped(diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.help.is_empty() { diagnostic.help("choose another value") } else { diagnostic }
}

fn no_files(ids: Option<&IdsArg>) -> Result<(), Diagnostic> {
    match ids {
        Some(IdsArg::File(_)) => Err(no_file("ids").help("list the identities instead: 3,7,4,1")),
        Some(IdsArg::Random | IdsArg::Arranged(_) | IdsArg::Worst | IdsArg::Listed(_)) | None => Ok(()),
    }
}

fn no_file(option: &str) -> Diagnostic {
    let message = format!("`{option}` names a file: a page reads no files of the machine that serves it");
    Diagnostic::input("no_files_here", message)
}

/// The options that these are.
fn parse<T: ByName>(app: &App, name: &'static str, options: &Options) -> Result<T, Diagnostic> {
    let known = T::known();
    let mut given = Vec::new();
    for (key, value) in options {
        let Some(option) = known.iter().find(|known| known.long == key) else {
            return Err(unknown(name, &known, key));
        };
        let mut add = |word: &'_ str| given.push((key.as_str(), word.to_owned()));
        match value {
            OptionValue::One(word) if !option.is_switch() => add(word),
            OptionValue::Several(several) if !option.is_switch() => several.iter().for_each(|word| add(word)),
            OptionValue::Flag(true) if option.is_switch() => add(""),
            OptionValue::Flag(false) => {}
            OptionValue::One(_) | OptionValue::Several(_) | OptionValue::Flag(true) => {
                let needed =
                    if option.is_switch() { "is a flag: true, or not there" } else { "needs a value" };
                return Err(Diagnostic::input("usage", format!("`{key}` {needed}"))
                    .help("leave it out, or give it as the page does"));
            }
        }
    }
    let given: Vec<(&str, &str)> = given.iter().map(|(key, word)| (*key, word.as_str())).collect();
    T::of(&given, &app.usual).map_err(|why| Diagnostic::input("usage", why).help("choose another value"))
}

fn unknown(name: &str, known: &[Known], key: &str) -> Diagnostic {
    let known: Vec<&str> = known.iter().map(|known| known.long).collect();
    let complaint = Diagnostic::input("unknown_option", format!("`{name}` has no option `{key}` here"));
    match suggest::closest(key, known.iter().copied()) {
        Some(meant) => complaint.help(format!("did you mean `{meant}`?")),
        None => complaint.help(format!("it may be one of {}", known.join(", "))),
    }
}
