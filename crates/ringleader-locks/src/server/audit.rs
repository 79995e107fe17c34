//! Whether what a server keeps besides its tables is what the tables say: for tests, which ask after every step.

use super::requests::State;
use super::{Rules, Server, Timer};
use crate::Mode;

impl Server {
    /// What is wrong in the books, if anything: counts are counted again, every holder and every waiter is looked for
    /// on both sides, and nothing may have happened that cannot be. A wrong version is let off: it is to be found by
    /// what clients see of it.
    ///
    /// # Errors
    /// The first thing that is wrong, in words.
    pub fn audit(&self) -> Result<(), String> {
        if self.rules != Rules::default() {
            return Ok(());
        }
        if let Some(what) = self.tally.impossible {
            return Err(format!("what cannot be: {what}"));
        }
        let locks = || self.locks.iter().map(|(_, lock)| lock);
        let counts = [
            ("tokens", self.tokens, locks().filter(|lock| lock.owner.token().is_some()).count()),
            ("held", self.held, locks().map(|lock| lock.holders_here()).sum()),
            ("waiting", self.waiting, locks().map(|lock| lock.waiters.len()).sum()),
        ];
        if let Some((what, kept, counted)) = counts.into_iter().find(|(_, kept, counted)| kept != counted) {
            return Err(format!("{what}: {kept} by what is kept, {counted} by the table"));
        }
        self.agree_on_requests()?;
        let guests = self.sessions.iter().filter(|(key, client)| client.name != self.spec.session(**key));
        let guests = guests.map(|(key, client)| (&client.name, key));
        if !self.guests.iter().eq(guests.collect::<std::collections::BTreeMap<_, _>>()) {
            return Err(format!("guests: {:?} are not those among the sessions", self.guests));
        }
        Ok(())
    }

    /// Whether sessions and locks say the same of who holds and who waits.
    fn agree_on_requests(&self) -> Result<(), String> {
        let (mut held, mut waiting) = (0, 0);
        for (key, client) in &self.sessions {
            for (rid, request) in &client.requests {
                let (name, who) = (&request.name, Some(&(*key, *rid)));
                let lock = self.locks.get(name);
                let agrees = match &request.state {
                    State::Holds(fence) => {
                        held += 1;
                        let held = (*key, *rid, *fence);
                        let alone = request.mode == Mode::Exclusive;
                        lock.is_some_and(|lock| {
                            lock.held().any(|hold| hold == held)
                                && alone == (lock.holder == Some((*key, *rid)))
                                && (!alone || lock.owner.token().is_some() && lock.shared().is_none())
                        })
                    }
                    State::Waits { place, until, .. } => {
                        waiting += 1;
                        let timed = |until| self.timers.contains(&(until, Timer::Wait(*key, *rid)));
                        lock.and_then(|lock| lock.waiters.get(place)) == who && until.is_none_or(timed)
                    }
                    State::Tries { .. } => true,
                };
                if !agrees {
                    return Err(format!("request {rid} of session {key}: {request:?}, but {name}: {lock:?}"));
                }
            }
        }
        if (held, waiting) != (self.held, self.waiting) {
            return Err(format!("sessions hold {held} and wait for {waiting}, locks say otherwise"));
        }
        Ok(())
    }
}
