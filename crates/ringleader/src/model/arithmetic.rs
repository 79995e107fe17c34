//! The arithmetic of bounds and averages.

/// ⌊log2 n⌋, for bounds; 0 for n = 0.
#[must_use]
pub const fn floor_log2(n: u64) -> u64 {
    if n == 0 { 0 } else { n.ilog2() as u64 }
}

/// F(k), where F(1) = F(2) = 1; the largest number that fits in its place, which is further than any ring is long.
#[must_use]
#[inline]
pub fn fibonacci(k: usize) -> u32 {
    FIBONACCI.get(k).copied().unwrap_or(u32::MAX)
}

/// F(0), F(1), ..., as far as they fit.
static FIBONACCI: [u32; 48] = {
    let mut numbers = [1; 48];
    numbers[0] = 0;
    let mut k = 3;
    while k < numbers.len() {
        numbers[k] = numbers[k - 1] + numbers[k - 2];
        k += 1;
    }
    numbers
};

/// ⌊c·n·log2 n + n⌋, for bounds.
#[must_use]
pub fn n_log_n(c: f64, n: u64) -> u64 {
    let n = n as f64;
    (c * n * n.log2() + n) as u64
}

/// The largest P with F(P+2) ≤ n, for bounds; F(1) = F(2) = 1 are the first Fibonacci numbers. About 1.44 log2 n.
#[must_use]
pub const fn largest_phase(n: u64) -> u64 {
    let (mut phase, mut fib, mut next) = (0, 1u64, 2u64);
    while next <= n {
        (fib, next) = (next, fib.saturating_add(next));
        phase += 1;
    }
    phase
}

/// The ranks i·F(k−2) mod F(k), F(k) being the largest Fibonacci number up to n. Those below F(k−2) are the local
/// minima, each between a neighbour that is F(k−2) larger and one that is larger still. For another n the missing ones
/// rise from the local minima towards the smaller neighbours, evenly: whoever is a local minimum stays one, with the
/// same larger neighbour, and what sets out towards the other has a little further to go, everywhere alike.
#[must_use]
pub fn golden_ranks(n: u32) -> Vec<u32> {
    let (mut step, mut before, mut size) = (0u64, 1u64, 1u64);
    while before + size <= u64::from(n) {
        (step, before, size) = (before, size, before + size);
    }
    let more = u64::from(n).saturating_sub(size);
    // How many were put above the local minima below this one.
    let put = |minimum: u64| minimum * more / step.max(1);
    let mut ranks = Vec::with_capacity(n as usize);
    for place in 0..size.min(u64::from(n)) {
        let rank = place * step % size;
        if rank < step {
            ranks.extend(rank + put(rank)..=rank + put(rank + 1));
        } else {
            ranks.push(rank + more);
        }
    }
    ranks.into_iter().map(|rank| rank as u32).collect()
}

/// The n-th harmonic number 1 + 1/2 + ... + 1/n, for averages.
#[must_use]
pub fn harmonic(n: u64) -> f64 {
    // Summed from the small end, so that the error stays far below what is printed.
    (1..=n).rev().map(|k| 1.0 / k as f64).sum()
}
