//! The audit of a server's books, and that it finds what is wrong in them.

use super::*;

/// A server that has something of everything: a token, a holder and somebody who waits for as long as it takes.
fn busy() -> Room {
    let mut room = Room::new(2);
    let (name, other) = (room.lock_at(0), room.name_at(Kind::Lock, 1, 500));
    let (one, two) = (room.open(0), room.open(0));
    room.gets(0, one, 1, &name);
    room.gets(0, one, 2, &other);
    assert_eq!(room.ask(0, acquire(two, 1, &name, Some(Micros::millis(2000)))), None);
    room
}

/// Makes something wrong.
type Wrong = fn(&mut Server);

#[test]
fn wrong_count_is_found() {
    let wrongs: [(&str, Wrong); 8] = [
        ("tokens: 3", |server| server.tokens += 1),
        ("held: 1", |server| server.held -= 1),
        ("waiting: 0", |server| server.waiting -= 1),
        ("held: 2", |server| {
            let held = server.locks.names();
            server.locks.get_mut(&held[0]).expect("it is known").holder = None;
        }),
        ("request 1 of session", |server| server.timers.clear()),
        ("request 1 of session", |server| {
            let name = server.locks.names().remove(0);
            server.locks.get_mut(&name).expect("it is known").fence = None;
        }),
        ("guests", |server| server.guests = [(SessionId(7), 1)].into()),
        ("what cannot be: a test", |server| server.tally.impossible = Some("a test")),
    ];
    for (words, wrong) in wrongs {
        let mut server = busy().servers.remove(0).expect("it runs");
        assert_eq!(server.audit(), Ok(()));
        wrong(&mut server);
        let found = server.audit().expect_err(words);
        assert!(found.starts_with(words), "{found}");
    }
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "a lock is let go of that nobody holds"))]
fn what_cannot_be_is_told_and_taken_down() {
    let mut server = busy().servers.remove(0).expect("it runs");
    server.let_go(&Name::lock("never seen").expect("a name"), (1, 1));
    assert_eq!(server.tally().impossible, Some("a lock is let go of that nobody holds"));
    assert_eq!(server.status(Micros(0)).held, 2, "and it goes on");
}
