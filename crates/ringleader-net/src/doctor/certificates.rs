//! The files and the certificates of this member.

use super::{Finding, Subject};
use crate::cert::{self, Shown};
use crate::config::Security;
use crate::tls::{self, Identity};
use std::net::IpAddr;
use std::path::Path;

/// From so few days on it is time for a new one.
const SOON_DAYS: i64 = 30;

/// Looks at them; gives them if they are of use.
pub(super) fn examine(subject: &Subject<'_>, name: &str, findings: &mut Vec<Finding>) -> Option<Identity> {
    let Security::Tls { authority, certificate, key, .. } = subject.security else { return None };
    let cluster = subject.cluster;
    let identity = match Identity::read(subject.security, cluster) {
        Ok(identity) => identity?,
        Err(problem) => {
            let finding = Finding::wrong("files", problem.message);
            findings.push(Finding { help: problem.help, ..finding });
            return None;
        }
    };
    findings.push(key_mode(key));
    let issue = format!("ringleader cert issue {name} --cluster {cluster} --force");
    let before = findings.len();
    let now = cert::seconds_now();
    let read = |path: &Path| {
        let bytes = std::fs::read(path).ok()?;
        cert::show(&bytes).ok()?.into_iter().next()
    };
    if let Some(shown) = read(authority) {
        findings.extend(dates(
            "the authority",
            &shown,
            now,
            &format!("ringleader cert init --cluster {cluster}"),
        ));
    }
    if let Some(shown) = read(certificate) {
        findings.extend(dates("the certificate", &shown, now, &issue));
        let pem = std::fs::read_to_string(key).unwrap_or_default();
        if !shown.has_key(&pem) {
            let words = format!("{} is not the key of {}", key.display(), certificate.display());
            findings
                .push(Finding::wrong("certificate", words).help("make both anew:").command(issue.clone()));
        }
        let expected = tls::certificate_name(name, cluster);
        // Addresses are for clients that look for the one they dial: they say nothing about who the member is.
        let mut names = shown.names.iter().filter(|name| name.parse::<IpAddr>().is_err());
        if (names.next(), names.next()) != (Some(&expected), None) {
            let names = if shown.names.is_empty() { "nobody".to_owned() } else { shown.names.join(", ") };
            let words = format!("{} is for {names}, not for {expected}", certificate.display());
            findings.push(Finding::wrong("certificate", words).help("another one:").command(issue.clone()));
        }
    }
    if findings[before..].iter().any(|finding| finding.level == super::Level::Wrong) {
        return None;
    }
    match identity.is_believed(name) {
        Ok(()) => {
            let until = read(certificate).map(|shown| shown.until()).unwrap_or_default();
            let words = format!("{name}.{cluster}, of this authority, valid until {until}");
            findings.push(Finding::well("certificate", words));
            Some(identity)
        }
        Err(why) => {
            let words = format!("{} would be refused: {why}", certificate.display());
            findings.push(Finding::wrong("certificate", words).help("another one:").command(issue));
            None
        }
    }
}

fn dates(whose: &str, shown: &Shown, now: i64, renew: &str) -> Option<Finding> {
    let (from, until) = (shown.from(), shown.until());
    if now < shown.validity.from {
        let words = format!("{whose} is valid from {from} only: is the clock of this machine behind?");
        return Some(Finding::wrong("certificate", words).help("see what it says:").command("date -u"));
    }
    if now > shown.validity.until {
        let words = format!("{whose} has expired, on {until}");
        return Some(Finding::wrong("certificate", words).help("a new one:").command(renew));
    }
    let left = shown.days_left(now);
    if left < SOON_DAYS {
        let words = format!("{whose} expires in {left} days, on {until}");
        return Some(Finding::warning("certificate", words).help("a new one:").command(renew));
    }
    None
}

#[cfg(unix)]
fn key_mode(key: &Path) -> Finding {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(key).map(|about| about.permissions().mode() & 0o777);
    match mode {
        Ok(mode) if mode & 0o077 != 0 => {
            let words = format!("{} can be read by others (mode {mode:03o})", key.display());
            Finding::warning("files", words)
                .help("only this user should:")
                .command(format!("chmod 600 {}", key.display()))
        }
        Ok(_) | Err(_) => {
            Finding::well("files", "authority, certificate and key can be read, the key by nobody else")
        }
    }
}

#[cfg(not(unix))]
fn key_mode(_key: &Path) -> Finding {
    Finding::well("files", "authority, certificate and key can be read")
}
