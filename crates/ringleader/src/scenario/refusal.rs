//! Why a scenario is not run: what is wrong, and what the algorithm needs. A leaf puts it into words and advice.

use super::Edit;
use core::fmt;

/// Why a scenario is not run.
#[derive(Clone, PartialEq, Debug)]
pub enum Refusal {
    /// There must be at least one process.
    NoProcesses,
    /// The algorithm is not for so many processes.
    WrongSize {
        /// How many there are.
        n: u32,
        /// The nearest numbers that it admits.
        nearest: (u32, u32),
    },
    /// The same identity twice.
    DuplicateId {
        /// The identity.
        id: u64,
        /// The index that has it first.
        first: u32,
        /// The index that has it again.
        second: u32,
    },
    /// A list of identities, entries or ports is not of length n.
    WrongLength {
        /// What the list is of.
        what: &'static str,
        /// Its length.
        got: usize,
        /// The number of processes.
        n: u32,
    },
    /// An index is not below n.
    NoSuchProcess {
        /// Where it was named.
        what: &'static str,
        /// The index.
        process: u32,
        /// The number of processes.
        n: u32,
    },
    /// Nobody would start.
    NoInitiator,
    /// The algorithm needs stronger links.
    WeakLinks {
        /// What it needs.
        needs: &'static str,
        /// What was asked for.
        got: &'static str,
    },
    /// Half-duplex links exist on two-way rings only.
    NoHalfDuplexHere,
    /// Processes that share registers have no links.
    NoLinksHere,
    /// The algorithm needs stronger registers.
    WeakRegisters {
        /// What it needs.
        needs: &'static str,
        /// What was asked for.
        got: &'static str,
    },
    /// Users that want in again and again, where a run is to end.
    EndlessEntries,
    /// A setting is too small.
    NotEnough {
        /// Which one.
        setting: &'static str,
        /// The least that is enough.
        least: u32,
        /// What it is.
        got: u32,
    },
    /// Only a self-stabilising algorithm begins anywhere.
    BeginsOnce,
    /// A machine has no such state.
    NoSuchState {
        /// The machine.
        process: u32,
        /// The state.
        state: u32,
        /// The largest number of a state.
        most: u32,
    },
    /// A link is said to hold more messages at first than it can.
    FullLink {
        /// The machine at which it begins.
        process: u32,
        /// How many.
        got: u32,
        /// How many it holds at most.
        most: u32,
    },
    /// Machines have no users who want in.
    NoUsers,
    /// Its steps need more than registers that are read and written one at a time.
    NoSingleRegisters,
    /// Nodes have no memory in common.
    SharedRegisters,
    /// The algorithm is not for this network.
    WrongTopology {
        /// What it needs.
        needs: &'static str,
        /// What was asked for.
        got: &'static str,
    },
    /// All processes must agree on the sides.
    NeedsOrientation,
    /// The ports listed for a process are not a permutation.
    BadPorts {
        /// The process.
        process: u32,
    },
    /// Time-outs mean nothing under this schedule.
    NeedsBoundedDelay {
        /// What was asked for.
        schedule: &'static str,
    },
    /// The algorithm moves in lock-step, so only `rounds` will do.
    NeedsLockStep {
        /// What was asked for.
        schedule: &'static str,
    },
    /// The contract excludes this fault.
    FaultExcluded {
        /// The fault in words.
        fault: &'static str,
    },
    /// No message of the algorithm is of this kind.
    NoSuchKind {
        /// What was asked for.
        kind: String,
        /// The kinds there are.
        kinds: &'static [&'static str],
    },
    /// A workload was given for an election.
    NoWorkload,
    /// Clocks were described for an algorithm without clocks.
    NoClocks,
    /// A clock drifts more than processes are told.
    TooMuchDrift {
        /// How much, in millionths.
        drift: i64,
        /// What they are told.
        bound: u32,
    },
    /// Clocks are set back, which no process admits.
    ClocksGoBack,
    /// The algorithm does not admit these delays, clocks or settings.
    Surroundings {
        /// What is wrong.
        why: String,
        /// What to type.
        help: String,
    },
    /// There is no setting of this name, or the value is not one of its values.
    BadSetting {
        /// The setting.
        name: String,
        /// What it may be.
        expected: String,
    },
    /// The algorithm has no known worst arrangement.
    NoWorstIds,
    /// The algorithm has no identities to arrange.
    Anonymous,
    /// A number is out of range.
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
    },
    /// A check was asked for a property that the algorithm does not promise.
    NoSuchProperty {
        /// What was asked for.
        name: String,
        /// What it promises.
        names: Vec<&'static str>,
    },
    /// More cases than anybody waits for.
    TooManyCases {
        /// Arrangements of identities.
        arrangements: u128,
        /// Sets of initiators.
        initiator_sets: u128,
        /// Ways to number the ports.
        labellings: u128,
    },
    /// Somebody reaches into the run where that is impossible.
    BadEdit {
        /// How.
        edit: Edit,
        /// What is wrong with it.
        why: String,
    },
    /// A recorded step is impossible here.
    BrokenReplay {
        /// The number of the step, from 1.
        step: usize,
        /// What is wrong with it.
        why: String,
    },
}

impl Refusal {
    /// Whether `unsound` would let it run all the same.
    #[must_use]
    pub fn is_about_assumptions(&self) -> bool {
        matches!(
            self,
            Refusal::WeakLinks { .. }
                | Refusal::NeedsOrientation
                | Refusal::NeedsBoundedDelay { .. }
                | Refusal::FaultExcluded { .. }
                | Refusal::WeakRegisters { .. }
                | Refusal::NotEnough { .. }
                | Refusal::DuplicateId { .. }
                | Refusal::TooMuchDrift { .. }
                | Refusal::ClocksGoBack
                | Refusal::Surroundings { .. }
        )
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoProcesses => write!(f, "there must be at least one process"),
            Refusal::WrongSize { n, nearest: (below, above) } => {
                if below == above {
                    write!(f, "it is not for {n} processes; the nearest number is {below}")
                } else {
                    write!(f, "it is not for {n} processes; the nearest numbers are {below} and {above}")
                }
            }
            Refusal::DuplicateId { id, first, second } => {
                write!(f, "identity {id} is given to two processes, index {first} and index {second}")
            }
            Refusal::WrongLength { what, got, n } => write!(f, "{got} {what} for {n} processes"),
            Refusal::NoSuchProcess { what, process, n } => {
                write!(f, "{what}: there is no process {process}; indices are 0 to {}", n - 1)
            }
            Refusal::NoInitiator => write!(f, "nobody starts: at least one initiator is needed"),
            Refusal::WeakLinks { needs, got } => write!(f, "it needs {needs} links; these are {got}"),
            Refusal::NoHalfDuplexHere => write!(f, "half-duplex links exist on two-way rings only"),
            Refusal::NoLinksHere => write!(f, "its processes share registers; there are no links"),
            Refusal::WeakRegisters { needs, got } => {
                write!(f, "it needs {needs} registers; these are {got}")
            }
            Refusal::NotEnough { setting, least, got } => {
                write!(f, "it needs {setting} = {least} or more; it is {got}")
            }
            Refusal::BeginsOnce => {
                write!(f, "it begins in one state; only a self-stabilising algorithm begins anywhere")
            }
            Refusal::NoSuchState { process, state, most } => {
                write!(f, "machine {process} has no state {state}; its states are 0 to {most}")
            }
            Refusal::FullLink { process, got, most } => {
                write!(f, "the link out of machine {process} holds {most} messages at most, not {got}")
            }
            Refusal::NoUsers => write!(f, "its machines have no users who want in"),
            Refusal::EndlessEntries => write!(f, "a run in which everybody wants in for ever has no end"),
            Refusal::NoSingleRegisters => {
                write!(f, "its steps are no single reads and writes of registers")
            }
            Refusal::SharedRegisters => {
                write!(f, "its processes share registers, which nodes on a network do not have")
            }
            Refusal::WrongTopology { needs, got } => write!(f, "it needs {needs}; the topology is {got}"),
            Refusal::NeedsOrientation => {
                write!(f, "it needs processes that agree on left and right; the orientation is random")
            }
            Refusal::BadPorts { process } => {
                write!(f, "the ports listed for process {process} are not a permutation of its ports")
            }
            Refusal::NeedsBoundedDelay { schedule } => {
                write!(f, "it needs a bound on message delays; the schedule {schedule} has none")
            }
            Refusal::NeedsLockStep { schedule } => {
                write!(f, "it moves in lock-step; the schedule is {schedule}")
            }
            Refusal::FaultExcluded { fault } => write!(f, "its contract excludes {fault}"),
            Refusal::NoSuchKind { kind, kinds } => {
                write!(f, "it sends no message of kind {kind}; its kinds are {}", kinds.join(", "))
            }
            Refusal::NoWorkload => write!(f, "it is an election, which has no critical section to enter"),
            Refusal::NoClocks => write!(f, "its processes have no clocks"),
            Refusal::TooMuchDrift { drift, bound } => {
                write!(
                    f,
                    "a clock drifts by {drift} ppm; processes are told that none drifts by more than {bound}"
                )
            }
            Refusal::ClocksGoBack => write!(f, "clocks must not be set back"),
            Refusal::Surroundings { why, .. } => f.write_str(why),
            Refusal::BadSetting { name, expected } => write!(f, "setting {name}: {expected}"),
            Refusal::NoWorstIds => write!(f, "no worst arrangement of identities is known for it"),
            Refusal::Anonymous => write!(f, "its processes have no identities to arrange"),
            Refusal::OutOfRange { what, expected } => write!(f, "{what} must be {expected}"),
            Refusal::NoSuchProperty { name, names } => {
                write!(f, "it has no property `{name}`; its properties are {}", names.join(", "))
            }
            Refusal::TooManyCases { arrangements, initiator_sets, labellings } => write!(
                f,
                "too many cases: {arrangements} arrangements, {initiator_sets} sets of initiators, \
                 {labellings} ways to number the ports"
            ),
            Refusal::BadEdit { edit, why } => write!(f, "the edit {edit} is impossible: {why}"),
            Refusal::BrokenReplay { step, why } => write!(f, "step {step} of the recording: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}
