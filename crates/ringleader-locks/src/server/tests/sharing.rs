//! Locks that several hold, at one server and at several.

use super::*;
use crate::Hold;

const READS: Mode = Mode::Shared;
const WRITES: Mode = Mode::Exclusive;

impl Room {
    fn wants(
        &mut self,
        id: ServerId,
        session: SessionId,
        rid: Rid,
        name: &Name,
        mode: Mode,
    ) -> Option<Answer> {
        self.ask(id, as_mode(acquire(session, rid, name, None), mode))
    }

    /// The fence of a lock that is granted at once, like this.
    fn has(&mut self, id: ServerId, session: SessionId, rid: Rid, name: &Name, mode: Mode) -> Fence {
        match self.wants(id, session, rid, name, mode) {
            Some(Answer::Granted { fence, .. }) => fence,
            other => panic!("{name} is not granted: {other:?}"),
        }
    }

    /// Nobody moves for so long; sessions are kept alive.
    fn lasts(&mut self, sessions: &[(ServerId, SessionId)], millis: u64) {
        for _ in 0..millis / 500 {
            self.pass(Micros::millis(500));
            for (id, session) in sessions {
                self.ask(*id, Ask::KeepAlive { session: *session, beliefs: Vec::new() });
            }
        }
    }
}

fn as_mode(mut ask: Ask, how: Mode) -> Ask {
    if let Ask::Acquire { mode, .. } = &mut ask {
        *mode = how;
    }
    ask
}

/// The fence of a request that waited.
fn fence(answer: Option<Answer>) -> Fence {
    match answer {
        Some(Answer::Granted { fence, .. }) => fence,
        other => panic!("not granted: {other:?}"),
    }
}

#[test]
fn readers_at_all_servers_hold_at_once_and_a_writer_after_them() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let [a, b, c] = [0, 1, 2].map(|id| room.open(id));
    let reads =
        [room.has(0, a, 1, &name, READS), room.has(1, b, 1, &name, READS), room.has(2, c, 1, &name, READS)];
    assert!(reads.is_sorted());
    assert_eq!(room.wants(0, a, 2, &name, WRITES), None);
    let writer = room.asked;
    // Who comes later waits, although it would fit beside those who read.
    assert_eq!(room.wants(1, b, 2, &name, READS), None);
    let later = room.asked;
    for (id, session, fence) in [(0, a, reads[0]), (1, b, reads[1]), (2, c, reads[2])] {
        assert_eq!(room.answer_to(writer), None);
        assert_eq!(room.release(id, session, &name, fence), Some(Answer::Released));
    }
    // No time has passed: who let go has told the owner.
    let wrote = fence(room.answer_to(writer));
    assert!(wrote > reads[2]);
    assert_eq!(room.answer_to(later), None);
    room.release(0, a, &name, wrote);
    assert!(fence(room.answer_to(later)) > wrote);
}

#[test]
fn never_more_than_the_permits_at_all_servers_together() {
    let mut room: Room = Room::new(3);
    let (name, two) = (room.lock_at(0), Mode::Permits(2));
    let [a, b, c] = [0, 1, 2].map(|id| room.open(id));
    let first = room.has(0, a, 1, &name, two);
    room.has(1, b, 1, &name, two);
    assert_eq!(room.wants(2, c, 1, &name, two), None);
    let third = room.asked;
    room.lasts(&[(0, a), (1, b), (2, c)], 10_000);
    assert_eq!(room.answer_to(third), None);
    room.release(0, a, &name, first);
    fence(room.answer_to(third));
    match room.ask(0, Ask::Look { name: name.clone() }) {
        Some(Answer::State(state)) => assert_eq!((state.mode, state.holders), (two, 2)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn modes_are_not_mixed_on_one_name() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let [a, b] = [0, 1].map(|id| room.open(id));
    let mixed = Some(Answer::Denied(Denial::Mixed));
    // Held exclusively, here or elsewhere.
    let held = room.has(0, a, 1, &name, WRITES);
    assert_eq!(room.wants(0, a, 2, &name, Mode::Permits(2)), mixed);
    assert_eq!(room.wants(1, b, 1, &name, Mode::Permits(2)), mixed);
    room.release(0, a, &name, held);
    // A semaphore, with the token here or elsewhere.
    let permit = room.has(0, a, 3, &name, Mode::Permits(2));
    for mode in [WRITES, READS, Mode::Permits(3)] {
        room.asked += 10;
        assert_eq!(room.wants(0, a, 4, &name, mode), mixed);
        assert_eq!(room.wants(1, b, 4, &name, mode), mixed, "{mode:?}");
    }
    // Whoever waits, waits for a lock.
    room.release(0, a, &name, permit);
    room.has(0, a, 5, &name, WRITES);
    assert_eq!(room.wants(0, a, 6, &name, READS), None);
    assert_eq!(room.wants(0, a, 7, &name, Mode::Permits(1)), mixed);
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let mut room: Room = Room::new(3);
    let (lock, election) = (room.lock_at(0), room.name_at(Kind::Election, 0, 0));
    let session = room.open(0);
    let bad = [
        (&lock, Mode::Permits(0)),
        (&lock, Mode::Permits(1001)),
        (&election, READS),
        (&election, Mode::Permits(1)),
    ];
    for (name, mode) in bad {
        let answer = room.wants(0, session, 1, name, mode);
        assert!(matches!(answer, Some(Answer::Denied(Denial::BadRequest(_)))), "{mode:?}: {answer:?}");
    }
    assert_eq!(room.granted(), None);
}

/// The token is with the writer's server, and the reader's server is cut off: it is waited for as long as a lease
/// may run.
#[test]
fn a_reader_at_a_dead_server_is_waited_for() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let [a, b] = [0, 1].map(|id| room.open(id));
    let read = room.has(1, b, 1, &name, READS);
    assert_eq!(room.wants(0, a, 1, &name, WRITES), None);
    let writer = room.asked;
    room.cut.insert(1);
    room.lasts(&[(0, a)], 2500);
    assert!(!room.view.members.contains_key(&1));
    assert_eq!(room.answer_to(writer), None);
    room.lasts(&[(0, a)], 2500);
    assert!(fence(room.answer_to(writer)) > read);
}

#[test]
fn readers_are_known_when_a_lost_token_is_made_anew() {
    for reports in [true, false] {
        let mut room = if reports { Room::new(3) } else { Room::without(Rule::ReportsHolds, 3, |_| {}) };
        let name = room.lock_at(0);
        let [a, b, c] = [0, 1, 2].map(|id| room.open(id));
        let read = room.has(1, b, 1, &name, READS);
        room.has(2, c, 1, &name, READS);
        // The token is at server 2, which dies.
        room.servers[2] = None;
        room.lasts(&[(0, a), (1, b)], 6000);
        let writes = room.wants(0, a, 1, &name, WRITES);
        assert_eq!(writes.is_none(), reports, "{writes:?}");
        if reports {
            let writer = room.asked;
            room.release(1, b, &name, read);
            assert!(fence(room.answer_to(writer)) > read);
        }
    }
}

/// A home knows that somebody holds a lock whose token is lost. Before the lock is open the epoch changes, and the
/// report of the new one does not come.
#[test]
fn who_held_an_epoch_ago_is_heard_first() {
    for right in [true, false] {
        let mut room = if right { Room::new(3) } else { Room::without(Rule::HeldBefore, 3, |_| {}) };
        room.change(&Command::Rehome(room.view.epoch, vec![0; crate::SHARDS]));
        room.hint();
        room.pass(Micros::millis(20_000));
        let name = room.lock_at(0);
        let [a, b, c] = [0, 1, 2].map(|id| room.open(id));
        let read = room.has(1, b, 1, &name, READS);
        room.has(2, c, 1, &name, READS);
        room.servers[2] = None;
        room.lasts(&[(0, a), (1, b)], 1000);
        assert!(!room.view.members.contains_key(&2));
        room.loses = |message| matches!(message, Message::Report { .. });
        room.change(&Command::Rehome(room.view.epoch, vec![0; crate::SHARDS]));
        room.hint();
        room.lasts(&[(0, a), (1, b)], 5000);
        let writes = room.wants(0, a, 1, &name, WRITES);
        let writer = room.asked;
        assert_eq!(writes.is_none(), right, "{writes:?}");
        room.loses = |_| false;
        room.lasts(&[(0, a), (1, b)], 3000);
        room.release(1, b, &name, read);
        assert!(fence(room.answer_to(writer)) > read);
    }
}

#[test]
fn who_holds_goes_along_when_the_token_is_sent_again() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let [a, b] = [1, 2].map(|id| room.open(id));
    let read = room.has(1, a, 1, &name, READS);
    room.loses = |message| matches!(message, Message::Lends { .. });
    assert_eq!(room.wants(2, b, 1, &name, WRITES), None);
    let writer = room.asked;
    room.loses = |_| false;
    room.lasts(&[(1, a), (2, b)], 2000);
    let lent = room.sent.iter().filter_map(|(_, _, message)| {
        if let Message::Lends { lent, .. } = message { Some(lent.holds.clone()) } else { None }
    });
    let reader = Hold { run: (1, room.server(1).spec().incarnation), fence: read };
    assert_eq!(lent.collect::<Vec<_>>(), [vec![reader], vec![reader]]);
    assert_eq!(room.answer_to(writer), None);
    room.release(1, a, &name, read);
    fence(room.answer_to(writer));
}

#[test]
fn who_has_the_token_does_not_call_its_own_reader_over() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let [a, b] = [0, 1].map(|id| room.open(id));
    let read = room.has(1, b, 1, &name, READS);
    room.has(0, a, 1, &name, READS);
    room.has(1, b, 2, &name, Mode::Shared);
    let epoch = room.view.epoch;
    room.quiet();
    // The token is at server 1 again when it is asked.
    room.has(1, b, 3, &name, READS);
    room.input(1, Input::Peer(0, Message::Ask { epoch, name: name.clone(), fences: vec![read] }));
    let said: Vec<_> = room.sent.iter().map(|(_, _, message)| message.clone()).collect();
    assert!(said.contains(&Message::Over { epoch, name, fences: Vec::new() }), "{said:?}");
}

#[test]
fn an_ended_session_frees_its_permit_and_its_place_at_once() {
    let mut room: Room = Room::new(3);
    let (name, one) = (room.lock_at(0), Mode::Permits(1));
    let [a, b, c] = [1, 2, 2].map(|id| room.open(id));
    room.has(1, a, 1, &name, one);
    assert_eq!(room.wants(2, b, 1, &name, one), None);
    assert_eq!(room.wants(2, c, 1, &name, one), None);
    let last = room.asked;
    room.ask(2, Ask::Close { session: b });
    assert_eq!(room.answer_to(last), None);
    room.ask(1, Ask::Close { session: a });
    fence(room.answer_to(last));
}

#[test]
fn a_try_is_told_of_readers_elsewhere() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let [a, b] = [0, 1].map(|id| room.open(id));
    room.has(0, a, 1, &name, READS);
    let tries = |session, rid, mode| as_mode(acquire(session, rid, &name, Some(Micros(0))), mode);
    let locked = Some(Answer::Denied(Denial::Locked));
    assert_eq!(room.ask(1, tries(b, 1, WRITES)), locked);
    fence(room.ask(1, tries(b, 2, READS)));
    // The token is at server 1 by now.
    assert_eq!(room.ask(1, tries(b, 3, WRITES)), locked);
}

#[test]
fn older_servers_are_not_asked_to_share() {
    let view = View::new(1, Times::default(), Vec::new());
    let mut room = Room::begins(Rules::default(), view, 1, |spec| spec.suspect = Micros::millis(60_000));
    room.proposals = false;
    room.view = room.view.after(&Command::Admit(1, 0, 1)).expect("it is new");
    room.hint();
    room.pass(Micros::millis(4000));
    assert_eq!(room.view.proto, 1);
    let (session, name) = (room.open(0), room.lock_at(0));
    let later = room.wants(0, session, 1, &name, READS);
    assert!(matches!(later, Some(Answer::Denied(Denial::Recovering { .. }))), "{later:?}");
    room.has(0, session, 2, &name, WRITES);
}

#[test]
fn server_of_an_older_version_stays_out() {
    let mut room: Room = Room::new(3);
    assert_eq!(room.view.proto, 2);
    room.servers[2] = None;
    room.pass(Micros::millis(20_000));
    assert!(!room.view.members.contains_key(&2));
    for proto in [1, 2] {
        for _ in 0..100 {
            let (epoch, incarnation) = (room.view.epoch, 77);
            let ping =
                Message::Ping { epoch, incarnation, leased: false, wants_in: true, proposes: false, proto };
            room.input(0, Input::Peer(2, ping));
            room.pass(Micros::millis(100));
        }
        let was_in = room.proposed.iter().any(|(_, command)| matches!(command, Command::Admit(_, 2, 77)));
        assert_eq!(was_in, proto == 2);
    }
}

#[test]
fn session_that_shares_a_lock_stays_until_it_lets_go() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(1);
    let follows = Ask::Open {
        ttl: Micros::millis(3000),
        class: Class::Normal,
        meta: "".into(),
        owner: "".into(),
        follows: true,
    };
    let Some(Answer::Opened { session, .. }) = room.ask(0, follows) else { panic!("no session") };
    let read = room.has(0, session, 1, &name, READS);
    room.input(0, Input::Drain);
    room.lasts(&[(0, session)], 5000);
    assert_eq!(room.server(0).status(room.now).held, 1);
    assert_eq!(room.release(0, session, &name, read), Some(Answer::Released));
    room.pass(Micros::millis(5000));
    assert!(room.events.iter().any(|(id, event)| *id == 0 && *event == Event::Drained));
}
