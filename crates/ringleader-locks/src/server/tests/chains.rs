//! Tokens inside an epoch: what is lost and repeated, what goes home, who is served first.

use super::*;

fn settle(room: &mut Room) {
    room.pass(Micros::millis(200));
}

#[test]
fn what_is_lost_is_sent_again() {
    let lost: [fn(&Message) -> bool; 3] = [
        |message| matches!(message, Message::Req { .. }),
        |message| matches!(message, Message::Pass { .. }),
        |message| matches!(message, Message::Token { .. }),
    ];
    for loses in lost {
        let mut room: Room = Room::new(3);
        let name = room.lock_at(0);
        let (one, two) = (room.open(1), room.open(2));
        let fence = room.gets(1, one, 1, &name);
        room.release(1, one, &name, fence);
        room.loses = loses;
        assert_eq!(room.acquire(2, two, 1, &name), None);
        let waiter = room.asked;
        settle(&mut room);
        assert_eq!(room.answer_to(waiter), None);
        room.loses = |_| false;
        settle(&mut room);
        assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { fence: next, .. }) if next > fence));
        assert!(room.server(2).tally().resent > 0);
    }
}

#[test]
fn a_token_is_taken_once() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let (one, two) = (room.open(1), room.open(2));
    let fence = room.gets(1, one, 1, &name);
    let token = room.sent.iter().find(|(_, _, message)| matches!(message, Message::Token { .. })).cloned();
    let (from, to, token) = token.expect("it came");
    room.release(1, one, &name, fence);
    room.gets(2, two, 1, &name);
    room.input(to, Input::Peer(from, token));
    assert_eq!(room.server(1).status(room.now).tokens, 0);
    assert_eq!(room.server(1).tally().duplicates, 1);
}

fn idle_soon(spec: &mut ServerSpec) {
    spec.idle = Micros::millis(50);
}

/// The token goes home when nobody uses it, and nothing is remembered of it there but how far its numbers went.
fn gone_home(rules: Rules) -> (Room, Name, SessionId, Fence) {
    let mut room = Room::of(rules, 3, idle_soon);
    let name = room.lock_at(0);
    let one = room.open(1);
    let fence = room.gets(1, one, 1, &name);
    room.release(1, one, &name, fence);
    room.quiet();
    room.pass(Micros::millis(60));
    assert_eq!(room.kinds(), "offer 1>0, pass 0>1, token 1>0");
    assert_eq!(room.server(0).status(room.now).tokens, 0);
    assert_eq!(room.server(0).locks.len(), 0);
    (room, name, one, fence)
}

#[test]
fn numbers_go_on_when_an_idle_token_went_home() {
    let (mut room, name, one, fence) = gone_home(Rules::default());
    // A token of before is no use, neither here nor at home.
    let old = Message::Token { epoch: room.view.epoch, name: name.clone(), k: 1, counter: 0 };
    room.input(1, Input::Peer(0, old.clone()));
    room.input(0, Input::Peer(1, old));
    assert_eq!(room.server(1).status(room.now).tokens + room.server(0).status(room.now).tokens, 0);
    let next = room.gets(1, one, 2, &name);
    assert!(next > fence);
}

#[test]
fn restarted_chain_is_refused_by_old_owners() {
    let (mut room, name, one, _) = gone_home(Rules::without(Rule::GoesOn));
    assert_eq!(room.acquire(1, one, 2, &name), None);
    let waiter = room.asked;
    room.pass(Micros::millis(1000));
    assert_eq!(room.answer_to(waiter), None, "it is refused for ever");
}

#[test]
fn a_request_of_before_costs_nobody_anything() {
    let (mut room, name, one, _) = gone_home(Rules::default());
    let old = Message::Req { epoch: room.view.epoch, name: name.clone(), number: 1, priority: 0 };
    room.input(0, Input::Peer(1, old));
    assert_eq!(room.server(1).status(room.now).tokens, 1, "it came, and nobody needs it");
    let two = room.open(2);
    let fence = room.gets(2, two, 1, &name);
    room.release(2, two, &name, fence);
    assert!(room.gets(1, one, 2, &name) > fence);
}

#[test]
fn too_many_tokens_go_home_at_once() {
    let mut room: Room = Room::with(2, |spec| spec.limits.cached = 3);
    let one = room.open(1);
    for rid in 1..=10 {
        let name = room.name_at(Kind::Lock, 0, rid * 50);
        let fence = room.gets(1, one, rid as Rid, &name);
        room.release(1, one, &name, fence);
    }
    assert_eq!(room.server(1).status(room.now).tokens, 3);
}

#[test]
fn too_many_departed_tokens_force_new_epoch() {
    let mut room: Room = Room::with(2, |spec| spec.limits.cached = 3);
    let (one, epoch) = (room.open(1), room.view.epoch);
    for rid in 1..=10 {
        let name = room.name_at(Kind::Lock, 0, rid * 50);
        let fence = room.gets(1, one, rid as Rid, &name);
        room.release(1, one, &name, fence);
    }
    room.hint();
    assert_eq!(room.view.epoch, epoch + 1);
    assert!(room.server(1).locks.len() <= 4, "{}", room.server(1).locks.len());
}

#[test]
fn local_waiters_go_first_within_a_limit() {
    let order = |bypass: u32, pause: Micros| {
        let mut room: Room = Room::with(3, |_| {});
        let name = room.lock_at(0);
        let (one, two) = (room.open(1), room.open(2));
        if let Some(server) = room.servers[1].as_mut() {
            server.spec.bypass = bypass;
        }
        let mut fence = room.gets(1, one, 1, &name);
        assert_eq!(room.acquire(2, two, 1, &name), None);
        let next = room.asked;
        for rid in 2..=6 {
            assert_eq!(room.acquire(1, one, rid, &name), None);
        }
        let mut served = 0;
        loop {
            room.now = room.now + pause;
            room.quiet();
            room.release(1, one, &name, fence);
            if room.answer_to(next).is_some() {
                return served;
            }
            served += 1;
            fence = room.granted().expect("one of them is next").1;
        }
    };
    assert_eq!(order(0, Micros(10)), 0);
    assert_eq!(order(2, Micros(10)), 2);
    assert_eq!(order(16, Micros(2000)), 2, "for 5 ms");
}

#[test]
fn who_gets_the_token_serves_one_first() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let sessions: Vec<SessionId> = (0..3).map(|id| room.open(id)).collect();
    let mut fence = room.gets(0, sessions[0], 1, &name);
    // One and two wait; when it is one's turn it is served although two is known to be next.
    for id in [1, 2] {
        assert_eq!(room.acquire(id, sessions[usize::from(id)], 1, &name), None);
    }
    let mut before = 0;
    for id in [1, 2] {
        room.quiet();
        room.release(before, sessions[usize::from(before)], &name, fence);
        let granted = room.granted();
        let (at, next) = granted.expect("somebody is");
        assert_eq!(at, id);
        (before, fence) = (at, next);
    }
}

#[test]
fn a_waiter_that_gave_up_costs_one_hop() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let sessions: Vec<SessionId> = (0..3).map(|id| room.open(id)).collect();
    let fence = room.gets(0, sessions[0], 1, &name);
    for id in [1, 2] {
        assert_eq!(room.acquire(id, sessions[usize::from(id)], 1, &name), None);
    }
    let waiter = room.asked;
    assert_eq!(room.ask(1, Ask::Cancel { session: sessions[1], rid: 1 }), Some(Answer::Cancelled));
    room.kinds();
    room.release(0, sessions[0], &name, fence);
    assert_eq!(room.kinds(), "token 0>1, token 1>2");
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
}

fn campaign(session: SessionId, rid: Rid, name: &Name, priority: u32) -> Ask {
    Ask::Acquire {
        session,
        rid,
        name: name.clone(),
        wait: None,
        priority,
        value: Arc::from([]),
        mode: Mode::Exclusive,
    }
}

/// Who leads, one after the other, as everybody resigns as soon as they lead.
fn reign(
    room: &mut Room,
    name: &Name,
    sessions: &[SessionId],
    mut leads: (ServerId, Fence),
) -> Vec<ServerId> {
    let mut order = Vec::new();
    loop {
        room.quiet();
        let session = sessions[usize::from(leads.0)];
        assert_eq!(room.release(leads.0, session, name, leads.1), Some(Answer::Released));
        room.pass(Micros::millis(1100));
        for (id, session) in (0..).zip(sessions) {
            let kept = room.ask(id, Ask::KeepAlive { session: *session, beliefs: Vec::new() });
            assert!(matches!(kept, Some(Answer::Alive { .. })), "{kept:?}");
        }
        let granted = room.granted();
        let Some(next) = granted else { return order };
        order.push(next.0);
        leads = next;
    }
}

#[test]
fn elections_follow_priority() {
    for loses_took in [false, true] {
        let mut room: Room = Room::new(4);
        let name = room.name_at(Kind::Election, 0, 0);
        let sessions: Vec<SessionId> = (0..4).map(|id| room.open(id)).collect();
        let fence = room.gets(1, sessions[1], 1, &name);
        if loses_took {
            room.loses = |message| matches!(message, Message::Took { .. });
        }
        for (id, priority) in [(2, 1), (3, 3), (0, 9)] {
            assert_eq!(room.ask(id, campaign(sessions[usize::from(id)], 1, &name, priority)), None);
        }
        room.pass(Micros::millis(100));
        room.loses = |_| false;
        let order = reign(&mut room, &name, &sessions, (1, fence));
        assert_eq!(order[..2], [2, 0], "two was numbered when it was alone");
    }
}

#[test]
fn candidates_of_one_server_go_by_priority() {
    let mut room: Room = Room::new(1);
    let name = room.name_at(Kind::Election, 0, 0);
    let zero = room.open(0);
    let fence = room.gets(0, zero, 1, &name);
    for (rid, priority) in [(2, 1), (3, 7), (4, 7)] {
        assert_eq!(room.ask(0, campaign(zero, rid, &name, priority)), None);
    }
    room.quiet();
    room.release(0, zero, &name, fence);
    assert!(room.answers.iter().any(|(_, answer)| matches!(answer, Answer::Granted { rid: 3, .. })));
}

#[test]
fn duplicate_request_still_gets_its_token() {
    for other in [false, true] {
        let (mut room, name, one, fence) = gone_home(Rules::default());
        room.loses = |message| matches!(message, Message::Token { .. });
        let old = Message::Req { epoch: room.view.epoch, name: name.clone(), number: 1, priority: 0 };
        room.input(0, Input::Peer(1, old));
        room.loses = |_| false;
        assert_eq!(room.server(1).status(room.now).tokens, 0, "it was lost, and nobody asks for it");
        let (id, session) = if other { (2, room.open(2)) } else { (1, one) };
        room.acquire(id, session, 7, &name);
        let waiter = room.asked;
        room.pass(Micros::millis(300));
        let granted = room.answer_to(waiter);
        assert!(matches!(granted, Some(Answer::Granted { fence: next, .. }) if next > fence), "{granted:?}");
    }
}
