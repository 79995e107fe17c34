//! `ringleader run ALGORITHM ...`: the options, and the command that says them again.

use super::number::{at_least_one, number, small};
use super::shared::{LinksArg, OrientationArg, SettingsArgs, TopologyArg, name};
use super::value::Probability;
use super::{At, Given, IdsArg, LoadArg, Lose, Number, Partition, ScheduleArg, Time, Wants};
use clap::{Args, ValueEnum};
use ringleader::sim::{Entries, Initiators, Meters};
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub(crate) struct RunArgs {
    /// Its name, or an alias of it; `ringleader list` has them all.
    #[arg(value_name = "ALGORITHM")]
    pub(crate) name: String,
    /// The number of processes: 8, 1e6, 1M, 2^20, 1_000_000 [default: 8, or as many as --ids lists].
    #[arg(
        short,
        long = "nodes",
        value_name = "N",
        value_parser = Given::<Number>::parse,
        allow_hyphen_values = true
    )]
    pub(crate) nodes: Option<Given<Number>>,
    /// The seed of every draw [default: drawn, and printed].
    #[arg(long, value_name = "S", value_parser = number, env = "RINGLEADER_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Stop after so many steps (exit 3). Default: never; for a text taken literally (its name has an @) a million, or
    /// 100 for each process.
    #[arg(
        long,
        value_name = "M",
        value_parser = number,
        env = "RINGLEADER_MAX_STEPS",
        hide_env_values = true
    )]
    pub(crate) max_steps: Option<u64>,
    /// How many threads may work on it; the result is the same.
    #[arg(
        long,
        value_name = "T",
        value_parser = at_least_one,
        env = "RINGLEADER_THREADS",
        hide_env_values = true
    )]
    pub(crate) threads: Option<u32>,
    /// Record every step in this file, for `ringleader replay`.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Extra meters that cost time or memory: bits, load, depth.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) meter: Vec<MeterArg>,

    /// Identities in ring order: a list (3,7,4), a file (@ring.ids, one per line), or random, ascending, descending,
    /// alternating, bit-reversal, fibonacci, worst [default: random].
    #[arg(
        long,
        value_name = "LIST|@FILE|KIND",
        value_parser = Given::<IdsArg>::parse,
        allow_hyphen_values = true,
        help_heading = "Arrangement"
    )]
    pub(crate) ids: Option<Given<IdsArg>>,
    /// Who starts of its own accord: all, one (index 0), a list of indices (3@7 starts at time 7), or a percentage
    /// [default: all].
    #[arg(long, value_name = "WHO", value_parser = Given::<Initiators>::parse, help_heading = "Arrangement")]
    pub(crate) initiators: Option<Given<Initiators>>,
    /// The network, for algorithms that admit several [default: the algorithm's].
    #[arg(long, help_heading = "Arrangement")]
    pub(crate) topology: Option<TopologyArg>,
    /// Whether all agree on left and right, or on port numbers [default: as the algorithm admits].
    #[arg(long, help_heading = "Arrangement")]
    pub(crate) orientation: Option<OrientationArg>,
    /// The range from which processes without identities draw [default: 2].
    #[arg(long, value_name = "K", value_parser = small, help_heading = "Arrangement")]
    pub(crate) range: Option<u32>,

    /// Who moves next: rounds, random, delay:const:1, delay:uniform:1:10, delay:exp:5, lifo, fifo, greedy, starve:P,
    /// replay:FILE [default: rounds].
    #[arg(
        long,
        value_name = "KIND",
        value_parser = Given::<ScheduleArg>::parse,
        help_heading = "Environment"
    )]
    pub(crate) schedule: Option<Given<ScheduleArg>>,
    /// In what order links deliver [default: the weakest that the algorithm admits].
    #[arg(long, help_heading = "Environment")]
    pub(crate) links: Option<LinksArg>,
    /// Allow what the algorithm's contract excludes; the report then says so.
    #[arg(long, help_heading = "Environment")]
    pub(crate) unsound: bool,
    /// Process P stops at time T (repeatable).
    #[arg(long, value_name = "P@T", value_parser = Given::<At>::parse, help_heading = "Environment")]
    pub(crate) crash: Vec<Given<At>>,
    /// Process P comes back at time T (repeatable).
    #[arg(long, value_name = "P@T", value_parser = Given::<At>::parse, help_heading = "Environment")]
    pub(crate) recover: Vec<Given<At>>,
    /// The K-th message of a kind is lost, counted from 1 (repeatable).
    #[arg(long, value_name = "KIND@K", value_parser = Given::<Lose>::parse, help_heading = "Environment")]
    pub(crate) lose: Vec<Given<Lose>>,
    /// Each message is lost with this probability.
    #[arg(long, value_name = "P", value_parser = Given::<Probability>::parse, help_heading = "Environment")]
    pub(crate) loss: Option<Given<Probability>>,
    /// Each message arrives twice with this probability.
    #[arg(long, value_name = "P", value_parser = Given::<Probability>::parse, help_heading = "Environment")]
    pub(crate) duplicate: Option<Given<Probability>>,
    /// Messages between groups A and B (index lists) that are sent from T1 until T2 are lost (repeatable).
    #[arg(
        long,
        value_name = "A|B@T1..T2",
        value_parser = Given::<Partition>::parse,
        help_heading = "Environment"
    )]
    pub(crate) partition: Vec<Given<Partition>>,

    /// Entries per process, the same for all or one number each [default: 1].
    #[arg(
        long,
        value_name = "K|LIST",
        value_parser = Given::<Entries>::parse,
        help_heading = "Mutual exclusion"
    )]
    pub(crate) entries: Option<Given<Entries>>,
    /// Time inside [default: 1].
    #[arg(long, value_name = "T", value_parser = Given::<Time>::parse, help_heading = "Mutual exclusion")]
    pub(crate) hold: Option<Given<Time>>,
    /// Time between two entries [default: 0].
    #[arg(long, value_name = "T", value_parser = Given::<Time>::parse, help_heading = "Mutual exclusion")]
    pub(crate) think: Option<Given<Time>>,
    /// Instead of --entries: saturated (all always want in), light (one at a time), open:RATE (Poisson arrivals).
    #[arg(
        long,
        value_name = "KIND",
        value_parser = Given::<LoadArg>::parse,
        conflicts_with = "entries",
        help_heading = "Mutual exclusion"
    )]
    pub(crate) load: Option<Given<LoadArg>>,
    /// With --load: entries in all.
    #[arg(
        long,
        value_name = "E",
        value_parser = number,
        requires = "load",
        help_heading = "Mutual exclusion"
    )]
    pub(crate) total: Option<u64>,
    /// Who asks when, such as '1,3@0;2@5'.
    #[arg(
        long,
        value_name = "SCRIPT",
        value_parser = Given::<Wants>::parse,
        conflicts_with_all = ["entries", "load"],
        help_heading = "Mutual exclusion"
    )]
    pub(crate) wants: Option<Given<Wants>>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MeterArg {
    /// The size of messages in bits.
    Bits,
    /// Messages handled per process.
    Load,
    /// The longest causal chain.
    Depth,
}

impl MeterArg {
    /// These meters as they are written.
    pub(crate) fn names(listed: &[MeterArg]) -> String {
        listed.iter().map(|&meter| name(meter)).collect::<Vec<_>>().join(",")
    }

    /// These meters together.
    pub(crate) fn all(listed: &[MeterArg]) -> Meters {
        Meters {
            bits: listed.contains(&MeterArg::Bits),
            load: listed.contains(&MeterArg::Load),
            depth: listed.contains(&MeterArg::Depth),
        }
    }
}

impl RunArgs {
    /// The words of the command that gives the same run: the name of the algorithm and `n` as they were understood,
    /// everything else as it was given. Where it is recorded and how it is shown is left out.
    pub(crate) fn again(&self, algorithm: &str, n: Option<u32>, seed: Option<u64>) -> Vec<String> {
        let mut words = vec!["run".to_owned(), algorithm.to_owned()];
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if let Some(n) = n {
            add("-n", n.to_string());
        }
        if let Some(ids) = &self.ids {
            add("--ids", ids.text.clone());
        }
        if let Some(initiators) = &self.initiators {
            add("--initiators", initiators.text.clone());
        }
        if let Some(topology) = self.topology {
            add("--topology", name(topology));
        }
        if let Some(orientation) = self.orientation {
            add("--orientation", name(orientation));
        }
        if let Some(range) = self.range {
            add("--range", range.to_string());
        }
        if let Some(schedule) = &self.schedule {
            add("--schedule", schedule.text.clone());
        }
        if let Some(links) = self.links {
            add("--links", name(links));
        }
        self.crash.iter().for_each(|fault| add("--crash", fault.text.clone()));
        self.recover.iter().for_each(|fault| add("--recover", fault.text.clone()));
        self.lose.iter().for_each(|fault| add("--lose", fault.text.clone()));
        if let Some(loss) = &self.loss {
            add("--loss", loss.text.clone());
        }
        if let Some(duplicate) = &self.duplicate {
            add("--duplicate", duplicate.text.clone());
        }
        self.partition.iter().for_each(|fault| add("--partition", fault.text.clone()));
        if let Some(entries) = &self.entries {
            add("--entries", entries.text.clone());
        }
        if let Some(hold) = &self.hold {
            add("--hold", hold.text.clone());
        }
        if let Some(think) = &self.think {
            add("--think", think.text.clone());
        }
        if let Some(load) = &self.load {
            add("--load", load.text.clone());
        }
        if let Some(total) = self.total {
            add("--total", total.to_string());
        }
        if let Some(wants) = &self.wants {
            add("--wants", wants.text.clone());
        }
        self.settings.again(&mut words);
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if !self.meter.is_empty() {
            add("--meter", MeterArg::names(&self.meter));
        }
        if let Some(max_steps) = self.max_steps {
            add("--max-steps", max_steps.to_string());
        }
        if let Some(threads) = self.threads {
            add("--threads", threads.to_string());
        }
        if let Some(seed) = seed {
            add("--seed", seed.to_string());
        }
        if self.unsound {
            words.push("--unsound".into());
        }
        words
    }
}
