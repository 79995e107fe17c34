//! A consistent cut of a running system, after K. M. Chandy and L. Lamport (ACM TOCS 3(1):63–75, 1985).
//!
//! Who starts a snapshot, or is reached by its first marker, notes its own state and sends a marker into every outgoing
//! channel before anything else. From then on it notes what comes in by each channel until that channel's marker comes.
//! What was noted by all is a state that the system could have been in. Channels must keep the order: a message that
//! overtakes a marker is counted on both sides of the cut, or on neither.

/// One process's part of a snapshot: its state `S`, and the messages `M` that were on their way to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Snapshot<S, M> {
    state: Option<S>,
    channels: Vec<Channel<M>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Channel<M> {
    /// Whether its marker has come.
    closed: bool,
    messages: Vec<M>,
}

impl<S, M: Clone> Snapshot<S, M> {
    /// Of a process with so many incoming channels; not begun.
    #[must_use]
    pub fn new(channels: usize) -> Self {
        let channel = Channel { closed: false, messages: Vec::new() };
        Snapshot { state: None, channels: vec![channel; channels] }
    }

    /// The process starts a snapshot of its own accord, in this state. Whether it is to send its markers now: not if it
    /// has already.
    #[must_use]
    pub fn begin(&mut self, state: S) -> bool {
        let first = self.state.is_none();
        if first {
            self.state = Some(state);
        }
        first
    }

    /// A marker comes in by a channel, the process being in this state. Whether it is to send its markers now.
    #[must_use]
    pub fn marker(&mut self, channel: usize, state: S) -> bool {
        if let Some(channel) = self.channels.get_mut(channel) {
            channel.closed = true;
        }
        self.begin(state)
    }

    /// A message comes in by a channel: it was on its way if the state has been noted and the marker has not come.
    pub fn message(&mut self, channel: usize, message: &M) {
        if self.state.is_some()
            && let Some(channel) = self.channels.get_mut(channel)
            && !channel.closed
        {
            channel.messages.push(message.clone());
        }
    }

    /// Whether this part is complete: every marker has come.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.state.is_some() && self.channels.iter().all(|channel| channel.closed)
    }

    /// The state that was noted.
    #[must_use]
    pub fn state(&self) -> Option<&S> {
        self.state.as_ref()
    }

    /// The messages that were on their way by a channel.
    #[must_use]
    pub fn on_its_way(&self, channel: usize) -> &[M] {
        self.channels.get(channel).map_or(&[], |channel| &channel.messages)
    }
}
