//! Where a server is.

use crate::error::{Code, LockError};
use core::fmt;
use core::str::FromStr;
use std::path::PathBuf;

/// What one looks like.
const EXPECTED: &str =
    "a server is https://HOST:PORT, https://HOST:PORT#NAME with the name in its certificate, or unix:PATH";

/// Where a server is: `https://HOST:PORT`, `https://HOST:PORT#NAME` or `unix:PATH`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Endpoint {
    /// Over TLS.
    Https {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The name that its certificate must have, such as `a.demo.ringleader`; the host if it says nothing.
        name: Option<String>,
    },
    /// A socket of this machine; who may open it may ask.
    Unix(PathBuf),
}

impl FromStr for Endpoint {
    type Err = LockError;
    fn from_str(text: &str) -> Result<Endpoint, LockError> {
        let bad = |why: &str| {
            let message = format!("`{text}` is no server: {why}");
            LockError::new(Code::BadRequest, message, "nothing was done").with_help(EXPECTED)
        };
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() {
                return Err(bad("there is no path after unix:"));
            }
            return Ok(Endpoint::Unix(path.into()));
        }
        let Some(rest) = text.strip_prefix("https://") else {
            return Err(bad(if text.starts_with("http://") {
                "locks are not asked for in plain text"
            } else {
                "it begins with neither https:// nor unix:"
            }));
        };
        let (address, name) = match rest.split_once('#') {
            Some((address, name)) if !name.is_empty() => (address, Some(name.to_owned())),
            Some((_, _)) => return Err(bad("there is no name after #")),
            None => (rest, None),
        };
        let address = address.strip_suffix('/').unwrap_or(address);
        let (host, port) = address.rsplit_once(':').ok_or_else(|| bad("it has no port"))?;
        let port = port.parse().ok().filter(|port| *port > 0).ok_or_else(|| bad("its port is none"))?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() || host.contains(['/', '?', '@']) {
            return Err(bad("its host is none"));
        }
        Ok(Endpoint::Https { host: host.to_owned(), port, name })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Https { host, port, .. } if host.contains(':') => write!(f, "https://[{host}]:{port}"),
            Endpoint::Https { host, port, .. } => write!(f, "https://{host}:{port}"),
            Endpoint::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read_and_written() {
        for (text, written) in [
            ("https://b.example:7431", "https://b.example:7431"),
            ("https://[::1]:7431/", "https://[::1]:7431"),
            ("https://10.0.0.1:7431#a.demo.ringleader", "https://10.0.0.1:7431"),
            ("unix:run/a.sock", "unix:run/a.sock"),
            ("unix:///run/a.sock", "unix:/run/a.sock"),
        ] {
            assert_eq!(text.parse::<Endpoint>().expect(text).to_string(), written);
        }
        let named: Endpoint = "https://10.0.0.1:7431#a.demo.ringleader".parse().expect("a server");
        let Endpoint::Https { name, .. } = named else { panic!("TLS") };
        assert_eq!(name.as_deref(), Some("a.demo.ringleader"));
    }

    #[test]
    fn bad_server_address_is_refused_with_example() {
        for (text, why) in [
            ("", "neither https:// nor unix:"),
            ("http://a:1", "plain text"),
            ("https://a", "no port"),
            ("https://a:0", "port is none"),
            ("https://a:70000", "port is none"),
            ("https://:1", "host is none"),
            ("https://a:1#", "no name"),
            ("unix:", "no path"),
        ] {
            let error = text.parse::<Endpoint>().expect_err(text);
            assert!(error.message.contains(why), "{error}");
            assert_eq!(error.help.as_deref(), Some(EXPECTED));
        }
    }
}
