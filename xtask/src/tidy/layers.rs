//! Who may know whom inside the library. An algorithm knows the model and nothing else, so that it cannot depend on
//! the engine that runs it.

use super::source::{code, is_word, words};
use super::{File, Problem};
use std::collections::{BTreeMap, BTreeSet};

/// The arrows: a module, and those it may mention beside itself. Every other arrow is an error.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("election", &["model"]),
    ("mutex", &["model"]),
    ("clocks", &["model"]),
    ("rng", &["model"]),
    ("trace", &["model", "rng"]),
    ("network", &["model", "rng"]),
    ("hash", &[]),
    ("population", &["model", "rng", "network", "hash"]),
    ("scenario", &["model", "rng", "trace", "network", "population"]),
    ("sim", &["model", "rng", "trace", "network", "population", "scenario"]),
    // The checker's runs are told by the simulator, which replays them.
    ("check", &["model", "rng", "hash", "trace", "network", "population", "scenario", "sim"]),
    ("host", &["model", "rng", "trace", "network", "population", "scenario"]),
    (
        "registry",
        &[
            "model",
            "election",
            "mutex",
            "clocks",
            "rng",
            "trace",
            "network",
            "population",
            "scenario",
            "sim",
            "check",
            "host",
        ],
    ),
    // The macro that makes modules and entries of the list of algorithms.
    ("catalogue", &["registry"]),
    (
        "lib",
        &[
            "model", "election", "mutex", "clocks", "rng", "trace", "network", "scenario", "sim", "check",
            "host", "registry",
        ],
    ),
];

/// What an algorithm must not mention, and why: each would be an input that no replay can see.
const HIDDEN_INPUTS: &[(&str, &str)] = &[
    ("thread", "a step runs where the engine says"),
    ("Instant", "time is an input"),
    ("SystemTime", "time is an input"),
    ("HashMap", "its order is random; use a vector or BTreeMap"),
    ("HashSet", "its order is random; use a vector or BTreeSet"),
    ("rand", "random choices are asked for with out.choose"),
];

/// Where the library's sources are.
pub(super) const LIBRARY: &str = "crates/ringleader/src/";

/// The top-level module that a library file belongs to.
fn layer(path: &str) -> Option<&str> {
    let path = path.strip_prefix(LIBRARY)?;
    Some(path.split_once('/').map_or_else(|| path.strip_suffix(".rs").unwrap_or(path), |(folder, _)| folder))
}

/// Whether a file is in a folder of algorithms.
pub(super) fn is_among_algorithms(path: &str) -> bool {
    matches!(layer(path), Some("election" | "mutex" | "clocks"))
}

/// Every path inside the library follows an arrow. Tests may go where they like, in files of their own too.
pub(super) fn arrows(files: &[File]) -> Vec<Problem> {
    let tests = test_modules(files);
    let is_test = |path: &str| {
        tests
            .iter()
            .any(|test| path.strip_prefix(test).is_some_and(|rest| rest == ".rs" || rest.starts_with('/')))
    };
    let library: Vec<(&File, &str, String)> = files
        .iter()
        .filter(|file| file.is_rust() && !is_test(&file.path))
        .filter_map(|file| Some((file, layer(&file.path)?, code(&file.text))))
        .collect();
    // Exported macros live at the root; they belong to the module that defines them.
    let macros: BTreeMap<&str, &str> = library
        .iter()
        .flat_map(|(_, layer, code)| exported_macros(code).map(|name| (name, *layer)))
        .collect();

    let mut problems = Vec::new();
    for (file, layer, code) in &library {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| name == layer) else {
            problems.push(file.problem(1, format!("module `{layer}` is not in the table of arrows")));
            continue;
        };
        for (line, name) in mentions(code, module_depth(&file.path)) {
            let target = macros.get(name).copied().unwrap_or(name);
            if target != *layer && !allowed.contains(&target) {
                let may = if allowed.is_empty() { "nothing but itself".into() } else { allowed.join(", ") };
                problems
                    .push(file.problem(line, format!("`{layer}` mentions `{target}`; it may mention {may}")));
            }
        }
    }
    problems
}

/// The modules that are built for tests only and are files of their own, as paths without an ending.
fn test_modules(files: &[File]) -> Vec<String> {
    let declared = |file: &File| {
        let folder = match file.path.strip_suffix("/mod.rs") {
            Some(folder) => folder,
            None => file.path.strip_suffix(".rs").unwrap_or(&file.path),
        };
        let rest = file.text.split("#[cfg(test)]\nmod ").skip(1);
        let names = rest.filter_map(|rest| rest.lines().next()?.strip_suffix(';'));
        names.map(|name| format!("{folder}/{name}")).collect::<Vec<String>>()
    };
    files.iter().filter(|file| file.is_rust()).flat_map(declared).collect()
}

/// No algorithm has an input that its contract does not show.
pub(super) fn hidden_inputs(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && is_among_algorithms(&file.path)) {
        for (number, line) in code(&file.text).lines().enumerate() {
            let mentioned: BTreeSet<&str> = words(line).collect();
            for (word, why) in HIDDEN_INPUTS.iter().filter(|(word, _)| mentioned.contains(word)) {
                problems.push(file.problem(number + 1, format!("an algorithm mentions `{word}`: {why}")));
            }
        }
    }
    problems
}

/// The macros that a file exports.
fn exported_macros(code: &str) -> impl Iterator<Item = &str> {
    code.split("#[macro_export]")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix("macro_rules!"))
        .filter_map(|rest| words(rest).next())
}

/// How many `super` lead from a file to the root of the crate.
fn module_depth(path: &str) -> usize {
    let path = path.strip_prefix(LIBRARY).unwrap_or(path);
    path.matches('/').count() + usize::from(!path.ends_with("mod.rs") && path != "lib.rs")
}

/// The names that the code takes from the root of the crate, with the line of each.
fn mentions(code: &str, depth: usize) -> Vec<(usize, &str)> {
    let climb = "super::".repeat(depth);
    let mut found = Vec::new();
    for root in ["crate::", climb.as_str()].into_iter().filter(|root| !root.is_empty()) {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if is_word(before) || before == ':' {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            let names = first_names(&code[at + root.len()..]).into_iter();
            // In a module inside the file, `super` may lead to the file itself: then only the names of layers tell.
            let names =
                names.filter(|name| root == "crate::" || ARROWS.iter().any(|(layer, _)| layer == name));
            found.extend(names.map(|name| (line, name)));
        }
    }
    found
}

/// The first names of a path or of each path in a group: `a` and `d` of `{a::{b, c}, d as e}`.
fn first_names(path: &str) -> Vec<&str> {
    let Some(group) = path.trim_start().strip_prefix('{') else {
        let path = path.trim_start();
        return if path.starts_with('*') { vec!["*"] } else { words(path).next().into_iter().collect() };
    };
    let (mut names, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(words(&group[begin..at]).next());
                begin = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn lines(problems: &[Problem]) -> Vec<usize> {
        problems.iter().map(|problem| problem.line).collect()
    }

    fn arrows_of(path: &str, text: &str) -> Vec<usize> {
        lines(&arrows(&sample(&[
            (&format!("{LIBRARY}{path}"), text),
            (&format!("{LIBRARY}model/value.rs"), "#[macro_export]\nmacro_rules! names { () => {} }"),
        ])))
    }

    #[test]
    fn the_arrows_have_no_cycle() {
        for (place, (name, allowed)) in ARROWS.iter().enumerate() {
            for target in *allowed {
                let earlier = ARROWS[..place].iter().any(|(other, _)| other == target);
                assert!(earlier, "{name} -> {target} does not point upwards in the table");
            }
        }
    }

    #[test]
    fn arrows_that_exist_pass() {
        assert_eq!(arrows_of("election/a.rs", "use crate::model::{Id, names};\nuse super::Shared;"), []);
        assert_eq!(arrows_of("election/a.rs", "use crate::names;\n//! [x](crate::sim)\n/// crate::sim"), []);
        assert_eq!(arrows_of("model/a.rs", "pub use crate::{names};\n$crate::model::Name; super::Id"), []);
        assert_eq!(arrows_of("sim/a.rs", "use crate::{model::Id, network, rng::Rng, sim, trace};"), []);
        assert_eq!(arrows_of("rng.rs", "#[cfg(test)]\nmod tests { use crate::sim::X; use super::*; }"), []);
        assert_eq!(arrows_of("rng.rs", "mod inner { use super::Rng; }"), []);
        assert_eq!(arrows_of("registry.rs", "use crate::{election::A, mutex::B, check, sim};"), []);
        assert_eq!(arrows_of("network/mod.rs", "use super::model::Port; pub(crate) fn f() {}"), []);
    }

    #[test]
    fn tests_in_files_of_their_own_may_go_where_they_like() {
        let user = "use crate::sim::X;";
        let of = |declared: &str, path: &str| {
            let at = |path: &str| format!("{LIBRARY}{path}");
            lines(&arrows(&sample(&[(&at("mutex/mod.rs"), declared), (&at(path), user)])))
        };
        let declared = "#[cfg(test)]\nmod trials;\nmod trial;";
        assert_eq!(of(declared, "mutex/trials.rs"), []);
        assert_eq!(of(declared, "mutex/trials/mod.rs"), []);
        assert_eq!(of(declared, "mutex/trial.rs"), [1]);
        assert_eq!(of(declared, "mutex/trials_of_old.rs"), [1]);
        assert_eq!(of("mod trials;", "mutex/trials.rs"), [1]);
        assert_eq!(of(declared, "election/trials.rs"), [1]);
    }

    #[test]
    fn every_other_arrow_is_reported() {
        assert_eq!(arrows_of("election/a.rs", "\nuse crate::sim::Scenario;"), [2]);
        assert_eq!(arrows_of("election/a.rs", "fn f() { crate::rng::draw() }"), [1]);
        assert_eq!(arrows_of("election/a.rs", "use crate::mutex::Shared;"), [1]);
        assert_eq!(arrows_of("election/a.rs", "use crate::{\n    model::Id,\n    network::{A, B},\n};"), [1]);
        assert_eq!(arrows_of("election/a.rs", "use super::super::sim::X;"), [1]);
        assert_eq!(arrows_of("election/mod.rs", "use super::sim::X;"), [1]);
        assert_eq!(arrows_of("mutex/a/b.rs", "use super::super::super::check::X;"), [1]);
        assert_eq!(arrows_of("mutex/a.rs", "use crate::*;"), [1]);
        assert_eq!(arrows_of("model/a.rs", "use crate::network::Wired; use crate::registry::ALL;"), [1, 1]);
        assert_eq!(arrows_of("model/a.rs", "$crate::sim::run()"), [1]);
        assert_eq!(arrows_of("network/a.rs", "use crate::trace::Event;"), [1]);
        assert_eq!(arrows_of("trace.rs", "use crate::sim::X;"), [1]);
        assert_eq!(arrows_of("sim/a.rs", "use crate::registry::ALL; use crate::election::A;"), [1, 1]);
        assert_eq!(arrows_of("check/a.rs", "use crate::registry::ALL;"), [1]);
        assert_eq!(arrows_of("novelty.rs", "//! A module that nobody put in the table."), [1]);
    }

    #[test]
    fn hidden_inputs_are_reported() {
        let check = |path: &str, text: &str| lines(&hidden_inputs(&sample(&[(path, text)])));
        for (word, _) in HIDDEN_INPUTS {
            assert_eq!(
                check("crates/ringleader/src/mutex/a.rs", &format!("\nuse x::{word};")),
                [2],
                "{word}"
            );
            assert_eq!(
                check("crates/ringleader/src/election/a.rs", &format!("{word}::new()")),
                [1],
                "{word}"
            );
            assert_eq!(check("crates/ringleader/src/sim/a.rs", &format!("use x::{word};")), [], "{word}");
        }
        assert_eq!(check("crates/ringleader/src/mutex/a.rs", "/// A thread.\nlet operand = \"rand\";"), []);
    }
}
