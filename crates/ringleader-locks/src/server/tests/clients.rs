//! What clients are told: every answer, and what is certain after it.

use super::*;

fn refused(answer: Option<Answer>) -> Denial {
    match answer {
        Some(Answer::Denied(denial)) => denial,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_needs_a_lease_and_a_time_that_fits() {
    let mut room: Room = Room::with(1, |spec| spec.limits.sessions = 1);
    let short = refused(room.ask(0, opening(299, Class::Normal, "")));
    let long = refused(room.ask(0, opening(3001, Class::Normal, "")));
    let wordy = refused(room.ask(0, opening(3000, Class::Normal, &"x".repeat(513))));
    for denial in [short, long, wordy] {
        assert!(matches!(denial, Denial::BadRequest(_)), "{denial:?}");
    }
    room.open(0);
    assert_eq!(refused(room.ask(0, opening(3000, Class::Normal, ""))), Denial::Limit("sessions"));
    let spec = ServerSpec::new(0, 9, vec![0, 1]);
    let mut alone: Server = Server::new(spec, Micros(0));
    let mut out = Vec::new();
    alone.handle(Micros(1), Input::Client(1, opening(3000, Class::Normal, "")), &mut out);
    let denied =
        |output: &Output| matches!(output, Output::Answer(1, Answer::Denied(Denial::NoLease { .. })));
    assert!(out.iter().any(denied));
}

#[test]
fn no_other_run_gives_the_same_session() {
    let mut room: Room = Room::new(2);
    let (zero, one) = (room.open(0), room.open(1));
    assert_ne!(zero, one);
    let name = room.lock_at(0);
    assert_eq!(refused(room.acquire(0, one, 1, &name)), Denial::SessionUnknown);
    assert_eq!(refused(room.acquire(0, SessionId(zero.0 + 1), 1, &name)), Denial::SessionUnknown);
    assert_eq!(room.ask(0, Ask::Close { session: zero }), Some(Answer::Closed));
    assert_eq!(refused(room.acquire(0, zero, 1, &name)), Denial::SessionExpired);
}

#[test]
fn repeated_request_gets_same_answer() {
    let mut room: Room = Room::new(1);
    let (name, other) = (room.lock_at(0), room.name_at(Kind::Lock, 0, 500));
    let (zero, rival) = (room.open(0), room.open(0));
    let fence = room.gets(0, zero, 1, &name);
    assert_eq!(room.gets(0, zero, 1, &name), fence);
    assert!(matches!(refused(room.acquire(0, zero, 1, &other)), Denial::BadRequest(_)));
    // One that waits is answered where it was asked last.
    assert_eq!(room.acquire(0, rival, 1, &name), None);
    let first = room.asked;
    assert_eq!(room.acquire(0, rival, 1, &name), None);
    let second = room.asked;
    assert!(matches!(refused(room.answer_to(first)), Denial::BadRequest(_)));
    room.release(0, zero, &name, fence);
    assert!(matches!(room.answer_to(second), Some(Answer::Granted { rid: 1, .. })));
    assert_eq!(room.server(0).status(room.now).waiters, 0);
}

#[test]
fn only_the_holder_shows_another_value() {
    let mut room: Room = Room::new(2);
    let name = room.name_at(Kind::Election, 0, 0);
    let (zero, rival) = (room.open(0), room.open(0));
    let fence = room.gets(0, zero, 1, &name);
    let shows = |session, fence, value: &[u8]| Ask::Proclaim {
        session,
        name: name.clone(),
        fence,
        value: value.into(),
    };
    let valued = |room: &Room| room.server(0).locks(room.now, None, 1)[0].state.value.to_vec();
    let answer = room.ask(0, shows(zero, fence, b"new"));
    assert!(matches!(answer, Some(Answer::Granted { rid: 1, fence: same, .. }) if same == fence));
    assert_eq!(valued(&room), b"new");
    let later = Fence::new(fence.epoch(), fence.counter() + 1);
    assert_eq!(refused(room.ask(0, shows(zero, later, b"future"))), Denial::NotHolder);
    assert_eq!(refused(room.ask(0, shows(rival, fence, b"rival"))), Denial::NotHolder);
    let long = refused(room.ask(0, shows(zero, fence, &[b'x'; 4097])));
    assert!(matches!(long, Denial::BadRequest(_)), "{long:?}");
    assert_eq!(valued(&room), b"new");
    room.release(0, zero, &name, fence);
    assert_eq!(refused(room.ask(0, shows(zero, fence, b"late"))), Denial::NotHolder);
}

#[test]
fn finished_request_is_not_restarted() {
    let mut room: Room = Room::new(1);
    let (name, other) = (room.lock_at(0), room.name_at(Kind::Lock, 0, 500));
    let (zero, rival) = (room.open(0), room.open(0));
    let fence = room.gets(0, zero, 1, &name);
    // Not granted in time.
    assert_eq!(room.ask(0, acquire(rival, 1, &name, Some(Micros::millis(100)))), None);
    let waiter = room.asked;
    room.pass(Micros::millis(100));
    assert_eq!(refused(room.answer_to(waiter)), Denial::Timeout);
    // Somebody else had it.
    assert_eq!(refused(room.ask(0, acquire(rival, 2, &name, Some(Micros(0))))), Denial::Locked);
    // Not wanted any more: while it waited, before it came, and while it was held.
    assert_eq!(room.acquire(0, rival, 3, &name), None);
    let waiter = room.asked;
    room.ask(0, Ask::Cancel { session: rival, rid: 3 });
    assert_eq!(refused(room.answer_to(waiter)), Denial::Timeout);
    room.ask(0, Ask::Cancel { session: rival, rid: 4 });
    room.gets(0, rival, 5, &other);
    room.ask(0, Ask::Cancel { session: rival, rid: 5 });
    // Released.
    room.release(0, zero, &name, fence);
    let over = [
        (zero, 1, Denial::NotHolder, &name),
        (rival, 1, Denial::Timeout, &name),
        (rival, 2, Denial::Locked, &name),
        (rival, 3, Denial::Timeout, &name),
        (rival, 4, Denial::Timeout, &name),
        (rival, 5, Denial::NotHolder, &other),
    ];
    for _ in 0..2 {
        // All are free now: a request that was begun again would be granted.
        for (session, rid, denial, name) in over {
            for wait in [None, Some(Micros(0)), Some(Micros::millis(100))] {
                assert_eq!(refused(room.ask(0, acquire(session, rid, name, wait))), denial, "{rid}");
            }
        }
    }
    assert_eq!(room.server(0).status(room.now).held, 0);
    // The number of another request is a mistake, and says so.
    assert!(matches!(refused(room.acquire(0, rival, 5, &name)), Denial::BadRequest(_)));
    assert_eq!(room.ask(0, Ask::Cancel { session: rival, rid: 1 }), Some(Answer::Cancelled));
}

#[test]
fn session_remembers_its_last_requests() {
    let mut room: Room = Room::new(1);
    let (name, zero) = (room.lock_at(0), room.open(0));
    for rid in 1..=100 {
        let fence = room.gets(0, zero, rid, &name);
        room.release(0, zero, &name, fence);
    }
    for rid in 37..=100 {
        assert_eq!(refused(room.acquire(0, zero, rid, &name)), Denial::NotHolder, "{rid}");
    }
}

#[test]
fn only_the_fence_gives_back() {
    let mut room: Room = Room::new(1);
    let name = room.lock_at(0);
    let (zero, rival) = (room.open(0), room.open(0));
    let fence = room.gets(0, zero, 1, &name);
    assert_eq!(refused(room.release(0, rival, &name, fence)), Denial::NotHolder);
    let wrong = Fence::new(fence.epoch(), 99);
    assert_eq!(refused(room.release(0, zero, &name, wrong)), Denial::NotHolder);
    assert_eq!(room.release(0, zero, &name, fence), Some(Answer::Released));
    let next = room.gets(0, zero, 2, &name);
    assert_eq!(refused(room.release(0, zero, &name, fence)), Denial::NotHolder, "that was an earlier grant");
    assert_eq!(room.ask(0, Ask::Cancel { session: zero, rid: 2 }), Some(Answer::Cancelled));
    assert_eq!(refused(room.release(0, zero, &name, next)), Denial::NotHolder);
    room.gets(0, rival, 1, &name);
}

#[test]
fn ended_session_frees_locks_and_notifies() {
    let mut room: Room = Room::new(1);
    let (name, other) = (room.lock_at(0), room.name_at(Kind::Lock, 0, 500));
    let zero = room.open(0);
    room.pass(Micros::millis(1000));
    let rival = room.open(0);
    room.gets(0, zero, 1, &name);
    room.gets(0, rival, 1, &other);
    assert_eq!(room.acquire(0, rival, 2, &name), None);
    let waiter = room.asked;
    assert_eq!(room.acquire(0, zero, 2, &other), None);
    let dying = room.asked;
    room.pass(Micros::millis(2000));
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { rid: 2, .. })));
    assert_eq!(refused(room.answer_to(dying)), Denial::SessionExpired);
    let status = room.server(0).status(room.now);
    assert_eq!((status.sessions, status.held, status.waiters), (1, 2, 0));
    assert!(room.events.iter().any(|(_, event)| *event == Event::Expired(zero)));
}

#[test]
fn keep_alive_extends_and_reports() {
    let mut room: Room = Room::new(1);
    let name = room.lock_at(0);
    let (zero, rival) = (room.open(0), room.open(0));
    let fence = room.gets(0, zero, 1, &name);
    assert_eq!(room.acquire(0, rival, 5, &name), None);
    for _ in 0..5 {
        room.pass(Micros::millis(2000));
        // The client forgot about its lock, or never heard of it: it is told, and nothing is taken from it.
        match room.ask(0, Ask::KeepAlive { session: zero, beliefs: Vec::new() }) {
            Some(Answer::Alive { valid, requests, draining: false }) => {
                assert!(valid > Micros::millis(2700) && valid <= Micros::millis(3000), "{valid}");
                assert_eq!(requests, [(1, Belief::Holds(fence))]);
            }
            other => panic!("{other:?}"),
        }
        match room.ask(0, Ask::KeepAlive { session: rival, beliefs: vec![(5, Belief::Waits)] }) {
            Some(Answer::Alive { requests, .. }) => assert_eq!(requests, [(5, Belief::Waits)]),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn wait_times_out_without_late_grant() {
    let mut room: Room = Room::new(1);
    let name = room.lock_at(0);
    let (zero, rival) = (room.open(0), room.open(0));
    let fence = room.gets(0, zero, 1, &name);
    assert_eq!(room.ask(0, acquire(rival, 1, &name, Some(Micros::millis(100)))), None);
    let waiter = room.asked;
    room.pass(Micros::millis(99));
    assert_eq!(room.answer_to(waiter), None);
    room.pass(Micros::millis(1));
    assert_eq!(refused(room.answer_to(waiter)), Denial::Timeout);
    room.quiet();
    room.release(0, zero, &name, fence);
    assert!(!room.events.iter().any(|(_, event)| matches!(event, Event::Granted { .. })));
}

#[test]
fn a_try_finds_out_and_does_not_wait() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let sessions: Vec<SessionId> = (0..3).map(|id| room.open(id)).collect();
    let attempt = |id: usize, rid| acquire(sessions[id], rid, &name, Some(Micros(0)));
    let Some(Answer::Granted { fence, .. }) = room.ask(1, attempt(1, 1)) else { panic!("it is free") };
    room.kinds();
    assert_eq!(refused(room.ask(1, attempt(1, 2))), Denial::Locked);
    assert_eq!(room.kinds(), "");
    assert_eq!(refused(room.ask(2, attempt(2, 1))), Denial::Locked);
    assert_eq!(room.kinds(), "look 2>0, look 0>1, looked 1>2", "the chain is left in peace");
    room.release(1, sessions[1], &name, fence);
    assert!(matches!(room.ask(2, attempt(2, 2)), Some(Answer::Granted { .. })));
    // Nobody answers: nothing is known, and nothing was granted.
    room.servers[2] = None;
    assert_eq!(room.ask(1, attempt(1, 3)), None);
    let asker = room.asked;
    room.proposals = false;
    room.pass(Micros::millis(1001));
    assert!(matches!(refused(room.answer_to(asker)), Denial::Recovering { .. }));
}

#[test]
fn limits_are_refused_and_nothing_is_done() {
    let mut room: Room = Room::with(1, |spec| {
        spec.limits.locks = 2;
        spec.limits.waiters = 1;
    });
    let names: Vec<Name> = (0..3).map(|number| room.name_at(Kind::Lock, 0, number * 100)).collect();
    let (zero, rival, third) = (room.open(0), room.open(0), room.open(0));
    room.gets(0, zero, 1, &names[0]);
    room.gets(0, zero, 2, &names[1]);
    assert_eq!(refused(room.acquire(0, zero, 3, &names[2])), Denial::Limit("locks and waits of a session"));
    assert_eq!(room.acquire(0, rival, 1, &names[0]), None);
    assert_eq!(refused(room.acquire(0, third, 1, &names[0])), Denial::Limit("waiters for this lock"));
    let value: Arc<[u8]> = vec![0; 4097].into();
    let long = Ask::Acquire {
        session: third,
        rid: 2,
        name: names[2].clone(),
        wait: None,
        priority: 0,
        value,
        mode: Mode::Exclusive,
    };
    assert!(matches!(refused(room.ask(0, long)), Denial::BadRequest(_)));
}

#[test]
fn session_holds_only_its_lease_class() {
    let mut room: Room = Room::new(1);
    let fast = Name::lock("fast/x").expect("a name");
    let zero = room.open(0);
    assert!(
        matches!(refused(room.acquire(0, zero, 1, &fast)), Denial::BadRequest(text) if text.contains("fast"))
    );
    let Some(Answer::Opened { session, .. }) = room.ask(0, opening(800, Class::Fast, "")) else {
        panic!("it is leased")
    };
    room.gets(0, session, 1, &fast);
    room.gets(0, session, 2, &room.lock_at(0));
}

#[test]
fn how_a_lock_is_says_its_owner() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let sessions: Vec<SessionId> = (0..3).map(|id| room.open(id)).collect();
    let look = |room: &mut Room, id| match room.ask(id, Ask::Look { name: name.clone() }) {
        Some(Answer::State(state)) => state,
        other => panic!("{other:?}"),
    };
    let idle = look(&mut room, 2);
    assert_eq!((idle.held, idle.fence, idle.owner), (false, None, Some(0)));
    let value: Arc<[u8]> = Arc::from(&b"here"[..]);
    let ask = Ask::Acquire {
        session: sessions[1],
        rid: 1,
        name: name.clone(),
        wait: None,
        priority: 0,
        value: value.clone(),
        mode: Mode::Exclusive,
    };
    let Some(Answer::Granted { fence, .. }) = room.ask(1, ask) else { panic!("it is free") };
    // Somebody waits, so the last in the chain does not have the token: the owner answers all the same.
    assert_eq!(room.acquire(2, sessions[2], 1, &name), None);
    for id in 0..3 {
        let state = look(&mut room, id);
        assert_eq!((state.held, state.fence, state.owner), (true, Some(fence), Some(1)));
        assert_eq!((&*state.value, &*state.holder), (&*value, "test"));
    }
    assert_eq!(room.server(1).locks(room.now, None, 10).len(), 1);
    assert_eq!(room.server(1).locks(room.now, Some(&name), 10).len(), 0);
}

#[test]
fn refused_try_leaves_no_record_behind() {
    let mut room = Room::begins(Rules::default(), View::first(1, Times::default(), Vec::new()), 1, |_| {});
    room.pass(Micros::millis(400));
    let zero = room.open(0);
    let name = Name::lock("x").expect("a name");
    let answer = room.ask(0, acquire(zero, 1, &name, Some(Micros(0))));
    assert!(matches!(refused(answer), Denial::Recovering { .. }));
    assert_eq!(room.server(0).locks.len(), 0);
}
