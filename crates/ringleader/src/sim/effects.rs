//! The outbox of the general engine: one buffer, reused for every step.

use crate::model::{Outbox, Process};
use crate::rng::draw;

/// Said when a process draws although its contract does not declare random choices.
pub(crate) const UNDECLARED_CHOICE: &str = "only an algorithm that declares random choices draws";

/// What one step asked for.
pub(crate) struct Effects<P: Process> {
    pub(crate) sends: Vec<(P::Port, P::Msg)>,
    /// Timers set (with their ticks) and stopped, in order.
    pub(crate) timers: Vec<(P::Timer, Option<u32>)>,
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
    /// Recorded answers, and how many were used. Asking for more, or out of range, is noted.
    Recorded { answers: Vec<u32>, used: usize, broken: bool },
}

impl<P: Process> Effects<P> {
    pub(crate) fn new(record: bool) -> Effects<P> {
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
        self.draws = Draws::Recorded { answers: answers.to_vec(), used: 0, broken: false };
    }

    /// Whether a step with recorded answers used exactly those.
    pub(crate) fn answers_fit(&self) -> bool {
        match &self.draws {
            Draws::Seed { .. } => true,
            Draws::Recorded { answers, used, broken } => !broken && *used == answers.len(),
        }
    }

    #[inline]
    fn clear(&mut self) {
        self.sends.clear();
        self.timers.clear();
        self.choices.clear();
        self.rules.clear();
        self.phases_begun = 0;
        self.phase_reached = None;
        self.impossible = None;
    }
}

impl<P: Process> Outbox<P> for Effects<P> {
    #[inline]
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.sends.push((to, msg));
    }

    fn set_timer(&mut self, timer: P::Timer, ticks: u32) {
        self.timers.push((timer, Some(ticks)));
    }

    fn stop_timer(&mut self, timer: P::Timer) {
        self.timers.push((timer, None));
    }

    fn choose(&mut self, k: u32) -> u32 {
        if !P::SPEC.needs.choices {
            self.impossible(UNDECLARED_CHOICE);
        }
        let answer = match &mut self.draws {
            Draws::Seed { key, process, drawn } => {
                let ordinal = *drawn + self.choices.len() as u32;
                draw(*key, *process, ordinal, k)
            }
            Draws::Recorded { answers, used, broken } => {
                let answer = answers.get(*used).copied().filter(|&answer| answer < k);
                *used += 1;
                *broken |= answer.is_none();
                answer.unwrap_or(0)
            }
        };
        self.choices.push(answer);
        answer
    }

    #[inline]
    fn rule(&mut self, name: &'static str) {
        if self.record {
            self.rules.push(name);
        }
    }

    #[inline]
    fn phase_begins(&mut self) {
        self.phases_begun += 1;
    }

    #[inline]
    fn phase_reached(&mut self, phase: u32) {
        self.phase_reached = self.phase_reached.max(Some(phase));
    }

    #[cold]
    fn impossible(&mut self, why: &'static str) {
        self.impossible.get_or_insert(why);
    }
}
