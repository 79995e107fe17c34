//! An algorithm in words, out of its contract: for `show`, and for its page.

use crate::options::{ByName, RunOptions};
use crate::{App, Diagnostic, plan};
use ringleader::model::{
    Against, Informed, Links, Order, Orientation, Promises, Reached, Registers, Setting, SettingValues,
    Shape, Timing, Told, Winner,
};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::Recorder;
use ringleader::trace::{Recording, transcript};

/// The model: what it needs, name by name.
#[must_use]
pub fn model(entry: &Entry) -> Vec<(String, String)> {
    let needs = &entry.spec.needs;
    let mut model = Vec::new();
    let mut add = |name: &str, text: &str| model.push((name.to_owned(), text.to_owned()));
    add("network", entry.topology());
    add("told", &told(entry).join(", "));
    if entry.shape == Shape::Memory {
        add(
            "registers",
            match needs.registers {
                Registers::Safe => "safe: a read that overlaps a write may return anything",
                Registers::Atomic => "atomic: a step is one read or one write",
                Registers::Composite => {
                    "composite: a step reads neighbours and writes, and nothing comes between"
                }
            },
        );
    } else {
        add(
            "links",
            match needs.links {
                Links::Bag => "any: messages may overtake each other",
                Links::Fifo => "FIFO: in sending order",
                Links::HalfDuplex => "half-duplex: in sending order, and two messages never pass each other",
            },
        );
    }
    if entry.shape == Shape::TwoWayRing {
        add(
            "sides",
            match needs.orientation {
                Orientation::Same => "all agree on left and right",
                Orientation::Random => "need not agree on left and right",
            },
        );
    }
    add(
        "start",
        match needs.reached {
            Reached::Wakes => "any number start; the others start when a message reaches them",
            Reached::Relays => "any number start; the others take part without having started",
            Reached::MayStartLater => {
                "any number start, even after a message has reached them; the others take part without"
            }
        },
    );
    add(
        "timing",
        match needs.timing {
            Timing::Asynchronous => "asynchronous: any finite delay",
            Timing::BoundedDelay => "a known bound on message delays",
            Timing::LockStep => "lock-step: all move together, round by round",
        },
    );
    if needs.choices {
        add("chance", "it draws random numbers");
    }
    if needs.detector {
        add("detector", "it is told of crashes");
    }
    match tolerated(entry).as_slice() {
        [] => add("faults", "none"),
        faults => add("faults", &format!("lives with {}", faults.join(", "))),
    }
    model
}

/// What a process is told at birth.
#[must_use]
pub fn told(entry: &Entry) -> Vec<&'static str> {
    let words: Vec<&str> = entry
        .told
        .iter()
        .map(|told| match told {
            Told::Identity => "its identity",
            Told::Size => "the number of processes",
            Told::Names => "the names of all, and its own",
            Told::Degree => "the number of its edges",
            Told::Range => "a range to draw from",
            Told::MaxDelay => "the bound on delays",
            Told::Delays => "the least and the longest delay",
            Told::Drift => "the bound on the drift of clocks",
            Told::Holder => "whether the token starts here",
            Told::TowardsRoot => "the way to the root",
        })
        .collect();
    if words.is_empty() { vec!["nothing"] } else { words }
}

/// The faults that it lives with.
#[must_use]
pub fn tolerated(entry: &Entry) -> Vec<&'static str> {
    let (tolerates, bypass) = (&entry.spec.needs.tolerates, entry.spec.needs.bypass);
    [
        (bypass && !tolerates.crash, "crashes before the election, which the ring bypasses"),
        (bypass && tolerates.crash, "crashes, which the ring bypasses"),
        (!bypass && tolerates.crash, "crashes"),
        (tolerates.recovery, "recovery"),
        (tolerates.loss, "loss"),
        (tolerates.duplication, "duplication"),
        (tolerates.partition, "partitions"),
    ]
    .into_iter()
    .filter_map(|(yes, word)| yes.then_some(word))
    .collect()
}

/// What holds when real machines run it, what does not, and what to type.
#[must_use]
pub fn network(entry: &Entry) -> Vec<(String, String)> {
    let needs = &entry.spec.needs;
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    if entry.is_literal() {
        return vec![pair("not run", "it is broken on purpose: `check` and `run` show how")];
    }
    if entry.spec.stabilises() && entry.shape != Shape::Memory {
        return vec![pair(
            "not run",
            "it counts on links that hold few messages, and those of real nodes hold many more",
        )];
    }
    if entry.spec.stabilises() {
        return vec![pair(
            "not run",
            "a machine reads its neighbours and writes in one step, which no network has",
        )];
    }
    if entry.shape == Shape::Memory {
        return vec![
            ("run".to_owned(), format!("ringleader up --algorithm {}", entry.spec.name)),
            pair("as", "threads of one process, on atomic numbers, sequentially consistent"),
            pair("always", "never two inside, which a witness inside looks after"),
        ];
    }
    if entry.problem == Problem::Clocks {
        return vec![
            ("run".to_owned(), format!("ringleader up --algorithm {} --once", entry.spec.name)),
            pair(
                "clocks",
                "that of the machine, moved and run faster or slower as --clock-offset and --clock-drift say",
            ),
            pair("always", "what is found out is held against that, within the measured round trips"),
        ];
    }
    if needs.timing == Timing::LockStep {
        return vec![pair(
            "not run",
            "it needs rounds in which all move together, which no real network has",
        )];
    }
    let election = entry.problem == Problem::Election;
    let detected = if needs.detector { " and the others are told of it" } else { "" };
    let crash = match (needs.tolerates.crash, needs.bypass) {
        (true, true) => format!("the ring is closed over it{detected}, in the same epoch"),
        (true, false) => "the others are told of it, in the same epoch".to_owned(),
        (false, _) => {
            "a new epoch begins without it, if those that are left and hear each other are a majority of \
                       all configured members"
                .to_owned()
        }
    };
    let back = match (needs.tolerates.recovery, election) {
        (true, _) => "it comes back to the same epoch as a new process",
        (false, true) => "it takes part from the next epoch on; who leads is left alone",
        (false, false) => "a new epoch begins with it; whoever was inside is put out",
    };
    let promise = if election {
        "a member says that it leads only while a majority of all configured members grants it: never two at one time, \
         whatever crashes, pauses or is cut, as long as clocks run at the rate that is configured (drift)"
    } else {
        "a user is inside only while a majority of all configured members grants it: never two at one time, whatever \
         crashes, pauses or is cut, as long as clocks run at the rate that is configured (drift)"
    };
    let cut = if election {
        "the side without a majority has no leader after one lease; the other elects"
    } else {
        "the side without a majority lets nobody in after one lease; the other goes on in a new epoch"
    };
    let not_yet = if election {
        "a leader that is paused after it looked at its clock may act late: nothing here fences a storage off"
    } else {
        "a user that is paused after it looked at its clock may act late: nothing here fences a storage off; \
         requests do not keep their order from one epoch to the next"
    };
    vec![
        ("run".to_owned(), format!("ringleader up -n 5 --algorithm {}", entry.spec.name)),
        pair("always", promise),
        ("a crash".to_owned(), crash),
        pair("a restart", back),
        pair("a partition", cut),
        pair("not yet", not_yet),
    ]
}

/// A setting of its own, and what it may be.
#[must_use]
pub fn setting(entry: &Entry, setting: &Setting) -> (String, String) {
    let values = match setting.values {
        SettingValues::OneOf(words) => {
            format!("{} (default {})", words.join(" | "), words.first().unwrap_or(&""))
        }
        SettingValues::Number { min, max, default } => format!("{min} to {max} (default {default})"),
        SettingValues::Enough { min, max, .. } => {
            format!("{min} to {max} (default and least that is enough: of n, see what it needs)")
        }
        SettingValues::RingElection { default } => {
            let all: Vec<&str> = entry.electors().map(|elector| elector.name).collect();
            format!("{} (default {default})", all.join(", "))
        }
        SettingValues::Elsewhere(other) => format!("see `ringleader show {other}`"),
    };
    (setting.name.to_owned(), format!("{}: {values}", setting.about))
}

/// What it promises.
#[must_use]
pub fn promises(entry: &Entry) -> Vec<&'static str> {
    match entry.spec.promises {
        Promises::Election { winner, informed } => vec![
            "exactly one process leads in the end",
            match winner {
                Winner::Largest => "the largest identity leads",
                Winner::LargestInitiator => "the largest identity among the initiators leads",
                Winner::LargestLive => "the largest of those that are up after the last fault leads",
                Winner::AnyInitiator => "one of the initiators leads",
                Winner::Any => "any process may lead",
            },
            match informed {
                Informed::All => "everybody knows it in the end",
                Informed::Initiators => "every initiator knows it in the end",
                Informed::Live => "everybody who is up knows it in the end",
            },
        ],
        Promises::Stabilisation if entry.shape != Shape::Memory => vec![
            "from every state, with anything in the links, in every fair run: one machine has a privilege from some \
             moment on",
            "then every machine gets it again and again",
            "before that several may have one",
        ],
        Promises::Stabilisation => vec![
            "from every state, whatever the daemon chooses: one machine has a privilege from some moment on",
            "then every machine gets it again and again",
            "before that several may have one",
        ],
        Promises::Exclusion { order, falls_silent } => vec![
            if order == Order::Any {
                "never two inside; while somebody waits, somebody is let in"
            } else {
                "never two inside; everybody who asks is let in"
            },
            match order {
                Order::Priority => "requests are served in the order of (time stamp, name)",
                Order::Ring => "requests are served as they come round the ring",
                Order::Fair => "nobody waits for ever",
                Order::Any => "one of them may wait for ever while others enter",
                Order::Doorway => "first come, first served after the doorway",
            },
            if entry.shape == Shape::Memory {
                "no steps when nobody wants in"
            } else if falls_silent {
                "no messages when nobody wants in"
            } else {
                "tokens circulate for ever"
            },
        ],
        Promises::Clocks { against } => vec![
            "a clock that users see never goes back",
            match against {
                Against::EachOther => {
                    "clocks are within the promised distance of each other, or of the server's"
                }
                Against::TrueTime => "a clock is within the promised distance of the true time",
            },
            "with clocks that drift the promise grows by twice the bound on the drift",
        ],
    }
}

/// The worked example: the command, what the first column counts, and what happens.
pub struct Example {
    /// The command.
    pub command: String,
    /// What the first column counts.
    pub counts: &'static str,
    /// What happens, a line for each step.
    pub lines: Vec<String>,
    /// The same as data.
    pub recording: Recording,
}

/// Runs it.
///
/// # Errors
/// If it is no run.
pub fn example(app: &App, entry: &'static Entry) -> Result<Example, Diagnostic> {
    let mut words: Vec<&str> = entry.spec.example.split_whitespace().collect();
    // A fixed seed, so that the same is shown each time.
    if !words.contains(&"--seed") {
        words.extend(["--seed", "1"]);
    }
    let wrong = |said: &str| {
        let message = format!("the example of `{}` does not run: {said}", entry.spec.name);
        Diagnostic::input("bad_example", message)
    };
    let options = RunOptions::of_words(&words, &app.usual).map_err(|why| wrong(&why))?;
    let command = format!("{} run {} {}", app.program, entry.spec.name, words.join(" "));
    let plan = plan::run(entry, &options)?;
    let mut recorder = Recorder::default();
    entry
        .run(&plan.scenario, &mut recorder)
        .map_err(|refused| plan::explain(app, entry, &plan.asked(Some(&options)), &refused))?;
    let schedule = &plan.scenario.schedule;
    let counts = match schedule.ticks_per_unit() {
        1 if schedule.counts_rounds() => "round",
        1 => "step",
        _ => "time",
    };
    let mut recording = recorder.recording().ok_or_else(|| wrong("it does not begin"))?;
    recording.header.schedule.clone_from(&plan.schedule);
    let lines = transcript(&recording.events, schedule.ticks_per_unit());
    Ok(Example { command, counts, lines, recording })
}
