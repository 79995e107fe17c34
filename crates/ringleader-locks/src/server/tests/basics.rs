//! Joining, sessions, granting, and the messages that a lock costs.

use super::*;

#[test]
fn lock_costs_zero_to_three_messages() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let sessions: Vec<SessionId> = (0..3).map(|id| room.open(id)).collect();
    let fence = room.gets(1, sessions[1], 1, &name);
    assert_eq!(room.kinds(), "req 1>0, token 0>1");
    assert_eq!(room.release(1, sessions[1], &name, fence), Some(Answer::Released));
    let again = room.gets(1, sessions[1], 2, &name);
    assert!(again > fence);
    room.release(1, sessions[1], &name, again);
    assert_eq!(room.kinds(), "");
    let third = room.gets(2, sessions[2], 1, &name);
    assert_eq!(room.kinds(), "req 2>0, pass 0>1, token 1>2");
    assert!(third > again);
    room.release(2, sessions[2], &name, third);
    let home = room.gets(0, sessions[0], 1, &name);
    assert_eq!(room.kinds(), "pass 0>2, token 2>0");
    assert!(home > third);
}

#[test]
fn a_known_successor_costs_one_message() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(0);
    let sessions: Vec<SessionId> = (0..3).map(|id| room.open(id)).collect();
    let fence = room.gets(1, sessions[1], 1, &name);
    assert_eq!(room.acquire(2, sessions[2], 1, &name), None);
    let waiter = room.asked;
    assert_eq!(room.kinds(), "req 1>0, token 0>1, req 2>0, pass 0>1");
    room.release(1, sessions[1], &name, fence);
    assert_eq!(room.kinds(), "token 1>2");
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { rid: 1, .. })));
}

#[test]
fn nearly_due_messages_are_piggybacked() {
    let mut room: Room = Room::new(3);
    let wakes = |room: &Room| room.servers[1].as_ref().expect("it runs").wakes_at();
    room.input(1, Input::Tick);
    let due = wakes(&room);
    // A sign of life every 100 ms, and company in the middle between two: nothing is nearly due.
    room.now = due - Micros::millis(60);
    room.input(1, Input::Company);
    assert_eq!(wakes(&room), due);
    room.now = due - Micros::millis(40);
    room.input(1, Input::Company);
    assert!(wakes(&room) > due, "it was sent early, and the next one counts from then");
    // With company that comes a little more often than signs of life are due, all of them go along with it.
    let beat = |room: &Room| {
        let timers = &room.servers[1].as_ref().expect("it runs").timers;
        timers.iter().find(|(_, timer)| *timer == super::super::Timer::Beat).map(|(at, _)| *at)
    };
    for _ in 0..100 {
        room.now = room.now + Micros::millis(94);
        assert!(beat(&room) > Some(room.now), "it was still to be sent");
        room.input(1, Input::Company);
        assert_eq!(beat(&room), Some(room.now + Micros::millis(100)));
    }
}

#[test]
fn without_sessions_the_view_is_read_less_often() {
    let mut room: Room = Room::new(3);
    let reads = |room: &mut Room| {
        let server = room.servers[1].as_mut().expect("it runs");
        let mut out = Vec::new();
        let mut reads = 0;
        for _ in 0..160 {
            room.now = room.now + Micros::millis(10);
            server.handle(room.now, Input::Tick, &mut out);
            for output in std::mem::take(&mut out) {
                if let Output::Read(number) = output {
                    reads += 1;
                    let view = Some(Arc::new(room.view.clone()));
                    server.handle(room.now, Input::Read(number, view), &mut Vec::new());
                }
            }
        }
        reads
    };
    assert_eq!(reads(&mut room), 5);
    room.open(1);
    assert!(reads(&mut room) >= 7);
}
