//! Nodes on this machine, one real process each. None of them outlives whoever started it: each watches its standard
//! input, and leaves when that ends.

use super::tail::Tail;
use crate::Problem;
use serde_json::Value;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What is started.
pub struct Start<'a> {
    /// The program that has the command `node`.
    pub program: PathBuf,
    /// Where everything is put.
    pub folder: PathBuf,
    /// The name of the configuration in it.
    pub file: &'static str,
    /// The names of the nodes.
    pub names: Vec<&'a str>,
    /// What the command `node` is told beyond the usual, by place and how often that node was started.
    pub arguments: Arguments,
    /// How long nodes have to leave before they are killed.
    pub patience: Duration,
}

/// More words for a node.
pub(super) type Arguments = Box<dyn Fn(u16, u64) -> Vec<OsString> + Send>;

/// Nodes on this machine.
pub struct Local {
    program: PathBuf,
    folder: PathBuf,
    file: PathBuf,
    arguments: Arguments,
    patience: Duration,
    nodes: Vec<Node>,
}

/// One of them.
struct Node {
    name: String,
    child: Option<Child>,
    starts: u64,
    begun: Instant,
    /// When it is to be started again.
    again: Option<Instant>,
    events: Tail,
}

/// A node that ended without having been told to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gone {
    /// Which.
    pub place: u16,
    /// Its name.
    pub name: String,
    /// Somebody asked it to leave, and it did.
    pub left: bool,
    /// How it ended.
    pub status: String,
    /// The last lines of its log.
    pub log: String,
    /// It had been started again, and did not live for a second.
    pub hopeless: bool,
}

impl Local {
    /// Nothing runs yet.
    #[must_use]
    pub fn new(start: Start<'_>) -> Local {
        let Start { program, folder, file, names, arguments, patience } = start;
        let node = |name: &str| Node {
            name: name.to_owned(),
            child: None,
            starts: 0,
            begun: Instant::now(),
            again: None,
            events: Tail::new(folder.join(format!("{name}.events"))),
        };
        let nodes = names.into_iter().map(node).collect();
        Local { program, file: folder.join(file), folder, arguments, patience, nodes }
    }

    /// The configuration that they read.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The file of a node with this ending: `log`, `events`, `sock`.
    #[must_use]
    pub fn path(&self, place: u16, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name(place)))
    }

    /// The name of a node.
    #[must_use]
    pub fn name(&self, place: u16) -> &str {
        self.nodes.get(usize::from(place)).map_or("?", |node| node.name.as_str())
    }

    /// Starts a node.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&mut self, place: u16) -> Result<(), Problem> {
        let failed = |error: io::Error| {
            Problem::environment("cannot_start", format!("a node cannot be started: {error}"))
        };
        let log = File::options().create(true).append(true).open(self.path(place, "log")).map_err(failed)?;
        let mut command = Command::new(&self.program);
        command.args(["node", "--while-stdin", "--log-format", "json"]);
        command.arg("--name").arg(self.name(place)).arg("--config").arg(&self.file);
        command.arg("--events").arg(self.path(place, "events"));
        let Some(node) = self.nodes.get_mut(usize::from(place)) else { return Ok(()) };
        node.starts += 1;
        command.args((self.arguments)(place, node.starts));
        // What is meant for nodes that are services is not meant for these.
        for (variable, _) in std::env::vars_os() {
            if variable.to_string_lossy().starts_with("RINGLEADER_") {
                command.env_remove(variable);
            }
        }
        command.env_remove("NOTIFY_SOCKET");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        (node.begun, node.again) = (Instant::now(), None);
        node.child = Some(command.spawn().map_err(failed)?);
        Ok(())
    }

    /// Kills a node, as `kill -9` does; whether it ran.
    pub fn kill(&mut self, place: u16) -> bool {
        let node = self.nodes.get_mut(usize::from(place));
        node.and_then(|node| node.child.take()).is_some_and(end)
    }

    /// The process of a node, if it runs.
    #[must_use]
    pub fn pid(&self, place: u16) -> Option<u32> {
        self.nodes.get(usize::from(place))?.child.as_ref().map(Child::id)
    }

    /// Starts a node again after a while, as a service manager would.
    pub fn start_later(&mut self, place: u16, pause: Duration) {
        if let Some(node) = self.nodes.get_mut(usize::from(place)) {
            node.again = Some(Instant::now() + pause);
        }
    }

    /// Starts those whose time has come, and says which.
    ///
    /// # Errors
    /// If one of them cannot be started.
    pub fn start_due(&mut self) -> Result<Vec<u16>, Problem> {
        let now = Instant::now();
        let is_due = |node: &Node| node.again.is_some_and(|at| at <= now);
        let due: Vec<u16> =
            (0..).zip(&self.nodes).filter(|(_, node)| is_due(node)).map(|(place, _)| place).collect();
        due.iter().try_for_each(|&place| self.start(place))?;
        Ok(due)
    }

    /// Nodes that ended of their own accord: something is wrong with them.
    pub fn gone(&mut self) -> Vec<Gone> {
        let mut gone = Vec::new();
        for (place, node) in (0..).zip(&mut self.nodes) {
            let Some(child) = &mut node.child else { continue };
            let Ok(Some(status)) = child.try_wait() else { continue };
            node.child = None;
            let log = std::fs::read_to_string(self.folder.join(format!("{}.log", node.name)));
            let log = log.unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(8).collect();
            gone.push(Gone {
                place,
                name: node.name.clone(),
                left: status.success(),
                status: status.to_string(),
                log: last.into_iter().rev().collect::<Vec<_>>().join("\n"),
                hopeless: !status.success()
                    && node.starts > 1
                    && node.begun.elapsed() < Duration::from_secs(1),
            });
        }
        gone
    }

    /// What the nodes have told since the last time, in the order of their common clock.
    pub fn happened(&mut self) -> Vec<Value> {
        let mut all: Vec<Value> = self.nodes.iter_mut().flat_map(|node| node.events.more()).collect();
        all.sort_by_key(|line| line["at_us"].as_u64());
        all
    }

    /// Asks all nodes to leave, and waits for them; those that do not are killed.
    pub fn stop(&mut self) {
        for child in self.nodes.iter_mut().filter_map(|node| node.child.as_mut()) {
            drop(child.stdin.take());
        }
        let until = Instant::now() + self.patience;
        for node in &mut self.nodes {
            let Some(mut child) = node.child.take() else { continue };
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            end(child);
        }
    }
}

/// Kills a process; whether it could still be killed.
fn end(mut child: Child) -> bool {
    let killed = child.kill().is_ok();
    let _ = child.wait();
    killed
}

impl Drop for Local {
    fn drop(&mut self) {
        for child in self.nodes.iter_mut().filter_map(|node| node.child.take()) {
            end(child);
        }
    }
}
