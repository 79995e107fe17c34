//! View changes: what goes on at once, what waits, and for whom.

use super::*;

/// The view changes, and nobody but this test says how.
fn by_hand(room: &mut Room) {
    room.proposals = false;
}

fn wait(room: &Room, class: Class) -> Micros {
    room.view.wait(class)
}

#[test]
fn what_lives_on_survivors_goes_on_at_once() {
    let mut room: Room = Room::new(3);
    by_hand(&mut room);
    let (here, moved) = (room.lock_at(0), room.lock_at(2));
    let (zero, one) = (room.open(0), room.open(1));
    let first = room.gets(1, one, 1, &here);
    let held = room.gets(1, one, 2, &moved);
    room.servers[2] = None;
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    room.quiet();
    // Held all the time, with the fence that it had; given back and taken again without a message.
    assert_eq!(room.release(1, one, &here, first), Some(Answer::Released));
    let next = room.gets(1, one, 3, &here);
    assert!(next > first && next.epoch() == room.view.epoch);
    assert_eq!(room.kinds(), "");
    // A lock whose home is gone: its new home knows it from the report.
    assert_eq!(room.acquire(0, zero, 1, &moved), None);
    let waiter = room.asked;
    assert_eq!(room.release(1, one, &moved, held), Some(Answer::Released));
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
}

#[test]
fn unreported_lock_waits_for_old_leases() {
    let mut room: Room = Room::new(3);
    by_hand(&mut room);
    let name = room.lock_at(0);
    let (zero, two) = (room.open(0), room.open(2));
    let lost = room.gets(2, two, 1, &name);
    let other = room.name_at(Kind::Lock, 0, 900);
    room.gets(2, two, 2, &other);
    room.servers[2] = None;
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    assert_eq!(room.acquire(0, zero, 1, &name), None);
    let waiter = room.asked;
    assert!(matches!(
        room.ask(0, acquire(zero, 2, &other, Some(Micros(0)))),
        Some(Answer::Denied(Denial::Recovering { .. }))
    ));
    let (installed, wait) = (room.now, wait(&room, Class::Normal));
    for rest in [2000, 1000, 1] {
        let span = installed + wait - Micros(rest) - room.now;
        live(&mut room, 0, zero, span);
        assert_eq!(room.answer_to(waiter), None, "{rest} before the end");
    }
    keep(&mut room, 0, zero);
    room.pass(Micros(1));
    match room.answer_to(waiter) {
        Some(Answer::Granted { fence, .. }) => assert!(fence > lost),
        other => panic!("{other:?}"),
    }
}

#[test]
fn second_membership_change_restarts_no_wait() {
    let mut room: Room = Room::new(3);
    by_hand(&mut room);
    let name = room.lock_at(0);
    let (zero, two) = (room.open(0), room.open(2));
    room.gets(2, two, 1, &name);
    room.servers[2] = None;
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    assert_eq!(room.acquire(0, zero, 1, &name), None);
    let waiter = room.asked;
    let (installed, wait) = (room.now, wait(&room, Class::Normal));
    for part in 1..5 {
        let span = installed + Micros(wait.0 / 5 * part) - room.now;
        live(&mut room, 0, zero, span);
        room.change(&Command::Rehome(room.view.epoch, room.view.homes.clone()));
        room.hint();
    }
    let span = installed + wait - Micros(1) - room.now;
    live(&mut room, 0, zero, span);
    assert_eq!(room.answer_to(waiter), None);
    keep(&mut room, 0, zero);
    room.pass(Micros(1));
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
}

#[test]
fn newcomer_learns_how_long_others_are_gone() {
    let mut room: Room = Room::new(3);
    by_hand(&mut room);
    room.servers[1] = None;
    room.change(&Command::Exclude(room.view.epoch, 1));
    room.hint();
    room.change(&Command::Settle(room.view.epoch));
    room.pass(Micros::millis(300));
    let name = room.lock_at(0);
    let two = room.open(2);
    room.gets(2, two, 1, &name);
    room.servers[2] = None;
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    let (installed, wait) = (room.now, wait(&room, Class::Normal));
    room.pass(Micros(wait.0 / 5 * 4));
    // It knows nothing of all this, and is the home from now on.
    room.start(1, 3, |_| {});
    room.change(&Command::Admit(room.view.epoch, 1, room.runs));
    room.hint();
    room.change(&Command::Rehome(room.view.epoch, vec![1; room.view.homes.len()]));
    room.hint();
    let one = room.open(1);
    assert_eq!(room.acquire(1, one, 1, &name), None);
    let waiter = room.asked;
    let span = installed + wait - Micros(1) - room.now;
    live(&mut room, 1, one, span);
    assert_eq!(room.answer_to(waiter), None, "its lease may run");
    keep(&mut room, 1, one);
    room.pass(Micros(1));
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
}

#[test]
fn who_came_and_went_unseen_is_waited_for() {
    let mut room: Room = Room::new(3);
    by_hand(&mut room);
    let name = room.lock_at(1);
    let one = room.open(1);
    let fence = room.gets(1, one, 1, &name);
    assert_eq!(room.release(1, one, &name, fence), Some(Answer::Released));
    // Out for long, as everybody knows.
    room.servers[2] = None;
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.hint();
    let longest = room.view.longest_wait();
    room.pass(longest);
    // It comes, gets a lock, and is out again, while server 0 hears nothing.
    room.cut.insert(0);
    room.start(2, 3, |_| {});
    room.change(&Command::Admit(room.view.epoch, 2, room.runs));
    room.hint();
    let two = room.open(2);
    room.gets(2, two, 1, &name);
    room.change(&Command::Exclude(room.view.epoch, 2));
    room.change(&Command::Rehome(room.view.epoch, vec![0; room.view.homes.len()]));
    room.cut.clear();
    room.cut.insert(2);
    room.hint();
    let zero = room.open(0);
    assert_eq!(room.acquire(0, zero, 1, &name), None, "its lease may run");
    let (waiter, span) = (room.asked, wait(&room, Class::Normal));
    live(&mut room, 0, zero, span);
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
}

pub(super) fn keep(room: &mut Room, id: ServerId, session: SessionId) {
    let answer = room.ask(id, Ask::KeepAlive { session, beliefs: Vec::new() });
    assert!(matches!(answer, Some(Answer::Alive { .. })), "{answer:?}");
}

/// Lets time pass while a session is kept alive.
pub(super) fn live(room: &mut Room, id: ServerId, session: SessionId, span: Micros) {
    let end = room.now + span;
    while room.now < end {
        keep(room, id, session);
        room.pass(Micros::millis(500).min(end - room.now));
    }
}

#[test]
fn a_faster_class_waits_less() {
    let mut room: Room = Room::new(2);
    by_hand(&mut room);
    let fast = Name::lock("fast/x").expect("a name");
    let open = || opening(800, Class::Fast, "");
    let Some(Answer::Opened { session, .. }) = room.ask(1, open()) else { panic!("it is leased") };
    room.gets(1, session, 1, &fast);
    room.gets(1, session, 2, &room.lock_at(0));
    room.servers[1] = None;
    room.change(&Command::Exclude(room.view.epoch, 1));
    room.hint();
    let Some(Answer::Opened { session, .. }) = room.ask(0, open()) else { panic!("it is leased") };
    assert_eq!(room.acquire(0, session, 1, &fast), None);
    let waiter = room.asked;
    let span = wait(&room, Class::Fast);
    live(&mut room, 0, session, span);
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
    assert!(!room.events.iter().any(|(_, event)| matches!(event, Event::Recovered { .. })));
}

#[test]
fn new_run_does_not_report_for_previous() {
    let mut room: Room = Room::new(2);
    by_hand(&mut room);
    let name = room.lock_at(0);
    let one = room.open(1);
    room.gets(1, one, 1, &name);
    // The next view lists the old run; that nobody holds anything of the new one is not what is asked.
    room.start(1, 2, |_| {});
    room.change(&Command::Rehome(room.view.epoch, room.view.homes.clone()));
    room.hint();
    let zero = room.open(0);
    assert_eq!(room.acquire(0, zero, 1, &name), None);
    let waiter = room.asked;
    live(&mut room, 0, zero, Micros::millis(20_000));
    assert_eq!(room.answer_to(waiter), None);
    assert_eq!(room.server(0).status(room.now).recovering, 1);
    room.change(&Command::Exclude(room.view.epoch, 1));
    room.hint();
    assert_eq!(room.answer_to(waiter), None, "its leases may run");
    let span = wait(&room, Class::Normal);
    live(&mut room, 0, zero, span);
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
}

#[test]
fn excluded_server_installs_after_leases_end() {
    let mut room: Room = Room::new(2);
    by_hand(&mut room);
    let (name, own) = (room.lock_at(0), room.lock_at(1));
    let (zero, one) = (room.open(0), room.open(1));
    let fence = room.gets(1, one, 1, &name);
    let before = room.view.epoch;
    room.change(&Command::Exclude(before, 1));
    room.hint();
    assert_eq!(room.server(1).status(room.now).epoch, before);
    assert_eq!(room.acquire(0, zero, 1, &name), None);
    let waiter = room.asked;
    // It grants nothing any more, and opens nothing; what is held is held.
    assert_eq!(room.acquire(1, one, 2, &own), None);
    let told = room.asked;
    assert!(matches!(
        room.ask(1, opening(3000, Class::Normal, "")),
        Some(Answer::Denied(Denial::NoLease { .. }))
    ));
    room.pass(Micros::millis(100));
    assert_eq!(room.answer_to(waiter), None);
    // Given back: now it installs, vouches, and nobody has to wait for its leases.
    assert_eq!(room.release(1, one, &name, fence), Some(Answer::Released));
    assert_eq!(room.server(1).status(room.now).epoch, before + 1);
    assert!(matches!(room.answer_to(waiter), Some(Answer::Granted { .. })));
    assert_eq!(room.answer_to(told), Some(Answer::Denied(Denial::SessionExpired)));
}

#[test]
fn silent_excluded_server_releases_with_sessions() {
    let mut room: Room = Room::new(2);
    by_hand(&mut room);
    let name = room.lock_at(0);
    // It has just read the view, so that the session is promised all of a lease.
    while room.server(1).status(room.now).lease[Class::Normal.index()] < Micros::millis(3000) {
        room.pass(Micros::millis(1));
    }
    let one = room.open(1);
    room.gets(1, one, 1, &name);
    let before = room.view.epoch;
    room.change(&Command::Exclude(before, 1));
    room.hint();
    room.pass(Micros::millis(2999));
    assert_eq!(room.server(1).status(room.now).epoch, before);
    room.pass(Micros::millis(1));
    assert_eq!(room.server(1).status(room.now).epoch, before + 1);
    assert!(room.events.iter().any(|(id, event)| *id == 1 && matches!(event, Event::Lost { .. })));
}

#[test]
fn who_was_out_in_between_carries_nothing_over() {
    let mut room: Room = Room::new(2);
    by_hand(&mut room);
    let name = room.lock_at(0);
    let one = room.open(1);
    let fence = room.gets(1, one, 1, &name);
    room.release(1, one, &name, fence);
    let run = room.server(1).spec().incarnation;
    room.change(&Command::Exclude(room.view.epoch, 1));
    room.change(&Command::Admit(room.view.epoch, 1, run));
    room.hint();
    let status = room.server(1).status(room.now);
    assert_eq!((status.epoch, status.joined, status.tokens, status.sessions), (room.view.epoch, true, 0, 0));
}

#[test]
fn the_past_is_settled_after_the_longest_wait() {
    let mut room: Room = Room::new(2);
    room.servers[1] = None;
    room.pass(Micros::millis(1000));
    assert_eq!((room.view.members.len(), room.view.past.len()), (1, 2));
    room.pass(room.view.longest_wait());
    assert!(room.view.past.is_empty());
    assert_eq!(room.server(0).view().map(|view| view.past.len()), Some(0));
}

#[test]
fn a_report_counts_when_its_last_page_is_there() {
    let mut room: Room = Room::with(2, |spec| spec.limits.page = 2);
    by_hand(&mut room);
    let one = room.open(1);
    let names: Vec<Name> = (0..7).map(|number| room.name_at(Kind::Lock, 0, number * 100)).collect();
    for (rid, name) in (1..).zip(&names) {
        room.gets(1, one, rid, name);
    }
    room.loses = |message| matches!(message, Message::Report { page: 2, .. });
    room.change(&Command::Rehome(room.view.epoch, room.view.homes.clone()));
    room.quiet();
    room.hint();
    // What was reported is open; of the others, two are on the lost page.
    assert_eq!(room.server(0).status(room.now).recovering, 2);
    let zero = room.open(0);
    room.loses = |_| false;
    room.pass(Micros::millis(200));
    assert_eq!(room.server(0).status(room.now).recovering, 0);
    let reports = |(from, _, message): &&(_, _, _)| *from == 1 && matches!(message, Message::Report { .. });
    assert_eq!(room.sent.iter().filter(reports).count(), 5, "four, and one of them again");
    // None of the seven was made anew: all are held there still.
    assert_eq!(room.acquire(0, zero, 2, &names[6]), None);
}

#[test]
fn isolated_server_grants_nothing() {
    let mut room: Room = Room::new(3);
    let name = room.lock_at(2);
    let two = room.open(2);
    let fence = room.gets(2, two, 1, &name);
    room.cut.insert(2);
    room.pass(Micros::millis(700));
    assert_eq!(room.view.members.len(), 2);
    // What it has is its own until its lease is over; nobody else makes it anew before.
    room.release(2, two, &name, fence);
    room.gets(2, two, 2, &name);
    room.pass(Micros::millis(2300));
    assert_eq!(room.acquire(2, two, 3, &name), Some(Answer::Denied(Denial::SessionExpired)));
    let open = opening(3000, Class::Normal, "");
    assert!(matches!(room.ask(2, open), Some(Answer::Denied(Denial::NoLease { .. }))));
    room.cut.clear();
    room.pass(Micros::millis(1500));
    assert_eq!(room.view.members.len(), 3, "it wants in again");
}

#[test]
fn an_old_token_is_lost_with_its_epoch() {
    let mut room: Room = Room::new(2);
    by_hand(&mut room);
    let name = room.lock_at(0);
    let old = Message::Token { epoch: room.view.epoch, name: name.clone(), k: 9, counter: 9 };
    room.change(&Command::Rehome(room.view.epoch, room.view.homes.clone()));
    room.hint();
    let before = room.server(1).tally().old_epoch;
    room.input(1, Input::Peer(0, old));
    assert_eq!(room.server(1).status(room.now).tokens, 0);
    assert_eq!(room.server(1).tally().old_epoch, before + 1);
}

#[test]
fn a_session_is_promised_no_more_than_its_locks() {
    let mut room: Room = Room::new(1);
    by_hand(&mut room);
    let name = Name::lock("slow/x").expect("a name");
    let zero = room.open(0);
    room.gets(0, zero, 1, &name);
    let classes = vec![("slow/".to_owned(), Class::Fast)];
    room.change(&Command::SetTimes(room.view.epoch, room.view.times, classes));
    room.hint();
    let kept = room.ask(0, Ask::KeepAlive { session: zero, beliefs: Vec::new() });
    assert!(matches!(kept, Some(Answer::Alive { valid, .. }) if valid <= Micros::millis(800)), "{kept:?}");
}

#[test]
fn the_lease_counts_from_the_sending_of_the_read() {
    let mut room: Room = Room::new(1);
    let server = room.servers[0].as_mut().expect("it runs");
    let mut out = Vec::new();
    let mut sent = None;
    while sent.is_none() {
        let now = server.wakes_at();
        server.handle(now, Input::Tick, &mut out);
        sent = out.iter().find_map(|output| match output {
            Output::Read(number) => Some((now, *number)),
            Output::Send(..) | Output::Propose(_) | Output::Answer(..) | Output::Event(_) => None,
        });
    }
    let Some((sent, number)) = sent else { return };
    let answered = sent + Micros::millis(150);
    server.handle(answered, Input::Read(number, Some(Arc::new(room.view.clone()))), &mut out);
    assert_eq!(server.status(answered).lease[Class::Fast.index()], Micros::millis(650));
}
