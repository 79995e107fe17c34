//! Traces: written and read back, and every way in which a file can be broken.

use super::*;
use ringleader::sim::{Ids, Schedule};
use ringleader::trace::{Arrival, Event, Fate, Header, Input, Outcome, Sent};
use std::borrow::Cow;

fn header() -> Header {
    Header {
        algorithm: "x".into(),
        n: 2,
        ids: vec![3, 7],
        initiators: vec![0, 1],
        links: "fifo".into(),
        topology: "ring".into(),
        ports: vec![vec![1, 0], vec![0, 1]],
        neighbours: Vec::new(),
        range: 2,
        settings: vec![("ending".into(), "both".into())],
        schedule: "random".into(),
        seed: u64::MAX,
        unsound: true,
        ticks_per_unit: 1,
        max_delay: 1,
        from: Vec::new(),
        clocks: None,
    }
}

fn sent(message: u64, to: u32, fate: Fate) -> Sent {
    Sent {
        message,
        port: 0,
        to,
        kind: "tid".into(),
        fields: vec![("id".into(), "7".into()), ("a".into(), "x \"y\"".into())],
        fate,
    }
}

fn event(time: u64, process: u32, input: Input) -> Event {
    Event {
        time,
        process,
        input,
        choices: Vec::new(),
        rules: Vec::new(),
        sends: Vec::new(),
        outcome: None,
        impossible: None,
        accesses: Vec::new(),
        clock: None,
    }
}

fn events() -> Vec<Event> {
    let deliver = |message| Input::Deliver(vec![Arrival { message, port: 1 }]);
    vec![
        Event {
            choices: vec![2, 0],
            rules: vec!["start".into(), Cow::Borrowed("draw")],
            sends: vec![sent(0, 1, Fate::Travels), sent(1, 1, Fate::Lost), sent(2, 0, Fate::Doubled)],
            ..event(0, 0, Input::Start)
        },
        Event { outcome: Some(Outcome::Leads), ..event(0, 1, deliver(0)) },
        event(4, 0, Input::Deliver(vec![Arrival { message: 2, port: 0 }, Arrival { message: 3, port: 1 }])),
        Event { impossible: Some("no".into()), ..event(4, 0, Input::Timeout("t".into())) },
        event(5, 0, Input::Local("release".into())),
        event(5, 0, Input::Want),
        event(5, 0, Input::Exit),
        event(5, 1, Input::Crash),
        event(5, 0, Input::Suspect(1)),
        event(5, 1, Input::Recover),
    ]
}

fn file() -> String {
    let mut writer = TraceWriter::new(Vec::new(), "ringleader test", &header()).unwrap();
    for event in events() {
        writer.event(&event).unwrap();
    }
    String::from_utf8(writer.end("elected").unwrap()).unwrap()
}

#[test]
fn what_is_written_is_read_back() {
    let recording = read_trace(file().as_bytes()).unwrap();
    assert_eq!(recording.recording.header, header());
    assert_eq!(recording.recording.events, events());
    assert_eq!(recording.by, "ringleader test");
    assert_eq!(recording.end, End { steps: 10, outcome: "elected".into() });
    let scenario = recording.scenario();
    assert!(matches!(scenario.ids, Ids::Listed(ids) if ids == [3, 7]));
    assert!(matches!(scenario.schedule, Schedule::Replay(steps) if steps.events.len() == 10));
    assert!(scenario.unsound);
}

#[test]
fn lines_are_compact() {
    let file = file();
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!(
        lines[1],
        concat!(
            r#"{"t":0,"p":0,"in":"start","choices":[2,0],"rules":["start","draw"],"sends":["#,
            r#"{"m":0,"port":0,"to":1,"kind":"tid","fields":{"id":"7","a":"x \"y\""}},"#,
            r#"{"m":1,"port":0,"to":1,"kind":"tid","fields":{"id":"7","a":"x \"y\""},"fate":"lost"},"#,
            r#"{"m":2,"port":0,"to":0,"kind":"tid","fields":{"id":"7","a":"x \"y\""},"fate":"doubled"}]}"#
        )
    );
    assert_eq!(lines[2], r#"{"t":0,"p":1,"in":{"deliver":[[0,1]]},"out":"leads"}"#);
    assert_eq!(lines[3], r#"{"t":4,"p":0,"in":{"deliver":[[2,0],[3,1]]}}"#);
    assert_eq!(*lines.last().unwrap(), r#"{"end":{"steps":10,"outcome":"elected"}}"#);
}

#[test]
fn windows_line_ends_are_read() {
    assert_eq!(read_trace(file().replace('\n', "\r\n").as_bytes()).unwrap().recording.events, events());
}

/// The message for the file with one text replaced by another.
fn broken(from: &str, to: &str) -> String {
    let file = file();
    assert!(file.contains(from), "{from}");
    read_trace(file.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_broken_file_is_told_by_line_column_and_rule() {
    let cases = [
        (r#"[[0,1]]"#, r#"[[9,1]]"#, "line 3, column 20: message 9 is delivered but was never sent"),
        (r#"[[0,1]]"#, r#"[[1,1]]"#, "line 3, column 20: message 1 is delivered but was lost"),
        (r#"[[0,1]]"#, r#"[[2,1]]"#, "line 3, column 20: message 2 goes to process 0, not to process 1"),
        (r#"[[0,1]]"#, r#"[]"#, "line 3, column 20: a delivery needs a message"),
        (r#"[3,1]]"#, r#"[2,1]]"#, "line 4, column 20: message 2 is delivered after it has arrived"),
        (r#"{"t":4"#, r#"{"t":9"#, "line 5, column 2: time goes back from 9 to 4"),
        (r#""p":1"#, r#""p":2"#, "line 3, column 8: there is no process 2; indices are 0 to 1"),
        (r#""to":1"#, r#""to":4"#, "line 2, column 93: there is no process 4; indices are 0 to 1"),
        (r#""m":1"#, r#""m":0"#, "line 2, column 149: message 0 is sent, the next number is 1"),
        (
            r#"{"suspect":1}"#,
            r#"{"suspect":7}"#,
            "line 10, column 20: there is no process 7; indices are 0 to 1",
        ),
        (r#""ids":[3,7]"#, r#""ids":[3]"#, "line 1, column 77: 1 identities for 2 processes"),
        (
            r#""initiators":[0,1]"#,
            r#""initiators":[0,5]"#,
            "line 1, column 89: there is no process 5; indices are 0 to 1",
        ),
        (r#""links":"fifo""#, r#""links":"lifo""#, "line 1, column 108: there are no links called lifo"),
        (r#""steps":10"#, r#""steps":11"#, "line 12, column 9: the end record counts 11 steps, there are 10"),
        ("elected\"}}\n", "elected\"}}\n{}\n", "line 13, column 1: nothing may follow the end record"),
    ];
    for (from, to, message) in cases {
        assert_eq!(broken(from, to), message);
    }
    let unknown = broken(r#""in":"start""#, r#""in":"begin""#);
    assert!(unknown.starts_with("line 2, column "), "{unknown}");
    assert!(unknown.contains("unknown variant `begin`, expected one of `start`"), "{unknown}");
    let syntax = broken(r#"{"t":4,"#, r#"{"t":4;"#);
    assert!(syntax.starts_with("line 4, column 7: expected `,` or `}`"), "{syntax}");
    let missing = broken(r#""n":2,"#, "");
    assert!(missing.contains("missing field `n`"), "{missing}");
}

#[test]
fn a_cut_file_is_noticed() {
    let whole = file();
    let end = whole.rfind("{\"end\"").unwrap();
    let cut = |at: usize| read_trace(&whole.as_bytes()[..at]).unwrap_err().to_string();
    assert_eq!(cut(end), "line 11: the file ends without an end record: it was cut off after 10 steps");
    assert_eq!(cut(end - 5), "line 11: the file ends without an end record: it was cut off after 9 steps");
    // Wherever it is cut, but for the last newline.
    for at in 0..whole.len() - 1 {
        assert!(read_trace(&whole.as_bytes()[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn other_versions_and_files_are_rejected() {
    let later = broken(
        "ringleader.trace/1\",\"by\":\"ringleader test",
        "ringleader.trace/2\",\"by\":\"ringleader 9.0",
    );
    assert!(
        later.starts_with("written by ringleader 9.0 in format ringleader.trace/2; this is ringleader "),
        "{later}"
    );
    assert!(later.ends_with("which reads ringleader.trace/1: upgrade"), "{later}");
    assert!(broken("ringleader.trace/1", "ringleader.run/1").contains("its schema is ringleader.run/1"));
    for (bytes, message) in [
        (&b""[..], "it does not begin with a header"),
        (b"3\n7\n", "it does not begin with a header"),
        (b"{\"a\":1}\n", "no schema"),
        (b"{\"schema\":\xff}\n", "not UTF-8"),
    ] {
        let error = read_trace(bytes).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
