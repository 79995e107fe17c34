//! In random order: a uniformly random port at which something waits takes its first message.

use super::inbox::Inboxes;
use super::{Course, Finish, Road, Watch, arrive, ports, start};
use crate::model::{Election, Process};
use crate::network::Wired;
use crate::rng::{Purpose, Rng};
use crate::sim::Observer;

/// Runs it.
pub(super) fn run<P: Election>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    observer: &mut dyn Observer,
) -> Finish
where
    P::Port: Wired,
{
    let mut crowd: Crowd<P> =
        Crowd { inboxes: Inboxes::new(processes.len(), ports::<P>()), live: Vec::new() };
    let mut watch = Watch::new::<P>(course, 0, processes.len());
    observer.begins(&|| course.setup.header(&P::SPEC, course.scenario, 1));
    start(course, processes, &mut watch, &mut crowd);
    let complete = if watch.started.is_empty() {
        deliver_all::<P, true>(course, processes, &mut watch, &mut crowd, observer)
    } else {
        deliver_all::<P, false>(course, processes, &mut watch, &mut crowd, observer)
    };
    Finish { watch, rounds: None, time: None, per_round: Vec::new(), complete }
}

/// Whether it came to an end of its own.
fn deliver_all<P: Election, const STARTED: bool>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    watch: &mut Watch,
    crowd: &mut Crowd<P>,
    observer: &mut dyn Observer,
) -> bool
where
    P::Port: Wired,
{
    let mut rng = Rng::new(course.scenario.seed, Purpose::Schedule);
    let mut now = 0;
    while !crowd.live.is_empty() {
        let pick = rng.below(crowd.live.len() as u64) as usize;
        let link = crowd.live[pick];
        let (msg, empty) = crowd.inboxes.take(link);
        if empty {
            crowd.live.swap_remove(pick);
        }
        let (to, arrival) = crowd.inboxes.end(link);
        let place = to as usize;
        watch.steps += 1;
        arrive::<P, STARTED>(course, &mut processes[place], place, (arrival, msg), now, watch, crowd);
        now += 1;
        if !watch.goes_on(observer, now) {
            return false;
        }
    }
    true
}

/// Messages that wait, and the ports at which they do.
struct Crowd<P: Process> {
    inboxes: Inboxes<P::Msg, ()>,
    live: Vec<u32>,
}

impl<P: Process> Road<P> for Crowd<P> {
    #[inline(always)]
    fn put(&mut self, to: u32, arrival: P::Port, msg: P::Msg) {
        let link = self.inboxes.link(to, arrival);
        if self.inboxes.push(link, msg) {
            self.live.push(link);
        }
    }
}
