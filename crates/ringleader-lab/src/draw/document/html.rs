//! A page as HTML: one file, no script, nothing fetched.

use super::{Block, Document, is_numeric, parts};
use crate::draw::xml::escaped;
use std::fmt::Write as _;

const STYLE: &str = include_str!("page.css");

pub(super) fn page(document: &Document) -> String {
    let title = escaped(&document.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    for block in &document.blocks {
        page.push_str(&self::block(block));
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(level, title) => {
            let id: String =
                title.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
            format!("<h{level} id=\"{}\">{}</h{level}>\n", escaped(&id), text(title))
        }
        Block::Text(paragraph) => format!("<p>{}</p>\n", text(paragraph)),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>\n", text(item))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Pairs(pairs) => {
            let pair =
                |(name, said): &(String, String)| format!("<dt>{}</dt><dd>{}</dd>\n", text(name), text(said));
            format!("<dl>\n{}</dl>\n", pairs.iter().map(pair).collect::<String>())
        }
        Block::Links(links) => {
            let link = |(said, to): &(String, String)| {
                format!("<li><a href=\"{}\">{}</a></li>\n", escaped(to), text(said))
            };
            format!("<ul>\n{}</ul>\n", links.iter().map(link).collect::<String>())
        }
        Block::Table { head, rows } => table(head, rows),
        Block::Code(code) => format!("<pre tabindex=\"0\">{}</pre>\n", escaped(code)),
        Block::Figure { svg, caption, .. } => {
            format!(
                "<figure>\n<div class=\"picture\" tabindex=\"0\">{}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
                element(svg),
                text(caption)
            )
        }
    }
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let class = |column| if is_numeric(rows, column) { " class=\"number\"" } else { "" };
    let mut table = String::from("<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr>");
    for (column, cell) in head.iter().enumerate() {
        let _ = write!(table, "<th scope=\"col\"{}>{}</th>", class(column), text(cell));
    }
    table.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        table.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(table, "<td{}>{}</td>", class(column), text(cell));
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</tbody>\n</table></div>\n");
    table
}

/// The element of a picture, without what makes a file of it.
fn element(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |start| &svg[start..])
}

fn text(text: &str) -> String {
    let part = |(code, part): (bool, &str)| {
        if code { format!("<code>{}</code>", escaped(part)) } else { escaped(part) }
    };
    parts(text).map(part).collect()
}
