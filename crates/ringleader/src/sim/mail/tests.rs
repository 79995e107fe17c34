//! Letters in the order in which they arrive.

use super::*;
use crate::population::Handle;
use crate::rng::{Purpose, Rng};

fn deals(mail: &mut Mail, n: u32) {
    let mut expected = mail.letters.clone();
    expected.sort_by_key(|letter| (letter.to, letter.port, letter.message.place()));
    let mut dealt = Vec::new();
    mail.deal(&mut dealt, n);
    assert_eq!(dealt, expected, "to {n}");
    assert!(mail.letters.is_empty());
}

/// What one process sends, and then another, as most rounds are.
#[test]
fn deals_two_lists_in_order() {
    let mut mail = Mail::default();
    for first in (0..20).chain([200, 300]) {
        for second in [0, 1, 7, 250] {
            for removed in [None, Some(0), Some(first as usize / 2)] {
                let tos = (0..first).map(|to| 3 * to + 1).chain((0..second).map(|to| 2 * to));
                for (message, to) in (0..).zip(tos) {
                    mail.add(Letter { to, port: 0, message: Handle::at(message) });
                }
                if let Some(place) = removed.filter(|&place| place < mail.letters.len()) {
                    mail.remove(place);
                }
                deals(&mut mail, 1000);
            }
        }
    }
}

#[test]
fn deals_by_link_and_keeps_the_order_of_equals() {
    let mut rng = Rng::new(5, Purpose::Schedule);
    let mut mail = Mail::default();
    for length in 0..200 {
        for n in [1, 5, 40, 5000] {
            for message in 0..length {
                let (to, port) = (rng.below(n) as u32, rng.below(3) as u32);
                mail.add(Letter { to, port, message: Handle::at(message) });
            }
            deals(&mut mail, n as u32);
        }
    }
}
