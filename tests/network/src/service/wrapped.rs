//! A command that runs under `ringleader lock`: a shell that ignores TERM, with two children that do too, each of which
//! writes down that it is alive, until it is not.

use super::setup::{self, CLIENT};
use super::{PATIENCE, Service};
use crate::process::{Process, is_gone};
use std::fs::File;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

/// A command under a lock.
pub struct Wrapped {
    /// `ringleader lock`.
    pub wrapper: Process,
    beats: Vec<PathBuf>,
    log: PathBuf,
}

impl Wrapped {
    /// The numbers of the children, and when each was last alive, in microseconds.
    fn children(&self) -> Option<Vec<(u32, u64)>> {
        let read = |path: &PathBuf| {
            let text = std::fs::read_to_string(path).ok()?;
            // A last line without an end was cut off.
            let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
            let pid = lines.next()?.parse().ok()?;
            Some((pid, lines.next_back()?.parse().ok()?))
        };
        self.beats.iter().map(read).collect()
    }

    /// What `ringleader lock` has told people.
    #[must_use]
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until `ringleader lock` has ended.
    ///
    /// # Panics
    /// If it does not.
    pub fn ends(&mut self) -> ExitStatus {
        self.wrapper.ends(PATIENCE).expect("the wrapper of the command ends")
    }
}

impl Service {
    /// Runs the command on this host while it holds this lock, and waits until its children live.
    #[must_use]
    pub fn wrap(&self, host: usize, lock: &str, tag: &str) -> Wrapped {
        let folder = self.folder();
        let beats: Vec<PathBuf> = (0..2).map(|child| folder.join(format!("{tag}.{child}.beats"))).collect();
        let holder = self.plan.holder.display();
        let children: String =
            beats.iter().map(|path| format!("{holder} beat={} & ", path.display())).collect();
        let servers = self.names.iter().enumerate();
        let servers =
            servers.flat_map(|(place, name)| ["--server".into(), setup::endpoint(&self.lab, place, name)]);
        let said = folder.join(format!("{tag}.log"));
        let log = File::create(&said).expect("a file for its log");
        let child = self.lab.hosts()[host]
            .command(&self.program)
            .args(["lock", lock])
            .args(servers)
            .arg("--authority")
            .arg(folder.join("ca.pem"))
            .arg("--certificate")
            .arg(folder.join(format!("{CLIENT}.pem")))
            .args(["--", "sh", "-c"])
            .arg(format!("trap '' TERM; {children} wait"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the command starts");
        let wrapped = Wrapped { wrapper: Process::new(child), beats, log: said };
        self.wait("the children of the command live", || wrapped.children().map(drop));
        wrapped
    }

    /// Whether the children of a command live: each writes something down from now on.
    #[must_use]
    pub fn lives(&self, wrapped: &Wrapped) -> bool {
        let since = crate::now_us();
        let begun = std::time::Instant::now();
        while begun.elapsed() < PATIENCE {
            let Some(children) = wrapped.children() else { return false };
            if children.iter().any(|(pid, _)| is_gone(*pid)) {
                return false;
            }
            if children.iter().all(|(_, last)| *last > since) {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        false
    }

    /// Waits until the children of a command are gone; when the last of them was last alive, in microseconds.
    #[must_use]
    pub fn await_death(&self, wrapped: &Wrapped) -> u64 {
        self.wait("the children of the command are gone", || {
            let children = wrapped.children()?;
            let gone = children.iter().all(|(pid, _)| is_gone(*pid));
            gone.then(|| children.iter().map(|(_, last)| *last).max().unwrap_or_default())
        })
    }

    /// How long the lease of normal locks is, in microseconds.
    #[must_use]
    pub fn normal_lease(&self) -> u64 {
        self.plan.leases.millis[1] * 1000
    }
}
