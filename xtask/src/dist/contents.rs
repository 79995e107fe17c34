//! What is in the packages: names, modes and bytes. Nothing here depends on the day or on who packs it.

use super::build::Build;
use super::{Result, licences, of_project, read, said, target};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use xtask::tidy;

/// Files by path, with their modes.
pub(super) type Files = BTreeMap<String, File>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct File {
    pub(super) mode: u32,
    pub(super) bytes: Vec<u8>,
}

impl File {
    fn plain(bytes: impl Into<Vec<u8>>) -> File {
        File { mode: 0o644, bytes: bytes.into() }
    }

    fn program(bytes: impl Into<Vec<u8>>) -> File {
        File { mode: 0o755, bytes: bytes.into() }
    }
}

/// The parts of a release.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) version: String,
    /// The target of the program.
    pub(super) target: String,
    /// Seconds since 1970: every file is of this moment.
    pub(super) epoch: u64,
    program: Vec<u8>,
    /// Manual pages by name.
    pages: BTreeMap<String, Vec<u8>>,
    /// Completions: bash, zsh, fish.
    completions: [Vec<u8>; 3],
    licences: String,
    /// The page as one file, for `trace --to html --live`.
    page: Option<Vec<u8>>,
}

/// The files of `deploy` that are in a package.
const DEPLOY: [&str; 8] = [
    "Dockerfile",
    "cluster.toml",
    "kubernetes/elect.yaml",
    "kubernetes/ringleader.yaml",
    "monitoring/alerts.yaml",
    "monitoring/dashboard.json",
    "ringleader.service",
    "service.toml",
];

impl Contents {
    pub(super) fn gather(program: &Path, build: &Build, page: Option<&Path>) -> Result<Contents> {
        let folder = target().join("dist-man");
        // Pages of a command that is gone would be packed.
        let _ = std::fs::remove_dir_all(&folder);
        // The environment must not show in a page.
        let asked = |words: &[&str]| said(Command::new(program).env_clear().args(words));
        asked(&["--quiet", "man", "--output", &folder.to_string_lossy()])?;
        let mut pages = BTreeMap::new();
        for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            pages.insert(name, read(&path)?);
        }
        let version = asked(&["--version"])?;
        let version = version.split_whitespace().next_back().ok_or("the program has no version")?;
        let script = |shell: &str| asked(&["completions", shell]).map(String::into_bytes);
        Ok(Contents {
            version: version.into(),
            target: build.target.clone(),
            epoch: epoch()?,
            program: read(program)?,
            pages,
            completions: [script("bash")?, script("zsh")?, script("fish")?],
            licences: licences::text("ringleader-cli", &build.target)?,
            page: page.map(read).transpose()?,
        })
    }

    /// The name of the tarball, and of the folder in it.
    pub(super) fn name(&self) -> String {
        format!("ringleader-{}-{}", self.version, self.target)
    }

    /// The tarball: unpack it anywhere.
    pub(super) fn tarball(&self) -> Result<Files> {
        let [bash, zsh, fish] = &self.completions;
        let mut files = Files::new();
        files.insert("ringleader".into(), File::program(self.program.clone()));
        files.insert("third-party.txt".into(), File::plain(self.licences.clone()));
        files.insert("completions/ringleader.bash".into(), File::plain(bash.clone()));
        files.insert("completions/_ringleader".into(), File::plain(zsh.clone()));
        files.insert("completions/ringleader.fish".into(), File::plain(fish.clone()));
        for (name, page) in &self.pages {
            files.insert(format!("man/man1/{name}"), File::plain(page.clone()));
        }
        files.extend(self.page.iter().map(|page| ("live.html".into(), File::plain(page.clone()))));
        for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            files.insert(name.into(), File::plain(of_project(name)?));
        }
        for name in DEPLOY {
            files.insert(format!("deploy/{name}"), File::plain(of_project(&format!("deploy/{name}"))?));
        }
        Ok(files)
    }

    /// The files that the Debian package installs, and where; those that Debian wants compressed are not yet.
    pub(super) fn debian(&self) -> Files {
        let [bash, zsh, fish] = &self.completions;
        let mut files = Files::new();
        let doc = "usr/share/doc/ringleader";
        files.insert("usr/bin/ringleader".into(), File::program(self.program.clone()));
        files.insert("usr/share/bash-completion/completions/ringleader".into(), File::plain(bash.clone()));
        files.insert("usr/share/zsh/vendor-completions/_ringleader".into(), File::plain(zsh.clone()));
        files.insert("usr/share/fish/vendor_completions.d/ringleader.fish".into(), File::plain(fish.clone()));
        for (name, page) in &self.pages {
            files.insert(format!("usr/share/man/man1/{name}.gz"), File::plain(page.clone()));
        }
        files.insert(format!("{doc}/third-party.txt.gz"), File::plain(self.licences.clone()));
        files.insert(format!("{doc}/copyright"), File::plain(copyright()));
        files.insert(format!("{doc}/changelog.gz"), File::plain(CHANGELOG));
        files.insert(format!("{doc}/changelog.Debian.gz"), File::plain(self.debian_changelog()));
        files.insert(format!("{doc}/examples/cluster.toml"), File::plain(CLUSTER));
        files.insert(format!("{doc}/examples/service.toml"), File::plain(SERVICE));
        let page = self.page.iter();
        files.extend(page.map(|page| ("usr/share/ringleader/live.html".into(), File::plain(page.clone()))));
        files.insert("usr/lib/systemd/system/ringleader@.service".into(), File::plain(unit()));
        files.insert("usr/lib/sysusers.d/ringleader.conf".into(), File::plain(SYSUSERS));
        files.insert("usr/share/lintian/overrides/ringleader".into(), File::plain(LINTIAN));
        files
    }

    /// The scripts and the description of the Debian package.
    pub(super) fn control(&self) -> Result<Files> {
        let bytes: usize = self.debian().values().map(|file| file.bytes.len()).sum();
        let depends = if self.is_static() {
            String::new()
        } else {
            let (major, minor) = glibc(&self.program).ok_or("the program names no version of glibc")?;
            format!("Depends: libc6 (>= {major}.{minor}), libgcc-s1\n")
        };
        let control = format!(
            "Package: ringleader\nVersion: {}\nSection: net\nPriority: optional\nArchitecture: {}\n{depends}\
             Installed-Size: {}\nMaintainer: {MAINTAINER}\n{DESCRIPTION}",
            self.debian_version(),
            architecture(&self.target)?,
            bytes.div_ceil(1024),
        );
        Ok(Files::from([
            ("control".into(), File::plain(control)),
            ("postinst".into(), File::program(POSTINST)),
            ("prerm".into(), File::program(PRERM)),
            ("postrm".into(), File::program(POSTRM)),
        ]))
    }

    pub(super) fn debian_name(&self) -> Result<String> {
        Ok(format!("ringleader_{}_{}.deb", self.debian_version(), architecture(&self.target)?))
    }

    fn debian_version(&self) -> String {
        format!("{}-1", self.version.replace('-', "~"))
    }

    fn is_static(&self) -> bool {
        self.target.ends_with("-musl")
    }

    fn debian_changelog(&self) -> String {
        let version = self.debian_version();
        let date = date(self.epoch);
        let entry = "  * What is new: changelog.gz.";
        format!("ringleader ({version}) stable; urgency=medium\n\n{entry}\n\n -- {MAINTAINER}  {date}\n")
    }
}

const MAINTAINER: &str = "The Ringleader maintainers <maintainers@ringleader.invalid>";
const DESCRIPTION: &str = "\
Description: leader election and mutual exclusion, from textbook to production
 Runs, checks and compares the algorithms of the literature, from three
 processes whose every step can be read to millions, and finds their worst
 cases.
 .
 The same program is a server for locks and elections with fencing numbers:
 three of them survive the loss of one. A unit for systemd is included; no
 server is started by the installation.
";
const CHANGELOG: &str = include_str!("../../../CHANGELOG.md");
const SERVICE: &str = include_str!("../../../deploy/service.toml");
const CLUSTER: &str = include_str!("../../../deploy/cluster.toml");
const UNIT: &str = include_str!("../../../deploy/ringleader.service");
const POSTINST: &str = include_str!("../../../deploy/debian/postinst.sh");
const PRERM: &str = include_str!("../../../deploy/debian/prerm.sh");
const POSTRM: &str = include_str!("../../../deploy/debian/postrm.sh");
const SYSUSERS: &str = include_str!("../../../deploy/debian/sysusers.conf");
const LINTIAN: &str = include_str!("../../../deploy/debian/lintian.txt");
const COPYRIGHT: &str = include_str!("../../../deploy/debian/copyright.txt");
const MIT: &str = include_str!("../../../LICENSE-MIT");

/// The unit with the places and the user of the package.
fn unit() -> String {
    // The head says how to install it by hand.
    let body = UNIT.find("[Unit]").map_or(UNIT, |at| &UNIT[at..]);
    let head = "# One server of the lock service, or one node: systemctl enable --now ringleader@NAME. Before that:\n\
                # `man ringleader-cert`, and the examples in /usr/share/doc/ringleader. Changes of your own:\n\
                # systemctl edit ringleader@NAME.\n\n";
    format!("{head}{}", body.replace("/usr/local/bin/", "/usr/bin/"))
}

/// The terms in Debian's form: the text of the one licence, and where Debian keeps the other.
fn copyright() -> String {
    let indented = |text: &str| -> String {
        let line = |line: &str| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") };
        text.trim().lines().map(line).collect()
    };
    let apache = "On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.";
    format!("{COPYRIGHT}{}\nLicense: Apache-2.0\n{}", indented(MIT), indented(apache))
}

/// What Debian calls the processor of a target.
fn architecture(target: &str) -> Result<&'static str> {
    match target.split('-').next() {
        Some("x86_64") => Ok("amd64"),
        Some("aarch64") => Ok("arm64"),
        Some("riscv64gc") => Ok("riscv64"),
        _ => Err(format!("what Debian calls {target} is not known; add it to `architecture`")),
    }
}

/// The newest version of glibc whose symbols a program asks for.
fn glibc(program: &[u8]) -> Option<(u32, u32)> {
    let word = b"GLIBC_";
    let places = program.windows(word.len()).enumerate().filter(|(_, bytes)| bytes == word);
    let version = |at: usize| {
        let rest = &program[at + word.len()..];
        let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.').unwrap_or(rest.len());
        let mut numbers = std::str::from_utf8(&rest[..end]).ok()?.split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    places.filter_map(|(at, _)| version(at)).max()
}

/// The moment of all files: the commit's, or what the environment says.
fn epoch() -> Result<u64> {
    let given = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(given) => given,
        Err(_) => said(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(tidy::root()))
            .map_err(|why| {
                format!("{why}\nhint: outside a git repository, set SOURCE_DATE_EPOCH (seconds)")
            })?,
    };
    let seconds = given.trim().parse();
    seconds.map_err(|_| format!("SOURCE_DATE_EPOCH needs seconds since 1970, not `{}`", given.trim()))
}

/// A moment as Debian's changelogs have it.
fn date(epoch: u64) -> String {
    let days = epoch / 86_400;
    // Years of four hundred repeat; they begin in March, so that the day that may be missing is the last.
    let from_march = days + 719_468;
    let day = from_march % 146_097;
    let year_of = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year_of + year_of / 4 - year_of / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let year = from_march / 146_097 * 400 + year_of + u64::from(month >= 10);
    let months = ["Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb"];
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let place = |number: u64, of: u64| usize::try_from(number % of).unwrap_or(0);
    format!(
        "{}, {of_month:02} {} {year} {:02}:{:02}:{:02} +0000",
        weekdays[place(days, 7)],
        months[place(month, 12)],
        epoch / 3600 % 24,
        epoch / 60 % 60,
        epoch % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(target: &str, program: &[u8]) -> Contents {
        Contents {
            version: "1.2.0-rc.1".into(),
            target: target.into(),
            epoch: 0,
            program: program.to_vec(),
            pages: BTreeMap::from([("ringleader.1".to_owned(), b".TH".to_vec())]),
            completions: [b"bash".to_vec(), b"zsh".to_vec(), b"fish".to_vec()],
            licences: "as you like".into(),
            page: Some(b"<html>".to_vec()),
        }
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "Thu, 01 Jan 1970 00:00:00 +0000");
        assert_eq!(date(951_782_400), "Tue, 29 Feb 2000 00:00:00 +0000");
        assert_eq!(date(1_767_225_599), "Wed, 31 Dec 2025 23:59:59 +0000");
        assert_eq!(date(4_107_542_400), "Mon, 01 Mar 2100 00:00:00 +0000");
    }

    #[test]
    fn static_program_needs_nothing() {
        let contents = contents("x86_64-unknown-linux-musl", b"");
        let control = contents.control().expect("it is known");
        let control = String::from_utf8_lossy(&control["control"].bytes).into_owned();
        assert!(!control.contains("Depends"), "{control}");
        assert!(control.contains("Version: 1.2.0~rc.1-1\n") && control.contains("Architecture: amd64\n"));
    }

    #[test]
    fn other_program_needs_the_newest_glibc_that_it_names() {
        let program = b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_PRIVATE\0GLIBC_2.2.5\0";
        assert_eq!(glibc(program), Some((2, 34)));
        let control = contents("aarch64-unknown-linux-gnu", program).control().expect("it is known");
        let control = String::from_utf8_lossy(&control["control"].bytes).into_owned();
        assert!(control.contains("Depends: libc6 (>= 2.34), libgcc-s1\n"), "{control}");
        assert!(contents("aarch64-unknown-linux-gnu", b"").control().is_err());
        assert!(contents("mips-unknown-linux-musl", b"").control().is_err());
    }

    #[test]
    fn unit_starts_the_program_of_the_package() {
        let unit = unit();
        assert!(unit.contains("\nExecStart=/usr/bin/ringleader node "), "{unit}");
        assert!(!unit.contains("/usr/local") && !unit.contains("useradd"), "{unit}");
        let user = SYSUSERS.lines().find_map(|line| line.strip_prefix("u ")?.split(' ').next());
        assert!(unit.contains(&format!("\nUser={}\n", user.expect("a user"))));
    }

    #[test]
    fn packages_hold_the_same_parts() {
        let contents = contents("x86_64-unknown-linux-musl", b"ELF");
        let (tarball, debian) = (contents.tarball().expect("the project is here"), contents.debian());
        for bytes in
            [&b"ELF"[..], b"<html>", b"bash", b"zsh", b"fish", b".TH", b"as you like", SERVICE.as_bytes()]
        {
            let holds = |files: &Files| files.values().any(|file| file.bytes == bytes);
            assert!(holds(&tarball) && holds(&debian), "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(tarball["ringleader"].mode, 0o755);
    }
}
