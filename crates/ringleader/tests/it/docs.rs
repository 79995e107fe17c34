//! Every contract of the registry is well-formed: what the faces of the project print can be relied on.

use crate::support::all;
use ringleader::model::{Family, Header, Needs, Shape, errata};
use ringleader::registry::{Entry, find};
use std::collections::BTreeSet;

/// Lower-case words joined by hyphens: `chang-roberts`.
fn is_kebab(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    name.split('-').all(is_part)
}

/// The first element that occurs twice.
fn repeated<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

#[test]
fn names_are_lower_case_words_joined_by_hyphens() {
    for entry in all() {
        // An as-printed variant has an `@` and the number of the erratum.
        for name in entry.spec.name.splitn(2, '@').chain(entry.spec.aliases.iter().copied()) {
            assert!(is_kebab(name), "{}: {name:?}", entry.spec.name);
        }
        for kind in entry.kinds {
            let is_name = kind.split(['-', '_']).all(is_kebab);
            assert!(is_name, "{}: message kind {kind:?}", entry.spec.name);
        }
    }
    for bad in ["", "Peterson", "a--b", "-a", "a_b", "a b"] {
        assert!(!is_kebab(bad), "{bad:?}");
    }
}

#[test]
fn no_name_or_alias_means_two_algorithms() {
    let names = all()
        .iter()
        .flat_map(|entry| [entry.spec.name].into_iter().chain(entry.spec.aliases.iter().copied()));
    assert_eq!(repeated(names), None);
    assert_eq!(repeated(["a", "b", "a"]), Some("a"));
    for entry in all() {
        for name in [entry.spec.name].iter().chain(entry.spec.aliases) {
            assert_eq!(find(all(), name).map(|found| found.spec.name), Some(entry.spec.name));
        }
    }
}

#[test]
fn variant_is_found_by_an_alias() {
    let name = |given| find(all(), given).map(|found| found.spec.name);
    assert_eq!(name("lcr@as-printed"), Some("chang-roberts@as-printed"));
    assert_eq!(name("lcr@never"), None);
    assert_eq!(name("nobody@as-printed"), None);
}

#[test]
fn rules_have_names_of_their_own_and_a_text() {
    for entry in all() {
        let spec = entry.spec;
        assert!(!entry.rules.is_empty(), "{}: no rules", spec.name);
        assert_eq!(repeated(entry.rules.iter().map(|rule| rule.name)), None, "{}", spec.name);
        for rule in entry.rules {
            assert!(!rule.name.trim().is_empty() && !rule.text.trim().is_empty(), "{}: {rule:?}", spec.name);
        }
    }
}

#[test]
fn kinds_settings_and_errata_have_names_of_their_own() {
    for entry in all() {
        let name = entry.spec.name;
        assert!(!entry.kinds.is_empty() || entry.shape == Shape::Memory, "{name}: no messages");
        assert_eq!(entry.kinds.len(), entry.announces.len(), "{name}");
        assert_eq!(repeated(entry.kinds.iter().copied()), None, "{name}: kinds");
        assert_eq!(
            repeated(entry.spec.settings.iter().map(|setting| setting.name)),
            None,
            "{name}: settings"
        );
        let errata = errata(entry.spec.errata_file).unwrap_or_else(|why| panic!("{name}: errata.md, {why}"));
        assert_eq!(repeated(errata.iter().map(|erratum| &*erratum.id)), None, "{name}: errata");
        assert!(entry.spec.settings.len() <= 4, "{name}: a process is told at most four settings");
    }
}

#[test]
fn contracts_say_who_when_and_how() {
    for entry in all() {
        let spec = entry.spec;
        assert!((1960..2100).contains(&spec.year), "{}: year {}", spec.name, spec.year);
        let header = spec.header().unwrap_or_else(|why| panic!("{}: mod.rs, {why}", spec.name));
        let Header { title, idea, needs, cost, source } = header;
        for (what, text) in [("title", title), ("needs", needs), ("source", source), ("cost", cost)] {
            assert!(!text.is_empty() && text.trim() == text, "{}: {what} {text:?}", spec.name);
        }
        assert!(idea.ends_with('.') && !idea.contains("  "), "{}: idea {idea:?}", spec.name);
    }
}

/// An as-printed variant follows the right algorithm, has one erratum in it, and promises what the right one does.
#[test]
fn variant_stands_beside_its_algorithm() {
    let mut right = &all()[0];
    for entry in all() {
        let (name, _) = entry.spec.name.split_once('@').unwrap_or((entry.spec.name, ""));
        if !entry.is_literal() {
            right = entry;
            assert_eq!(entry.erratum(), None);
            continue;
        }
        // An algorithm may have a second form, with a contract of its own and a longer name.
        let beside =
            right.spec.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        assert!(beside, "{} stands below {}", entry.spec.name, right.spec.name);
        assert_eq!(entry.spec.known_errata().len(), 1, "{}", entry.spec.name);
        assert!(right.spec.known_errata().into_iter().any(|erratum| Some(erratum.id) == entry.erratum()));
        assert_eq!(entry.spec.promises, right.spec.promises);
        // What a text may say otherwise is when a process starts.
        let needs = Needs { reached: right.spec.needs.reached, ..entry.spec.needs };
        assert_eq!(needs, right.spec.needs);
        let names = |entry: &Entry| entry.rules.iter().map(|rule| rule.name).collect::<Vec<_>>();
        assert_eq!(names(entry), names(right));
        let changed = entry.rules.iter().zip(right.rules).any(|(text, rule)| text.text != rule.text);
        assert!(changed, "{}: its rules are the right ones", entry.spec.name);
    }
}

/// Options and their values, as a shell would split them: no quotes, nothing that a shell would interpret.
#[test]
fn examples_are_arguments() {
    for entry in all() {
        let (name, example) = (entry.spec.name, entry.spec.example);
        assert!(example.split_whitespace().next().is_some(), "{name}: no example");
        assert!(example.starts_with('-'), "{name}: an example begins with an option: {example:?}");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-,.:@%=_+ ".contains(c);
        assert!(example.chars().all(is_plain), "{name}: a shell would change {example:?}");
        let mut previous_is_value = false;
        for word in example.split(' ') {
            let is_value = !word.starts_with('-');
            assert!(!word.is_empty(), "{name}: two blanks in {example:?}");
            assert!(!(is_value && previous_is_value), "{name}: {word:?} belongs to no option in {example:?}");
            previous_is_value = is_value;
        }
    }
}

#[test]
fn every_algorithm_says_by_which_idea_it_works() {
    for entry in all() {
        let (name, family) = (entry.spec.name, entry.spec.family);
        assert_ne!(family, Family::Own, "{name} names no idea: `.family(Family::..)` in its contract");
        let guards = entry.spec.stabilises();
        assert_eq!(family == Family::Privilege, guards, "{name}");
    }
    let mut words: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), Family::ALL.len(), "each word once");
}
