//! Rounds on several threads: each owns a stretch of the ring; what leaves it is handed to the neighbour at the end of
//! the round. An election begins with wide rounds and ends with narrow ones; those are not worth the meeting of
//! threads, so the stretches are joined and one thread does them alone. The result is the same.

use super::rounds::{Calendar, Lane, Letter};
use super::{Course, PROGRESS_EVERY};
use crate::model::{Election, Process};
use crate::network::Wired;
use crate::sim::{Observer, Progress};
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Below so many messages a round is not worth the meeting of threads.
const WORTH_SHARING: u64 = 2048;

/// The wide rounds at the beginning, one thread per stretch.
pub(super) fn together<P: Election>(
    course: &Course<'_, P::Port>,
    lanes: &mut [Lane<'_, P>],
    calendar: &mut Calendar,
    stretch: usize,
    observer: &mut dyn Observer,
) where
    P::Port: Wired,
{
    hand_over(lanes, stretch);
    loop {
        let width: u64 = lanes.iter_mut().map(|lane| lane.arriving().width()).sum();
        if width < WORTH_SHARING {
            return;
        }
        shared(course, lanes, calendar, stretch, width);
        let steps: u64 = lanes.iter().map(|lane| lane.watch.steps).sum();
        let messages = lanes.iter().flat_map(|lane| lane.watch.by_kind).sum();
        let progress = Progress { steps, messages, time: calendar.round, entries: 0 };
        if observer.progress(&progress) != ControlFlow::Continue(()) {
            calendar.complete = false;
            return;
        }
    }
}

/// Hands what left a stretch to the stretch where it arrives.
fn hand_over<P: Election>(lanes: &mut [Lane<'_, P>], stretch: usize)
where
    P::Port: Wired,
{
    for place in 0..lanes.len() {
        let mut abroad = core::mem::take(&mut lanes[place].arriving().abroad);
        for (port, letter) in abroad.drain(..) {
            lanes[letter.to as usize / stretch].arriving().letters[port as usize].push(letter);
        }
        lanes[place].arriving().abroad = abroad;
    }
}

/// Rounds done by one thread per stretch, until one is narrow or it is time to report. All threads see the same widths
/// and so stop after the same round.
fn shared<P: Election>(
    course: &Course<'_, P::Port>,
    lanes: &mut [Lane<'_, P>],
    calendar: &mut Calendar,
    stretch: usize,
    width: u64,
) where
    P::Port: Wired,
{
    let post = Post {
        // Two of each, used in turn: a thread that is a round ahead does not disturb one that still reads.
        boxes: core::array::from_fn(|_| lanes.iter().map(|_| Mutex::new(Vec::new())).collect()),
        widths: core::array::from_fn(|_| lanes.iter().map(|_| AtomicU64::new(0)).collect()),
        meeting: Meeting { threads: lanes.len(), arrived: AtomicUsize::new(0), held: AtomicUsize::new(0) },
        stretch,
        begin: (calendar.round, width),
    };
    let widths = std::thread::scope(|scope| {
        let post = &post;
        let mut lanes = lanes.iter_mut().enumerate();
        let own = lanes.next();
        for (place, lane) in lanes {
            scope.spawn(move || part(course, lane, place, post));
        }
        own.map_or_else(Vec::new, |(place, lane)| part(course, lane, place, post))
    });
    for width in widths {
        calendar.turn(width);
    }
}

/// One thread's part; the widths of the rounds that it did.
fn part<P: Election>(
    course: &Course<'_, P::Port>,
    lane: &mut Lane<'_, P>,
    place: usize,
    post: &Post<P>,
) -> Vec<u64>
where
    P::Port: Wired,
{
    let (mut round, mut width) = post.begin;
    let mut widths = Vec::new();
    let mut done = 0;
    while width >= WORTH_SHARING && done < PROGRESS_EVERY {
        round += 1;
        done += width;
        widths.push(width);
        let turn = (round % 2) as usize;
        lane.one_round(course, round);
        let street = lane.arriving();
        let mut sent = street.width();
        for (port, letter) in street.abroad.drain(..) {
            sent += 1;
            let mailbox = &post.boxes[turn][letter.to as usize / post.stretch];
            mailbox.lock().unwrap_or_else(PoisonError::into_inner).push((port, letter));
        }
        post.widths[turn][place].store(sent, Ordering::Release);
        post.meeting.wait();
        for (port, letter) in post.boxes[turn][place].lock().unwrap_or_else(PoisonError::into_inner).drain(..)
        {
            street.letters[port as usize].push(letter);
        }
        width = post.widths[turn].iter().map(|width| width.load(Ordering::Acquire)).sum();
    }
    widths
}

/// Letters between stretches: the arrival port and the letter.
type Mailbox<P> = Mutex<Vec<(u32, Letter<P>)>>;

/// Where threads leave letters for each other.
struct Post<P: Process> {
    boxes: [Vec<Mailbox<P>>; 2],
    widths: [Vec<AtomicU64>; 2],
    meeting: Meeting,
    stretch: usize,
    /// The round before the first, and the width of the first.
    begin: (u64, u64),
}

/// Where threads wait for each other. Rounds take microseconds, so they spin before they give up their turn.
struct Meeting {
    threads: usize,
    arrived: AtomicUsize,
    held: AtomicUsize,
}

impl Meeting {
    fn wait(&self) {
        let held = self.held.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.held.store(held.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0u32;
        while self.held.load(Ordering::Acquire) == held {
            spins += 1;
            if spins < 20_000 {
                core::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}
