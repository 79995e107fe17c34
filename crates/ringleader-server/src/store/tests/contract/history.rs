//! Judges whether what several clients saw of a store could have been seen of one view that changes at single moments
//! (linearizability; the search of Wing and Gong, with the memory of Lowe).
//!
//! A proposal is a change and then a look at the view, both between its beginning and its end. One that was answered
//! by an error may have changed the view at any moment after its beginning, or never.

use ringleader_locks::{Command, View};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

/// What was asked of a store.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    Read,
    Propose(Command),
}

/// A call and its answer. Beginnings and ends are numbered in the order in which they happened.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The server where it was asked.
    pub(crate) at: u16,
    pub(crate) asked: Asked,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// None after an error.
    pub(crate) answer: Option<Arc<View>>,
}

/// One thing that happened at a single moment.
struct Step {
    begin: u64,
    /// None if it may be later than anything, or never.
    end: Option<u64>,
    what: What,
    /// The step that comes before it.
    after: Option<usize>,
}

enum What {
    Look(Arc<View>),
    Change(Command),
}

/// The steps of these calls, in the order of their beginnings.
fn steps(history: &[Call]) -> Vec<Step> {
    let mut calls: Vec<&Call> = history.iter().collect();
    calls.sort_by_key(|call| call.begin);
    let mut steps = Vec::new();
    for call in calls {
        let end = call.answer.as_ref().map(|_| call.end);
        let mut after = None;
        if let Asked::Propose(command) = &call.asked {
            let stays = matches!(command, Command::Settle(_) | Command::Left(..));
            assert!(!stays, "it leaves the epoch as it is: not judged here");
            after = Some(steps.len());
            steps.push(Step { begin: call.begin, end, what: What::Change(command.clone()), after: None });
        }
        if let Some(view) = &call.answer {
            steps.push(Step { begin: call.begin, end, what: What::Look(view.clone()), after });
        }
    }
    steps
}

/// A point of the search: which steps were taken, and the view then.
#[derive(Clone)]
struct Point {
    view: Arc<View>,
    taken: Vec<u64>,
    /// All steps before this one were taken.
    low: usize,
}

impl Point {
    fn has(&self, step: usize) -> bool {
        self.taken[step / 64] >> (step % 64) & 1 == 1
    }

    fn take(&mut self, step: usize) {
        self.taken[step / 64] |= 1 << (step % 64);
    }

    /// The steps that may be next: no other one ended before they began.
    fn next(&self, steps: &[Step]) -> Vec<usize> {
        let (mut next, mut earliest) = (Vec::new(), u64::MAX);
        for (number, step) in steps.iter().enumerate().skip(self.low) {
            if step.begin > earliest {
                break;
            }
            if self.has(number) {
                continue;
            }
            earliest = earliest.min(step.end.unwrap_or(u64::MAX));
            if step.after.is_none_or(|before| self.has(before)) {
                next.push(number);
            }
        }
        next
    }

    /// Takes all steps that change nothing, now or ever, and that the view allows: whoever takes them later gains
    /// nothing. Then those that may be next.
    fn settle(&mut self, steps: &[Step]) -> Vec<usize> {
        loop {
            let next = self.next(steps);
            let idle = |number: &usize| match &steps[*number].what {
                What::Look(view) => *view == self.view,
                What::Change(command) => {
                    let meant = command.epoch();
                    meant < self.view.epoch || meant == self.view.epoch && self.view.after(command).is_err()
                }
            };
            let idle: Vec<usize> = next.iter().copied().filter(idle).collect();
            if idle.is_empty() {
                return next;
            }
            idle.into_iter().for_each(|number| self.take(number));
            while self.low < steps.len() && self.has(self.low) {
                self.low += 1;
            }
        }
    }
}

/// Whether there is an order of single moments that explains all answers; if not, how far the best one goes.
pub(crate) fn linearizable(first: &Arc<View>, history: &[Call]) -> Result<(), String> {
    let steps = steps(history);
    let start = Point { view: first.clone(), taken: vec![0; steps.len() / 64 + 1], low: 0 };
    let (mut open, mut seen) = (vec![start], HashSet::new());
    let mut best: Option<(u32, Point, Vec<usize>)> = None;
    while let Some(mut point) = open.pop() {
        let next = point.settle(&steps);
        if steps.iter().enumerate().all(|(number, step)| step.end.is_none() || point.has(number)) {
            return Ok(());
        }
        if !seen.insert((point.taken.clone(), point.view.clone())) {
            continue;
        }
        let count = point.taken.iter().map(|bits| bits.count_ones()).sum();
        if best.as_ref().is_none_or(|(most, _, _)| count > *most) {
            best = Some((count, point.clone(), next.clone()));
        }
        for number in next {
            let What::Change(command) = &steps[number].what else { continue };
            let mut then = point.clone();
            then.take(number);
            if let Ok(view) = point.view.after(command) {
                then.view = Arc::new(view);
                open.push(then);
            } else if steps[number].end.is_some() {
                // Meant for an epoch that is yet to come: it changes nothing now. One that may never happen waits.
                open.push(then);
            }
        }
    }
    let mut why = format!("no order explains these {} steps", steps.len());
    if let Some((count, point, next)) = best {
        let _ = write!(why, "; after {count} of them the view is {}, and next would be", brief(&point.view));
        for number in next.into_iter().take(12) {
            let step = &steps[number];
            let what = match &step.what {
                What::Look(view) => format!("a look at {}", brief(view)),
                What::Change(command) => format!("{command:?}"),
            };
            let _ = write!(why, "\n  {}..{:?} {what}", step.begin, step.end);
        }
    }
    Err(why)
}

fn brief(view: &View) -> String {
    let members: Vec<_> = view.members.iter().map(|(server, seat)| (*server, seat.incarnation)).collect();
    format!("epoch {} proto {} members {members:?}", view.epoch, view.proto)
}

/// What follows from linearizability and makes a better message: epochs never fall, an epoch has one view, and no
/// server that was excluded is told that it is a member.
pub(crate) fn plain(history: &[Call]) -> Result<(), String> {
    let mut answers: Vec<(&Call, &Arc<View>)> =
        history.iter().filter_map(|call| call.answer.as_ref().map(|view| (call, view))).collect();
    answers.sort_by_key(|(call, _)| call.begin);
    let mut views: BTreeMap<u32, &Arc<View>> = BTreeMap::new();
    for (call, view) in &answers {
        if *views.entry(view.epoch).or_insert(view) != *view {
            return Err(format!(
                "epoch {} has two views: {} and {}",
                view.epoch,
                brief(views[&view.epoch]),
                brief(view)
            ));
        }
        let before = answers.iter().filter(|(earlier, _)| earlier.end < call.begin);
        let Some((earlier, known)) = before.max_by_key(|(_, known)| known.epoch) else { continue };
        if view.epoch < known.epoch {
            return Err(format!(
                "epoch {} at server {}, begun at {}, after {} was answered at {}",
                view.epoch, call.at, call.begin, known.epoch, earlier.end
            ));
        }
    }
    // Incarnations are drawn once each: one that was in a view and is not in a later one is out for good.
    let mut out: BTreeMap<(u16, u64), u32> = BTreeMap::new();
    let mut inside: BTreeMap<u16, u64> = BTreeMap::new();
    for (epoch, view) in &views {
        let now: BTreeMap<u16, u64> =
            view.members.iter().map(|(server, seat)| (*server, seat.incarnation)).collect();
        for (server, incarnation) in &inside {
            if now.get(server) != Some(incarnation) {
                out.entry((*server, *incarnation)).or_insert(*epoch);
            }
        }
        inside = now;
    }
    for (call, view) in &answers {
        let Some(seat) = view.members.get(&call.at) else { continue };
        let Some(since) = out.get(&(call.at, seat.incarnation)) else { continue };
        let told = answers.iter().any(|(other, known)| other.end < call.begin && known.epoch >= *since);
        if told {
            return Err(format!(
                "server {} reads in epoch {} that it is a member, after it was excluded in {since}",
                call.at, view.epoch
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_locks::Times;

    /// A view of this epoch and protocol, after so many changes of the protocol.
    fn views(protos: &[u16]) -> Vec<Arc<View>> {
        let mut views = vec![Arc::new(View::first(0, Times::default(), Vec::new()))];
        for proto in protos {
            let view = views.last().expect("the first");
            views.push(Arc::new(view.after(&Command::SetProto(view.epoch, *proto)).expect("it fits")));
        }
        views
    }

    fn call(begin: u64, end: u64, asked: Asked, answer: Option<&Arc<View>>) -> Call {
        Call { at: 0, asked, begin, end, answer: answer.cloned() }
    }

    fn read(begin: u64, end: u64, view: &Arc<View>) -> Call {
        call(begin, end, Asked::Read, Some(view))
    }

    fn set(begin: u64, end: u64, epoch: u32, proto: u16, answer: Option<&Arc<View>>) -> Call {
        call(begin, end, Asked::Propose(Command::SetProto(epoch, proto)), answer)
    }

    #[test]
    fn histories_of_one_view_are_accepted() {
        let v = views(&[5, 6]);
        let all = [
            // One after the other.
            vec![read(0, 1, &v[0]), set(2, 3, 0, 5, Some(&v[1])), read(4, 5, &v[1])],
            // At once: either order.
            vec![set(0, 9, 0, 5, Some(&v[1])), read(1, 2, &v[0]), read(3, 4, &v[1])],
            // Two for one epoch: the other one changes nothing, and sees what is.
            vec![set(0, 8, 0, 5, Some(&v[1])), set(1, 9, 0, 7, Some(&v[1]))],
            // A proposal sees what came between its change and its look.
            vec![set(0, 9, 0, 5, Some(&v[2])), set(1, 8, 1, 6, Some(&v[2]))],
            // Without an answer: it happened late, ...
            vec![set(0, 1, 0, 5, None), read(2, 3, &v[0]), read(4, 5, &v[1])],
            // ... or never.
            vec![set(0, 1, 0, 5, None), read(2, 3, &v[0])],
            // Of several without an answer, the right ones happened, in the right order.
            vec![set(0, 1, 1, 6, None), set(2, 3, 0, 9, None), set(4, 5, 0, 5, None), read(6, 7, &v[2])],
            // For an epoch to come: nothing, or in time.
            vec![set(0, 9, 1, 6, Some(&v[2])), set(1, 8, 0, 5, Some(&v[1]))],
            vec![set(0, 1, 1, 6, Some(&v[0])), set(2, 3, 0, 5, Some(&v[1]))],
        ];
        for (number, history) in all.iter().enumerate() {
            assert_eq!(linearizable(&v[0], history), Ok(()), "history {number}");
            assert_eq!(plain(history), Ok(()), "history {number}");
        }
    }

    #[test]
    fn histories_of_no_view_are_rejected() {
        let (v, w) = (views(&[5, 6]), views(&[7]));
        let all = [
            // A read that is older than an answer before it.
            vec![set(0, 1, 0, 5, Some(&v[1])), read(2, 3, &v[0])],
            vec![set(0, 5, 0, 5, None), read(1, 2, &v[1]), read(3, 4, &v[0])],
            // A view that nobody made, or nobody yet.
            vec![read(0, 1, &v[1])],
            vec![read(0, 1, &v[1]), set(2, 3, 0, 5, Some(&v[1]))],
            // Two views of one epoch.
            vec![set(0, 9, 0, 5, Some(&v[1])), set(1, 8, 0, 7, Some(&w[1]))],
            // A proposal that says what was before it.
            vec![set(0, 1, 0, 5, Some(&v[0]))],
            // Something that was lost.
            vec![set(0, 1, 0, 5, Some(&v[1])), set(2, 3, 1, 6, Some(&v[2])), read(4, 5, &v[1])],
        ];
        for (number, history) in all.iter().enumerate() {
            assert!(linearizable(&v[0], history).is_err(), "history {number}");
        }
        assert!(plain(&all[0]).expect_err("it fell").contains("epoch 0 at server 0"));
        assert!(plain(&all[4]).expect_err("two of them").contains("epoch 1 has two views"));
    }

    #[test]
    fn stale_membership_of_excluded_server_is_noticed() {
        let first = views(&[]).remove(0);
        let inside = Arc::new(first.after(&Command::Admit(0, 0, 77)).expect("it fits"));
        let outside = Arc::new(inside.after(&Command::Exclude(1, 0)).expect("it fits"));
        let again = Arc::new(outside.after(&Command::Admit(2, 0, 78)).expect("it fits"));
        let admit = call(0, 1, Asked::Propose(Command::Admit(0, 0, 77)), Some(&inside));
        let exclude = call(2, 5, Asked::Propose(Command::Exclude(1, 0)), Some(&outside));
        let return_ = call(7, 9, Asked::Propose(Command::Admit(2, 0, 78)), Some(&again));
        let history = |read: Call| vec![admit.clone(), exclude.clone(), return_.clone(), read];
        for fine in [read(3, 4, &inside), read(6, 8, &outside), read(8, 10, &again)] {
            assert_eq!(plain(&history(fine.clone())), Ok(()));
            assert_eq!(linearizable(&first, &history(fine)), Ok(()));
        }
        let wrong = history(read(6, 8, &inside));
        assert!(plain(&wrong).is_err());
        assert!(linearizable(&first, &wrong).is_err());
    }

    /// Many clients and many unknown outcomes: the search must not grow with them.
    #[test]
    fn long_history_is_judged() {
        let v = views(&[1; 400]);
        let mut history = Vec::new();
        for (number, view) in v.iter().enumerate().skip(1) {
            let at = number as u64 * 100;
            let epoch = view.epoch - 1;
            history.push(set(at, at + 90, epoch, 1, (number % 3 > 0).then_some(view)));
            for other in 1..10 {
                history.push(set(at + other, at + 50 + other, epoch, 1, (other > 4).then_some(view)));
                history.push(set(at + other, at + 50 + other, epoch + 7, 9, None));
            }
            history.push(read(at + 20, at + 30, if number % 2 == 0 { view } else { &v[number - 1] }));
        }
        // In the same epoch all proposals are for the same protocol: any of them may have been the first.
        assert_eq!(linearizable(&v[0], &history), Ok(()));
        history.push(read(1_000_000, 1_000_001, &v[3]));
        assert!(linearizable(&v[0], &history).is_err());
    }
}
