//! Tells who depends on this crate where its sources are: the broken texts are made from them.

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
    println!("cargo::metadata=sources={root}/src");
    println!("cargo::rerun-if-changed=build.rs");
}
