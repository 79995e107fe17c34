//! What a home knows to be free is granted although somebody has crashed; what somebody may hold waits.

use super::views::live;
use super::*;

fn name(text: &str) -> Name {
    Name::lock(text).expect("a name")
}

fn session(room: &mut Room, id: ServerId, class: Class) -> SessionId {
    let ttl = room.view.times.lease(class).0 / 1000;
    match room.ask(id, opening(ttl, class, "test")) {
        Some(Answer::Opened { session, .. }) => session,
        other => panic!("{other:?}"),
    }
}

/// A lock of this class that is at home at this server.
fn of_class(room: &Room, class: Class, home: ServerId, from: u32) -> Name {
    let prefix = ["fast/", "", "batch/"][class.index()];
    let names = (from..from + 1000).map(|number| name(&format!("{prefix}{number}")));
    let mut names = names;
    names.find(|name| room.view.home(name) == Some(home)).expect("every server is a home")
}

fn excluded(room: &mut Room, id: ServerId) {
    room.proposals = false;
    room.servers[usize::from(id)] = None;
    room.change(&Command::Exclude(room.view.epoch, id));
    room.hint();
}

#[test]
fn free_lock_is_granted_despite_crash() {
    for class in Class::ALL {
        let mut room: Room = Room::new(3);
        let (zero, one) = (session(&mut room, 0, class), session(&mut room, 1, class));
        let homes: Vec<Name> = (0..3).map(|home| of_class(&room, class, home, 0)).collect();
        let another = of_class(&room, class, 0, 5000);
        excluded(&mut room, 2);
        room.gets(0, zero, 1, &homes[0]);
        room.gets(0, zero, 2, &homes[1]);
        room.gets(1, one, 1, &another);
        // Of a shard whose home crashed nobody knows anything.
        assert_eq!(room.acquire(0, zero, 3, &homes[2]), None);
    }
}

#[test]
fn lock_that_went_home_is_free() {
    let mut room: Room = Room::with(3, |spec| spec.idle = Micros::millis(100));
    let (name, two) = (room.lock_at(0), room.open(2));
    let fence = room.gets(2, two, 1, &name);
    room.release(2, two, &name, fence);
    room.pass(Micros::millis(300));
    excluded(&mut room, 2);
    let zero = room.open(0);
    room.gets(0, zero, 1, &name);
}

#[test]
fn token_on_its_way_home_is_waited_for() {
    let mut room: Room = Room::with(3, |spec| spec.idle = Micros::millis(100));
    let (name, two) = (room.lock_at(0), room.open(2));
    let fence = room.gets(2, two, 1, &name);
    room.release(2, two, &name, fence);
    room.loses = |message| matches!(message, Message::Token { .. });
    room.pass(Micros::millis(300));
    excluded(&mut room, 2);
    let zero = room.open(0);
    assert_eq!(room.acquire(0, zero, 1, &name), None);
}

#[test]
fn home_that_missed_an_epoch_knows_nothing() {
    let mut room: Room = Room::new(3);
    room.proposals = false;
    let (free, homes) = (room.lock_at(0), room.view.homes.clone());
    // Server 1 is the home for an epoch of which server 0 never hears.
    room.cut.insert(0);
    room.change(&Command::Rehome(room.view.epoch, vec![1; homes.len()]));
    room.hint();
    room.change(&Command::Rehome(room.view.epoch, homes));
    room.servers[2] = None;
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.cut.clear();
    room.hint();
    let zero = room.open(0);
    assert_eq!(room.acquire(0, zero, 1, &free), None);
}

/// With one crash every ten seconds, and leases of fifteen, what is free is granted at once, and what was held waits
/// for its own lease only.
#[test]
fn crashes_one_after_the_other_starve_nobody() {
    let mut room: Room = Room::new(5);
    let longest = room.view.wait(Class::Batch);
    let four = session(&mut room, 4, Class::Batch);
    let held = of_class(&room, Class::Batch, 0, 0);
    room.gets(4, four, 1, &held);
    let zero = session(&mut room, 0, Class::Batch);
    let (mut waiter, mut out) = (None, room.now);
    for crash in 0..9_u32 {
        let dies = [4, 1, 2, 3][crash as usize % 4];
        // Server 0 never crashes, so it knows all the time what it is the home of.
        let free = of_class(&room, Class::Batch, 0, 1000 * (crash + 1));
        room.servers[usize::from(dies)] = None;
        while room.view.members.contains_key(&dies) {
            live(&mut room, 0, zero, Micros::millis(50));
        }
        if crash == 0 {
            out = room.now;
            assert_eq!(room.acquire(0, zero, 1, &held), None);
            waiter = Some(room.asked);
        }
        room.gets(0, zero, u64::from(crash) + 10, &free);
        live(&mut room, 0, zero, Micros::millis(1000));
        room.start(dies, 5, |_| {});
        live(&mut room, 0, zero, Micros::millis(8500));
        let granted = waiter.and_then(|waiter| room.answer_to(waiter)).is_some();
        assert_eq!(granted, room.now >= out + longest, "after {} of {longest}", room.now - out);
    }
    // And of what its home lost, too: server 0 took over shards in every crash.
    let homes = room.view.homes.iter().filter(|home| **home == 0).count();
    assert!(room.server(0).status(room.now).recovering < homes, "{homes} shards");
}
