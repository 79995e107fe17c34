//! What a client does when: signs of life, repetition after a connection was lost, the end of what took too
//! long.

use super::{Asked, Core, Key, Request, Stage, Wait};
use crate::api::{KeepAlive, Op, RequestState};
use crate::error::{Code, LockError};
use ringleader_live::Micros;
use ringleader_locks::{Belief, Class, Rid};

/// A server that takes longer to open a session, or to show a sign of life, is tried anew or left.
const ANSWERS: Micros = Micros::millis(1000);

/// So many requests are compared with a sign of life; a message has at most 64 KiB.
const BELIEFS: usize = 500;

impl Core {
    /// There is a connection to the server, for the first time or again: everything that is open is said
    /// again, with the same numbers.
    pub(crate) fn connected(&mut self, now: Micros) {
        self.connected = true;
        self.asked.clear();
        self.out.clear();
        for slot in &mut self.slots {
            slot.opening = None;
            slot.beat_at = now;
        }
        self.says_again(now);
        self.tick(now);
    }

    /// Everything that is open, with the same numbers.
    pub(super) fn says_again(&mut self, now: Micros) {
        let open: Vec<Key> =
            self.requests.iter().filter(|(_, each)| each.asked.is_some()).map(|(key, _)| *key).collect();
        for key in open {
            self.say_request(now, key);
        }
        for (class, session, rid) in self.cancels.clone() {
            let text = self.slots[class.index()].text.clone();
            self.ask(Op::Cancel { session: text, rid }, Asked::Cancel(session, rid));
        }
    }

    /// There is none any more. What was said may have been heard, or not.
    pub(crate) fn disconnected(&mut self) {
        self.connected = false;
        self.asked.clear();
        self.out.clear();
        for slot in &mut self.slots {
            slot.opening = None;
        }
    }

    /// The last words to this server: what is open there is closed, so that nobody waits for it.
    pub(crate) fn part(&mut self) {
        for class in Class::ALL {
            if self.slots[class.index()].session.is_some() {
                let session = self.slots[class.index()].text.clone();
                self.ask(Op::Close { session }, Asked::Close);
            }
        }
    }

    /// The client goes to another server: nothing of this one goes on.
    pub(crate) fn moved(&mut self, why: &str) {
        for class in Class::ALL {
            self.end(class, why);
            self.slots[class.index()].not_before = Micros(0);
        }
        (self.draining, self.seeking, self.seek) = (false, false, None);
    }

    /// Whether the connection is of no use: a sign of life has not been answered for too long.
    pub(crate) fn is_stalled(&self, now: Micros) -> bool {
        if self.closing.is_some_and(|since| now >= since + ANSWERS) {
            return true;
        }
        self.asked.values().any(|asked| match asked {
            Asked::Beat { class, sent, .. } => {
                let valid = self.slots[class.index()].valid;
                now >= *sent + Micros(valid.0 / 2).clamp(Micros::millis(100), ANSWERS)
            }
            Asked::Open(_, sent) => now >= *sent + ANSWERS,
            Asked::Acquire { .. } | Asked::Release(_) | Asked::Cancel(_, _) | Asked::Close => false,
        })
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, now: Micros) {
        self.wake = Micros(u64::MAX);
        for class in Class::ALL {
            let slot = &mut self.slots[class.index()];
            if slot.session.as_mut().is_some_and(|session| !session.is_alive(now)) {
                let why = "nothing was heard of its server in time";
                self.end(class, why);
                if self.lives_until(now).is_none() {
                    self.leave_server(LockError::expired(why));
                }
            }
        }
        self.give_up(now);
        let needed = |class: Class, request: &Request| {
            request.wish.class == class && matches!(request.stage, Stage::Waits(_))
        };
        for class in Class::ALL {
            let slot = &self.slots[class.index()];
            if slot.wanted || self.requests.values().any(|request| needed(class, request)) {
                self.open(now, class);
            }
            self.beat(now, class);
        }
        let waiting: Vec<Key> =
            self.requests.iter().filter(|(_, each)| each.asked.is_none()).map(|(key, _)| *key).collect();
        for key in waiting {
            self.issue(now, key);
        }
        let deadlines =
            self.slots.iter().filter_map(|slot| slot.session.as_ref()).map(|each| each.deadline());
        let earliest = deadlines.min().unwrap_or(self.wake);
        self.wake = self.wake.min(earliest);
    }

    /// A request that has taken too long is withdrawn.
    fn give_up(&mut self, now: Micros) {
        let waits = |request: &Request| matches!(request.stage, Stage::Waits(_));
        let over = |request: &Request| waits(request) && request.until.is_some_and(|until| now >= until);
        let over: Vec<Key> =
            self.requests.iter().filter(|(_, each)| over(each)).map(|(key, _)| *key).collect();
        for key in over {
            self.withdraw(now, key);
            let Some(request) = self.requests.remove(&key) else { continue };
            let error = match request.wish.wait {
                Wait::Try(_) => LockError::new(
                    Code::NoServer,
                    "no server has answered in time",
                    "it is not held here; should it have been granted, it is given back",
                ),
                Wait::Most(_) | Wait::Forever => LockError::timeout(),
            };
            if let Stage::Waits(Some(grants)) = request.stage {
                let _ = grants.send(Err(error));
            }
        }
        let open = self.requests.values().filter(|each| waits(each)).filter_map(|each| each.until);
        self.wake = self.wake.min(open.min().unwrap_or(self.wake));
    }

    /// A sign of life, if one is due: three times in what the server promised, from when the last one was
    /// sent.
    fn beat(&mut self, now: Micros, class: Class) {
        let slot = &mut self.slots[class.index()];
        let (Some(session), true) = (slot.session.as_ref(), self.connected) else { return };
        if now < slot.beat_at {
            self.wake = self.wake.min(slot.beat_at);
            return;
        }
        slot.beat_at = now + Micros(slot.valid.0 / 3).max(Micros::millis(10));
        self.wake = self.wake.min(slot.beat_at);
        let (id, text) = (session.id(), slot.text.clone());
        let beliefs: Vec<(Rid, Belief)> = session.beliefs().into_iter().take(BELIEFS).collect();
        let holds = beliefs.iter().filter(|(_, belief)| matches!(belief, Belief::Holds(_)));
        let holds = holds.map(|(rid, _)| *rid).collect();
        let requests = beliefs.into_iter().map(|(rid, belief)| request_state(rid, belief)).collect();
        let asked = Asked::Beat { class, session: id, sent: now, holds };
        // Who we are may be somebody else there.
        let follow_key = self.follow_key.clone().filter(|_| self.seeking);
        let alive = KeepAlive { requests, follow_key };
        self.ask(Op::Keepalive { session: text, alive }, asked);
    }

    /// This server is of no use now: another one, unless something is held here.
    pub(super) fn leave_server(&mut self, why: LockError) {
        let held = self.requests.values().any(|each| matches!(each.stage, Stage::Holds(_, None)));
        if !held {
            self.move_on = Some(why);
        }
    }
}

fn request_state(rid: Rid, belief: Belief) -> RequestState {
    match belief {
        Belief::Waits => RequestState { rid, state: "waits".to_owned(), fence: None },
        Belief::Holds(fence) => {
            RequestState { rid, state: "holds".to_owned(), fence: Some(fence.to_string()) }
        }
    }
}
