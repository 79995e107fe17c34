//! The one typed seam: the processes of an algorithm, and the messages that they have sent, behind an object.
//!
//! A [`Population`] is implemented once, for any type of process (`processes`). Whoever stands above it (the simulator,
//! a host) sees numbers: processes by index, ports by number, messages by [`Handle`]. It is compiled once, not once for
//! each algorithm. A step is one call.

mod effects;
mod processes;
mod status;

pub(crate) use effects::{Effects, Sent, UNDECLARED_CHOICE};
pub(crate) use processes::{Electing, Excluding, Processes};
pub use status::Position;
pub(crate) use status::Status;

use crate::model::{
    Birth, Charge, Fields, Knows, Message, Name, Port, Process, Reached, Shape, Sizes, Spec, WireError,
};

/// A message that was sent and has not been received: its place in the population.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Handle(u32);

/// What happens to a process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Input {
    /// It starts.
    Start,
    /// A message arrives, and is gone; a process that sleeps starts just before, if it wakes.
    Deliver { port: u32, message: Handle, wakes: bool },
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

/// A step that may be undone. Messages stay where they are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attempt<'a> {
    /// It starts.
    Start,
    /// It takes a local step.
    Local(u32),
    /// A message arrives.
    Deliver { port: u32, message: Handle, wakes: bool },
    /// Several messages arrive at once, if it accepts exactly these.
    Batch { messages: &'a [(u32, Handle)], wakes: bool },
}

/// The processes of an algorithm, and the messages between them.
pub(crate) trait Population: Send {
    /// What does not depend on the state of anybody.
    fn nature(&self) -> Nature;

    /// A process takes a step. Its effects are added to these; where it stands afterwards is given back.
    fn react(&mut self, who: u32, input: Input, effects: &mut Effects) -> Status;

    /// Several messages arrive at a process in one step. They stay where they are.
    fn receive_several(&mut self, who: u32, messages: &[(u32, Handle)], effects: &mut Effects);

    /// A copy of a process takes a step. None if it does not accept the batch; otherwise how many of the sends are
    /// those of the start with which it wakes.
    fn attempt(&mut self, who: u32, attempt: Attempt<'_>, effects: &mut Effects) -> Option<usize>;

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

    /// The priority of the request of its user.
    fn priority(&self, who: u32) -> Option<(u64, u32)>;

    /// The local steps that a process could take, one bit each.
    fn possible(&self, who: u32) -> u64;

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

    /// All of it once more.
    fn copy(&self) -> Box<dyn Population>;
}

/// What an algorithm is, as far as its type says so.
#[derive(Clone, Copy)]
pub(crate) struct Nature {
    pub(crate) spec: &'static Spec,
    pub(crate) shape: Shape,
    /// The kinds of its messages, and which of them only announce.
    pub(crate) kinds: &'static [&'static str],
    pub(crate) announces: &'static [bool],
    /// How many timers and local steps it has, and their names.
    pub(crate) timers: Names,
    pub(crate) locals: Names,
}

impl Nature {
    /// Of this algorithm.
    pub(crate) const fn of<P: Process>() -> Nature {
        const { assert!(P::Local::ALL.len() <= 64, "a process has at most 64 local steps") };
        Nature {
            spec: &P::SPEC,
            shape: P::Port::SHAPE,
            kinds: P::Msg::KINDS,
            announces: P::Msg::ANNOUNCES,
            timers: Names::of::<P::Timer>(),
            locals: Names::of::<P::Local>(),
        }
    }

    /// Whether a message makes a process that has not started do so first.
    pub(crate) fn wakes(&self, started: bool, initiator: bool) -> bool {
        !started && self.spec.needs.reached.starts_first(initiator)
    }

    /// Whether a process that a message has reached counts as started.
    pub(crate) fn is_started_by_message(&self) -> bool {
        self.spec.needs.reached != Reached::MayStartLater
    }
}

/// The names of timers or local steps.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) count: usize,
    name: fn(usize) -> Option<&'static str>,
}

impl Names {
    const fn of<N: Name>() -> Names {
        Names { count: N::ALL.len(), name: |place| N::ALL.get(place).map(|each| each.name()) }
    }

    /// The name at this place.
    pub(crate) fn name(&self, place: u32) -> &'static str {
        (self.name)(place as usize).unwrap_or("")
    }

    /// The place of this name.
    pub(crate) fn place(&self, name: &str) -> Option<u32> {
        self.all().position(|known| known == name).map(|place| place as u32)
    }

    /// All of them, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        (0..self.count).filter_map(|place| (self.name)(place))
    }
}
