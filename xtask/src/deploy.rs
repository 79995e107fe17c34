//! The files of `deploy`, each held against what will read it: manifests against the schemas of Kubernetes, the
//! dashboard against Grafana's types, the rules by promtool, the unit by systemd. Each judge is also shown files with a
//! mistake in them, which it must refuse. What the files say of servers is held against servers by tests.

use crate::page::is_there;
use crate::succeeds;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::tidy;

/// What is missing here, and how to get it; none if everything is there.
pub(crate) fn missing() -> Option<(&'static str, &'static str)> {
    const TOOLS: [(&str, &str); 4] = [
        ("node", "apt-get install nodejs"),
        ("npm", "apt-get install npm"),
        ("promtool", "apt-get install prometheus"),
        ("systemd-analyze", "apt-get install systemd"),
    ];
    TOOLS.into_iter().find(|(name, _)| !is_there(name)).or_else(crate::python::missing)
}

/// A file, who judges it, and mistakes that must be found: a text in it, and what takes its place.
struct Case {
    file: &'static str,
    judge: fn(&Folder, &Path) -> Option<Judged>,
    mistakes: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        file: "deploy/kubernetes/ringleader.yaml",
        judge: Folder::kubernetes,
        mistakes: &[
            ("replicas: 3", "replicas: three"),
            ("readinessProbe:", "readynessProbe:"),
            ("kind: StatefulSet", "kind: StatefullSet"),
            ("path: /healthz", "route: /healthz"),
        ],
    },
    Case {
        file: "deploy/kubernetes/elect.yaml",
        judge: Folder::kubernetes,
        mistakes: &[("runAsNonRoot: true", "runAsNonRoot: 1"), ("template:", "templates:")],
    },
    Case {
        file: "deploy/monitoring/dashboard.json",
        judge: Folder::dashboard,
        mistakes: &[
            ("\"schemaVersion\"", "\"schemaVersions\""),
            ("\"gridPos\"", "\"gridpos\""),
            ("\"mode\": \"absolute\"", "\"mode\": \"relative\""),
            ("\"refresh\": 2", "\"refresh\": 7"),
        ],
    },
    Case {
        file: "deploy/monitoring/alerts.yaml",
        judge: Folder::rules,
        mistakes: &[("expr: up{", "expr: up{{"), ("for: 1m", "for: a minute"), ("alert:", "alarm:")],
    },
    Case {
        file: "deploy/ringleader.service",
        judge: Folder::unit,
        mistakes: &[("TimeoutStopSec=", "TimeoutStopSecs="), ("Type=notify", "Type=notified")],
    },
];

/// Whether a file is right, and what its judge said.
struct Judged {
    is_right: bool,
    said: String,
}

/// Where files are put to be judged.
struct Folder(PathBuf);

/// By hand: what is missing is said.
pub(crate) fn run() -> bool {
    if let Some((name, advice)) = missing() {
        eprintln!("error: {name} is missing here");
        eprintln!("hint: {advice}");
        return false;
    }
    check()
}

pub(crate) fn check() -> bool {
    let folder = Folder(tidy::root().join("target/deploy"));
    let made = fs::create_dir_all(&folder.0).inspect_err(|error| eprintln!("error: {error}")).is_ok();
    made && folder.installs() && CASES.iter().all(|case| folder.checks(case))
}

impl Folder {
    /// The schemas, and who compares with them.
    fn installs(&self) -> bool {
        let pip = self.0.join("venv/bin/pip");
        let npm = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
        succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(self.0.join("venv")))
            && succeeds(
                Command::new(pip)
                    .args(["install", "--quiet", "--disable-pip-version-check", "--requirement"])
                    .arg(tidy::root().join("tests/deploy/requirements.txt")),
            )
            && succeeds(Command::new("npm").args(npm).current_dir(tidy::root().join("tests/deploy")))
    }

    /// The file must be right, and every mistake in it must be found.
    fn checks(&self, case: &Case) -> bool {
        let Ok(text) = fs::read_to_string(tidy::root().join(case.file)) else {
            eprintln!("error: cannot read {}", case.file);
            return false;
        };
        let Some(judged) = self.judged(case, &text) else { return false };
        if !judged.is_right {
            eprintln!("error: {} is refused:\n{}", case.file, judged.said);
            return false;
        }
        for (right, wrong) in case.mistakes {
            let mistaken = text.replacen(right, wrong, 1);
            if mistaken == text {
                eprintln!("error: {} has no `{right}` any more: another mistake is needed", case.file);
                return false;
            }
            let Some(judged) = self.judged(case, &mistaken) else { return false };
            if judged.is_right {
                eprintln!("error: {} with `{wrong}` is not refused", case.file);
                return false;
            }
        }
        println!("{}: right; {} mistakes are found", case.file, case.mistakes.len());
        true
    }

    fn judged(&self, case: &Case, text: &str) -> Option<Judged> {
        let name = Path::new(case.file).file_name().unwrap_or_default();
        let path = self.0.join(name);
        let written =
            fs::write(&path, text).inspect_err(|error| eprintln!("error: {}: {error}", path.display()));
        written.is_ok().then(|| (case.judge)(self, &path)).flatten()
    }

    /// By the schemas of Kubernetes; a key that they do not have is refused. Of a kind that it does not know, the
    /// judge only says nothing: each object must have been found right.
    fn kubernetes(&self, file: &Path) -> Option<Judged> {
        let mut command = Command::new(self.0.join("venv/bin/kubernetes-validate"));
        let judged = asked(command.arg("--strict").arg(file))?;
        let text = fs::read_to_string(file).ok()?;
        let objects = text.lines().filter(|line| line.starts_with("apiVersion:")).count();
        let found = judged.said.matches(" passed for resource ").count();
        Some(Judged { is_right: judged.is_right && objects > 0 && found == objects, ..judged })
    }

    /// By the types of Grafana: the file is a value of theirs.
    fn dashboard(&self, file: &Path) -> Option<Judged> {
        let tests = tidy::root().join("tests/deploy");
        let text = fs::read_to_string(file).ok()?;
        let program = tests.join("dashboard.ts");
        let source =
            format!("import type {{ File }} from \"./plain\";\n\nexport const dashboard: File = {text};\n");
        fs::write(&program, source).ok()?;
        let judged = asked(
            Command::new("node").args(["node_modules/typescript/bin/tsc", "-p", "."]).current_dir(&tests),
        );
        let _ = fs::remove_file(program);
        judged
    }

    /// By Prometheus.
    fn rules(&self, file: &Path) -> Option<Judged> {
        asked(Command::new("promtool").args(["check", "rules", "--lint=all", "--lint-fatal"]).arg(file))
    }

    /// By systemd, as the unit of a server; with a program that is there in the place of the one to be installed.
    fn unit(&self, file: &Path) -> Option<Judged> {
        let unit = self.0.join("ringleader@a.service");
        let text = fs::read_to_string(file).ok()?.replace("/usr/local/bin/ringleader", "/bin/sh");
        fs::write(&unit, text).ok()?;
        let judged = asked(
            Command::new("systemd-analyze").args(["verify", "--man=no", "--recursive-errors=no"]).arg(&unit),
        )?;
        // It says what it does not know, and does not fail.
        let is_right = judged.is_right && !judged.said.contains("ringleader@a.service");
        Some(Judged { is_right, ..judged })
    }
}

/// What a judge says.
fn asked(command: &mut Command) -> Option<Judged> {
    let output =
        command.stdin(Stdio::null()).output().inspect_err(|error| eprintln!("error: {error}")).ok()?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Some(Judged { is_right: output.status.success(), said })
}
