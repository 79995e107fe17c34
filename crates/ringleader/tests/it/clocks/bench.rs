//! A bench for algorithms that bring clocks together: the delay of each message is given, and nothing is rounded. It
//! shares no code with the simulator.

use ringleader::model::{
    Belief, Birth, Delays, Drift, Given, Id, LeftOver, Outbox, Peer, Process, Settings, Ticks, Timekeeping,
};
use std::collections::BTreeMap;

/// What is to be run.
#[derive(Clone)]
pub(crate) struct Setting {
    /// What each clock shows at time 0, in ticks.
    pub(crate) offsets: Vec<i64>,
    pub(crate) delays: Delays,
    pub(crate) settings: [u32; 4],
}

/// What came of it.
pub(crate) struct Seen {
    /// What the corrected clocks show, less the time.
    pub(crate) clocks: Vec<Ticks>,
    pub(crate) beliefs: Vec<Belief>,
    pub(crate) messages: usize,
    pub(crate) impossible: Option<&'static str>,
}

enum Due<P: Process> {
    Deliver(Peer, Peer, P::Msg),
    Timeout(Peer, P::Timer, usize),
}

/// The effects of one step.
struct Desk<P: Process> {
    now: Ticks,
    adjust: Ticks,
    sends: Vec<(P::Port, P::Msg)>,
    timers: Vec<(P::Timer, Option<u32>)>,
    impossible: Option<&'static str>,
}

impl<P: Process> Outbox<P> for Desk<P> {
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        self.sends.push((to, msg));
    }
    fn set_timer(&mut self, timer: P::Timer, ticks: u32) {
        self.timers.push((timer, Some(ticks)));
    }
    fn stop_timer(&mut self, timer: P::Timer) {
        self.timers.push((timer, None));
    }
    fn now(&mut self) -> Ticks {
        self.now
    }
    fn adjust(&mut self, by: Ticks) {
        self.adjust += by;
    }
    fn choose(&mut self, _: u32) -> u32 {
        panic!("nothing is drawn")
    }
    fn rule(&mut self, _: P::Rule) {}
    fn phase_begins(&mut self) {}
    fn phase_reached(&mut self, _: u32) {}
    fn impossible(&mut self, why: &'static str) {
        self.impossible.get_or_insert(why);
    }
}

/// Runs it; `delay` says in ticks how long each message takes, in the order of sending. At one moment messages arrive
/// before timers run out.
pub(crate) fn run<P: Timekeeping<Port = Peer>>(setting: &Setting, delay: &mut dyn FnMut() -> i64) -> Seen {
    let n = setting.offsets.len() as u32;
    let birth = |index: u32| Birth {
        index,
        id: Id::from_rank(index),
        n,
        degree: n - 1,
        range: 2,
        max_delay: setting.delays.hi,
        delays: setting.delays,
        drift: Drift(0),
        towards_root: None,
        settings: Settings(setting.settings),
        elector: None,
        left_over: LeftOver::default(),
        which: 0,
    };
    let mut processes: Vec<P> = (0..n).map(|index| P::new(P::Given::of(&birth(index)))).collect();
    let mut clocks: Vec<Ticks> = setting.offsets.iter().map(|&offset| Ticks::whole(offset)).collect();
    let mut agenda: BTreeMap<(i64, bool, usize), Due<P>> = BTreeMap::new();
    let mut running: BTreeMap<(u32, &'static str), usize> = BTreeMap::new();
    let (mut number, mut messages, mut time, mut impossible) = (0, 0, 0, None);
    let mut step = |who: u32,
                    time: i64,
                    agenda: &mut BTreeMap<(i64, bool, usize), Due<P>>,
                    running: &mut BTreeMap<(u32, &'static str), usize>,
                    act: &mut dyn FnMut(&mut P, &mut Desk<P>)| {
        let now = clocks[who as usize] + Ticks::whole(time);
        let mut desk = Desk { now, adjust: Ticks::ZERO, sends: vec![], timers: vec![], impossible: None };
        act(&mut processes[who as usize], &mut desk);
        clocks[who as usize] += desk.adjust;
        if impossible.is_none() {
            impossible = desk.impossible;
        }
        for (to, msg) in desk.sends {
            messages += 1;
            number += 1;
            agenda.insert((time + delay(), false, number), Due::Deliver(Peer(who), to, msg));
        }
        for (timer, ticks) in desk.timers {
            use ringleader::model::Name;
            number += 1;
            running.insert((who, timer.name()), number);
            if let Some(ticks) = ticks {
                let due = Due::Timeout(Peer(who), timer, number);
                agenda.insert((time + i64::from(ticks), true, number), due);
            }
        }
    };
    for who in 0..n {
        step(who, time, &mut agenda, &mut running, &mut |process, desk| process.start(desk));
    }
    while let Some(((due, ..), what)) = agenda.pop_first() {
        time = due;
        match what {
            Due::Deliver(from, to, msg) => {
                let mut act = |process: &mut P, desk: &mut Desk<P>| process.receive(from, msg.clone(), desk);
                step(to.0, time, &mut agenda, &mut running, &mut act);
            }
            Due::Timeout(who, timer, set) => {
                use ringleader::model::Name;
                if running.get(&(who.0, timer.name())) == Some(&set) {
                    let mut act = |process: &mut P, desk: &mut Desk<P>| process.timeout(timer, desk);
                    step(who.0, time, &mut agenda, &mut running, &mut act);
                }
            }
        }
    }
    let beliefs = processes.iter().map(Timekeeping::belief).collect();
    Seen { clocks, beliefs, messages, impossible }
}

/// Runs it for every way in which the first `count` messages can take one of these delays; further ones take the first.
pub(crate) fn every<P: Timekeeping<Port = Peer>>(
    setting: &Setting,
    delays: &[i64],
    count: u32,
    see: &mut dyn FnMut(&Seen),
) {
    for number in 0..(delays.len() as u64).pow(count) {
        let (mut rest, mut left) = (number, count);
        let mut delay = || {
            if left == 0 {
                return delays[0];
            }
            left -= 1;
            let chosen = delays[(rest % delays.len() as u64) as usize];
            rest /= delays.len() as u64;
            chosen
        };
        let seen = run::<P>(setting, &mut delay);
        assert_eq!(seen.impossible, None);
        see(&seen);
    }
}
