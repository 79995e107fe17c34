//! Who may ask. On this machine's own address everybody on this machine may, but only under a name of this machine: a
//! page of somebody else must not reach us through a name that it controls. Elsewhere a token is needed.

use crate::Diagnostic;
use axum::http::{HeaderMap, StatusCode, header};
use std::net::SocketAddr;

/// Who may ask.
#[derive(Clone, Debug)]
pub struct Access {
    token: Option<String>,
    /// The names under which we may be called; none if any will do, for there is a token.
    hosts: Option<Vec<String>>,
}

impl Access {
    /// For a server at this address, with the token that was given. Without one a server that others can reach draws
    /// one.
    ///
    /// # Errors
    /// If the operating system has no random numbers.
    pub fn new(address: SocketAddr, token: Option<String>) -> Result<Access, String> {
        let loopback = address.ip().is_loopback();
        let token = match token {
            None if !loopback => Some(draw()?),
            given => given,
        };
        let hosts = loopback.then(|| {
            let names = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
            let own = match address {
                SocketAddr::V4(address) => address.ip().to_string(),
                SocketAddr::V6(address) => format!("[{}]", address.ip()),
            };
            names.into_iter().chain([own]).collect()
        });
        Ok(Access { token, hosts })
    }

    /// The token, if one is needed.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether we are called by a name of ours.
    pub(crate) fn admits_host(&self, headers: &HeaderMap) -> Result<(), (StatusCode, Diagnostic)> {
        let Some(hosts) = &self.hosts else { return Ok(()) };
        let given = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // Without the port; an IPv6 address has colons inside its brackets.
        let name = match given.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            Some(_) | None => given,
        };
        if hosts.iter().any(|host| host.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        let message =
            format!("this server does not answer to the name `{given}`: it listens on this machine only");
        let complaint = Diagnostic::input("wrong_host", message).help(
            "call it localhost or 127.0.0.1, or start it with --listen and an address that others can reach",
        );
        Err((StatusCode::FORBIDDEN, complaint))
    }

    /// Whether the token is there: as `authorization: Bearer T`, as `x-ringleader-token: T` or as `?token=T`.
    pub(crate) fn admits_token(
        &self,
        headers: &HeaderMap,
        query: Option<&str>,
    ) -> Result<(), (StatusCode, Diagnostic)> {
        let Some(token) = &self.token else { return Ok(()) };
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = text("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let asked = query.into_iter().flat_map(|query| query.split('&'));
        let asked = asked.filter_map(|pair| pair.strip_prefix("token="));
        let mut given = bearer.into_iter().chain(text("x-ringleader-token")).chain(asked);
        if given.any(|given| same(given, token)) {
            return Ok(());
        }
        let complaint = Diagnostic::input("no_token", "this server needs its token, and it was not given")
            .help("open the address that `ringleader serve` printed, with ?token= in it");
        Err((StatusCode::UNAUTHORIZED, complaint))
    }
}

/// Whether two texts are equal, in a time that does not tell where they differ.
fn same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

/// A token that nobody guesses.
fn draw() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| format!("there are no random numbers for a token: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_static(value))])
    }

    fn access(address: &str, token: Option<&str>) -> Access {
        Access::new(address.parse().unwrap(), token.map(str::to_owned)).unwrap()
    }

    #[test]
    fn names_of_this_machine_and_no_others() {
        let access = access("127.0.0.1:7420", None);
        for host in ["localhost:7420", "127.0.0.1:7420", "[::1]:7420", "LOCALHOST", "127.0.0.1"] {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            assert!(access.admits_host(&headers).is_ok(), "{host}");
        }
        for host in ["evil.example:7420", "127.0.0.1.evil.example", "", "localhost.evil.example:80"] {
            let headers = HeaderMap::from_iter([(header::HOST, host.parse().unwrap())]);
            assert!(access.admits_host(&headers).is_err(), "{host}");
        }
        assert!(access.admits_host(&HeaderMap::new()).is_err());
        assert_eq!(access.token(), None);
    }

    #[test]
    fn elsewhere_a_token_is_needed() {
        let drawn = access("0.0.0.0:7420", None);
        assert_eq!(drawn.token().map(str::len), Some(32));
        assert_ne!(drawn.token(), access("0.0.0.0:7420", None).token());
        assert!(drawn.admits_host(&headers("host", "lecture.example")).is_ok());
        let given = access("0.0.0.0:7420", Some("secret"));
        assert!(given.admits_token(&HeaderMap::new(), None).is_err());
        assert!(given.admits_token(&HeaderMap::new(), Some("a=b&token=secret")).is_ok());
        assert!(given.admits_token(&HeaderMap::new(), Some("token=secre")).is_err());
        assert!(given.admits_token(&headers("authorization", "Bearer secret"), None).is_ok());
        assert!(given.admits_token(&headers("x-ringleader-token", "secret"), None).is_ok());
    }
}
