//! Itai–Rodeh, in lock-step and with a coin: the draws decide, at an exact cost, and the expected number of rounds
//! follows from all draws of one round.

use crate::support::{election, entry, kind, record, run_well, schedules};
use ringleader::election::{ItaiRodehCoin, ItaiRodehSync};
use ringleader::model::{Election, Message, Never, Next, Outbox, Process, Range, Size, Verdict};
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
fn in_lock_step_the_largest_value_drawn_once_wins_and_a_round_takes_n_squared() {
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
fn lock_step_is_n_steps_a_round_and_nothing_else_will_do() {
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
fn with_a_coin_the_bits_decide_under_every_schedule_and_a_round_takes_2n() {
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
    fn rule(&mut self, _: &'static str) {}
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
    let leaders = ring.iter().filter(|process| process.verdict() == Verdict::Leader).count();
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
