use crate::{path, ran, ringleader, run};
use std::process::Stdio;

#[test]
fn a_closed_pipe_ends_it_quietly() {
    for args in [
        &["list"][..],
        &["list", "--json"],
        &["show", "peterson"],
        &["man"],
        &["completions", "bash"],
        &["run", "peterson", "--json"],
        &["check", "peterson", "-n", "3"],
        &["compare", "peterson", "lcr", "-n", "8"],
        &["--help"],
    ] {
        let mut child =
            ringleader(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        drop(child.stdout.take());
        let ran = ran(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        assert!(!ran.err.contains("ringleader::"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_closed_pipe_keeps_the_exit_code() {
    for (args, code) in [
        (&["check", "ricart-agrawala@as-printed", "-n", "2"][..], 1),
        (&["check", "ricart-agrawala@as-printed", "-n", "2", "--json"], 1),
        (&["check", "ra", "-n", "4", "--max-states", "100"], 3),
        (&["run", "peterson", "--max-steps", "10"], 3),
        (&["run", "petersen", "--json"], 2),
    ] {
        let mut child =
            ringleader(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        drop(child.stdout.take());
        let ran = ran(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
    }
    // Nor does it matter whether anybody reads the warnings.
    let mut child = ringleader(&["check", "ricart-agrawala@as-printed", "-n", "2", "--range", "3"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn a_full_disk_ends_it_cleanly() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "there is no /dev/full here: a full disk is not tested");
        return;
    };
    for args in [
        &["run", "peterson", "--trace", "/dev/full"][..],
        &["run", "peterson", "-n", "20000", "--trace", "/dev/full"],
        &["run", "ra", "-n", "50", "--schedule", "random", "--trace", "/dev/full"],
        &["check", "peterson", "--links", "bag", "--unsound", "--trace", "/dev/full"],
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("ringleader::output_unwritten"), "{}", ran.err);
        assert!(ran.err.contains("cannot write /dev/full"), "{}", ran.err);
    }
    let ran = ran(ringleader(&["list"]).stdout(full).output().expect("the binary runs"));
    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("cannot write the output"), "{}", ran.err);
}

#[test]
fn a_trace_that_cannot_be_made() {
    let ran = run(&["run", "peterson", "--trace", "/nowhere/x.rlt"]);
    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("cannot write /nowhere/x.rlt"), "{}", ran.err);
    // A refused run spoils no file.
    let kept = crate::file("kept.rlt", "precious");
    assert_eq!(run(&["run", "peterson", "--links", "bag", "--trace", &kept, "--force"]).code, 2);
    assert_eq!(std::fs::read_to_string(path("kept.rlt")).unwrap(), "precious");
}

#[test]
fn a_trace_replaces_no_file_unasked() {
    let kept = crate::file("kept-by-run.rlt", "precious");
    for command in [&["run", "peterson"][..], &["check", "peterson@as-printed", "-n", "2"]] {
        let unasked = [command, &["--trace", &kept]].concat();
        let ran = run(&unasked);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{unasked:?}: {}", ran.err);
        assert!(ran.err.contains("exists already") && ran.err.contains("--force"), "{}", ran.err);
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "precious");
    }
    assert_eq!(run(&["run", "peterson", "--trace", &kept, "--force"]).code, 0);
    assert_eq!(run(&["replay", &kept]).code, 0);
    assert_eq!(run(&["check", "peterson@as-printed", "-n", "2", "--trace", &kept, "--force"]).code, 1);
}

#[test]
#[cfg(target_os = "linux")]
fn a_trace_can_go_to_standard_output() {
    let all = std::fs::File::create(path("stdout.txt")).unwrap();
    let status =
        ringleader(&["run", "peterson", "--json", "--trace", "/dev/stdout"]).stdout(all).status().unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn colour_only_where_it_is_wanted() {
    let coloured = |ran: &crate::Ran| ran.out.contains('\x1b') || ran.err.contains('\x1b');
    assert!(!coloured(&run(&["run", "peterson"])));
    assert!(coloured(&run(&["run", "peterson", "--color", "always"])));
    assert!(coloured(&run(&["run", "petersen", "--color", "always"])));
    let forced = ran(ringleader(&["show", "peterson"]).env("CLICOLOR_FORCE", "1").output().unwrap());
    assert!(coloured(&forced));
    let refused = ran(ringleader(&["show", "peterson"]).env("NO_COLOR", "1").output().unwrap());
    assert!(!coloured(&refused));
    let never = ran(ringleader(&["show", "peterson", "--color", "never"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap());
    assert!(!coloured(&never));
}

#[test]
fn options_from_the_environment() {
    let seeded =
        ran(ringleader(&["run", "peterson", "--json"]).env("RINGLEADER_SEED", "77").output().unwrap());
    assert!(seeded.out.contains("\"seed\":77"), "{}", seeded.out);
}

#[test]
fn words_are_not_data() {
    let ran = run(&["list"]);
    assert!(ran.out.contains("peterson"));
    assert!(ran.err.contains("ringleader show NAME"));
    assert_eq!(run(&["list", "-q"]).err, "");
    assert_eq!(run(&["run", "peterson", "-n", "1000"]).err, "");
}
