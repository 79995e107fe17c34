//! A recording with its threads tied together: which step sent a message, what became of it, where each process stands,
//! and what caused what. Pictures and other tools' formats are made from this, so that they cannot disagree.

use super::{Event, Fate, Input, Outcome, Recording, Sent};

/// A recording, and what follows from it.
#[derive(Clone, Debug)]
pub struct History<'a> {
    /// The recording itself.
    pub recording: &'a Recording,
    /// What became of each message, by its number.
    pub messages: Vec<Passage<'a>>,
    /// What is to be known of each step beyond what it says itself.
    pub steps: Vec<Step>,
    /// Whether somebody asks to be let in: mutual exclusion rather than an election.
    pub is_exclusion: bool,
}

/// One message on its way. A copy has a passage of its own.
#[derive(Clone, Debug)]
pub struct Passage<'a> {
    /// What was sent. Of a copy this is the original.
    pub sent: &'a Sent,
    /// Its number.
    pub message: u64,
    /// Who sent it.
    pub from: u32,
    /// The step that sent it.
    pub sender: usize,
    /// For a copy that was made on the way, the step at which it was made.
    pub doubled: Option<usize>,
    /// Whether it is a copy, made by the network.
    pub is_copy: bool,
    /// What became of it.
    pub end: End,
}

/// What became of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It arrived in this step.
    Arrived(usize),
    /// It came in this step to a process that was down.
    Missed(usize),
    /// It was lost as soon as it was sent.
    LostAtOnce,
    /// It was lost on its way, in this step.
    Lost(usize),
    /// It was still on its way at the end.
    InTransit,
}

impl End {
    /// The step in which it ended, if there is one.
    #[must_use]
    pub fn step(self) -> Option<usize> {
        match self {
            End::Arrived(step) | End::Missed(step) | End::Lost(step) => Some(step),
            End::LostAtOnce | End::InTransit => None,
        }
    }
}

/// What is to be known of a step beyond what it says itself.
#[derive(Clone, Debug)]
pub struct Step {
    /// Whether a process moved. Otherwise the network did: a message was lost or doubled, or found its receiver down.
    pub is_local: bool,
    /// The steps that it follows from directly: the one before at the same process, those that sent what arrives, and
    /// the crash that is reported to it.
    pub causes: Vec<usize>,
    /// The longest chain of messages that leads here.
    pub depth: u32,
    /// Its place among the steps of the same moment: after its causes, beside what is independent of it.
    pub slot: u32,
    /// Where the process stands after it.
    pub standing: Standing,
}

/// Where a process stands, as far as a recording tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Nothing is decided, or nothing is wanted.
    Open,
    /// It leads.
    Leads,
    /// It knows that it lost.
    Lost,
    /// Its user waits.
    Waiting,
    /// Its user is inside.
    Inside,
    /// It is down.
    Down,
    /// It has set its clock.
    Synchronised,
    /// It could not set its clock.
    OutOfContact,
}

impl Standing {
    /// A word for it.
    #[must_use]
    pub fn name(self, is_exclusion: bool) -> &'static str {
        match self {
            Standing::Open if is_exclusion => "outside",
            Standing::Open => "undecided",
            Standing::Leads => "leads",
            Standing::Lost => "lost",
            Standing::Waiting => "waiting",
            Standing::Inside => "inside",
            Standing::Synchronised => "synchronised",
            Standing::OutOfContact => "out of contact",
            Standing::Down => "down",
        }
    }

    /// Where it stands after this step.
    fn after(self, event: &Event) -> Standing {
        let came = if event.input == Input::Crash {
            Standing::Down
        } else if event.input == Input::Recover {
            // It comes back newly made; what it says of itself then, the outcome says.
            Standing::Open
        } else if event.input == Input::Want && self == Standing::Open {
            Standing::Waiting
        } else {
            self
        };
        match event.outcome {
            None => came,
            Some(Outcome::Leads) => Standing::Leads,
            Some(Outcome::Lost) => Standing::Lost,
            Some(Outcome::Undecided | Outcome::Leaves) => Standing::Open,
            Some(Outcome::Synchronises) => Standing::Synchronised,
            Some(Outcome::LosesContact) => Standing::OutOfContact,
            Some(Outcome::Waits) => Standing::Waiting,
            Some(Outcome::Enters) => Standing::Inside,
        }
    }
}

/// What is known of a process while the steps go by.
#[derive(Clone)]
struct Lane {
    last: Option<usize>,
    crashed: Option<usize>,
    standing: Standing,
}

impl<'a> History<'a> {
    /// Ties a recording together. What a reader of traces would refuse (a message that was never sent, a process that
    /// does not exist) is passed over.
    #[must_use]
    pub fn of(recording: &'a Recording) -> History<'a> {
        let idle = Lane { last: None, crashed: None, standing: Standing::Open };
        let mut lanes = vec![idle; recording.header.n as usize];
        let mut history = History { recording, messages: Vec::new(), steps: Vec::new(), is_exclusion: false };
        for (number, event) in recording.events.iter().enumerate() {
            history.step(number, event, &mut lanes);
        }
        history
    }

    fn step(&mut self, number: usize, event: &'a Event, lanes: &mut [Lane]) {
        self.is_exclusion |= matches!(event.input, Input::Want | Input::Exit)
            || matches!(event.outcome, Some(Outcome::Waits | Outcome::Enters | Outcome::Leaves));
        let is_down = lanes.get(event.process as usize).is_some_and(|lane| lane.standing == Standing::Down);
        let mut causes = Vec::new();
        let mut is_local = true;
        let mut depth = 0;
        match &event.input {
            Input::Deliver(arrivals) => {
                is_local = !is_down;
                for arrival in arrivals {
                    let Some(passage) = self.messages.get_mut(arrival.message as usize) else { continue };
                    passage.end = if is_down { End::Missed(number) } else { End::Arrived(number) };
                    causes.push(passage.sender);
                    depth = depth.max(self.steps[passage.sender].depth + 1);
                }
            }
            Input::Lose(arrival) => {
                is_local = false;
                if let Some(passage) = self.messages.get_mut(arrival.message as usize) {
                    passage.end = End::Lost(number);
                    causes.push(passage.sender);
                }
            }
            Input::Double(arrival) => {
                is_local = false;
                if let Some(passage) = self.messages.get(arrival.message as usize) {
                    causes.push(passage.sender);
                    let copy = Passage {
                        message: self.messages.len() as u64,
                        doubled: Some(number),
                        is_copy: true,
                        end: End::InTransit,
                        ..passage.clone()
                    };
                    self.messages.push(copy);
                }
            }
            Input::Suspect(other) => {
                causes.extend(lanes.get(*other as usize).and_then(|lane| lane.crashed));
            }
            Input::Start
            | Input::Timeout(_)
            | Input::Local(_)
            | Input::Want
            | Input::Exit
            | Input::Crash
            | Input::Recover => {}
        }
        let mut standing = Standing::Open;
        if let Some(lane) = lanes.get_mut(event.process as usize) {
            if is_local {
                if matches!(event.input, Input::Crash) {
                    lane.crashed = Some(number);
                }
                lane.standing = lane.standing.after(event);
                causes.extend(lane.last);
                depth = depth.max(lane.last.map_or(0, |last| self.steps[last].depth));
                lane.last = Some(number);
            }
            standing = lane.standing;
        }
        causes.sort_unstable();
        causes.dedup();
        let events = &self.recording.events;
        let same = |cause: &&usize| events[**cause].time == event.time;
        let slot = causes.iter().filter(same).map(|&cause| self.steps[cause].slot + 1).max().unwrap_or(0);
        self.steps.push(Step { is_local, causes, depth, slot, standing });
        for sent in &event.sends {
            let end = if sent.fate == Fate::Lost { End::LostAtOnce } else { End::InTransit };
            let message = self.messages.len() as u64;
            let passage = Passage {
                sent,
                message,
                from: event.process,
                sender: number,
                doubled: None,
                is_copy: false,
                end,
            };
            if sent.fate == Fate::Doubled {
                let copy = Passage { message: message + 1, is_copy: true, ..passage.clone() };
                self.messages.extend([passage, copy]);
            } else {
                self.messages.push(passage);
            }
        }
    }

    /// The causal past of a step, itself included: for every step whether it is in it.
    #[must_use]
    pub fn past(&self, step: usize) -> Vec<bool> {
        let mut past = vec![false; self.steps.len()];
        if let Some(itself) = past.get_mut(step) {
            *itself = true;
        }
        // Causes have lower numbers, so one sweep backwards is enough.
        for number in (0..past.len().min(step.saturating_add(1))).rev() {
            if past[number] {
                for &cause in &self.steps[number].causes {
                    past[cause] = true;
                }
            }
        }
        past
    }

    /// The critical path: a longest chain of messages, as steps from its beginning to its end. It ends where that depth
    /// is reached first.
    #[must_use]
    pub fn critical_path(&self) -> Vec<usize> {
        let local = self.steps.iter().filter(|step| step.is_local);
        let deepest = local.map(|step| step.depth).max().unwrap_or(0);
        let mut at = self.steps.iter().position(|step| step.depth == deepest && step.is_local);
        let mut path = Vec::new();
        while let Some(step) = at {
            path.push(step);
            let Step { causes, depth, .. } = &self.steps[step];
            let arrivals = self.recording.events[step].input.arrivals().iter();
            let by_message = arrivals
                .filter_map(|arrival| self.messages.get(arrival.message as usize))
                .map(|passage| passage.sender)
                .find(|&sender| self.steps[sender].depth + 1 == *depth);
            let before = || causes.iter().copied().find(|&cause| self.steps[cause].depth == *depth);
            at = by_message.or_else(before);
        }
        path.reverse();
        path
    }
}
