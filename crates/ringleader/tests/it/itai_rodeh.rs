//! Itai–Rodeh, as published, in lock-step and with a coin: the draws decide, at an exact cost, and the expected number
//! of rounds follows from all draws of one round.

use crate::support::{election, entry, kind, record, run_well, schedules};
use ringleader::check::Scope;
use ringleader::election::{ItaiRodeh, ItaiRodehCoin, ItaiRodehSync};
use ringleader::model::{Election, Links, Message, Never, Next, Outbox, Process, Range, Size, Verdict};
use ringleader::sim::{Initiators, Refusal, Scenario, Schedule};
use std::collections::VecDeque;

/// What each process drew, in order: what `choose` answered.
fn draws(name: &str, scenario: &Scenario) -> Vec<Vec<u32>> {
    let mut draws = vec![Vec::new(); scenario.n as usize];
    for event in record(entry(name), scenario).1.events {
        draws[event.process as usize].extend(&event.choices);
    }
    draws
}

/// The process that drew the largest value that nobody else drew.
fn largest_unique(values: &[u32]) -> Option<usize> {
    let unique = |value: u32| values.iter().filter(|&&other| other == value).count() == 1;
    (0..values.len()).filter(|&i| unique(values[i])).max_by_key(|&i| values[i])
}

#[test]
fn itai_rodeh_sync_winner_and_cost() {
    for (n, range) in [(1u32, 2), (2, 2), (3, 2), (3, 3), (5, 2), (5, 4), (8, 3), (20, 30)] {
        for seed in 0..30 {
            for initiators in [Initiators::All, Initiators::One, Initiators::Percent(50.0)] {
                let scenario = Scenario { range, seed, initiators, ..Scenario::new(n) };
                let report = run_well("itai-rodeh-sync", &scenario);
                let draws = draws("itai-rodeh-sync", &scenario);
                let rounds = draws[0].len();
                assert!(draws.iter().all(|drawn| drawn.len() == rounds), "all draw in each round");
                for round in 0..rounds {
                    let values: Vec<u32> = draws.iter().map(|drawn| drawn[round]).collect();
                    let winner = largest_unique(&values).map(|i| i as u32);
                    let leader = election(&report).leader.as_ref().map(|leader| leader.index);
                    assert_eq!(winner, leader.filter(|_| round + 1 == rounds), "n={n} seed={seed}");
                }
                assert_eq!(report.phases, Some(rounds as u64));
                assert_eq!(report.messages, u64::from(n * n) * rounds as u64, "n={n} seed={seed}");
                assert_eq!(election(&report).informed, u64::from(n));
            }
        }
    }
}

#[test]
fn itai_rodeh_sync_needs_lock_step() {
    for seed in 0..20 {
        let report = run_well("itai-rodeh-sync", &Scenario { seed, ..Scenario::new(4) });
        assert_eq!(report.rounds, report.phases.map(|rounds| 4 * rounds));
    }
    for (name, schedule) in schedules().into_iter().filter(|(name, _)| *name != "rounds") {
        let scenario = Scenario { schedule, unsound: true, ..Scenario::new(4) };
        let refused = entry("itai-rodeh-sync").run(&scenario, &mut ());
        assert!(matches!(refused, Err(Refusal::NeedsLockStep { .. })), "{name}: {refused:?}");
    }
}

/// The places of those that stay: all but those with a 0 right after a 1, on the ring of the active ones.
fn survivors(active: &[usize], bits: &[u32]) -> Vec<usize> {
    let before = |k: usize| bits[(k + bits.len() - 1) % bits.len()];
    (0..active.len()).filter(|&k| bits[k] == 1 || before(k) == 0).map(|k| active[k]).collect()
}

#[test]
fn itai_rodeh_coin_winner_and_cost() {
    for n in [1u32, 2, 3, 5, 8, 40] {
        for seed in 0..20 {
            let draws = draws("itai-rodeh-coin", &Scenario { seed, ..Scenario::new(n) });
            let mut active: Vec<usize> = (0..n as usize).collect();
            let mut rounds = 0;
            while active.len() > 1 || rounds == 0 {
                let bits: Vec<u32> = active.iter().map(|&i| draws[i][rounds]).collect();
                active = survivors(&active, &bits);
                rounds += 1;
            }
            for (name, schedule) in schedules() {
                for initiators in [Initiators::All, Initiators::One] {
                    let scenario =
                        Scenario { seed, schedule: schedule.clone(), initiators, ..Scenario::new(n) };
                    let report = run_well("itai-rodeh-coin", &scenario);
                    let leader = election(&report).leader.as_ref().map(|leader| leader.index as usize);
                    assert_eq!(leader, Some(active[0]), "n={n} seed={seed} {name}");
                    assert_eq!(report.phases, Some(rounds as u64), "n={n} seed={seed} {name}");
                    let lap = u64::from(n) * rounds as u64;
                    let by_kind = ["bit", "count", "leader"].map(|name| kind(&report, name));
                    assert_eq!(by_kind, [lap, lap, u64::from(n)], "n={n} seed={seed} {name}");
                }
            }
        }
    }
}

/// A one-way ring of its own, whose draws are given: enough to look at every outcome of one round.
struct Given<M> {
    draws: VecDeque<u32>,
    sent: Vec<M>,
    /// Somebody wants to draw, and there is nothing left to draw.
    drawn_out: bool,
}

impl<P: Process<Port = Next, Timer = Never>> Outbox<P> for Given<P::Msg> {
    fn send(&mut self, _: Next, msg: P::Msg) {
        self.sent.push(msg);
    }
    fn set_timer(&mut self, timer: Never, _: u32) {
        match timer {}
    }
    fn stop_timer(&mut self, timer: Never) {
        match timer {}
    }
    fn choose(&mut self, k: u32) -> u32 {
        let drawn = self.draws.pop_front();
        self.drawn_out |= drawn.is_none();
        drawn.unwrap_or(0).min(k - 1)
    }
    fn rule(&mut self, _: P::Rule) {}
    fn phase_begins(&mut self) {}
    fn phase_reached(&mut self, _: u32) {}
    fn impossible(&mut self, why: &'static str) {
        panic!("{why}");
    }
}

/// Runs a ring whose first draws are given, until everybody left wants to draw again or one leads: how many are left.
fn one_round<P: Election<Port = Next, Timer = Never>>(mut ring: Vec<P>, draws: &[u32]) -> usize {
    let n = ring.len();
    let mut links: Vec<VecDeque<P::Msg>> = vec![VecDeque::new(); n];
    let mut again = vec![false; n];
    for (i, process) in ring.iter_mut().enumerate() {
        let mut out = Given { draws: VecDeque::from([draws[i]]), sent: Vec::new(), drawn_out: false };
        process.start(&mut out);
        links[i].extend(out.sent);
    }
    // Whoever has begun its second round stands still; what it sent of it stays where it is.
    while let Some(i) = (0..n).find(|&i| !again[(i + 1) % n] && !links[i].is_empty()) {
        let to = (i + 1) % n;
        let Some(msg) = links[i].pop_front() else { break };
        let mut out = Given { draws: VecDeque::new(), sent: Vec::new(), drawn_out: false };
        ring[to].receive(Next, msg, &mut out);
        again[to] = out.drawn_out;
        if !out.drawn_out {
            links[to].extend(out.sent);
        }
    }
    let leaders = ring.iter().filter(|process| process.outcome().verdict == Verdict::Leader).count();
    assert!(leaders <= 1 && (leaders == 0 || !again.contains(&true)));
    leaders.max(again.iter().filter(|&&again| again).count())
}

/// All ways to draw k values below `range`.
fn all_draws(k: u32, range: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..range.pow(k)).map(move |code| (0..k).map(|i| code / range.pow(i) % range).collect())
}

#[test]
fn in_lock_step_the_expected_number_of_rounds() {
    // Draws that end the election, of all draws of a round; the expected number of rounds is the inverse.
    for (n, range, ends, of) in
        [(3u32, 2u32, 6, 8), (4, 2, 8, 16), (5, 2, 10, 32), (3, 3, 24, 27), (2, 5, 20, 25)]
    {
        let ended = all_draws(n, range)
            .filter(|draws| {
                let ring = (0..n).map(|_| ItaiRodehSync::new((Size(n), Range(range)))).collect();
                let left = one_round(ring, draws);
                assert!(left == 1 || left == n as usize, "all draw again, or none");
                left == 1
            })
            .count();
        assert_eq!((ended, range.pow(n)), (ends, of), "n={n} k={range}");
    }
}

#[test]
fn with_a_coin_the_expected_number_of_rounds() {
    // How many are left after the first round, over all draws, gives the chain; a later round with k active ones is the
    // first round of a ring of k. In fractions of whole numbers: exact.
    let mut expected = vec![(0u64, 1u64); 2];
    for k in 2..=6u32 {
        let mut left = vec![0u64; k as usize + 1];
        for draws in all_draws(k, 2) {
            let ring = (0..k).map(|_| ItaiRodehCoin::new(Size(k))).collect();
            left[one_round(ring, &draws)] += 1;
        }
        assert_eq!((left[0], left[k as usize]), (0, 2), "never all, and nobody only if all bits are equal");
        // E(k) (2^k - left(k)) = 2^k + sum of left(j) E(j) over j < k.
        let (mut above, mut below) = (1u64 << k, 1u64);
        for (j, &(a, b)) in expected.iter().enumerate() {
            (above, below) = (above * b + left[j] * a * below, below * b);
        }
        below *= (1 << k) - left[k as usize];
        let common = greatest_common_divisor(above, below);
        expected.push((above / common, below / common));
    }
    assert_eq!(expected[2..5], [(2, 1), (10, 3), (30, 7)]);
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[test]
fn messages_say_what_they_are() {
    let kinds = |name: &str| entry(name).kinds;
    assert_eq!(kinds("itai-rodeh-sync"), ["value"]);
    assert_eq!(kinds("itai-rodeh-coin"), ["bit", "count", "leader"]);
    assert_eq!(<ItaiRodehCoin as Process>::Msg::ANNOUNCES, [false, false, true]);
    let random = Scenario { schedule: Schedule::Random, ..Scenario::new(1) };
    assert_eq!(run_well("itai-rodeh-coin", &random).messages, 3);
    assert_eq!(run_well("itai-rodeh-sync", &Scenario::new(1)).messages, 1);
}

#[test]
fn itai_rodeh_elects_on_every_kind_of_link() {
    for n in [1u32, 2, 3, 5, 20, 300] {
        for (range, seeds) in [(2, 3), (3, 2), (n.max(2), 3)] {
            for seed in 0..seeds {
                for links in [Links::Bag, Links::Fifo] {
                    for (name, schedule) in schedules() {
                        if n == 300 && name != "rounds" && name != "random" {
                            continue;
                        }
                        let scenario =
                            Scenario { range, seed, schedule, links: Some(links), ..Scenario::new(n) };
                        let report = run_well("itai-rodeh", &scenario);
                        assert_eq!(kind(&report, "elected"), u64::from(n), "n={n} {links} {name}");
                        assert_eq!(election(&report).informed, u64::from(n));
                        let rounds = report.phases.expect("it has rounds");
                        assert!(kind(&report, "cand") <= u64::from(n * n) * rounds, "n={n} {links} {name}");
                    }
                }
            }
        }
    }
}

/// What a process did in a step: sent, and drew nothing but what it was told.
#[derive(Default)]
struct Sent(Vec<<ItaiRodeh as Process>::Msg>);

impl Outbox<ItaiRodeh> for Sent {
    fn send(&mut self, _: Next, msg: <ItaiRodeh as Process>::Msg) {
        self.0.push(msg);
    }
    fn set_timer(&mut self, timer: Never, _: u32) {
        match timer {}
    }
    fn stop_timer(&mut self, timer: Never) {
        match timer {}
    }
    fn choose(&mut self, k: u32) -> u32 {
        k - 1
    }
    fn rule(&mut self, _: <ItaiRodeh as Process>::Rule) {}
    fn phase_begins(&mut self) {}
    fn phase_reached(&mut self, _: u32) {}
    fn impossible(&mut self, why: &'static str) {
        panic!("{why}");
    }
}

/// The checker counts rounds from the oldest that matters. That must change nothing: a process that is put back by some
/// rounds does, with a message that is put back, what it would have done, put back.
#[test]
fn rounds_can_be_counted_from_later_on() {
    type Msg = <ItaiRodeh as Process>::Msg;
    let rounds = ItaiRodeh::ROUNDS.expect("its rounds have no end");
    let mut compared = 0;
    for round in 2..6 {
        // A process in this round: it has drawn again and again.
        let mut process = ItaiRodeh::new((Size(3), Range(2)));
        process.start(&mut Sent::default());
        for _ in 1..round {
            let home = Msg::Cand { id: 2, round: 0, hop: 3, unique: false };
            process.receive(Next, home, &mut Sent::default());
        }
        assert_eq!((rounds.of)(&process), Some(round));
        for (id, of, hop) in
            (1..=2).flat_map(|id| (0..=7).flat_map(move |of| (1..=3).map(move |hop| (id, of, hop))))
        {
            for by in 1..round {
                let put_back = |mut process: ItaiRodeh| {
                    (rounds.process)(&mut process, by);
                    process
                };
                let message = |mut msg: Msg| {
                    (rounds.message)(&mut msg, by);
                    msg
                };
                let came = Msg::Cand { id, round: of, hop, unique: true };
                let (mut now, mut sent) = (process.clone(), Sent::default());
                now.receive(Next, came.clone(), &mut sent);
                let (mut then, mut sent_then) = (put_back(process.clone()), Sent::default());
                then.receive(Next, message(came), &mut sent_then);
                assert_eq!(put_back(now), then, "round {round}, cand({id}, {of}, {hop}), by {by}");
                assert_eq!(sent.0.into_iter().map(message).collect::<Vec<_>>(), sent_then.0);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 48 * (1 + 2 + 3 + 4));
}

/// The draws of a round decide who goes on: on FIFO links the expected number of rounds follows from how many draw the
/// largest value, whatever the schedule.
#[test]
fn expected_rounds_match_theory() {
    for (n, range) in [(1u32, 2u32), (2, 2), (2, 5), (3, 2), (3, 3), (4, 2)] {
        // expected[m]: from m active processes.
        let mut expected = vec![0.0, 1.0];
        for m in 2..=n {
            let mut share = vec![0.0; m as usize + 1];
            for top in 1..=range {
                for (equal, share) in share.iter_mut().enumerate().skip(1) {
                    let below = f64::from(top - 1) / f64::from(range);
                    let ways =
                        (0..equal as u32).map(|k| f64::from(m - k) / f64::from(k + 1)).product::<f64>();
                    *share += ways
                        * (1.0 / f64::from(range)).powi(equal as i32)
                        * below.powi(m as i32 - equal as i32);
                }
            }
            let later: f64 = (2..m as usize).map(|k| share[k] * expected[k]).sum();
            expected.push((1.0 + later) / (1.0 - share[m as usize]));
        }
        let scope = Scope { range, links: Some(Links::Fifo), ..Scope::new(n) };
        let findings = entry("itai-rodeh").check(&scope, &[], &()).unwrap();
        let (least, most) = findings.probability.unwrap().expected_rounds.unwrap();
        for found in [least, most] {
            assert!((found - expected[n as usize]).abs() < 1e-9, "n={n} k={range}: {found} {expected:?}");
        }
    }
}
