//! What people read fits 80 columns where there is no terminal. Commands to copy and tables of data may be wider.

use crate::{file, run};

/// The width that is promised.
const WIDTH: usize = 80;

/// Commands below others, too.
const COMMANDS: [&[&str]; 33] = [
    &[],
    &["list"],
    &["show"],
    &["run"],
    &["check"],
    &["compare"],
    &["worst"],
    &["sweep"],
    &["serve"],
    &["trace"],
    &["replay"],
    &["report"],
    &["up"],
    &["node"],
    &["status"],
    &["doctor"],
    &["cert"],
    &["cert", "init"],
    &["cert", "issue"],
    &["cert", "show"],
    &["lock"],
    &["elect"],
    &["observe"],
    &["locks"],
    &["members"],
    &["resign"],
    &["fence"],
    &["fence", "check"],
    &["fence", "proxy"],
    &["help"],
    &["completions"],
    &["man"],
    &["members", "drain"],
];

fn long(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.chars().count() > WIDTH).collect()
}

/// Lines that may be long: commands to copy.
fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    ["ringleader ", "again:", "see it:", "run it:", "Usage:"].iter().any(|start| line.starts_with(start))
        || line.starts_with("help:   ringleader ")
        || line.starts_with("Example ")
}

#[test]
fn help_fits_80_columns() {
    for command in COMMANDS {
        let help = run(&[command, &["--help"]].concat());
        assert_eq!(help.code, 0, "{command:?}");
        assert_eq!(long(&help.out), Vec::<&str>::new(), "{command:?}");
    }
}

#[test]
fn lists_fit_80_columns_and_break_no_word() {
    for args in [&["list"][..], &["list", "--errata"], &["list", "--problem", "mutex"]] {
        let list = run(args).out;
        assert_eq!(long(&list), Vec::<&str>::new(), "{args:?}");
    }
    let list = run(&["list"]).out;
    let head = list.lines().next().unwrap_or_default();
    for word in ["Election", "year", "network", "messages at worst", "checked"] {
        assert!(head.contains(word), "{head}");
    }
    assert!(list.contains("  peterson                  1982  one-way ring    "), "{list}");
    assert!(list.contains("      needs fifo, distinct-ids\n"), "{list}");
}

#[test]
fn explanations_fit_80_columns() {
    for entry in ringleader_errata::all() {
        let shown = run(&["show", entry.spec.name]).out;
        // Source code and the steps of the example are data.
        let prose = shown.split("\nExample").next().unwrap_or_default();
        let prose = prose.split("\nWhat differs from").next().unwrap_or_default();
        assert_eq!(long(prose), Vec::<&str>::new(), "{}", entry.spec.name);
    }
}

#[test]
fn reports_fit_80_columns() {
    for args in [
        &["run", "franklin", "-n", "40", "--seed", "3"][..],
        &["run", "van-leeuwen-tan-half-duplex", "-n", "9", "--schedule", "delay:uniform:1:10", "--seed", "1"],
        &["run", "ra", "-n", "5", "--entries", "9", "--seed", "2", "--meter", "bits,load,depth"],
        &["run", "raymond", "-n", "7", "--load", "saturated", "--total", "60", "--seed", "3"],
        &["run", "lcr", "--links", "bag", "--crash", "2@1", "--unsound", "--seed", "3"],
        &["run", "peterson@as-printed", "-n", "3", "--seed", "1"],
        &["check", "peterson", "-n", "3", "--all-ids"],
        &["check", "itai-rodeh", "-n", "2"],
        &["check", "bully@as-printed", "-n", "3"],
        &["check", "ricart-agrawala", "-n", "3", "--links", "fifo"],
        &["worst", "lcr", "-n", "6", "--distribution"],
        &["worst", "dkr", "-n", "12", "--search", "--budget", "50"],
        &["compare", "lcr", "dkr", "franklin", "-n", "16,64", "--seed", "7"],
    ] {
        let ran = run(args);
        // Steps, bars and rows of a table are data.
        let is_data = |line: &str| {
            line.contains('█')
                || line.starts_with(['│', '╭', '╞', '╰'])
                || line.trim_start().starts_with(|c: char| c.is_ascii_digit())
        };
        let text = format!("{}{}", ran.out, ran.err);
        let mut prose = long(&text);
        prose.retain(|line| !is_data(line) && !is_command(line));
        assert_eq!(prose, Vec::<&str>::new(), "{args:?}:\n{text}");
        assert!(text.lines().count() > 5, "{args:?}: {text}");
    }
}

#[test]
fn errors_fit_80_columns() {
    let ids = file("wide.ids", format!("1\n2\n{} x\n", " ".repeat(150)));
    let ids = format!("@{ids}");
    let grid = file("wide.toml", format!("algorithm = \"lcr\"\nn = [4]\n{} = 1\n", "x".repeat(200)));
    for args in [
        &[][..],
        &["rum"],
        &["help", "rum"],
        &["run", "petersen"],
        &["run", "lcr", "--schedule", "randm"],
        &["run", "lcr", "--load", "saturatd"],
        &["run", "lcr", "--initiators", "0%"],
        &["run", "lcr", "--initiators", "none"],
        &["run", "lcr", "--ids", "desc"],
        &["run", "lcr", "--ids", &ids],
        &["run", "lcr", "--ids", "3,17,4,17"],
        &["run", "lcr", "--links", "half-duplex"],
        &["run", "peterson", "--links", "bag"],
        &["run", "bully", "--schedule", "random"],
        &["run", "ra", "--crash", "1@2"],
        &["run", "ra", "--lose", "tokn@1"],
        &["run", "central", "--election", "lrc"],
        &["run", "probabilistic-franklin", "--ids", "ascending"],
        &["run", "lcr", "-n", "2^40"],
        &["run", "lcr", "--trace", "/nowhere/x.rlt"],
        &["check", "lcr", "-n", "9", "--all-ids", "--max-states", "100"],
        &["check", "lcr", "-n", "12", "--all-ids"],
        &["check", "ra", "--property", "never"],
        &["compare", "lcr", "ra"],
        &["worst", "ra"],
        &["worst", "lcr", "--constants", "-n", "3"],
        &["sweep", "nowhere.toml"],
        &["sweep", &grid],
        &["replay", "nowhere.rlt"],
        &["trace", "nowhere.rlt"],
        &["node", "--config", "nowhere.toml", "--name", "a"],
        &["lock", "x", "--config", "nowhere.toml", "--", "true"],
        &["up", "-n", "3", "--algorithm", "lcrr"],
    ] {
        let ran = run(args);
        assert_ne!(ran.code, 0, "{args:?}: {}", ran.out);
        let mut lines = long(&ran.err);
        lines.retain(|line| !is_command(line));
        assert_eq!(lines, Vec::<&str>::new(), "{args:?}:\n{}", ran.err);
    }
}
