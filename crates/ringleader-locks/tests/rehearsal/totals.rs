//! What happened, counted: a fault that did nothing proves nothing.

use std::fmt;

/// What happened in a schedule, or in many.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) schedules: u64,
    /// In which some locks are held by several.
    pub(crate) sharing: u64,
    /// Grants that were taken while others held the same lock.
    pub(crate) beside: u64,
    /// Requests to hold a lock in another way than others do.
    pub(crate) mixed: u64,
    /// Microseconds of simulated time.
    pub(crate) simulated: u64,
    pub(crate) steps: u64,
    pub(crate) granted: u64,
    pub(crate) taken: u64,
    pub(crate) given_back: u64,
    pub(crate) killed: u64,
    pub(crate) restarted: u64,
    pub(crate) paused: u64,
    pub(crate) clients_paused: u64,
    pub(crate) clients_killed: u64,
    pub(crate) cut_off: u64,
    pub(crate) one_way: u64,
    pub(crate) partly: u64,
    pub(crate) parted: u64,
    pub(crate) store_cut: u64,
    pub(crate) clients_cut: u64,
    pub(crate) held_up: u64,
    pub(crate) drains: u64,
    pub(crate) drained: u64,
    pub(crate) left: u64,
    pub(crate) arrived: u64,
    pub(crate) carried: u64,
    pub(crate) followed: u64,
    pub(crate) views: u64,
    pub(crate) settled: u64,
    pub(crate) forced: u64,
    pub(crate) retimed: u64,
    pub(crate) rehomed: u64,
    pub(crate) installed: u64,
    pub(crate) expired: u64,
    pub(crate) dead_sessions: u64,
    pub(crate) written: u64,
    pub(crate) refused: u64,
    /// Data folders that were lost, and in which state the server was.
    pub(crate) lost: u64,
    pub(crate) lost_member: u64,
    pub(crate) lost_recovering: u64,
    pub(crate) lost_draining: u64,
    pub(crate) lost_excluded: u64,
    pub(crate) lost_outside: u64,
    pub(crate) lost_down: u64,
    pub(crate) lost_leader: u64,
    pub(crate) begun_anew: u64,
    pub(crate) restored: u64,
    pub(crate) left_in_order: u64,
    pub(crate) leaders: u64,
    pub(crate) leader_restarts: u64,
    /// Reads that reached a leader which had not applied all of its log.
    pub(crate) reads_behind: u64,
    pub(crate) reads_held: u64,
    /// The longest time until a lock was granted again after everything was healed, in hundredths of what
    /// is allowed.
    pub(crate) slowest: u64,
    /// The longest time until every lock could be granted, after the last one was elected; in hundredths of I5.
    pub(crate) slowest_opening: u64,
    /// In the schedule with this seed.
    pub(crate) slowest_seed: u64,
}

impl Counts {
    /// Each with its name.
    fn named(&self) -> Vec<(&'static str, u64)> {
        let Counts {
            schedules,
            sharing,
            beside,
            mixed,
            simulated,
            steps,
            granted,
            taken,
            given_back,
            killed,
            restarted,
            paused,
            clients_paused,
            clients_killed,
            cut_off,
            one_way,
            partly,
            parted,
            store_cut,
            clients_cut,
            held_up,
            drains,
            drained,
            left,
            arrived,
            carried,
            followed,
            views,
            settled,
            forced,
            retimed,
            rehomed,
            installed,
            expired,
            dead_sessions,
            written,
            refused,
            lost,
            lost_member,
            lost_recovering,
            lost_draining,
            lost_excluded,
            lost_outside,
            lost_down,
            lost_leader,
            begun_anew,
            restored,
            left_in_order,
            leaders,
            leader_restarts,
            reads_behind,
            reads_held,
            slowest,
            slowest_opening,
            slowest_seed: _,
        } = *self;
        vec![
            ("schedules", schedules),
            ("of those, with shared locks", sharing),
            ("simulated microseconds", simulated),
            ("steps", steps),
            ("grants", granted),
            ("grants taken by clients", taken),
            ("of those, beside others", beside),
            ("refused as mixed", mixed),
            ("grants given back", given_back),
            ("servers killed", killed),
            ("servers restarted", restarted),
            ("servers paused", paused),
            ("clients paused", clients_paused),
            ("clients killed", clients_killed),
            ("servers cut off", cut_off),
            ("cut off one way", one_way),
            ("two cut from each other", partly),
            ("parted in two", parted),
            ("servers cut from the store", store_cut),
            ("clients cut off", clients_cut),
            ("messages that met a cut", held_up),
            ("drains begun", drains),
            ("drains finished", drained),
            ("sessions sent away", left),
            ("sessions taken in", arrived),
            ("locks that came with them", carried),
            ("clients that followed", followed),
            ("view changes", views),
            ("of those, settled", settled),
            ("of those, forced exclusions", forced),
            ("of those, other times", retimed),
            ("of those, other homes", rehomed),
            ("views installed", installed),
            ("sessions expired at servers", expired),
            ("sessions dead at clients", dead_sessions),
            ("writes accepted", written),
            ("late writes refused", refused),
            ("data folders lost", lost),
            ("of those, of members", lost_member),
            ("of those, while recovering", lost_recovering),
            ("of those, while draining", lost_draining),
            ("of those, when excluded", lost_excluded),
            ("of those, before it came in", lost_outside),
            ("of those, when it was down", lost_down),
            ("of those, of the leader", lost_leader),
            ("clusters begun anew", begun_anew),
            ("backups put back", restored),
            ("runs that left in good order", left_in_order),
            ("leaders of the store elected", leaders),
            ("leaders restarted in their term", leader_restarts),
            ("reads of a leader behind its log", reads_behind),
            ("of those, held back", reads_held),
            ("slowest opening, % of I5", slowest_opening),
            ("slowest recovery, % of I5", slowest),
        ]
    }

    pub(crate) fn add(&mut self, other: &Counts) {
        let slowest = self.slowest.max(other.slowest);
        let opening = |counts: &Counts| (counts.slowest_opening, counts.slowest_seed);
        let slowest_opening = opening(self).max(opening(other));
        macro_rules! sum {
            ($($field:ident),*) => { $(self.$field += other.$field;)* };
        }
        sum!(
            schedules,
            sharing,
            beside,
            mixed,
            simulated,
            steps,
            granted,
            taken,
            given_back,
            killed,
            restarted,
            paused,
            clients_paused
        );
        sum!(
            clients_killed,
            cut_off,
            one_way,
            partly,
            parted,
            store_cut,
            clients_cut,
            held_up,
            drains,
            drained
        );
        sum!(left, arrived, carried, followed);
        sum!(views, settled, forced, retimed, rehomed, installed, expired, dead_sessions, written, refused);
        sum!(
            lost,
            lost_member,
            lost_recovering,
            lost_draining,
            lost_excluded,
            lost_outside,
            lost_down,
            lost_leader
        );
        sum!(begun_anew, restored, left_in_order, leaders, leader_restarts, reads_behind, reads_held);
        self.slowest = slowest;
        (self.slowest_opening, self.slowest_seed) = slowest_opening;
    }

    /// What never happened.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        self.named().into_iter().filter(|(_, count)| *count == 0).map(|(name, _)| name).collect()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.named() {
            writeln!(f, "{name:>32} {count:>16}")?;
        }
        writeln!(f, "{:>32} {:>16}", "the slowest opening: seed", self.slowest_seed)?;
        let years = self.simulated as f64 / 1e6 / 86_400.0 / 365.25;
        writeln!(f, "{:>32} {years:>16.3}", "simulated years")
    }
}
