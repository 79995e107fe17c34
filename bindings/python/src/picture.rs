//! Recorded runs as pictures and pages.

use crate::app;
use crate::refused::refused;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ringleader::registry::find;
use ringleader::trace::{History, Window};
use ringleader_lab::draw::live_page;
use ringleader_lab::formats::read_trace;
use ringleader_lab::{Diagnostic, Export, ExportOptions};

/// The text of a trace in this form: svg, html, shiviz, chrome, mermaid, itf, jsonl.
#[pyfunction]
#[pyo3(signature = (trace, form, again="", dark=false, rightward=false, critical=false))]
pub(crate) fn draw(
    trace: &str,
    form: &str,
    again: &str,
    dark: bool,
    rightward: bool,
    critical: bool,
) -> PyResult<String> {
    const FORMS: [Export; 7] = [
        Export::Svg,
        Export::Html,
        Export::Shiviz,
        Export::Chrome,
        Export::Mermaid,
        Export::Itf,
        Export::Jsonl,
    ];
    let recorded = read_trace(trace.as_bytes()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let history = History::of(&recorded.recording);
    let window = Window::whole(&history);
    let Some(export) = FORMS.into_iter().find(|known| known.name() == form) else {
        let all = FORMS.map(Export::name).join(", ");
        let error = Diagnostic::input("no_format", format!("there is no form `{form}`"));
        return Err(refused(&error.help(format!("one of {all}"))));
    };
    if let Some((got, most, what)) = export.excess(&history, &window) {
        let message = format!("{got} {what} are too many for {form}: the most is {most}");
        return Err(refused(&Diagnostic::input("too_much", message).help("jsonl has room for every step")));
    }
    let entry = find(app().registry, &recorded.recording.header.algorithm);
    let options =
        ExportOptions { dark, rightward, critical, again: again.into(), ..ExportOptions::default() };
    let mut bytes = Vec::new();
    export.write(&history, &window, (entry, &options), &mut bytes)?;
    Ok(String::from_utf8(bytes)?)
}

/// The page with an engine in it, and a recorded run put into it; none if it is no such page.
#[pyfunction]
pub(crate) fn live(page: &str, name: &str, trace: &str) -> Option<String> {
    live_page(page, name, trace)
}
