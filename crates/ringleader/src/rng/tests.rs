//! The generators give the published numbers, and draws have the distribution that they should.

use super::*;

#[test]
fn xoshiro_gives_the_published_numbers() {
    let mut rng = Rng { state: [1, 2, 3, 4] };
    let expected: [u64; 10] = [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
        14011001112246962877,
        12406186145184390807,
        15849039046786891736,
        10450023813501588000,
    ];
    assert_eq!(expected.map(|_| rng.next_u64()), expected);
}

#[test]
fn splitmix_gives_the_published_numbers() {
    let mut counter = 1_234_567u64;
    let expected: [u64; 5] = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ];
    let drawn = expected.map(|_| {
        counter = counter.wrapping_add(GOLDEN);
        mix(counter)
    });
    assert_eq!(drawn, expected);
}

#[test]
fn exponential_has_its_mean_and_variance() {
    let mut rng = Rng::new(7, Purpose::Schedule);
    let draws = 200_000u32;
    let (mut sum, mut squares) = (0f64, 0f64);
    for _ in 0..draws {
        let x = rng.exponential(1_000_000) as f64 / 1e6;
        sum += x;
        squares += x * x;
    }
    let mean = sum / f64::from(draws);
    let variance = squares / f64::from(draws) - mean * mean;
    // The seed is fixed, so this is a fact, not a chance; 1 % is 4 to 5 standard errors.
    assert!((mean - 1.0).abs() < 0.01, "mean {mean}");
    assert!((variance - 1.0).abs() < 0.03, "variance {variance}");
}

#[test]
fn below_is_uniform_and_in_range() {
    let mut rng = Rng::new(1, Purpose::Ids);
    let key = choices_key(1);
    let mut counts = [[0u32; 5]; 2];
    for ordinal in 0..50_000 {
        counts[0][rng.below(5) as usize] += 1;
        counts[1][draw(key, 3, ordinal, 5) as usize] += 1;
    }
    for count in counts.into_iter().flatten() {
        assert!((9_600..10_400).contains(&count), "{counts:?}");
    }
}
