//! The pages of the algorithms: complete, well-formed, and the book of them current.

use super::{json, path, ran, ringleader, run, unfolded};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of `docs` is what the program makes now; `UPDATE=1` writes it anew.
fn is_current(name: &str, now: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var("UPDATE").is_ok_and(|value| value == "1") {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, now).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap();
    let different = written.lines().zip(now.lines()).position(|(written, now)| written != now);
    let line = different.unwrap_or(0) + 1;
    assert!(
        written == now,
        "docs/{name} is not what the program makes, from line {line} on; UPDATE=1 writes it anew"
    );
}

/// The pictures of the README and of the book.
#[test]
fn the_pictures_are_current() {
    // The picture says which file it is of, and by which command.
    let folder = path("pictures");
    fs::create_dir_all(&folder).unwrap();
    let inside = |args: &[&str]| {
        let ran = ran(ringleader(args).current_dir(&folder).output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.err);
    };
    inside(&["run", "franklin", "-n", "6", "--seed", "3", "--force", "--trace", "franklin.rlt"]);
    inside(&["trace", "franklin.rlt", "--critical", "-o", "franklin.svg", "--force"]);
    is_current("franklin.svg", &fs::read_to_string(Path::new(&folder).join("franklin.svg")).unwrap());

    let plot = path("compare-picture.svg");
    let algorithms = ["lcr", "dkr", "hs", "franklin", "higham-przytycka"];
    let options = ["-n", "8..4096", "--runs", "5", "--seed", "1", "--plot", &plot, "--force"];
    assert_eq!(run(&[&["compare"], &algorithms[..], &options].concat()).code, 0);
    is_current("compare.svg", &fs::read_to_string(&plot).unwrap());

    // A day of a client with three true sources and one that is half a second ahead.
    let plot = path("clocks-day.svg");
    let clocks = ["--clock-offset", "0,0,0,500,-300", "--clock-drift", "0,0,0,0,50", "--set", "rounds=1350"];
    let options =
        ["run", "ntp", "--schedule", "delay:uniform:5:30", "--seed", "1", "--plot", &plot, "--force"];
    assert_eq!(run(&[&options[..], &clocks].concat()).code, 0);
    is_current("clocks-day.svg", &fs::read_to_string(&plot).unwrap());
}

/// `docs/reference/algorithms.md` is what `report --all` says; `UPDATE=1` writes it anew.
#[test]
fn algorithm_reference_is_current() {
    let book = run(&["report", "--all"]);
    assert_eq!(book.code, 0, "{}", book.err);
    is_current("reference/algorithms.md", &book.out);
    for entry in ringleader_errata::all().iter().filter(|entry| !entry.is_literal()) {
        assert!(book.out.contains(&format!("\n## {}: ", entry.spec.name)), "{}", entry.spec.name);
    }
}

#[test]
fn report_sections_match_runs() {
    let page = run(&["report", "chang-roberts", "-n", "8,16", "--runs", "3", "--seed", "5"]).out;
    for section in [
        "# chang-roberts: ",
        "## What it needs",
        "## What it promises",
        "## What it costs",
        "## Rules",
        "## Checked",
        "## Measured against the bound",
        "## A run",
        "## What the source text gets wrong",
    ] {
        assert!(page.contains(section), "{section} is not in {page}");
    }
    assert!(page.contains("`chang-roberts@as-printed`"), "{page}");
    let messages = |seed: &str, ids: &str| {
        let run = json(&["run", "chang-roberts", "-n", "8", "--seed", seed, "--ids", ids, "--json"]);
        run["election_messages"].as_u64().unwrap()
    };
    let random = ["5", "6", "7"].map(|seed| messages(seed, "random"));
    let (least, most) = (random.iter().min().unwrap(), random.iter().max().unwrap());
    let row = format!("| {least} | {most} | {} | 36 | 100.0 % |", messages("1", "worst"));
    assert!(page.contains(&row), "{row} is not in {page}");
}

#[test]
fn a_page_in_files_is_whole_and_spoils_nothing() {
    let folder = path("pages");
    let _ = fs::remove_dir_all(&folder);
    let ran = run(&[
        "report",
        "franklin",
        "raymond",
        "itai-rodeh",
        "peterson@as-printed",
        "-o",
        &folder,
        "-n",
        "8",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for name in ["franklin", "raymond", "itai-rodeh", "peterson-as-printed"] {
        let html = fs::read_to_string(Path::new(&folder).join(format!("{name}.html"))).unwrap();
        let markdown = fs::read_to_string(Path::new(&folder).join(format!("{name}.md"))).unwrap();
        assert!(html.matches("<svg").count() >= 1 && html.ends_with("</html>\n"), "{name}");
        // What it links is there.
        for link in markdown.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let svg = fs::read_to_string(Path::new(&folder).join(link)).unwrap();
            assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{link}");
        }
    }
    let again = run(&["report", "franklin", "le-lann", "-o", &folder, "-n", "8"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("exists already") && again.err.contains("--force"), "{}", again.err);
    assert!(!Path::new(&folder).join("le-lann.html").exists(), "all or none");
    assert_eq!(run(&["report", "franklin", "-o", &folder, "-n", "8", "--force"]).code, 0);
    assert_eq!(run(&["report", "franklin", "-o", "/dev/null/x"]).code, 4);
}

#[test]
fn bad_questions_get_an_answer() {
    for (args, said) in [
        (vec!["report", "frankling"], "did you mean `franklin`"),
        (vec!["report"], "ALGORITHM"),
        (vec!["report", "franklin", "--all"], "cannot be used with"),
        (vec!["report", "franklin", "-n", "0"], "-n 0"),
        (vec!["report", "franklin", "-n", "8..4"], "the smaller number comes first"),
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(unfolded(&ran.err).contains(said), "{args:?}: {}", ran.err);
    }
    let object = json(&["report", "franklin", "-n", "8", "--json"]);
    assert_eq!(object["schema"], "ringleader.report/1");
    assert!(object["pages"][0]["markdown"].as_str().unwrap().starts_with("# franklin"));
}
