//! A command under a lock at a terminal: it may read and set it, as if it had been started alone. Each test
//! has a pseudo-terminal of its own, with a session, as a terminal window has.

use super::lock::Place;
use nix::fcntl::OFlag;
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Long enough for any machine; what a test waits for comes sooner.
const PATIENCE: Duration = Duration::from_secs(120);

struct Window {
    keys: File,
    shown: Arc<(Mutex<String>, Condvar)>,
    child: Child,
}

impl Window {
    /// A terminal in which this shell line runs. The program is `$0`, what it is told before `--` is `$1`.
    fn run(place: &Place, line: &str) -> Window {
        let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).expect("a terminal");
        grantpt(&master).expect("it is ours");
        unlockpt(&master).expect("it is open");
        let name = ptsname_r(&master).expect("it has a name");
        let side = OpenOptions::new().read(true).write(true).custom_flags(OFlag::O_NOCTTY.bits()).open(name);
        let side = side.expect("the other side");
        let end = || Stdio::from(side.try_clone().expect("a handle"));
        // A session of its own, with this terminal.
        let child = Command::new("setsid")
            .args(["--ctty", "sh", "-c", line, env!("CARGO_BIN_EXE_ringleader"), &place.url()])
            .env_remove("RINGLEADER_TOKEN")
            .env_remove("RINGLEADER_CONFIG")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("setsid of util-linux");
        let shown: Arc<(Mutex<String>, Condvar)> = Arc::default();
        let keys = File::from(master.as_fd().try_clone_to_owned().expect("a handle"));
        let screen = Arc::clone(&shown);
        std::thread::spawn(move || read(master, &screen));
        Window { keys, shown, child }
    }

    /// A command under the lock, and nothing else.
    fn under_lock(place: &Place, command: &str) -> Window {
        Window::run(place, &format!("exec \"$0\" lock nightly --server \"$1\" -- {command}"))
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("somebody has the terminal");
    }

    /// Waits until this was shown so many times.
    fn shows(&self, text: &str, times: usize) {
        let (shown, changed) = &*self.shown;
        let shown = shown.lock().expect("nobody panics");
        let waited = changed.wait_timeout_while(shown, PATIENCE, |shown| shown.matches(text).count() < times);
        let (shown, _) = waited.expect("nobody panics");
        assert!(shown.matches(text).count() >= times, "`{text}` is not shown {times} times:\n{shown}");
    }

    /// The exit code, and everything that was shown.
    fn ends(mut self) -> (i32, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                let _ = self.child.kill();
                panic!("it does not end:\n{}", self.shown.0.lock().expect("nobody panics"));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let shown = self.shown.0.lock().expect("nobody panics").clone();
        (status.code().unwrap_or(-1), shown)
    }
}

fn read(mut master: PtyMaster, screen: &(Mutex<String>, Condvar)) {
    let mut bytes = [0; 1024];
    // It fails when nobody has the other side any more.
    while let Ok(count @ 1..) = master.read(&mut bytes) {
        screen.0.lock().expect("nobody panics").push_str(&String::from_utf8_lossy(&bytes[..count]));
        screen.1.notify_all();
    }
}

#[test]
fn command_reads_what_is_typed_until_ctrl_d() {
    let place = Place::new(30_000);
    let mut window = Window::under_lock(&place, "cat");
    window.types("hello\n");
    // Once by the terminal itself, once by the command.
    window.shows("hello", 2);
    window.types("\u{4}");
    let (code, shown) = window.ends();
    assert_eq!(code, 0, "{shown}");
    assert!(!place.is_held());
}

#[test]
fn command_may_set_the_terminal() {
    let place = Place::new(30_000);
    let window = Window::under_lock(&place, "sh -c 'stty -echo && stty echo && stty -a && echo all set'");
    window.shows("all set", 1);
    assert_eq!(window.ends().0, 0);
}

#[test]
fn ctrl_c_ends_the_command() {
    let place = Place::new(30_000);
    let mut window = Window::under_lock(&place, "sh -c 'echo ready; exec sleep 1000'");
    window.shows("ready", 1);
    window.types("\u{3}");
    let (code, shown) = window.ends();
    assert_eq!(code, 130, "{shown}");
    assert!(!place.is_held());
}

#[test]
fn command_cannot_be_suspended() {
    let place = Place::new(30_000);
    let command = "sh -c 'echo ready; read line; echo \"got $line\"'";
    let mut window = Window::under_lock(&place, command);
    window.shows("ready", 1);
    window.types("\u{1a}");
    window.shows("cannot be suspended", 1);
    window.types("words\n");
    window.shows("got words", 1);
    assert_eq!(window.ends().0, 0);
}

#[test]
fn terminal_is_back_when_the_command_has_ended() {
    let place = Place::new(30_000);
    let line = "\"$0\" lock nightly --server \"$1\" -- true; echo next; read line; echo \"got $line\"";
    let mut window = Window::run(&place, line);
    window.shows("next", 1);
    window.types("words\n");
    window.shows("got words", 1);
    assert_eq!(window.ends().0, 0);
}

#[test]
fn terminal_of_a_killed_command_is_as_before() {
    let place = Place::new(30_000);
    let kill = "sh -c 'stty -echo -icanon && kill -9 $$'";
    let line = format!("\"$0\" lock nightly --server \"$1\" -- {kill}; echo \"code $?\"; stty -a; echo over");
    let window = Window::run(&place, &line);
    window.shows("over", 1);
    let (_, shown) = window.ends();
    assert!(shown.contains("code 137") && shown.contains(" icanon") && shown.contains(" echo "), "{shown}");
}

#[test]
fn piped_command_gets_terminal_on_read() {
    let place = Place::new(30_000);
    let line = "\"$0\" lock nightly --server \"$1\" -- sh -c 'read line; echo \"got $line\"' | cat";
    let mut window = Window::run(&place, line);
    window.types("words\n");
    window.shows("got words", 1);
    assert_eq!(window.ends().0, 0);
}

#[test]
fn pipeline_keeps_terminal_until_command_reads() {
    let place = Place::new(30_000);
    // As `| less`: the other end of the pipe reads keys while the command runs.
    let reader = "sh -c 'read first; echo \"first $first\"; read key < /dev/tty; echo \"key $key\"'";
    let line = format!("\"$0\" lock nightly --server \"$1\" -- sh -c 'echo ready; sleep 0.5' | {reader}");
    let mut window = Window::run(&place, &line);
    window.shows("first ready", 1);
    window.types("words\n");
    window.shows("key words", 1);
    assert_eq!(window.ends().0, 0);
}
