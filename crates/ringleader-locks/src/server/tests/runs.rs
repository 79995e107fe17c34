//! Runs of a server: what an earlier one granted is waited for, whatever became of its disk; one that left in good
//! order is not.

use super::views::live;
use super::*;

/// In which state the earlier run of a server is when its disk is lost and it starts again.
#[derive(Clone, Copy, Debug)]
enum Earlier {
    Member,
    Draining,
    Excluded,
    Recovering,
    Settled,
}

/// Server 2 holds a lock that is at home at server 0; then it starts again with nothing. For how long after that the
/// lock is not granted to anybody else; none if it is granted when it must not be.
fn second_holder_after(earlier: Earlier, rules: Rules) -> (Micros, Micros) {
    let mut room = Room::of(rules, 3, |_| {});
    let name = room.lock_at(0);
    let (zero, two) = (room.open(0), room.open(2));
    if let Earlier::Recovering = earlier {
        room.proposals = false;
        room.change(&Command::Rehome(room.view.epoch, room.view.homes.clone()));
        room.hint();
        room.proposals = true;
    }
    room.gets(2, two, 1, &name);
    let held_until = room.now + room.server(2).status(room.now).lease[Class::Normal.index()];
    match earlier {
        Earlier::Draining => room.input(2, Input::Drain),
        Earlier::Excluded => {
            room.change(&Command::Exclude(room.view.epoch, 2));
            room.servers[2] = None;
            room.hint();
        }
        Earlier::Settled => assert!(room.view.past.is_empty()),
        Earlier::Member | Earlier::Recovering => {}
    }
    let started = room.now;
    room.start(2, 3, |_| {});
    assert_eq!(room.acquire(0, zero, 1, &name), None);
    let waiter = room.asked;
    while room.answer_to(waiter).is_none() {
        live(&mut room, 0, zero, Micros::millis(10));
        assert!(room.now < started + Micros::millis(30_000), "it is granted again");
    }
    assert!(room.view.has(2, room.runs), "the new run is in");
    (held_until, room.now)
}

#[test]
fn new_run_without_a_disk_frees_nothing() {
    use Earlier::{Draining, Excluded, Member, Recovering, Settled};
    for earlier in [Member, Draining, Excluded, Recovering, Settled] {
        let (held_until, granted) = second_holder_after(earlier, Rules::default());
        assert!(granted > held_until, "{earlier:?}: {granted} before {held_until}");
        // Every report vouches for all runs of its server: an absent folder counts as a server that never ran.
        let (held_until, granted) = second_holder_after(earlier, Rules::without(Rule::OwnRun));
        assert!(granted < held_until, "{earlier:?}: the wrong version is not noticed");
    }
}

/// The members command, an empty folder, and the members command again.
#[test]
fn readded_server_frees_nothing() {
    let mut room: Room = Room::new(3);
    room.proposals = false;
    let name = room.lock_at(0);
    let (zero, two) = (room.open(0), room.open(2));
    room.gets(2, two, 1, &name);
    room.servers[2] = None;
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    let (out, wait) = (room.now, room.view.wait(Class::Normal));
    assert_eq!(room.acquire(0, zero, 1, &name), None);
    let waiter = room.asked;
    live(&mut room, 0, zero, Micros::millis(500));
    room.start(2, 3, |_| {});
    room.change(&Command::Admit(room.view.epoch, 2, room.runs));
    room.hint();
    assert!(room.server(2).status(room.now).joined);
    let rest = out + wait - Micros(1) - room.now;
    live(&mut room, 0, zero, rest);
    assert_eq!(room.answer_to(waiter), None, "its leases may run");
    room.pass(Micros(1));
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
}

fn drains(room: &mut Room, id: ServerId) {
    room.input(id, Input::Drain);
    let begun = room.now;
    while !room.events.iter().any(|(who, event)| *who == id && *event == Event::Drained) {
        room.pass(Micros::millis(10));
        assert!(room.now < begun + Micros::millis(10_000));
    }
}

#[test]
fn run_that_left_in_good_order_is_not_waited_for() {
    let mut room: Room = Room::new(3);
    let (zero, two) = (room.open(0), room.open(2));
    let run = room.server(2).spec().incarnation;
    let name = room.lock_at(2);
    let fence = room.gets(2, two, 1, &name);
    room.release(2, two, &name, fence);
    drains(&mut room, 2);
    assert!(!room.view.past.iter().any(|past| *past == (2, run)), "{:?}", room.view.past);
    room.start(2, 3, |_| {});
    while !room.view.has(2, room.runs) {
        live(&mut room, 0, zero, Micros::millis(10));
    }
    room.pass(Micros::millis(300));
    let again = room.open(2);
    room.gets(2, again, 1, &room.lock_at(2));
    assert_eq!(room.server(2).status(room.now).recovering, 0);
}

#[test]
fn silent_previous_run_is_waited_for() {
    let mut room: Room = Room::new(2);
    let run = room.server(1).spec().incarnation;
    room.input(1, Input::Drain);
    while room.view.has(1, run) {
        room.pass(Micros::millis(10));
    }
    room.proposals = false;
    drains(&mut room, 1);
    assert!(room.proposed.contains(&(1, Command::Left(room.view.epoch, 1, run))));
    room.proposals = true;
    room.start(1, 2, |_| {});
    while !room.view.has(1, room.runs) {
        room.pass(Micros::millis(10));
    }
    assert!(room.view.past.contains(&(1, run)));
    assert!(room.server(1).status(room.now).recovering > 0);
}

#[test]
fn no_farewell_while_a_client_may_hold() {
    let mut room: Room = Room::new(2);
    let one = room.open(1);
    let (name, run) = (room.lock_at(0), room.server(1).spec().incarnation);
    let fence = room.gets(1, one, 1, &name);
    room.change(&Command::Exclude(room.view.epoch, 1));
    room.input(1, Input::Drain);
    room.hint();
    let says = |room: &Room| room.proposed.iter().any(|(_, command)| matches!(command, Command::Left(..)));
    room.pass(Micros::millis(2000));
    assert!(!says(&room), "{:?}", room.proposed);
    assert!(room.view.past.contains(&(1, run)));
    room.release(1, one, &name, fence);
    room.pass(Micros::millis(500));
    assert!(says(&room) && !room.view.past.contains(&(1, run)));
}

#[test]
fn new_cluster_waits_for_forgotten_leases() {
    let classes = vec![("fast/".to_owned(), Class::Fast)];
    for (view, waits) in [
        (View::first(1, Times::default(), classes.clone()), true),
        (View::new(1, Times::default(), classes), false),
    ] {
        let mut room: Room = Room::begins(Rules::default(), view, 1, |_| {});
        let begun = room.now;
        room.pass(Micros::millis(400));
        let zero = room.open(0);
        let normal = Name::lock("x").expect("a name");
        let granted = room.acquire(0, zero, 1, &normal);
        assert_eq!(granted.is_none(), waits);
        let waiter = room.asked;
        let rest = begun + room.view.wait(Class::Normal) - Micros::millis(1) - room.now;
        live(&mut room, 0, zero, rest);
        assert_eq!(room.answer_to(waiter).is_none(), waits);
        live(&mut room, 0, zero, Micros::millis(500));
        assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
        room.pass(Micros::millis(16_000));
        assert!(room.view.past.is_empty(), "it has settled");
        assert_eq!(room.server(0).status(room.now).recovering, 0);
    }
}
