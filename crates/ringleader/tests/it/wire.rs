//! Every message survives its wire form, and no bytes can do harm: decoding gives a message or an error.

use crate::support::all;
use ringleader::model::{Edge, Field, Id, Peer, Side, Wire, WireError, put_number, take_number};
use ringleader::registry::Entry;
use ringleader::rng::mix;
use std::fmt::Debug;

/// Encodes and decodes each value; every shorter prefix must be refused.
fn survive<F: Field + PartialEq + Debug>(values: impl IntoIterator<Item = F>) {
    for value in values {
        let mut bytes = Vec::new();
        value.put(&mut bytes);
        let mut rest = bytes.as_slice();
        assert_eq!(F::take(&mut rest).as_ref(), Ok(&value));
        assert!(rest.is_empty(), "{value:?} leaves {rest:?}");
        for end in 0..bytes.len() {
            assert_eq!(F::take(&mut &bytes[..end]), Err(WireError::Short), "{value:?} cut to {end} bytes");
        }
    }
}

#[test]
fn extreme_values_survive() {
    survive([0, 1, 0x7f, 0x80, u8::MAX]);
    survive([0, 0x7f, 0x80, 0x3fff, 0x4000, u16::MAX]);
    survive([0, 1, u32::MAX - 1, u32::MAX]);
    survive((0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1]).chain([u64::MAX - 1, u64::MAX]));
    survive([i8::MIN, -1, 0, 1, i8::MAX]);
    survive([i16::MIN, -1, 0, 1, i16::MAX]);
    survive([i32::MIN, -1, 0, 1, i32::MAX]);
    survive([false, true]);
    survive(Side::BOTH);
    survive([0, 1, u32::MAX - 1].map(Id::from_rank));
    survive([0, 1, u32::MAX - 1].map(Peer));
    survive([0, 1, u32::MAX - 1].map(Edge));
    survive([None, Some(0), Some(u64::MAX)]);
    survive([vec![], vec![u64::MAX; 1000], vec![0; 129]]);
    survive([vec![vec![Some(Id::from_rank(7)), None], vec![]]]);
    survive([(i32::MIN, u64::MAX), (0, 0)]);
}

#[test]
fn what_is_out_of_range_is_refused() {
    fn refused<F: Field + Debug>(number: u64) {
        let mut bytes = Vec::new();
        put_number(number, &mut bytes);
        let taken = F::take(&mut bytes.as_slice());
        assert!(
            matches!(taken, Err(WireError::Range)),
            "{number} as {}: {taken:?}",
            std::any::type_name::<F>()
        );
    }
    refused::<u16>(1 << 16);
    refused::<u32>(1 << 32);
    refused::<i8>(1 << 8);
    refused::<i16>(1 << 16);
    refused::<i32>(1 << 32);
    refused::<bool>(2);
    refused::<Side>(2);
    refused::<Option<u8>>(2);
    for number in [u64::from(u32::MAX), 1 << 32, u64::MAX] {
        refused::<Id>(number);
        refused::<Peer>(number);
        refused::<Edge>(number);
    }
    // More than 64 bits, ended or not.
    let mut eleven: &[u8] = &[0xff; 11];
    assert_eq!(take_number(&mut eleven), Err(WireError::Range));
    let mut too_large: &[u8] = &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02];
    assert_eq!(take_number(&mut too_large), Err(WireError::Range));
    let mut longer_than_needed: &[u8] = &[0x85, 0x00];
    assert_eq!(take_number(&mut longer_than_needed), Err(WireError::Range), "a number has one form");
}

#[test]
fn a_list_cannot_claim_more_than_is_there() {
    for length in [2, 1 << 20, u64::MAX] {
        let mut bytes = Vec::new();
        put_number(length, &mut bytes);
        bytes.push(0);
        assert_eq!(Vec::<u64>::take(&mut bytes.as_slice()), Err(WireError::Short), "{length}");
        assert_eq!(Vec::<Vec<bool>>::take(&mut bytes.as_slice()), Err(WireError::Short), "{length}");
    }
}

/// If these bytes are a message: it survives, no prefix of it is one, and nothing may follow. Gives its kind.
fn examine(entry: &Entry, bytes: &[u8]) -> Option<usize> {
    let name = entry.spec.name;
    let message = entry.decode(bytes).ok()?;
    assert_eq!(entry.decode(&message.bytes).as_ref(), Ok(&message), "{name}");
    for end in 0..message.bytes.len() {
        let cut = entry.decode(&message.bytes[..end]);
        assert_eq!(cut, Err(WireError::Short), "{name}: {message:?} cut to {end} bytes");
    }
    let long = [message.bytes.as_slice(), &[0]].concat();
    assert_eq!(entry.decode(&long), Err(WireError::Long), "{name}: {message:?} and a byte");
    Some(message.kind)
}

/// The kinds of an algorithm that were met. A test that never saw a kind has said nothing about it.
fn all_met(entry: &Entry, met: &[bool]) {
    let missed: Vec<_> =
        entry.kinds.iter().zip(met).filter(|(_, met)| !**met).map(|(kind, _)| kind).collect();
    assert!(missed.is_empty(), "{}: never decoded {missed:?}", entry.spec.name);
}

#[test]
fn messages_with_extreme_fields_survive() {
    for entry in all().iter().filter(|entry| !entry.kinds.is_empty()) {
        let mut met = vec![false; entry.kinds.len()];
        for kind in 0..entry.kinds.len() {
            for number in [0, 1, 2, 0x7f, 0x80, u64::from(u32::MAX) - 1, u64::from(u32::MAX), u64::MAX] {
                // One field more each time, the number of fields being unknown here.
                let mut bytes = vec![kind as u8];
                for _ in 0..24 {
                    if let Some(kind) = examine(entry, &bytes) {
                        met[kind] = true;
                    }
                    put_number(number, &mut bytes);
                }
            }
        }
        all_met(entry, &met);
        assert_eq!(entry.decode(&[]), Err(WireError::Short), "{}", entry.spec.name);
        assert_eq!(entry.decode(&[entry.kinds.len() as u8]), Err(WireError::Range), "{}", entry.spec.name);
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let mut counter = 0;
    let mut draw = |below: u64| {
        counter += 1;
        mix(counter) % below
    };
    for entry in all().iter().filter(|entry| !entry.kinds.is_empty()) {
        let mut met = vec![false; entry.kinds.len()];
        for _ in 0..20_000 {
            // Arbitrary bytes; or a kind with small numbers, some of them long; or a kind with noughts and ones.
            let below = [256, 256, 2][draw(3) as usize];
            let mut bytes: Vec<u8> = (0..draw(16)).map(|_| draw(below) as u8).collect();
            if below == 2 || draw(2) == 0 {
                bytes.iter_mut().for_each(|byte| *byte &= 0x87);
                bytes.insert(0, draw(entry.kinds.len() as u64) as u8);
            }
            if let Some(kind) = examine(entry, &bytes) {
                met[kind] = true;
            }
        }
        all_met(entry, &met);
    }
}
