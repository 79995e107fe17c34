//! Goals: what is to be made of a run by reaching into it. A goal is a TOML file, so that lecturers set their own;
//! `goals/README.md` says how. What somebody made of it is a link: the edits, the name, and a seal over both and over
//! the run that follows from them. Whoever judges makes the run again, so that a link cannot say what is not so.

mod file;
mod link;
#[cfg(test)]
mod tests;

pub use file::parse;
pub use link::Link;

use crate::question::{RunRequest, read};
use crate::run::{Made, make};
use crate::source::Alive;
use crate::{Diagnostic, Source, Stage};
use ringleader::sim::{Details, RunOutcome};
use ringleader::trace::{History, Standing};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The goals that come with the program: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("two-leaders", include_str!("../../../goals/two-leaders.goal.toml")),
    ("one-lost-message", include_str!("../../../goals/one-lost-message.goal.toml")),
    ("two-inside", include_str!("../../../goals/two-inside.goal.toml")),
];

/// A longer text is no goal.
pub const BYTES_MAX: usize = 64 * 1024;

/// A goal.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Goal {
    /// By which it is asked for: the name of the file without `.goal.toml`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What is to be done, in a few sentences.
    pub text: String,
    /// A first push, for whoever asks for it.
    pub hint: Option<String>,
    /// The run to begin with.
    pub source: Source,
    /// The actions that are allowed; none if all are.
    pub actions: Vec<String>,
    /// How often somebody may reach into the run.
    pub edits_at_most: Option<usize>,
    /// What is to be reached.
    pub reach: Reach,
}

/// What is to be reached: all of what is said.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// So many lead at one moment.
    pub leaders: Option<u64>,
    /// So many are inside at one moment.
    pub inside: Option<u64>,
    /// The run ends, and somebody waits for ever, or nobody leads.
    pub stuck: Option<bool>,
    /// These properties are violated.
    #[serde(default)]
    pub violated: Vec<String>,
    /// So many messages were sent.
    pub messages_at_least: Option<u64>,
    /// This rule fired.
    pub rule: Option<String>,
    /// All of that after at most so many steps.
    pub within: Option<u64>,
}

/// One thing that is to be reached, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Condition {
    /// In words.
    pub words: String,
    /// Whether it was.
    pub reached: bool,
    /// After how many steps.
    pub at: Option<u64>,
}

/// What became of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The goal.
    pub goal: String,
    /// Whether all of it was reached.
    pub reached: bool,
    /// One sentence.
    pub why: String,
    /// One by one.
    pub conditions: Vec<Condition>,
    /// How many steps the run has.
    pub steps: u64,
    /// How often somebody reached into it.
    pub edits: usize,
    /// What a link must bear: over the goal, who it is, the edits, and the run that follows.
    pub seal: String,
}

/// The goals that a stage has: its own, then those that were added.
#[derive(Clone, Debug, Default)]
pub struct Goals(Vec<Goal>);

impl Goals {
    /// Those that come with the program.
    #[must_use]
    pub fn built_in() -> Goals {
        // The tests read every one of them: here none can be wrong.
        Goals(BUILT_IN.iter().filter_map(|(name, text)| parse(name, text).ok()).collect())
    }

    /// Adds one. It takes the place of one with the same name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn add(&mut self, name: &str, text: &str) -> Result<(), Diagnostic> {
        let goal = parse(name, text)?;
        match self.0.iter_mut().find(|known| known.name == goal.name) {
            Some(known) => *known = goal,
            None => self.0.push(goal),
        }
        Ok(())
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Goal] {
        &self.0
    }

    /// The goal with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> Result<&Goal, Diagnostic> {
        self.0.iter().find(|goal| goal.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|goal| goal.name.as_str()).collect();
            let shown: String = name.chars().take(60).collect();
            Diagnostic::input("no_such_goal", format!("there is no goal `{shown}`"))
                .help(format!("there are {}", known.join(", ")))
                .help("your own are read from the folder that `--goals` names")
        })
    }
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct JudgeRequest {
    goal: String,
    #[serde(default)]
    edits: Vec<String>,
    #[serde(default)]
    who: String,
}

/// Answers `judge`.
pub(crate) fn answer(stage: &Stage, question: &[u8], alive: Alive<'_>) -> Result<String, Diagnostic> {
    let JudgeRequest { goal, edits, who } = read("judge", question)?;
    let verdict = judge(stage, &goal, &edits, &who, alive)?;
    Ok(json!(verdict).to_string())
}

impl Stage {
    /// Judges a link: makes its run again.
    ///
    /// # Errors
    /// If there is no such goal, an edit is not allowed or does not fit the run, or the seal is not that of the run.
    pub fn judge(&self, link: &Link) -> Result<Verdict, Diagnostic> {
        let verdict = judge(self, &link.goal, &link.edits, &link.who, &|| true)?;
        if link.seal == verdict.seal {
            return Ok(verdict);
        }
        let message =
            "its seal is not that of its run: the name, the edits or the goal were changed after it was made";
        Err(Diagnostic::input("tampered", message)
            .help("open the link on the page, and copy the link that the page gives for what it shows"))
    }
}

fn judge(
    stage: &Stage,
    name: &str,
    edits: &[String],
    who: &str,
    alive: Alive<'_>,
) -> Result<Verdict, Diagnostic> {
    let goal = stage.goals.find(name)?;
    let request = RunRequest { source: goal.source.clone(), edits: edits.to_vec() };
    for edit in request.edits()? {
        let action = edit.action.name();
        if !goal.actions.is_empty() && !goal.actions.iter().any(|allowed| allowed == action) {
            let message = format!("`{edit}`: this goal does not allow `{action}`");
            return Err(Diagnostic::input("not_allowed", message)
                .help(format!("allowed: {}", goal.actions.join(", "))));
        }
    }
    if let Some(most) = goal.edits_at_most
        && edits.len() > most
    {
        let message = format!("{} edits: this goal allows {most}", edits.len());
        return Err(Diagnostic::input("too_many_edits", message).help("reach it with fewer"));
    }
    let made = make(stage, &request, alive)?;
    let conditions = conditions(goal, &made)?;
    let reached = conditions.iter().all(|condition| condition.reached);
    let why = match conditions.iter().find(|condition| !condition.reached) {
        None => match conditions.iter().filter_map(|condition| condition.at).max() {
            Some(at) => format!("reached after {at} steps"),
            None => "reached".to_owned(),
        },
        Some(missing) => match missing.at {
            Some(at) => format!("too late: {} only after {at} steps", missing.words),
            None => format!("not reached: {}", missing.words),
        },
    };
    Ok(Verdict {
        goal: goal.name.clone(),
        reached,
        why,
        conditions,
        steps: made.report.steps,
        edits: edits.len(),
        seal: seal(goal, who, edits, &made),
    })
}

/// What there is to see of a run, step by step.
struct Seen {
    leaders: u64,
    inside: u64,
    messages: u64,
}

fn conditions(goal: &Goal, made: &Made) -> Result<Vec<Condition>, Diagnostic> {
    let Some(recording) = made.recording.as_deref() else {
        let message = "this run is too large to be judged step by step";
        return Err(Diagnostic::input("not_small", message).help("a goal is about a small run"));
    };
    let history = History::of(recording);
    let mut standing = vec![Standing::Open; recording.header.n as usize];
    let mut seen = Vec::with_capacity(recording.events.len());
    let mut messages = 0;
    for (event, step) in recording.events.iter().zip(&history.steps) {
        standing[event.process as usize] = step.standing;
        messages += event.sends.len() as u64;
        let count = |wanted| standing.iter().filter(|now| **now == wanted).count() as u64;
        seen.push(Seen { leaders: count(Standing::Leads), inside: count(Standing::Inside), messages });
    }
    let first = |is: &dyn Fn(&Seen) -> bool| seen.iter().position(is).map(|place| place as u64 + 1);
    let Reach { leaders, inside, stuck, violated, messages_at_least, rule, within } = &goal.reach;
    let mut found: Vec<(String, Option<u64>)> = Vec::new();
    if let Some(many) = leaders {
        found.push((format!("{many} lead at one moment"), first(&|seen| seen.leaders >= *many)));
    }
    if let Some(many) = inside {
        found.push((format!("{many} are inside at one moment"), first(&|seen| seen.inside >= *many)));
    }
    if let Some(many) = messages_at_least {
        found.push((format!("{many} messages are sent"), first(&|seen| seen.messages >= *many)));
    }
    if let Some(rule) = rule {
        let fires = |event: &ringleader::trace::Event| event.rules.iter().any(|fired| fired == rule.as_str());
        let at = recording.events.iter().position(fires).map(|place| place as u64 + 1);
        found.push((format!("the rule `{rule}` fires"), at));
    }
    for name in violated {
        let place = made.report.properties.iter().position(|property| property.name == name.as_str());
        let Some(place) = place else {
            let names: Vec<&str> = made.report.properties.iter().map(|property| property.name).collect();
            let message =
                format!("the goal `{}` speaks of a property `{name}`, which this run has not", goal.name);
            return Err(Diagnostic::input("bad_goal", message).help(format!("it has {}", names.join(", "))));
        };
        let at = made.violated_at[place].map(|step| step as u64 + 1);
        let at = at.or((!made.report.properties[place].holds).then_some(made.report.steps));
        found.push((format!("“{name}” is violated"), at));
    }
    if *stuck == Some(true) {
        let ended = made.report.outcome != RunOutcome::Limit;
        let waits = standing.contains(&Standing::Waiting);
        let leaderless =
            matches!(made.report.details, Details::Election(_)) && !standing.contains(&Standing::Leads);
        let at = (ended && (waits || leaderless)).then_some(recording.events.len() as u64);
        found.push(("nothing can happen any more, and somebody waits or nobody leads".to_owned(), at));
    }
    let in_time = |at: u64| within.is_none_or(|most| at <= most);
    let limit = within.map_or_else(String::new, |most| format!(", within {most} steps"));
    let condition = |(words, at): (String, Option<u64>)| Condition {
        words: format!("{words}{limit}"),
        reached: at.is_some_and(in_time),
        at,
    };
    Ok(found.into_iter().map(condition).collect())
}

/// A number over everything that a link says and everything that follows from it. It is no secret: whoever makes an
/// honest run has its seal. It only ties the parts of a link together.
fn seal(goal: &Goal, who: &str, edits: &[String], made: &Made) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        // The length goes first, so that no two lists of texts run together.
        for byte in (text.len() as u64).to_le_bytes().into_iter().chain(text.bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    add(&json!(goal).to_string());
    add(who);
    edits.iter().for_each(|edit| add(edit));
    made.lines.iter().for_each(|line| add(line));
    format!("{hash:016x}")
}
