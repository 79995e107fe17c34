//! Every console block of the README is run, and its output compared.

#[test]
fn the_readme_says_what_happens() {
    let readme = "../../README.md";
    // A checkout of this crate alone has no README above it.
    if std::path::Path::new(readme).exists() {
        trycmd::TestCases::new().case(readme);
    }
}
