//! The ring for stateright as one usually writes it: a list of processes and a queue for each link.

use ::stateright::{Model, Property};
use std::collections::VecDeque;

/// Chang–Roberts with the identities n..1 clockwise.
pub(crate) struct Ring {
    pub(crate) n: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    processes: Vec<Process>,
    /// For each process, what is on its way to it, oldest first.
    links: Vec<VecDeque<Message>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Process {
    id: u32,
    participant: bool,
    leader: bool,
    coordinator: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Message {
    Election(u32),
    Elected(u32),
}

impl Model for Ring {
    type State = State;
    /// The process that the delivered message reaches.
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        let id = |i: usize| (self.n - i) as u32;
        // All have started.
        let process = |i: usize| Process { id: id(i), participant: true, leader: false, coordinator: None };
        let before = |i: usize| (i + self.n - 1) % self.n;
        vec![State {
            processes: (0..self.n).map(process).collect(),
            links: (0..self.n).map(|i| VecDeque::from([Message::Election(id(before(i)))])).collect(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        actions.extend((0..self.n).filter(|&i| !state.links[i].is_empty()));
    }

    fn next_state(&self, last: &State, i: usize) -> Option<State> {
        let mut state = last.clone();
        let message = state.links[i].pop_front()?;
        let process = &mut state.processes[i];
        let sent = match message {
            Message::Election(id) if id > process.id => {
                process.participant = true;
                Some(message)
            }
            Message::Election(id) if id == process.id => {
                process.leader = true;
                Some(Message::Elected(id))
            }
            Message::Election(_) if process.participant => None,
            Message::Election(_) => {
                process.participant = true;
                Some(Message::Election(process.id))
            }
            Message::Elected(id) => {
                process.coordinator = Some(id);
                process.participant = false;
                (id != process.id).then_some(message)
            }
        };
        state.links[(i + 1) % self.n].extend(sent);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Ring>> {
        vec![Property::always("at most one leader", |_, state: &State| {
            state.processes.iter().filter(|process| process.leader).count() <= 1
        })]
    }
}
