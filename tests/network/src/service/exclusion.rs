//! The faults that gave two holders once: holders that are frozen while their server restarts within a term, loses its
//! folder, or is cut off, with slow links between all hosts.

use super::{PATIENCE, Service};
use crate::now_us;
use crate::switch::Rule;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What happens to servers while holders are frozen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blow {
    /// Nothing: their leases just run out.
    None,
    /// The server of a frozen holder is killed and started at once.
    Restart,
    /// The leader of Raft is killed and started at once, within its term.
    RestartLeader,
    /// The server of a frozen holder is killed, and comes back with an empty folder.
    LoseFolder,
}

impl Blow {
    /// All of them.
    pub const ALL: [Blow; 4] = [Blow::None, Blow::Restart, Blow::RestartLeader, Blow::LoseFolder];
}

/// A client that is frozen while it holds a lock.
struct Frozen {
    client: usize,
    lock: String,
    fence: u64,
}

impl Service {
    /// Every frame takes up to so long from now on, drawn for each.
    pub fn slow_links(&mut self, most: Duration) {
        self.lab().switch().set_all(Rule { jitter: most, ..Rule::default() });
        self.faults.add("times of slow links", 1);
    }

    /// Freezes so many clients, each while it holds something; strikes; and lets them go on when somebody else has each
    /// of their locks.
    pub fn freeze_and_strike(&mut self, holders: usize, blow: Blow) {
        let mut frozen: Vec<Frozen> = Vec::new();
        let begin = Instant::now();
        while frozen.len() < holders {
            assert!(begin.elapsed() < PATIENCE, "nobody holds anything for long\n{}", self.state());
            // A lease that is short is over before a server that lost its folder is taken in again.
            let class = if blow == Blow::LoseFolder && frozen.is_empty() { "batch/" } else { "" };
            match self.freeze_one(&frozen, class) {
                Some(one) => frozen.push(one),
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        let server = self.granter(&frozen[0]);
        match blow {
            Blow::None => {}
            Blow::Restart => self.restart_at_once(server),
            Blow::RestartLeader => {
                let leader = self.await_proposer(&self.everybody());
                self.restart_at_once(leader);
                self.faults.add("of these: the Raft leader", 1);
            }
            Blow::LoseFolder => self.lose_folder(server),
        }
        for one in &frozen {
            self.wait("somebody else writes what the frozen one protected", || {
                (self.storage().highest(&one.lock) > one.fence).then_some(())
            });
        }
        for one in &frozen {
            self.signal_client(one.client, Signal::SIGCONT);
            self.faults.add("holders frozen beyond the lease", 1);
        }
        let since = now_us();
        for one in &frozen {
            self.wait("the frozen client goes on", || {
                self.clients()[one.client].has_moved_on(since).then_some(())
            });
        }
    }

    /// Freezes a client that holds a lock of this class, if there is one, and makes sure that it did not give it back
    /// before.
    fn freeze_one(&mut self, frozen: &[Frozen], class: &str) -> Option<Frozen> {
        let held = |place: usize| {
            self.clients()[place].diary(|diary| {
                diary.holders().find(|held| held.lock.starts_with(class)).map(|held| Frozen {
                    client: place,
                    lock: held.lock.clone(),
                    fence: held.fence,
                })
            })
        };
        let taken = |place: &usize| frozen.iter().any(|one| one.client == *place);
        let found = (0..self.clients().len()).filter(|place| !taken(place)).find_map(held)?;
        self.signal_client(found.client, Signal::SIGSTOP);
        let holds = self.clients()[found.client].diary(|diary| {
            diary.holders().any(|held| (&held.lock, held.fence) == (&found.lock, found.fence))
        });
        if !holds {
            self.signal_client(found.client, Signal::SIGCONT);
            return None;
        }
        Some(found)
    }

    /// The server that granted it, by what the servers wrote down.
    fn granter(&self, frozen: &Frozen) -> usize {
        let fence = frozen.fence.to_string();
        let is_it = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            (&line["event"], &line["name"], &line["fence"])
                == (&json!("lease_granted"), &json!(frozen.lock), &json!(fence))
        };
        let granted = |path: &PathBuf| {
            path.extension().is_some_and(|ending| ending == "events")
                && std::fs::read_to_string(path).unwrap_or_default().lines().any(is_it)
        };
        self.wait("a server wrote down that it granted", || {
            let entries = std::fs::read_dir(self.folder()).ok()?;
            let path = entries.filter_map(|entry| Some(entry.ok()?.path())).find(granted)?;
            let file = path.file_name()?.to_str()?.to_owned();
            self.names.iter().position(|name| file.starts_with(&format!("{name}.")))
        })
    }

    /// Kills a server and starts it at once.
    pub fn restart_at_once(&mut self, place: usize) {
        self.kill(place);
        self.start(place);
        self.faults.add("servers started again at once", 1);
    }

    /// Kills a server, removes its folder, and takes it in again as the program advises: removed from the voters,
    /// started with an empty folder, added.
    pub fn lose_folder(&mut self, place: usize) {
        self.kill(place);
        let name = self.names[place].clone();
        std::fs::remove_dir_all(self.folder().join("data").join(&name)).expect("it has a folder");
        self.members("remove", &name);
        self.start(place);
        self.members("add", &name);
        self.faults.add("folders lost", 1);
    }

    /// `ringleader members`, until it is done: servers are excluded, and leaders elected, in their own time.
    fn members(&self, change: &str, name: &str) {
        let config = self.folder().join("service.toml");
        self.wait(&format!("members {change} {name}"), || {
            let mut command = self.lab().hosts()[0].command(self.program());
            command.args(["members", change, name, "--config"]).arg(&config);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success()).then_some(())
        });
    }

    /// The term of Raft, by what this server says from now on.
    #[must_use]
    pub fn term(&self, place: usize) -> u64 {
        let since = now_us();
        self.wait(&format!("server {place} tells its term"), || {
            let views = self.views();
            let (asked, answer) = &views[place];
            answer.as_ref().filter(|_| *asked > since)?["store"]["raft_term"].as_u64()
        })
    }
}
