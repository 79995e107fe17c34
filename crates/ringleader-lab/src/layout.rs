//! Text for people, in lines that fit the terminal.

use core::sync::atomic::{AtomicUsize, Ordering};

/// The width where there is no terminal: in a file, in a pipe, in a test.
const USUAL: usize = 80;
/// The narrowest that is obeyed.
const LEAST: usize = 40;
/// Longer lines are hard to read.
const MOST: usize = 100;

/// The width of the terminal; 0 if there is none.
static TERMINAL: AtomicUsize = AtomicUsize::new(0);

/// Takes this width of a terminal. Only a program does that prints to one: all others get the same everywhere.
pub fn obey_terminal(width: usize) {
    TERMINAL.store(width, Ordering::Relaxed);
}

/// The width of the terminal, if there is one.
#[must_use]
pub fn terminal() -> Option<usize> {
    Some(TERMINAL.load(Ordering::Relaxed)).filter(|width| *width > 0)
}

/// No line of text is longer; commands to copy and tables of data may be.
#[must_use]
pub fn width() -> usize {
    terminal().map_or(USUAL, |width| width.clamp(LEAST, MOST))
}

/// A text after `start`, in lines that are as long as there is room. Those below the first begin `hang` columns in.
#[must_use]
pub fn fold(start: &str, text: &str, hang: usize) -> String {
    let first = visible(start);
    let mut folded = start.to_owned();
    let mut is_first = true;
    for paragraph in text.split('\n') {
        // The first line may have less or more room than the others: blanks stand for what it has before it.
        let shift = if is_first { first.saturating_sub(hang) } else { 0 };
        let room = width().saturating_sub(hang).max(1);
        let lines = wrapped_after(paragraph, room, shift);
        for line in lines {
            if !is_first {
                folded.push('\n');
                folded.push_str(&" ".repeat(if line.is_empty() { 0 } else { hang }));
            }
            folded.push_str(&line);
            is_first = false;
        }
    }
    folded
}

/// The words of a text, in lines of at most this width. `A command` in backquotes is one word; colour takes no room.
#[must_use]
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    wrapped_after(text, width, 0)
}

/// The same, where so many columns of the first line are taken.
fn wrapped_after(text: &str, width: usize, taken: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = taken;
    for (gap, word) in words(text) {
        let long = visible(&word);
        let line = lines.last_mut().expect("there is one from the beginning");
        if !line.is_empty() && used + gap + long > width {
            lines.push(word);
            used = long;
            continue;
        }
        if !line.is_empty() {
            line.push_str(&" ".repeat(gap));
            used += gap;
        }
        line.push_str(&word);
        used += long;
    }
    lines
}

/// The words, each with the width of the gap before it. A separating dot belongs to the word before it.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let (mut gap, mut is_open, mut is_broken) = (0, false, false);
    for part in text.split_inclusive([' ', '\n']) {
        let word = part.trim_end_matches([' ', '\n']);
        if !word.is_empty() {
            match words.last_mut() {
                Some((_, last)) if is_open || word == "·" => {
                    last.push_str(&" ".repeat(gap));
                    last.push_str(word);
                }
                Some(_) | None => words.push((gap, word.to_owned())),
            }
            is_open ^= word.matches('`').count() % 2 == 1;
            (gap, is_broken) = (0, false);
        }
        is_broken |= part.ends_with('\n');
        // A line break is one blank, whatever the next line begins with.
        gap = if is_broken { 1 } else { gap + part.len() - word.len() };
    }
    words
}

/// How many columns a text takes.
#[must_use]
pub fn visible(text: &str) -> usize {
    let mut columns = 0;
    let mut in_escape = false;
    for c in text.chars() {
        match (in_escape, c) {
            (false, '\x1b') => in_escape = true,
            (true, 'm') => in_escape = false,
            (true, _) => {}
            (false, _) => columns += 1,
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrapped("one\n  two", 9), ["one two"]);
        assert_eq!(wrapped("much-too-long a b", 4), ["much-too-long", "a b"]);
        assert_eq!(wrapped("", 9), [""]);
    }

    #[test]
    fn colour_takes_no_room() {
        assert_eq!(wrapped("\x1b[31mred\x1b[0m two", 7), ["\x1b[31mred\x1b[0m two"]);
        assert_eq!(visible("\x1b[1mbold\x1b[0m"), 4);
    }

    #[test]
    fn commands_are_not_broken() {
        assert_eq!(
            wrapped("see `ringleader list --errata` there", 12),
            ["see", "`ringleader list --errata`", "there"]
        );
    }

    #[test]
    fn separators_end_a_line() {
        assert_eq!(wrapped("n = 8 · seed 7 · rounds", 9), ["n = 8 ·", "seed 7 ·", "rounds"]);
        assert_eq!(wrapped("a   b", 9), ["a   b"]);
    }

    #[test]
    fn lines_hang_below_the_first() {
        let text = "word ".repeat(20);
        let folded = fold("  label  ", text.trim(), 9);
        let lines: Vec<&str> = folded.lines().collect();
        assert!(lines.len() == 2 && lines.iter().all(|line| line.chars().count() <= USUAL), "{folded}");
        assert!(lines[0].starts_with("  label  word") && lines[1].starts_with("         word"), "{folded}");
        assert_eq!(fold("", "one\ntwo", 2), "one\n  two");
    }
}
