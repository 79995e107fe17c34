//! How many files this process may open, and how they are divided.

use crate::Problem;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than this is never asked for, however much is allowed.
const MOST: u64 = 1 << 20;

/// For what is open besides connections: the log of the store and its snapshots, listeners, timers, signals, standard
/// streams, and connections that are accepted only to be closed.
const RESERVE: usize = 64;

/// For each other server: the connection to it, one that replaces it, and one that is being dialled.
const EACH_PEER: usize = 4;

/// The fewest connections that are worth a start.
const LEAST: usize = 64;

/// Raises the number of files that this process may open as far as is allowed. How many more it may open now.
#[must_use]
pub fn allowance() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(MOST).min(MOST);
    let has = current.unwrap_or(MOST);
    let raised =
        has >= wanted || setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok();
    let limit = usize::try_from(if raised { wanted.max(has) } else { has }).unwrap_or(usize::MAX);
    // What is open already belongs to somebody else in this process. Where it cannot be counted, there is the reserve.
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    limit.saturating_sub(open)
}

/// How many connections of each kind there may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Clients that have shown who they are.
    pub clients: usize,
    /// Connections to the port of clients that have not.
    pub strangers: usize,
    /// Clients at the Unix socket.
    pub local: usize,
    /// Connections to the Unix socket that have asked nothing yet.
    pub door: usize,
    /// Connections to the status port.
    pub status: usize,
    /// Connections to the port of servers that have not shown who they are.
    pub handshakes: usize,
}

impl Budget {
    /// Divides so many files, of a server that has so many peers.
    ///
    /// # Errors
    /// If a server could not serve with so few.
    pub fn of(files: usize, peers: usize) -> Result<Budget, Problem> {
        let reserve = RESERVE + EACH_PEER * peers;
        let rest = files.saturating_sub(reserve);
        if rest < LEAST {
            return Err(too_few(files, reserve + LEAST));
        }
        let strangers = (rest / 8).clamp(8, 1024);
        let handshakes = (rest / 16).clamp(4, 64);
        let status = (rest / 32).clamp(2, 32);
        let door = (rest / 32).clamp(2, 64);
        let known = rest - strangers - handshakes - status - door;
        let local = known / 4;
        Ok(Budget { clients: known - local, strangers, local, door, status, handshakes })
    }

    /// All of them together.
    #[must_use]
    pub fn sum(&self) -> usize {
        self.clients + self.strangers + self.local + self.door + self.status + self.handshakes
    }
}

/// What to do if there are too few files.
fn too_few(has: usize, needs: usize) -> Problem {
    let message = format!("this server may open {has} more files, and needs {needs} to serve");
    Problem::environment("too_few_files", message)
        .help("every connection is an open file; a higher limit is set in the shell that starts it by:")
        .command("ulimit -n 65536", "")
        .help("or in the unit of systemd by `LimitNOFILE=65536`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_keeps_the_reserve() {
        for files in [140, 256, 1024, 4096, 20_000, 1 << 20] {
            for peers in [0, 2, 8] {
                let Ok(budget) = Budget::of(files, peers) else {
                    assert!(files < RESERVE + EACH_PEER * peers + LEAST, "{files} files, {peers} peers");
                    continue;
                };
                assert_eq!(budget.sum() + RESERVE + EACH_PEER * peers, files);
                let Budget { clients, strangers, local, door, status, handshakes } = budget;
                assert!([clients, strangers, local, door, status, handshakes].iter().all(|part| *part > 0));
                assert!(clients > strangers, "clients have more than strangers");
            }
        }
    }

    #[test]
    fn too_few_files_are_refused_with_what_is_needed() {
        let text = Budget::of(100, 2).expect_err("too few").to_string();
        assert!(text.contains("may open 100 more files, and needs 136"), "{text}");
    }

    #[test]
    fn the_soft_limit_is_raised() {
        let before = getrlimit(Resource::Nofile);
        assert!(allowance() > 0);
        let after = getrlimit(Resource::Nofile);
        assert_eq!(after.maximum, before.maximum);
        assert!(after.current >= after.maximum.map(|most| most.min(MOST)));
    }
}
