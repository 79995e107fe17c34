//! The program of a package: static if the machine can build that.

use super::{Result, done, is_there, said, target};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::tidy;

/// How the program is built.
#[derive(Clone, Debug)]
pub(super) struct Build {
    pub(super) target: String,
    /// The compiler of the C code (aws-lc), if it is not the one that cargo finds.
    compiler: Option<&'static str>,
    /// Why it is not static; none if it is.
    why_native: Option<String>,
    profile: &'static str,
}

impl Build {
    /// The best that this machine can do.
    pub(super) fn find(is_native: bool) -> Result<Build> {
        let host = host()?;
        let native = |why: String| Build {
            target: host.clone(),
            compiler: None,
            why_native: Some(why),
            profile: "packaged",
        };
        if is_native {
            return Ok(native("--native asks for that".into()));
        }
        let Some(musl) = musl(&host) else {
            return Ok(native(format!("there is no musl for {host}")));
        };
        if !has_std(&musl)? {
            return Ok(native(format!(
                "the standard library for {musl} is not installed (rustup target add {musl})"
            )));
        }
        let is_set = std::env::var_os(format!("CC_{}", musl.replace('-', "_"))).is_some();
        let compiler = if is_set { None } else { Some("musl-gcc") };
        if compiler.is_some_and(|name| !is_there(name)) {
            return Ok(native("there is no C compiler for musl (apt-get install musl-tools)".into()));
        }
        Ok(Build { target: musl, compiler, why_native: None, profile: "packaged" })
    }

    /// The program that tests are run with: it is there already.
    pub(super) fn of_tests() -> Result<Build> {
        let why_native = Some("this only looks at the packages".into());
        Ok(Build { target: host()?, compiler: None, why_native, profile: "dev" })
    }

    /// What is built, for a person.
    pub(super) fn words(&self) -> String {
        match &self.why_native {
            None => format!("static, for {}", self.target),
            Some(why) => {
                let target = &self.target;
                format!(
                    "note: not static: {why}\nfor {target}, with the C library of this machine or a newer one"
                )
            }
        }
    }

    /// Builds it, and says where it is.
    pub(super) fn run(&self) -> Result<PathBuf> {
        let mut command = tidy::cargo();
        let mut folder = target();
        if self.profile == "dev" {
            // Features are those of the tests: asked for alone, half of its crates would be built once more.
            command.args(["test", "--locked", "--quiet", "--workspace", "--no-run"]);
        } else {
            command.args(["build", "--locked", "-p", "ringleader-cli", "--profile", self.profile]);
            command.args(["--target", &self.target]);
            self.forget_places(&mut command)?;
            folder.push(&self.target);
        }
        done(&mut command)?;
        Ok(folder.join(if self.profile == "dev" { "debug" } else { self.profile }).join("ringleader"))
    }

    /// Paths of this machine in panics and assertions would make the program another one on every machine.
    fn forget_places(&self, command: &mut Command) -> Result<()> {
        let root = tidy::root();
        let root = std::fs::canonicalize(&root).map_err(|error| format!("{}: {error}", root.display()))?;
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap_or_default();
        let places = renamed(&home, &root);
        let flags: Vec<String> = places.iter().map(|place| format!("--remap-path-prefix={place}")).collect();
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
        let flags: Vec<String> = places.iter().map(|place| format!("-ffile-prefix-map={place}")).collect();
        let variable = self.target.replace('-', "_");
        command.env(format!("CFLAGS_{variable}"), flags.join(" "));
        if let Some(compiler) = self.compiler {
            command.env(format!("CC_{variable}"), compiler);
        }
        Ok(())
    }
}

fn renamed(home: &Path, root: &Path) -> [String; 2] {
    [format!("{}=/cargo", home.display()), format!("{}=/ringleader", root.display())]
}

/// The target of this machine.
pub(super) fn host() -> Result<String> {
    let words = said(Command::new(rustc()).arg("-vV"))?;
    let host = words.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc -vV names no host")?.to_owned())
}

/// The static target of the same processor.
fn musl(host: &str) -> Option<String> {
    host.ends_with("-linux-gnu").then(|| host.replace("-linux-gnu", "-linux-musl"))
}

/// Whether there is a standard library for this target, whoever has installed it.
pub(crate) fn has_std(target: &str) -> Result<bool> {
    let folder = said(Command::new(rustc()).args(["--print", "target-libdir", "--target", target]))?;
    let files = std::fs::read_dir(folder.trim()).into_iter().flatten().flatten();
    Ok(files.into_iter().any(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
}

/// Where the compiler keeps what belongs to it.
pub(super) fn sysroot() -> Result<PathBuf> {
    Ok(said(Command::new(rustc()).args(["--print", "sysroot"]))?.trim().into())
}

fn rustc() -> std::ffi::OsString {
    std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_target_has_the_same_processor() {
        assert_eq!(musl("aarch64-unknown-linux-gnu").as_deref(), Some("aarch64-unknown-linux-musl"));
        assert_eq!(musl("aarch64-apple-darwin"), None);
    }

    #[test]
    fn host_has_a_standard_library() {
        let host = host().expect("rustc is there");
        assert_eq!(has_std(&host), Ok(true));
        assert_eq!(has_std("sparc64-unknown-netbsd"), Ok(false));
    }

    #[test]
    fn package_that_is_not_static_says_why() {
        let build = Build::find(true).expect("rustc is there");
        assert!(build.words().contains("--native"), "{}", build.words());
        assert!(Build { why_native: None, ..build }.words().starts_with("static"));
    }
}
