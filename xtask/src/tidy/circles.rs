//! No circles: a file of a pure crate does not use one that uses it, except within one concept.

use super::source::{code, words};
use super::{File, Problem};
use std::collections::{BTreeMap, BTreeSet};

/// The crates that are looked at.
const CRATES: &[&str] =
    &["crates/ringleader/src/", "crates/ringleader-live/src/", "crates/ringleader-locks/src/"];

/// What is one concept in several files: how their paths begin, and why.
const CONCEPTS: &[(&[&str], &str)] = &[
    (
        &[
            "ringleader::model::elector",
            "ringleader::model::given",
            "ringleader::model::outbox",
            "ringleader::model::process",
        ],
        "a process sends through its outbox, and may be given an election, which is made of processes",
    ),
    (&["ringleader::population"], "the seam: a trait, what passes through it, and the one implementation"),
    (
        &["ringleader::sim::world", "ringleader::sim::intervene", "ringleader::sim"],
        "a world, and what reaches into it",
    ),
    (
        &["ringleader::sim::lane::rounds", "ringleader::sim::lane::threads"],
        "one lane, on one thread or several",
    ),
    (&["ringleader::trace"], "events, and what is said of them"),
    (&["ringleader::mutex::homed_chain"], "one algorithm"),
    (
        &["ringleader_live::group", "ringleader_live::leading", "ringleader_live::steward"],
        "one group: what it does as a member, as a leader and as a steward",
    ),
    (&["ringleader_locks::server"], "one server: a file for each of its tasks"),
];

/// The path of a module: its crate, then its names.
type Module = Vec<String>;

/// Files of these crates that use each other in a circle.
pub(super) fn circles(files: &[File]) -> Vec<Problem> {
    let modules: BTreeMap<Module, (&File, Vec<Use>)> = files
        .iter()
        .filter_map(|file| Some((module(&file.path)?, (file, uses(&code(&file.text))))))
        .collect();
    let edges: BTreeMap<&Module, BTreeSet<&Module>> = modules
        .iter()
        .map(|(module, (_, uses))| {
            let used = uses.iter().filter(|used| !used.is_passed_on);
            let targets = used.filter_map(|used| resolve(&modules, module, &used.path, 8));
            (module, targets.filter(|target| *target != module).collect())
        })
        .collect();
    let mut problems = Vec::new();
    let mut told: BTreeSet<&Module> = BTreeSet::new();
    for (module, (file, _)) in &modules {
        let reached = reachable(&edges, module);
        let circle: BTreeSet<&Module> =
            reached.iter().copied().filter(|other| reachable(&edges, other).contains(module)).collect();
        if circle.is_empty() || told.contains(module) || is_one_concept(&circle) {
            continue;
        }
        let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
        problems.push(file.problem(1, format!("files use each other in a circle: {}", names.join(", "))));
        told.extend(circle);
    }
    problems
}

fn is_one_concept(circle: &BTreeSet<&Module>) -> bool {
    CONCEPTS.iter().any(|(paths, _)| {
        circle.iter().all(|module| {
            let name = module.join("::");
            paths
                .iter()
                .any(|path| name == *path || paths.len() == 1 && name.starts_with(&format!("{path}::")))
        })
    })
}

/// The module that a file is; none if it is only for tests.
fn module(path: &str) -> Option<Module> {
    let root = CRATES.iter().find(|root| path.starts_with(**root))?;
    let name = root.strip_prefix("crates/")?.strip_suffix("/src/")?.replace('-', "_");
    let path = path.strip_prefix(root)?.strip_suffix(".rs")?;
    let mut names: Vec<&str> = path.split('/').collect();
    if names.contains(&"tests") {
        return None;
    }
    if matches!(names.last(), Some(&("mod" | "lib"))) {
        names.pop();
    }
    Some(core::iter::once(name).chain(names.into_iter().map(str::to_owned)).collect())
}

/// A path that a file takes something by.
struct Use {
    path: Vec<String>,
    /// Whether it is only handed on to others: `pub use`, and not mentioned again.
    is_passed_on: bool,
    is_public: bool,
}

/// All paths that a file takes something by.
fn uses(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut statements: Vec<(bool, &str)> = Vec::new();
    for statement in code.split_inclusive(';') {
        let begin = statement.rfind("use ").filter(|at| {
            let line = statement[..*at].rsplit('\n').next().unwrap_or("").trim();
            line.is_empty() || line.starts_with("pub") && !line.contains(' ')
        });
        match begin {
            Some(at) => {
                rest.push_str(&statement[..at]);
                let line = statement[..at].rsplit('\n').next().unwrap_or("");
                statements.push((line.contains("pub"), statement[at + 4..].trim_end_matches(';')));
            }
            None => rest.push_str(statement),
        }
    }
    let mentioned: BTreeSet<&str> = words(&rest).collect();
    for (is_public, tree) in statements {
        for path in paths(tree) {
            let is_mentioned = path.last().is_some_and(|name| mentioned.contains(name.as_str()));
            found.push(Use { path, is_passed_on: is_public && !is_mentioned, is_public });
        }
    }
    for root in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(root) {
            if rest[..at].ends_with(|c: char| c == ':' || c == '$' || c.is_alphanumeric()) {
                continue;
            }
            let end = rest[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(0);
            let path = rest[at..at + end].split("::").map(str::to_owned).collect();
            found.push(Use { path, is_passed_on: false, is_public: false });
        }
    }
    found
}

/// The paths of a tree: `a::b` and `a::c` of `a::{b, c as d}`.
fn paths(tree: &str) -> Vec<Vec<String>> {
    let Some((before, group)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        return vec![path.split("::").map(|name| name.trim().to_owned()).collect()];
    };
    let group = group.trim_end().strip_suffix('}').unwrap_or(group);
    let prefix: Vec<String> =
        before.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[begin..]);
    let inner = parts.into_iter().filter(|part| !part.trim().is_empty()).flat_map(paths);
    inner.map(|path| prefix.iter().cloned().chain(path).collect()).collect()
}

/// The module in which this path ends, seen from this one; through what others hand on.
fn resolve<'a>(
    modules: &'a BTreeMap<Module, (&File, Vec<Use>)>,
    from: &Module,
    path: &[String],
    hops: usize,
) -> Option<&'a Module> {
    let (mut at, mut rest) = (from.clone(), path);
    match rest.first().map(String::as_str)? {
        "crate" => {
            at.truncate(1);
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                at.pop();
                rest = &rest[1..];
            }
        }
        // What another crate has is no business of this one, unless the name is one of its own modules.
        name => {
            at.push(name.to_owned());
            if !modules.contains_key(&at) {
                return None;
            }
            rest = &rest[1..];
        }
    }
    while let Some(name) = rest.first() {
        let deeper: Module = at.iter().chain([name]).cloned().collect();
        if !modules.contains_key(&deeper) {
            break;
        }
        (at, rest) = (deeper, &rest[1..]);
    }
    let (module, (_, uses)) = modules.get_key_value(&at)?;
    let handed_on = rest
        .first()
        .and_then(|name| uses.iter().find(|used| used.is_public && used.path.last() == Some(name)));
    match handed_on {
        Some(used) if hops > 0 => resolve(modules, module, &used.path, hops - 1).or(Some(module)),
        Some(_) | None => Some(module),
    }
}

fn reachable<'a>(edges: &BTreeMap<&'a Module, BTreeSet<&'a Module>>, from: &Module) -> BTreeSet<&'a Module> {
    let mut reached: BTreeSet<&Module> = BTreeSet::new();
    let mut queue: Vec<&Module> = edges.get(from).into_iter().flatten().copied().collect();
    while let Some(module) = queue.pop() {
        if reached.insert(module) {
            queue.extend(edges.get(module).into_iter().flatten().copied());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn files_in_a_circle_are_reported() {
        let round = sample(&[
            ("crates/ringleader/src/sim/mod.rs", "mod a;\nmod b;\npub use b::B;"),
            ("crates/ringleader/src/sim/a.rs", "use super::B;\npub struct A(B);"),
            ("crates/ringleader/src/sim/b.rs", "pub struct B;\nfn f() { crate::sim::a::g() }"),
        ]);
        let problems = circles(&round);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].what.ends_with("ringleader::sim::a, ringleader::sim::b"), "{problems:?}");
    }

    #[test]
    fn what_is_handed_on_is_no_circle() {
        let straight = sample(&[
            ("crates/ringleader/src/sim/mod.rs", "mod a;\nmod b;\npub use {a::A, b::B};\npub struct C;"),
            ("crates/ringleader/src/sim/a.rs", "use super::{B, C};\npub struct A(B, C);"),
            ("crates/ringleader/src/sim/b.rs", "pub struct B; // use super::A;"),
        ]);
        assert_eq!(circles(&straight), []);
    }

    #[test]
    fn one_concept_may_be_a_circle() {
        let group = sample(&[
            ("crates/ringleader-live/src/lib.rs", "mod group;\nmod leading;"),
            ("crates/ringleader-live/src/group.rs", "use super::leading::Leading;"),
            ("crates/ringleader-live/src/leading.rs", "use super::group::Group;"),
        ]);
        assert_eq!(circles(&group), []);
    }
}
