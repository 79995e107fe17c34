//! The outbox in which the checker tries a step: it notes what the step does, and answers every choice in every way.

use crate::model::{Outbox, Process};
use crate::population::UNDECLARED_CHOICE;

/// The outbox of the checker. It answers a choice with the next answer that has not been tried.
pub(crate) struct Trial<P: Process> {
    pub(super) sends: Vec<(P::Port, P::Msg)>,
    pub(super) timers: Vec<(P::Timer, Option<u32>)>,
    /// The answers, and of how many each is one: those of the last run, then of this one.
    pub(super) answers: Vec<(u32, u32)>,
    asked: usize,
    pub(super) begins: u32,
    pub(super) impossible: Option<&'static str>,
}

impl<P: Process> Trial<P> {
    pub(super) fn new() -> Trial<P> {
        Trial {
            sends: Vec::new(),
            timers: Vec::new(),
            answers: Vec::new(),
            asked: 0,
            begins: 0,
            impossible: None,
        }
    }

    pub(super) fn begin(&mut self) {
        self.answers.clear();
    }

    pub(super) fn clear(&mut self) {
        self.sends.clear();
        self.timers.clear();
        self.asked = 0;
        self.begins = 0;
        self.impossible = None;
    }

    /// Moves on to the next answers, as an odometer does; whether there are any.
    pub(super) fn next(&mut self) -> bool {
        while let Some((answer, of)) = self.answers.pop() {
            if answer + 1 < of {
                self.answers.push((answer + 1, of));
                return true;
            }
        }
        false
    }
}

impl<P: Process> Outbox<P> for Trial<P> {
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
        if self.asked == self.answers.len() {
            self.answers.push((0, k));
        }
        let (answer, _) = self.answers[self.asked];
        self.asked += 1;
        answer
    }
    fn rule(&mut self, _: &'static str) {}
    fn phase_begins(&mut self) {
        self.begins += 1;
    }
    fn phase_reached(&mut self, _: u32) {}
    fn impossible(&mut self, why: &'static str) {
        self.impossible.get_or_insert(why);
    }
}
