//! The clocks of this machine.

use super::Finding;
use crate::clock;
use ringleader_live::Micros;
use std::time::Duration;

/// For how long the clocks are watched.
const WATCH: Duration = Duration::from_millis(300);

/// A wall clock that moves so much more or less than the other one meanwhile is being set.
const JUMP: u64 = 100_000;

/// The start of 2024, in seconds since 1970: this program is younger.
const YOUNGER_S: u64 = 1_704_067_200;

pub(super) fn examine(drift_ppm: u32, findings: &mut Vec<Finding>) {
    let (first, wall) = (clock::now(), clock::wall());
    if wall / 1_000_000 < YOUNGER_S {
        findings.push(
            Finding::wrong(
                "clock",
                "the wall clock of this machine is far in the past: certificates are not valid yet",
            )
            .help("set it; with systemd:")
            .command("timedatectl set-ntp true"),
        );
        return;
    }
    std::thread::sleep(WATCH);
    let went = (clock::now() - first).0;
    let said = clock::wall().saturating_sub(wall);
    if said.abs_diff(went) > JUMP {
        let words =
            format!("the wall clock moved by {} ms in {} ms: somebody sets it", said / 1000, went / 1000);
        findings.push(
            Finding::warning("clock", words)
                .help("members number their starts with it: let it settle before they are started"),
        );
        return;
    }
    let asleep = asleep();
    let slept = if asleep > Micros::millis(1000) {
        format!("; it has slept for {} s since it was started, which counts", asleep.0 / 1_000_000)
    } else {
        String::new()
    };
    let drift = f64::from(drift_ppm) / 1e4;
    let words =
        format!("clocks agree{slept}; promises assume that no clock runs wrong by more than {drift} %");
    findings.push(Finding::well("clock", words));
}

/// How long the machine has slept since it was started.
#[cfg(target_os = "linux")]
fn asleep() -> Micros {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let awake =
        u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0) / 1000;
    clock::now() - Micros(awake)
}

#[cfg(not(target_os = "linux"))]
fn asleep() -> Micros {
    Micros(0)
}
