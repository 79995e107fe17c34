//! How a cost grows with n: which of the usual formulas fits, with which factor and lower term, and how well.

/// The formula of a term; the last also has an exponent.
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

    /// The term that may come after it. The constant has none below, and a free exponent is a second number already.
    const fn lower(self) -> Option<Model> {
        match self {
            Model::Constant | Model::Power => None,
            Model::Log | Model::Sqrt | Model::Linear => Some(Model::Constant),
            Model::NLogN | Model::NSqrtN | Model::Quadratic => Some(Model::Linear),
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
    /// The formula of the leading term.
    pub model: Model,
    /// Its factor.
    pub a: f64,
    /// The standard error of the factor.
    pub a_error: f64,
    /// The exponent of n, for the formula that has one.
    pub exponent: Option<f64>,
    /// The root mean square of the relative differences, in percent.
    pub error_pct: f64,
    /// The lower term, where the measurements show one.
    pub lower: Option<Lower>,
}

/// The lower term of a cost: the -2 of 2n - 2.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lower {
    /// Its formula.
    pub model: Model,
    /// Its factor, which may be negative.
    pub b: f64,
    /// The standard error of the factor.
    pub b_error: f64,
}

impl Fit {
    /// What the formula gives at n.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        let lower = self.lower.map_or(0.0, |lower| lower.b * lower.model.value(n, 1.0));
        self.a * self.model.value(n, self.exponent.unwrap_or(1.0)) + lower
    }

    /// Whether it gives every measured cost, but for the rounding of the machine.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.error_pct < EXACT * 100.0
    }

    /// The standard deviation of the relative differences, given how many points there are: whoever fits more numbers
    /// is nearer to the points without being nearer to the truth.
    fn deviation(&self, points: usize) -> f64 {
        let fitted = 1 + usize::from(self.exponent.is_some()) + usize::from(self.lower.is_some());
        let freedom = points.saturating_sub(fitted).max(1);
        self.error_pct / 100.0 * (points as f64 / freedom as f64).sqrt()
    }
}

/// A measured cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// The number of processes.
    pub n: f64,
    /// The cost, mostly a mean.
    pub cost: f64,
    /// The standard error of the mean; 0 where it is not known, or there is none.
    pub error: f64,
}

/// How a cost grows.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// The formula that fits best, with as few terms as the measurements allow. It is the one with a free exponent only
    /// if all others are off by more than a tenth and that fits three times better.
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
/// A formula that is off by less needs no free exponent.
const GOOD_PCT: f64 = 10.0;
/// What a lower term must gain.
const LOWER_GAIN: f64 = 2.0;
/// A formula that is off by no more than so many standard errors of the measurements needs no further term.
const NOISE: f64 = 1.5;
/// Relative differences below this come of the arithmetic.
const EXACT: f64 = 1e-9;

/// Fits these formulas, each with a lower term if it needs one, and the one with a free exponent.
///
/// # Errors
/// If there are too few points.
pub fn fit(points: &[Measured], models: &[Model]) -> Result<Growth, TooFew> {
    let points: Vec<Measured> =
        points.iter().copied().filter(|point| point.n > 1.0 && point.cost > 0.0).collect();
    let mut sizes: Vec<f64> = points.iter().map(|point| point.n).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < SIZES_LEAST {
        return Err(TooFew { sizes: sizes.len() });
    }
    let noise = points.iter().map(|point| (point.error / point.cost).powi(2)).sum::<f64>();
    let noise = (noise / points.len() as f64).sqrt();
    let power = factor(&points, Model::Power, Some(slope(&points)));
    let alone: Vec<Fit> = models.iter().map(|&model| factor(&points, model, None)).collect();
    let with_lower: Vec<Fit> = models.iter().filter_map(|&model| two_terms(&points, model)).collect();
    let off = |fit: &Fit| fit.deviation(points.len());
    let nearest = |fits: &[Fit]| fits.iter().copied().min_by(|one, other| off(one).total_cmp(&off(other)));
    // One term, unless a second gains much that is not noise.
    let chosen = |one: Option<Fit>, two: Option<Fit>| match (one, two) {
        (Some(one), Some(two)) if off(&one) > (LOWER_GAIN * off(&two)).max(NOISE * noise).max(EXACT) => {
            Some(two)
        }
        (one, two) => one.or(two),
    };
    let best = match chosen(nearest(&alone), nearest(&with_lower)) {
        Some(fit) if fit.error_pct <= (GAIN * power.error_pct).max(GOOD_PCT) => fit,
        Some(_) | None => power,
    };
    let of_each = alone
        .iter()
        .filter(|fit| fit.model != best.model)
        .filter_map(|one| chosen(Some(*one), with_lower.iter().find(|two| two.model == one.model).copied()));
    let mut rest: Vec<Fit> = of_each.collect();
    rest.sort_by(|left, right| left.error_pct.total_cmp(&right.error_pct));
    let mut fits = vec![best];
    fits.extend(rest);
    if best != power {
        fits.push(power);
    }
    Ok(Growth { best, power, fits })
}

/// The factor under which the logarithms differ least, in squares.
fn factor(points: &[Measured], model: Model, exponent: Option<f64>) -> Fit {
    let value = |n: f64| model.value(n, exponent.unwrap_or(1.0));
    let count = points.len() as f64;
    let log_a = points.iter().map(|point| (point.cost / value(point.n)).ln()).sum::<f64>() / count;
    let a = log_a.exp();
    let squares: f64 = points.iter().map(|point| ((point.cost / value(point.n)).ln() - log_a).powi(2)).sum();
    // One number was fitted, or two.
    let freedom = if exponent.is_some() { count - 2.0 } else { count - 1.0 };
    let relative: f64 = points.iter().map(|point| (point.cost / (a * value(point.n)) - 1.0).powi(2)).sum();
    Fit {
        model,
        a,
        a_error: a * (squares / freedom.max(1.0) / count).sqrt(),
        exponent,
        error_pct: (relative / count).sqrt() * 100.0,
        lower: None,
    }
}

/// The formula with its lower term, if it leads: a factor that may as well be nothing, or less, does not.
fn two_terms(points: &[Measured], model: Model) -> Option<Fit> {
    let lower = model.lower()?;
    // What the terms are of the cost at each point; together they should be 1.
    let shares: Vec<(f64, f64, f64)> = points
        .iter()
        .map(|point| {
            let share = |model: Model| model.value(point.n, 1.0) / point.cost;
            (share(model), share(lower), point.error / point.cost)
        })
        .collect();
    // Gram and Schmidt rather than the normal equations, in which half of the digits are lost.
    let sum = |of: &dyn Fn(&(f64, f64, f64)) -> f64| shares.iter().map(of).sum::<f64>();
    let along = sum(&|(x, y, _)| x * y) / sum(&|(_, y, _)| y * y);
    let apart: Vec<f64> = shares.iter().map(|(x, y, _)| x - along * y).collect();
    let length: f64 = apart.iter().map(|x| x * x).sum();
    let a = apart.iter().sum::<f64>() / length;
    let yy = sum(&|(_, y, _)| y * y);
    let b = sum(&|(x, y, _)| (1.0 - a * x) * y) / yy;
    let squares = sum(&|(x, y, _)| (a * x + b * y - 1.0).powi(2));
    let left = squares / (points.len() as f64 - 2.0).max(1.0);
    // Each point is uncertain by what it is off, or by what is known of its mean, whichever is more.
    let error = |weights: &dyn Fn(usize) -> f64| {
        let part =
            |(at, (_, _, error)): (usize, &(f64, f64, f64))| weights(at).powi(2) * left.max(error * error);
        shares.iter().enumerate().map(part).sum::<f64>().sqrt()
    };
    let of_a = |at: usize| apart[at] / length;
    let across = sum(&|(x, y, _)| x * y) / yy;
    let a_error = error(&of_a);
    let b_error = error(&|at| shares[at].1 / yy - across * of_a(at));
    let leads = a > 2.0 * a_error && a * shares.last()?.0 > 1e-6;
    leads.then(|| Fit {
        model,
        a,
        a_error,
        exponent: None,
        error_pct: (squares / points.len() as f64).sqrt() * 100.0,
        lower: Some(Lower { model: lower, b, b_error }),
    })
}

/// The slope of the line through the logarithms.
fn slope(points: &[Measured]) -> f64 {
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|point| (point.n.ln(), point.cost.ln())).collect();
    let (x, y) =
        (logs.iter().map(|p| p.0).sum::<f64>() / count, logs.iter().map(|p| p.1).sum::<f64>() / count);
    let across: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    across / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Stats;
    use ringleader::model::Arranged;
    use ringleader::registry::{ALL, find};
    use ringleader::sim::{Ids, Scenario};

    fn made(cost: impl Fn(f64) -> f64) -> Growth {
        fit(&points((3..12).map(|k| f64::from(1 << k)).map(|n| (n, cost(n)))), &Model::OF_ALL).unwrap()
    }

    fn points(known: impl IntoIterator<Item = (f64, f64)>) -> Vec<Measured> {
        known.into_iter().map(|(n, cost)| Measured { n, cost, error: 0.0 }).collect()
    }

    /// The cost of many algorithms is a sum of two terms, and both are told.
    #[test]
    fn lower_terms_come_out_exactly() {
        type Case = (fn(f64) -> f64, Model, f64, f64);
        let cases: [Case; 6] = [
            (|n| 2.0 * (n - 1.0), Model::Linear, 2.0, -2.0),
            (|n| 3.0 * n + 40.0, Model::Linear, 3.0, 40.0),
            (|n| n * n.log2() + n, Model::NLogN, 1.0, 1.0),
            (|n| n * n.log2() + 10.0 * n, Model::NLogN, 1.0, 10.0),
            (|n| n * (n + 1.0) / 2.0, Model::Quadratic, 0.5, 0.5),
            (|n| 2.0 * n * n.sqrt() - n, Model::NSqrtN, 2.0, -1.0),
        ];
        for (cost, model, a, b) in cases {
            for sizes in [vec![4.0, 8.0, 16.0, 32.0, 64.0], vec![10.0, 100.0, 1e6], vec![2.0, 3.0, 5.0]] {
                let best = fit(&points(sizes.iter().map(|&n| (n, cost(n)))), &Model::OF_ALL).unwrap().best;
                let lower = best.lower.unwrap();
                assert_eq!(best.model, model, "{sizes:?} {best:?}");
                assert!((best.a - a).abs() < 1e-8 && (lower.b - b).abs() < 1e-6, "{sizes:?} {best:?}");
                assert!(best.is_exact() && best.a_error < 1e-6, "{sizes:?} {best:?}");
                assert!((best.at(50.0) - cost(50.0)).abs() < 1e-5);
            }
        }
        let light = points([4.0f64, 8.0, 16.0, 32.0].map(|n| (n, 2.0 * (n - 1.0))));
        let light = fit(&light, &Model::OF_ONE).unwrap().best;
        assert!(light.model == Model::Linear && light.is_exact(), "{light:?}");
    }

    /// A second term that only follows the noise of the means is not there.
    #[test]
    fn noise_is_not_a_lower_term() {
        let noisy = |error: f64| {
            let means =
                [(64.0, 64.0 * 6.0 * 1.04), (256.0, 256.0 * 8.0 * 1.01), (1024.0, 1024.0 * 10.0 * 0.97)];
            let known = means.map(|(n, cost)| Measured { n, cost, error: cost * error });
            fit(&known, &Model::OF_ALL).unwrap().best
        };
        let best = noisy(0.03);
        assert!(best.model == Model::NLogN && best.lower.is_none(), "{best:?}");
        assert!(noisy(0.0005).lower.is_some(), "it would be one if the means were known better");
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
        let constant = points([8.0, 64.0, 512.0].map(|n| (n, 3.0)));
        assert_eq!(fit(&constant, &Model::OF_ONE).unwrap().best.model, Model::Constant);
    }

    #[test]
    fn lower_terms_do_not_make_an_exponent() {
        // n·H(n) at three sizes, with noise: a free exponent goes through all of them.
        let growth = fit(&points([(64.0, 311.0), (256.0, 1537.0), (1024.0, 7469.0)]), &Model::OF_ALL);
        let growth = growth.unwrap();
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
        let few = fit(&points([(1.0, 1.0), (8.0, 64.0), (8.0, 60.0), (16.0, 256.0)]), &Model::OF_ALL);
        assert_eq!(few, Err(TooFew { sizes: 2 }));
        assert!(few.unwrap_err().to_string().contains("at least 3"));
    }

    /// Election messages of a real algorithm, the mean of some seeds.
    fn measured(name: &str, ids: &Ids, sizes: &[u32]) -> Growth {
        let entry = find(ALL, name).unwrap();
        let points: Vec<Measured> = sizes
            .iter()
            .map(|&n| {
                let run = |seed| {
                    let scenario = Scenario { ids: ids.clone(), seed, ..Scenario::new(n) };
                    entry.run(&scenario, &mut ()).unwrap().election_messages as f64
                };
                let stats = Stats::of(&(0..8).map(run).collect::<Vec<f64>>()).unwrap();
                Measured { n: f64::from(n), cost: stats.mean, error: stats.mean_error() }
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
        assert!(worst.model == Model::Quadratic && worst.is_exact(), "{worst:?}");
        assert!((worst.a - 0.5).abs() < 1e-9 && (worst.lower.unwrap().b - 0.5).abs() < 1e-6, "{worst:?}");
        // n·H(n) is n·(ln n + 0.58): the factor of n·log2 n goes down to ln 2 = 0.69 slowly.
        let random = measured("chang-roberts", &Ids::Random, &[1024, 4096, 16384]).best;
        assert!(random.model == Model::NLogN && (0.69..0.76).contains(&random.a), "{random:?}");
    }
}
