//! How a cost grows with n: which of the usual formulas fits, with which factor, and how well.

/// A formula with one factor; the last also has an exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// a
    Constant,
    /// a·log2 n
    Log,
    /// a·√n
    Sqrt,
    /// a·n
    Linear,
    /// a·n·log2 n
    NLogN,
    /// a·n·√n
    NSqrtN,
    /// a·n²
    Quadratic,
    /// a·n^b
    Power,
}

impl Model {
    /// What the messages of an election may grow like.
    pub const OF_ALL: [Model; 4] = [Model::Linear, Model::NLogN, Model::NSqrtN, Model::Quadratic];
    /// What the messages of one entry may grow like.
    pub const OF_ONE: [Model; 4] = [Model::Constant, Model::Log, Model::Sqrt, Model::Linear];

    /// The formula without its factor.
    #[must_use]
    pub const fn formula(self) -> &'static str {
        match self {
            Model::Constant => "1",
            Model::Log => "log2 n",
            Model::Sqrt => "√n",
            Model::Linear => "n",
            Model::NLogN => "n·log2 n",
            Model::NSqrtN => "n·√n",
            Model::Quadratic => "n²",
            Model::Power => "n^b",
        }
    }

    /// Its value at n, without the factor.
    fn value(self, n: f64, exponent: f64) -> f64 {
        match self {
            Model::Constant => 1.0,
            Model::Log => n.log2(),
            Model::Sqrt => n.sqrt(),
            Model::Linear => n,
            Model::NLogN => n * n.log2(),
            Model::NSqrtN => n * n.sqrt(),
            Model::Quadratic => n * n,
            Model::Power => n.powf(exponent),
        }
    }
}

/// A formula fitted to measurements, by least squares of the relative differences.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    /// The formula.
    pub model: Model,
    /// Its factor.
    pub a: f64,
    /// The standard error of the factor.
    pub a_error: f64,
    /// The exponent of n, for the formula that has one.
    pub exponent: Option<f64>,
    /// The root mean square of the relative differences, in percent.
    pub error_pct: f64,
}

impl Fit {
    /// What the formula gives at n.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        self.a * self.model.value(n, self.exponent.unwrap_or(1.0))
    }
}

/// How a cost grows.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// The formula that fits best. It is the one with a free exponent only if all others are off by more than a tenth
    /// and that fits three times better, for it has one number more to fit with.
    pub best: Fit,
    /// The formula with a free exponent.
    pub power: Fit,
    /// All formulas, the best first.
    pub fits: Vec<Fit>,
}

/// Why there is nothing to fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooFew {
    /// How many sizes there are above 1 process with a cost above 0.
    pub sizes: usize,
}

impl std::fmt::Display for TooFew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a fit needs at least {SIZES_LEAST} sizes with n > 1; there are {}", self.sizes)
    }
}

/// A line through two points fits everything.
const SIZES_LEAST: usize = 3;
/// What a free exponent must gain.
const GAIN: f64 = 3.0;
/// A formula that is off by less is good: lower terms of the cost are as large at small n.
const GOOD_PCT: f64 = 10.0;

/// Fits these formulas, and the one with a free exponent, to points (n, cost).
///
/// # Errors
/// If there are too few points.
pub fn fit(points: &[(f64, f64)], models: &[Model]) -> Result<Growth, TooFew> {
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(n, cost)| n > 1.0 && cost > 0.0).collect();
    let mut sizes: Vec<f64> = points.iter().map(|&(n, _)| n).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < SIZES_LEAST {
        return Err(TooFew { sizes: sizes.len() });
    }
    let power = factor(&points, Model::Power, Some(slope(&points)));
    let mut fits: Vec<Fit> = models.iter().map(|&model| factor(&points, model, None)).collect();
    fits.sort_by(|left, right| left.error_pct.total_cmp(&right.error_pct));
    let best = match fits.first() {
        Some(&first) if first.error_pct <= (GAIN * power.error_pct).max(GOOD_PCT) => first,
        Some(_) | None => power,
    };
    if best == power {
        fits.insert(0, power);
    } else {
        fits.push(power);
    }
    Ok(Growth { best, power, fits })
}

/// The factor under which the logarithms differ least, in squares.
fn factor(points: &[(f64, f64)], model: Model, exponent: Option<f64>) -> Fit {
    let value = |n: f64| model.value(n, exponent.unwrap_or(1.0));
    let count = points.len() as f64;
    let log_a = points.iter().map(|&(n, cost)| (cost / value(n)).ln()).sum::<f64>() / count;
    let a = log_a.exp();
    let squares: f64 = points.iter().map(|&(n, cost)| ((cost / value(n)).ln() - log_a).powi(2)).sum();
    // One number was fitted, or two.
    let freedom = if exponent.is_some() { count - 2.0 } else { count - 1.0 };
    let relative: f64 = points.iter().map(|&(n, cost)| (cost / (a * value(n)) - 1.0).powi(2)).sum();
    Fit {
        model,
        a,
        a_error: a * (squares / freedom.max(1.0) / count).sqrt(),
        exponent,
        error_pct: (relative / count).sqrt() * 100.0,
    }
}

/// The slope of the line through the logarithms.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|&(n, cost)| (n.ln(), cost.ln())).collect();
    let (x, y) =
        (logs.iter().map(|p| p.0).sum::<f64>() / count, logs.iter().map(|p| p.1).sum::<f64>() / count);
    let across: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    across / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader::model::Arranged;
    use ringleader::registry::{ALL, find};
    use ringleader::sim::{Ids, Scenario};

    fn made(cost: impl Fn(f64) -> f64) -> Growth {
        let points: Vec<(f64, f64)> = (3..12).map(|k| f64::from(1 << k)).map(|n| (n, cost(n))).collect();
        fit(&points, &Model::OF_ALL).unwrap()
    }

    #[test]
    fn what_was_made_by_a_formula_is_recognised() {
        for model in Model::OF_ALL {
            let growth = made(|n| 3.5 * model.value(n, 1.0));
            assert_eq!(growth.best.model, model);
            assert!((growth.best.a - 3.5).abs() < 1e-9 && growth.best.error_pct < 1e-9, "{growth:?}");
            assert!((growth.best.at(100.0) - 3.5 * model.value(100.0, 1.0)).abs() < 1e-6);
        }
        let odd = made(|n| 0.1 * n.powf(1.75));
        assert_eq!(odd.best.model, Model::Power);
        assert!((odd.best.exponent.unwrap() - 1.75).abs() < 1e-9, "{odd:?}");
        let constant: Vec<(f64, f64)> = [8.0, 64.0, 512.0].map(|n| (n, 3.0)).to_vec();
        assert_eq!(fit(&constant, &Model::OF_ONE).unwrap().best.model, Model::Constant);
    }

    #[test]
    fn lower_terms_do_not_make_an_exponent() {
        // n·H(n) at three sizes, with noise: a free exponent goes through all of them.
        let growth = fit(&[(64.0, 311.0), (256.0, 1537.0), (1024.0, 7469.0)], &Model::OF_ALL).unwrap();
        assert_eq!(growth.best.model, Model::NLogN, "{growth:?}");
        assert!(growth.power.error_pct < growth.best.error_pct);
    }

    #[test]
    fn noise_shows_in_the_errors() {
        let noisy = made(|n| n * n.log2() * if n.log2() % 2.0 == 0.0 { 1.1 } else { 0.9 });
        assert_eq!(noisy.best.model, Model::NLogN);
        assert!((8.0..12.0).contains(&noisy.best.error_pct), "{noisy:?}");
        assert!((0.02..0.05).contains(&noisy.best.a_error), "{noisy:?}");
    }

    #[test]
    fn two_sizes_are_too_few() {
        let few = fit(&[(1.0, 1.0), (8.0, 64.0), (8.0, 60.0), (16.0, 256.0)], &Model::OF_ALL);
        assert_eq!(few, Err(TooFew { sizes: 2 }));
        assert!(few.unwrap_err().to_string().contains("at least 3"));
    }

    /// Election messages of a real algorithm, the mean of some seeds.
    fn measured(name: &str, ids: &Ids, sizes: &[u32]) -> Growth {
        let entry = find(ALL, name).unwrap();
        let points: Vec<(f64, f64)> = sizes
            .iter()
            .map(|&n| {
                let run = |seed| {
                    let scenario = Scenario { ids: ids.clone(), seed, ..Scenario::new(n) };
                    entry.run(&scenario, &mut ()).unwrap().election_messages as f64
                };
                (f64::from(n), (0..8).map(run).sum::<f64>() / 8.0)
            })
            .collect();
        fit(&points, &Model::OF_ALL).unwrap()
    }

    #[test]
    fn what_is_known_of_real_algorithms() {
        let sizes = [16, 64, 256, 1024];
        let dkr = measured("dolev-klawe-rodeh", &Ids::Random, &sizes).best;
        assert_eq!(dkr.model, Model::NLogN, "{dkr:?}");
        let le_lann = measured("le-lann", &Ids::Random, &sizes).best;
        assert!(le_lann.model == Model::Quadratic && (le_lann.a - 1.0).abs() < 1e-9, "{le_lann:?}");
        let descending = Ids::Arranged(Arranged::Descending);
        let worst = measured("chang-roberts", &descending, &[64, 256, 1024, 4096]).best;
        assert!(worst.model == Model::Quadratic && (worst.a - 0.5).abs() < 0.01, "{worst:?}");
        // n·H(n) is n·(ln n + 0.58): the factor of n·log2 n goes down to ln 2 = 0.69 slowly.
        let random = measured("chang-roberts", &Ids::Random, &[1024, 4096, 16384]).best;
        assert!(random.model == Model::NLogN && (0.69..0.76).contains(&random.a), "{random:?}");
    }
}
