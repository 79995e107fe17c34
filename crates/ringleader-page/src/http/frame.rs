//! Whose pages may hold ours in a frame.

use std::str::FromStr;

/// A place on the web: `https://moodle.example.org`, with a port if it is not the usual one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin(pub(crate) String);

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Origin, String> {
        let wrong = |why: &str| {
            Err(format!(
                "{why}; an origin is needed, such as https://moodle.example.org or http://localhost:8080"
            ))
        };
        let Some((scheme, rest)) = text.split_once("://") else {
            return wrong("it does not begin with https:// or http://");
        };
        if scheme != "https" && scheme != "http" {
            return wrong("only pages by https or http have frames");
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#', '@']) {
            return wrong("it has more than a host and a port");
        }
        let (host, port) = match rest.rsplit_once(':') {
            // The colons of an IPv6 address are inside its brackets.
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            Some(_) | None => (rest, None),
        };
        if port.is_some_and(|port| !port.parse::<u16>().is_ok_and(|port| port > 0)) {
            return wrong("its port is no number from 1 to 65535");
        }
        let inside = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let named =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let right = match inside {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => host.split('.').all(named),
        };
        if !right {
            return wrong("its host is neither a name nor an address");
        }
        Ok(Origin(format!("{scheme}://{rest}").to_ascii_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_and_what_is_none() {
        let table = [
            ("https://moodle.example.org", "https://moodle.example.org"),
            ("http://localhost:8080/", "http://localhost:8080"),
            ("https://[::1]:8443", "https://[::1]:8443"),
            ("https://[::1]", "https://[::1]"),
            ("HTTPS", ""),
            ("https://Moodle.Example.ORG", "https://moodle.example.org"),
            ("*", ""),
            ("https://*", ""),
            ("https://*.example.org", ""),
            ("ftp://example.org", ""),
            ("moodle.example.org", ""),
            ("https://example.org/course", ""),
            ("https://user@example.org", ""),
            ("https://example.org:0", ""),
            ("https://example.org:port", ""),
            ("https://example.org; script-src *", ""),
            ("https://", ""),
            ("https://a..b", ""),
        ];
        for (text, expected) in table {
            match text.parse::<Origin>() {
                Ok(origin) => assert_eq!(origin.0, expected, "{text}"),
                Err(why) => assert!(expected.is_empty() && why.contains("such as https://"), "{text}: {why}"),
            }
        }
    }
}
