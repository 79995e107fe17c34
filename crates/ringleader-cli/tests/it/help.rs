//! The `help` command, and quiet runs.

use crate::{json, run};

#[test]
fn help_lists_commands_in_groups() {
    let help = run(&["help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    let mut rest = help.out.as_str();
    for word in ["Study\n", "  check ", "Look\n", "  serve ", "Network\n", "  node ", "Locks\n", "  lock "] {
        let at = rest.find(word).unwrap_or_else(|| panic!("no {word} in its place:\n{}", help.out));
        rest = &rest[at..];
    }
    assert!(!help.out.contains("lease-warden"), "{}", help.out);
    assert_eq!(run(&["--help"]).out, help.out);
}

#[test]
fn help_of_a_command_is_its_own() {
    for command in [&["run"][..], &["cert", "issue"], &["help"]] {
        let asked = run(&[&["help"], command].concat());
        let own = run(&[command, &["--help"]].concat());
        assert_eq!((asked.code, asked.out), (0, own.out), "{command:?}");
    }
    let object = json(&["help", "run", "--json"]);
    assert_eq!(
        (&object["schema"], &object["command"]),
        (&"ringleader.help/1".into(), &"ringleader run".into())
    );
}

#[test]
fn help_suggests_a_command() {
    let unknown = run(&["help", "chek"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("ringleader::unknown_command"), "{}", unknown.err);
    assert!(unknown.err.contains("did you mean `check`?"), "{}", unknown.err);
    let below = run(&["help", "cert", "isue"]);
    assert!(below.err.contains("did you mean `issue`?"), "{}", below.err);
    assert!(below.err.contains("ringleader help cert"), "{}", below.err);
}

#[test]
fn quiet_commands_print_errors_only() {
    for (args, code) in [
        (&["run", "peterson", "--seed", "1"][..], 0),
        (&["run", "peterson@as-printed", "-n", "3", "--seed", "1"], 3),
        (&["check", "peterson", "-n", "3"], 0),
        (&["check", "ricart-agrawala@as-printed", "-n", "2"], 1),
        (&["compare", "lcr", "dkr", "-n", "16", "--seed", "7"], 0),
        (&["worst", "lcr", "-n", "5"], 0),
    ] {
        let ran = run(&[args, &["-q"]].concat());
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (code, "", ""), "{args:?}");
        let object = json(&[args, &["-q", "--json"]].concat());
        assert!(object["schema"].is_string(), "{args:?}");
    }
    let wrong = run(&["run", "petersen", "-q"]);
    assert!(wrong.code == 2 && wrong.err.contains("unknown_algorithm"), "{}", wrong.err);
}
