//! Two products over one library: the study of algorithms, and the service. Which crate may use which, and what the
//! light build of the study may need.

use super::{File, Problem};
use std::io;

/// The arrows between crates: a crate, and those of ours that it may use. Every other arrow is an error. What needs no
/// network stands first; a crate of the service is above it, and nothing of the study uses one.
const ARROWS: &[(&str, &[&str])] = &[
    ("ringleader", &[]),
    ("ringleader-errata", &["ringleader"]),
    ("ringleader-lab", &["ringleader"]),
    ("ringleader-page", &["ringleader", "ringleader-lab"]),
    ("ringleader-wasm", &["ringleader-errata", "ringleader-lab", "ringleader-page"]),
    ("ringleader-live", &["ringleader"]),
    ("ringleader-locks", &["ringleader", "ringleader-live"]),
    ("ringleader-client", &["ringleader", "ringleader-live", "ringleader-locks"]),
    ("ringleader-net", &["ringleader", "ringleader-live", "ringleader-lab", "ringleader-client"]),
    ("ringleader-otlp", &[]),
    (
        "ringleader-server",
        &[
            "ringleader",
            "ringleader-live",
            "ringleader-locks",
            "ringleader-lab",
            "ringleader-client",
            "ringleader-net",
        ],
    ),
    (
        "ringleader-etcd",
        &["ringleader-live", "ringleader-locks", "ringleader-client", "ringleader-net", "ringleader-server"],
    ),
];

/// Those without any dependency by others.
const PURE: &[&str] = &["ringleader", "ringleader-errata", "ringleader-live", "ringleader-locks"];

/// The top of both products, and what is not part of any.
const ABOVE: &[&str] = &["ringleader-cli", "ringleader-fuzz"];

/// The build of `cargo ringleader`.
const STUDY: &[&str] = &["ringleader-cli", "--no-default-features", "--features", "study"];
/// How many crates by others it may need.
const STUDY_MOST: usize = 60;
/// What of ours it may need.
const STUDY_OURS: &[&str] = &["ringleader", "ringleader-errata", "ringleader-lab", "ringleader-cli"];
/// What compiles C, or builds a cluster.
const HEAVY: &[&str] = &[
    "cc",
    "cmake",
    "tokio",
    "hyper",
    "axum",
    "rustls",
    "aws-lc-sys",
    "ring",
    "openraft",
    "zstd-sys",
    "parquet",
];

/// The manifests name no crate of ours that they must not use, and pure crates use nothing else.
pub(super) fn arrows(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let inside = file.path.strip_prefix("crates/").and_then(|path| path.strip_suffix("/Cargo.toml"));
        let Some(name) = inside.filter(|name| !ABOVE.contains(name)) else { continue };
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            problems.push(file.problem(1, format!("`{name}` is not in the table of crates")));
            continue;
        };
        for (line, used) in dependencies(&file.text) {
            let ours = used == "ringleader" || used.starts_with("ringleader-");
            if ours && !allowed.contains(&used) {
                problems.push(file.problem(line, format!("`{name}` uses `{used}`; it may use {allowed:?}")));
            } else if !ours && PURE.contains(&name) {
                problems.push(file.problem(line, format!("`{name}` is pure, and uses `{used}`")));
            }
        }
    }
    problems
}

/// What a manifest depends on, with the line, except for tests.
fn dependencies(manifest: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    manifest.lines().enumerate().filter_map(move |(at, line)| {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            inside = section == "dependencies" || section.ends_with(".dependencies");
            return None;
        }
        let end = line.find(['.', ' ', '=']).filter(|_| inside && !line.starts_with('#'))?;
        (end > 0).then_some((at + 1, &line[..end]))
    })
}

/// `cargo ringleader` builds nothing of the network, no C, and little by others.
///
/// # Errors
/// If cargo cannot be run, or refuses.
pub(super) fn study_is_light() -> io::Result<Vec<Problem>> {
    let arguments = ["tree", "-e", "normal,build", "--prefix", "none", "-p"];
    let output = super::cargo().args(arguments).args(STUDY).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(too_heavy(&String::from_utf8_lossy(&output.stdout)))
}

/// A problem for each crate of the tree that does not belong there, and one if there are too many.
fn too_heavy(tree: &str) -> Vec<Problem> {
    let problem = |what: String| Problem { path: "crates/ringleader-cli/Cargo.toml".into(), line: 1, what };
    let mut names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    let (ours, others): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| *name == "ringleader" || name.starts_with("ringleader-"));
    if ours.is_empty() {
        return vec![problem("the tree of the study build is empty".into())];
    }
    let mut problems: Vec<Problem> = (ours.iter().filter(|name| !STUDY_OURS.contains(name)))
        .chain(others.iter().filter(|name| HEAVY.contains(name)))
        .map(|name| problem(format!("the study build needs `{name}`: make it a feature")))
        .collect();
    if others.len() > STUDY_MOST {
        let count = others.len();
        problems
            .push(problem(format!("the study build needs {count} crates by others, more than {STUDY_MOST}")));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str, dependencies: &str) -> Vec<File> {
        let text = format!(
            "[package]\nname = \"{name}\"\n\n[dependencies]\n{dependencies}\n[dev-dependencies]\ntokio = \"1\"\n"
        );
        vec![File { path: format!("crates/{name}/Cargo.toml"), text }]
    }

    #[test]
    fn arrow_from_study_to_service_is_reported() {
        let files =
            manifest("ringleader-lab", "ringleader.workspace = true\nringleader-net.workspace = true\n");
        let problems = arrows(&files);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].line, 6);
        assert_eq!(arrows(&manifest("ringleader-server", "ringleader-net = { workspace = true }\n")), []);
    }

    #[test]
    fn arrow_for_one_platform_is_reported() {
        let text = "[target.'cfg(unix)'.dependencies]\nringleader-server.workspace = true\n";
        let file = File { path: "crates/ringleader-net/Cargo.toml".into(), text: text.into() };
        assert_eq!(arrows(&[file]).len(), 1);
    }

    #[test]
    fn dependency_of_a_pure_crate_is_reported() {
        assert_eq!(arrows(&manifest("ringleader-locks", "serde = \"1\"\n")).len(), 1);
        assert_eq!(arrows(&manifest("ringleader-lab", "serde = \"1\"\n")), []);
    }

    #[test]
    fn unknown_crate_is_reported() {
        assert_eq!(arrows(&manifest("ringleader-new", "")).len(), 1);
    }

    #[test]
    fn heavy_study_build_is_reported() {
        let light =
            "ringleader-cli v0.1.0 (here)\nringleader v0.1.0 (here)\nserde v1.0.0\nserde v1.0.0 (*)\n";
        assert_eq!(too_heavy(light), []);
        assert_eq!(too_heavy("").len(), 1);
        for line in ["ringleader-net v0.1.0 (here)", "tokio v1.0.0", "zstd-sys v2.0.0", "cc v1.0.0"] {
            assert_eq!(too_heavy(&format!("{light}{line}\n")).len(), 1, "{line}");
        }
        let many: String = (0..=STUDY_MOST).map(|number| format!("crate{number} v1.0.0\n")).collect();
        assert_eq!(too_heavy(&format!("{light}{many}")).len(), 1);
    }
}
