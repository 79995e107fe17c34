//! The options of the commands that speak with other processes: nodes, and the lock service.

mod cert;
mod doctor;
mod elect;
mod lock;
mod members;
mod node;
mod status;
mod up;

pub(crate) use cert::{CertArgs, CertCommand, InitArgs, IssueArgs, RevokeArgs};
pub(crate) use doctor::DoctorArgs;
pub(crate) use elect::{ElectArgs, ElectExecArgs, Span};
pub(crate) use lock::{
    CheckFenceArgs, FenceArgs, FenceCommand, LockArgs, LocksArgs, ObserveArgs, ProxyArgs, ReachArgs,
    ResignArgs,
};
pub(crate) use members::{MemberChange, MembersArgs};
pub(crate) use node::{LogArg, NodeArgs};
pub(crate) use status::StatusArgs;
pub(crate) use up::UpArgs;

use clap::Subcommand;

#[derive(Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// Run an algorithm as real processes on this machine.
    Up(Box<UpArgs>),
    /// Run one node of a cluster, or one server of a lock service.
    Node(NodeArgs),
    /// Show the state of a cluster: leaders, connections, locks.
    Status(StatusArgs),
    /// Show and change the membership of a lock service.
    Members(MembersArgs),
    /// Run a command while holding a lock.
    Lock(Box<LockArgs>),
    /// Run a command only while this node is the leader.
    Elect(Box<ElectArgs>),
    /// Follow who leads an election or holds a lock.
    Observe(ObserveArgs),
    /// Give up leadership, or a lock.
    Resign(ResignArgs),
    /// List the locks of a lock service, their holders and who waits.
    Locks(LocksArgs),
    /// Reject writes with an old fence at the storage.
    Fence(FenceArgs),
    /// Find what is wrong: ports, files, certificates, clocks, connections.
    Doctor(DoctorArgs),
    /// Create the certificate authority of a cluster, and certificates.
    Cert(CertArgs),
    /// Becomes the command of `elect`.
    #[command(name = "elect-exec", hide = true)]
    ElectExec(ElectExecArgs),
    /// Kills the command of `lock` or `elect` if that cannot.
    #[command(name = "lease-warden", hide = true)]
    LeaseWarden,
}
