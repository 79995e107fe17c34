//! Whole clusters on a perfect network: the shortest test that everything fits together.

use super::{Cluster, GroupSpec, Input, Member, MemberSpec, Micros, Notice, Output, Place, Timing, Users};
use crate::election::{Bully, ChangRoberts, Franklin, VanLeeuwenTanHalfDuplex};
use crate::mutex::{RicartAgrawala, TokenRing};
use crate::registry::Entry;
use crate::sim::Scenario;
use std::collections::VecDeque;

struct Room {
    members: Vec<Option<Member>>,
    frames: VecDeque<(Place, Place, super::Frame)>,
    now: Micros,
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
        }],
        timing: Timing::default(),
    }
}

impl Room {
    fn new(cluster: &Cluster) -> Room {
        let n = cluster.members.len() as Place;
        let member = |place| Member::new(cluster.clone(), place, 1, 7, Micros(0)).ok();
        let mut room = Room {
            members: (0..n).map(member).collect(),
            frames: VecDeque::new(),
            now: Micros(0),
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
        member.handle(self.now, input, &mut out);
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
                self.input(to, Input::Frame(from, frame));
            }
            let next = self.members.iter().flatten().map(Member::wakes_at).min().unwrap_or(until);
            self.now = next.max(self.now + Micros(1));
            for who in 0..self.members.len() as Place {
                if self.members[usize::from(who)].as_ref().is_some_and(|m| m.wakes_at() <= self.now) {
                    self.input(who, Input::Wake);
                }
            }
        }
    }

    fn leaders(&self) -> Vec<Place> {
        let leads = |member: &&Member| member.status(self.now).groups[0].leads;
        self.members.iter().flatten().filter(leads).map(|member| member.status(self.now).place).collect()
    }
}

#[test]
fn somebody_leads_and_when_it_is_killed_somebody_else_does() {
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
