//! Whole clusters on a perfect network: the shortest test that everything fits together.

use crate::{Cluster, GroupSpec, Input, Member, MemberSpec, Micros, Notice, Output, Place, Timing, Users};
use ringleader::election::{Bully, ChangRoberts, Franklin, VanLeeuwenTanHalfDuplex};
use ringleader::mutex::{RicartAgrawala, TokenRing};
use ringleader::registry::Entry;
use ringleader::sim::Scenario;
use std::collections::VecDeque;

struct Room {
    members: Vec<Option<Member>>,
    frames: VecDeque<(Place, Place, crate::Frame)>,
    now: Micros,
    /// How much faster than real time each clock runs, in parts per million.
    fast: Vec<u64>,
    /// What does not get through: from, to, and whether only acknowledgements.
    cut: Vec<(Place, Place, bool)>,
    notices: Vec<(Place, Notice)>,
}

fn cluster(entry: Entry, n: u64, users: Option<Users>) -> Cluster {
    let name = |place: u64| ((b'a' + place as u8) as char).to_string();
    Cluster {
        name: "test".into(),
        members: (0..n).map(|place| MemberSpec { name: name(place), id: place * 7 % n + 1 }).collect(),
        groups: vec![GroupSpec {
            name: "main".into(),
            entry: Box::leak(Box::new(entry)),
            scenario: Scenario::new(n as u32),
            users,
            zero: None,
        }],
        timing: Timing::default(),
    }
}

/// A moment on a clock that is so fast.
fn local(real: Micros, fast: u64) -> Micros {
    Micros(real.0 + real.0 * fast / 1_000_000)
}

/// The first moment at which such a clock shows this.
fn real(local: Micros, fast: u64) -> Micros {
    Micros((local.0 * 1_000_000).div_ceil(1_000_000 + fast))
}

impl Room {
    fn new(cluster: &Cluster) -> Room {
        let n = cluster.members.len() as Place;
        let member = |place| Member::new(cluster.clone(), place, 1, 7, Micros(0)).ok();
        let mut room = Room {
            members: (0..n).map(member).collect(),
            frames: VecDeque::new(),
            now: Micros(0),
            fast: vec![0; usize::from(n)],
            cut: Vec::new(),
            notices: Vec::new(),
        };
        for a in 0..n {
            for b in (0..n).filter(|&b| b != a) {
                room.input(a, Input::Connected(b));
            }
        }
        room
    }

    fn input(&mut self, who: Place, input: Input) {
        let mut out = Vec::new();
        let Some(member) = &mut self.members[usize::from(who)] else { return };
        member.handle(local(self.now, self.fast[usize::from(who)]), input, &mut out);
        for output in out {
            match output {
                Output::Send(to, frame) => self.frames.push_back((who, to, frame)),
                Output::Notice(notice) => self.notices.push((who, notice)),
                Output::Close(peer, why) => panic!("{who} closes {peer}: {why:?}"),
                Output::Left | Output::Renumbered(_) => {}
            }
        }
    }

    fn run(&mut self, until: Micros) {
        while self.now < until {
            while let Some((from, to, frame)) = self.frames.pop_front() {
                let acknowledges = matches!(frame, crate::Frame::Ack { .. });
                let stops =
                    |&(a, b, only): &(Place, Place, bool)| (a, b) == (from, to) && (acknowledges || !only);
                if !self.cut.iter().any(stops) {
                    self.input(to, Input::Frame(from, frame));
                }
            }
            let wakes = |who: Place| {
                let member = self.members[usize::from(who)].as_ref()?;
                Some(real(member.wakes_at(), self.fast[usize::from(who)]))
            };
            let all = 0..self.members.len() as Place;
            let next = all.clone().filter_map(wakes).min().unwrap_or(until).max(self.now + Micros(1));
            let woken: Vec<Place> = all.filter(|&who| wakes(who).is_some_and(|at| at <= next)).collect();
            self.now = next;
            for who in woken {
                self.input(who, Input::Wake);
            }
        }
    }

    fn leaders(&self) -> Vec<Place> {
        let now = |place: Place| local(self.now, self.fast[usize::from(place)]);
        let leads = |&place: &Place| {
            let member = self.members[usize::from(place)].as_ref();
            member.is_some_and(|member| member.status(now(place)).groups[0].leads)
        };
        (0..self.members.len() as Place).filter(leads).collect()
    }
}

#[test]
fn killed_leader_is_replaced() {
    for entry in [
        Entry::election::<ChangRoberts>(),
        Entry::election::<Franklin>(),
        Entry::election::<VanLeeuwenTanHalfDuplex>(),
        Entry::election::<Bully>(),
    ] {
        let name = entry.spec.name;
        let mut room = Room::new(&cluster(entry, 5, None));
        room.run(Micros::millis(3000));
        let leaders = room.leaders();
        assert_eq!(leaders.len(), 1, "{name}: {:?}", room.notices);
        room.members[usize::from(leaders[0])] = None;
        let others = (0..5).filter(|&place| place != leaders[0]).collect::<Vec<Place>>();
        for other in others {
            room.input(other, Input::Disconnected(leaders[0]));
        }
        room.run(Micros::millis(7000));
        let next = room.leaders();
        assert_eq!(next.len(), 1, "{name}");
        assert_ne!(next, leaders, "{name}");
        room.input(next[0], Input::Leave);
        assert!(room.leaders().is_empty());
        room.run(Micros::millis(9000));
        assert_eq!(room.leaders().len(), 1, "{name}: handed over");
    }
}

#[test]
fn every_user_is_let_in() {
    let users = Users { entries: 3, hold: Micros(500), think: Micros(100) };
    for entry in [Entry::exclusion::<RicartAgrawala>(), Entry::exclusion::<TokenRing>()] {
        let name = entry.spec.name;
        let mut room = Room::new(&cluster(entry, 4, Some(users)));
        room.run(Micros::millis(3000));
        let entries = |member: &Member| member.status(room.now).groups[0].entries;
        let all: Vec<u64> = room.members.iter().flatten().map(entries).collect();
        assert_eq!(all, [3; 4], "{name}");
    }
}

#[test]
fn fast_clock_is_detected_and_discounted() {
    let mut room = Room::new(&cluster(Entry::election::<ChangRoberts>(), 3, None));
    // The one with the largest identity would lead.
    room.fast[2] = 30_000;
    room.run(Micros::millis(60_000));
    let accused = |who: Place, of: Place| {
        let accuses = |(by, notice): &(Place, Notice)| {
            *by == who && matches!(notice, Notice::ClockWrong(peer, off) if *peer == of && *off != 0)
        };
        room.notices.iter().any(accuses)
    };
    assert!(accused(0, 2) && accused(1, 2));
    assert!(!accused(0, 1) && !accused(1, 0), "the others are right");
    let leaders = room.leaders();
    assert!(leaders == [0] || leaders == [1], "{leaders:?}");
}

#[test]
fn isolated_stewards_do_not_outbid_each_other() {
    for one_way in [false, true] {
        let mut room = Room::new(&cluster(Entry::exclusion::<RicartAgrawala>(), 3, None));
        room.run(Micros::millis(3000));
        room.cut = vec![(0, 1, false), (1, 0, false)];
        room.cut.truncate(if one_way { 1 } else { 2 });
        room.run(Micros::millis(60_000));
        let opened = room.notices.iter().filter(|(_, notice)| matches!(notice, Notice::Opens(..))).count();
        // The first; the one of 0 with 2; and 1, which nobody follows, tries ever more rarely.
        assert!((2..=10).contains(&opened), "{opened}");
    }
}

#[test]
fn what_a_full_link_has_lost_is_not_passed_over() {
    let users = Users { entries: 30, hold: Micros(500), think: Micros(100) };
    let mut cluster = cluster(Entry::exclusion::<TokenRing>(), 3, Some(users));
    cluster.timing.limits.unacknowledged = 8;
    cluster.timing.limits.ack_every = 1;
    let mut room = Room::new(&cluster);
    room.run(Micros::millis(1020));
    room.cut = vec![(1, 0, true)];
    room.run(Micros::millis(3000));
    room.cut.clear();
    room.run(Micros::millis(20_000));
    let full = room.notices.iter().position(|(_, notice)| matches!(notice, Notice::LinkFull(1)));
    let full = full.expect("the link was full");
    let anew =
        |(_, notice): &(Place, Notice)| matches!(notice, Notice::Joins(_, epoch, ..) if epoch.number > 1);
    assert!(room.notices[full..].iter().any(anew), "the epoch with the loss in it is over");
    let entries = |member: &Member| member.status(room.now).groups[0].entries;
    let all: Vec<u64> = room.members.iter().flatten().map(entries).collect();
    assert!(all.iter().all(|&entries| entries >= 30), "{all:?}");
}
