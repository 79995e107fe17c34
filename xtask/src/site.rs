//! The page without a server: the engine as WebAssembly, and the page around it, as a folder of files for any server
//! of files.

use crate::dist::{has_std, licences_of};
use crate::{browser, page, succeeds};
use std::ops::Not;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::tidy;

const TARGET: &str = "wasm32-unknown-unknown";

/// The folder of Debian's compiler, which has the sources of the standard library but not the library for browsers.
const DEBIAN: [&str; 3] =
    ["/usr/bin/cargo", "/usr/bin/rustc", "/usr/lib/rustlib/src/rust/library/Cargo.lock"];

/// With what the engine is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Compiler {
    /// The one that builds everything else: its standard library for browsers is installed.
    Usual,
    /// Debian's, which builds the standard library first.
    Debian,
}

impl Compiler {
    /// The one that is here, if there is one.
    fn find(has_std: bool, exists: impl Fn(&str) -> bool) -> Option<Compiler> {
        match has_std {
            true => Some(Compiler::Usual),
            false => DEBIAN.into_iter().all(exists).then_some(Compiler::Debian),
        }
    }

    fn here() -> Option<Compiler> {
        Compiler::find(has_std(TARGET).unwrap_or(false), |path| Path::new(path).exists())
    }

    fn command(self) -> Command {
        match self {
            Compiler::Usual => tidy::cargo(),
            Compiler::Debian => {
                let mut command = Command::new(DEBIAN[0]);
                // To build the standard library is not stable yet; with the compiler that it belongs to it works.
                command
                    .arg("-Zbuild-std=std,panic_abort")
                    .env("RUSTC", DEBIAN[1])
                    .env("RUSTC_BOOTSTRAP", "1");
                for inherited in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTDOC", "CARGO_INCREMENTAL"] {
                    command.env_remove(inherited);
                }
                if let Some(linker) = linker() {
                    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
                }
                command
            }
        }
    }
}

/// What is missing here, and how to get it; none if everything is there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    page::missing().or_else(|| {
        let compiler = Compiler::here();
        if compiler == Some(Compiler::Debian) && linker().is_none() {
            return Some(("a linker for WebAssembly", "apt-get install lld"));
        }
        let no_compiler = compiler.is_none().then_some((
            "a compiler for WebAssembly",
            "rustup target add wasm32-unknown-unknown; on Debian: apt-get install rustc-web cargo-web rust-web-src",
        ));
        no_compiler.or_else(|| page::is_there("zstd").not().then_some(("zstd", "apt-get install zstd")))
    })
}

/// The linker that comes with the usual compiler, or one of the system.
fn linker() -> Option<PathBuf> {
    let usual = Command::new("rustc").args(["--print", "target-libdir"]).output().ok()?;
    let library = PathBuf::from(String::from_utf8_lossy(&usual.stdout).trim());
    let own = library.parent()?.join("bin/rust-lld");
    let system = || {
        ["/usr/bin/wasm-ld", "/usr/bin/wasm-ld-22"].map(PathBuf::from).into_iter().find(|path| path.exists())
    };
    if own.exists() { Some(own) } else { system() }
}

/// Builds the site, and the page as one file within it, says where it is, and gives the folder.
pub(crate) fn build() -> Option<PathBuf> {
    if let Some((name, advice)) = missing() {
        eprintln!("error: {name} is missing here");
        eprintln!("hint: {advice}");
        return None;
    }
    let folder = page::target().join("site");
    let engine = engine()?;
    let licences = licences_of("ringleader-wasm", TARGET).inspect_err(|error| eprintln!("error: {error}"));
    let terms = engine.with_extension("txt");
    std::fs::write(&terms, licences.ok()?).ok()?;
    if !page::build_site(&engine, &terms, &folder) {
        return None;
    }
    println!("{}: any server of files will do; live.html is all of it in one file", folder.display());
    Some(folder)
}

/// Builds the site, and looks at it in a browser.
pub(crate) fn check() -> bool {
    build().is_some_and(|folder| browser::run_on_site(&folder))
}

/// Builds the engine, at low priority and in silence, while something else waits most of the time. Whoever builds the
/// site after that waits for it, and hears what was wrong.
pub(crate) fn begin() {
    let Some(compiler) = Compiler::here() else { return };
    let build = compile(compiler);
    let mut command = Command::new("nice");
    command.arg("-n19").arg(build.get_program()).args(build.get_args());
    for (name, value) in build.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // If it cannot be begun now, it is built later.
    drop(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn());
}

fn compile(compiler: Compiler) -> Command {
    let mut command = compiler.command();
    command.args(["build", "--locked", "--profile", "site", "-p", "ringleader-wasm", "--target", TARGET]);
    command
}

/// Builds the engine, compresses it, and says where it is.
fn engine() -> Option<PathBuf> {
    let mut command = compile(Compiler::here()?);
    let built = page::target().join(TARGET).join("site/ringleader_wasm.wasm");
    let packed = built.with_extension("zst");
    let mut pack = Command::new("zstd");
    pack.args(["--ultra", "-22", "--quiet", "--force", "-o"]).args([&packed, &built]);
    (succeeds(&mut command) && succeeds(&mut pack)).then_some(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_with_the_library_is_preferred() {
        assert_eq!(Compiler::find(true, |_| true), Some(Compiler::Usual));
        assert_eq!(Compiler::find(false, |_| true), Some(Compiler::Debian));
        assert_eq!(Compiler::find(false, |path| path != DEBIAN[2]), None);
    }
}
