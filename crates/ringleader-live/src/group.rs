//! One group of a member: the epoch that it takes part in, its process, its users.
//!
//! What the steward does is in `steward`, what leading needs in `leading`.

use super::exchange::Notice;
use super::instance::{Casting, Instance, Right, Step};
use super::leading::Leading;
use super::shared::Shared;
use super::steward::Opening;
use super::{Claim, Epoch, Granter, GroupSpec, GroupStatus, Micros, Payload, Phase, Place};
use ringleader::host::Position;
use ringleader::model::{Stage, Told};
use ringleader::registry::Problem;
use ringleader::rng::mix;
use ringleader::sim::{Clocks, Delay, Ids, Refusal, Scatter, Scenario, Schedule, TICKS_PER_UNIT};

/// One group of one member.
pub(super) struct Group {
    pub(super) number: u16,
    pub(super) spec: GroupSpec,
    /// The newest epoch that anybody who is heard has joined.
    pub(super) newest: Epoch,
    /// The epoch that this member has joined, and who takes part in it, with the incarnations they had.
    pub(super) epoch: Epoch,
    pub(super) participants: Vec<(Place, u64)>,
    pub(super) phase: Phase,
    pub(super) instance: Option<Instance>,
    pub(super) granter: Granter,
    /// Who asked and was denied, and when: the first of them is granted when the grant is given back.
    pub(super) denied: Vec<(super::Claimant, Micros)>,
    pub(super) claim: Claim,
    pub(super) leading: Leading,
    pub(super) leader: Option<Place>,
    // The steward's.
    pub(super) opening: Option<Opening>,
    pub(super) well_since: Micros,
    pub(super) retry: Micros,
    /// Participants that counted as down in this epoch.
    pub(super) suspected: u64,
    // The user's.
    pub(super) wanted: bool,
    entries_left: u32,
    wants_at: Option<Micros>,
    pub(super) exits_at: Option<Micros>,
    // Counters over all epochs.
    sent_ever: (u64, u64),
    received_ever: u64,
    pub(super) refused_old: u64,
    pub(super) entries: u64,
    pub(super) lost: u64,
    epochs: u64,
}

impl Group {
    /// A group that has not begun.
    pub(super) fn new(number: u16, spec: GroupSpec, core: &Shared) -> Result<Group, Refusal> {
        let spec = GroupSpec { entry: spec.entry.with_settings(&spec.scenario.settings), ..spec };
        let all: Vec<Place> = (0..core.members.len() as Place).collect();
        let admitted = spec.entry.spec.needs.processes.nearest(all.len() as u32).0;
        // What would be refused later is refused now.
        spec.entry.admits(&scenario(&spec, core, &all[..admitted as usize], Epoch::default()))?;
        let terms = core.timing.terms;
        Ok(Group {
            number,
            newest: Epoch::default(),
            epoch: Epoch::default(),
            participants: Vec::new(),
            phase: Phase::Outside,
            instance: None,
            granter: Granter::new(terms, core.now),
            denied: Vec::new(),
            claim: Claim::new(terms, core.members.len(), Epoch::default()),
            leading: Leading::default(),
            leader: None,
            opening: None,
            well_since: core.now,
            retry: core.timing.retry,
            suspected: 0,
            wanted: false,
            entries_left: spec.users.map_or(0, |users| users.entries),
            wants_at: None,
            exits_at: None,
            sent_ever: (0, 0),
            received_ever: 0,
            refused_old: 0,
            entries: 0,
            lost: 0,
            epochs: 0,
            spec,
        })
    }

    pub(super) fn is_election(&self) -> bool {
        self.spec.entry.problem == Problem::Election
    }

    /// Whether the algorithm lives with crashes: then a lost participant is its business, not the steward's.
    pub(super) fn endures(&self) -> bool {
        self.spec.entry.spec.needs.tolerates.crash
    }

    /// The index of a member in the epoch.
    pub(super) fn index_of(&self, place: Place) -> Option<u32> {
        self.participants.iter().position(|&(who, _)| who == place).map(|index| index as u32)
    }

    /// A payload of this group.
    pub(super) fn payload(&mut self, core: &mut Shared, from: Place, payload: Payload) {
        match payload {
            Payload::Open { epoch, participants, resumes, .. } => {
                let follows = core.view.steward() == Some(from) && epoch.steward == from;
                let again = resumes && epoch >= self.epoch && self.instance.is_none();
                if follows && (epoch > self.epoch || again) {
                    self.join(core, epoch, &participants, resumes);
                } else {
                    self.refuse(core, from, epoch);
                }
            }
            Payload::Joined { epoch, .. } => self.joined(core, from, epoch),
            Payload::Start { epoch, .. } => {
                if epoch == self.epoch && epoch.steward == from {
                    self.begin_if_joined(core);
                } else {
                    self.refuse(core, from, epoch);
                }
            }
            Payload::Message { epoch, port, bytes, .. } => {
                let index = self.index_of(from);
                if index.is_some() && epoch == self.epoch {
                    self.begin_if_joined(core);
                }
                match index.filter(|_| epoch == self.epoch && self.instance.is_some()) {
                    Some(index) => self.hears(core, from, |instance, now, steps| {
                        instance.arrives(now, index, port, bytes, steps)
                    }),
                    None => self.refuse(core, from, epoch),
                }
            }
            Payload::Wish { epoch, port, .. } => self.right(core, from, epoch, port, Right::Wish),
            Payload::Baton { epoch, port, .. } => self.right(core, from, epoch, port, Right::Baton),
        }
    }

    /// The right to send on a half-duplex link is wished for, or comes.
    fn right(&mut self, core: &mut Shared, from: Place, epoch: Epoch, port: u32, right: Right) {
        if epoch == self.epoch {
            self.begin_if_joined(core);
        }
        if epoch == self.epoch && self.instance.is_some() {
            self.hears(core, from, |instance, now, steps| instance.right(now, port, right, steps));
        } else {
            self.refuse(core, from, epoch);
        }
    }

    /// The process takes a step, if there is one, and what that asks for is done.
    fn steps<T>(
        &mut self,
        core: &mut Shared,
        takes: impl FnOnce(&mut Instance, Micros, &mut Vec<Step>) -> T,
    ) -> Option<T> {
        let mut steps = Vec::new();
        let taken = self.instance.as_mut().map(|instance| takes(instance, core.now, &mut steps));
        self.carry_out(core, steps);
        taken
    }

    /// The same, with something that came from another member, which may be nonsense.
    fn hears(
        &mut self,
        core: &mut Shared,
        from: Place,
        takes: impl FnOnce(&mut Instance, Micros, &mut Vec<Step>) -> Result<(), &'static str>,
    ) {
        if let Some(Err(why)) = self.steps(core, takes) {
            core.notice(Notice::Nonsense(from, why));
        }
    }

    /// Something of an epoch that is over, or is not this member's.
    fn refuse(&mut self, core: &mut Shared, from: Place, epoch: Epoch) {
        self.refused_old += 1;
        core.notice(Notice::OldEpoch(from, self.number, epoch));
    }

    /// It joins an epoch: what it took part in before is over.
    pub(super) fn join(&mut self, core: &mut Shared, epoch: Epoch, participants: &[Place], resumes: bool) {
        self.leave_epoch(core);
        self.epoch = epoch;
        self.newest = self.newest.max(epoch);
        self.participants = participants.iter().map(|&who| (who, core.incarnation_of(who))).collect();
        self.claim = Claim::new(core.timing.terms, core.members.len(), epoch);
        self.suspected = 0;
        self.well_since = core.now;
        self.epochs += 1;
        let index = self.index_of(core.me);
        let scenario = scenario(&self.spec, core, participants, epoch);
        let cast = index.and_then(|index| Some((index, self.spec.entry.cast(&scenario).ok()?)));
        let header = cast.as_ref().map(|(index, cast)| (Box::new(cast.header()), *index));
        core.notice(Notice::Joins(self.number, epoch, participants.to_vec(), header));
        let Some((index, cast)) = cast else {
            self.phase = Phase::Outside;
            return;
        };
        let salt = |who: u32| {
            let incarnation = self.participants.get(who as usize).map_or(0, |&(_, incarnation)| incarnation);
            mix(incarnation ^ core.incarnation)
        };
        self.instance = Some(Instance::new(Casting {
            entry: self.spec.entry,
            cast,
            index,
            n: participants.len() as u32,
            seed: mix(core.seed ^ mix(epoch.number ^ u64::from(self.number) << 48)),
            now: core.now,
            zero: self.spec.zero,
            unit: core.timing.unit,
            dwell: core.timing.dwell,
            salts: &salt,
        }));
        self.phase = Phase::Joined;
        if resumes {
            self.phase = Phase::Running;
            self.steps(core, Instance::recover);
            self.user_comes(core);
        } else if epoch.steward != core.me {
            core.carry(epoch.steward, Payload::Joined { group: self.number, epoch });
        }
    }

    /// Everybody has joined: the steward says so, or a message of somebody who has heard it does.
    fn begin_if_joined(&mut self, core: &mut Shared) {
        if self.phase == Phase::Joined {
            self.begin(core);
        }
    }

    /// Everybody has joined: its process starts.
    pub(super) fn begin(&mut self, core: &mut Shared) {
        self.phase = Phase::Running;
        self.steps(core, Instance::start);
        self.user_comes(core);
    }

    /// What it takes part in is over. Its counts are kept.
    pub(super) fn leave_epoch(&mut self, core: &mut Shared) {
        if self.leading.holds && !self.is_election() {
            // Its user was inside, and is put out.
            self.lost += 1;
            self.wanted = false;
        }
        self.give_back(core);
        if let Some(instance) = self.instance.take() {
            self.sent_ever.0 += instance.sent.iter().sum::<u64>();
            self.sent_ever.1 += instance.bytes;
            self.received_ever += instance.received;
        }
        self.phase = Phase::Outside;
        self.wants_at = None;
        self.exits_at = None;
    }

    /// Records steps and sends what they ask for; then looks at what has become of the process.
    fn carry_out(&mut self, core: &mut Shared, steps: Vec<Step>) {
        for step in steps {
            if let Some(event) = step.event {
                core.notice(Notice::Step(self.number, self.epoch, Box::new(event)));
            }
            for (to, port, bytes) in step.sends {
                let place = self.participants[to as usize].0;
                let payload = Payload::Message { group: self.number, epoch: self.epoch, port, bytes };
                core.carry(place, payload);
            }
            if let Some((to, port, right)) = step.right {
                let (group, epoch) = (self.number, self.epoch);
                let payload = match right {
                    Right::Wish => Payload::Wish { group, epoch, port },
                    Right::Baton => Payload::Baton { group, epoch, port },
                };
                core.carry(self.participants[to as usize].0, payload);
            }
        }
        self.look_at_claim(core);
    }

    /// A participant counts as down, or was met as a new incarnation.
    pub(super) fn lose(&mut self, core: &mut Shared, who: Place) {
        let Some(index) = self.index_of(who) else { return };
        if self.endures() && self.suspected >> who & 1 == 0 {
            let entry = self.spec.entry;
            self.steps(core, |instance, now, steps| instance.suspect(now, index, entry, steps));
        }
        self.suspected |= 1 << who;
    }

    /// A participant that had restarted takes part again: the steward has had it resume.
    pub(super) fn regain(&mut self, core: &Shared, who: Place) {
        let Some(index) = self.index_of(who) else { return };
        let incarnation = core.incarnation_of(who);
        self.suspected &= !(1 << who);
        self.participants[index as usize].1 = incarnation;
        if let Some(instance) = &mut self.instance {
            instance.returns(index, mix(incarnation ^ core.incarnation));
        }
    }

    /// The user of this group wants in, or leaves.
    pub(super) fn user(&mut self, core: &mut Shared, wants: bool) {
        if self.is_election() {
            return;
        }
        if wants {
            self.wanted = true;
            self.user_asks(core);
        } else if self.leading.holds {
            self.user_leaves(core);
        }
    }

    /// A user who wants in asks, if it can.
    fn user_asks(&mut self, core: &mut Shared) {
        let idle = |instance: &Instance| instance.actor().position() == Position::User(Stage::Idle);
        if self.phase == Phase::Running && self.wanted && self.instance.as_ref().is_some_and(idle) {
            // It is idle, so it may.
            self.steps(core, |instance, now, steps| instance.user(now, true, steps));
        }
    }

    /// The user leaves: its process is told, and the grants are given back.
    pub(super) fn user_leaves(&mut self, core: &mut Shared) {
        self.wanted = false;
        self.exits_at = None;
        let mut steps = Vec::new();
        let left = match &mut self.instance {
            Some(instance) => instance.user(core.now, false, &mut steps).is_ok(),
            None => false,
        };
        if left {
            self.carry_out(core, steps);
        }
        if let Some(users) = self.spec.users.filter(|_| self.entries_left > 0) {
            self.wants_at = Some(core.now + users.think);
        }
    }

    /// A new epoch runs: whoever wanted in wants in still; whoever comes of its own accord comes.
    fn user_comes(&mut self, core: &mut Shared) {
        if self.spec.users.is_some() && self.entries_left > 0 {
            self.wanted = true;
        }
        self.user_asks(core);
    }

    /// The user was let in.
    pub(super) fn user_enters(&mut self, core: &Shared) {
        self.entries += 1;
        if let Some(users) = self.spec.users {
            self.entries_left = self.entries_left.saturating_sub(1);
            self.exits_at = Some(core.now + users.hold);
        }
    }

    /// What is due by now.
    pub(super) fn wake(&mut self, core: &mut Shared) {
        let now = core.now;
        if self.exits_at.is_some_and(|at| at <= now) {
            self.user_leaves(core);
        }
        if self.wants_at.is_some_and(|at| at <= now) {
            self.wants_at = None;
            self.wanted = true;
            self.user_asks(core);
        }
        self.steps(core, Instance::wake);
        // A user who asked while its process was busy leaving asks now.
        self.user_asks(core);
    }

    /// When it is to be woken, if ever.
    pub(super) fn wakes_at(&self) -> Option<Micros> {
        let instance = self.instance.as_ref().and_then(Instance::wakes_at);
        let own = [instance, self.wants_at, self.exits_at, self.leading_wakes_at(), self.steward_wakes_at()];
        own.into_iter().flatten().min()
    }

    /// How it is.
    pub(super) fn status(&self, core: &Shared, now: Micros) -> GroupStatus {
        let instance = self.instance.as_ref();
        let zeros = vec![0; self.kinds().len()];
        let sent = instance.map_or(&zeros, |instance| &instance.sent);
        let more = instance.map_or((0, 0, 0), |instance| {
            (instance.sent.iter().sum::<u64>(), instance.bytes, instance.received)
        });
        let leads = self.leading.holds && now < self.leading.until;
        GroupStatus {
            name: self.spec.name.clone(),
            algorithm: self.spec.entry.spec.name,
            epoch: self.epoch,
            participants: self.participants.iter().map(|&(who, _)| who).collect(),
            phase: self.phase,
            position: instance.map(|instance| instance.actor().position()),
            fields: instance.map_or_else(Vec::new, |instance| instance.actor().fields()),
            leads,
            until: leads.then_some(self.leading.until),
            leader: if leads { Some(core.me) } else { self.leader.filter(|&who| who != core.me) },
            sent: self.kinds().iter().copied().zip(sent.iter().copied()).collect(),
            sent_ever: (self.sent_ever.0 + more.0, self.sent_ever.1 + more.1),
            received_ever: self.received_ever + more.2,
            refused_old: self.refused_old,
            entries: self.entries,
            lost: self.lost,
            epochs: self.epochs,
            clock: self.instance.as_ref().and_then(|instance| instance.clock(now)),
        }
    }

    fn kinds(&self) -> &'static [&'static str] {
        self.spec.entry.kinds
    }
}

/// What is run in an epoch: every member makes the same of it.
pub(super) fn scenario(spec: &GroupSpec, core: &Shared, participants: &[Place], epoch: Epoch) -> Scenario {
    let id = |&place: &Place| core.members[usize::from(place)].id;
    let ids = if spec.entry.told.has(Told::Identity) {
        Ids::Listed(participants.iter().map(id).collect())
    } else {
        Ids::Default
    };
    let theirs = |scatter: &Scatter| match scatter {
        Scatter::Listed(all) => Scatter::Listed(
            participants.iter().filter_map(|&place| all.get(usize::from(place)).copied()).collect(),
        ),
        Scatter::Drawn(most) => Scatter::Drawn(*most),
    };
    let clocks = &spec.scenario.clocks;
    let clocks =
        Clocks { offsets: theirs(&clocks.offsets), drifts: theirs(&clocks.drifts), ..clocks.clone() };
    Scenario {
        n: participants.len() as u32,
        ids,
        clocks,
        schedule: Schedule::Delay(Delay::Uniform(1, u64::from(core.timing.max_delay) * TICKS_PER_UNIT)),
        seed: epoch.number,
        ..spec.scenario.clone()
    }
}
