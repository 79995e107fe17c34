//! With a delay: each message travels for a while, and none overtakes another on its link.

use super::inbox::Inboxes;
use super::time_queue::TimeQueue;
use super::{Course, Finish, Road, Watch, arrive, ports, start};
use crate::model::{Election, Process};
use crate::network::Wired;
use crate::rng::{Purpose, Rng};
use crate::sim::{Delay, Observer, TICKS_PER_UNIT};

/// Runs it.
pub(super) fn run<P: Election>(
    course: &Course<'_, P::Port>,
    delay: Delay,
    processes: &mut [P],
    observer: &mut dyn Observer,
) -> Finish
where
    P::Port: Wired,
{
    let mut sky: Sky<P> = Sky {
        inboxes: Inboxes::new(processes.len(), ports::<P>()),
        flights: TimeQueue::default(),
        now: 0,
        delay,
        rng: Rng::new(course.scenario.seed, Purpose::Schedule),
    };
    let mut watch = Watch::new::<P>(course, 0, processes.len());
    observer.begins(&|| course.setup.header(&P::SPEC, course.scenario, TICKS_PER_UNIT));
    start(course, processes, &mut watch, &mut sky);
    let complete = if watch.started.is_empty() {
        land_all::<P, true>(course, processes, &mut watch, &mut sky, observer)
    } else {
        land_all::<P, false>(course, processes, &mut watch, &mut sky, observer)
    };
    let time = Some(sky.now as f64 / TICKS_PER_UNIT as f64);
    Finish { watch, rounds: None, time, per_round: Vec::new(), complete }
}

/// Whether it came to an end of its own.
fn land_all<P: Election, const STARTED: bool>(
    course: &Course<'_, P::Port>,
    processes: &mut [P],
    watch: &mut Watch,
    sky: &mut Sky<P>,
    observer: &mut dyn Observer,
) -> bool
where
    P::Port: Wired,
{
    while let Some((time, link)) = sky.flights.pop() {
        sky.now = time;
        let (msg, _) = sky.inboxes.take(link);
        let (to, arrival) = sky.inboxes.end(link);
        let place = to as usize;
        watch.steps += 1;
        arrive::<P, STARTED>(course, &mut processes[place], place, (arrival, msg), time, watch, sky);
        if !watch.goes_on(observer, time / TICKS_PER_UNIT) {
            return false;
        }
    }
    true
}

/// Messages that travel, and when they arrive.
struct Sky<P: Process> {
    /// Beside each port: when the last message on its way there arrives.
    inboxes: Inboxes<P::Msg, u64>,
    flights: TimeQueue<u32>,
    now: u64,
    delay: Delay,
    rng: Rng,
}

impl<P: Process> Road<P> for Sky<P> {
    #[inline(always)]
    fn put(&mut self, to: u32, arrival: P::Port, msg: P::Msg) {
        let travels = match self.delay {
            Delay::Constant(ticks) => ticks,
            Delay::Uniform(least, most) => least + self.rng.below(most - least + 1),
            Delay::Exponential(mean) => self.rng.exponential(mean),
        };
        let link = self.inboxes.link(to, arrival);
        let alone = self.inboxes.push(link, msg);
        let last = self.inboxes.beside(link);
        let due = if alone { self.now + travels } else { (self.now + travels).max(*last) };
        *last = due;
        self.flights.push(due, link);
    }
}
