//! Colours of Okabe and Ito, which people with any colour vision tell apart, and the style sheet of a picture.

/// The colours of a picture.
pub(super) struct Palette {
    paper: &'static str,
    ink: &'static str,
    muted: &'static str,
    lane: &'static str,
    band: &'static str,
    path: &'static str,
    good: &'static str,
    bad: &'static str,
    inside: &'static str,
    waiting: &'static str,
    kinds: [&'static str; KINDS],
}

/// So many kinds of messages have colours of their own.
pub(super) const KINDS: usize = 7;

const LIGHT: Palette = Palette {
    paper: "#ffffff",
    ink: "#1b1b1b",
    muted: "#5c5c5c",
    lane: "#8d8d8d",
    band: "#f4f5f7",
    path: "#f0e442",
    good: "#e69f00",
    bad: "#c33c00",
    inside: "#009e73",
    waiting: "#e69f00",
    kinds: ["#0072b2", "#d55e00", "#007f5c", "#a8457f", "#9a6a00", "#2d86bd", "#1b1b1b"],
};

const DARK: Palette = Palette {
    paper: "#15171a",
    ink: "#f1f1f1",
    muted: "#b4b8bd",
    lane: "#7d838a",
    band: "#1d2024",
    path: "#7a7310",
    good: "#f0b429",
    bad: "#ff7d45",
    inside: "#00b887",
    waiting: "#e69f00",
    kinds: ["#56b4e9", "#ff8a3d", "#1fcf9f", "#e79ac6", "#e6b04a", "#8fd0f5", "#e4e4e4"],
};

/// The style sheet of a picture of its own. Colours stand in it as they are, for not every program that takes a figure
/// into a paper understands variables.
pub(super) fn sheet(dark: bool) -> String {
    let Palette { paper, ink, muted, lane, band, path, good, bad, inside, waiting, kinds } =
        if dark { DARK } else { LIGHT };
    let mut sheet = format!(
        "text{{font-family:Helvetica,Arial,'DejaVu Sans',sans-serif;fill:{ink};font-size:12px}}
.paper{{fill:{paper}}}.band{{fill:{band}}}
.title{{font-size:16px;font-weight:bold}}.small,.time{{font-size:11px;fill:{muted}}}
.code{{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11px;fill:{muted}}}
.note{{font-size:11px;fill:{bad};font-weight:bold}}.name{{font-weight:bold}}
.lane{{stroke:{lane};stroke-width:1.2;fill:none}}
.down{{stroke:{bad};stroke-width:1.4;stroke-dasharray:1 4;stroke-linecap:round}}.gap{{stroke:{paper};stroke-width:3}}
.waiting{{stroke:{waiting};stroke-width:7;stroke-dasharray:2 3;opacity:.75}}
.inside{{stroke:{inside};stroke-width:11}}
.message{{fill:none;stroke-width:1.5}}.message text{{stroke:none}}
.transit{{stroke-dasharray:5 4}}.later{{stroke-dasharray:9 3 2 3}}.copy{{stroke-width:1;}}
.hollow{{fill:{paper}}}.cross{{stroke-width:2.2;stroke-dasharray:none}}.fork{{fill:{paper}}}
.label{{font-size:10.5px;text-anchor:middle;paint-order:stroke;stroke:{paper};stroke-width:3px;stroke-linejoin:round}}
.stub{{font-size:10px;fill:{muted}}}
.mark{{stroke:{paper};stroke-width:1}}.dot{{fill:{ink}}}
.lost,.open{{fill:{paper};stroke:{ink};stroke-width:1.6}}.leads{{fill:{good};stroke:{ink};stroke-width:1.2}}
.line{{fill:{paper};stroke:{ink};stroke-width:1.6}}.bad{{fill:{paper};stroke:{bad};stroke-width:2.4}}
.path{{fill:none;stroke:{path};stroke-width:9;stroke-linecap:round;stroke-linejoin:round;opacity:.85}}
.dim{{opacity:.14}}
"
    );
    for (place, colour) in kinds.iter().enumerate() {
        sheet.push_str(&format!(
            ".k{place}{{stroke:{colour}}}.k{place} .full{{fill:{colour}}}.t{place}{{fill:{colour}}}\n"
        ));
    }
    sheet
}
