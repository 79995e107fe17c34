//! Why a run is not made, in words for the page.

use crate::Diagnostic;
use ringleader::registry::Entry;
use ringleader::sim::Refusal;

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
    let complaint = Diagnostic::input(code(refusal), why(entry, refusal));
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
        | Refusal::WrongTopology { .. }
        | Refusal::NeedsOrientation
        | Refusal::BadPorts { .. }
        | Refusal::NeedsBoundedDelay { .. }
        | Refusal::NeedsLockStep { .. }
        | Refusal::FaultExcluded { .. }
        | Refusal::NoSuchKind { .. }
        | Refusal::NoWorkload
        | Refusal::BadSetting { .. }
        | Refusal::NoWorstIds
        | Refusal::Anonymous
        | Refusal::NoSuchProperty { .. }
        | Refusal::OutOfRange { .. } => complaint.help("choose another value"),
    }
}

/// The name under which the command line knows it.
fn code(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoProcesses => "n_too_small",
        Refusal::WrongSize { .. } => "wrong_size",
        Refusal::DuplicateId { .. } => "duplicate_id",
        Refusal::WrongLength { .. } => "wrong_length",
        Refusal::NoSuchProcess { .. } => "no_such_process",
        Refusal::NoInitiator => "no_initiator",
        Refusal::WeakLinks { needs: "fifo", .. } => "needs_fifo",
        Refusal::WeakLinks { .. } => "needs_links",
        Refusal::NoHalfDuplexHere => "wrong_links",
        Refusal::WrongTopology { .. } => "wrong_topology",
        Refusal::NeedsOrientation => "needs_orientation",
        Refusal::BadPorts { .. } => "bad_ports",
        Refusal::NeedsBoundedDelay { .. } => "needs_bounded_delay",
        Refusal::NeedsLockStep { .. } => "needs_lock_step",
        Refusal::FaultExcluded { .. } => "fault_excluded",
        Refusal::NoSuchKind { .. } => "unknown_kind",
        Refusal::NoWorkload => "no_workload",
        Refusal::BadSetting { .. } => "bad_setting",
        Refusal::NoWorstIds => "no_worst_ids",
        Refusal::Anonymous => "anonymous",
        Refusal::OutOfRange { .. } => "out_of_range",
        Refusal::NoSuchProperty { .. } => "unknown_property",
        Refusal::TooManyCases { .. } => "too_many_cases",
        Refusal::BadEdit { .. } => "bad_edit",
        Refusal::BrokenReplay { .. } => "broken_replay",
    }
}
