//! Why a run is not made, in words for the page.

use crate::Diagnostic;
use ringleader::registry::Entry;
use ringleader::sim::Refusal;
use ringleader_lab::plan;

/// The reason alone, for something that is greyed out.
pub(crate) fn why(entry: &Entry, refusal: &Refusal) -> String {
    let text = refusal.to_string();
    match (text.strip_prefix("it "), text.strip_prefix("its contract ")) {
        (Some(rest), _) => format!("{} {rest}", entry.spec.prose().title),
        (None, Some(rest)) => format!("the contract of {} {rest}", entry.spec.prose().title),
        (None, None) => text,
    }
}

/// The reason, and what to do.
pub(crate) fn complain(entry: &Entry, refusal: &Refusal) -> Diagnostic {
    let complaint = Diagnostic::input(plan::code(refusal), why(entry, refusal));
    if refusal.is_about_assumptions() {
        return complaint
            .help("choose another value, or allow what is outside its assumptions and see what goes wrong");
    }
    match refusal {
        Refusal::BrokenReplay { .. } => {
            complaint.help("the trace was changed, or recorded by another version of the algorithm")
        }
        Refusal::BadEdit { .. } => complaint.help("leave it out: the run is shown without it"),
        Refusal::TooManyCases { .. } => complaint.help("take fewer processes, or fix the identities"),
        Refusal::NoProcesses
        | Refusal::WrongSize { .. }
        | Refusal::DuplicateId { .. }
        | Refusal::WrongLength { .. }
        | Refusal::NoSuchProcess { .. }
        | Refusal::NoInitiator
        | Refusal::WeakLinks { .. }
        | Refusal::NoHalfDuplexHere
        | Refusal::NoLinksHere
        | Refusal::WeakRegisters { .. }
        | Refusal::EndlessEntries
        | Refusal::SharedRegisters
        | Refusal::NoSingleRegisters
        | Refusal::NotEnough { .. }
        | Refusal::BeginsOnce
        | Refusal::NoSuchState { .. }
        | Refusal::FullLink { .. }
        | Refusal::NoUsers
        | Refusal::WrongTopology { .. }
        | Refusal::NeedsOrientation
        | Refusal::BadPorts { .. }
        | Refusal::NeedsBoundedDelay { .. }
        | Refusal::NeedsLockStep { .. }
        | Refusal::FaultExcluded { .. }
        | Refusal::NoSuchKind { .. }
        | Refusal::NoWorkload
        | Refusal::NoClocks
        | Refusal::TooMuchDrift { .. }
        | Refusal::ClocksGoBack
        | Refusal::Surroundings { .. }
        | Refusal::BadSetting { .. }
        | Refusal::NoWorstIds
        | Refusal::Anonymous
        | Refusal::NoSuchProperty { .. }
        | Refusal::OutOfRange { .. } => complaint.help("choose another value"),
    }
}
