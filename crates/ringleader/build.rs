//! Tells who depends on this crate where its sources are: the as-printed variants are made from them.

fn main() {
    println!("cargo::metadata=sources={}/src", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
}
