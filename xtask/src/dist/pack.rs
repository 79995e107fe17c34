//! The packages: archives that are the same bytes wherever, whenever and by whomever they are made.

use super::contents::{Contents, Files};
use super::{Result, done, said};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How hard archives are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effort {
    /// For people who download it.
    Small,
    /// For whoever only looks whether it works.
    Quick,
}

/// What was made.
#[derive(Debug)]
pub(super) struct Packed {
    tarball: PathBuf,
    pub(super) debian: PathBuf,
    sums: PathBuf,
}

impl Packed {
    pub(super) fn files(&self) -> [&Path; 3] {
        [&self.tarball, &self.debian, &self.sums]
    }
}

/// Says what is missing here to pack.
pub(super) fn needs() -> Result<()> {
    for (program, advice) in
        [("tar", "GNU tar"), ("gzip", "gzip"), ("dpkg-deb", "dpkg"), ("sha256sum", "coreutils")]
    {
        let asked = Command::new(program).arg("--version").stderr(Stdio::null()).output();
        let words = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let words = words.map_err(|_| format!("{program} is not installed\nhint: install {advice}"))?;
        if program == "tar" && !words.contains("GNU tar") {
            return Err("`tar` is not GNU tar, which sorts what it packs\nhint: pack on Linux".into());
        }
    }
    Ok(())
}

/// Makes the tarball, the Debian package and their checksums in this folder.
pub(super) fn all(contents: &Contents, folder: &Path, effort: Effort) -> Result<Packed> {
    needs()?;
    // Packages of another version would be taken for these.
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    let stage = folder.join("stage");
    let tarball = tarball(contents, folder, &stage, effort)?;
    let debian = debian(contents, folder, &stage, effort)?;
    fs::remove_dir_all(&stage).map_err(|error| format!("cannot remove {}: {error}", stage.display()))?;
    let names = [&tarball, &debian].map(|path| path.file_name().unwrap_or_default());
    let lines = said(Command::new("sha256sum").args(names).current_dir(folder))?;
    let sums = folder.join("SHA256SUMS");
    fs::write(&sums, lines).map_err(|error| format!("cannot write {}: {error}", sums.display()))?;
    Ok(Packed { tarball, debian, sums })
}

/// Prints the files and their sizes.
pub(super) fn summary(packed: &Packed) -> Result<()> {
    println!();
    for path in packed.files() {
        let size = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        println!("{size:>12} bytes  {}", path.display());
    }
    Ok(())
}

fn tarball(contents: &Contents, folder: &Path, stage: &Path, effort: Effort) -> Result<PathBuf> {
    let name = contents.name();
    let inside = stage.join("tarball");
    place(&contents.tarball()?, &inside.join(&name))?;
    let plain = folder.join(format!("{name}.tar"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--format=gnu", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", contents.epoch)).arg("--file").arg(&plain).arg("--directory").arg(&inside);
    done(tar.arg(&name))?;
    let level = if effort == Effort::Small { "-9" } else { "-1" };
    done(Command::new("gzip").args(["--no-name", "--force", level]).arg(&plain))?;
    Ok(folder.join(format!("{name}.tar.gz")))
}

fn debian(contents: &Contents, folder: &Path, stage: &Path, effort: Effort) -> Result<PathBuf> {
    let tree = stage.join("debian");
    let mut files = contents.debian();
    for (path, file) in &mut files {
        if path.ends_with(".gz") {
            file.bytes = gzipped(&file.bytes)?;
        }
    }
    place(&files, &tree)?;
    place(&contents.control()?, &tree.join("DEBIAN"))?;
    let sums = said(Command::new("md5sum").arg("--").args(files.keys()).current_dir(&tree))?;
    let path = tree.join("DEBIAN/md5sums");
    fs::write(&path, sums).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    set_mode(&path, 0o644)?;
    let package = folder.join(contents.debian_name()?);
    let compression: &[&str] = if effort == Effort::Small { &["-Zxz"] } else { &["-Zgzip", "-z1"] };
    let mut command = Command::new("dpkg-deb");
    command.args(["--root-owner-group", "--build"]).args(compression).arg(&tree).arg(&package);
    // With several threads xz makes blocks, as many as there is memory for.
    command.env("SOURCE_DATE_EPOCH", contents.epoch.to_string()).env("DPKG_DEB_THREADS_MAX", "1");
    done(command.stdout(Stdio::null()))?;
    Ok(package)
}

/// Without name and time.
fn gzipped(bytes: &[u8]) -> Result<Vec<u8>> {
    let unpacked = |error: std::io::Error| format!("gzip could not be run: {error}");
    let mut command = Command::new("gzip");
    command.args(["-9", "--no-name", "--stdout"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut gzip = command.spawn().map_err(unpacked)?;
    let mut into = gzip.stdin.take().ok_or("gzip takes no input")?;
    // It writes while it reads: whoever first writes all waits for ever.
    let output = std::thread::scope(|scope| {
        scope.spawn(move || into.write_all(bytes));
        gzip.wait_with_output()
    });
    let output = output.map_err(unpacked)?;
    if output.status.success() { Ok(output.stdout) } else { Err("gzip has failed".into()) }
}

/// Writes files below a folder. Modes do not depend on the mask of whoever packs.
fn place(files: &Files, folder: &Path) -> Result<()> {
    let cannot = |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", path.display());
    for (name, file) in files {
        let path = folder.join(name);
        for above in path.ancestors().skip(1).take_while(|above| above.starts_with(folder)) {
            fs::create_dir_all(above).map_err(|error| cannot(above, error))?;
            set_mode(above, 0o755)?;
        }
        fs::write(&path, &file.bytes).map_err(|error| cannot(&path, error))?;
        set_mode(&path, file.mode)?;
    }
    Ok(())
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let set = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    set.map_err(|error| format!("cannot set the mode of {}: {error}", path.display()))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<()> {
    Err("packages have modes, which only Unix has: pack on Linux".into())
}
