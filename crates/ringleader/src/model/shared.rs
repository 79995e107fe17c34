//! What an algorithm needs of the registers that its processes share, and who chooses the machines that move.

/// Who chooses which of the privileged machines move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Daemon {
    /// Any one of them.
    Central,
    /// Any of them, one or more, at once: all read before any writes.
    Distributed,
    /// All of them at once.
    Synchronous,
}

impl Daemon {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Daemon::Central => "central",
            Daemon::Distributed => "distributed",
            Daemon::Synchronous => "synchronous",
        }
    }

    /// The one at this place among the words of the setting.
    #[must_use]
    pub const fn of(place: u32) -> Daemon {
        match place {
            0 => Daemon::Central,
            1 => Daemon::Distributed,
            _ => Daemon::Synchronous,
        }
    }
}

/// What registers do while they are written, and how much of them a local step may use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Registers {
    /// A write takes a while. A read that overlaps it may be answered with any value of the register.
    Safe,
    /// A read or a write is one step, and nothing comes between.
    Atomic,
    /// A local step reads several registers and writes, and nothing comes between.
    Composite,
}

impl Registers {
    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Registers::Safe => "safe",
            Registers::Atomic => "atomic",
            Registers::Composite => "composite",
        }
    }
}
