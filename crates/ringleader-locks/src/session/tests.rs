//! The client's side of the promise.

use super::*;

fn session() -> Session {
    Session::opened(SessionId(7), Times::default(), Micros::millis(1000), Micros::millis(1000))
}

#[test]
fn deadline_counts_from_sending_minus_drift() {
    let mut session = session();
    assert_eq!(session.deadline(), Micros(1_990_049));
    assert!(session.kept_alive(Micros::millis(1500), Micros::millis(1400), Micros::millis(1000)));
    assert_eq!(session.deadline(), Micros(2_390_049));
    // An answer that was overtaken takes nothing back.
    assert!(session.kept_alive(Micros::millis(1600), Micros::millis(1300), Micros::millis(1000)));
    assert_eq!(session.deadline(), Micros(2_390_049));
}

#[test]
fn what_is_dead_stays_dead() {
    let mut session = session();
    session.waits(1);
    let late = Micros::millis(1991);
    assert!(!session.kept_alive(late, Micros::millis(1980), Micros::millis(1000)));
    assert_eq!(session.granted(late, SessionId(7), 1, Fence::new(1, 1)), Standing::GiveBack);
    assert!(!session.is_alive(Micros::millis(1100)));
}

#[test]
fn grant_counts_only_for_waiting_request() {
    let mut session = session();
    let (now, fence) = (Micros::millis(1100), Fence::new(1, 1));
    session.waits(2);
    assert_eq!(session.granted(now, SessionId(7), 1, fence), Standing::GiveBack);
    assert_eq!(session.granted(now, SessionId(8), 2, fence), Standing::GiveBack);
    assert_eq!(session.granted(now, SessionId(7), 2, fence), Standing::Held);
    assert_eq!(session.granted(now, SessionId(7), 2, fence), Standing::Held);
    assert!(session.is_held(now, 2));
    session.lets_go(2);
    assert_eq!(session.granted(now, SessionId(7), 2, fence), Standing::GiveBack);
}

#[test]
fn two_locks_with_one_fence_are_two() {
    let mut session = session();
    let (now, fence) = (Micros::millis(1100), Fence::new(1, 1));
    for rid in [1, 2] {
        session.waits(rid);
        assert_eq!(session.granted(now, SessionId(7), rid, fence), Standing::Held);
    }
    session.lets_go(2);
    assert!(session.is_held(now, 1) && !session.is_held(now, 2));
}

#[test]
fn an_answer_to_a_keep_alive_heals_what_was_lost() {
    let mut session = session();
    let (now, fence) = (Micros::millis(1100), Fence::new(1, 1));
    session.waits(1);
    session.waits(2);
    let known = [(1, Belief::Holds(fence)), (3, Belief::Holds(Fence::new(1, 2))), (4, Belief::Waits)];
    let news = session.told(now, &known);
    let expected = [(2, Told::AskAgain), (1, Told::Granted(fence)), (3, Told::Cancel), (4, Told::Cancel)];
    assert_eq!(news, expected);
    assert!(session.is_held(now, 1));
    // What is held and not listed was perhaps granted after the answer was given.
    assert_eq!(session.told(now, &[(2, Belief::Waits)]), []);
    assert!(session.is_held(now, 1));
}
