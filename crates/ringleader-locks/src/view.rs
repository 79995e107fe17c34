//! The view: which servers there are, in which epoch, and where each lock is at home. A linearizable store keeps it;
//! it changes by commands, each of which is meant for one epoch and applies once.

use super::Name;
use super::name::mixed;
use super::times::{Class, Times};
use ringleader_live::Micros;
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
mod tests;

/// A server: its place in the list of the cluster's servers.
pub type ServerId = u16;

/// How many groups of locks there are, each with a home of its own.
pub const SHARDS: usize = 256;

/// One run of a server: the server, and what it drew at its start. What a server has in memory ends with its run; what
/// it has on a disk may be lost, so nothing that is said of a run rests on that.
pub type Run = (ServerId, u64);

/// In place of a server: runs of which nobody knows. See [`View::first`].
pub(crate) const NOBODY_KNOWS: ServerId = ServerId::MAX;

/// How many runs are remembered one by one. Should the view change so often that it never settles, those who are no
/// members become runs of which nobody knows: they are waited for together, from then on.
const MOST_PAST: usize = 1000;

/// A member of the view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Seat {
    /// Which run of the server it is: drawn at its start.
    pub incarnation: u64,
    /// The epoch in which it came in.
    pub since: u32,
}

/// What all servers agree on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct View {
    /// Its number; every change of who may own what has a new one.
    pub epoch: u32,
    /// The members.
    pub members: BTreeMap<ServerId, Seat>,
    /// The home of each shard; empty while there is no member.
    pub homes: Vec<ServerId>,
    /// Runs that were members in an epoch of which leases may still run. A home waits for them all.
    pub past: BTreeSet<Run>,
    /// The times.
    pub times: Times,
    /// For each class the longest lease that may still run: of this epoch, or of one before it that has not settled.
    pub running: [Micros; 3],
    /// The version of the protocol that everybody speaks.
    pub proto: u16,
    /// Which names are of which class: the longest prefix that fits counts, and normal is what none fits.
    pub classes: Vec<(String, Class)>,
}

/// A change of the view. Each names the epoch for which it is meant, and is nothing in another.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Without this member.
    Exclude(u32, ServerId),
    /// With this server, in this incarnation, which comes in fresh.
    Admit(u32, ServerId, u64),
    /// Each shard moves to this home.
    Rehome(u32, Vec<ServerId>),
    /// Other leases, or other classes. The bound on clock rates is for ever: it is what earlier promises rest on.
    SetTimes(u32, Times, Vec<(String, Class)>),
    /// Everybody speaks this version.
    SetProto(u32, u16),
    /// All leases of earlier epochs are over: those who were members before need not be waited for any more. The epoch
    /// stays as it is.
    Settle(u32),
    /// This run of a server has left in good order: it is not a member, and no client of it holds anything, so it need
    /// not be waited for. The epoch stays as it is. Only the run itself says so.
    Left(u32, ServerId, u64),
}

impl Command {
    /// The epoch for which it is meant.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        let (Command::Exclude(epoch, _)
        | Command::Admit(epoch, _, _)
        | Command::Rehome(epoch, _)
        | Command::SetTimes(epoch, _, _)
        | Command::SetProto(epoch, _)
        | Command::Settle(epoch)
        | Command::Left(epoch, _, _)) = self;
        *epoch
    }
}

/// A command for another epoch, one that changes nothing, or one that may not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stale;

impl View {
    /// The first view of a cluster: nobody is in yet. There may have been servers before that nobody remembers, for
    /// every data folder may have been lost: homes wait for their leases.
    #[must_use]
    pub fn first(epoch: u32, times: Times, classes: Vec<(String, Class)>) -> View {
        View { past: BTreeSet::from([(NOBODY_KNOWS, u64::from(epoch))]), ..View::new(epoch, times, classes) }
    }

    /// The first view of a cluster of which it is certain that no server of it ever ran, such as one in memory.
    #[must_use]
    pub fn new(epoch: u32, times: Times, classes: Vec<(String, Class)>) -> View {
        View {
            epoch,
            members: BTreeMap::new(),
            homes: Vec::new(),
            past: BTreeSet::new(),
            times,
            running: times.leases,
            proto: 1,
            classes,
        }
    }

    /// This view under an epoch that was not used before, after a backup of it was put back. Nobody is in any more.
    /// Whoever was may still have a lease, and so may runs of which this view knows nothing. A lock may have been of
    /// another class since: what runs of it may be as long as any.
    #[must_use]
    pub fn restored(&self, epoch: u32) -> View {
        let mut next = self.clone();
        next.epoch = epoch;
        next.past.extend(self.runs());
        next.past.insert((NOBODY_KNOWS, u64::from(epoch)));
        next.running = [self.longest_running(); 3];
        next.members.clear();
        next.homes.clear();
        next
    }

    /// The runs that are members.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        self.members.iter().map(|(server, seat)| (*server, seat.incarnation))
    }

    /// The shard of a name.
    #[must_use]
    pub fn shard(name: &Name) -> usize {
        (name.hash() % SHARDS as u64) as usize
    }

    /// The home of a name; none while there is no member.
    #[must_use]
    pub fn home(&self, name: &Name) -> Option<ServerId> {
        self.homes.get(View::shard(name)).copied()
    }

    /// The class of a name.
    #[must_use]
    pub fn class(&self, name: &Name) -> Class {
        let fitting = self.classes.iter().filter(|(prefix, _)| name.text().starts_with(prefix.as_str()));
        fitting.max_by_key(|(prefix, _)| prefix.len()).map_or(Class::Normal, |(_, class)| *class)
    }

    /// T4: how long a home waits on its own clock, from the moment at which it installed this view, until no lease of
    /// this class from before can run any more.
    #[must_use]
    pub fn wait(&self, class: Class) -> Micros {
        self.times.wait(self.running[class.index()])
    }

    /// The longest lease of any class that may still run.
    fn longest_running(&self) -> Micros {
        self.running.into_iter().max().unwrap_or_default()
    }

    /// The longest of these waits.
    #[must_use]
    pub fn longest_wait(&self) -> Micros {
        self.times.wait(self.longest_running())
    }

    /// Whether this run of the server is a member.
    #[must_use]
    pub fn has(&self, server: ServerId, incarnation: u64) -> bool {
        self.seat((server, incarnation)).is_some()
    }

    /// The seat of a run.
    #[must_use]
    pub fn seat(&self, (server, incarnation): Run) -> Option<&Seat> {
        self.members.get(&server).filter(|seat| seat.incarnation == incarnation)
    }

    /// The view after a command.
    ///
    /// # Errors
    /// If it is meant for another epoch, or would change nothing.
    pub fn after(&self, command: &Command) -> Result<View, Stale> {
        if command.epoch() != self.epoch || self.epoch >= super::MAX_EPOCH {
            return Err(Stale);
        }
        let mut next = self.clone();
        match command {
            Command::Settle(_) => {
                if self.past.is_empty() && self.running == self.times.leases {
                    return Err(Stale);
                }
                next.past.clear();
                next.running = self.times.leases;
                return Ok(next);
            }
            Command::Left(_, server, incarnation) => {
                let out = !self.has(*server, *incarnation);
                return if out && next.past.remove(&(*server, *incarnation)) { Ok(next) } else { Err(Stale) };
            }
            Command::Exclude(_, server) => {
                next.members.remove(server).ok_or(Stale)?;
            }
            Command::Admit(_, server, incarnation) => {
                if self.has(*server, *incarnation) {
                    return Err(Stale);
                }
                next.members.insert(*server, Seat { incarnation: *incarnation, since: self.epoch + 1 });
            }
            Command::Rehome(_, homes) => {
                let known = |home: &ServerId| self.members.contains_key(home);
                if homes.len() != SHARDS || !homes.iter().all(known) {
                    return Err(Stale);
                }
                next.homes.clone_from(homes);
            }
            Command::SetTimes(_, times, classes) => {
                // A session may hold locks of longer classes than its own: it must not be promised more than they are.
                if times.drift_ppm != self.times.drift_ppm || !times.leases.is_sorted() {
                    return Err(Stale);
                }
                // A lock may be of another class from now on: what runs of it may be as long as any.
                let before =
                    if *classes == self.classes { self.running } else { [self.longest_running(); 3] };
                next.running = core::array::from_fn(|class| before[class].max(times.leases[class]));
                next.times = *times;
                next.classes.clone_from(classes);
            }
            Command::SetProto(_, proto) => next.proto = *proto,
        }
        next.epoch += 1;
        next.past.extend(self.runs());
        if next.past.len() > MOST_PAST {
            let members: BTreeSet<Run> = next.runs().collect();
            next.past.retain(|run| members.contains(run));
            next.past.insert((NOBODY_KNOWS, u64::from(next.epoch)));
        }
        if !matches!(command, Command::Rehome(_, _)) {
            next.homes = homes(&self.homes, &next.members);
        }
        Ok(next)
    }
}

/// A home for every shard: where it was, unless that server is gone; who came last takes its fair share, from those
/// who have most. Which shards those are says a hash, so that every replica comes to the same.
fn homes(before: &[ServerId], members: &BTreeMap<ServerId, Seat>) -> Vec<ServerId> {
    if members.is_empty() {
        return Vec::new();
    }
    let weight = |shard: usize, server: ServerId| mixed((shard as u64) << 16 | u64::from(server));
    let mut load: BTreeMap<ServerId, usize> = members.keys().map(|server| (*server, 0)).collect();
    let mut homes: Vec<Option<ServerId>> = (0..SHARDS).map(|shard| before.get(shard).copied()).collect();
    for home in &mut homes {
        match home.and_then(|server| load.get_mut(&server)) {
            Some(count) => *count += 1,
            None => *home = None,
        }
    }
    let most = SHARDS.div_ceil(members.len());
    let least = SHARDS / members.len();
    for (shard, home) in homes.iter_mut().enumerate() {
        if home.is_none() {
            let open = load.iter().filter(|(_, count)| **count < most).map(|(server, _)| *server);
            if let Some(server) = open.max_by_key(|server| weight(shard, *server)) {
                *home = Some(server);
                *load.entry(server).or_default() += 1;
            }
        }
    }
    while let Some(poor) = load.iter().find(|(_, count)| **count < least).map(|(server, _)| *server) {
        let rich = load.iter().max_by_key(|(server, count)| (**count, **server)).map(|(server, _)| *server);
        let given =
            (0..SHARDS).filter(|shard| homes[*shard] == rich).max_by_key(|shard| weight(*shard, poor));
        let (Some(rich), Some(given)) = (rich, given) else { break };
        homes[given] = Some(poor);
        *load.entry(rich).or_default() -= 1;
        *load.entry(poor).or_default() += 1;
    }
    homes.into_iter().flatten().collect()
}
