//! Whose a session is: the principal that opened it, and the key by which its client is known where it has moved to. It
//! goes with the session, in one text.

use aws_lc_rs::constant_time;
use std::sync::Arc;

/// Between the two; neither has one.
const BETWEEN: char = '\0';

/// The text.
pub(crate) fn written(principal: &str, key: Option<&str>) -> Arc<str> {
    match key {
        Some(key) => format!("{principal}{BETWEEN}{key}").into(),
        None => principal.into(),
    }
}

/// Whose it is.
pub(crate) fn principal(owner: &str) -> &str {
    owner.split(BETWEEN).next().unwrap_or_default()
}

/// Whether it is this principal's.
pub(crate) fn is(owner: &str, principal: &str) -> bool {
    self::principal(owner) == principal
}

/// Whether this is its key.
pub(crate) fn has_key(owner: &str, key: &str) -> bool {
    let known = owner.split_once(BETWEEN).map(|(_, known)| known);
    known
        .is_some_and(|known| constant_time::verify_slices_are_equal(known.as_bytes(), key.as_bytes()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_principal_or_the_key_will_do() {
        let owner = written("socket", Some("0123456789abcdef"));
        assert!(is(&owner, "socket") && !is(&owner, "sock") && !is(&owner, "socket\u{0}0123456789abcdef"));
        assert!(has_key(&owner, "0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdeg", "socket"] {
            assert!(!has_key(&owner, wrong), "{wrong}");
        }
        assert!(!has_key(&written("socket", None), ""), "without a key nobody has it");
    }
}
