//! The checker: its counts against other tools, its answers against themselves, every algorithm and every need.

mod battery; // the smaller rows of the record
mod chance; // expected rounds, as published for other tools
mod chosen; // some of the properties, all violations of them
mod literals; // as-printed variants are found out, by a shortest run that replays
mod models; // models of one's own: each kind of property, held and violated
mod necessity; // without what a contract asks for, it fails
mod oracles; // state counts that other tools give
mod own; // properties of one's own
mod parts; // some of the cases at a time
mod reduction; // what is left out does not matter
mod robust;
mod states; // the states themselves, where they are few // limits, threads, refusals

use crate::support::entry;
use ringleader::check::{Answer, Findings, Scope};
use ringleader::sim::Refusal;

/// Checks it, and expects it to be admitted.
fn check(name: &str, scope: &Scope) -> Findings {
    try_check(name, scope).unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

fn try_check(name: &str, scope: &Scope) -> Result<Findings, Refusal> {
    entry(name).check(scope, &[], &())
}

/// The property that is violated, if one is.
fn violated(findings: &Findings) -> Option<&'static str> {
    findings.properties.iter().find(|finding| finding.answer == Answer::Violated).map(|finding| finding.name)
}
