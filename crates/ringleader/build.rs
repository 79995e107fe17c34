//! Tells who depends on this crate where its sources are: the broken texts are made from them.

fn main() {
    println!("cargo::metadata=sources={}/src", env!("CARGO_MANIFEST_DIR"));
    println!("cargo::rerun-if-changed=build.rs");
}
