//! What a step asked for, with the types of the algorithm erased: one buffer, reused for every step.

use super::Handle;
use crate::model::Charge;
use crate::rng::draw;

/// Said when a process draws although its contract does not declare random choices.
pub(crate) const UNDECLARED_CHOICE: &str = "only an algorithm that declares random choices draws";

/// A message that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) port: u32,
    pub(crate) message: Handle,
    /// Its kind, an index into the kinds of the algorithm.
    pub(crate) kind: u32,
    /// Whose request it serves.
    pub(crate) charge: Charge,
}

/// What one step asked for.
pub(crate) struct Effects {
    pub(crate) sends: Vec<Sent>,
    /// Timers set (with their ticks) and stopped, in order.
    pub(crate) timers: Vec<(u32, Option<u32>)>,
    /// The answers given to `choose`, in order.
    pub(crate) choices: Vec<u32>,
    pub(crate) rules: Vec<&'static str>,
    pub(crate) phases_begun: u32,
    pub(crate) phase_reached: Option<u32>,
    pub(crate) impossible: Option<&'static str>,
    /// Whether rules are wanted.
    pub(crate) record: bool,
    draws: Draws,
}

/// Where answers come from.
enum Draws {
    /// Drawn from the seed: the key, the process, how many it has drawn.
    Seed { key: u64, process: u32, drawn: u32 },
    /// Recorded answers. Asking for more, or out of range, is noted.
    Recorded { answers: Vec<u32>, broken: bool },
}

impl Effects {
    pub(crate) fn new(record: bool) -> Effects {
        Effects {
            sends: Vec::new(),
            timers: Vec::new(),
            choices: Vec::new(),
            rules: Vec::new(),
            phases_begun: 0,
            phase_reached: None,
            impossible: None,
            record,
            draws: Draws::Seed { key: 0, process: 0, drawn: 0 },
        }
    }

    /// Empties the buffer for a step whose answers are drawn by a process that has drawn so many already.
    #[inline]
    pub(crate) fn begin(&mut self, key: u64, process: u32, drawn: u32) {
        self.clear();
        self.draws = Draws::Seed { key, process, drawn };
    }

    /// Empties the buffer for a step whose answers are recorded.
    pub(crate) fn begin_recorded(&mut self, answers: &[u32]) {
        self.clear();
        self.draws = Draws::Recorded { answers: answers.to_vec(), broken: false };
    }

    /// Whether a step with recorded answers used exactly those.
    pub(crate) fn answers_fit(&self) -> bool {
        match &self.draws {
            Draws::Seed { .. } => true,
            Draws::Recorded { answers, broken, .. } => !broken && self.choices.len() == answers.len(),
        }
    }

    /// Empties the buffer.
    #[inline]
    pub(crate) fn clear(&mut self) {
        debug_assert!(self.sends.is_empty(), "what was sent is on its way, or discarded");
        self.timers.clear();
        self.choices.clear();
        self.rules.clear();
        self.phases_begun = 0;
        self.phase_reached = None;
        self.impossible = None;
    }

    /// An answer below `k`.
    pub(super) fn choose(&mut self, k: u32) -> u32 {
        let answer = match &mut self.draws {
            Draws::Seed { key, process, drawn } => {
                let ordinal = *drawn + self.choices.len() as u32;
                draw(*key, *process, ordinal, k)
            }
            Draws::Recorded { answers, broken } => {
                let answer = answers.get(self.choices.len()).copied().filter(|&answer| answer < k);
                *broken |= answer.is_none();
                answer.unwrap_or(0)
            }
        };
        self.choices.push(answer);
        answer
    }
}
