//! Which resource a path means. A fence belongs to a resource, and a storage may take many spellings for
//! one: a spelling that the proxy takes for another resource would carry a stale write past the fence.
//! So there are two results: the path that is passed on, which is the one that was judged, and the key of
//! its fence. Where storages differ, the key errs towards *the same resource*: then a write may be refused
//! that could have passed, but none passes that must be refused.
//!
//! Passed on: unreserved characters are decoded (`%61` is `a`), other escapes have capital digits, slashes
//! are collapsed, `.` and `..` are resolved, a slash at the end stays. The key, besides: has every escape
//! decoded, no slash at the end, no difference of case, no parameters (`;v=1`), no query, and `+` is a space.
//! Refused, because storages read them in different ways: escaped slashes, dots and backslashes, control
//! characters, escapes of escapes (`%2561`), what is not UTF-8, and `..` above the root.
//!
//! Not covered: a storage for which names are the same that differ in more than case, such as two forms of
//! an accented letter in Unicode, or a dot at the end under Windows.

use std::fmt::Write;

/// A path that has one reading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Resource {
    /// What is passed on to the storage.
    pub(crate) path: String,
    /// Whose fence is compared.
    pub(crate) key: String,
}

impl Resource {
    /// Reads a path as it stands in a request, without its query.
    ///
    /// # Errors
    /// Why it has no single reading.
    pub(crate) fn read(path: &str) -> Result<Resource, String> {
        let rest = path.strip_prefix('/').ok_or_else(|| "a path begins with `/`".to_owned())?;
        let mut segments: Vec<(String, String)> = Vec::new();
        // Whether the last segment names a folder: `/a/`, `/a/.`, `/a/b/..`.
        let mut folder = true;
        for raw in rest.split('/') {
            let (written, name) = segment(raw)?;
            folder = true;
            match (written.as_str(), name.as_str()) {
                ("" | ".", _) => {}
                ("..", _) => {
                    segments.pop().ok_or_else(|| "`..` leads above the root".to_owned())?;
                }
                (_, "" | "." | "..") => return Err(format!("`{raw}` is a step to some, a name to others")),
                (_, _) => {
                    segments.push((written, name));
                    folder = false;
                }
            }
        }
        let joined = |parts: Vec<&str>| format!("/{}", parts.join("/"));
        let mut path = joined(segments.iter().map(|(written, _)| written.as_str()).collect());
        if folder && !segments.is_empty() {
            path.push('/');
        }
        let key = segments.iter().map(|(_, name)| encoded(&name.to_lowercase())).collect::<Vec<_>>();
        Ok(Resource { path, key: joined(key.iter().map(String::as_str).collect()) })
    }
}

/// One segment as it is passed on, and its name with every escape decoded.
fn segment(raw: &str) -> Result<(String, String), String> {
    let mut written = String::new();
    let mut name: Vec<u8> = Vec::new();
    let mut bytes = raw.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'%' {
            if byte == b'\\' || byte.is_ascii_control() {
                return Err("a path has no backslash and no control character".to_owned());
            }
            name.push(if byte == b'+' { b' ' } else { byte });
            if byte.is_ascii() {
                written.push(char::from(byte));
            } else {
                // One spelling for what some write without escapes.
                let _ = write!(written, "%{byte:02X}");
            }
            continue;
        }
        let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(bytes.next()), digit(bytes.next())) else {
            return Err("after `%` come two hexadecimal digits".to_owned());
        };
        let decoded = u8::try_from(high * 16 + low).unwrap_or(b'%');
        if [b'/', b'\\', b'.'].contains(&decoded) || decoded.is_ascii_control() {
            return Err(format!("`%{decoded:02X}` is read in different ways"));
        }
        name.push(if decoded == b'+' { b' ' } else { decoded });
        if decoded.is_ascii_alphanumeric() || b"-_~".contains(&decoded) {
            written.push(char::from(decoded));
        } else {
            // Writing to a string does not fail.
            let _ = write!(written, "%{decoded:02X}");
        }
    }
    // Looked for in what was decoded: its digits may be escaped themselves.
    if name.windows(3).any(|three| three[0] == b'%' && three[1..].iter().all(u8::is_ascii_hexdigit)) {
        return Err("an escape of an escape is read in different ways".to_owned());
    }
    let name = String::from_utf8(name).map_err(|_| "its escapes are not UTF-8".to_owned())?;
    let named = name.split(';').next().unwrap_or_default().to_owned();
    // What is only parameters would be no segment at all to some.
    if named.is_empty() && !name.is_empty() {
        return Err(format!("`{raw}` has parameters and no name"));
    }
    Ok((written, named))
}

/// A key in one line of a file, which reads as itself: fences that were kept before stay what they are.
fn encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// What is passed on reads as itself, and so does its key; for fuzzing.
#[doc(hidden)]
pub fn fuzz(path: &str) {
    let Ok(resource) = Resource::read(path) else { return };
    let again = Resource::read(&resource.path);
    assert_eq!(again.as_ref(), Ok(&resource), "{path}");
    assert_eq!(Resource::read(&resource.key).map(|read| read.key), Ok(resource.key), "{path}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> (String, String) {
        let resource = Resource::read(path).unwrap_or_else(|why| panic!("{path}: {why}"));
        (resource.path, resource.key)
    }

    #[test]
    fn key_and_path_of_each_spelling() {
        for (written, path, key) in [
            ("/", "/", "/"),
            ("//", "/", "/"),
            ("/a/b", "/a/b", "/a/b"),
            ("//a//b//", "/a/b/", "/a/b"),
            ("/%61%2d%7E", "/a-~", "/a-~"),
            ("/a/./b/../C", "/a/C", "/a/c"),
            ("/a/b/..", "/a/", "/a"),
            ("/a.txt", "/a.txt", "/a.txt"),
            ("/...", "/...", "/..."),
            ("/a;v=1/b", "/a;v=1/b", "/a/b"),
            ("/a+b", "/a+b", "/a%20b"),
            ("/a%2Bb", "/a%2Bb", "/a%20b"),
            ("/a%20b", "/a%20b", "/a%20b"),
            ("/a=b", "/a=b", "/a%3Db"),
            ("/a%3db", "/a%3Db", "/a%3Db"),
            ("/%C3%84", "/%C3%84", "/%C3%A4"),
            ("/Ä", "/%C3%84", "/%C3%A4"),
            ("/50%25", "/50%25", "/50%25"),
        ] {
            assert_eq!(read(written), (path.to_owned(), key.to_owned()), "{written}");
        }
    }

    #[test]
    fn keys_and_paths_read_as_themselves() {
        for path in ["/", "/a b%20+", "/%C3%84/b;c", "/A/../B//c/", "/%21%2A%25", "/a%3B", "/x:@!$&'()*,="] {
            let (path, key) = read(&path.replace(' ', "%20"));
            assert_eq!(read(&path), (path.clone(), key.clone()));
            assert_eq!(read(&key).1, key);
        }
    }

    #[test]
    fn two_readings_are_refused() {
        for path in [
            "",
            "a",
            "*",
            "/%",
            "/%4",
            "/%4g",
            "/%2F",
            "/%5c",
            "/%2E",
            "/%00",
            "/%7f",
            "/a\\b",
            "/a\tb",
            "/%FF",
            "/%252F",
            "/%25%36%31",
            "/%25%25%61A",
            "/..",
            "/a/../..",
            "/..;",
            "/.;a",
            "/;a",
            "/a/%3B",
        ] {
            assert!(Resource::read(path).is_err(), "{path}");
        }
    }
}
