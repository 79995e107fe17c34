//! The catalogue of algorithms is complete, and every entry introduces itself.

use super::layers::{LIBRARY, is_among_algorithms};
use super::source::{code, words};
use super::{File, Problem};

/// What the header of an algorithm tells, in this order.
const HEADINGS: &[&str] = &["**Idea.**", "**Needs.**", "**Cost.**", "**Source.**"];

/// Files beside the algorithms that are none: parts that several of them share. Each has its reason.
const HELPERS: &[&str] = &[];

/// The module name of an algorithm's file, and its folder: `("election", "peterson")`.
fn algorithm(path: &str) -> Option<(&str, &str)> {
    let (folder, rest) = path.strip_prefix(LIBRARY)?.split_once('/')?;
    let name = rest.strip_suffix("/mod.rs").or_else(|| rest.strip_suffix(".rs"))?;
    let is_one =
        is_among_algorithms(path) && name != "mod" && !name.contains('/') && !HELPERS.contains(&rest);
    is_one.then_some((folder, name))
}

/// Every algorithm has its `mod` line and its place in the registry; nothing is declared that is not there.
pub(super) fn registered(files: &[File]) -> Vec<Problem> {
    let registry = files.iter().find(|file| file.path == format!("{LIBRARY}registry.rs"));
    let registry = registry.map(|file| code(&file.text)).unwrap_or_default();
    let mut problems = Vec::new();
    for file in files {
        let Some((folder, name)) = algorithm(&file.path) else { continue };
        let contents = format!("{LIBRARY}{folder}/mod.rs");
        let Some(contents) = files.iter().find(|file| file.path == contents) else {
            problems.push(file.problem(1, format!("there is no {folder}/mod.rs to declare it")));
            continue;
        };
        let contents = code(&contents.text);
        if !declares(&contents, name) {
            problems.push(file.problem(1, format!("{folder}/mod.rs has no line `mod {name};`")));
        } else if !exports(&contents, name).iter().any(|export| words(&registry).any(|word| word == *export))
        {
            problems.push(
                file.problem(
                    1,
                    format!("nothing that {folder}/mod.rs exports from `{name}` is in registry.rs"),
                ),
            );
        }
    }
    problems
}

fn declares(contents: &str, module: &str) -> bool {
    contents
        .split(';')
        .any(|statement| words(statement).collect::<Vec<_>>().windows(2).any(|pair| pair == ["mod", module]))
}

/// What a `mod.rs` re-exports from one of its modules.
fn exports<'a>(contents: &'a str, module: &str) -> Vec<&'a str> {
    contents
        .split(';')
        .filter_map(|statement| {
            let path: Vec<&str> = words(statement).skip_while(|word| *word != "use").skip(1).collect();
            let path = path.strip_prefix(&["self"]).unwrap_or(&path).to_vec();
            (path.first() == Some(&module)).then(|| path[1..].to_vec())
        })
        .flatten()
        .collect()
}

/// Every source file says what it is for; every algorithm gives its idea, needs, cost and source.
pub(super) fn headers(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.path.contains("/src/")) {
        let header: Vec<&str> = file.text.lines().take_while(|line| line.starts_with("//!")).collect();
        if header.is_empty() {
            problems
                .push(file.problem(1, "the file does not begin with a `//!` line that says what it is for"));
        }
        if algorithm(&file.path).is_some() {
            let mut place = 0;
            for heading in HEADINGS {
                match header.iter().skip(place).position(|line| line.contains(heading)) {
                    Some(lines) => place += lines,
                    None => {
                        problems.push(file.problem(1, format!("the header has no {heading} in its place")))
                    }
                }
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    const ELECTION: &str = "crates/ringleader/src/election/mod.rs";
    const PETERSON: &str = "crates/ringleader/src/election/peterson.rs";
    const REGISTRY: &str = "crates/ringleader/src/registry.rs";
    const ENTRY: &str = "static ALL: &[Entry] = &[Entry::election::<Peterson>()];";

    fn unregistered(contents: &str, registry: &str) -> usize {
        registered(&sample(&[(ELECTION, contents), (PETERSON, ""), (REGISTRY, registry)])).len()
    }

    #[test]
    fn what_is_registered_passes() {
        assert_eq!(unregistered("mod peterson;\npub use peterson::Peterson;", ENTRY), 0);
        assert_eq!(unregistered("pub mod peterson;\npub use self::peterson::{Msg, Peterson};", ENTRY), 0);
    }

    #[test]
    fn what_is_not_registered_is_reported() {
        assert_eq!(unregistered("", ENTRY), 1);
        assert_eq!(unregistered("// mod peterson;\npub use peterson::Peterson;", ENTRY), 1);
        assert_eq!(unregistered("mod peterson;\npub use peterson::Peterson;", ""), 1);
        assert_eq!(unregistered("mod peterson;\npub use peterson::Peterson;", "// Peterson"), 1);
        assert_eq!(unregistered("mod peterson;\npub use other::Peterson;", ENTRY), 1);
        assert_eq!(unregistered("mod peterson_improved;\npub use peterson::Peterson;", ENTRY), 1);
        assert_eq!(registered(&sample(&[(PETERSON, ""), (REGISTRY, ENTRY)])).len(), 1);
        assert_eq!(registered(&sample(&[("crates/ringleader/src/mutex/a/mod.rs", "")])).len(), 1);
    }

    #[test]
    fn a_missing_header_is_reported() {
        let whole =
            "//! A.\n//!\n//! **Idea.** B.\n//! **Needs.** C.\n//! **Cost.** D.\n//! **Source.** E.\n";
        assert_eq!(headers(&sample(&[(PETERSON, whole)])), []);
        for heading in HEADINGS {
            assert_eq!(headers(&sample(&[(PETERSON, &whole.replace(heading, ""))])).len(), 1, "{heading}");
        }
        assert_eq!(headers(&sample(&[(PETERSON, &whole.replace("**Source.**", "\n//! **Source.**"))])), []);
        assert_eq!(headers(&sample(&[(PETERSON, "")])).len(), 5);
        assert_eq!(headers(&sample(&[("crates/a/src/b.rs", "//! What it is for.\n")])), []);
        assert_eq!(headers(&sample(&[("crates/a/src/b.rs", "\n//! Too late.\n")])).len(), 1);
        assert_eq!(headers(&sample(&[("examples/a/src/main.rs", "// Not a header.\n")])).len(), 1);
    }
}
