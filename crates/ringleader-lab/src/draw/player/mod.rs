//! A page that plays a run: one file, which needs nothing else and asks nobody for anything.

use crate::draw::spacetime;
use crate::draw::xml::escaped;
use ringleader::trace::{End, Header, History, Input, Narrator, Standing, Window, message};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the page says beside what the run says itself.
#[derive(Clone, Default, Debug)]
pub struct About {
    /// The command that makes this page; empty if there is none.
    pub again: String,
    /// The rules of the algorithm, in words, by their names.
    pub rules: Vec<(String, String)>,
}

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The HTML.
    pub html: String,
    /// What was cut, in words; the page says it as well.
    pub notes: Vec<String>,
}

/// The page that plays the part of a run that a window shows.
#[must_use]
pub fn page(history: &History<'_>, window: &Window, about: &About) -> Page {
    let picture = spacetime::draw_for_page(history, window);
    let (window, _) = spacetime::fit(history, window);
    let header = &history.recording.header;
    let data = serde_json::to_string(&Data::new(history, &window, about)).unwrap_or_default();
    let notes: String =
        picture.notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", escaped(note))).collect();
    let again = match about.again.as_str() {
        "" => String::new(),
        command => format!("<p>Made by <code>{}</code></p>", escaped(command)),
    };
    let title = format!("{} among {} processes", header.algorithm, header.n);
    let html = filled(
        include_str!("page.html"),
        &[
            ("title", &escaped(&title)),
            ("facts", &escaped(&facts(history))),
            ("notes", notes.trim_end()),
            ("network", if header.topology == "ring" { "Ring" } else { "Network" }),
            ("style", include_str!("player.css").trim_end()),
            ("diagram", picture.svg.trim_end()),
            ("again", &again),
            // Inside a script element only its end has a meaning, and a comment that would hide it.
            ("data", &data.replace('<', "\\u003c")),
            ("script", include_str!("player.js").trim_end()),
        ],
    );
    Page { html, notes: picture.notes }
}

/// The template with its gaps filled, in one pass: what is filled in is not looked at again.
fn filled(template: &str, gaps: &[(&str, &str)]) -> String {
    let mut page = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            page.push_str("{{");
            rest = after;
            continue;
        };
        page.push_str(gaps.iter().find(|(gap, _)| *gap == name).map_or("", |(_, text)| text));
        rest = after;
    }
    page.push_str(rest);
    page
}

fn facts(history: &History<'_>) -> String {
    let header = &history.recording.header;
    let assumptions = if header.unsound { " · allowed to leave its assumptions" } else { "" };
    format!(
        "{} · {} links · schedule {} · seed {} · {} messages · {} steps{assumptions}",
        header.topology,
        header.links,
        header.schedule,
        header.seed,
        spacetime::grouped(history.messages.len()),
        spacetime::grouped(history.steps.len())
    )
}

/// What the page plays.
#[derive(Serialize)]
struct Data<'a> {
    nodes: Vec<Node>,
    /// Pairs of processes between which messages may go.
    wires: Vec<(u32, u32)>,
    /// Where a process stands that has done nothing.
    open: &'static str,
    /// Where processes stand before the first step shown.
    before: Vec<(u32, &'static str)>,
    /// The first step shown, and the one after the last, from 0.
    from: usize,
    to: usize,
    steps: Vec<Moment<'a>>,
    messages: Vec<Flight<'a>>,
    rules: BTreeMap<&'a str, &'a str>,
}

#[derive(Serialize)]
struct Node {
    process: u32,
    name: String,
    id: Option<u64>,
}

#[derive(Serialize)]
struct Moment<'a> {
    step: usize,
    time: String,
    process: u32,
    local: bool,
    input: String,
    rules: String,
    fired: Vec<&'a str>,
    effects: String,
    choices: &'a [u32],
    standing: &'static str,
    depth: u32,
    causes: &'a [usize],
    arrives: Vec<u64>,
    sends: Vec<u64>,
}

#[derive(Serialize)]
struct Flight<'a> {
    m: u64,
    from: u32,
    to: u32,
    kind: usize,
    text: String,
    fields: Vec<(&'a str, &'a str)>,
    sent: usize,
    end: &'static str,
    ended: Option<usize>,
    told: String,
}

impl<'a> Data<'a> {
    fn new(history: &'a History<'a>, window: &Window, about: &'a About) -> Data<'a> {
        let header = &history.recording.header;
        let node = |&process: &u32| {
            let id = header.ids.get(process as usize).copied();
            let name = id.map_or_else(|| format!("p{process}"), |id| format!("p{process}, identity {id}"));
            Node { process, name, id }
        };
        let mut before = vec![Standing::Open; header.n as usize];
        for (step, event) in history.recording.events.iter().enumerate().take(window.steps.start) {
            if let Some(place) = before.get_mut(event.process as usize) {
                *place = history.steps[step].standing;
            }
        }
        let named =
            |(process, standing): (usize, &Standing)| (process as u32, standing.name(history.is_exclusion));
        let changed = before.iter().enumerate().filter(|(_, standing)| **standing != Standing::Open);
        Data {
            nodes: window.processes.iter().map(node).collect(),
            wires: wires(header, window),
            open: Standing::Open.name(history.is_exclusion),
            before: changed.map(named).collect(),
            from: window.steps.start,
            to: window.steps.end,
            steps: moments(history, window),
            messages: flights(history, window),
            rules: about.rules.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect(),
        }
    }
}

fn moments<'a>(history: &'a History<'a>, window: &Window) -> Vec<Moment<'a>> {
    let mut narrator = Narrator::new(history.recording.header.ticks_per_unit);
    let mut moments = Vec::new();
    for (step, event) in history.recording.events.iter().enumerate().take(window.steps.end) {
        let line = narrator.tell(event);
        if !window.shows(step, event.process) {
            continue;
        }
        let known = &history.steps[step];
        let arrives = match &event.input {
            Input::Deliver(arrivals) => arrivals.iter().map(|arrival| arrival.message).collect(),
            Input::Lose(arrival) | Input::Double(arrival) => vec![arrival.message],
            Input::Start
            | Input::Timeout(_)
            | Input::Local(_)
            | Input::Want
            | Input::Exit
            | Input::Crash
            | Input::Recover
            | Input::Suspect(_) => Vec::new(),
        };
        moments.push(Moment {
            step,
            time: line.time,
            process: event.process,
            local: known.is_local,
            input: line.input,
            rules: line.rules,
            fired: event.rules.iter().map(AsRef::as_ref).collect(),
            effects: line.effects,
            choices: &event.choices,
            standing: known.standing.name(history.is_exclusion),
            depth: known.depth,
            causes: &known.causes,
            arrives,
            sends: event.sends.iter().map(|sent| sent.message).collect(),
        });
    }
    moments
}

/// The messages of which something is shown, or which arrive at a step that is.
fn flights<'a>(history: &'a History<'a>, window: &Window) -> Vec<Flight<'a>> {
    let mut kinds: Vec<&str> = Vec::new();
    let mut flights = Vec::new();
    for passage in &history.messages {
        let kind = kinds.iter().position(|kind| *kind == passage.sent.kind).unwrap_or_else(|| {
            kinds.push(&passage.sent.kind);
            kinds.len() - 1
        });
        let is_seen = window.has(passage.from) || window.has(passage.sent.to);
        let ended = passage.end.step();
        let is_over = ended.is_some_and(|end| end < window.steps.start);
        if !is_seen || is_over || passage.sender >= window.steps.end {
            continue;
        }
        flights.push(Flight {
            m: passage.message,
            from: passage.from,
            to: passage.sent.to,
            kind,
            text: message(passage.sent),
            fields: passage.sent.fields.iter().map(|(name, value)| (name.as_ref(), value.as_str())).collect(),
            sent: passage.doubled.unwrap_or(passage.sender),
            end: match passage.end {
                End::Arrived(_) => "arrived",
                End::Missed(_) => "missed",
                End::LostAtOnce => "lost-at-once",
                End::Lost(_) => "lost",
                End::InTransit => "in-transit",
            },
            ended,
            told: spacetime::told(history, passage.message),
        });
    }
    flights
}

/// Which processes are wired together, where the lines would still tell something.
fn wires(header: &Header, window: &Window) -> Vec<(u32, u32)> {
    let n = header.n;
    let listed = header.neighbours.iter().enumerate();
    let wires: Vec<(u32, u32)> = match header.topology.as_str() {
        _ if !header.neighbours.is_empty() => {
            listed.flat_map(|(one, others)| others.iter().map(move |other| (one as u32, *other))).collect()
        }
        "ring" if n > 1 => (0..n).map(|one| (one, (one + 1) % n)).collect(),
        "line" => (1..n).map(|one| (one - 1, one)).collect(),
        "star" => (1..n).map(|one| (0, one)).collect(),
        "binary" => (1..n).map(|one| ((one - 1) / 2, one)).collect(),
        "complete" if n <= 16 => (0..n).flat_map(|one| (one + 1..n).map(move |other| (one, other))).collect(),
        _ => Vec::new(),
    };
    wires.into_iter().filter(|(one, other)| window.has(*one) && window.has(*other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::recordings::{everything, faulty, ring};
    use ringleader::trace::Recording;
    use serde_json::Value;

    fn whole(recording: &Recording) -> Page {
        let history = History::of(recording);
        let about = About {
            again: "ringleader trace a<b>.rlt".into(),
            rules: vec![("start".into(), "</script>".into())],
        };
        page(&history, &Window::whole(&history), &about)
    }

    /// The data inside the page.
    fn data(html: &str) -> Value {
        let (_, rest) = html.split_once("id=\"data\">").expect("there are data");
        let (json, _) = rest.split_once("</script>").expect("they end");
        serde_json::from_str(json).expect("JSON")
    }

    #[test]
    fn every_page_is_self_contained() {
        for recording in everything() {
            let html = whole(&recording).html;
            let name = &recording.header.algorithm;
            assert!(!html.contains("{{"), "{name}: a gap is left");
            assert_eq!(html.matches("</script>").count(), 2, "{name}");
            for outside in ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "https:"] {
                assert!(!html.contains(outside), "{name}: {outside}");
            }
            let data = data(&html);
            assert_eq!(data["steps"].as_array().map(Vec::len), Some(recording.events.len()), "{name}");
            let messages = History::of(&recording).messages.len();
            assert_eq!(data["messages"].as_array().map(Vec::len), Some(messages), "{name}");
            assert_eq!(
                html.matches("data-step=").count(),
                data["steps"]
                    .as_array()
                    .map_or(0, |steps| { steps.iter().filter(|step| step["local"] == true).count() }),
                "{name}"
            );
        }
    }

    #[test]
    fn page_needs_no_network_and_names_its_command() {
        let html = whole(&ring(&[3, 1, 2])).html;
        assert!(html.contains("Content-Security-Policy\" content=\"default-src 'none'"));
        assert!(html.contains("<code>ringleader trace a&lt;b&gt;.rlt</code>"));
    }

    #[test]
    fn a_part_says_where_everybody_stood() {
        let recording = faulty();
        let history = History::of(&recording);
        let window = Window { processes: vec![0, 1], steps: 10..20 };
        let page = page(&history, &window, &About::default());
        assert!(page.html.contains("class=\"note\""));
        let data = data(&page.html);
        assert_eq!(data["nodes"].as_array().map(Vec::len), Some(2));
        assert_eq!(data["from"], 10);
        assert!(data["before"].as_array().is_some_and(|before| !before.is_empty()));
    }
}
