//! Refusals in the words of gRPC. Where etcd has words that its clients look for, these are used.

use ringleader_client::api::Refusal;
use ringleader_server::front::refuse;
use tonic::{Code, Status};

/// What a lease is that nobody has, or somebody else. Clients of etcd compare this text.
const NO_LEASE: &str = "etcdserver: requested lease not found";

/// There is no such lease for this client.
pub(crate) fn no_such_lease() -> Refusal {
    refuse("session_unknown", NO_LEASE)
}

/// It cannot be asked like this.
pub(crate) fn bad(message: impl Into<String>) -> Refusal {
    refuse("bad_request", message)
}

/// It does not hold, or not with this revision.
pub(crate) fn not_leader(message: impl Into<String>) -> Refusal {
    refuse("not_holder", message)
}

/// The status for a refusal.
pub(crate) fn status(refusal: &Refusal) -> Status {
    let code = code(&refusal.code);
    if refusal.code.starts_with("session_") {
        return Status::new(code, NO_LEASE);
    }
    let mut words = refusal.message.clone();
    if let Some(help) = &refusal.help {
        words.push_str("; ");
        words.push_str(help);
    }
    Status::new(code, words)
}

fn code(code: &str) -> Code {
    match code {
        "session_expired" | "session_unknown" | "no_leader" => Code::NotFound,
        "not_holder" | "no_whole_second" => Code::FailedPrecondition,
        "locked" | "timeout" => Code::Aborted,
        "no_lease" | "recovering" | "draining" | "moved" => Code::Unavailable,
        "limit" | "too_large" => Code::ResourceExhausted,
        "unauthenticated" => Code::Unauthenticated,
        "forbidden" => Code::PermissionDenied,
        "not_served" => Code::Unimplemented,
        _bad => Code::InvalidArgument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_the_words_that_clients_look_for() {
        let of = |code: &str| status(&refuse(code, "words"));
        assert_eq!(of("session_expired").code(), Code::NotFound);
        assert_eq!(of("session_unknown").message(), NO_LEASE);
        assert_eq!((of("bad_name").code(), of("bad_name").message()), (Code::InvalidArgument, "words"));
        let refusal = Refusal { help: Some("do this".to_owned()), ..refuse("forbidden", "words") };
        assert_eq!(status(&refusal).message(), "words; do this");
    }
}
