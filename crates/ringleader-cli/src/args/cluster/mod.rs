//! The options of the commands that speak with other processes: nodes, and the lock service.

mod cert;
mod doctor;
mod elect;
mod lock;
mod members;
mod node;
mod status;
mod up;

pub(crate) use cert::{CertArgs, CertCommand, InitArgs, IssueArgs};
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
    /// A cluster of real processes on this machine: who leads, what it cost on the wire, who is next after a kill.
    Up(Box<UpArgs>),
    /// One member of a cluster of real processes, as a file describes it.
    Node(NodeArgs),
    /// How the members of a cluster are: who leads, who hears whom. Of a lock service: who grants, what is held.
    Status(StatusArgs),
    /// The servers of a lock service: who is in, who votes; drain, remove and add them.
    Members(MembersArgs),
    /// Run a command under a named lock, and stop it before the lease ends.
    Lock(Box<LockArgs>),
    /// Run a command while a member leads, or we do, and stop it before that ends.
    Elect(Box<ElectArgs>),
    /// Who leads an election of a lock service, as it changes; or who holds a lock.
    Observe(ObserveArgs),
    /// Give up leadership, or a lock.
    Resign(ResignArgs),
    /// The locks of a lock service: who holds them, who waits.
    Locks(LocksArgs),
    /// Fences at the storage: what protects data when a lease does not.
    Fence(FenceArgs),
    /// What is wrong: ports, files, certificates, clocks, the way to the others.
    Doctor(DoctorArgs),
    /// The cluster's own authority, and the certificates of its members.
    Cert(CertArgs),
    /// Becomes the command of `elect`.
    #[command(name = "elect-exec", hide = true)]
    ElectExec(ElectExecArgs),
    /// Kills the command of `lock` or `elect` if that cannot.
    #[command(name = "lease-warden", hide = true)]
    LeaseWarden,
}
