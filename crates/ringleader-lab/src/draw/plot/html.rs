//! A page with a plot, its numbers and the command that repeats it. It needs no network and obeys light and dark.

use super::Plot;
use crate::draw::xml::escaped;

/// A table for the page: names, and rows of as many texts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Table {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1a1a1a; --faint: #555555; --grid: #e3e3e3; --page: #ffffff;
  --s0: #0072b2; --s1: #d55e00; --s2: #009e73; --s3: #cc79a7; --s4: #e69f00; --s5: #56b4e9; --s6: #555555; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --faint: #aaaaaa; --grid: #3a3a3a; --page: #16181c;
    --s0: #4aa8e0; --s1: #ff8a4c; --s2: #2fc79a; --s3: #e3a0c4; --s4: #ffc04d; --s5: #8fd0f5; --s6: #aaaaaa; }
}
body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 80rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
figure { margin: 1rem 0; }
svg { width: 100%; height: auto; }
svg polygon:hover, svg circle:hover { stroke: var(--ink); stroke-width: 2px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--grid); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
code { background: var(--grid); padding: .15rem .4rem; border-radius: .25rem; overflow-wrap: anywhere; }
";

/// The page.
pub(super) fn page(plot: &Plot, svg: &str, table: &Table, again: &str) -> String {
    let cells = |tag: &str, texts: &[String]| -> String {
        texts.iter().map(|text| format!("<{tag}>{}</{tag}>", escaped(text))).collect()
    };
    let rows: String = table.rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <figure>\n{svg}</figure>\n<div class=\"wide\" tabindex=\"0\"><table>\n\
         <thead><tr>{names}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n\
         <p>Again: <code>{again}</code></p>\n</main>\n</body>\n</html>\n",
        title = escaped(&plot.title),
        names = cells("th", &table.names),
        again = escaped(again),
    )
}
