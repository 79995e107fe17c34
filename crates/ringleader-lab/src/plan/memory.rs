//! How much memory a run will need, asked before anything is allocated: a refusal is kinder than an abort.

use crate::Diagnostic;
use crate::people::{bytes, grouped};
use ringleader::model::{Shape, Talks};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Load, Scenario, Schedule};

/// More processes than this have no index.
pub const NODES_MAX: u128 = 1 << 31;

/// Refuses a run that does not fit.
///
/// # Errors
/// If it needs more than is free.
pub fn check(entry: &Entry, scenario: &Scenario) -> Result<(), Diagnostic> {
    // To ask the system takes longer than a small run.
    if estimate(entry, scenario, u64::from(scenario.n)) < SMALL {
        return Ok(());
    }
    match available() {
        Some(available) => check_within(entry, scenario, available, "are free"),
        None => Ok(()),
    }
}

/// What one run of the page may take: a class asks at the same time.
const PAGE_BYTES: u64 = 2 << 30;

/// Refuses a run that does not fit beside those of others.
///
/// # Errors
/// If it needs more than that.
pub fn check_for_page(entry: &Entry, scenario: &Scenario) -> Result<(), Diagnostic> {
    check(entry, scenario)?;
    check_within(entry, scenario, PAGE_BYTES, "are what a run of the page may use")
}

fn check_within(entry: &Entry, scenario: &Scenario, most: u64, what: &str) -> Result<(), Diagnostic> {
    let needed = estimate(entry, scenario, u64::from(scenario.n));
    if needed > u128::from(most) { Err(too_large(entry, scenario, needed, most, what)) } else { Ok(()) }
}

/// Whether so many runs of it fit at once.
pub(crate) fn fits(entry: &Entry, scenario: &Scenario, at_once: u32) -> bool {
    let needed = estimate(entry, scenario, u64::from(scenario.n)).saturating_mul(u128::from(at_once));
    available().is_none_or(|available| needed <= u128::from(available))
}

/// More processes than there are indices.
#[must_use]
pub fn too_many(n: u128) -> Diagnostic {
    let message = format!("-n {n}: there can be at most 2^31 = {} processes", grouped(NODES_MAX as u64));
    Diagnostic::input("too_large", message)
}

fn too_large(entry: &Entry, scenario: &Scenario, needed: u128, available: u64, what: &str) -> Diagnostic {
    // The largest n that fits, by halving.
    let (mut fits, mut too_many) = (1u64, u64::from(scenario.n));
    while fits + 1 < too_many {
        let middle = u64::midpoint(fits, too_many);
        if estimate(entry, scenario, middle) <= u128::from(available) {
            fits = middle;
        } else {
            too_many = middle;
        }
    }
    // Two digits are enough, and leave some room.
    let digits = 10u64.pow(fits.ilog10().saturating_sub(1));
    let message = format!(
        "-n {}: `{}` would need about {}; {} {what}",
        grouped(u64::from(scenario.n)),
        entry.spec.name,
        bytes(u64::try_from(needed).unwrap_or(u64::MAX)),
        bytes(available),
    );
    Diagnostic::input("too_large", message)
        .help(format!("what fits here is about -n {}", grouped(fits / digits * digits)))
}

/// There is room for this wherever there was room for the program.
const SMALL: u128 = 2 * OWN;

/// About how many bytes a run takes.
#[must_use]
pub fn needed(entry: &Entry, scenario: &Scenario) -> u64 {
    u64::try_from(estimate(entry, scenario, u64::from(scenario.n))).unwrap_or(u64::MAX)
}

/// What the program itself needs.
const OWN: u128 = 16 << 20;

/// The bytes that a run of `n` processes needs at its peak, roughly and rather too many. The constants were measured
/// with n = 10^6 and 10^7 on rings and n = 2,000 on complete graphs.
fn estimate(entry: &Entry, scenario: &Scenario, n: u64) -> u128 {
    let (process, message) = entry.bytes;
    let slot = u128::from(message.next_multiple_of(4) as u64 + 4);
    let n = u128::from(n);
    let ring = matches!(entry.shape, Shape::OneWayRing | Shape::TwoWayRing);
    // Messages that may be under way at once.
    let under_way = match (entry.shape, entry.topology()) {
        (Shape::OneWayRing, _) => n,
        (Shape::TwoWayRing, _) | (Shape::Edges, "tree") => 2 * n,
        (Shape::Named, _) if entry.spec.needs.talks == Talks::ToFew => 2 * n,
        (Shape::Memory, _) => 0,
        (Shape::Edges | Shape::Named, _) => senders(scenario, n) * n,
    };
    let tables = match (entry.shape, entry.spec.needs.talks) {
        (Shape::Named, Talks::ToAll { keeps }) => n * n * u128::from(keeps),
        (_, Talks::ToAll { .. } | Talks::ToFew) => 0,
    };
    let base = OWN + n * (process as u128 + 8) + tables + 2 * slot * under_way;
    // Elections on rings in rounds keep a message in its slot; everything else keeps queues, and a place in a schedule.
    let lane = ring && entry.problem == Problem::Election && matches!(scenario.schedule, Schedule::Rounds);
    let plain = scenario.faults.is_empty() && scenario.edits.is_empty() && !scenario.meters.any();
    if lane && plain { base } else { base + n * 16 + under_way * if ring { 72 } else { 96 } }
}

/// How many processes may talk to everybody at once.
fn senders(scenario: &Scenario, n: u128) -> u128 {
    let workload = &scenario.workload;
    match workload.load {
        Some(Load::Light) => 1,
        None if !workload.wants.is_empty() => (workload.wants.len() as u128).min(n),
        Some(Load::Saturated | Load::Open(_)) | None => n,
    }
}

/// What a search may take of it: the rest of the machine should not notice.
pub(crate) fn usable() -> Option<u64> {
    available().map(|free| free / 4 * 3)
}

/// What a browser gives a worker of it: addresses have 32 bits there, and the rest is for the page.
const BROWSER: u64 = 2 << 30;

/// Free memory, where the system tells: of the machine, of the group of processes that we are in, and of our own.
fn available() -> Option<u64> {
    if cfg!(target_family = "wasm") {
        return Some(BROWSER);
    }
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let machine = field(&meminfo, "MemAvailable:")?;
    [group_limit(), own_limit()].into_iter().flatten().chain([machine]).min()
}

/// What is left of the addresses that this program may have (`ulimit -v`). Threads reserve many of them that they
/// never use: half of what is left counts.
fn own_limit() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let used = field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(address_limit(&limits)?.saturating_sub(used) / 2)
}

/// What a thread of a search may have of them: its stack, and an arena of the allocator.
const THREAD_BYTES: u64 = 512 << 20;

/// How many of these threads there may be, where addresses are limited; in a browser there is one. What comes out does
/// not depend on them.
pub(crate) fn threads(asked: u32) -> u32 {
    if cfg!(target_family = "wasm") {
        return 1;
    }
    let fit = |left: u64| u32::try_from(left / THREAD_BYTES).unwrap_or(u32::MAX).max(1);
    own_limit().map_or(asked, |left| asked.min(fit(left)))
}

/// The limit on addresses in bytes; none if there is none.
fn address_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn group_limit() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let read = |name: &str| {
        let file = format!("/sys/fs/cgroup{}/{name}", path.trim_end_matches('/'));
        std::fs::read_to_string(file).ok()?.trim().parse::<u64>().ok()
    };
    Some(read("memory.max")?.saturating_sub(read("memory.current")?))
}

/// Peak resident memory of this program, where the system tells.
#[must_use]
pub fn peak() -> Option<u64> {
    field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// A field in kB of a file under /proc, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_limit_is_read() {
        let head = "Limit                     Soft Limit           Hard Limit           Units     \n";
        let with = |soft: &str| {
            format!("{head}Max address space         {soft}           unlimited            bytes     \n")
        };
        assert_eq!(address_limit(&with("1024000000")), Some(1_024_000_000));
        assert_eq!(address_limit(&with("unlimited")), None);
        assert_eq!(address_limit(head), None);
    }
}
