//! The prose of a file, read.

use super::*;

const FILE: &str = "\
//! Peterson: two comparisons
//! in one direction.
//!
//! **Idea.** It goes
//! round: twice.
//!
//! A remark.
//!
//! **Source.** A book.
//!
//! ```
//! **Needs.** code
//! ```

//! **Cost.** not in the header
";

#[test]
fn header_is_read() {
    let expected = Header {
        title: "Peterson".into(),
        idea: "It goes round: twice.".into(),
        source: "A book.".into(),
        ..Header::default()
    };
    assert_eq!(Header::parse(FILE), Ok(expected));
}

#[test]
fn header_that_does_not_parse_names_the_line() {
    for (file, line, why) in [
        ("", 1, "begins with"),
        ("use x;\n//! A: b.\n", 1, "begins with"),
        ("//! A\n", 1, "Title"),
        ("//! A: b.\n", 1, "**Idea.**"),
        ("//! A: b.\n//!\n//! **Ideas.** c\n", 3, "no paragraph is called Ideas"),
        ("//! A: b.\n//!\n//! **Cost.** c\n//!\n//! **Idea.** d\n", 5, "the order"),
        ("//! A: b.\n//!\n//! **Idea.** c\n//!\n//! **Idea.** d\n", 5, "each once"),
    ] {
        let error = Header::parse(file).expect_err(file);
        assert_eq!(error.line, line, "{file}");
        assert!(error.why.contains(why), "{file}: {error}");
    }
}

#[test]
fn errata_are_read() {
    let list = "# Errata\n\n- **1**: wrong,\n  and right.\n\n  A remark.\n- **2**: b\n";
    let read = errata(list).expect("a list");
    let read: Vec<_> = read.iter().map(|erratum| (&*erratum.id, &*erratum.text)).collect();
    assert_eq!(read, [("1", "wrong, and right."), ("2", "b")]);
    assert_eq!(errata("\n- 3: c\n").expect_err("no number").line, 2);
}
