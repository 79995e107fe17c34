//! The one typed seam: the processes of an algorithm, and the messages that they have sent, behind an object.
//!
//! A [`Population`] is implemented once, for any type of process (`processes`). The simulator, the checker and hosts
//! stand above it and see numbers: processes by index, ports by number, messages by [`Handle`]. They are compiled once,
//! not once for each algorithm. A step is one call.

mod effects;
mod equals;
mod memory;
mod nature;
mod processes;
mod reading;
mod status;
mod store;

pub(crate) use effects::{Effects, Sent, UNDECLARED_CHOICE};
pub use memory::Cells;
pub(crate) use memory::{Access, Memory};
pub(crate) use nature::{Names, Nature};
pub use status::Position;
pub(crate) use status::Status;

use crate::model::{Belief, Birth, Charge, Doorway, Fields, Knows, Sizes, WireError};
use crate::network::Link;

/// A message that was sent and has not been received: its place in the population.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Handle(u32);

impl Handle {
    /// As the place in a list of what else is known of messages.
    #[inline]
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }

    #[cfg(test)]
    pub(crate) fn at(place: u32) -> Handle {
        Handle(place)
    }
}

/// A message on its way, and where it arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Letter {
    pub(crate) to: u32,
    pub(crate) port: u32,
    pub(crate) message: Handle,
}

impl Letter {
    /// The link that it takes.
    #[inline]
    pub(crate) fn link(&self) -> Link {
        Link::new(self.to, self.port)
    }
}

/// What became of letters that arrived one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// How many arrived, each in a step of its own.
    pub(crate) letters: usize,
    /// How many sends there were before the last of these steps.
    pub(crate) sent_before: usize,
    /// The kind of the last message.
    pub(crate) kind: u32,
    /// Where the process stands after it.
    pub(crate) status: Status,
}

/// What happens to a process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input<'a> {
    /// It starts.
    Start,
    /// A message arrives; a process that sleeps starts just before, if it wakes.
    Deliver { port: u32, message: Handle, wakes: bool },
    /// Several messages arrive at once, if it accepts exactly these. They stay where they are.
    Batch { messages: &'a [(u32, Handle)], wakes: bool },
    /// A timer runs out.
    Timeout(u32),
    /// It takes a local step.
    Local(u32),
    /// Its user wants in.
    Want,
    /// Its user leaves.
    Exit,
    /// It is told that the process behind this port is down.
    Suspect(u32),
    /// It comes back after a crash, newly made.
    Recover,
}

/// The processes of an algorithm, and the messages between them.
pub(crate) trait Population: Send {
    /// What does not depend on the state of anybody.
    fn nature(&self) -> &'static Nature;

    /// A process takes a step; a message that arrives alone is gone. Its effects are added to these; where it stands
    /// afterwards is given back.
    fn react(&mut self, who: u32, input: Input<'_>, effects: &mut Effects) -> Status;

    /// Letters arrive, one after the other, up to the first step that does more than to send; the first receiver
    /// starts just before if it wakes. With `apart` given, a step that sends is the last one as well, or one in which a
    /// message of these kinds arrives, one bit each. The messages that arrived are gone.
    fn receive(
        &mut self,
        letters: &[Letter],
        wakes: bool,
        apart: Option<u64>,
        effects: &mut Effects,
    ) -> Received;

    /// A copy of a process takes a step, which may be kept. Messages stay where they are. None if it does not accept
    /// the batch; otherwise how many of the sends are those of the start with which it wakes.
    fn attempt(&mut self, who: u32, input: Input<'_>, effects: &mut Effects) -> Option<usize>;

    /// What the last attempt made of a process, it is from now on.
    fn keep(&mut self, who: u32) -> Status;

    /// Whether a process would take exactly these messages in one step.
    fn accepts(&self, who: u32, messages: &[(u32, Handle)]) -> bool;

    /// A process is newly made.
    fn reset(&mut self, who: u32, birth: &Birth);

    /// Where a process stands.
    fn status(&self, who: u32) -> Status;

    /// What a process knows of the leader.
    fn knows(&self, who: u32) -> Knows;

    /// What a process believes of its clock.
    fn belief(&self, who: u32) -> Belief;

    /// The priority of the request of its user.
    fn priority(&self, who: u32) -> Option<(u64, u32)>;

    /// How far a process is through the doorway.
    fn doorway(&self, who: u32) -> Doorway;

    /// Whether a machine that holds this value has a privilege when a message tells it that one.
    fn has_privilege(&self, who: u32, holds: u32, told: u32) -> bool;

    /// The registers with their growing numbers counted from so many later on.
    fn rebase_memory(&mut self, cells: &[u32], by: u32) -> Vec<u32>;

    /// The local steps that a process could take, one bit each.
    fn possible(&self, who: u32) -> u64;

    /// The same, as far as its own state decides that.
    fn can(&self, who: u32) -> u64;

    /// The registers.
    fn memory(&self) -> &Memory;

    /// The registers, to be changed.
    fn memory_mut(&mut self) -> &mut Memory;

    /// What the last attempt left in the registers.
    fn attempted_memory(&self) -> &Memory;

    /// The local variables of a process.
    fn fields(&self, who: u32) -> Fields;

    /// The fields of a message.
    fn message_fields(&self, message: Handle) -> Fields;

    /// The size of a message.
    fn message_bits(&self, message: Handle, sizes: Sizes) -> u64;

    /// Whose request a message serves.
    fn message_charge(&self, message: Handle) -> Charge;

    /// The same message once more.
    fn duplicate(&mut self, message: Handle) -> Handle;

    /// A message is gone.
    fn discard(&mut self, message: Handle);

    /// The wire form of a message.
    fn encode(&self, message: Handle) -> Vec<u8>;

    /// The kind and the fields of the message that these bytes are.
    ///
    /// # Errors
    /// If they are none.
    fn read(&self, bytes: &[u8]) -> Result<(usize, Fields), WireError>;

    /// The message that these bytes are.
    ///
    /// # Errors
    /// If they are none.
    fn decode(&mut self, bytes: &[u8]) -> Result<Handle, WireError>;

    /// The number of a process: that of the first equal one. From now on it stays as it is.
    fn number(&mut self, who: u32) -> u32;

    /// The number of what the last attempt made of a process, which becomes one more if none is equal to it.
    fn number_attempted(&mut self) -> u32;

    /// A fingerprint of a process that has a number.
    fn hash(&self, who: u32) -> u64;

    /// The message that is the first one equal to this one. If there is another, this one is gone; otherwise it stays.
    fn number_message(&mut self, message: Handle) -> Handle;

    /// A fingerprint of a message that has a number.
    fn message_hash(&self, message: Handle) -> u64;

    /// The kind of a message.
    fn message_kind(&self, message: Handle) -> usize;

    /// The round that a process is in, where rounds grow without end.
    fn round(&self, who: u32) -> Option<u32>;

    /// The number of a process with its rounds counted from so many later on.
    fn rebase(&mut self, who: u32, by: u32) -> u32;

    /// A message likewise.
    fn rebase_message(&mut self, message: Handle, by: u32) -> Handle;

    /// About how many bytes everything that has a number takes.
    fn bytes(&self) -> u64;

    /// All of it once more.
    fn copy(&self) -> Box<dyn Population>;
}
