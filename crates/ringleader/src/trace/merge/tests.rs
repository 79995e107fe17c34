//! Parts of a run are put in an order in which every message is sent before it arrives.

use super::*;
use crate::trace::{Fate, Sent};

fn header() -> Header {
    Header {
        algorithm: "x".into(),
        n: 2,
        ids: vec![1, 2],
        initiators: vec![0, 1],
        links: "fifo".into(),
        topology: "ring".into(),
        ports: Vec::new(),
        neighbours: Vec::new(),
        range: 2,
        settings: Vec::new(),
        schedule: "rounds".into(),
        seed: 1,
        unsound: false,
        ticks_per_unit: 1,
        max_delay: 1,
        from: Vec::new(),
        clocks: None,
    }
}

fn step(time: u64, process: u32, input: Input, sends: &[(u64, u32)]) -> Event {
    let sent = |&(message, to): &(u64, u32)| Sent {
        message,
        port: 0,
        to,
        kind: "m".into(),
        fields: Vec::new(),
        fate: Fate::Travels,
    };
    Event {
        time,
        process,
        input,
        choices: Vec::new(),
        rules: Vec::new(),
        sends: sends.iter().map(sent).collect(),
        outcome: None,
        impossible: None,
        accesses: Vec::new(),
        clock: None,
    }
}

fn deliver(message: u64) -> Input {
    Input::Deliver(vec![Arrival { message, port: 0 }])
}

fn part(events: Vec<Event>) -> Recording {
    Recording { header: header(), events }
}

fn text(merged: &Merged) -> String {
    let line = |event: &Event| {
        let sends: Vec<String> = event.sends.iter().map(|sent| sent.message.to_string()).collect();
        let input = if let Input::Deliver(arrivals) = &event.input {
            format!("gets {}", arrivals[0].message)
        } else {
            format!("{:?}", event.input)
        };
        format!("{} {} {input} [{}]", event.time, event.process, sends.join(","))
    };
    merged.recording.events.iter().map(line).collect::<Vec<_>>().join("; ")
}

#[test]
fn sends_precede_arrivals_whatever_clocks_say() {
    // The clock of process 1 is far behind.
    let zero = part(vec![step(100, 0, Input::Start, &[(700, 1)]), step(120, 0, deliver(900), &[])]);
    let one = part(vec![step(1, 1, Input::Start, &[]), step(2, 1, deliver(700), &[(900, 0)])]);
    let merged = merge(&[one, zero], false).expect("parts of one run");
    assert_eq!(text(&merged), "1 1 Start []; 100 0 Start [0]; 100 1 gets 0 [1]; 120 0 gets 1 []");
    assert_eq!(merged.left_out, 0);
}

#[test]
fn what_depends_on_nothing_recorded_is_left_out() {
    let zero = part(vec![step(1, 0, deliver(5), &[(6, 1)]), step(2, 0, Input::Want, &[])]);
    let one = part(vec![step(1, 1, Input::Start, &[]), step(3, 1, deliver(6), &[])]);
    let merged = merge(&[zero, one], false).expect("parts of one run");
    assert_eq!(text(&merged), "1 1 Start []");
    assert_eq!(merged.left_out, 3);
}

#[test]
fn silence_after_suspicion_is_a_crash() {
    let zero = part(vec![step(1, 0, Input::Start, &[]), step(9, 0, Input::Suspect(1), &[])]);
    let one = part(vec![step(2, 1, Input::Start, &[]), step(20, 1, Input::Want, &[])]);
    let again = part(vec![step(3, 1, Input::Recover, &[]), step(4, 1, Input::Want, &[])]);
    let merged = merge(&[zero, again, one], false).expect("parts of one run");
    assert_eq!(
        text(&merged),
        "1 0 Start []; 2 1 Start []; 20 1 Want []; 20 1 Crash []; 20 0 Suspect(1) []; 23 1 Recover []; \
         24 1 Want []"
    );
}

#[test]
fn a_message_past_a_process_shows_its_crash() {
    let header = Header { n: 3, ids: vec![1, 2, 3], ..header() };
    let part = |events| Recording { header: header.clone(), events };
    // Nobody is told that process 1 is gone; process 0 sends past it, by a clock that is behind.
    let parts = [
        part(vec![step(1, 0, Input::Start, &[(5, 1)]), step(2, 0, Input::Want, &[(6, 2)])]),
        part(vec![step(8, 1, deliver(5), &[(7, 2)])]),
        part(vec![step(9, 2, deliver(7), &[]), step(10, 2, deliver(6), &[])]),
    ];
    let merged = merge(&parts, true).expect("parts of one run");
    assert_eq!(
        text(&merged),
        "1 0 Start [0]; 8 1 gets 0 [1]; 8 1 Crash []; 8 0 Want [2]; 9 2 gets 1 []; 10 2 gets 2 []"
    );
    // Elsewhere messages go where they please.
    assert!(!text(&merge(&parts, false).expect("parts of one run")).contains("Crash"));
}

#[test]
fn parts_of_different_runs_are_refused() {
    let one = part(Vec::new());
    let mut other = part(Vec::new());
    other.header.ids = vec![2, 1];
    assert_eq!(merge(&[one.clone(), other], false), Err(MergeError::Different(1, "the identities")));
    assert_eq!(merge(&[], false), Err(MergeError::Nothing));
    let twice = part(vec![step(1, 0, Input::Start, &[])]);
    assert_eq!(merge(&[twice.clone(), one, twice], false), Err(MergeError::Twice(0, 2, 0)));
    let beyond = part(vec![step(1, 2, Input::Start, &[])]);
    assert_eq!(merge(&[beyond], false), Err(MergeError::NoSuchProcess(0, 2)));
}

#[test]
fn larger_of_two_equal_epochs_is_taken() {
    let part = |process: u32, ids: [u64; 2]| Recording {
        header: Header { ids: ids.to_vec(), ..header() },
        events: vec![step(1, process, Input::Start, &[])],
    };
    let parts = vec![part(0, [2, 1]), part(0, [1, 2]), part(1, [1, 2])];
    assert_eq!(merge(&parts, false), Err(MergeError::Different(1, "the identities")));
    assert_eq!(of_one_run(&parts), [false, true, true]);
    assert!(merge(&parts[1..], false).is_ok());
    // Of two that are as large, the first; of none, none.
    assert_eq!(of_one_run(&parts[..2]), [true, false]);
    assert!(of_one_run(&[]).is_empty());
}
