//! Who is excluded, who is admitted, and how a server leaves in good order.

use super::*;

#[test]
fn a_server_that_leaves_makes_nobody_wait() {
    let mut room: Room = Room::new(3);
    let (held, idle, own) = (room.lock_at(0), room.name_at(Kind::Lock, 0, 500), room.lock_at(1));
    let (zero, one) = (room.open(0), room.open(1));
    let fence = room.gets(1, one, 1, &held);
    for (rid, name) in [(2, &idle), (3, &own)] {
        let fence = room.gets(1, one, rid, name);
        room.release(1, one, name, fence);
    }
    assert_eq!(room.acquire(1, one, 4, &room.lock_at(2)), room.answer_to(room.asked));
    let rival = room.open(1);
    assert_eq!(room.acquire(1, rival, 1, &held), None);
    let waiter = room.asked;
    room.input(1, Input::Drain);
    assert_eq!(room.answer_to(waiter), Some(Answer::Denied(Denial::Draining)));
    let open = opening(3000, Class::Normal, "");
    assert_eq!(room.ask(1, open), Some(Answer::Denied(Denial::Draining)));
    assert_eq!(room.acquire(1, one, 5, &idle), Some(Answer::Denied(Denial::Draining)));
    // Idle tokens went home; what is held is held, and is renewed.
    room.gets(0, zero, 1, &idle);
    room.pass(Micros::millis(2000));
    assert_eq!(room.view.members.len(), 3);
    for (id, session) in [(0, zero), (1, one)] {
        let kept = room.ask(id, Ask::KeepAlive { session, beliefs: Vec::new() });
        assert!(matches!(kept, Some(Answer::Alive { draining, .. }) if draining == (id == 1)));
    }
    room.ask(1, Ask::Cancel { session: one, rid: 4 });
    assert_eq!(room.release(1, one, &held, fence), Some(Answer::Released));
    let released = room.now;
    while !room.events.iter().any(|(id, event)| *id == 1 && *event == Event::Drained) {
        room.pass(Micros::millis(50));
        assert!(room.now < released + Micros::millis(2000));
    }
    assert_eq!(room.view.members.len(), 2);
    // It vouched for itself: what it had is granted as soon as the others have reported to each other.
    room.pass(Micros::millis(100));
    room.gets(0, zero, 2, &held);
    room.gets(0, zero, 3, &own);
    room.pass(Micros::millis(2000));
    assert_eq!(room.view.members.len(), 2, "it does not come back");
}

#[test]
fn draining_waits_for_holders_a_limited_time() {
    let mut room: Room = Room::with(2, |spec| spec.drain = Micros::millis(5000));
    let one = room.open(1);
    room.gets(1, one, 1, &room.lock_at(0));
    room.input(1, Input::Drain);
    let mut alive = true;
    let begun = room.now;
    while !room.events.iter().any(|(id, event)| *id == 1 && *event == Event::Drained) {
        room.pass(Micros::millis(500));
        let kept = room.ask(1, Ask::KeepAlive { session: one, beliefs: Vec::new() });
        alive = matches!(kept, Some(Answer::Alive { .. }));
        assert!(room.now < begun + Micros::millis(10_000));
    }
    assert!(!alive && room.now > begun + Micros::millis(7000));
}

#[test]
fn the_last_server_can_leave_too() {
    let mut room: Room = Room::new(1);
    room.input(0, Input::Drain);
    room.pass(Micros::millis(1000));
    assert!(room.events.iter().any(|(_, event)| *event == Event::Drained));
    assert!(room.view.members.is_empty());
}

#[test]
fn silent_server_is_excluded_and_restart_admitted() {
    let mut room: Room = Room::new(3);
    room.servers[2] = None;
    let died = room.now;
    while room.view.members.len() == 3 {
        room.pass(Micros::millis(10));
        assert!(room.now < died + Micros::millis(800));
    }
    assert!(room.now >= died + Micros::millis(300));
    room.pass(Micros::millis(3000));
    room.start(2, 3, |_| {});
    room.pass(Micros::millis(1000));
    assert!(room.view.has(2, room.runs));
}

#[test]
fn a_new_run_replaces_the_old_one_in_one_step() {
    let mut room: Room = Room::new(3);
    let epoch = room.view.epoch;
    room.start(2, 3, |_| {});
    room.pass(Micros::millis(300));
    assert!(room.view.has(2, room.runs));
    assert_eq!(room.view.epoch, epoch + 1);
}

#[test]
fn who_was_paused_does_not_blame_the_others() {
    let mut room: Room = Room::new(3);
    let epoch = room.view.epoch;
    // Only the first, which may propose, does nothing for a while; the others go on and cannot exclude it.
    let paused = room.servers[0].take();
    room.pass(Micros::millis(5000));
    room.servers[0] = paused;
    room.input(0, Input::Tick);
    room.pass(Micros::millis(1000));
    assert_eq!(room.view.epoch, epoch);
}

#[test]
fn of_several_who_may_propose_one_does() {
    let mut room: Room = Room::new(3);
    for id in 1..3 {
        room.input(id, Input::Proposes(true));
    }
    room.pass(Micros::millis(500));
    room.proposals = false;
    room.quiet();
    room.servers[0] = None;
    room.pass(Micros::millis(1500));
    let by = |id| room.proposed.iter().filter(|(who, _)| *who == id).count();
    assert!(by(1) > 0 && by(2) == 0, "{:?}", room.proposed);
    let exclude = Command::Exclude(room.view.epoch, 0);
    assert!(room.proposed.iter().all(|(_, command)| *command == exclude), "{:?}", room.proposed);
}

#[test]
fn who_flaps_is_admitted_ever_more_slowly() {
    let mut room: Room = Room::new(2);
    let mut spans = Vec::new();
    for _ in 0..8 {
        room.pass(Micros::millis(100));
        room.start(1, 2, |_| {});
        let started = room.now;
        while !room.view.has(1, room.runs) {
            room.pass(Micros::millis(10));
            assert!(room.now < started + Micros::millis(20_000));
        }
        spans.push(room.now - started);
    }
    assert!(spans[3] > Micros::millis(1500), "{spans:?}");
    // But not for ever more: after 16 s its coming in makes nobody wait.
    assert!(spans[6] > Micros::millis(15_000) && spans[7] < Micros::millis(17_000), "{spans:?}");
}

#[test]
fn flapping_server_is_admitted_if_harmless() {
    let mut room: Room = Room::new(1);
    for _ in 0..6 {
        room.change(&Command::Exclude(room.view.epoch, 0));
        room.hint();
        room.pass(Micros::millis(700));
        assert_eq!(room.view.members.len(), 1);
    }
}

#[test]
fn proposer_does_not_wait_for_its_earlier_run() {
    let mut room: Room = Room::new(3);
    room.start(0, 3, |_| {});
    room.input(0, Input::Proposes(true));
    // It is admitted a second after its earlier run was, as it thinks; that one is out before.
    room.pass(Micros::millis(500));
    assert_eq!(room.view.members.keys().copied().collect::<Vec<_>>(), [1, 2]);
    room.pass(Micros::millis(1000));
    assert!(room.view.has(0, room.runs));
}

#[test]
fn death_before_admission_is_an_ordinary_exclusion() {
    let mut room: Room = Room::new(3);
    let comes_in = |room: &mut Room| {
        while !room.view.members.contains_key(&2) {
            room.pass(Micros::millis(10));
        }
        room.now
    };
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    let first = comes_in(&mut room);
    room.pass(Micros::millis(300));
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    let died = first + Micros::millis(1800);
    room.pass(died - room.now);
    room.servers[2] = None;
    let again = comes_in(&mut room);
    assert!(again > died, "it is not known yet");
    // The time in which it was not heard, a round and a pause.
    let patience = room.server(0).spec().suspect + Micros::millis(100) + room.server(0).spec().pause;
    room.pass(died + patience - room.now);
    assert!(!room.view.members.contains_key(&2));
}

#[test]
fn an_old_ping_does_not_bring_back_who_is_dead() {
    let mut room: Room = Room::new(3);
    let ping = Message::Ping {
        epoch: room.view.epoch,
        incarnation: room.server(2).spec().incarnation,
        leased: true,
        wants_in: true,
        proposes: false,
        proto: 1,
    };
    room.servers[2] = None;
    room.pass(Micros::millis(2000));
    let epoch = room.view.epoch;
    for _ in 0..10 {
        room.input(0, Input::Peer(2, ping.clone()));
        room.pass(Micros::millis(200));
    }
    assert_eq!((room.view.epoch, room.view.members.len()), (epoch, 2));
}
