//! Joining, sessions, granting, and the messages that a lock costs.

use super::*;

#[test]
fn a_lock_costs_no_message_where_it_was_and_three_from_a_third_server() {
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
