//! The files in `deploy` can run a lock service: the directories, times and limits of the unit and of the
//! image are held against the program's own, and a server runs as somebody with few rights who has just
//! these directories.

use super::{ran, ringleader};
use ringleader_net::config::Environment;
use ringleader_server::Options;
use ringleader_server::config::Config;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of the user in the image, and of the one who runs a server here if we may choose.
const USER: u32 = 65532;

const UNIT: &str = include_str!("../../../../deploy/ringleader.service");
const IMAGE: &str = include_str!("../../../../deploy/Dockerfile");
const KUBERNETES: &str = include_str!("../../../../deploy/kubernetes/ringleader.yaml");
const SERVICE: &str = include_str!("../../../../deploy/service.toml");

fn deploy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

fn config() -> Config {
    Config::read(&deploy("service.toml"), Some("a"), &Environment::default()).expect("the file is right")
}

/// The value of an option of the unit, for the instance `a`.
fn unit(option: &str) -> String {
    let begin = format!("{option}=");
    let lines: Vec<&str> = UNIT.lines().filter_map(|line| line.strip_prefix(&begin)).collect();
    assert_eq!(lines.len(), 1, "{option} stands in the unit once: {lines:?}");
    lines[0].replace("%i", "a")
}

/// The instructions of the image that begin with this word.
fn image(word: &str) -> Vec<&'static str> {
    let stage = IMAGE.rsplit("\nFROM ").next().unwrap_or_default();
    let begin = format!("{word} ");
    stage.lines().filter_map(|line| line.strip_prefix(begin.as_str())).collect()
}

/// How long a server may take to stop: holders who do not go, then their leases, then the view and the log.
fn longest_stop() -> Duration {
    let leases = config().pace.times.leases.iter().map(|lease| lease.0).max().unwrap_or_default();
    Options::default().drain + Duration::from_micros(leases) + Duration::from_secs(3)
}

#[test]
fn unit_has_the_directories_of_the_service() {
    let config = config();
    let state = Path::new("/var/lib").join(unit("StateDirectory"));
    assert!(config.data.starts_with(&state), "{} in {}", config.data.display(), state.display());
    let socket = config.servers[0].socket.as_deref().expect("a socket");
    let run = Path::new("/run").join(unit("RuntimeDirectory"));
    assert_eq!(socket.parent(), Some(run.as_path()));
    // Two servers on one machine share it.
    assert_eq!(unit("RuntimeDirectoryPreserve"), "yes");
    assert_eq!(unit("StateDirectoryMode"), "0700");
    assert!(unit("ExecStart").contains("--config ${CONFIG} --name a"));
    assert_eq!(unit("Environment"), "CONFIG=/etc/ringleader/service.toml");
    assert_eq!((unit("Type"), unit("KillSignal")), ("notify".to_owned(), "SIGTERM".to_owned()));
    assert_ne!(unit("User"), "root");
}

#[test]
fn unit_gives_a_server_time_to_drain() {
    let seconds = unit("TimeoutStopSec").parse().expect("seconds");
    let longest = longest_stop();
    assert!(Duration::from_secs(seconds) >= longest + Duration::from_secs(10), "{seconds} s for {longest:?}");
}

#[test]
fn unit_gives_a_server_files_for_its_connections() {
    let files: usize = unit("LimitNOFILE").parse().expect("a number");
    assert!(files >= 2 * Options::default().limits.connections, "{files}");
}

#[test]
fn image_has_a_data_directory_for_its_user() {
    let config = config();
    let user = format!("{USER}:{USER}");
    assert_eq!(image("USER"), [user.as_str()]);
    assert_eq!(image("STOPSIGNAL"), ["SIGTERM"]);
    let volume = "/var/lib/ringleader";
    assert_eq!(image("VOLUME"), [format!("[\"{volume}\"]")]);
    assert!(config.data.starts_with(volume));
    let copied = image("COPY").into_iter().find(|line| line.contains(&format!("--chown={user}")));
    assert_eq!(copied, Some("--from=build --chown=65532:65532 /image/ /"));
    let made = IMAGE.lines().find(|line| line.starts_with("RUN mkdir")).unwrap_or_default();
    for folder in [volume, "/run/ringleader"] {
        assert!(made.contains(&format!("/image{folder}")), "{folder}: {made}");
    }
    // What is said to type keeps the data and gives it time.
    assert!(IMAGE.contains(&format!(":{volume} ")), "the example names a volume");
    let patience = IMAGE.split("--stop-timeout ").nth(1).and_then(|rest| rest.split(' ').next());
    let patience = patience.and_then(|text| text.parse().ok()).expect("the example has a time to stop");
    assert!(Duration::from_secs(patience) >= longest_stop());
}

#[test]
fn pods_have_what_a_server_needs() {
    let after = |begin: &str| {
        let line = KUBERNETES.lines().find_map(|line| line.trim_start().strip_prefix(begin));
        line.unwrap_or_else(|| panic!("the manifest says `{begin}`"))
    };
    let number = |begin: &str| after(begin).parse::<u64>().expect("a number");
    assert!(Duration::from_secs(number("terminationGracePeriodSeconds: ")) >= longest_stop());
    for key in ["runAsUser: ", "runAsGroup: ", "fsGroup: "] {
        assert_eq!(number(key), u64::from(USER), "the user of the image");
    }
    // The file is one that servers take, and each pod is one of them.
    let file = KUBERNETES.split("service.toml: |\n").nth(1).expect("a file");
    let lines = file.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
    let file: String = lines.flat_map(|line| [line.get(4..).unwrap_or_default(), "\n"]).collect();
    for pod in 0..number("replicas: ") {
        let name = format!("ringleader-{pod}");
        let config = Config::parse(&file, "service.toml", Some(&name), &Environment::empty());
        let config = config.unwrap_or_else(|problem| panic!("{problem:?}"));
        let server = &config.servers[config.place(&name).map(usize::from).expect("a server")];
        let socket = server.socket.as_deref().and_then(Path::parent).expect("a socket");
        for folder in [&config.data, socket] {
            let is_mounted = |path: &Path| KUBERNETES.contains(&format!("mountPath: {}\n", path.display()));
            assert!(folder.ancestors().any(is_mounted), "{}", folder.display());
        }
        let own = format!("{name}.ringleader.ringleader.svc.cluster.local");
        assert_eq!((&server.peer, &server.api), (&format!("{own}:7431"), &format!("{own}:7432")));
        assert!(KUBERNETES.contains("containerPort: 7431\n") && KUBERNETES.contains("containerPort: 7432\n"));
    }
    // A server takes variables for settings whose names begin with RINGLEADER_: no Service is to write such.
    assert_eq!(after("enableServiceLinks: "), "false");
}

#[test]
fn systemd_understands_the_unit() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        let notice = "skipped: there is no systemd-analyze; the Debian package systemd has it\n";
        std::io::Write::write_all(&mut std::io::stderr(), notice.as_bytes()).expect("a notice");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let verify = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it is written");
        let mut command = Command::new("systemd-analyze");
        let output = command.args(["verify", "--man=no", "--recursive-errors=no"]).arg(&path).output();
        let output = output.expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // The program is not installed where tests run.
    let here = UNIT.replace("/usr/local/bin/ringleader", env!("CARGO_BIN_EXE_ringleader"));
    let (well, said) = verify("ringleader@a.service", &here);
    assert!(well && !said.contains("ringleader@"), "{said}");
    // A mistake would be seen.
    let (well, said) = verify("mistaken@a.service", &here.replace("TimeoutStopSec=", "TimeoutStopSecs="));
    assert!(!well || said.contains("TimeoutStopSecs"), "{said}");
}

/// A machine with the directories that the unit or the image makes, and nothing else that may be written.
struct Machine {
    root: tempfile::TempDir,
    program: PathBuf,
    may_choose: bool,
}

impl Machine {
    fn new() -> Machine {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path();
        // Who runs as root sees to it that the server does not.
        let may_choose = nix::unistd::geteuid().is_root();
        for folder in ["etc", "state", "run"] {
            std::fs::create_dir(path.join(folder)).expect("a folder");
        }
        let program = path.join("ringleader");
        std::fs::copy(env!("CARGO_BIN_EXE_ringleader"), &program).expect("it is copied");
        let mut text = SERVICE.replace("/etc/ringleader/", &format!("{}/etc/", path.display()));
        text = text.replace("/var/lib/ringleader/", &format!("{}/state/", path.display()));
        text = text.replace("/run/ringleader/", &format!("{}/run/", path.display()));
        for host in ["10.0.0.1", "10.0.0.2", "10.0.0.3"] {
            for port in ["7431", "7432"] {
                let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
                text = text.replace(&format!("{host}:{port}"), &free.expect("a port").to_string());
            }
        }
        text = text.replace("status = ", "# ");
        std::fs::write(path.join("etc/service.toml"), text).expect("it is written");
        let machine = Machine { root, program, may_choose };
        machine.certify();
        machine
    }

    fn file(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn certify(&self) {
        let etc = self.file("etc");
        for args in
            [&["cert", "init", "--cluster", "demo"][..], &["cert", "issue", "--config", "service.toml"]]
        {
            let done = ran(ringleader(args).current_dir(&etc).output().expect("the binary runs"));
            assert_eq!(done.code, 0, "{}", done.err);
        }
        self.gives("etc/a.key", 0o600, true);
        for (folder, mode) in [("", 0o755), ("etc", 0o755), ("state", 0o555), ("run", 0o555)] {
            self.gives(folder, mode, false);
        }
    }

    /// Sets the mode of a file, and whose it is.
    fn gives(&self, name: &str, mode: u32, theirs: bool) {
        let path = self.file(name);
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).expect("it is ours");
        if self.may_choose && theirs {
            chown(&path, Some(USER), Some(USER)).expect("it is ours");
        }
    }

    fn node(&self) -> Command {
        let mut command = Command::new(&self.program);
        let config = self.file("etc/service.toml");
        command.args(["node", "--name", "a", "--drain", "1s", "--config"]).arg(config);
        command.current_dir("/").env_clear();
        if self.may_choose {
            command.uid(USER).gid(USER);
        }
        command
    }
}

/// Waits for it: the log is written by a thread of its own.
fn until(what: &str, happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(120), "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn unit_runs_server_unprivileged() {
    let machine = Machine::new();
    let told = UnixDatagram::bind(machine.file("notify")).expect("a socket");
    machine.gives("notify", 0o777, false);
    told.set_read_timeout(Some(Duration::from_secs(120))).expect("a socket");
    // Without them it says what is missing.
    let output = machine.node().output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("cannot write in") || said.contains("cannot listen on"), "{said}");
    // What StateDirectory= and RuntimeDirectory= make.
    std::fs::set_permissions(machine.file("state"), Permissions::from_mode(0o755)).expect("it is ours");
    std::fs::create_dir(machine.file("state/a")).expect("a folder");
    machine.gives("state/a", 0o700, true);
    machine.gives("state", 0o555, false);
    machine.gives("run", 0o755, true);
    let log = std::fs::File::create(machine.file("log")).expect("a file");
    let mut server = machine
        .node()
        .env("NOTIFY_SOCKET", machine.file("notify"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("the program runs");
    let hear = |expected: &str| {
        let mut bytes = [0; 64];
        let heard = told.recv(&mut bytes).map(|count| String::from_utf8_lossy(&bytes[..count]).into_owned());
        let heard = heard.map(|text| text.lines().next().unwrap_or_default().to_owned());
        let log = std::fs::read_to_string(machine.file("log")).unwrap_or_default();
        assert_eq!(heard.ok().as_deref(), Some(expected), "{log}");
    };
    hear("READY=1");
    assert!(machine.file("run/a.sock").exists());
    assert!(machine.file("state/a").read_dir().expect("a folder").count() > 0);
    let id = nix::unistd::Pid::from_raw(i32::try_from(server.id()).expect("a number"));
    let send = |signal| nix::sys::signal::kill(id, signal).expect("it runs");
    // What ExecReload= does: the manager hears of it, and a wrong file is only told.
    assert_eq!(unit("ExecReload"), "/bin/kill -HUP $MAINPID");
    let log = || std::fs::read_to_string(machine.file("log")).unwrap_or_default();
    let key = machine.file("etc/a.key");
    let good = std::fs::read(&key).expect("it is ours");
    for (content, event) in [(&b"no key"[..], "reload_failed"), (&good, "\"reloaded\"")] {
        std::fs::write(&key, content).expect("it is ours");
        send(nix::sys::signal::Signal::SIGHUP);
        hear("RELOADING=1");
        hear("READY=1");
        until(event, || log().contains(event));
    }
    send(nix::sys::signal::Signal::SIGTERM);
    hear("STOPPING=1");
    assert_eq!(server.wait().expect("it ends").code(), Some(0));
}
