//! The table of changes, and how one is applied to a source. A change that does not fit is an error, so that the table
//! cannot fall behind the sources without a word.

/// The kinds of mistakes: a comparison is another one; a message is not sent, or to somebody else, or says something
/// else; a role or variable does not change as it should; a number is another one; nothing is left to chance.
pub const KINDS: &[&str] = &["comparison", "send", "role", "constant", "chance"];

/// How many processes a mutant is killed with at most, where the table says nothing.
const USUAL_N: u32 = 3;

/// One small change of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The kind of mistake.
    pub kind: String,
    /// The mistake, in words.
    pub what: String,
    /// How many processes it takes, at most, to see it.
    pub n: u32,
    /// Whether it is wrong, and nobody sees it yet.
    pub survives: bool,
    lines: Vec<(Mark, String)>,
}

/// What becomes of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Stays,
    Goes,
    Comes,
}

/// Reads the table: remarks (`#`), and changes with blank lines between them. A change is a line `algorithm, kind:
/// words`, with `, n = 4` or `, survives` before the colon where that is so, then lines of the source as they are
/// without their indentation, marked as in a diff: two blanks (stays), `- ` (goes), `+ ` (comes).
///
/// # Errors
/// The line that cannot be read, and what was expected.
pub fn parse(table: &str) -> Result<Vec<Change>, String> {
    let mut changes: Vec<Change> = Vec::new();
    let mut inside = false;
    for (number, line) in table.lines().enumerate() {
        let complain = |expected: &str| format!("line {}, `{line}`: expected {expected}", number + 1);
        let (mark, rest) = (line.get(..2).unwrap_or(line), line.get(2..).unwrap_or(""));
        let mark = match mark.trim_end() {
            _ if line.trim().is_empty() => {
                inside = false;
                continue;
            }
            _ if line.starts_with('#') => continue,
            _ if !inside => {
                changes.push(heading(line).map_err(|expected| complain(&expected))?);
                inside = true;
                continue;
            }
            "" => Mark::Stays,
            "-" => Mark::Goes,
            "+" => Mark::Comes,
            _ => return Err(complain("two blanks, `- ` or `+ ` before a line of the source")),
        };
        if let Some(change) = changes.last_mut() {
            change.lines.push((mark, rest.trim().to_owned()));
        }
    }
    Ok(changes)
}

fn heading(line: &str) -> Result<Change, String> {
    let (head, what) = line.split_once(": ").ok_or("`algorithm, kind: words`")?;
    let mut parts = head.split(", ");
    let (algorithm, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if !KINDS.contains(&kind) {
        return Err(format!("one of {} after the algorithm", KINDS.join(", ")));
    }
    let (mut n, mut survives) = (USUAL_N, false);
    for part in parts {
        match part.strip_prefix("n = ").and_then(|n| n.parse().ok()) {
            Some(other) => n = other,
            None if part == "survives" => survives = true,
            None => return Err("`n = 4` or `survives` after the kind".into()),
        }
    }
    let (algorithm, kind, what) = (algorithm.to_owned(), kind.to_owned(), what.to_owned());
    Ok(Change { algorithm, kind, what, n, survives, lines: Vec::new() })
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
        if before.is_empty() || before == after {
            return Err("the change changes nothing".into());
        }
        let lines: Vec<&str> = source.lines().collect();
        let fits = |place: &usize| {
            let here = &lines[*place..];
            here.len() >= before.len() && here.iter().zip(&before).all(|(line, text)| line.trim() == *text)
        };
        match (0..lines.len()).filter(fits).collect::<Vec<usize>>()[..] {
            [place] => {
                let (head, tail) = (&lines[..place], &lines[place + before.len()..]);
                Ok([head, &after, tail].concat().join("\n") + "\n")
            }
            [] => Err(format!(
                "the source has no such lines any more; write the change anew:\n{}",
                before.join("\n")
            )),
            [..] => Err(format!(
                "the source has these lines more than once; add one that stays:\n{}",
                before.join("\n")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
# A remark.
a-b, send, survives, n = 4: it says nothing
  if x {
-     send(1);

c, role: y
- z
+ w
";
    const SOURCE: &str = "send(1);\n    if x {\n        send(1);\n    }\n";

    #[test]
    fn a_change_is_applied_where_it_fits() {
        let changes = parse(TABLE).expect("a table");
        let heads: Vec<(&str, &str, &str, u32)> =
            changes.iter().map(|c| (&*c.algorithm, &*c.kind, &*c.what, c.n)).collect();
        assert_eq!(heads, [("a-b", "send", "it says nothing", 4), ("c", "role", "y", 3)]);
        assert_eq!(changes.iter().map(|change| change.survives).collect::<Vec<_>>(), [true, false]);
        assert_eq!(changes[0].apply(SOURCE).as_deref(), Ok("send(1);\nif x {\n    }\n"));
        assert_eq!(changes[1].apply("y\nz\n").as_deref(), Ok("y\nw\n"));
    }

    #[test]
    fn a_change_that_does_not_fit_is_an_error() {
        let apply = |lines: &str| parse(&format!("a, role: b\n{lines}")).expect("a table")[0].apply(SOURCE);
        assert!(apply("- send(1);\n+ send(2);").is_err(), "twice");
        assert!(apply("- send(2);").is_err(), "nowhere");
        assert!(apply("- }\n-  // and more").is_err(), "beyond the end");
        assert!(apply("- if x {\n+ if x {").is_err(), "no change");
        assert!(apply("").is_err(), "nothing");
    }

    #[test]
    fn a_table_that_cannot_be_read_is_an_error() {
        for table in ["a, role b", "a, rule: b", "a, role, 4: b", "a: b", "a, role: b\n* c"] {
            assert!(parse(table).is_err(), "{table}");
        }
    }
}
