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
    /// Whether a step asked for more than to send: most do not.
    pub(crate) asks_more: bool,
    /// Whether rules are wanted.
    pub(crate) record: bool,
    /// What answers are drawn from: the key, the process, how many it has drawn.
    seed: (u64, u32, u32),
    /// Recorded answers, which come first.
    recorded: Option<Recorded>,
}

/// Recorded answers. Asking for more, or out of range, is noted.
struct Recorded {
    answers: Vec<u32>,
    broken: bool,
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
            asks_more: false,
            record,
            seed: (0, 0, 0),
            recorded: None,
        }
    }

    /// Empties the buffer for a step whose answers are drawn by a process that has drawn so many already.
    #[inline]
    pub(crate) fn begin(&mut self, key: u64, process: u32, drawn: u32) {
        self.clear();
        self.seed = (key, process, drawn);
    }

    /// Empties the buffer for a step whose answers are recorded.
    pub(crate) fn begin_recorded(&mut self, answers: &[u32]) {
        self.clear();
        self.asks_more = true;
        self.recorded = Some(Recorded { answers: answers.to_vec(), broken: false });
    }

    /// Whether a step with recorded answers used exactly those.
    pub(crate) fn answers_fit(&self) -> bool {
        let fits = |it: &Recorded| !it.broken && self.choices.len() == it.answers.len();
        self.recorded.as_ref().is_none_or(fits)
    }

    /// Empties the buffer.
    #[inline]
    pub(crate) fn clear(&mut self) {
        debug_assert!(self.sends.is_empty(), "what was sent is on its way, or discarded");
        if self.asks_more {
            self.clear_more();
        }
    }

    fn clear_more(&mut self) {
        self.asks_more = false;
        self.timers.clear();
        self.choices.clear();
        self.rules.clear();
        self.phases_begun = 0;
        self.phase_reached = None;
        self.impossible = None;
        self.recorded = None;
    }

    /// An answer below `k`.
    pub(super) fn choose(&mut self, k: u32) -> u32 {
        self.asks_more = true;
        let answer = match &mut self.recorded {
            None => {
                let (key, process, drawn) = self.seed;
                draw(key, process, drawn + self.choices.len() as u32, k)
            }
            Some(Recorded { answers, broken }) => {
                let answer = answers.get(self.choices.len()).copied().filter(|&answer| answer < k);
                *broken |= answer.is_none();
                answer.unwrap_or(0)
            }
        };
        self.choices.push(answer);
        answer
    }
}
