//! The most that it can send: a bound, and the arrangement of identities under which it sends most.

/// At most ⌊n/(r/2+1)⌋ candidates ask r far, 4r messages each; all n ask one far; the winner's last questions take 2n.
pub(super) const fn most_messages(n: u64) -> u64 {
    if n == 1 {
        return 2;
    }
    let (mut sum, mut far) = (6 * n, 2);
    while far < n {
        sum += 4 * far * (n / (far / 2 + 1));
        far *= 2;
    }
    sum
}

/// What a process sends and makes others send, at most, that meets a larger one after so many hops on either side: r =
/// 1, 2, 4, .. far on both sides, there and back, until a side falls short.
fn most_of_one(one: usize, other: usize) -> u64 {
    let (near, far) = (one.min(other), one.max(other));
    let last = near.next_power_of_two();
    (4 * (last - 1) + 2 * near + 2 * far.min(last)) as u64
}

/// The ranks of identities under which most is sent, the largest first.
///
/// Under every schedule a candidate asks r far only if nobody within r/2 is larger, and what that costs depends on its
/// distances to the next larger ones; when all move together each of them does ask. So the most that an arrangement can
/// cost is a sum over its processes. The largest of a stretch of k processes between two larger ones, if it is the i-th
/// of them, has the distances i and k+1-i, and leaves two shorter stretches: trying all i, for short stretches first,
/// finds the worst arrangement. Here i is tried half way and at those sums of two powers of two that come before, down
/// to a quarter of it. That is quick, and as good as all i for every n up to 16,384, as a comparison has shown.
pub(super) fn worst(n: u32) -> Vec<u32> {
    let n = n as usize;
    let (mut most, mut split) = (vec![0; n + 1], vec![0; n + 1]);
    for k in 1..n {
        let half = k.div_ceil(2);
        let powers = half.ilog2().saturating_sub(1)..=half.ilog2();
        let sums = powers.flat_map(|a| (0..a).map(move |b| (1 << a) + (1 << b)));
        for i in sums.filter(|&i| i < half).chain([half]) {
            let sum = most_of_one(i, k + 1 - i) + most[i - 1] + most[k - i];
            if sum > most[k] {
                (most[k], split[k]) = (sum, i);
            }
        }
    }
    split[n] = 1;
    let mut ranks = vec![0; n];
    let mut left = n as u32;
    let mut stretches = vec![(0, n)];
    while let Some((first, k)) = stretches.pop() {
        if k > 0 {
            left -= 1;
            ranks[first + split[k] - 1] = left;
            stretches.push((first, split[k] - 1));
            stretches.push((first + split[k], k - split[k]));
        }
    }
    ranks
}
