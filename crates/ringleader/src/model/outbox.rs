//! The only effects there are. A step tells its outbox what to do; it does nothing itself.

use super::{Estimate, Process, Ticks};

/// An outbox without registers is never handed to a process that has any.
const NO_REGISTERS: &str = "there are no registers here";

/// Where a step puts its effects. Each engine has its own, so that none pays for what another needs.
pub trait Outbox<P: Process> {
    /// Sends a message out of a port.
    fn send(&mut self, to: P::Port, msg: P::Msg);

    /// Sends the same message out of several ports, in this order.
    #[inline(always)] // into the loop of the engine, as the single ones are
    fn send_all(&mut self, to: impl IntoIterator<Item = P::Port>, msg: P::Msg) {
        for port in to {
            self.send(port, msg.clone());
        }
    }

    /// Sets a timer, anew if it is already running: `timeout` follows after so many ticks.
    fn set_timer(&mut self, timer: P::Timer, ticks: u32);

    /// Stops a timer, if it is running.
    fn stop_timer(&mut self, timer: P::Timer);

    /// What the corrected clock of this process shows. It is part of the input: the same throughout a step.
    fn now(&mut self) -> Ticks {
        self.impossible(NO_CLOCK);
        Ticks::ZERO
    }

    /// Corrects the clock of this process: it shows so much more from now on, or less.
    fn adjust(&mut self, by: Ticks) {
        let _ = by;
        self.impossible(NO_CLOCK);
    }

    /// The same, so slowly that users of the clock hardly see it: it runs by one in 2,000 faster or slower until it
    /// shows what it should.
    fn slew(&mut self, by: Ticks) {
        let _ = by;
        self.impossible(NO_CLOCK);
    }

    /// Says what this step found out about another clock. Nothing comes of it: it is for whoever watches.
    fn estimate(&mut self, found: Estimate) {
        let _ = found;
    }

    /// A uniformly random number in 0 .. k, answered at once. A simulator draws it, a checker reruns the step for
    /// every answer, a replay reads it.
    fn choose(&mut self, k: u32) -> u32;

    /// What is in a register, answered at once.
    fn read(&mut self, register: P::Register) -> u32 {
        unreachable!("{NO_REGISTERS}: {register:?}")
    }

    /// Puts a value into a register.
    fn write(&mut self, register: P::Register, value: u32) {
        unreachable!("{NO_REGISTERS}: {register:?} {value}")
    }

    /// Says which rule of the algorithm this step follows.
    fn rule(&mut self, rule: P::Rule);

    /// Says that this process begins a phase (a round of the algorithm).
    fn phase_begins(&mut self);

    /// Says that this process has reached the phase with this number, for algorithms that number them.
    fn phase_reached(&mut self, phase: u32);

    /// Says that a case arose which the algorithm's proof excludes. It is reported as a violation, with the reason;
    /// the step goes on as if the input had been ignored.
    fn impossible(&mut self, why: &'static str);
}

/// Said when a process asks for a clock that the problem does not give it.
pub(crate) const NO_CLOCK: &str = "only a process that keeps time has a clock";
