//! What is varied, and the numbering of the runs that come of it.

use super::file::{Mistake, Span};

/// One thing that is varied: an option of `run`, and what it takes in turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The name of the option; a setting of the algorithm's own is `set.NAME`.
    pub key: String,
    /// Where the file names it.
    pub place: Option<Span>,
    /// What it takes in turn, at least one.
    pub values: Vec<Value>,
}

/// One value of an option.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// The value in the words of the command line.
    pub words: Words,
    /// Where the file gives it.
    pub place: Option<Span>,
}

/// A value in the words of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Words {
    /// `--option WORD`.
    One(String),
    /// `--option WORD` once for each: nothing at all if there is none.
    Several(Vec<String>),
    /// `--option`, or not.
    Flag(bool),
}

impl Words {
    /// As text, for people and for tables.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Words::One(word) => word.clone(),
            Words::Several(words) => words.join(" "),
            Words::Flag(on) => on.to_string(),
        }
    }
}

/// Every combination of the values. The seed turns fastest; of the others, the first turns slowest.
#[derive(Clone, PartialEq, Debug)]
pub struct Grid {
    axes: Vec<Axis>,
    seeds: Vec<u64>,
    configurations: u64,
}

impl Grid {
    /// More runs than this are a mistake in the file.
    pub const RUNS_MAX: u64 = 1_000_000_000;

    /// The grid of these axes, one of which is the seed.
    ///
    /// # Errors
    /// If there is no seed, or there are too many combinations.
    pub fn new(mut axes: Vec<Axis>) -> Result<Grid, Mistake> {
        let Some(place) = axes.iter().position(|axis| axis.key == "seed") else {
            return Err(Mistake::new("a sweep needs seeds, so that every run can be repeated")
                .help("[grid]\nseed = { range = [0, 100] }   # 0 to 99"));
        };
        let seed = axes.remove(place);
        let mut seeds = Vec::with_capacity(seed.values.len());
        for value in &seed.values {
            let text = value.words.text();
            let digits = text.replace('_', "");
            let number = digits.parse().map_err(|_| {
                Mistake::new(format!("`{text}` is no seed: it must be a whole number below 2^64"))
                    .at(value.place.clone())
            })?;
            seeds.push(number);
        }
        let too_many = || {
            let most = Grid::RUNS_MAX;
            Mistake::new(format!("the grid has more than {most} runs")).help("leave something out")
        };
        let mut configurations: u64 = 1;
        for axis in &axes {
            configurations = configurations.checked_mul(axis.values.len() as u64).ok_or_else(too_many)?;
        }
        let runs = configurations.checked_mul(seeds.len() as u64).ok_or_else(too_many)?;
        if runs > Grid::RUNS_MAX {
            return Err(too_many());
        }
        Ok(Grid { axes, seeds, configurations })
    }

    /// What is varied, but for the seed.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The seeds of each configuration.
    #[must_use]
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// How many combinations there are, seeds not counted.
    #[must_use]
    pub fn configurations(&self) -> u64 {
        self.configurations
    }

    /// How many runs there are.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.configurations * self.seeds.len() as u64
    }

    /// The configuration and the seed of a run.
    #[must_use]
    pub fn run(&self, run: u64) -> (u64, u64) {
        let seeds = self.seeds.len() as u64;
        (run / seeds, self.seeds[(run % seeds) as usize])
    }

    /// The values of a configuration, in the order of the axes.
    #[must_use]
    pub fn configuration(&self, mut number: u64) -> Vec<&Value> {
        let mut values: Vec<&Value> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            let count = axis.values.len() as u64;
            values.push(&axis.values[(number % count) as usize]);
            number /= count;
        }
        values.reverse();
        values
    }
}

/// A part of a sweep: one of so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Shard `index` of `count`. Whoever counts from 0 and whoever counts from 1 get the same parts: the last of one is
    /// the first of the other.
    #[must_use]
    pub fn new(index: u64, count: u64) -> Option<Shard> {
        (count > 0 && index <= count).then(|| Shard { index: index % count, count })
    }

    /// Whether a run belongs to it. Neighbours go to different shards, for they cost alike.
    #[must_use]
    pub fn has(self, run: u64) -> bool {
        run % self.count == self.index
    }

    /// Its runs, of so many in all.
    pub fn runs(self, of: u64) -> impl Iterator<Item = u64> {
        (self.index..of).step_by(usize::try_from(self.count).unwrap_or(usize::MAX))
    }

    /// Whether it is all there is.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.count == 1
    }

    /// How many parts there are.
    #[must_use]
    pub fn count(self) -> u64 {
        self.count
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(key: &str, values: &[&str]) -> Axis {
        let value = |word: &&str| Value { words: Words::One((*word).into()), place: None };
        Axis { key: key.into(), place: None, values: values.iter().map(value).collect() }
    }

    #[test]
    fn seed_varies_fastest() {
        let grid = Grid::new(vec![
            axis("algorithm", &["a", "b"]),
            axis("seed", &["7", "9"]),
            axis("nodes", &["3", "4", "5"]),
        ])
        .unwrap();
        assert_eq!((grid.configurations(), grid.runs()), (6, 12));
        let said: Vec<String> = (0..grid.runs())
            .map(|run| {
                let (configuration, seed) = grid.run(run);
                let words: Vec<String> =
                    grid.configuration(configuration).iter().map(|value| value.words.text()).collect();
                format!("{} {seed}", words.join(" "))
            })
            .collect();
        assert_eq!(said[..4], ["a 3 7", "a 3 9", "a 4 7", "a 4 9"]);
        assert_eq!(said[11], "b 5 9");
    }

    #[test]
    fn a_grid_needs_seeds_and_an_end() {
        assert!(Grid::new(vec![axis("algorithm", &["a"])]).is_err());
        assert!(Grid::new(vec![axis("seed", &["-1"])]).is_err());
        let many: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let axes = ["seed", "a", "b", "c", "d", "e", "f", "g"].map(|key| axis(key, &many));
        assert!(Grid::new(axes.to_vec()).is_err());
    }

    #[test]
    fn shards_part_the_runs_from_wherever_one_counts() {
        for count in 1..5 {
            for first in [0, 1] {
                let mut runs: Vec<u64> = (first..first + count)
                    .flat_map(|index| Shard::new(index, count).unwrap().runs(23).collect::<Vec<_>>())
                    .collect();
                runs.sort_unstable();
                assert_eq!(runs, (0..23).collect::<Vec<_>>());
            }
        }
        assert_eq!(Shard::new(5, 4), None);
        assert_eq!(Shard::new(0, 0), None);
    }
}
