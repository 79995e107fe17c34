//! Makes the wrong versions of every algorithm from its folder: the texts as they are printed, and the mutants.

#[path = "src/diff.rs"]
#[expect(unreachable_pub, reason = "it belongs to the library; here it is only used")]
mod diff;

use diff::{Mutant, Text};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let sources = PathBuf::from(env::var_os("DEP_RINGLEADER_SOURCES").expect("the library says where it is"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/diff.rs");
    let mut made = Made { out, ..Made::default() };
    for (problem, part) in [("election", "election"), ("exclusion", "mutex"), ("timekeeping", "clocks")] {
        println!("cargo::rerun-if-changed={}", sources.join(part).display());
        for folder in entries(&sources.join(part)).into_iter().filter(|path| path.join("mod.rs").exists()) {
            made.folder(problem, &folder);
        }
    }
    made.write();
}

/// What is in a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|why| panic!("{}: {why}", folder.display()))
        .map(|entry| entry.expect("a folder can be read").path())
        .collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// What was made so far: modules and lists, as text.
#[derive(Default)]
struct Made {
    out: PathBuf,
    /// The files beside `mod.rs` of the algorithm at hand: every version has them as they are.
    beside: Vec<(String, String)>,
    texts: (String, String),
    mutants: (String, String),
}

impl Made {
    /// The wrong versions of one algorithm.
    fn folder(&mut self, problem: &str, folder: &Path) {
        let source = read(&folder.join("mod.rs"));
        let name =
            folder.file_name().map(|name| name.to_string_lossy().replace('_', "-")).unwrap_or_default();
        self.beside = entries(folder)
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "rs") && !path.ends_with("mod.rs"))
            .map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), read(path)))
            .collect();
        let errata = folder.join("errata.md");
        let errata = if errata.exists() { read(&errata) } else { String::new() };
        let between = |begin, end| source.split_once(begin)?.1.split_once(end).map(|(name, _)| name);
        // An algorithm that shares its clauses with another is a name for these with something of its own.
        let process = between("\nimpl Process for ", " {").or_else(|| between("\npub type ", " ="));
        let process =
            process.unwrap_or_else(|| panic!("{name} has no line `impl Process for …` or `pub type …`"));

        let mut texts = Vec::new();
        for path in entries(folder) {
            if path.extension().is_none_or(|end| end != "txt") || path.ends_with("mutants.txt") {
                continue;
            }
            let file = read(&path);
            let text = Text::parse(&file).unwrap_or_else(|why| panic!("{}, {why}", path.display()));
            let item = format!("- **{}**: ", text.erratum);
            let Some(place) = errata.find(&item) else {
                panic!("{}: errata.md has no item `{item}`", path.display())
            };
            let changed = text.apply(&source).unwrap_or_else(|why| panic!("{}, {why}", path.display()));
            let erratum = errata[place..].split("\n- ").next().unwrap_or_default();
            texts.push((place, text, changed, erratum.to_owned(), file));
        }
        // In the order of the list of errata.
        texts.sort_by_key(|(place, ..)| *place);
        for (_, text, changed, erratum, file) in texts {
            let module = self.module(&text.name, &changed, &erratum, &file);
            self.texts.0 += &format!(
                "pub mod {module} {{ include!(concat!(env!(\"OUT_DIR\"), \"/{module}/body.rs\")); }}\n"
            );
            self.texts.1 += &format!(
                "    Version {{ of: {name:?}, listed: {}, entry: Entry::{problem}::<{module}::{process}>() }},\n",
                text.listed
            );
        }

        let path = folder.join("mutants.txt");
        if !path.exists() {
            return;
        }
        let mutants =
            Mutant::parse_all(&read(&path)).unwrap_or_else(|why| panic!("{}, {why}", path.display()));
        // Unchanged, it must hold wherever a mutant is checked.
        let n = mutants.iter().map(|mutant| mutant.n).max().unwrap_or_default();
        for (number, mutant) in std::iter::once(None).chain(mutants.iter().map(Some)).enumerate() {
            let own = format!("{name}~{number}");
            let changed = match mutant {
                None => diff::renamed(&source, &own),
                Some(mutant) => mutant.apply(&source, &own),
            };
            let changed = match changed {
                Ok(changed) => changed,
                Err(why) => {
                    // Only the test of mutants needs them.
                    let why = format!("{}, {why}", path.display());
                    self.mutants.0 += &format!("compile_error!({why:?});\n");
                    continue;
                }
            };
            let module = self.module(&own, &changed, &errata, "");
            let (kind, what, n, survives) = mutant.map_or(("", "unchanged", n, true), |mutant| {
                (&*mutant.kind, &*mutant.what, mutant.n, mutant.survives)
            });
            self.mutants.0 += &format!(
                "pub mod {module} {{ include!(concat!(env!(\"OUT_DIR\"), \"/{module}/body.rs\")); }}\n"
            );
            self.mutants.1 += &format!(
                "    Mutant {{ algorithm: {name:?}, kind: {kind:?}, what: {what:?}, n: {n}, survives: {survives}, \
                 entry: Entry::{problem}::<{module}::{process}>() }},\n"
            );
        }
    }

    /// Writes a version as a folder of its own, and says what its module is called. Only the beginning of a file may
    /// have a header: what is compiled goes without, what is read has it.
    fn module(&self, name: &str, source: &str, errata: &str, diff: &str) -> String {
        let module = name.replace(['-', '@', '~'], "_");
        let folder = self.out.join(&module);
        fs::create_dir_all(&folder).expect("a folder can be made");
        let body: String = source.split_inclusive('\n').skip_while(|line| line.starts_with("//!")).collect();
        let files = [("mod.rs", source), ("body.rs", &*body), ("errata.md", errata), ("diff.txt", diff)];
        for (file, text) in files.into_iter().chain(self.beside.iter().map(|(file, text)| (&**file, &**text)))
        {
            fs::write(folder.join(file), text).expect("a version can be written");
        }
        module
    }

    fn write(&self) {
        for (file, kind, (modules, list)) in
            [("texts.rs", "Version", &self.texts), ("mutants.rs", "Mutant", &self.mutants)]
        {
            let list = format!("/// All of them.\npub(crate) static ALL: &[{kind}] = &[\n{list}];\n");
            fs::write(self.out.join(file), modules.clone() + &list).expect("the list can be written");
        }
    }
}
