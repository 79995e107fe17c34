//! The client's side: a session, and until when what it holds is held. This is the check that carries safety: a
//! client looks at its own clock, and takes a grant only while its session lives.

use super::{Belief, Fence, Rid, SessionId, Times};
use ringleader_live::Micros;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        Session::opened(SessionId(7), Times::default(), Micros::millis(1000), Micros::millis(1000))
    }

    #[test]
    fn a_deadline_counts_from_the_sending_and_leaves_room_for_the_drift() {
        let mut session = session();
        assert_eq!(session.deadline(), Micros(1_990_049));
        assert!(session.kept_alive(Micros::millis(1500), Micros::millis(1400), Micros::millis(1000)));
        assert_eq!(session.deadline(), Micros(2_390_049));
        // An answer that was overtaken takes nothing back.
        assert!(session.kept_alive(Micros::millis(1600), Micros::millis(1300), Micros::millis(1000)));
        assert_eq!(session.deadline(), Micros(2_390_049));
    }

    #[test]
    fn what_is_dead_stays_dead() {
        let mut session = session();
        session.waits(1);
        let late = Micros::millis(1991);
        assert!(!session.kept_alive(late, Micros::millis(1980), Micros::millis(1000)));
        assert_eq!(session.granted(late, SessionId(7), 1, Fence::new(1, 1)), Standing::GiveBack);
        assert!(!session.is_alive(Micros::millis(1100)));
    }

    #[test]
    fn a_grant_counts_only_for_the_request_that_waits() {
        let mut session = session();
        let (now, fence) = (Micros::millis(1100), Fence::new(1, 1));
        session.waits(2);
        assert_eq!(session.granted(now, SessionId(7), 1, fence), Standing::GiveBack);
        assert_eq!(session.granted(now, SessionId(8), 2, fence), Standing::GiveBack);
        assert_eq!(session.granted(now, SessionId(7), 2, fence), Standing::Held);
        assert_eq!(session.granted(now, SessionId(7), 2, fence), Standing::Held);
        assert!(session.is_held(now, 2));
        session.lets_go(2);
        assert_eq!(session.granted(now, SessionId(7), 2, fence), Standing::GiveBack);
    }

    #[test]
    fn two_locks_with_one_fence_are_two() {
        let mut session = session();
        let (now, fence) = (Micros::millis(1100), Fence::new(1, 1));
        for rid in [1, 2] {
            session.waits(rid);
            assert_eq!(session.granted(now, SessionId(7), rid, fence), Standing::Held);
        }
        session.lets_go(2);
        assert!(session.is_held(now, 1) && !session.is_held(now, 2));
    }

    #[test]
    fn an_answer_to_a_keep_alive_heals_what_was_lost() {
        let mut session = session();
        let (now, fence) = (Micros::millis(1100), Fence::new(1, 1));
        session.waits(1);
        session.waits(2);
        let known = [(1, Belief::Holds(fence)), (3, Belief::Holds(Fence::new(1, 2))), (4, Belief::Waits)];
        let news = session.told(now, &known);
        let expected = [(2, Told::AskAgain), (1, Told::Granted(fence)), (3, Told::Cancel), (4, Told::Cancel)];
        assert_eq!(news, expected);
        assert!(session.is_held(now, 1));
        // What is held and not listed was perhaps granted after the answer was given.
        assert_eq!(session.told(now, &[(2, Belief::Waits)]), []);
        assert!(session.is_held(now, 1));
    }
}
