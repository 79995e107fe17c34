//! What a step asked for, with the types of the algorithm erased: one buffer, reused for every step.

use super::Handle;
use super::memory::Access;
use crate::model::{Charge, Estimate, Ticks};
use crate::rng::draw;

/// Said when a process draws although its contract does not declare random choices.
pub(crate) const UNDECLARED_CHOICE: &str = "only an algorithm that declares random choices draws";

/// A message that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) from: u32,
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
    /// What the clock of the process shows in this step, where it has one.
    pub(crate) now: Ticks,
    /// By how much the clock is corrected.
    pub(crate) adjust: Ticks,
    /// Whether users see that come slowly.
    pub(crate) slews: bool,
    /// What it found out about other clocks, if that is wanted.
    pub(crate) estimates: Vec<Estimate>,
    /// The answers given to `choose`, in order.
    pub(crate) choices: Vec<u32>,
    pub(crate) rules: Vec<&'static str>,
    /// What was read and written, in order.
    pub(crate) accesses: Vec<Access>,
    pub(crate) phases_begun: u32,
    pub(crate) phase_reached: Option<u32>,
    pub(crate) impossible: Option<&'static str>,
    /// Whether a step asked for more than to send: most do not.
    pub(crate) asks_more: bool,
    /// Whether rules are wanted.
    pub(crate) record: bool,
    /// Whether equal messages that are sent one after the other may have one handle: where nobody asks for one of them
    /// by its handle, what goes to everybody is kept once.
    pub(crate) shares: bool,
    /// Who takes the step.
    pub(super) who: u32,
    answers: Answers,
}

/// Where the answers to choices come from.
enum Answers {
    /// They are drawn: from this key, by this process, which has drawn so many.
    Drawn(u64, u32, u32),
    /// They were recorded. Asking for more, or out of range, is noted.
    Recorded { answers: Vec<u32>, broken: bool },
    /// Every answer is tried: these are the ones of this step, each with of how many it is one.
    Every(Vec<(u32, u32)>),
}

impl Effects {
    pub(crate) fn new(record: bool) -> Effects {
        Effects {
            sends: Vec::new(),
            timers: Vec::new(),
            now: Ticks::ZERO,
            adjust: Ticks::ZERO,
            slews: false,
            estimates: Vec::new(),
            choices: Vec::new(),
            rules: Vec::new(),
            accesses: Vec::new(),
            phases_begun: 0,
            phase_reached: None,
            impossible: None,
            asks_more: false,
            record,
            shares: false,
            who: 0,
            answers: Answers::Drawn(0, 0, 0),
        }
    }

    /// Empties the buffer for a step whose answers are drawn by a process that has drawn so many already.
    #[inline]
    pub(crate) fn begin(&mut self, key: u64, process: u32, drawn: u32) {
        self.clear();
        self.answers = Answers::Drawn(key, process, drawn);
    }

    /// The next step is one of this process, which has drawn nothing.
    #[inline]
    pub(super) fn go_on_with(&mut self, process: u32) {
        if let Answers::Drawn(_, who, _) = &mut self.answers {
            *who = process;
        }
    }

    /// Empties the buffer for a step whose answers are recorded.
    pub(crate) fn begin_recorded(&mut self, answers: &[u32]) {
        self.clear();
        self.answers = Answers::Recorded { answers: answers.to_vec(), broken: false };
    }

    /// Empties the buffer for the first of the steps that try every answer.
    pub(crate) fn begin_every(&mut self) {
        self.clear();
        self.answers = Answers::Every(Vec::new());
    }

    /// Empties the buffer for the next of these steps, as an odometer counts; whether there is one.
    pub(crate) fn begin_next(&mut self) -> bool {
        self.clear();
        let Answers::Every(answers) = &mut self.answers else { return false };
        while let Some((answer, of)) = answers.pop() {
            if answer + 1 < of {
                answers.push((answer + 1, of));
                return true;
            }
        }
        false
    }

    /// Where every answer is tried: those of this step, and of how many each is one.
    pub(crate) fn tried(&self) -> &[(u32, u32)] {
        if let Answers::Every(answers) = &self.answers { answers } else { &[] }
    }

    /// Whether a step with recorded answers used exactly those.
    pub(crate) fn answers_fit(&self) -> bool {
        match &self.answers {
            Answers::Recorded { answers, broken } => !broken && self.choices.len() == answers.len(),
            Answers::Drawn(..) | Answers::Every(_) => true,
        }
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
        self.adjust = Ticks::ZERO;
        self.slews = false;
        self.estimates.clear();
        self.choices.clear();
        self.rules.clear();
        self.accesses.clear();
        self.phases_begun = 0;
        self.phase_reached = None;
        self.impossible = None;
    }

    /// An answer below `k`.
    pub(super) fn choose(&mut self, k: u32) -> u32 {
        self.asks_more = true;
        let asked = self.choices.len();
        let answer = match &mut self.answers {
            Answers::Drawn(key, process, drawn) => draw(*key, *process, *drawn + asked as u32, k),
            Answers::Recorded { answers, broken } => {
                let answer = answers.get(asked).copied().filter(|&answer| answer < k);
                *broken |= answer.is_none();
                answer.unwrap_or(0)
            }
            Answers::Every(answers) => {
                if asked == answers.len() {
                    answers.push((0, k));
                }
                answers[asked].0
            }
        };
        self.choices.push(answer);
        answer
    }
}
