//! A page as a few kinds of blocks, written as Markdown or as HTML that needs nothing else.
//!
//! Texts are plain, with `` `code` `` between backticks.

mod html;
mod markdown;

/// A page.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// What is on it.
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// A heading below the title: 2 for a section, 3 for a part of one.
    Heading(u8, String),
    /// A paragraph.
    Text(String),
    /// A list.
    List(Vec<String>),
    /// Names and what is said about each.
    Pairs(Vec<(String, String)>),
    /// Links: what is there, and where.
    Links(Vec<(String, String)>),
    /// A table.
    Table {
        /// The heads of the columns.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// Lines to be read as they are.
    Code(String),
    /// A picture.
    Figure {
        /// The name of its file.
        file: String,
        /// The picture, as an SVG element.
        svg: String,
        /// What it shows.
        caption: String,
    },
}

impl Document {
    /// As Markdown. Pictures are linked where they are in files of their own, and left out otherwise.
    #[must_use]
    pub fn markdown(&self, with_pictures: bool) -> String {
        markdown::page(self, with_pictures)
    }

    /// As a page of HTML with its pictures in it.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The pictures: names of files, and SVG elements.
    pub fn pictures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure { file, svg, .. } => Some((file.as_str(), svg.as_str())),
            Block::Heading(..)
            | Block::Text(_)
            | Block::List(_)
            | Block::Pairs(_)
            | Block::Links(_)
            | Block::Table { .. }
            | Block::Code(_) => None,
        })
    }
}

/// The parts of a text that are code, and those that are not, in turn; the first is not.
fn parts(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`').enumerate().map(|(place, part)| (place % 2 == 1, part))
}

/// Whether a column is one of numbers, which stand under each other by their ends.
fn is_numeric(rows: &[Vec<String>], column: usize) -> bool {
    let numeric = |text: &str| {
        text.is_empty() || text == "–" || text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    };
    rows.iter().all(|row| row.get(column).is_none_or(|cell| numeric(cell)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        Document {
            title: "a_b <x>".into(),
            blocks: vec![
                Block::Heading(2, "Idea".into()),
                Block::Text("n * m | `send <id>` & more".into()),
                Block::List(vec!["one".into(), "two".into()]),
                Block::Pairs(vec![("links".into(), "any".into())]),
                Block::Table {
                    head: vec!["n".into(), "name".into()],
                    rows: vec![vec!["8".into(), "a|b".into()], vec!["–".into(), String::new()]],
                },
                Block::Code("x < y\n".into()),
                Block::Figure {
                    file: "a.svg".into(),
                    svg: "<svg xmlns='http://www.w3.org/2000/svg'/>".into(),
                    caption: "A run".into(),
                },
            ],
        }
    }

    #[test]
    fn as_markdown() {
        assert_eq!(
            document().markdown(true),
            "# a\\_b \\<x\\>

## Idea

n \\* m \\| `send <id>` & more

- one
- two

- **links**: any

| n | name |
| ---: | --- |
| 8 | a\\|b |
| – |  |

```text
x < y
```

![A run](a.svg)
"
        );
        assert!(!document().markdown(false).contains("svg"));
    }

    #[test]
    fn as_html() {
        let html = document().html();
        for said in [
            "<title>a_b &lt;x&gt;</title>",
            "<h2 id=\"idea\">Idea</h2>",
            "n * m | <code>send &lt;id&gt;</code> &amp; more",
            "<td class=\"number\">8</td><td>a|b</td>",
            "<pre tabindex=\"0\">x &lt; y",
            "<figcaption>A run</figcaption>",
        ] {
            assert!(html.contains(said), "{said} is not in {html}");
        }
        assert!(roxmltree::Document::parse(html.trim_start_matches("<!DOCTYPE html>")).is_ok());
    }
}
