//! Why a run is not made, in words for the page.

use crate::Complaint;
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
pub(crate) fn complain(entry: &Entry, refusal: &Refusal) -> Complaint {
    let complaint = Complaint::new(code(refusal), why(entry, refusal));
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
        | Refusal::OutOfRange { .. } => complaint.help("choose another value"),
    }
}

/// The name under which the command line knows it.
fn code(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::NoProcesses => "ringleader::n_too_small",
        Refusal::WrongSize { .. } => "ringleader::wrong_size",
        Refusal::DuplicateId { .. } => "ringleader::duplicate_id",
        Refusal::WrongLength { .. } => "ringleader::wrong_length",
        Refusal::NoSuchProcess { .. } => "ringleader::no_such_process",
        Refusal::NoInitiator => "ringleader::no_initiator",
        Refusal::WeakLinks { needs: "fifo", .. } => "ringleader::needs_fifo",
        Refusal::WeakLinks { .. } => "ringleader::needs_links",
        Refusal::NoHalfDuplexHere => "ringleader::wrong_links",
        Refusal::WrongTopology { .. } => "ringleader::wrong_topology",
        Refusal::NeedsOrientation => "ringleader::needs_orientation",
        Refusal::BadPorts { .. } => "ringleader::bad_ports",
        Refusal::NeedsBoundedDelay { .. } => "ringleader::needs_bounded_delay",
        Refusal::NeedsLockStep { .. } => "ringleader::needs_lock_step",
        Refusal::FaultExcluded { .. } => "ringleader::fault_excluded",
        Refusal::NoSuchKind { .. } => "ringleader::unknown_kind",
        Refusal::NoWorkload => "ringleader::no_workload",
        Refusal::BadSetting { .. } => "ringleader::bad_setting",
        Refusal::NoWorstIds => "ringleader::no_worst_ids",
        Refusal::Anonymous => "ringleader::anonymous",
        Refusal::OutOfRange { .. } => "ringleader::out_of_range",
        Refusal::TooManyCases { .. } => "ringleader::too_many_cases",
        Refusal::BadEdit { .. } => "ringleader::bad_edit",
        Refusal::BrokenReplay { .. } => "ringleader::broken_replay",
    }
}
