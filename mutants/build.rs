//! Makes the mutants: for each algorithm of the table its source unchanged, and once more for each change.

#[path = "src/table.rs"]
#[expect(unreachable_pub, reason = "it belongs to the library; here it is only used")]
mod table;

use std::path::{Path, PathBuf};
use std::{env, fs};
use table::Change;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the package is"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    for file in ["build.rs", "src/table.rs", "mutants.txt"] {
        println!("cargo::rerun-if-changed={file}");
    }
    let table = fs::read_to_string(root.join("mutants.txt")).expect("the table can be read");
    let changes = table::parse(&table).unwrap_or_else(|why| panic!("mutants.txt, {why}"));
    let mut algorithms: Vec<&str> = changes.iter().map(|change| change.algorithm.as_str()).collect();
    algorithms.sort_unstable();
    algorithms.dedup();

    let (mut modules, mut list) = (String::new(), String::new());
    for algorithm in algorithms {
        let source = Source::read(&root.join("../crates/ringleader/src"), algorithm);
        let of_this = changes.iter().filter(|change| change.algorithm == algorithm);
        // Unchanged, it must hold wherever a mutant is checked.
        let n = of_this.clone().map(|change| change.n).max().unwrap_or_default();
        for (number, change) in std::iter::once(None).chain(of_this.map(Some)).enumerate() {
            let module = format!("{}_{number}", algorithm.replace('-', "_"));
            let text = source.mutant(number, change);
            fs::write(out.join(format!("{module}.rs")), text).expect("the mutant can be written");
            let (kind, what, n, survives) = change.map_or(("", "unchanged", n, true), |change| {
                (&*change.kind, &*change.what, change.n, change.survives)
            });
            let Source { problem, process, .. } = &source;
            modules +=
                &format!("mod {module} {{ include!(concat!(env!(\"OUT_DIR\"), \"/{module}.rs\")); }}\n");
            list += &format!(
                "    Mutant {{ algorithm: {algorithm:?}, kind: {kind:?}, what: {what:?}, n: {n}, survives: {survives}, \
                 entry: Entry::{problem}::<{module}::{process}>() }},\n"
            );
        }
    }
    let list = format!(
        "/// All mutants, the unchanged source of each algorithm first.\n\
         pub(crate) static ALL: &[Mutant] = &[\n{list}];\n"
    );
    fs::write(out.join("mutants.rs"), modules + &list).expect("the list can be written");
}

/// The source of an algorithm, ready to be changed.
struct Source<'a> {
    algorithm: &'a str,
    /// As the registry calls it: `election` or `exclusion`.
    problem: &'static str,
    /// As the module is called: `election` or `mutex`.
    folder: &'static str,
    /// The type.
    process: String,
    /// Without the header, which only the beginning of a file may have.
    text: String,
}

impl Source<'_> {
    fn read<'a>(library: &Path, algorithm: &'a str) -> Source<'a> {
        let file = format!("{}.rs", algorithm.replace('-', "_"));
        let places = [("election", "election"), ("exclusion", "mutex")]
            .map(|(problem, folder)| (problem, folder, library.join(folder).join(&file)));
        let Some((problem, folder, path)) = places.into_iter().find(|(.., path)| path.exists()) else {
            panic!("mutants.txt speaks of {algorithm}, but neither election/{file} nor mutex/{file} exists");
        };
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).expect("the source can be read");
        let text: String = text.split_inclusive('\n').skip_while(|line| line.starts_with("//!")).collect();
        let between = |begin, end| text.split_once(begin)?.1.split_once(end).map(|(name, _)| name);
        // An algorithm that shares its clauses with another is a name for these with something of its own.
        let process = between("impl Process for ", " {").or_else(|| between("\npub type ", " ="));
        let Some(process) = process else {
            panic!("{file} has no line `impl Process for …` or `pub type …`")
        };
        let process = process.to_owned();
        Source { algorithm, problem, folder, process, text }
    }

    /// The source after a change, as a module of another crate.
    fn mutant(&self, number: usize, change: Option<&Change>) -> String {
        let algorithm = self.algorithm;
        let text = change.map_or_else(|| Ok(self.text.clone()), |change| change.apply(&self.text));
        let text = text.unwrap_or_else(|why| panic!("mutant {algorithm}~{number} of mutants.txt: {why}"));
        let text = text.replace("use crate::model::", "use ringleader::model::");
        let text = text.replace("use super::", &format!("use ringleader::{}::", self.folder));
        assert!(!text.contains("crate::"), "{algorithm} uses more of the library than its model");
        let name = format!("    name: \"{algorithm}\",\n");
        assert_eq!(text.matches(&name).count(), 1, "the contract of {algorithm} begins with its name");
        text.replace(&name, &format!("    name: \"{algorithm}~{number}\",\n"))
    }
}
