//! Messages there and back, and bytes that are none.

use super::*;
use core::fmt::Debug;

/// There and back; every cut is refused; every changed byte is refused or gives something else, which has the
/// changed bytes as its only form.
fn holds<T: Debug + PartialEq>(
    value: &T,
    encode: fn(&T, &mut Vec<u8>),
    decode: fn(&[u8]) -> Result<T, WireError>,
) {
    let mut bytes = Vec::new();
    encode(value, &mut bytes);
    assert_eq!(decode(&bytes).as_ref(), Ok(value));
    for cut in 0..bytes.len() {
        assert!(decode(&bytes[..cut]).is_err(), "{value:?} cut at {cut}");
    }
    for place in 0..bytes.len() {
        for change in [1, 2, 0x10, 0x40, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[place] ^= change;
            if let Ok(other) = decode(&changed) {
                let mut again = Vec::new();
                encode(&other, &mut again);
                assert_eq!(again, changed, "{other:?} has two forms");
                assert_ne!(&other, value);
            }
        }
    }
    bytes.push(0);
    assert!(decode(&bytes).is_err(), "{value:?} with a byte more");
}

fn name(text: &str) -> Name {
    Name::new(Kind::Election, text).expect("a name")
}

#[test]
fn messages_round_trip_and_junk_is_refused() {
    let state = LockState {
        held: true,
        fence: Some(Fence::new(7, 300)),
        value: Arc::from(&b"value"[..]),
        holder: Arc::from("host 12"),
        remaining: Micros::millis(800),
        waiters: 3,
        owner: Some(2),
        mode: Mode::Exclusive,
        holders: 1,
    };
    let shared = LockState { mode: Mode::Permits(300), holders: 200, ..state.clone() };
    let owned = |text: &str, held, lent| Owned { name: name(text), held, lent };
    let fences = vec![Fence::new(7, 300), Fence::new(8, 1)];
    let owns = vec![
        owned("a", true, None),
        owned("\u{e4}", false, None),
        owned("b", true, Some((Mode::Shared, fences.clone()))),
    ];
    let lent = vec![Hold { run: (3, u64::MAX), fence: fences[0] }, Hold { run: (600, 1), fence: fences[1] }];
    let carried = Carried {
        rid: 9,
        name: name("x"),
        fence: Fence::new(7, 300),
        value: Arc::from(&b"v"[..]),
        k: 300,
        counter: 5,
    };
    let parcel = Box::new(Parcel {
        ttl: Micros::millis(800),
        class: Class::Batch,
        meta: Arc::from("host 12"),
        owner: Arc::from("ci"),
        left: Micros(77),
        over: ENDINGS.into_iter().map(|how| Finished { rid: 300, lock: u32::MAX, how }).collect(),
        held: vec![carried],
    });
    let messages = [
        Message::Ping {
            epoch: 300,
            incarnation: u64::MAX,
            leased: true,
            wants_in: false,
            proposes: true,
            proto: 1,
        },
        Message::Req { epoch: 1, name: name("x"), number: 1 << 40, priority: 9 },
        Message::Pass { epoch: 1, name: name("x"), k: 0, to: 600 },
        Message::Token { epoch: 1, name: name("x"), k: 1, counter: 1 << 35 },
        Message::Took { epoch: 1, name: name("x"), k: 1 },
        Message::Offer { epoch: 1, name: name("x"), k: 1 },
        Message::Report {
            epoch: 2,
            incarnation: 5,
            page: 0,
            pages: 2,
            owns,
            gone: vec![((600, u64::MAX), Micros::millis(7)), ((2, 5), Micros(0))],
        },
        Message::Reported { epoch: 2, incarnation: 5, page: 1 },
        Message::Look { epoch: 2, name: name("x"), asker: 1, number: 77 },
        Message::Looked { epoch: 2, name: name("x"), number: 77, state },
        Message::Looked { epoch: 2, name: name("x"), number: 78, state: LockState::default() },
        Message::Move { epoch: 2, session: SessionId(7 << 64 | 300), parcel },
        Message::Looked { epoch: 2, name: name("x"), number: 79, state: shared },
        Message::Moved { epoch: 2, session: SessionId(u128::MAX), taken: false },
        Message::Lends {
            epoch: 2,
            name: name("x"),
            k: 7,
            counter: 9,
            lent: Lent { mode: Mode::Permits(1000), holds: lent },
        },
        Message::Ask { epoch: 2, name: name("x"), fences: fences.clone() },
        Message::Over { epoch: 2, name: name("x"), fences },
    ];
    for message in messages {
        holds(&message, Message::encode, Message::decode);
    }
}

#[test]
fn views_and_commands_come_back() {
    let classes = vec![("batch/".to_owned(), Class::Batch)];
    let mut view = View::first(300, Times::default(), classes.clone());
    holds(&view, View::encode, View::decode);
    for server in [0, 1, 500] {
        view = view.after(&Command::Admit(view.epoch, server, 1 << 60)).expect("it is new");
    }
    holds(&view, View::encode, View::decode);
    let commands = [
        Command::Exclude(300, 2),
        Command::Admit(300, 2, u64::MAX),
        Command::Rehome(300, vec![1; SHARDS]),
        Command::SetTimes(300, Times::default(), classes),
        Command::SetProto(300, 2),
        Command::Settle(MAX_EPOCH),
        Command::Left(300, 2, u64::MAX),
    ];
    for command in commands {
        holds(&command, Command::encode, Command::decode);
    }
}

#[test]
fn a_view_with_a_home_that_is_no_member_is_none() {
    let mut view = View::first(1, Times::default(), Vec::new());
    view = view.after(&Command::Admit(1, 0, 5)).expect("it is new");
    view.homes[17] = 1;
    let mut bytes = Vec::new();
    view.encode(&mut bytes);
    assert_eq!(View::decode(&bytes), Err(WireError::Range));
}

#[test]
fn what_is_too_long_is_refused_before_it_is_read() {
    assert_eq!(Message::decode(&vec![6; MAX_MESSAGE + 1]), Err(WireError::Long));
}
