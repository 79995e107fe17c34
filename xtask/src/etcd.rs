//! Clients of etcd that are not ours, against real servers: `tests/etcd`, a workspace of its own. Its client is built
//! with `protoc`.

use crate::page::target;
use crate::{build_program, succeeds};
use std::process::{Command, Stdio};
use xtask::tidy;

/// What must be there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    let version =
        Command::new("protoc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = version.is_ok_and(|status| status.success());
    (!is_there).then_some(("protoc", "apt-get install protobuf-compiler libprotobuf-dev"))
}

/// Its lints, its tests, and a little of its benchmark, which compares with etcd where that is installed.
pub(crate) fn run() -> bool {
    // What the workspace of the project has built of the same crates need not be built again.
    let cargo = |command: &str, rest: &[&str]| {
        let manifest = tidy::root().join("tests/etcd/Cargo.toml");
        let mut cargo = tidy::cargo();
        cargo.args([command, "--locked", "--manifest-path"]).arg(manifest);
        cargo.arg("--target-dir").arg(target()).args(rest);
        let program = format!("debug/ringleader{}", std::env::consts::EXE_SUFFIX);
        succeeds(cargo.env("RINGLEADER_BIN", target().join(program)))
    };
    build_program()
        && cargo("clippy", &["--all-targets", "--", "-D", "warnings"])
        && cargo("test", &["--no-fail-fast"])
        && cargo("run", &["--", "--quick"])
}
