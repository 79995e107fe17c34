//! The rule for grants: there is one, for the usual case as for any other.

use super::super::requests::Wanted;
use super::*;
use crate::{MAX_COUNTER, Mode};
use ringleader::mutex::homed_chain::{Owner, Token};

/// A lock that was granted and given back at a server, and that nobody else wants; then the lease is over, and the
/// session is not. Whether the lock is granted at once.
fn is_granted_at_once(rules: Rules) -> bool {
    let mut room = Room::of(rules, 1, |_| {});
    let (name, zero) = (room.lock_at(0), room.open(0));
    let fence = room.gets(0, zero, 1, &name);
    room.release(0, zero, &name, fence);
    let later = room.now + Micros::millis(5000);
    let server = room.servers[0].as_mut().expect("it runs");
    let key = server.client(zero).expect("it is open");
    server.sessions.get_mut(&key).expect("it is open").until = later + Micros(1);
    assert!(!server.leased(later, Class::Normal));
    let wanted =
        Wanted { rid: 2, name, wait: None, priority: 0, value: Arc::from([]), mode: Mode::Exclusive };
    server.now = later;
    server.grants_at_once(1000, key, wanted).is_none()
}

#[test]
fn wrong_version_breaks_fast_path_rule() {
    assert!(!is_granted_at_once(Rules::default()));
    assert!(is_granted_at_once(Rules::without(Rule::LeaseAlways)));
}

/// A fence has room for so many grants in an epoch, and no two may have the same.
#[test]
fn exhausted_counter_waits_for_next_epoch() {
    let mut room = Room::new(1);
    room.proposals = false;
    let (name, zero) = (room.lock_at(0), room.open(0));
    let first = room.gets(0, zero, 1, &name);
    room.release(0, zero, &name, first);
    let server = room.servers[0].as_mut().expect("it runs");
    let k = server.locks.get(&name).and_then(|lock| lock.owner.token()).expect("it is here").k;
    server.locks.get_mut(&name).expect("it is here").owner =
        Owner::with(Token { k, counter: MAX_COUNTER - 1 });
    let last = room.gets(0, zero, 2, &name);
    assert_eq!(last, Fence::new(room.view.epoch, MAX_COUNTER));
    room.release(0, zero, &name, last);
    assert_eq!(room.acquire(0, zero, 3, &name), None);
    let waiter = room.asked;
    let asked_for = |(_, command): &(ServerId, Command)| matches!(command, Command::Rehome(..));
    assert!(room.proposed.iter().any(asked_for), "a new epoch was asked for long ago");
    room.change(&Command::Rehome(room.view.epoch, room.view.homes.clone()));
    room.hint();
    let Some(Answer::Granted { fence, .. }) = room.answer_to(waiter) else { panic!("it is granted") };
    assert_eq!(fence, Fence::new(room.view.epoch, 1));
}
