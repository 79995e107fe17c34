//! What is drawn, and where: geometry first, then the SVG of every algorithm.

use super::*;
use crate::draw::recordings::{everything, faulty, record, ring};
use ringleader::sim::{Entries, Scenario, Workload};
use ringleader::trace::Recording;

fn layout(recording: &Recording, rightward: bool) -> Layout {
    let history = History::of(recording);
    Layout::new(&history, &Window::whole(&history), rightward)
}

fn picture(recording: &Recording, options: &Options) -> Picture {
    let history = History::of(recording);
    draw(&history, &Window::whole(&history), options)
}

/// How many elements have this class.
fn count(svg: &str, class: &str) -> usize {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let has = |node: &roxmltree::Node<'_, '_>| {
        node.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
    };
    let in_legend = |node: &roxmltree::Node<'_, '_>| {
        node.ancestors().any(|above| above.attribute("class") == Some("legend"))
    };
    document.descendants().filter(|node| has(node) && !in_legend(node)).count()
}

#[test]
fn lanes_are_in_ring_order_with_their_identities() {
    let layout = layout(&ring(&[30, 10, 20]), false);
    let names: Vec<&str> = layout.lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names, ["p0 · id 30", "p1 · id 10", "p2 · id 20"]);
    let xs: Vec<f64> = layout.lanes.iter().map(|lane| lane.from.x).collect();
    assert!(xs.is_sorted() && xs[1] - xs[0] == xs[2] - xs[1]);
    assert!(layout.lanes.iter().all(|lane| lane.from.x == lane.to.x && lane.from.y < lane.to.y));
}

#[test]
fn causes_are_above_and_lanes_are_kept() {
    for recording in everything() {
        let history = History::of(&recording);
        let layout = Layout::new(&history, &Window::whole(&history), false);
        let name = &recording.header.algorithm;
        for mark in &layout.marks {
            let lane = layout.lanes.iter().find(|lane| lane.process == mark.process).expect("its lane");
            assert_eq!(mark.at.x, lane.from.x, "{name}");
            assert!(lane.from.y < mark.at.y && mark.at.y < lane.to.y, "{name}");
            for &cause in &history.steps[mark.step].causes {
                let Some(above) = layout.at(cause) else { continue };
                assert!(above.y < mark.at.y, "{name}: step {} is not below {cause}", mark.step);
            }
        }
        for edge in &layout.edges {
            for point in edge.pieces.iter().flat_map(|piece| <[Point; 2]>::from(piece.ends())) {
                assert!(point.x > 0.0 && point.x < layout.width, "{name}");
                assert!(point.y > 0.0 && point.y < layout.height, "{name}");
            }
        }
    }
}

#[test]
fn rightward_is_the_same_turned() {
    let recording = ring(&[3, 1, 2, 4]);
    let (down, right) = (layout(&recording, false), layout(&recording, true));
    assert_eq!(down.marks.len(), right.marks.len());
    assert_eq!(down.edges.len(), right.edges.len());
    for mark in &right.marks {
        let lane = right.lanes.iter().find(|lane| lane.process == mark.process).expect("its lane");
        assert_eq!(mark.at.y, lane.from.y);
        assert!(lane.from.x < mark.at.x && mark.at.x < lane.to.x);
    }
}

#[test]
fn message_across_the_seam_has_two_halves() {
    let recording = ring(&[3, 1, 2, 4]);
    let history = History::of(&recording);
    let layout = Layout::new(&history, &Window::whole(&history), false);
    let mut wraps = 0;
    for edge in &layout.edges {
        let passage = &history.messages[edge.message as usize];
        if passage.from == 3 {
            wraps += 1;
            assert_eq!(edge.pieces.len(), 2);
            let ((_, out), (back, _)) = (edge.pieces[0].ends(), edge.pieces[1].ends());
            assert!(out.x > layout.lanes[3].from.x && back.x < layout.lanes[0].from.x);
            assert!((out.y - back.y).abs() < 1e-6, "it comes in where it left");
            let ends: Vec<u32> = edge.stubs.iter().map(|stub| stub.process).collect();
            assert_eq!(ends, [0, 3]);
        } else {
            assert_eq!(edge.pieces.len(), 1);
            assert!(edge.stubs.is_empty());
        }
    }
    assert!(wraps > 1);
}

#[test]
fn a_message_to_oneself_is_a_loop() {
    let layout = layout(&ring(&[7]), false);
    assert!(layout.edges.iter().any(|edge| matches!(edge.pieces[0], Piece::Loop(_))));
}

#[test]
fn faults_are_to_be_seen() {
    let recording = faulty();
    let history = History::of(&recording);
    let layout = Layout::new(&history, &Window::whole(&history), false);
    let lost = layout.edges.iter().filter(|edge| edge.end == EdgeEnd::Lost).count();
    let ends = |is: fn(End) -> bool| history.messages.iter().filter(|passage| is(passage.end)).count();
    assert_eq!(lost, ends(|end| matches!(end, End::LostAtOnce | End::Lost(_) | End::Missed(_))));
    let copies = history.messages.iter().filter(|passage| passage.is_copy).count();
    assert_eq!(layout.edges.iter().filter(|edge| edge.fork.is_some()).count(), copies);
    assert!(copies > 0 && lost > 0);
    let down: Vec<&Span> = layout.spans.iter().filter(|span| span.kind == SpanKind::Down).collect();
    assert_eq!(down.len(), 1);
    assert_eq!(down[0].process, 1);
    assert!(down[0].to.y < layout.lanes[1].to.y, "it recovers");
    let svg = picture(&recording, &Options::default()).svg;
    assert_eq!(count(&svg, "cross"), lost);
    assert_eq!(count(&svg, "down"), 1);
    assert_eq!(count(&svg, "fork"), copies);
}

#[test]
fn users_wait_and_are_inside() {
    let workload = Workload { entries: Entries::Each(2), hold: 3, ..Workload::default() };
    let recording = record("ricart-agrawala", &Scenario { workload, ..Scenario::new(3) });
    let layout = layout(&recording, false);
    let inside: Vec<&Span> = layout.spans.iter().filter(|span| span.kind == SpanKind::Inside).collect();
    assert_eq!(inside.len(), 6);
    // Never two inside: the bars do not overlap in time.
    let mut times: Vec<(f64, f64)> = inside.iter().map(|span| (span.from.y, span.to.y)).collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{times:?}");
    assert!(layout.spans.iter().any(|span| span.kind == SpanKind::Waiting));
}

#[test]
fn what_is_still_on_its_way_is_dashed() {
    let scenario = Scenario { max_steps: Some(6), ..Scenario::new(4) };
    let recording = record("chang-roberts", &scenario);
    let svg = picture(&recording, &Options::default()).svg;
    let waiting = History::of(&recording).messages.iter().filter(|p| p.end == End::InTransit).count();
    assert!(waiting > 0);
    assert_eq!(count(&svg, "transit"), waiting);
}

#[test]
fn the_past_of_a_step_stands_out() {
    let recording = ring(&[3, 1, 2, 4]);
    let history = History::of(&recording);
    let past = history.past(7);
    let svg = picture(&recording, &Options { past: Some(7), ..Options::default() }).svg;
    let dim_messages = history
        .messages
        .iter()
        .filter(|passage| !matches!(passage.end, End::Arrived(step) if past[step]))
        .count();
    let dim_steps = past.iter().filter(|in_past| !**in_past).count();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let dim = |class: &str| {
        let classes = document.descendants().filter_map(|node| node.attribute("class"));
        classes.filter(|classes| classes.starts_with(class) && classes.ends_with(" dim")).count()
    };
    assert_eq!(dim("event"), dim_steps);
    assert_eq!(dim("message"), dim_messages);
    assert!(dim_steps > 0 && dim_messages > 0);
    assert_eq!(count(&picture(&recording, &Options::default()).svg, "dim"), 0);
}

#[test]
fn the_critical_path_is_drawn_when_asked_for() {
    let recording = ring(&[3, 1, 2, 4]);
    assert_eq!(count(&picture(&recording, &Options::default()).svg, "path"), 0);
    let svg = picture(&recording, &Options { critical: true, ..Options::default() }).svg;
    assert_eq!(count(&svg, "path"), 1);
    assert!(svg.contains("critical path: 8 messages"), "4 to elect and 4 to announce");
}

#[test]
fn every_run_can_be_drawn_and_is_well_formed() {
    for (place, recording) in everything().iter().enumerate() {
        let options = Options {
            rightward: place % 2 == 1,
            dark: place % 3 == 1,
            critical: place % 3 == 0,
            past: (place % 5 == 0).then_some(recording.events.len() / 2),
            again: "ringleader trace a&b<c>.rlt --to svg".into(),
        };
        let picture = picture(recording, &options);
        let history = History::of(recording);
        let name = &recording.header.algorithm;
        assert_eq!(
            count(&picture.svg, "event"),
            history.steps.iter().filter(|s| s.is_local).count(),
            "{name}"
        );
        assert_eq!(count(&picture.svg, "message"), history.messages.len(), "{name}");
        assert_eq!(count(&picture.svg, "lane"), recording.header.n as usize, "{name}");
        assert!(!picture.svg.contains("NaN") && !picture.svg.contains("inf"), "{name}");
        assert!(picture.notes.is_empty(), "{name}: {:?}", picture.notes);
    }
}

#[test]
fn the_same_run_gives_the_same_picture() {
    let options = Options { critical: true, ..Options::default() };
    assert_eq!(picture(&faulty(), &options).svg, picture(&faulty(), &options).svg);
}

#[test]
fn labels_do_not_touch_each_other() {
    let layout = layout(&ring(&[8, 7, 6, 5, 4, 3, 2, 1]), false);
    assert!(layout.labels.len() * 2 > layout.edges.len(), "most messages have room for their text");
    for (place, one) in layout.labels.iter().enumerate() {
        for other in &layout.labels[place + 1..] {
            let apart = (one.at.x - other.at.x).hypot(one.at.y - other.at.y);
            assert!(apart > 10.0, "{one:?} {other:?}");
        }
    }
}

#[test]
fn what_is_too_much_is_cut_and_said() {
    let recording = record("chang-roberts", &Scenario::new(400));
    let picture = picture(&recording, &Options::default());
    assert_eq!(count(&picture.svg, "lane"), LANES_MAX);
    assert!(count(&picture.svg, "message") <= MESSAGES_MAX + LANES_MAX);
    assert!(picture.notes[0].starts_with("the first 200 of 400 processes are drawn"), "{:?}", picture.notes);
    assert!(picture.svg.contains("the first 200 of 400 processes"), "the picture says it as well");

    let busy = record("ricart-agrawala", &Scenario::new(60));
    let cut = self::picture(&busy, &Options::default());
    assert!(count(&cut.svg, "message") <= MESSAGES_MAX);
    assert!(cut.notes[0].contains("messages are not"), "{:?}", cut.notes);
}

#[test]
fn sends_out_of_the_picture_are_drawn_once() {
    let recording = record("ricart-agrawala", &Scenario { max_steps: Some(700), ..Scenario::new(300) });
    let history = History::of(&recording);
    let window = Window { processes: (0..4).collect(), steps: 0..700 };
    let picture = draw(&history, &window, &Options::default());
    let steps = count(&picture.svg, "event");
    assert!(steps > 8, "many messages that nobody sees do not shorten the picture");
    assert!(count(&picture.svg, "stub") <= 3 * steps, "{} stubs", count(&picture.svg, "stub"));
    assert!(picture.notes.iter().any(|note| note.contains("end at the edge")), "{:?}", picture.notes);
}

#[test]
fn a_window_says_what_it_shows() {
    let recording = ring(&[6, 5, 4, 3, 2, 1]);
    let history = History::of(&recording);
    let window = Window { processes: vec![1, 2, 3], steps: 4..20 };
    let picture = draw(&history, &window, &Options::default());
    assert_eq!(count(&picture.svg, "lane"), 3);
    assert!(picture.notes[0].contains("of 6 processes"), "{:?}", picture.notes);
    assert!(picture.notes[1].contains("end at the edge"), "{:?}", picture.notes);
    assert!(count(&picture.svg, "stub") > 0);
    // Nothing to show is a picture as well.
    let empty = Window { processes: vec![5], steps: 0..1 };
    assert_eq!(count(&draw(&history, &empty, &Options::default()).svg, "event"), 0);
}
