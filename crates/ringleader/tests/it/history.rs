use crate::engines::eventful;
use crate::support::{all, at_least, entry, record, right};
use ringleader::sim::{Crowd, Fault, Meters, Moved, Observer, Recorder, Scenario, Schedule};
use ringleader::trace::{End, Fate, History, Input, Recording, Standing, VectorClocks, Window};
use ringleader::trace::{Event, Header};

/// Runs of everything, with faults where they are admitted.
fn recordings() -> Vec<(String, Recording)> {
    let mut all = Vec::new();
    for entry in right() {
        for schedule in [Schedule::Rounds, Schedule::Random] {
            let scenario = Scenario {
                schedule,
                seed: 5,
                max_steps: Some(300),
                meters: Meters { depth: true, ..Meters::default() },
                ..Scenario::new(at_least(entry, 4))
            };
            if entry.run(&Scenario { max_steps: Some(1), ..scenario.clone() }, &mut ()).is_ok() {
                all.push((entry.spec.name.to_owned(), record(entry, &scenario).1));
            }
        }
    }
    let faulty = Scenario {
        faults: vec![
            Fault::Duplicate(0.3),
            Fault::Loss(0.2),
            Fault::Crash { process: 1, at: 1 },
            Fault::Recover { process: 1, at: 4 },
        ],
        unsound: true,
        max_steps: Some(200),
        ..Scenario::new(4)
    };
    all.push(("faulty".into(), record(entry("ricart-agrawala"), &faulty).1));
    all
}

#[test]
fn the_past_is_what_the_vector_clocks_say() {
    for (name, recording) in recordings() {
        let history = History::of(&recording);
        let window = Window::whole(&history);
        let clocks: Vec<_> = VectorClocks::new(&history, &window).collect();
        assert_eq!(clocks.len(), history.steps.iter().filter(|step| step.is_local).count(), "{name}");
        let own = |step: usize, clock: &[(u32, u64)]| {
            let process = recording.events[step].process;
            clock.iter().find(|(p, _)| *p == process).map_or(0, |(_, count)| *count)
        };
        for (later, clock) in &clocks {
            let past = history.past(*later);
            for (earlier, other) in &clocks {
                let process = recording.events[*earlier].process;
                let known = clock.iter().find(|(p, _)| *p == process).map_or(0, |(_, count)| *count);
                assert_eq!(past[*earlier], known >= own(*earlier, other), "{name}: {earlier} and {later}");
            }
        }
    }
}

#[test]
fn in_a_window_each_process_still_counts_by_ones() {
    for (name, recording) in recordings() {
        let history = History::of(&recording);
        let window = Window { processes: vec![0, 2], steps: 3..recording.events.len().saturating_sub(2) };
        let mut counts = [0; 16];
        for (step, clock) in VectorClocks::new(&history, &window) {
            let process = recording.events[step].process;
            assert!(window.shows(step, process), "{name}");
            counts[process as usize] += 1;
            assert!(clock.contains(&(process, counts[process as usize])), "{name}: {clock:?}");
            assert!(clock.iter().all(|&(p, count)| count <= counts[p as usize]), "{name}: {clock:?}");
        }
    }
}

#[test]
fn critical_path_matches_the_depth_meter() {
    for entry in right() {
        let scenario = Scenario {
            seed: 3,
            max_steps: Some(500),
            meters: Meters { depth: true, ..Meters::default() },
            ..Scenario::new(at_least(entry, 5))
        };
        let Ok(()) = entry.run(&Scenario { max_steps: Some(1), ..scenario.clone() }, &mut ()).map(drop)
        else {
            continue;
        };
        let (report, recording) = record(entry, &scenario);
        let history = History::of(&recording);
        // The meter counts messages that are sent, the history those that arrive.
        let sent = history.messages.iter().map(|passage| history.steps[passage.sender].depth + 1);
        assert_eq!(report.depth, Some(u64::from(sent.max().unwrap_or(0))), "{}", entry.spec.name);

        let path = history.critical_path();
        let deepest = history.steps.iter().map(|step| step.depth).max().unwrap_or(0);
        let hops = path.windows(2).filter(|pair| {
            assert!(history.steps[pair[1]].causes.contains(&pair[0]), "{}", entry.spec.name);
            recording.events[pair[0]].process != recording.events[pair[1]].process
        });
        assert_eq!(hops.count(), deepest as usize, "{}", entry.spec.name);
    }
}

#[test]
fn every_message_has_its_end() {
    let (_, recording) = recordings().pop().expect("the faulty one is last");
    let history = History::of(&recording);
    let count = |is: fn(&End) -> bool| history.messages.iter().filter(|passage| is(&passage.end)).count();
    let lost = recording.events.iter().flat_map(|event| &event.sends).filter(|sent| sent.fate == Fate::Lost);
    assert_eq!(count(|end| *end == End::LostAtOnce), lost.count());
    assert!(count(|end| matches!(end, End::Arrived(_))) > 0);
    assert!(count(|end| matches!(end, End::Missed(_))) > 0, "messages to the one that is down");
    assert!(history.messages.iter().any(|passage| passage.is_copy));
    for (number, passage) in history.messages.iter().enumerate() {
        assert_eq!(passage.message, number as u64);
    }
    let crash = recording.events.iter().position(|event| event.input == Input::Crash).expect("it crashes");
    assert_eq!(history.steps[crash].standing, Standing::Down);
}

#[test]
fn a_window_says_what_it_leaves_out() {
    let (_, recording) = record(entry("chang-roberts"), &Scenario::new(6));
    let history = History::of(&recording);
    assert!(Window::whole(&history).leaves_out(&history).is_nothing());
    let window = Window { processes: vec![1, 2], steps: 0..12 };
    let left_out = window.leaves_out(&history);
    assert_eq!(left_out.processes, 4);
    let shown = (0..12).filter(|&step| [1, 2].contains(&recording.events[step].process)).count();
    assert_eq!(left_out.steps, recording.events.len() - shown);
    assert!(left_out.halves > 0 && left_out.messages > 0);
    assert!(left_out.halves + left_out.messages <= history.messages.len());
}

/// Keeps the steps of a run, and where each process says that it stands after them.
#[derive(Default)]
struct Asked {
    recorder: Recorder,
    standing: Vec<Standing>,
}

impl Observer for Asked {
    fn wants_events(&self) -> bool {
        true
    }
    fn wants_moves(&self) -> bool {
        true
    }
    fn begins(&mut self, header: &dyn Fn() -> Header) {
        self.recorder.begins(header);
    }
    fn event(&mut self, event: &Event) {
        self.recorder.event(event);
    }
    fn moved(&mut self, moved: &Moved, crowd: &dyn Crowd) {
        self.standing.push(crowd.standing(moved.process));
    }
}

#[test]
fn a_process_stands_where_it_says() {
    for entry in all() {
        for scenario in eventful(entry) {
            let mut asked = Asked::default();
            entry.run(&scenario, &mut asked).expect("it is admitted");
            let recording = asked.recorder.recording().expect("a run begins");
            let history = History::of(&recording);
            for (place, (step, said)) in history.steps.iter().zip(&asked.standing).enumerate() {
                let event = &recording.events[place];
                assert_eq!(step.standing, *said, "{} step {place}: {event:?}", entry.spec.name);
            }
        }
    }
}
