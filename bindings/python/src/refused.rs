//! A refusal of the engines as an exception.

use pyo3::prelude::*;
use ringleader_lab::Diagnostic;

/// The exception with the same words.
pub(crate) fn refused(error: &Diagnostic) -> PyErr {
    Python::attach(|py| {
        let place = error.spots.first().map(|spot| (spot.line, spot.column, spot.label.clone()));
        let help: Vec<&str> = error.help_lines().collect();
        let file = error.file.as_deref();
        let code = format!("ringleader::{}", error.code);
        let made = py
            .import("ringleader._refused")
            .and_then(|module| module.getattr("Refused"))
            .and_then(|class| class.call1((error.message.as_str(), code, help, error.exit, file, place)));
        match made {
            Ok(made) => PyErr::from_value(made),
            Err(error) => error,
        }
    })
}

/// Options that do not fit, in the words of the command line.
pub(crate) fn usage(why: String) -> PyErr {
    refused(&Diagnostic::input("usage", why))
}
