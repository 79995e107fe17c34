//! Every console block of the README is run, and its output compared. `TRYCMD=overwrite` accepts what it prints now.

use std::path::Path;

#[test]
fn the_readme_says_what_happens() {
    // A checkout of this crate alone has no README above it.
    let Ok(readme) = Path::new("../../README.md").canonicalize() else { return };
    // The tour writes a recording; it is not to stay in the repository.
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    std::fs::create_dir_all(&directory).expect("a directory for the tour");
    std::fs::copy("../../docs/ring.toml", directory.join("ring.toml")).expect("the sweep of the tour");
    std::env::set_current_dir(&directory).expect("the directory is there");
    // How long something took is not what the README says.
    trycmd::TestCases::new().env("RINGLEADER_TIMES", "never").case(readme);
}
