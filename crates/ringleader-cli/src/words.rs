//! Options as the page gives them, understood by the declarations of the command line: so they mean the same there
//! and here, and the command that the page shows is the one that `again` prints. What reads or writes a file is
//! refused.

use crate::args::{CheckArgs, CompareArgs, IdsArg, RunArgs, ScheduleArg, quoted};
use crate::cmd::compare;
use crate::error::Diagnostic;
use crate::report::version;
use crate::{App, memory, scenario, scope, suggest};
use clap::{Arg, ArgAction, Args, Command, FromArgMatches};
use ringleader::registry::{Entry, find};
use ringleader::sim::Edit;
use ringleader_page::{Compared, Complaint, OptionValue, Options, Planned, PlannedCheck, Words};

/// Options that write files, or that are about the terminal.
const NOT_HERE: [&str; 6] = ["trace", "plot", "output", "force", "json", "steps"];

/// The words of this command line.
pub(crate) struct CommandWords {
    app: App,
}

impl CommandWords {
    pub(crate) fn new(app: &App) -> CommandWords {
        CommandWords { app: App { program: app.program.clone(), registry: app.registry } }
    }

    fn find(&self, name: &str) -> Result<&'static Entry, Complaint> {
        find(self.app.registry, name).ok_or_else(|| {
            let names = self.app.registry.iter().map(|entry| entry.spec.name);
            let complaint =
                Complaint::new("ringleader::unknown_algorithm", format!("there is no algorithm `{name}`"));
            match suggest::closest(name, names) {
                Some(meant) => complaint.help(format!("did you mean `{meant}`?")),
                None => complaint.help("choose one from the list"),
            }
        })
    }
}

impl Words for CommandWords {
    fn registry(&self) -> &'static [Entry] {
        self.app.registry
    }

    fn version(&self) -> String {
        version(&self.app)
    }

    fn run(&self, algorithm: &str, options: &Options, edits: &[Edit]) -> Result<Planned, Complaint> {
        let entry = self.find(algorithm)?;
        let mut args: RunArgs = parse("run", &[algorithm], options)?;
        args.edit.extend(edits);
        // Equal questions have equal answers: nothing is drawn for whoever gives no seed.
        args.seed = args.seed.or(Some(0));
        let environment = &args.environment;
        no_files(environment.ids.as_ref().map(|given| &given.value))?;
        if let Some(ScheduleArg::Replay(_)) = environment.schedule.as_ref().map(|given| &given.value) {
            return Err(no_file("schedule").help("to follow a recording, open its file: drop it on the page"));
        }
        let plan = scenario::plan(entry, &args).map_err(complain)?;
        // Too many for the page are too many whatever memory there is, and are refused as such.
        if plan.scenario.n <= ringleader_page::limits::NODES {
            memory::check_for_page(entry, &plan.scenario).map_err(complain)?;
        }
        Ok(Planned {
            algorithm: entry.spec.name,
            scenario: plan.scenario,
            schedule: plan.schedule,
            command: quoted(&self.app.program, &plan.again),
        })
    }

    fn check(&self, algorithm: &str, options: &Options) -> Result<PlannedCheck, Complaint> {
        let entry = self.find(algorithm)?;
        let args: CheckArgs = parse("check", &[algorithm], options)?;
        no_files(args.ids.as_ref().map(|given| &given.value))?;
        let plan = scope::plan(&self.app, entry, &args).map_err(complain)?;
        Ok(PlannedCheck {
            algorithm: entry.spec.name,
            scope: plan.scope,
            command: quoted(&self.app.program, &plan.again),
            time_limit: args.time.as_ref().map(|time| time.value.0),
        })
    }

    fn expected_states(&self, check: &PlannedCheck) -> Option<u64> {
        let entry = find(self.app.registry, check.algorithm)?;
        crate::estimate::Growth::measure(entry, &check.scope)?.at(check.scope.n)
    }

    fn compare(&self, algorithms: &[String], options: &Options) -> Result<Compared, Complaint> {
        let names: Vec<&str> = algorithms.iter().map(String::as_str).collect();
        for name in &names {
            self.find(name)?;
        }
        let args: CompareArgs = parse("compare", &names, options)?;
        no_files(args.environment.ids.as_ref().map(|given| &given.value))?;
        compare::for_page(&self.app, &args).map_err(complain)
    }
}

fn complain(diagnostic: Diagnostic) -> Complaint {
    let complaint = diagnostic.complaint();
    if complaint.help.is_empty() { complaint.help("choose another value") } else { complaint }
}

fn no_files(ids: Option<&IdsArg>) -> Result<(), Complaint> {
    match ids {
        Some(IdsArg::File(_)) => Err(no_file("ids").help("list the identities instead: 3,7,4,1")),
        Some(IdsArg::Random | IdsArg::Arranged(_) | IdsArg::Worst | IdsArg::Listed(_)) | None => Ok(()),
    }
}

fn no_file(option: &str) -> Complaint {
    let message = format!("`{option}` names a file: a page reads no files of the machine that serves it");
    Complaint::new("ringleader::no_files_here", message)
}

/// The arguments of a command that these names and options are.
fn parse<Arguments: Args + FromArgMatches>(
    name: &'static str,
    names: &[&str],
    options: &Options,
) -> Result<Arguments, Complaint> {
    let mut command =
        Arguments::augment_args(Command::new(name).no_binary_name(true).disable_help_flag(true));
    // After `--` a name that begins with a dash is a name too.
    let mut words = Vec::new();
    for (key, value) in options {
        let known = command.get_arguments().find(|arg| arg.get_long() == Some(key.as_str()));
        let Some(arg) = known.filter(|_| !NOT_HERE.contains(&key.as_str())) else {
            return Err(unknown(name, &command, key));
        };
        say(arg, key, value, &mut words)?;
    }
    words.push("--".to_owned());
    words.extend(names.iter().map(|name| (*name).to_owned()));
    let matches = command.try_get_matches_from_mut(words).map_err(|error| said(&error))?;
    Arguments::from_arg_matches(&matches).map_err(|error| said(&error))
}

fn say(arg: &Arg, key: &str, value: &OptionValue, words: &mut Vec<String>) -> Result<(), Complaint> {
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    // With `=`, so that a word that begins with a dash is a value too.
    let mut add = |word: &String| words.push(format!("--{key}={word}"));
    match value {
        OptionValue::One(word) if !is_flag => add(word),
        OptionValue::Several(several) if !is_flag => several.iter().for_each(add),
        OptionValue::Flag(true) if is_flag => words.push(format!("--{key}")),
        OptionValue::Flag(false) => {}
        OptionValue::One(_) | OptionValue::Several(_) | OptionValue::Flag(true) => {
            let needed = if is_flag { "is a flag: true, or not there" } else { "needs a value" };
            return Err(Complaint::new("ringleader::usage", format!("`{key}` {needed}"))
                .help("leave it out, or give it as the page does"));
        }
    }
    Ok(())
}

fn unknown(name: &str, command: &Command, key: &str) -> Complaint {
    let known: Vec<&str> =
        command.get_arguments().filter_map(Arg::get_long).filter(|long| !NOT_HERE.contains(long)).collect();
    let complaint =
        Complaint::new("ringleader::unknown_option", format!("`{name}` has no option `{key}` here"));
    match suggest::closest(key, known.iter().copied()) {
        Some(meant) => complaint.help(format!("did you mean `{meant}`?")),
        None => complaint.help(format!("it may be one of {}", known.join(", "))),
    }
}

/// What clap has to say: the first paragraph, in one line.
fn said(error: &clap::Error) -> Complaint {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let first = text.split("\n\n").next().unwrap_or(text);
    let message = first.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    Complaint::new("ringleader::usage", message).help("choose another value")
}

#[cfg(test)]
mod tests;
