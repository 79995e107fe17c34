use crate::json;
use std::path::Path;

/// A transcript of the library begins with a command. The real command line understands it the same way.
#[test]
fn the_scenarios_of_transcripts_are_commands() {
    let mut folders = vec![
        Path::new("../ringleader/src/election").to_owned(),
        Path::new("../ringleader/src/mutex").to_owned(),
    ];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the transcripts of the library") {
            let path = entry.expect("a folder can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if !path.components().any(|part| part.as_os_str() == "runs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a transcript is text");
            let command = text.lines().find(|line| !line.starts_with('#')).expect("a scenario");
            let words: Vec<&str> = command.split_whitespace().chain(["--json"]).collect();
            assert!(words.contains(&"--seed"), "{}: without a seed it would vary", path.display());
            let run = json(&words);
            let outcome = format!("\n{}: ", run["outcome"].as_str().unwrap_or("?"));
            let messages = format!("\n{} messages: ", run["messages"]["total"]);
            assert!(text.contains(&outcome) && text.contains(&messages), "{}: {run}", path.display());
            count += 1;
        }
    }
    assert!(count > 0);
}
