//! The code of a Rust file, without what only looks like code: comments, texts in quotes, unit tests.
//!
//! A small scanner, not a parser: enough to look for words and paths without being fooled by prose.

/// The code, with everything else replaced by spaces. Lines stay where they are.
pub(super) fn code(text: &str) -> String {
    without_tests(&without_prose(text))
}

/// Comments and the insides of literals, blanked.
fn without_prose(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = prose_end(&chars, at);
        match end {
            Some(end) => {
                out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
                at = end;
            }
            None => {
                out.push(chars[at]);
                at += 1;
            }
        }
    }
    out
}

/// Where the comment or literal that begins here ends; none if none begins here.
fn prose_end(chars: &[char], at: usize) -> Option<usize> {
    let rest = &chars[at..];
    match rest {
        ['/', '/', ..] => Some(at + rest.iter().position(|&c| c == '\n').unwrap_or(rest.len())),
        ['/', '*', ..] => Some(block_comment_end(chars, at)),
        ['"', ..] => Some(quoted_end(chars, at, '"')),
        ['\'', '\\', ..] | ['\'', _, '\'', ..] => Some(quoted_end(chars, at, '\'')),
        ['r', '#' | '"', ..] if at == 0 || !is_raw_prefixed(chars, at) => raw_end(chars, at),
        _ => None,
    }
}

/// Whether the `r` here is the end of a longer word, `br` and `cr` excepted.
fn is_raw_prefixed(chars: &[char], at: usize) -> bool {
    let start = if matches!(chars[at - 1], 'b' | 'c') { at - 1 } else { at };
    start > 0 && is_word(chars[start - 1])
}

fn block_comment_end(chars: &[char], at: usize) -> usize {
    let (mut end, mut depth) = (at, 0);
    while end < chars.len() {
        match &chars[end..] {
            ['/', '*', ..] => (end, depth) = (end + 2, depth + 1),
            ['*', '/', ..] if depth == 1 => return end + 2,
            ['*', '/', ..] => (end, depth) = (end + 2, depth - 1),
            _ => end += 1,
        }
    }
    end
}

fn quoted_end(chars: &[char], at: usize, quote: char) -> usize {
    let mut end = at + 1;
    while end < chars.len() && chars[end] != quote {
        end += if chars[end] == '\\' { 2 } else { 1 };
    }
    (end + 1).min(chars.len())
}

/// The end of a raw string; none if it is a raw identifier.
fn raw_end(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
    let open = at + 1 + hashes;
    (chars.get(open) == Some(&'"')).then(|| {
        let close = (open + 1..chars.len())
            .find(|&i| chars[i] == '"' && chars[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes);
        close.map_or(chars.len(), |close| close + 1 + hashes)
    })
}

/// What follows `#[cfg(test)]`, blanked: up to the end of its block, or of its statement if it has none.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(begin) = rest.find(MARK) {
        out.push_str(&rest[..begin]);
        let end = begin + item_end(&rest[begin..]);
        out.extend(rest[begin..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    out + rest
}

fn item_end(item: &str) -> usize {
    let mut depth = 0;
    for (at, c) in item.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

/// The words of a line of code.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

/// Whether a character can be part of a word.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Vec<String> {
        let code = code(text);
        assert_eq!(code.lines().count(), text.lines().count(), "lines stay where they are");
        words(&code).map(str::to_owned).collect()
    }

    #[test]
    fn code_stays() {
        assert_eq!(kept("use crate::sim; // crate::rng\nlet x = 'y';"), ["use", "crate", "sim", "let", "x"]);
        assert_eq!(
            kept("fn f<'a>(x: &'a str) -> &'a str { x }"),
            words("fn f a x a str a str x").collect::<Vec<_>>()
        );
        assert_eq!(kept("let r#type = bar; br"), ["let", "r", "type", "bar", "br"]);
    }

    #[test]
    fn prose_goes() {
        for prose in [
            "//! crate::sim",
            "/// crate::sim",
            "/* a /* b */ crate::sim */",
            "\"crate::sim \\\" sim\"",
            "r#\"crate::sim \" sim\"#",
            "r\"a\\\"",
            "'\\''",
            "'\"'",
            "'\\u{41}'",
        ] {
            assert_eq!(kept(prose), [""; 0], "{prose}");
            assert_eq!(kept(&format!("{prose}\nafter")), ["after"], "{prose}");
        }
    }

    #[test]
    fn tests_go() {
        assert_eq!(kept("a\n#[cfg(test)]\nmod tests { fn f() { b } }\nc"), ["a", "c"]);
        assert_eq!(kept("#[cfg(test)] use b;\nc"), ["c"]);
        assert_eq!(kept("#[cfg(test)]\nmod tests { let open = '{'; }\nc"), ["c"]);
    }
}
