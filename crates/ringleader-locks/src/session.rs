//! The client's side: a session, and until when what it holds is held. This is the check that carries safety: a
//! client looks at its own clock, and takes a grant only while its session lives.

use super::{Belief, Fence, Rid, SessionId, Times};
use ringleader_live::Micros;

#[cfg(test)]
mod tests;

/// How a request stands for its client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Standing {
    /// The grant counts: the lock is held until the session's deadline.
    Held,
    /// The grant must be given back: it came too late, or nobody waits for it any more.
    GiveBack,
}

/// What the answer to a keep-alive says of a request that the client sees otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Told {
    /// It was granted, and the answer that said so was lost: the lock is held now.
    Granted(Fence),
    /// The client knows nothing of it (any more): it is to be cancelled.
    Cancel,
    /// The server knows nothing of it: it is to be asked again, with the same number.
    AskAgain,
}

/// A session, as its client knows it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Session {
    id: SessionId,
    times: Times,
    deadline: Micros,
    dead: bool,
    waits: Vec<Rid>,
    holds: Vec<(Rid, Fence)>,
}

impl Session {
    /// A session that was asked for at `sent`, on the client's clock, and is valid for `valid` on the server's (T3).
    #[must_use]
    pub fn opened(id: SessionId, times: Times, sent: Micros, valid: Micros) -> Session {
        let deadline = sent + times.of_client(valid);
        Session { id, times, deadline, dead: false, waits: Vec::new(), holds: Vec::new() }
    }

    /// Which it is.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// From here on nothing is held, whatever anybody says later.
    #[must_use]
    pub fn deadline(&self) -> Micros {
        self.deadline
    }

    /// Whether it lives. Once it does not, it never does again.
    pub fn is_alive(&mut self, now: Micros) -> bool {
        if now >= self.deadline {
            self.ended();
        }
        !self.dead
    }

    /// A keep-alive that was sent at `sent` was answered. Nothing comes back to life by it.
    pub fn kept_alive(&mut self, now: Micros, sent: Micros, valid: Micros) -> bool {
        if self.is_alive(now) {
            self.deadline = self.deadline.max(sent + self.times.of_client(valid));
        }
        !self.dead
    }

    /// The server says that it is over, or the client gives it up.
    pub fn ended(&mut self) {
        self.dead = true;
        self.waits.clear();
        self.holds.clear();
    }

    /// A request is made.
    pub fn waits(&mut self, rid: Rid) {
        if !self.dead && !self.waits.contains(&rid) {
            self.waits.push(rid);
        }
    }

    /// A request is not wanted any more.
    pub fn withdraws(&mut self, rid: Rid) {
        self.waits.retain(|waiting| *waiting != rid);
    }

    /// A grant has come.
    pub fn granted(&mut self, now: Micros, session: SessionId, rid: Rid, fence: Fence) -> Standing {
        if !self.is_alive(now) || session != self.id {
            return Standing::GiveBack;
        }
        if self.holds.contains(&(rid, fence)) {
            return Standing::Held;
        }
        if !self.waits.contains(&rid) {
            return Standing::GiveBack;
        }
        self.withdraws(rid);
        self.holds.push((rid, fence));
        Standing::Held
    }

    /// It gives back what this request was granted. Fences are numbers of a lock: two locks of a session may have the
    /// same, so a grant is known by its request.
    pub fn lets_go(&mut self, rid: Rid) {
        self.holds.retain(|(held, _)| *held != rid);
    }

    /// Whether the grant of this request holds.
    pub fn is_held(&mut self, now: Micros, rid: Rid) -> bool {
        self.is_alive(now) && self.holds.iter().any(|(held, _)| *held == rid)
    }

    /// What the answer to a keep-alive said of the requests, as far as something is to be done. What the client holds
    /// and the answer does not list is no news: the answer may have been given before the grant, and have come after
    /// it.
    pub fn told(&mut self, now: Micros, requests: &[(Rid, Belief)]) -> Vec<(Rid, Told)> {
        let mut news = Vec::new();
        if !self.is_alive(now) {
            return news;
        }
        for rid in &self.waits {
            if !requests.iter().any(|(known, _)| known == rid) {
                news.push((*rid, Told::AskAgain));
            }
        }
        for (rid, belief) in requests {
            let held = self.holds.iter().any(|(known, _)| known == rid);
            match belief {
                Belief::Holds(fence) if self.waits.contains(rid) => {
                    if self.granted(now, self.id, *rid, *fence) == Standing::Held {
                        news.push((*rid, Told::Granted(*fence)));
                    }
                }
                Belief::Holds(_) | Belief::Waits if held || self.waits.contains(rid) => {}
                Belief::Holds(_) | Belief::Waits => news.push((*rid, Told::Cancel)),
            }
        }
        news
    }

    /// What it waits for and holds, for a keep-alive.
    #[must_use]
    pub fn beliefs(&self) -> Vec<(Rid, Belief)> {
        let waits = self.waits.iter().map(|rid| (*rid, Belief::Waits));
        waits.chain(self.holds.iter().map(|(rid, fence)| (*rid, Belief::Holds(*fence)))).collect()
    }
}
