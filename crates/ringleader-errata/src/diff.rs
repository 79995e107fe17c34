//! How a wrong version is written down, and how it is made of the right one. A change that does not fit is an error, so
//! that no version falls behind its source without a word.
//!
//! A change is a block of lines of the source as they are, without their indentation: two blanks before a line that
//! stays, `- ` before one that goes, `+ ` before one that comes. The lines that stay or go must occur in the source
//! exactly once. Blank lines stand between blocks. A line that begins with `#` is a remark.

/// A block of lines that differ.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// The lines, each with what becomes of it.
    pub lines: Vec<(Mark, String)>,
    /// Where it stands in its file, from 1.
    pub at: usize,
}

/// What becomes of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// It stays.
    Stays,
    /// It goes.
    Goes,
    /// It comes.
    Comes,
}

/// A text as it is printed: `as_printed.txt` in the folder of the right algorithm.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    /// The name on the command line, with an `@`.
    pub name: String,
    /// The name in prose.
    pub title: String,
    /// The number of the erratum, which the right algorithm lists.
    pub erratum: String,
    /// A small run in which it goes wrong, as arguments of `run` after the name.
    pub example: String,
    /// Whether it is listed with the algorithms; others are for tests alone.
    pub listed: bool,
    /// What the text says and what comes of it.
    pub idea: Vec<String>,
    /// What is different.
    pub changes: Vec<Change>,
}

impl Text {
    /// Reads one: a line `name: title`, a line `erratum NUMBER`, a line `example ARGUMENTS`, a line `unlisted` if
    /// it is for tests alone, a paragraph that says what the text says and what comes of it, then changes.
    ///
    /// # Errors
    /// The line that cannot be read, and what is expected.
    pub fn parse(file: &str) -> Result<Text, String> {
        let mut lines = numbered(file).filter(|(_, line)| !line.starts_with('#')).peekable();
        let end = file.lines().count() + 1;
        let wrong = |(number, line): (usize, &str), expected: &str| {
            format!("line {number}, `{line}`: expected `{expected}`")
        };
        let line = lines.next().unwrap_or((end, ""));
        let heading = line.1.split_once(": ").filter(|(name, _)| name.contains('@'));
        let (name, title) = heading.ok_or_else(|| wrong(line, "name@variant: Title"))?;
        let line = lines.next().unwrap_or((end, ""));
        let erratum = line.1.strip_prefix("erratum ").ok_or_else(|| wrong(line, "erratum NUMBER"))?;
        let line = lines.next().unwrap_or((end, ""));
        let example = line.1.strip_prefix("example ").ok_or_else(|| wrong(line, "example ARGUMENTS"))?;
        let [name, title, erratum, example] = [name, title, erratum, example].map(str::to_owned);
        let listed = lines.next_if(|(_, line)| *line == "unlisted").is_none();
        let mut idea = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| mark(line).is_none()) {
            if !line.trim().is_empty() {
                idea.push(line.to_owned());
            }
        }
        if idea.is_empty() {
            return Err("a paragraph before the changes says what the text says and what comes of it".into());
        }
        let changes = changes(lines)?;
        Ok(Text { name, title, erratum, example, listed, idea, changes })
    }

    /// The source of the right algorithm as this text has it.
    ///
    /// # Errors
    /// The change that does not fit.
    pub fn apply(&self, source: &str) -> Result<String, String> {
        let mut source = source.to_owned();
        for change in &self.changes {
            source = change.apply(&source)?;
        }
        // The header: another title, another idea.
        let mut lines: Vec<String> = Vec::new();
        let mut within = false;
        for (place, line) in source.lines().enumerate() {
            within &= line.strip_prefix("//!").is_some_and(|text| !text.trim().is_empty());
            if place == 0 {
                let (_, rest) =
                    line.split_once(": ").ok_or("the header does not begin with `//! Title: ...`")?;
                lines.push(format!("//! {}: {rest}", self.title));
            } else if line.starts_with("//! **Idea.** ") {
                within = true;
                let idea = self.idea.iter().enumerate();
                lines.extend(idea.map(|(place, line)| {
                    format!("//! {}{line}", if place == 0 { "**Idea.** " } else { "" })
                }));
            } else if !within {
                lines.push(line.to_owned());
            }
        }
        let source = lines.join("\n") + "\n";
        let source = replaced(&source, ".example(\"", "\")", &self.example)?;
        let source = renamed(&source, &self.name)?;
        let file = "include_str!(\"mod.rs\"))";
        Ok(source.replacen(file, &format!("{file}\n        .diff(include_str!(\"diff.txt\"))"), 1))
    }
}

/// A small mistake that the checker must find: a block of `mutants.txt`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// The kind of mistake.
    pub kind: String,
    /// The mistake, in words.
    pub what: String,
    /// How many processes it takes, at most, to see it.
    pub n: u32,
    /// Whether it is wrong, and nobody sees it yet.
    pub survives: bool,
    /// What is different.
    pub change: Change,
}

/// The kinds of mistakes: a comparison is another one; a message is not sent, or to somebody else, or says something
/// else; a role or variable does not change as it should; a number is another one; nothing is left to chance.
pub const KINDS: &[&str] = &["comparison", "send", "role", "constant", "chance"];

/// How many processes a mutant is killed with at most, where its heading says nothing.
const USUAL_N: u32 = 3;

impl Mutant {
    /// Reads `mutants.txt`. A mutant is a line `kind: the mistake in words`, with `, n = 4` before the colon where
    /// three processes do not show it and `, survives` where nobody sees it yet; then a change.
    ///
    /// # Errors
    /// The line that cannot be read, and what is expected.
    pub fn parse_all(file: &str) -> Result<Vec<Mutant>, String> {
        let mut mutants: Vec<Mutant> = Vec::new();
        let mut inside = false;
        for (number, line) in numbered(file).filter(|(_, line)| !line.starts_with('#')) {
            if line.trim().is_empty() {
                inside = false;
            } else if inside {
                if let Some(mutant) = mutants.last_mut() {
                    mutant.change.lines.push(marked(number, line)?);
                }
            } else {
                let complain = |expected: String| format!("line {number}, `{line}`: expected {expected}");
                mutants.push(heading(number, line).map_err(complain)?);
                inside = true;
            }
        }
        Ok(mutants)
    }

    /// The source with the mistake, under another name.
    ///
    /// # Errors
    /// If the change does not fit.
    pub fn apply(&self, source: &str, name: &str) -> Result<String, String> {
        renamed(&self.change.apply(source)?, name)
    }
}

fn heading(at: usize, line: &str) -> Result<Mutant, String> {
    let (head, what) = line.split_once(": ").ok_or("`kind: words`")?;
    let mut parts = head.split(", ");
    let kind = parts.next().unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Err(format!("one of {} at the beginning", KINDS.join(", ")));
    }
    let (mut n, mut survives) = (USUAL_N, false);
    for part in parts {
        match part.strip_prefix("n = ").and_then(|n| n.parse().ok()) {
            Some(other) => n = other,
            None if part == "survives" => survives = true,
            None => return Err("`n = 4` or `survives` after the kind".into()),
        }
    }
    let change = Change { at, ..Change::default() };
    Ok(Mutant { kind: kind.to_owned(), what: what.to_owned(), n, survives, change })
}

/// The source under another name in its contract.
///
/// # Errors
/// If there is not exactly one contract.
pub fn renamed(source: &str, name: &str) -> Result<String, String> {
    for begin in ["Spec::election(", "Spec::exclusion(", "Spec::clocks("] {
        // The contract may be broken over lines.
        if let Some((before, after)) = source.split_once(begin) {
            let Some((blank, _)) = after.split_once('"') else { break };
            let after = replaced(&after[blank.len()..], "\"", "\"", name)?;
            return Ok(format!("{before}{begin}{blank}{after}"));
        }
    }
    Err("the source has no `Spec::election(\"name\", ...)`, `Spec::exclusion(...)` or `Spec::clocks(...)`"
        .into())
}

/// The first text between these two, replaced.
fn replaced(source: &str, begin: &str, end: &str, by: &str) -> Result<String, String> {
    let missing = || format!("the source has no `{begin}...{end}`");
    let (before, after) = source.split_once(begin).ok_or_else(missing)?;
    let (_, after) = after.split_once(end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}{by}{end}{after}"))
}

fn numbered(file: &str) -> impl Iterator<Item = (usize, &str)> {
    file.lines().enumerate().map(|(place, line)| (place + 1, line))
}

/// The mark at the beginning of a line; none if it has none.
fn mark(line: &str) -> Option<Mark> {
    match line.get(..2).unwrap_or(line) {
        "  " => Some(Mark::Stays),
        "- " | "-" => Some(Mark::Goes),
        "+ " | "+" => Some(Mark::Comes),
        _ => None,
    }
}

fn marked(number: usize, line: &str) -> Result<(Mark, String), String> {
    let expected = "expected two blanks, `- ` or `+ ` before a line of the source";
    let mark = mark(line).ok_or_else(|| format!("line {number}, `{line}`: {expected}"))?;
    Ok((mark, line.get(2..).unwrap_or("").trim_end().to_owned()))
}

/// The blocks of lines, with blank lines between them.
fn changes<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Vec<Change>, String> {
    let mut changes: Vec<Change> = Vec::new();
    let mut inside = false;
    for (at, line) in lines {
        if line.trim().is_empty() {
            inside = false;
            continue;
        }
        if !inside {
            changes.push(Change { at, ..Change::default() });
        }
        inside = true;
        if let Some(change) = changes.last_mut() {
            change.lines.push(marked(at, line)?);
        }
    }
    Ok(changes)
}

impl Change {
    /// The source after the change.
    ///
    /// # Errors
    /// If what is to be changed is not there, or is there more than once, or if nothing would change.
    pub fn apply(&self, source: &str) -> Result<String, String> {
        let texts = |other: Mark| {
            let lines = self.lines.iter().filter(move |(mark, _)| *mark != other);
            lines.map(|(_, line)| line.as_str()).collect::<Vec<&str>>()
        };
        let (before, after) = (texts(Mark::Comes), texts(Mark::Goes));
        let at = self.at;
        if before.is_empty() || before == after {
            return Err(format!("line {at}: the change changes nothing"));
        }
        let lines: Vec<&str> = source.lines().collect();
        let fits = |place: &usize| {
            let here = &lines[*place..];
            here.len() >= before.len()
                && here.iter().zip(&before).all(|(line, text)| line.trim() == text.trim())
        };
        match (0..lines.len()).filter(fits).collect::<Vec<usize>>()[..] {
            [place] => {
                // The new lines are indented like the old ones.
                let indent = |line: &str| line.len() - line.trim_start().len();
                let (there, here) = (indent(lines[place]), indent(before[0]));
                let after = after.iter().map(|line| match indent(line) {
                    _ if line.trim().is_empty() => String::new(),
                    own => format!("{:1$}{2}", "", (there + own).saturating_sub(here), line.trim_start()),
                });
                let (head, tail) = (&lines[..place], &lines[place + before.len()..]);
                let owned = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
                Ok([owned(head), after.collect(), owned(tail)].concat().join("\n") + "\n")
            }
            [] => Err(format!(
                "line {at}: the source has no such adjacent lines; write the change anew:\n{}",
                before.join("\n")
            )),
            [..] => Err(format!(
                "line {at}: the source has these lines more than once; add one that stays:\n{}",
                before.join("\n")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "send(1);\n    if x {\n        send(1);\n    }\n";

    fn applied(lines: &str) -> Result<String, String> {
        Mutant::parse_all(&format!("role: b\n{lines}")).expect("a table")[0].change.apply(SOURCE)
    }

    #[test]
    fn mutants_are_read() {
        let table = "# A remark.\nsend, survives, n = 4: it says nothing\n  if x {\n-     send(1);\n\n\
                     role: y\n- z\n+ w\n";
        let mutants = Mutant::parse_all(table).expect("a table");
        let heads: Vec<_> =
            mutants.iter().map(|m| (&*m.kind, &*m.what, m.n, m.survives, m.change.at)).collect();
        assert_eq!(heads, [("send", "it says nothing", 4, true, 2), ("role", "y", 3, false, 6)]);
        assert_eq!(mutants[0].change.apply(SOURCE).as_deref(), Ok("send(1);\n    if x {\n    }\n"));
        assert_eq!(mutants[1].change.apply("y\nz\n").as_deref(), Ok("y\nw\n"));
    }

    #[test]
    fn new_lines_are_indented_like_the_old_ones() {
        let after = applied("- if x {\n-     send(1);\n+ if y {\n+     send(2);\n+ \n+     send(3);");
        assert_eq!(
            after.as_deref(),
            Ok("send(1);\n    if y {\n        send(2);\n\n        send(3);\n    }\n")
        );
    }

    #[test]
    fn change_that_does_not_fit_is_an_error() {
        for (lines, why) in [
            ("- send(1);\n+ send(2);", "more than once"),
            ("- send(2);", "no such adjacent lines"),
            ("- }\n-  // and more", "no such adjacent lines"),
            ("- if x {\n+ if x {", "changes nothing"),
            ("", "changes nothing"),
        ] {
            let error = applied(lines).expect_err(lines);
            assert!(error.contains(why) && error.starts_with("line 1"), "{lines}: {error}");
        }
    }

    #[test]
    fn bad_table_is_an_error() {
        for table in ["role b", "rule: b", "role, 4: b", "role: b\n* c"] {
            assert!(Mutant::parse_all(table).is_err(), "{table}");
        }
    }

    const RIGHT: &str = "\
//! Right: in a sentence.
//!
//! **Idea.** It goes
//! on.
//!
//! **Source.** A book.

const SPEC: Spec = Spec::election(\"right\", 1982, include_str!(\"mod.rs\"))
    .example(\"-n 3\");
stop();
";
    const TEXT: &str =
        "right@wrong: Wrong\nerratum 1\nexample -n 4\n\nIt never\nstops.\n\n- stop();\n+ go();\n";

    #[test]
    fn text_is_applied() {
        let text = Text::parse(TEXT).expect("a text");
        assert_eq!((&*text.name, &*text.erratum, text.changes.len()), ("right@wrong", "1", 1));
        let expected = "\
//! Wrong: in a sentence.
//!
//! **Idea.** It never
//! stops.
//!
//! **Source.** A book.

const SPEC: Spec = Spec::election(\"right@wrong\", 1982, include_str!(\"mod.rs\"))
        .diff(include_str!(\"diff.txt\"))
    .example(\"-n 4\");
go();
";
        assert_eq!(text.apply(RIGHT).as_deref(), Ok(expected));
    }

    #[test]
    fn bad_text_names_the_line() {
        for (text, why) in [
            ("", "line 1, ``: expected `name@variant: Title`"),
            ("right: Wrong\n", "line 1"),
            ("a@b: Wrong\nexample x\n", "line 2, `example x`: expected `erratum NUMBER`"),
            ("a@b: Wrong\nerratum 1\nexample x\n- y\n", "a paragraph"),
            ("a@b: Wrong\nerratum 1\nexample x\n\nidea\n\n- y\n! z\n", "line 8, `! z`"),
        ] {
            let error = Text::parse(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
