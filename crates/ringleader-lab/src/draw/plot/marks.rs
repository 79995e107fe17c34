//! What a picture consists of, whatever it is written as.

/// A picture.
pub(super) struct Picture {
    pub(super) width: f64,
    pub(super) height: f64,
    /// What it is, for those who cannot see it.
    pub(super) title: String,
    pub(super) marks: Vec<Mark>,
}

/// What is drawn, in the order of drawing.
pub(super) enum Mark {
    Line {
        points: Vec<(f64, f64)>,
        paint: Paint,
        width: f64,
        dashes: Option<[f64; 2]>,
    },
    /// A filled shape; what lies behind shines through.
    Area {
        points: Vec<(f64, f64)>,
        paint: Paint,
        opacity: f64,
    },
    Marker {
        at: (f64, f64),
        shape: Shape,
        paint: Paint,
        title: String,
    },
    Text {
        at: (f64, f64),
        text: String,
        size: u32,
        anchor: Anchor,
        bold: bool,
        upwards: bool,
        paint: Paint,
    },
}

/// A colour by its meaning: a page may be dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Paint {
    /// Text and axes.
    Ink,
    /// Less important text.
    Faint,
    /// Lines of the grid.
    Grid,
    /// One of the colours of series.
    Series(usize),
}

/// Okabe and Ito's colours, yellow left out: it cannot be seen on white. Where they are all used they begin anew, with
/// other markers.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555"];

/// The same on a page, which has lighter ones where it is dark.
const ON_PAGE: [&str; 7] =
    ["var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)"];

impl Paint {
    /// On white paper.
    pub(super) fn on_paper(self) -> &'static str {
        match self {
            Paint::Ink => "#1a1a1a",
            Paint::Faint => "#555555",
            Paint::Grid => "#e3e3e3",
            Paint::Series(at) => COLOURS[at % COLOURS.len()],
        }
    }

    /// On a page that may be dark: what depends on that is a variable of the page.
    pub(super) fn on_page(self) -> &'static str {
        match self {
            Paint::Ink => "var(--ink)",
            Paint::Faint => "var(--faint)",
            Paint::Grid => "var(--grid)",
            Paint::Series(at) => ON_PAGE[at % ON_PAGE.len()],
        }
    }
}

/// What stands at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
    TriangleDown,
    Cross,
    Plus,
    Star,
}

const SHAPES: [Shape; 8] = [
    Shape::Circle,
    Shape::Square,
    Shape::Triangle,
    Shape::Diamond,
    Shape::TriangleDown,
    Shape::Cross,
    Shape::Plus,
    Shape::Star,
];

impl Shape {
    /// One of them by its number. There are more shapes than colours, so that the pairs do not repeat soon.
    pub(super) fn of(number: usize) -> Shape {
        SHAPES[number % SHAPES.len()]
    }

    /// Its corners around a point; none for the circle.
    pub(super) fn corners(self, (x, y): (f64, f64), radius: f64) -> Vec<(f64, f64)> {
        let around = |count: u32, turn: f64, radius: &dyn Fn(u32) -> f64| -> Vec<(f64, f64)> {
            (0..count)
                .map(|k| {
                    let angle = turn + f64::from(k) * std::f64::consts::TAU / f64::from(count);
                    (x + radius(k) * angle.sin(), y - radius(k) * angle.cos())
                })
                .collect()
        };
        let turn = std::f64::consts::FRAC_PI_4;
        // The arms of a plus, from the middle: (along, across).
        let plus = |turn: f64| -> Vec<(f64, f64)> {
            let (long, short) = (radius * 1.15, radius * 0.36);
            let corners = [(-short, -long), (short, -long), (short, -short), (long, -short)];
            (0..4)
                .flat_map(|quarter| {
                    let angle = turn + f64::from(quarter) * std::f64::consts::FRAC_PI_2;
                    let rotated = move |(dx, dy): (f64, f64)| {
                        (x + dx * angle.cos() - dy * angle.sin(), y + dx * angle.sin() + dy * angle.cos())
                    };
                    corners[1..].iter().copied().map(rotated).collect::<Vec<_>>()
                })
                .collect()
        };
        match self {
            Shape::Circle => Vec::new(),
            Shape::Square => around(4, turn, &|_| radius * 1.25),
            Shape::Triangle => around(3, 0.0, &|_| radius * 1.3),
            Shape::Diamond => around(4, 0.0, &|_| radius * 1.3),
            Shape::TriangleDown => around(3, std::f64::consts::PI, &|_| radius * 1.3),
            Shape::Plus => plus(0.0),
            Shape::Cross => plus(turn),
            Shape::Star => around(10, 0.0, &|k| if k % 2 == 0 { radius * 1.45 } else { radius * 0.6 }),
        }
    }
}

/// Which end of a text is at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The size of a marker.
pub(super) const RADIUS: f64 = 4.0;

/// How wide a text is, in units: nearly that of the font in PNG files, and rather too wide for those of viewers.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.29,
        ' ' | '\u{a0}' | ',' | '.' | ':' | ';' | '·' | '!' | 'I' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' | '⌈' | '⌉' | '⌊' | '⌋' | '[' | ']' => 0.41,
        '²' | '³' | '¹' | '⁰' | '⁴' | '⁵' | '⁶' | '⁷' | '⁸' | '⁹' => 0.41,
        'm' | 'w' | 'M' | 'W' | '%' | '–' | '≤' | '×' | '=' | '+' | '±' => 0.9,
        'A'..='Z' => 0.7,
        _ => 0.63,
    };
    text.chars().map(em).sum::<f64>() * size
}
