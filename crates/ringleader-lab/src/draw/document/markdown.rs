//! A page as Markdown.

use super::{Block, Document, is_numeric, parts};

/// The longest line, of those that can be wrapped.
const WIDTH: usize = 110;

pub(super) fn page(document: &Document, with_pictures: bool) -> String {
    let mut page = format!("# {}\n", text(&document.title));
    for block in &document.blocks {
        let written = match block {
            Block::Heading(level, title) => format!("{} {}\n", "#".repeat(usize::from(*level)), text(title)),
            Block::Text(paragraph) => wrapped("", &text(paragraph)),
            Block::List(items) => items.iter().map(|item| wrapped("- ", &text(item))).collect(),
            Block::Pairs(pairs) => {
                let line = |(name, said): &(String, String)| match said.as_str() {
                    "" => format!("- **{}**\n", text(name)),
                    said => wrapped("- ", &format!("**{}**: {}", text(name), text(said))),
                };
                pairs.iter().map(line).collect()
            }
            Block::Links(links) => {
                links.iter().map(|(said, to)| format!("- [{}]({to})\n", text(said))).collect()
            }
            Block::Table { head, rows } => table(head, rows),
            Block::Code(code) => format!("```text\n{}\n```\n", code.trim_end_matches('\n')),
            Block::Figure { file, caption, .. } if with_pictures => {
                format!("![{}]({file})\n", text(caption))
            }
            Block::Figure { .. } => continue,
        };
        page.push('\n');
        page.push_str(&written);
    }
    page
}

/// Lines of a width that people read, the later ones under the first.
fn wrapped(mark: &str, text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut code = false;
    for word in text.split(' ') {
        match lines.last_mut() {
            // A command stays on its line.
            Some(line) if code || line.chars().count() + 1 + word.chars().count() <= WIDTH - mark.len() => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
        code ^= word.matches('`').count() % 2 == 1;
    }
    let indent = " ".repeat(mark.len());
    let line = |(place, line)| format!("{}{line}\n", if place == 0 { mark } else { indent.as_str() });
    lines.iter().enumerate().map(line).collect()
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = |column| if is_numeric(rows, column) { "---:".to_owned() } else { "---".to_owned() };
    let mut table = line(head.iter().map(|cell| text(cell)).collect());
    table.push_str(&line((0..head.len()).map(rule).collect()));
    for row in rows {
        table.push_str(&line(row.iter().map(|cell| text(cell)).collect()));
    }
    table
}

/// Text in which nothing means anything to Markdown but the code in it.
fn text(text: &str) -> String {
    let mut written = String::new();
    for (code, part) in parts(text) {
        if code {
            // A bar ends a cell even inside code.
            written.push_str(&format!("`{}`", part.replace('|', "\\|")));
            continue;
        }
        for c in part.chars() {
            if "\\*_<>|[]#".contains(c) {
                written.push('\\');
            }
            written.push(c);
        }
    }
    written
}
