//! A clean Debian, in which the package is installed, used and removed.

use super::{Result, done, said};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What happens in there, in this order.
const STEPS: &[(&str, &str)] = &[
    ("install", "dpkg --install /package.deb"),
    ("first command", "ringleader run peterson -n 8 --seed 1 | grep 'exactly one leader'"),
    ("help", "ringleader --help | grep -q Usage; ringleader list | grep -q chang-roberts"),
    (
        "manual",
        "for page in ringleader ringleader-run ringleader-node; do
             gzip --decompress --stdout /usr/share/man/man1/$page.1.gz | grep -q '^.TH'
         done
         gzip --test /usr/share/doc/ringleader/third-party.txt.gz",
    ),
    (
        "completions",
        "test -s /usr/share/zsh/vendor-completions/_ringleader
         test -s /usr/share/fish/vendor_completions.d/ringleader.fish
         bash -eu -c '
             source /usr/share/bash-completion/completions/ringleader
             COMP_WORDS=(ringleader run chang) COMP_CWORD=2
             _ringleader ringleader chang run
             test \"${COMPREPLY[*]}\" = chang-roberts'",
    ),
    (
        "lock service",
        "cd \"$(mktemp --directory)\"
         begun() { grep -q 'servers .* serve' said; }
         ringleader up --service --for 60s --keep cluster >said 2>&1 &
         up=$!
         for moment in $(seq 150); do begun && break; sleep 0.2; done
         begun || { cat said; exit 1; }
         # The one that watches, and three servers.
         ls -l /proc/[0-9]*/exe | grep -c /usr/bin/ringleader | grep -qx 4
         timeout 30 ringleader lock demo --config cluster/service.toml -- echo held | grep -qx held
         kill -TERM $up
         for moment in $(seq 150); do kill -0 $up 2>/dev/null || break; sleep 0.2; done
         if ls -l /proc/[0-9]*/exe | grep /usr/bin/ringleader; then exit 1; fi
         rm -r \"$PWD\"",
    ),
    ("remove", "dpkg --purge ringleader"),
];

/// Makes it, tries the package in it, and looks whether anything is left behind.
pub(super) fn run(folder: &Path, package: &Path) -> Result<()> {
    if let Some((name, advice)) = missing() {
        if std::env::var("CI").is_ok_and(|value| value == "true") {
            return Err(format!("{name} is missing here, and CI skips nothing\nhint: {advice}"));
        }
        eprintln!("note: {name} is missing here; the package is not tried (CI would fail)\nhint: {advice}");
        return Ok(());
    }
    let begin = Instant::now();
    let root = Root::make(&folder.join("root"))?;
    fs::copy(package, root.0.join("package.deb")).map_err(|error| format!("cannot copy: {error}"))?;
    println!("{:<14} {:>6.1} s", "clean Debian", begin.elapsed().as_secs_f64());
    let before = root.files()?;
    for (name, script) in STEPS {
        let begin = Instant::now();
        root.runs(script).map_err(|why| format!("{name}: {why}"))?;
        println!("{name:<14} {:>6.1} s", begin.elapsed().as_secs_f64());
    }
    let left = left(&before, &root.files()?);
    if !left.is_empty() {
        return Err(format!("removing the package leaves\n{}", left.join("\n")));
    }
    println!("nothing is left behind");
    Ok(())
}

/// What is missing here, and how to get it.
fn missing() -> Option<(&'static str, &'static str)> {
    let starts = |program: &str, arguments: &[&str]| {
        let asked =
            Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    if !cfg!(target_os = "linux") {
        return Some(("Linux", "a Debian is tried in: run it in a container"));
    }
    if !starts("debootstrap", &["--version"]) {
        return Some(("debootstrap", "apt-get install debootstrap"));
    }
    let may = ["--mount", "--pid", "--fork", "--mount-proc", "true"];
    (!starts("unshare", &may)).then_some((
        "the right to make a root of one's own",
        "run it as root (in a container: with --privileged)",
    ))
}

/// A Debian in a folder; gone when dropped.
struct Root(PathBuf);

impl Root {
    /// From where this machine has its own packages, and of the same release.
    fn make(folder: &Path) -> Result<Root> {
        let format = "$(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)";
        let mut apt = Command::new("apt-get");
        let targets = said(apt.args(["indextargets", "--format", format, "Created-By: Packages"]))?;
        let (release, mirror) = source(&targets).ok_or(
            "apt knows no mirror of Debian here\nhint: apt-get update, on a Debian that has one in its sources",
        )?;
        let root = Root(folder.to_owned());
        let mut command = Command::new("debootstrap");
        command.args(["--variant=minbase", release]).arg(folder).arg(mirror);
        if let Some(proxy) = proxy() {
            command.env("http_proxy", proxy);
        }
        let said = folder.with_extension("log");
        let log = fs::File::create(&said).map_err(|error| format!("{}: {error}", said.display()))?;
        done(command.stdout(log)).map_err(|why| format!("{why}\nhint: {} says more", said.display()))?;
        let _ = fs::remove_file(said);
        Ok(root)
    }

    /// Runs a script in there: it sees no process of this machine, and leaves none.
    fn runs(&self, script: &str) -> Result<()> {
        let mut command = Command::new("timeout");
        command.args(["180", "unshare", "--mount", "--pid", "--fork", "--kill-child"]);
        command.arg(format!("--mount-proc={}", self.0.join("proc").display()));
        command.arg("chroot").arg(&self.0).args(["env", "--ignore-environment", "HOME=/root"]);
        command.args(["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "sh", "-eu", "-c", script]);
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{command:?} could not be started: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        let words = [output.stdout, output.stderr].concat();
        Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&words)))
    }

    /// Every path in it, with kind, size and target.
    fn files(&self) -> Result<Vec<String>> {
        let mut command = Command::new("find");
        let found = said(command.arg(&self.0).args(["-xdev", "-printf", "%y %s %l /%P\n"]))?;
        let mut lines: Vec<String> = found.lines().map(str::to_owned).collect();
        lines.sort();
        Ok(lines)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("note: cannot remove {}: {error}", self.0.display());
        }
    }
}

/// The release and the address of the first mirror of Debian itself, neither of updates nor of somebody else.
fn source(targets: &str) -> Option<(&str, &str)> {
    targets.lines().find_map(|line| match line.split(' ').collect::<Vec<_>>().as_slice() {
        ["Debian", release, "main", mirror] if !release.contains('-') => Some((*release, *mirror)),
        _ => None,
    })
}

/// Through which proxy apt goes here.
fn proxy() -> Option<String> {
    let words = said(Command::new("apt-config").args(["shell", "PROXY", "Acquire::http::Proxy"])).ok()?;
    words.split('\'').nth(1).map(str::to_owned)
}

/// What is there afterwards and was not before. The package manager's own notes are not the package's.
fn left(before: &[String], after: &[String]) -> Vec<String> {
    let notes =
        [" /var/lib/dpkg/status", " /var/log/dpkg.log", " /var/lib/dpkg/available", " /var/cache/ldconfig/"];
    let known = |line: &&String| {
        let path = line.split(" /").last();
        before.binary_search(line).is_ok()
            || notes.iter().any(|note| line.contains(note))
            // The size of a folder grows and does not shrink.
            || line.starts_with("d ")
                && before.iter().any(|old| old.starts_with("d ") && old.split(" /").last() == path)
    };
    after.iter().filter(|line| !known(line)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_is_that_of_the_release() {
        let targets = "Docker bookworm stable http://d\nDebian bookworm-updates main http://u\n\
                       Debian bookworm main http://m\n";
        assert_eq!(source(targets), Some(("bookworm", "http://m")));
        assert_eq!(source("  main http://m\n"), None);
    }

    #[test]
    fn what_is_left_is_seen() {
        let lines = |lines: &[&str]| -> Vec<String> {
            let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            lines.sort();
            lines
        };
        let before = lines(&["d 4096  /etc", "f 10  /etc/passwd", "f 5  /var/lib/dpkg/status"]);
        let clean = lines(&["d 8192  /etc", "f 10  /etc/passwd", "f 7  /var/lib/dpkg/status"]);
        assert_eq!(left(&before, &clean), Vec::<String>::new());
        let more = lines(&["d 4096  /etc/ringleader", "d 4096  /etc", "f 12  /etc/passwd"]);
        assert_eq!(left(&before, &more), ["d 4096  /etc/ringleader", "f 12  /etc/passwd"]);
    }
}
