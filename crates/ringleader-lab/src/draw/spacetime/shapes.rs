//! The signs of the diagram, as paths around a point: what happened is told by a shape, never by a colour alone.

use super::layout::Point;
use ringleader::trace::{Event, Input, Outcome};

/// A sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Sign {
    /// It leads.
    Leads,
    /// It knows that it lost.
    Lost,
    /// It is undecided again.
    Undecided,
    /// It starts of its own accord.
    Start,
    /// Something arrives, and nothing is decided.
    Step,
    /// A timer runs out.
    Timeout,
    /// A step of its own.
    Local,
    /// Its user wants in.
    Want,
    /// Its user goes in.
    Enters,
    /// Its user leaves.
    Leaves,
    /// It stops.
    Crash,
    /// It comes back.
    Recover,
    /// It is told that another is down.
    Suspect,
    /// The proof excludes this.
    Impossible,
}

/// All signs, in the order of the legend.
pub(super) const SIGNS: &[Sign] = &[
    Sign::Start,
    Sign::Step,
    Sign::Leads,
    Sign::Lost,
    Sign::Undecided,
    Sign::Want,
    Sign::Enters,
    Sign::Leaves,
    Sign::Timeout,
    Sign::Local,
    Sign::Crash,
    Sign::Recover,
    Sign::Suspect,
    Sign::Impossible,
];

impl Sign {
    /// The sign of a step: what it decides, or else what it is.
    pub(super) fn of(event: &Event) -> Sign {
        if event.impossible.is_some() {
            return Sign::Impossible;
        }
        match event.outcome {
            Some(Outcome::Leads) => return Sign::Leads,
            Some(Outcome::Lost) => return Sign::Lost,
            Some(Outcome::Undecided) => return Sign::Undecided,
            Some(Outcome::Enters) => return Sign::Enters,
            Some(Outcome::Leaves) => return Sign::Leaves,
            Some(Outcome::Waits | Outcome::Synchronises | Outcome::LosesContact) | None => {}
        }
        match event.input {
            Input::Start => Sign::Start,
            Input::Deliver(_) | Input::Lose(_) | Input::Double(_) => Sign::Step,
            Input::Timeout(_) => Sign::Timeout,
            Input::Local(_) => Sign::Local,
            Input::Want => Sign::Want,
            Input::Exit => Sign::Leaves,
            Input::Crash => Sign::Crash,
            Input::Recover => Sign::Recover,
            Input::Suspect(_) => Sign::Suspect,
        }
    }

    /// Its words in the legend.
    pub(super) fn words(self) -> &'static str {
        match self {
            Sign::Leads => "leads",
            Sign::Lost => "knows that it lost",
            Sign::Undecided => "undecided again",
            Sign::Start => "starts",
            Sign::Step => "receives",
            Sign::Timeout => "times out",
            Sign::Local => "own step",
            Sign::Want => "wants in",
            Sign::Enters => "enters",
            Sign::Leaves => "leaves",
            Sign::Crash => "crashes",
            Sign::Recover => "recovers",
            Sign::Suspect => "is told of a crash",
            Sign::Impossible => "excluded by the proof",
        }
    }

    /// The class of its element, for its colour.
    pub(super) fn class(self) -> &'static str {
        match self {
            Sign::Leads => "leads",
            Sign::Lost => "lost",
            Sign::Undecided | Sign::Local | Sign::Suspect | Sign::Leaves => "open",
            Sign::Start | Sign::Step | Sign::Want | Sign::Enters => "dot",
            Sign::Timeout | Sign::Recover => "line",
            Sign::Crash | Sign::Impossible => "bad",
        }
    }

    /// How far it reaches.
    pub(super) fn radius(self) -> f64 {
        match self {
            Sign::Leads | Sign::Impossible => 8.0,
            Sign::Undecided | Sign::Recover | Sign::Crash => 6.0,
            Sign::Enters | Sign::Leaves => 3.0,
            Sign::Lost
            | Sign::Start
            | Sign::Step
            | Sign::Timeout
            | Sign::Local
            | Sign::Want
            | Sign::Suspect => 4.0,
        }
    }

    /// Its outline around a point.
    pub(super) fn path(self, at: Point) -> String {
        let Point { x, y } = at;
        let go = |points: &[(f64, f64)]| {
            let ends = points.iter().map(|(dx, dy)| format!("{} {}", number(x + dx), number(y + dy)));
            format!("M{}Z", ends.collect::<Vec<_>>().join("L"))
        };
        match self {
            Sign::Leads => {
                let spikes = (0..10).map(|corner| {
                    let radius = if corner % 2 == 0 { 10.0 } else { 4.2 };
                    let angle = std::f64::consts::PI * (f64::from(corner) / 5.0 - 0.5);
                    (radius * angle.cos(), radius * angle.sin())
                });
                go(&spikes.collect::<Vec<_>>())
            }
            Sign::Lost | Sign::Step => circle(at, 4.2),
            Sign::Undecided => go(&[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]),
            Sign::Start => go(&[(-5.5, -4.5), (5.5, -4.5), (0.0, 5.5)]),
            Sign::Timeout => go(&[(-4.5, -5.5), (4.5, -5.5), (-4.5, 5.5), (4.5, 5.5)]),
            Sign::Local => go(&[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)]),
            Sign::Want => go(&[(-5.5, 4.5), (5.5, 4.5), (0.0, -5.5)]),
            Sign::Enters => go(&[(-7.5, -2.6), (7.5, -2.6), (7.5, 2.6), (-7.5, 2.6)]),
            Sign::Leaves => go(&[(-7.5, -2.2), (7.5, -2.2), (7.5, 2.2), (-7.5, 2.2)]),
            Sign::Crash => saltire(at, 6.0),
            Sign::Recover => {
                let n = number;
                format!("{}M{} {}h7M{} {}v7", circle(at, 6.0), n(x - 3.5), n(y), n(x), n(y - 3.5))
            }
            Sign::Suspect => go(&[(0.0, -5.5), (5.5, 4.5), (-5.5, 4.5)]),
            Sign::Impossible => {
                let n = number;
                let bang = format!("M{} {}v6M{} {}v1.6", n(x), n(y - 5.0), n(x), n(y + 3.6));
                format!("{}{bang}", go(&[(0.0, -10.5), (9.5, 7.5), (-9.5, 7.5)]))
            }
        }
    }
}

/// A circle as a path.
pub(super) fn circle(at: Point, radius: f64) -> String {
    let n = number;
    let arc = |dx: f64| format!("a{r} {r} 0 1 0 {} 0", n(dx), r = n(radius));
    format!("M{} {}{}{}Z", n(at.x - radius), n(at.y), arc(radius * 2.0), arc(-radius * 2.0))
}

/// A cross, lying.
pub(super) fn saltire(at: Point, size: f64) -> String {
    let n = number;
    let (x, y) = (at.x, at.y);
    let leg = |dx: f64, dy: f64| format!("M{} {}L{} {}", n(x - dx), n(y - dy), n(x + dx), n(y + dy));
    format!("{}{}", leg(size, size), leg(size, -size))
}

/// An arrowhead at the end of a line that comes from there. Its form goes with the kind of the message, beside the
/// colour: full, open, a diamond, hollow.
pub(super) fn arrowhead(kind: usize, from: Point, tip: Point) -> (String, &'static str) {
    let (dx, dy) = (tip.x - from.x, tip.y - from.y);
    let length = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    let corner = |back: f64, side: f64| {
        let (x, y) = (tip.x - ux * back - uy * side, tip.y - uy * back + ux * side);
        format!("{} {}", number(x), number(y))
    };
    let outline = |corners: &[(f64, f64)]| {
        corners.iter().map(|(back, side)| corner(*back, *side)).collect::<Vec<_>>().join("L")
    };
    match kind % 4 {
        0 => (format!("M{}Z", outline(&[(0.0, 0.0), (9.0, 3.6), (9.0, -3.6)])), "full"),
        1 => (format!("M{}", outline(&[(8.5, 4.2), (0.0, 0.0), (8.5, -4.2)])), "bare"),
        2 => (format!("M{}Z", outline(&[(0.0, 0.0), (5.5, 3.6), (11.0, 0.0), (5.5, -3.6)])), "full"),
        _ => (format!("M{}Z", outline(&[(0.0, 0.0), (9.0, 4.0), (9.0, -4.0)])), "hollow"),
    }
}

/// A number with at most one digit after the point.
pub(super) fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    let (whole, tenth) = (tenths.abs() / 10, tenths.abs() % 10);
    if tenth == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{tenth}") }
}
