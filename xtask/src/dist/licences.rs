//! The licences of everything in the program that others wrote, in one text.

use super::{Result, build, of_project, said};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use xtask::tidy;

/// A crate of others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Crate {
    name: String,
    version: String,
    /// As its author wrote it.
    expression: String,
}

/// The text, for this package as it is built for this target.
pub(crate) fn text(package: &str, target: &str) -> Result<String> {
    let tree = said(tidy::cargo().args(["tree", "--locked", "-p", package, "--target", target]).args([
        "--edges=normal,no-proc-macro",
        "--prefix=none",
        "--format={p}|{l}",
    ]))?;
    let crates = of_others(&tree)?;
    let metadata = said(tidy::cargo().args(["metadata", "--locked", "--format-version=1"]))?;
    let folders = folders(&metadata);
    let mut texts = BTreeMap::new();
    for part in &crates {
        let folder = folders.get(&format!("{}-{}", part.name, part.version));
        let folder = folder.ok_or(format!("cargo metadata does not know {} {}", part.name, part.version))?;
        texts.insert(part.clone(), texts_in(folder)?);
    }
    as_in_the_repository(&mut texts);
    let apache = String::from_utf8_lossy(&of_project("LICENSE-APACHE")?).into_owned();
    let page = String::from_utf8_lossy(&of_project("crates/ringleader-page/page/licences.md")?).into_owned();
    let own = [("The Rust standard library".to_owned(), standard()?), ("The page".to_owned(), page)];
    let libc = target.ends_with("-musl").then(|| ("The C library musl".to_owned(), MUSL.to_owned()));
    written(&texts, &apache, own.into_iter().chain(libc))
}

/// The crates of a tree, each once, in order; our own are left out.
fn of_others(tree: &str) -> Result<Vec<Crate>> {
    let mut crates = Vec::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let line = line.trim_end_matches(" (*)");
        let (name, expression) = line.split_once('|').ok_or(format!("cargo tree says `{line}`"))?;
        let words: Vec<&str> = name.split(' ').collect();
        // Our own have a folder behind the version.
        match words.as_slice() {
            [name, version] => crates.push(Crate {
                name: (*name).into(),
                version: version.trim_start_matches('v').into(),
                expression: expression.into(),
            }),
            [name, _, _folder] if name.starts_with("ringleader") => {}
            _ => return Err(format!("cargo tree says `{line}`: is that a crate from a registry?")),
        }
    }
    crates.sort();
    crates.dedup();
    Ok(crates)
}

/// The folder of every package, by name and version, from what `cargo metadata` prints.
fn folders(metadata: &str) -> BTreeMap<String, PathBuf> {
    let manifests = metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let folders = manifests.filter_map(|path| Path::new(path).parent());
    let named = |folder: &Path| Some((folder.file_name()?.to_str()?.to_owned(), folder.to_owned()));
    folders.filter_map(named).collect()
}

/// Every licence text in this folder, also of C code below it, in order.
fn texts_in(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
            let is_text = !Path::new(&name).extension().is_some_and(|end| end == "rs" || end == "html");
            if path.is_dir() {
                waiting.push(path);
            } else if is_text && LICENCES.iter().any(|begin| name.starts_with(begin)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.into_iter().map(|path| Ok(String::from_utf8_lossy(&super::read(&path)?).into_owned())).collect()
}

/// Crates that are packed without the text of their repository, and one of the same repository that has it.
const TOGETHER: [(&str, &str); 1] = [("tonic-prost", "tonic")];

/// Who brings no text has that of the same release of the same repository.
fn as_in_the_repository(texts: &mut BTreeMap<Crate, Vec<String>>) {
    for (without, with) in TOGETHER {
        let known = texts.clone();
        let empty = texts.iter_mut().filter(|(part, found)| part.name == without && found.is_empty());
        for (part, found) in empty {
            let other = Crate { name: with.to_owned(), ..part.clone() };
            *found = known.get(&other).cloned().unwrap_or_default();
        }
    }
}

/// What files with licences are called.
const LICENCES: [&str; 7] = ["license", "licence", "copying", "copyright", "notice", "unlicense", "patents"];

/// One text of all. A crate that brings none must leave the choice of one that needs no name: Apache 2.0.
fn written(
    texts: &BTreeMap<Crate, Vec<String>>,
    apache: &str,
    others: impl Iterator<Item = (String, String)>,
) -> Result<String> {
    let mut out = String::from("What others wrote in this program, and on which terms.\n\n");
    let mut who_by_text: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (part, found) in texts {
        let name = format!("{} {}", part.name, part.version);
        let _ = writeln!(out, "{name}: {}", part.expression);
        if found.is_empty() {
            if !part.expression.contains("Apache-2.0") {
                return Err(format!("{name} ({}) brings no licence text", part.expression));
            }
            who_by_text.entry(apache.trim()).or_default().push(name.clone());
        }
        for text in found {
            let who = who_by_text.entry(text.trim()).or_default();
            if !who.contains(&name) {
                who.push(name.clone());
            }
        }
    }
    let line = "=".repeat(80);
    for (text, who) in who_by_text {
        let _ = write!(out, "\n{line}\n{}\n{line}\n\n{text}\n", who.join(", "));
    }
    for (who, text) in others {
        let _ = write!(out, "\n{line}\n{who}\n{line}\n\n{}\n", text.trim());
    }
    Ok(out)
}

/// What the standard library is under: the texts that come with the compiler.
fn standard() -> Result<String> {
    let folder = build::sysroot()?.join("share/doc/rust/licenses");
    let mut texts = String::from("MIT or Apache-2.0; https://www.rust-lang.org/policies/licenses\n");
    for name in ["MIT.txt", "Apache-2.0.txt"] {
        if let Ok(text) = fs::read_to_string(folder.join(name)) {
            let _ = write!(texts, "\n{text}");
        }
    }
    Ok(texts)
}

/// Of musl, which comes with the standard library of its target, without its text.
const MUSL: &str = "\
Copyright © 2005-2020 Rich Felker, et al.

Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files (the
\"Software\"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,
TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.";

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, expression: &str) -> Crate {
        Crate { name: name.into(), version: "1.0.0".into(), expression: expression.into() }
    }

    #[test]
    fn crates_of_others_are_listed_once() {
        let tree = "ringleader-cli v0.1.0 (/x/crates/ringleader-cli)|MIT\nb v1.0.0|MIT (*)\n\n\
                    a v1.0.0|ISC\nb v1.0.0|MIT\n";
        assert_eq!(of_others(tree), Ok(vec![part("a", "ISC"), part("b", "MIT")]));
        assert!(of_others("c v1.0.0 (https://example.org/c#1)|MIT").is_err());
    }

    #[test]
    fn crate_without_a_text_is_refused() {
        let one = |expression: &str, texts: Vec<String>| {
            written(&BTreeMap::from([(part("a", expression), texts)]), "THE APACHE TEXT", std::iter::empty())
        };
        assert!(one("MIT", vec![]).is_err());
        assert!(one("MIT OR Apache-2.0", vec![]).is_ok_and(|text| text.contains("THE APACHE TEXT")));
        assert!(one("MIT", vec!["as you like\n".into()]).is_ok_and(|text| text.contains("as you like")));
    }

    #[test]
    fn parts_of_a_repository_share_its_text() {
        let [(without, with)] = TOGETHER;
        let text = vec!["as you like".to_owned()];
        let mut texts = BTreeMap::from([(part(without, "MIT"), vec![]), (part(with, "MIT"), text.clone())]);
        as_in_the_repository(&mut texts);
        assert_eq!(texts[&part(without, "MIT")], text);
        // Of another release, or on other terms, nothing is known.
        let mut texts = BTreeMap::from([(part(without, "ISC"), vec![]), (part(with, "MIT"), text)]);
        as_in_the_repository(&mut texts);
        assert!(texts[&part(without, "ISC")].is_empty());
    }

    #[test]
    fn same_text_stands_once() {
        let texts = BTreeMap::from([
            (part("a", "MIT"), vec!["as you like".to_owned()]),
            (part("b", "MIT"), vec!["as you like\n".to_owned()]),
        ]);
        let text = written(&texts, "", std::iter::empty()).expect("all have one");
        assert_eq!(text.matches("as you like").count(), 1);
        assert!(text.contains("a 1.0.0, b 1.0.0"));
    }
}
