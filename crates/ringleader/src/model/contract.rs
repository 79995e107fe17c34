//! How a contract is written: it begins with the name, the year and the file, and each line says what differs from the
//! plainest algorithm. What is prose stands in the header of the file.

use super::spec::Value;
use super::{
    Against, Arranged, Average, Basis, Bound, Constant, Cost, Counts, Erratum, Facts, Family, Graph,
    GrowingSizes, Header, HeaderError, Informed, Links, Needs, Order, Orientation, Processes, Promises,
    Reached, Registers, RuleText, Schedules, Setting, Spec, Talks, Timing, Tolerates, Winner, header,
};

/// What a bound rests on; the bound follows.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Claim {
    spec: Spec,
    basis: Basis,
}

impl Claim {
    /// At most so many messages of these, of the number of processes.
    pub const fn at_most(self, counts: Counts, formula: &'static str, value: fn(u64) -> u64) -> Spec {
        self.bound(counts, formula, Value::OfSize(value))
    }

    /// At most so many messages per entry to the critical section, of the number of processes.
    pub const fn at_most_per_entry(self, formula: &'static str, value: fn(u64) -> u64) -> Spec {
        self.bound(Counts::All, formula, Value::PerEntry(value))
    }

    /// At most so many messages of these, if that can be said of these facts.
    pub const fn at_most_of(
        self,
        counts: Counts,
        formula: &'static str,
        value: fn(&Facts) -> Option<u64>,
    ) -> Spec {
        self.bound(counts, formula, Value::OfFacts(value))
    }

    const fn bound(self, counts: Counts, formula: &'static str, value: Value) -> Spec {
        let Claim { spec, basis } = self;
        spec.cost(Cost { worst: Some(Bound { formula, counts, basis, value }), ..spec.cost })
    }
}

impl Spec {
    /// An election. Unless it says otherwise, the largest identity of all is elected and everybody learns it, in the
    /// weakest environment. The file is its own, `include_str!("mod.rs")`, and must begin with a header:
    ///
    /// ```compile_fail
    /// # use ringleader::model::Spec;
    /// const SPEC: Spec = Spec::election("mine", 2026, "//! No title and no idea.");
    /// # let _ = SPEC;
    /// ```
    #[must_use]
    pub const fn election(name: &'static str, year: u16, file: &'static str) -> Spec {
        header::must_begin(file);
        Spec {
            name,
            aliases: &[],
            year,
            family: Family::Own,
            file,
            errata_file: "",
            needs: Needs::NOTHING,
            promises: Promises::Election { winner: Winner::Largest, informed: Informed::All },
            cost: Cost::UNKNOWN,
            worst_ids: None,
            settings: &[],
            example: "",
            diff: "",
            rules: &[],
        }
    }

    /// Mutual exclusion. Unless it says otherwise, nobody waits for ever, it falls silent when nobody wants in, and who
    /// does not want in takes part without having started.
    #[must_use]
    pub const fn exclusion(name: &'static str, year: u16, file: &'static str) -> Spec {
        let promises = Promises::Exclusion { order: Order::Fair, falls_silent: true };
        Spec { promises, ..Spec::election(name, year, file) }.reached(Reached::Relays)
    }

    /// Clocks that are brought together, by this they are judged. Unless it says otherwise, everybody starts at once,
    /// messages take a bounded time, and clocks may show and drift what they like within the bounds that processes are
    /// told.
    #[must_use]
    pub const fn clocks(name: &'static str, year: u16, file: &'static str, against: Against) -> Spec {
        Spec { promises: Promises::Clocks { against }, ..Spec::election(name, year, file) }
            .family(Family::Estimate)
            .reached(Reached::Relays)
            .timing(Timing::BoundedDelay)
    }

    /// The idea by which it works.
    #[must_use]
    pub const fn family(self, family: Family) -> Spec {
        Spec { family, ..self }
    }

    /// Other names for it. An as-printed variant has none.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Spec {
        if self.is_literal() { self } else { Spec { aliases, ..self } }
    }

    /// What the sources get wrong: `include_str!("errata.md")`.
    #[must_use]
    pub const fn errata(self, errata_file: &'static str) -> Spec {
        Spec { errata_file, ..self }
    }

    /// The lines by which an as-printed variant differs from the right one.
    #[must_use]
    pub const fn diff(self, diff: &'static str) -> Spec {
        Spec { diff, ..self }
    }

    /// Its rules, where it shares its clauses with another algorithm and says some of them in other words.
    #[must_use]
    pub const fn rules(self, rules: &'static [RuleText]) -> Spec {
        Spec { rules, ..self }
    }

    /// A small run worth looking at, as arguments of `run` after the name.
    #[must_use]
    pub const fn example(self, example: &'static str) -> Spec {
        Spec { example, ..self }
    }

    /// The weakest links it works on.
    #[must_use]
    pub const fn links(self, links: Links) -> Spec {
        self.needs(Needs { links, ..self.needs })
    }

    /// All processes agree on which side is which, or on port numbers.
    #[must_use]
    pub const fn oriented(self) -> Spec {
        self.needs(Needs { orientation: Orientation::Same, ..self.needs })
    }

    /// What a process does that is reached by a message before it started.
    #[must_use]
    pub const fn reached(self, reached: Reached) -> Spec {
        self.needs(Needs { reached, ..self.needs })
    }

    /// What it needs to know about time.
    #[must_use]
    pub const fn timing(self, timing: Timing) -> Spec {
        self.needs(Needs { timing, ..self.needs })
    }

    /// It draws random numbers.
    #[must_use]
    pub const fn draws(self) -> Spec {
        self.needs(Needs { choices: true, ..self.needs })
    }

    /// It is told of crashes.
    #[must_use]
    pub const fn detector(self) -> Spec {
        self.needs(Needs { detector: true, ..self.needs })
    }

    /// The graphs it admits.
    #[must_use]
    pub const fn graphs(self, graphs: &'static [Graph]) -> Spec {
        self.needs(Needs { graphs, ..self.needs })
    }

    /// The ring has been closed over the processes that are down.
    #[must_use]
    pub const fn bypass(self) -> Spec {
        self.needs(Needs { bypass: true, ..self.needs })
    }

    /// How many processes there may be.
    #[must_use]
    pub const fn processes(self, processes: Processes) -> Spec {
        self.needs(Needs { processes, ..self.needs })
    }

    /// How many others a process has to do with, for estimates.
    #[must_use]
    pub const fn talks(self, talks: Talks) -> Spec {
        self.needs(Needs { talks, ..self.needs })
    }

    /// The faults that it lives with while it runs.
    #[must_use]
    pub const fn tolerates(self, tolerates: Tolerates) -> Spec {
        self.needs(Needs { tolerates, ..self.needs })
    }

    /// The weakest registers it works on.
    #[must_use]
    pub const fn registers(self, registers: Registers) -> Spec {
        self.needs(Needs { registers, ..self.needs })
    }

    const fn needs(self, needs: Needs) -> Spec {
        Spec { needs, ..self }
    }

    /// Who is elected, and who knows it in the end.
    #[must_use]
    pub const fn elects(self, winner: Winner, informed: Informed) -> Spec {
        Spec { promises: Promises::Election { winner, informed }, ..self }
    }

    /// In what order requests are served.
    #[must_use]
    pub const fn serves(self, order: Order) -> Spec {
        match self.promises {
            Promises::Exclusion { falls_silent, .. } => {
                Spec { promises: Promises::Exclusion { order, falls_silent }, ..self }
            }
            Promises::Election { .. } | Promises::Stabilisation | Promises::Clocks { .. } => {
                panic!("only mutual exclusion serves somebody")
            }
        }
    }

    /// Tokens circulate for ever: it never falls silent.
    #[must_use]
    pub const fn circulates(self) -> Spec {
        match self.promises {
            Promises::Exclusion { order, .. } => {
                Spec { promises: Promises::Exclusion { order, falls_silent: false }, ..self }
            }
            Promises::Election { .. } | Promises::Stabilisation | Promises::Clocks { .. } => {
                panic!("only mutual exclusion has tokens")
            }
        }
    }

    /// It may begin in any state, and lets one in at a time from some moment on. Its local steps read the registers of
    /// neighbours and write in one step.
    #[must_use]
    pub const fn stabilising(self) -> Spec {
        Spec { promises: Promises::Stabilisation, ..self }
            .family(Family::Privilege)
            .registers(Registers::Composite)
    }

    /// Proved by these, or by this argument: at most so many messages.
    pub const fn proved(self, by: &'static str) -> Claim {
        Claim { spec: self, basis: Basis::Proved(by) }
    }

    /// In these measurements: at most so many messages.
    pub const fn measured(self, how: &'static str) -> Claim {
        Claim { spec: self, basis: Basis::Measured(how) }
    }

    /// The mean over random arrangements or independent requests.
    #[must_use]
    pub const fn average(self, formula: &'static str, value: fn(&Facts) -> Option<f64>) -> Spec {
        self.cost(Cost { average: Some(Average { formula, value }), ..self.cost })
    }

    /// How the number of messages depends on the schedule.
    #[must_use]
    pub const fn schedules(self, schedules: Schedules) -> Spec {
        self.cost(Cost { schedules, ..self.cost })
    }

    /// The published factor of n·log2 n in the worst case, and who gives it.
    #[must_use]
    pub const fn constant(self, value: f64, source: &'static str) -> Spec {
        self.cost(Cost { constant: Some(Constant { value, source }), ..self.cost })
    }

    /// The sizes at which the worst case grows evenly, if they are neither the powers of two nor the Fibonacci numbers.
    #[must_use]
    pub const fn measured_at(self, sizes: GrowingSizes) -> Spec {
        self.cost(Cost { sizes: Some(sizes), ..self.cost })
    }

    const fn cost(self, cost: Cost) -> Spec {
        Spec { cost, ..self }
    }

    /// The arrangement of identities under which it sends most.
    #[must_use]
    pub const fn worst_on(self, ids: Arranged) -> Spec {
        Spec { worst_ids: Some(ids), ..self }
    }

    /// Its own settings.
    #[must_use]
    pub const fn settings(self, settings: &'static [Setting]) -> Spec {
        Spec { settings, ..self }
    }

    /// What the header of its file says.
    ///
    /// # Errors
    /// The line of the header that does not fit.
    pub fn header(&self) -> Result<Header, HeaderError> {
        Header::parse(self.file)
    }

    /// The same; where it cannot be read, why not stands in the place of the idea.
    #[must_use]
    pub fn prose(&self) -> Header {
        self.header().unwrap_or_else(|why| Header {
            title: self.name.into(),
            idea: format!("(the header of its file cannot be read: {why})"),
            ..Header::default()
        })
    }

    /// What the sources get wrong.
    #[must_use]
    pub fn known_errata(&self) -> Vec<Erratum> {
        header::errata(self.errata_file).unwrap_or_default()
    }
}
