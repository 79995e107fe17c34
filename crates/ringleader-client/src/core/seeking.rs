//! Sessions that have gone to another server, with what they hold: the client goes after them, and says there what it
//! wants, with the same numbers.

use super::Core;
use ringleader_live::Micros;
use ringleader_locks::Class;

impl Core {
    /// A server says that a session is at another one now.
    pub(super) fn elsewhere(&mut self, at: Option<&str>) {
        self.seek = Some(at.map(str::to_owned));
    }

    /// Whether sessions are to be looked for at another server, and at which first.
    pub(crate) fn take_seek(&mut self) -> Option<Option<String>> {
        self.seek.take()
    }

    /// The next server is asked whether they are there.
    pub(crate) fn seeks(&mut self) {
        self.seeking = true;
        self.slots.iter_mut().for_each(|slot| slot.found = None);
    }

    pub(crate) fn is_seeking(&self) -> bool {
        self.seeking
    }

    /// Whether its server is about to leave, and its sessions may be elsewhere already.
    pub(crate) fn may_have_moved(&self) -> bool {
        self.follow_key.is_some() && self.draining
    }

    /// This server has answered whether a session is there. When it has for all of them: where one is the client stays,
    /// and what is not there is lost; if none is, they are somewhere else.
    pub(super) fn looked(&mut self, now: Micros, class: Class, found: bool) {
        if !self.seeking {
            return;
        }
        self.slots[class.index()].found = Some(found);
        let open = || self.slots.iter().filter(|slot| slot.session.is_some());
        if open().any(|slot| slot.found.is_none()) {
            return;
        }
        if !open().any(|slot| slot.found == Some(true)) {
            return self.elsewhere(None);
        }
        self.seeking = false;
        for class in Class::ALL {
            if self.slots[class.index()].found == Some(false) {
                self.end(class, "it is at another server");
            }
        }
        self.says_again(now);
        self.tick(now);
    }
}
