//! What a member costs that has nothing to do: five of them with the settings as they are by default, one of
//! them leading.

use crate::cluster::{Folder, NAMES, Process, wait};
use std::time::{Duration, Instant};

/// Prints the time of a core and the memory that a member takes.
pub(crate) fn measure(time: Duration) {
    if !cfg!(target_os = "linux") {
        println!("what an idle member costs is read from /proc, which is not here");
        return;
    }
    let folder = Folder::new(NAMES.len(), |_| "[[group]]\nname = \"g\"\nalgorithm = \"franklin\"\n".into());
    let processes: Vec<Process> = (0..NAMES.len()).map(|place| folder.process(place)).collect();
    wait("a leader", || {
        folder.all_events().iter().any(|(_, event)| event["event"] == "leader_elected").then_some(())
    });
    let before: Vec<f64> = processes.iter().map(cpu_seconds).collect();
    let begin = Instant::now();
    std::thread::sleep(time);
    let passed = begin.elapsed().as_secs_f64();
    let shares: Vec<f64> = processes
        .iter()
        .zip(before)
        .map(|(process, before)| (cpu_seconds(process) - before) / passed)
        .collect();
    let memory: Vec<f64> = processes.iter().map(resident_mebibytes).collect();
    let range = |figures: &[f64]| {
        let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
        (least, figures.iter().copied().fold(0.0, f64::max))
    };
    let ((idle, leading), (small, large)) = (range(&shares), range(&memory));
    println!("a member of {} with nothing to do, over {passed:.0} s:", NAMES.len());
    println!("  {:<42} {:.2} % to {:.2} % of a core", "time", idle * 100.0, leading * 100.0);
    println!("  {:<42} {small:.1} to {large:.1} MiB", "resident memory");
}

/// The time that all threads of a process have been on a core. In nanoseconds, where the ticks of `stat` are
/// too coarse.
fn cpu_seconds(process: &Process) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", process.0.id())).expect("the process is there");
    let spent = tasks.flatten().map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or_default()
    });
    spent.sum::<f64>() / 1e9
}

fn resident_mebibytes(process: &Process) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", process.0.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or_default() / 1024.0
}
