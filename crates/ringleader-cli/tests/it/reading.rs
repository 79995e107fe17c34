use crate::{json, path, run};

#[test]
fn list_can_be_filtered() {
    let names = |args: &[&str]| -> Vec<String> {
        let args = [&["list", "--json"], args].concat();
        let list = json(&args);
        assert_eq!(list["schema"], "ringleader.list/1");
        let rows = list["algorithms"].as_array().unwrap();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = names(&["--errata"]);
    assert_eq!(all, ringleader_errata::all().iter().map(|entry| entry.spec.name).collect::<Vec<_>>());
    assert!(names(&[]).iter().all(|name| !name.contains('@')));
    assert!(names(&["--problem", "mutex"]).contains(&"ricart-agrawala".to_owned()));
    assert!(!names(&["--problem", "mutex"]).contains(&"peterson".to_owned()));
    assert!(names(&["--topology", "one-way"]).contains(&"peterson".to_owned()));
    assert!(!names(&["--topology", "two-way"]).contains(&"peterson".to_owned()));
    assert!(names(&["--topology", "complete"]).contains(&"bully".to_owned()));
    let rings = names(&["--topology", "ring"]);
    assert!(rings.contains(&"peterson".to_owned()) && rings.contains(&"franklin".to_owned()));
    let row = &json(&["list", "--json"])["algorithms"][0];
    let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "name",
            "problem",
            "title",
            "year",
            "source",
            "topology",
            "needs",
            "bound",
            "aliases",
            "erratum",
            "checked_up_to",
            "family"
        ]
    );
    let table = run(&["list"]).out;
    assert!(
        ringleader_errata::all().iter().all(|entry| entry.is_literal() != table.contains(entry.spec.name))
    );
}

#[test]
fn as_printed_variants_are_labelled() {
    let table = run(&["list", "--errata"]).out;
    for entry in ringleader_errata::all().iter().filter(|entry| entry.is_literal()) {
        let (name, erratum) = (entry.spec.name, entry.erratum().expect("it has an erratum"));
        let row = table.split(&format!("\n  {name}")).nth(1).unwrap_or_else(|| panic!("{name}: {table}"));
        let row: String = row.lines().take(3).collect();
        assert!(row.contains(&format!("as printed, with erratum {erratum}")), "{name}: {row}");
        let label = format!("broken on purpose: as printed in the source, with erratum {erratum} in it");
        assert!(run(&["show", name]).out.contains(&label), "{name}");
        assert_eq!(json(&["show", name, "--json"])["erratum"], erratum);
        let example: Vec<&str> = ["run", name].into_iter().chain(entry.spec.example.split(' ')).collect();
        let seen = run(&example);
        assert!(seen.out.contains(&label), "{name}: {}", seen.out);
        assert!([1, 3].contains(&seen.code), "{name}: nothing goes wrong in the example: {}", seen.out);
        assert_eq!(json(&[&example[..], &["--json"]].concat())["broken_on_purpose"], true);
    }
    assert!(json(&["show", "peterson", "--json"])["erratum"].is_null());
    // It would run for ever; nobody has to wait for that.
    let endless = run(&["run", "peterson@as-printed", "-n", "3", "--seed", "1"]);
    assert_eq!(endless.code, 3);
    assert!(endless.out.contains("1,000,000 steps"), "{}", endless.out);
}

#[test]
fn every_algorithm_can_be_shown() {
    for entry in ringleader_errata::all() {
        let shown = run(&["show", entry.spec.name]);
        assert_eq!(shown.code, 0, "{}: {}", entry.spec.name, shown.err);
        for title in ["Idea", "Model", "Messages", "Rules", "Promises", "Costs", "Source", "Example"] {
            // Processes that share registers send nothing.
            let has_it = title != "Messages" || !entry.kinds.is_empty();
            assert_eq!(shown.out.contains(title), has_it, "{}: {title}", entry.spec.name);
        }
        let object = json(&["show", entry.spec.name, "--json"]);
        assert_eq!(object["schema"], "ringleader.show/1");
        assert!(!object["example"]["transcript"].as_array().unwrap().is_empty());
    }
}

#[test]
fn an_example_in_words() {
    let shown = run(&["show", "lcr"]).out;
    let example = shown.split("Example").nth(1).unwrap();
    snapbox::assert_data_eq!(
        example.to_owned(),
        snapbox::str![[r#"
   ringleader run chang-roberts --ids 3,7,4,1 --seed 1

  round
  0  p0 starts                        [start]    sends election(3) to p1
  0  p1 starts                        [start]    sends election(7) to p2
  0  p2 starts                        [start]    sends election(4) to p3
  0  p3 starts                        [start]    sends election(1) to p0
  1  p0 receives election(1) from p3  [swallow]
  1  p1 receives election(3) from p0  [swallow]
  1  p2 receives election(7) from p1  [larger]   sends election(7) to p3
  1  p3 receives election(4) from p2  [larger]   sends election(4) to p0
  2  p0 receives election(4) from p3  [larger]   sends election(4) to p1
  2  p3 receives election(7) from p2  [larger]   sends election(7) to p0
  3  p0 receives election(7) from p3  [larger]   sends election(7) to p1
  3  p1 receives election(4) from p0  [swallow]
  4  p1 receives election(7) from p0  [home]     sends elected(7) to p2  → LEADS
  5  p2 receives elected(7) from p1   [elected]  sends elected(7) to p3  → lost
  6  p3 receives elected(7) from p2   [elected]  sends elected(7) to p0  → lost
  7  p0 receives elected(7) from p3   [elected]  sends elected(7) to p1  → lost
  8  p1 receives elected(7) from p0   [elected]

"#]]
    );
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(script.out.contains("schedule"), "{shell}");
        assert!(script.out.contains("all-ids"), "{shell}");
        assert!(script.out.contains("listen"), "{shell}");
    }
    // What a user of that shell is offered after `run`, and after `up --algorithm`.
    for (shell, offered) in [
        ("bash", ["--version le-lann chang-roberts ", "-W \"le-lann chang-roberts "]),
        ("zsh", ["the names:(le-lann chang-roberts ", "ALGORITHM:(le-lann chang-roberts "]),
        ("fish", ["subcommand run\" -f -a \"le-lann chang-roberts ", "\nchang-roberts\\t"]),
    ] {
        let script = run(&["completions", shell]).out;
        for text in offered {
            assert!(script.contains(text), "{shell}: {text}");
        }
    }
    // They are hints: the command knows more names than these.
    assert_eq!(run(&["show", "peterson@as-printed"]).code, 0);
    assert_eq!(run(&["show", "no-such-one"]).code, 2);
    assert_eq!(json(&["completions", "bash", "--json"])["schema"], "ringleader.completions/1");
    assert!(run(&["man"]).out.contains(".TH"));
    let directory = path("man");
    assert_eq!(run(&["man", "-o", &directory]).code, 0);
    for page in [
        "ringleader.1",
        "ringleader-run.1",
        "ringleader-check.1",
        "ringleader-replay.1",
        "ringleader-serve.1",
    ] {
        assert!(std::path::Path::new(&directory).join(page).exists(), "{page}");
    }
    assert_eq!(run(&["man", "-o", "/dev/null/x"]).code, 4);
}

#[test]
fn help_says_what_there_is() {
    let help = run(&["--help"]);
    assert_eq!(help.code, 0);
    for command in ["list", "show", "run", "check", "replay", "serve", "completions", "man", "Exit codes"] {
        assert!(help.out.contains(command), "{command}");
    }
    assert!(run(&["run", "--help"]).out.contains("--partition"));
    assert!(run(&["check", "--help"]).out.contains("--max-states"));
    assert!(run(&["--version"]).out.starts_with("ringleader "));
}
