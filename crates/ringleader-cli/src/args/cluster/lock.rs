//! `ringleader lock`, `observe`, `resign`, `locks` and `fence`: what asks a lock service.

use super::Span;
use clap::{Args, Subcommand, ValueEnum};
use ringleader_client::Endpoint;
use ringleader_locks::{Class, Fence};
use std::ffi::OsString;
use std::path::PathBuf;

/// Where the servers are, and who asks.
#[derive(Args, Debug)]
pub(crate) struct ReachArgs {
    /// The configuration file of the service: its servers, their sockets, the authority.
    #[arg(long, value_name = "FILE", default_value = "service.toml", env = "RINGLEADER_CONFIG")]
    pub(crate) config: PathBuf,
    /// A server instead of a configuration (repeatable): https://HOST:PORT, https://HOST:PORT#NAME with the name in its
    /// certificate, or unix:PATH.
    #[arg(long, value_name = "URL", value_parser = endpoint)]
    pub(crate) server: Vec<Endpoint>,
    /// The certificate of the cluster's authority [default: as the configuration says].
    #[arg(long, value_name = "FILE")]
    pub(crate) authority: Option<PathBuf>,
    /// The certificate of this client; the key is in the file of the same name with the suffix .key [default:
    /// client.pem beside the configuration, if it exists].
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// A file with a bearer token, instead of a certificate; RINGLEADER_TOKEN is the token itself.
    #[arg(long, value_name = "FILE", conflicts_with = "certificate")]
    pub(crate) token_file: Option<PathBuf>,
}

/// How a command runs while something is held.
#[derive(Args, Debug)]
pub(crate) struct HoldArgs {
    /// Wait at most this long [default: no limit].
    #[arg(long, value_name = "TIME")]
    pub(crate) wait: Option<Span>,
    /// The lease class of the session: that of the lock, or a shorter one.
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<ClassArg>,
    /// What others see while it is held, at most 4 KiB.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) value: String,
    /// Send TERM this long before the lease ends [default: 2s, or two fifths of the lease if that is less].
    #[arg(long, value_name = "TIME")]
    pub(crate) grace: Option<Span>,
    /// Send KILL this long before the lease ends [default: 500ms, or a tenth of the lease if that is less].
    #[arg(long, value_name = "TIME")]
    pub(crate) kill_before: Option<Span>,
}

#[derive(Args, Debug)]
#[command(after_help = "The command runs in a process group of its own and has RINGLEADER_LOCK, \
                  RINGLEADER_NAME, RINGLEADER_FENCE, RINGLEADER_SESSION and RINGLEADER_DEADLINE_MS (on \
                  CLOCK_BOOTTIME, as known when it starts) in its environment. INT, TERM, HUP, QUIT, \
                  USR1 and USR2 are passed on. What it leaves behind when it ends is stopped too. If \
                  this program is killed, the command is killed.\n\nA lease is a promise about two \
                  clocks, not about your writes: only a storage that refuses smaller RINGLEADER_FENCEs \
                  protects data (see `fence`).\n\nExit codes: the command's own, 128 and the signal that \
                  ended it · 75 not obtained within --wait, or by --try · 76 lost while it ran, and \
                  stopped · 126 cannot be run · 127 no such command · 2 wrong usage · 4 no server \
                  answers (for 5 seconds), or it denies")]
pub(crate) struct LockArgs {
    /// The name of the lock.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    #[command(flatten)]
    pub(crate) hold: HoldArgs,
    /// Share it with others who say so too, and with nobody who does not: to read.
    #[arg(long)]
    pub(crate) shared: bool,
    /// It is a semaphore of so many permits, from 1 to 1000, of which one is taken; everybody says the same number.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "shared")]
    pub(crate) permits: Option<u32>,
    /// Do not wait.
    #[arg(long = "try", conflicts_with = "wait")]
    pub(crate) try_now: bool,
    /// How long the session may be silent at most [default: the lease of its class].
    #[arg(long, value_name = "TIME")]
    pub(crate) ttl: Option<Span>,
    /// A shell command to run after the lock was lost and the command was stopped.
    #[arg(long, value_name = "CMD")]
    pub(crate) on_lost: Option<String>,
    /// The command and its arguments; no shell is involved.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Args, Debug)]
#[command(after_help = "One line for each change; the first is how it is now. What is seen is the past: \
                  compare fences.\n\nExit codes: 0 a signal ended it, or --once · 2 wrong usage · 4 no \
                  server answers, or it denies")]
pub(crate) struct ObserveArgs {
    /// The name of the election, or of the lock.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    /// Name a lock, not an election.
    #[arg(long)]
    pub(crate) lock: bool,
    /// Print the present state and stop.
    #[arg(long)]
    pub(crate) once: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Inside the command of `elect` (or `lock --lock`) session and fence are in the \
                  environment. The command is stopped then, and `elect` exits with 76, for it leads no \
                  more. From elsewhere they are those of the line `holds` of `elect --json`: only who \
                  knows the session may give up what it holds.")]
pub(crate) struct ResignArgs {
    /// The name of the election, or of the lock.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    /// The session of the leader.
    #[arg(long, value_name = "S", env = "RINGLEADER_SESSION")]
    pub(crate) session: String,
    /// The fence of the leader.
    #[arg(long, value_name = "F", env = "RINGLEADER_FENCE", value_parser = fence)]
    pub(crate) fence: Fence,
    /// Name a lock, not an election.
    #[arg(long)]
    pub(crate) lock: bool,
}

#[derive(Args, Debug)]
pub(crate) struct LocksArgs {
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
}

#[derive(Args, Debug)]
pub(crate) struct FenceArgs {
    #[command(subcommand)]
    pub(crate) what: FenceCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum FenceCommand {
    /// Compare a fence with the largest one seen so far, and keep it: exit code 0 if it is accepted, 1 if it is stale.
    #[command(
        after_help = "With a file, comparing and keeping are one step whoever else does the same, and on the \
                  disk before it comes back. Do the write only after 0, and nothing between:\n\n  \
                  ringleader fence check \"$RINGLEADER_FENCE\" --last report.fence && mv new \
                  report\n\nExit codes: 0 not smaller than any before · 1 stale · 2 no fence · 4 the \
                  file cannot be used"
    )]
    Check(CheckFenceArgs),
    /// Run a proxy in front of a storage: it rejects a PUT, POST, PATCH or DELETE whose Ringleader-Fence is smaller
    /// than the largest one seen for its path.
    Proxy(ProxyArgs),
}

#[derive(Args, Debug)]
pub(crate) struct CheckFenceArgs {
    /// The fence.
    #[arg(value_parser = fence)]
    pub(crate) fence: Fence,
    /// The largest fence so far: a number, or the file that keeps it.
    #[arg(long, value_name = "FILE|N")]
    pub(crate) last: String,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Writes to one path pass one after the other. What the storage has not answered after a \
                  minute is answered 504, and may still be done: until the storage answers, further writes \
                  to that path are answered 503, whatever their fence. If it never does, make sure that the \
                  write cannot land any more (restart the storage), then open the path:\n\n  curl -X POST -H \
                  'Ringleader-Settled: FENCE' http://127.0.0.1:7440/PATH\n\nPaths that differ in spelling, \
                  case, query or a slash at the end share a fence; what has two readings (%2F, encoded dots) \
                  is answered 400. Nobody may write past the proxy, and it stands before the storage \
                  itself, not before another proxy."
)]
pub(crate) struct ProxyArgs {
    /// The storage, over plain HTTP: http://HOST:PORT.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: String,
    /// The address to listen on.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7440", value_parser = super::elect::address)]
    pub(crate) listen: String,
    /// The file that keeps the largest fence of each path.
    #[arg(long, value_name = "FILE", default_value = "fences")]
    pub(crate) fences: PathBuf,
}

/// A lease class.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClassArg {
    /// Fails over fast; tolerates short pauses only.
    Fast,
    /// The default.
    Normal,
    /// Tolerates long pauses; fails over slowly.
    Batch,
}

impl From<ClassArg> for Class {
    fn from(class: ClassArg) -> Class {
        match class {
            ClassArg::Fast => Class::Fast,
            ClassArg::Normal => Class::Normal,
            ClassArg::Batch => Class::Batch,
        }
    }
}

pub(super) fn endpoint(text: &str) -> Result<Endpoint, String> {
    text.parse().map_err(|error: ringleader_client::LockError| {
        format!("{}; {}", error.message, error.help.unwrap_or_default())
    })
}

fn fence(text: &str) -> Result<Fence, String> {
    text.parse().map_err(|error: ringleader_locks::BadFence| error.to_string())
}
