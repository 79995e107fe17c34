//! The printed versions as sources: they read like the right ones.

use ringleader_errata::{all, versions};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn versions_are_listed_after_the_right_algorithm() {
    let names: Vec<&str> = all().iter().map(|entry| entry.spec.name).collect();
    for version in versions() {
        let name = version.entry.spec.name;
        assert_eq!(names.contains(&name), version.listed, "{name}");
        if version.listed {
            let place = names.iter().position(|other| *other == name).expect("it is listed");
            let right = names[..place].iter().rfind(|name| !name.contains('@'));
            assert_eq!(right, Some(&version.of), "{name}");
        }
    }
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "a name is there twice");
}

#[test]
fn version_has_the_changed_header_and_source() {
    let version = versions().iter().find(|version| version.entry.spec.name == "peterson@as-printed");
    let spec = version.expect("it is a version").entry.spec;
    assert_eq!(spec.prose().title, "Peterson, as printed");
    assert!(spec.prose().idea.starts_with("As printed, a process that sees its own identity sets a flag"));
    assert!(spec.file.contains("self.elected = true;") && !spec.file.contains("Mode::Leader;"));
    let errata: Vec<String> = spec.known_errata().into_iter().map(|erratum| erratum.id).collect();
    assert_eq!(errata, ["000-1"]);
}

/// Who opens a version in an editor sees a source as it should be.
#[test]
fn versions_are_formatted() {
    let mut wrong = Vec::new();
    for version in versions() {
        let spec = version.entry.spec;
        let rustfmt = Command::new("rustfmt")
            .args(["--check", "--edition", "2024", "--config-path", "../../rustfmt.toml"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut rustfmt) = rustfmt else {
            assert!(std::env::var_os("CI").is_none(), "rustfmt is missing: rustup component add rustfmt");
            let notice = "skipped: there is no rustfmt; `rustup component add rustfmt` installs it\n";
            std::io::stderr().write_all(notice.as_bytes()).expect("a notice");
            return;
        };
        let input = rustfmt.stdin.take().expect("it reads its input");
        (&input).write_all(spec.file.as_bytes()).expect("it reads its input");
        drop(input);
        let answer = rustfmt.wait_with_output().expect("it ends");
        if !answer.status.success() {
            wrong.push(format!("{}\n{}", spec.name, String::from_utf8_lossy(&answer.stdout)));
        }
    }
    assert!(wrong.is_empty(), "- is what the changes give, + is how it should be\n{}", wrong.join("\n"));
}
