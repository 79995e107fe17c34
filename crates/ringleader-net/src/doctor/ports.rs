//! The ports of this member: free, or its own.

use super::{Finding, Subject};
use crate::config::host_and_port;
use std::io;
use std::net::TcpListener;
use std::time::Duration;

/// Looks at them; whether the member runs already.
pub(super) fn examine(subject: &Subject<'_>, name: &str, findings: &mut Vec<Finding>) -> bool {
    let Some(address) = subject.member(name) else { return false };
    let answer = address.status.map(|status| (subject.ask)(status, Duration::from_secs(1)));
    let itself = matches!(&answer, Some(Ok(answer)) if answer.member == name);
    if itself {
        findings.push(Finding::well(
            "port",
            format!("{name} runs: it answers at {}", address.status.unwrap_or("")),
        ));
        return true;
    }
    findings.push(port(address.listen, "the others", name));
    findings.extend(address.also.iter().map(|(at, whom)| port(at, whom, name)));
    match (address.status, answer) {
        (Some(status), Some(Ok(answer))) => {
            let words = format!("{status} is that of member `{}`", answer.member);
            findings.push(Finding::wrong("port", words).help("give each member its own `status` address"));
        }
        (Some(status), _) => findings.push(port(status, "its status", name)),
        (None, _) => findings.push(
            Finding::warning(
                "port",
                format!("{name} has no `status` address: status and elect cannot ask it"),
            )
            .help("add one to the file, such as status = \"127.0.0.1:7422\""),
        ),
    }
    false
}

/// Whether it could be listened at.
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of errors are many, and not ours")]
fn port(address: &str, whom: &str, name: &str) -> Finding {
    let error = match TcpListener::bind(address) {
        Ok(_) => return Finding::well("port", format!("{address} is free, for {whom}")),
        Err(error) => error,
    };
    let number = host_and_port(address).map_or(0, |(_, port)| port);
    let words = |why: &str| format!("cannot listen on {address}, for {whom}: {why}");
    match error.kind() {
        io::ErrorKind::AddrInUse => Finding::wrong("port", words("already in use"))
            .help(format!("by {name} itself, or by another program; which one:"))
            .command(format!("ss -ltnp 'sport = :{number}'")),
        io::ErrorKind::PermissionDenied => {
            Finding::wrong("port", words("ports below 1024 need rights that this user has not"))
                .help("take a port above 1023")
        }
        io::ErrorKind::AddrNotAvailable => Finding::wrong("port", words("this machine has no such address"))
            .help("is this the right machine for it? What it has:")
            .command("ip -brief address")
            .help("behind a forwarded port, say where to listen: listen = \"0.0.0.0:7421\""),
        _other => Finding::wrong("port", words(&error.to_string())),
    }
}
