//! What was measured of an algorithm: its messages against its bound, as a table and as a plot.

use crate::compare::{self, Cell, Comparison, Place, Summary, Trouble};
use crate::draw::document::Block;
use crate::draw::plot::{Axis, Curve, Plot, Point, Scale, Series, Stroke};
use crate::people::{decimal, grouped};
use crate::plan::{Request, explain, memory, stopped};
use crate::report::compare::figure::BANDS;
use crate::{App, Diagnostic};
use ringleader::model::Told;
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Ids, Load, Scenario, Workload};
use std::ops::ControlFlow;

/// How much is measured.
pub struct Measuring {
    /// The numbers of processes of elections; of mutual exclusion an eighth.
    pub sizes: Vec<u32>,
    /// How many runs of each.
    pub runs: u32,
    /// The seed of the first.
    pub seed: u64,
    /// How many at once.
    pub threads: u32,
}

impl Measuring {
    /// What the columns of a table mean.
    pub(super) fn how(&self, problem: Problem) -> String {
        let (runs, last) = (self.runs, self.seed + u64::from(self.runs) - 1);
        let seeds = format!("the mean of {runs} runs in rounds (seeds {} to {last})", self.seed);
        match problem {
            Problem::Election => format!(
                "election messages with random identities: {seeds}, the least and the most; with the worst arrangement \
                 that is known (`--ids worst`), where there is one; and the largest of them as a share of the bound. \
                 Where there are no identities, draws are from 1 to n (`--range`)."
            ),
            Problem::Clocks => {
                format!("how far clocks are apart at most once all are set, in ticks; {seeds}.")
            }
            Problem::Mutex => format!(
                "messages per entry, {seeds}. Light: one process wants in at a time, and waits so long; saturated: all \
                 always want in, and from an exit to the next entry it takes so long (delay). Times are message \
                 delays; fairness is Jain's index."
            ),
        }
    }
}

/// Larger runs are left out.
const MESSAGES_MAX: f64 = 1e8;

/// What came of it: for each series (an arrangement or a load) the cells, by size.
pub(super) struct Measured {
    cells: Vec<Cell>,
    names: Vec<&'static str>,
    runs: u32,
    seed: u64,
}

impl Measured {
    pub(super) fn new(
        app: &App,
        entry: &'static Entry,
        measuring: &Measuring,
    ) -> Result<Measured, Diagnostic> {
        let names = series(entry);
        let sizes = sizes(entry, &measuring.sizes);
        let comparison = Comparison {
            algorithms: &[entry],
            loads: names.len(),
            sizes: &sizes,
            runs: &|place| if names[place.load] == WORST { 1 } else { measuring.runs },
            scenario: &|place, run| {
                scenario(entry, names[place.load], place.nodes, measuring.seed + u64::from(run))
            },
            fits: &|place| {
                memory::check(entry, &scenario(entry, names[place.load], place.nodes, measuring.seed)).is_ok()
            },
            max_messages: MESSAGES_MAX,
            threads: measuring.threads,
        };
        let cells = compare::run(&comparison, &|_| ControlFlow::Continue(())).map_err(|trouble| {
            let (place, refused) = match trouble {
                Trouble::Refused(place, refused) => (place, refused),
                Trouble::Stopped => return stopped(),
            };
            let again =
                ["run".to_owned(), entry.spec.name.to_owned(), "-n".to_owned(), place.nodes.to_string()];
            let asked = Request {
                again: &again,
                schedule: "rounds",
                ids: "",
                ids_file: None,
                n: Some(place.nodes),
                unlimited: true,
                check: None,
            };
            explain(app, entry, &asked, &refused)
        })?;
        Ok(Measured { cells, names, runs: measuring.runs, seed: measuring.seed })
    }

    /// The table.
    pub(super) fn table(&self, entry: &Entry, level: u8, blocks: &mut Vec<Block>) {
        blocks.push(Block::Heading(level, "Measured against the bound".into()));
        let (head, rows) = match entry.problem {
            Problem::Election | Problem::Clocks => self.elections(),
            Problem::Mutex => self.entries(),
        };
        blocks.push(Block::Table { head: head.into_iter().map(str::to_owned).collect(), rows });
    }

    /// The plot.
    pub(super) fn figure(&self, entry: &Entry) -> Block {
        Block::Figure {
            file: format!("{}-messages.svg", entry.spec.name.replace('@', "-")),
            svg: self.plot(entry).svg(),
            caption: format!("Messages of {} against the number of processes", entry.spec.name),
        }
    }

    fn places(&self) -> Vec<u32> {
        let mut places: Vec<u32> = self.cells.iter().map(|cell| cell.place.nodes).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn summary(&self, series: usize, nodes: u32) -> Option<Summary> {
        let cell =
            self.cells.iter().find(|cell| cell.place == Place { algorithm: 0, load: series, nodes })?;
        Summary::of(cell.runs.as_ref().ok()?)
    }

    /// The largest bound that a run of this size had: it may depend on the network.
    fn bound(&self, nodes: u32) -> Option<f64> {
        let bounds = (0..self.names.len()).filter_map(|series| self.summary(series, nodes)?.bound);
        bounds.map(|(_, value)| value).max_by(f64::total_cmp)
    }

    fn elections(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let worst = self.names.iter().position(|name| *name == WORST);
        let mut head = vec!["n", "mean", "least", "most"];
        if worst.is_some() {
            head.push("worst ids");
        }
        head.extend(["bound", "of it"]);
        let row = |nodes: u32| {
            let random = self.summary(0, nodes);
            let number = |value: Option<f64>| {
                value.map_or_else(|| "–".to_owned(), |value| grouped(value.round() as u64))
            };
            let stats = |of: fn(&Summary) -> f64| number(random.as_ref().map(of));
            let mut row = vec![
                grouped(u64::from(nodes)),
                random.as_ref().map_or_else(|| "–".to_owned(), |summary| decimal(summary.stats.mean)),
                stats(|summary| summary.stats.min),
                stats(|summary| summary.stats.max),
            ];
            let hardest = worst.and_then(|series| self.summary(series, nodes));
            if worst.is_some() {
                row.push(number(hardest.as_ref().map(|summary| summary.stats.max)));
            }
            row.push(number(self.bound(nodes)));
            let ratio = [&random, &hardest].into_iter().flatten().filter_map(|summary| summary.ratio);
            row.push(
                ratio
                    .max_by(f64::total_cmp)
                    .map_or_else(|| "–".to_owned(), |ratio| format!("{:.1} %", 100.0 * ratio)),
            );
            row
        };
        (head, self.places().into_iter().map(row).collect())
    }

    fn entries(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let head = vec!["n", "light", "waiting", "saturated", "delay", "fairness", "bound", "of it"];
        let row = |nodes: u32| {
            let [light, full] = [0, 1].map(|series| self.summary(series, nodes));
            let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), decimal);
            let both = || [&light, &full].into_iter().flatten();
            let ratio = both().filter_map(|summary| summary.ratio).max_by(f64::total_cmp);
            vec![
                grouped(u64::from(nodes)),
                number(light.as_ref().map(|summary| summary.stats.mean)),
                number(light.as_ref().and_then(|summary| summary.waiting)),
                number(full.as_ref().map(|summary| summary.stats.mean)),
                number(full.as_ref().and_then(|summary| summary.sync_delay)),
                number(full.as_ref().and_then(|summary| summary.fairness)),
                number(self.bound(nodes)),
                ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{:.1} %", 100.0 * ratio)),
            ]
        };
        (head, self.places().into_iter().map(row).collect())
    }

    fn plot(&self, entry: &Entry) -> Plot {
        let places = self.places();
        let series = self.names.iter().enumerate().map(|(series, name)| Series {
            name: (*name).to_owned(),
            look: (series, series),
            points: places.iter().filter_map(|&nodes| point(nodes, &self.summary(series, nodes)?)).collect(),
        });
        let line = |of: &dyn Fn(u32) -> Option<f64>| -> Vec<(f64, f64)> {
            places.iter().filter_map(|&nodes| Some((f64::from(nodes), of(nodes)?))).collect()
        };
        let mut curves = Vec::new();
        if let Some(bound) = entry.spec.cost.worst {
            let points = line(&|nodes| self.bound(nodes));
            curves.push(Curve {
                name: bound.formula.into(),
                series: self.names.len() - 1,
                stroke: Stroke::Dashed,
                points,
            });
        }
        if let Some(average) = entry.spec.cost.average.filter(|_| entry.problem == Problem::Election) {
            let value = average.value;
            let points = line(&|nodes| value(&ringleader::model::Facts::plain(u64::from(nodes))));
            curves.push(Curve { name: average.formula.into(), series: 0, stroke: Stroke::Dotted, points });
        }
        curves.retain(|curve| curve.points.len() > 1);
        let counts = match entry.problem {
            Problem::Mutex => "messages per entry",
            Problem::Election => "election messages",
            Problem::Clocks => "skew in ticks",
        };
        let (runs, last) = (self.runs, self.seed + u64::from(self.runs) - 1);
        Plot {
            title: format!("{}: {counts}", entry.spec.name),
            subtitle: format!("{runs} runs each, seeds {} to {last}", self.seed),
            x: Axis {
                ticks: places.iter().map(|&nodes| (f64::from(nodes), nodes.to_string())).collect(),
                ..Axis::new("n", Scale::Log)
            },
            y: Axis::new(counts, if entry.problem == Problem::Election { Scale::Log } else { Scale::Linear }),
            series: series.collect(),
            curves,
            caption: if runs > 1 { vec![BANDS.to_owned()] } else { Vec::new() },
        }
    }
}

fn point(nodes: u32, summary: &Summary) -> Option<Point> {
    let stats = &summary.stats;
    (stats.mean > 0.0).then(|| Point {
        x: f64::from(nodes),
        y: stats.mean,
        interval: stats.ci95(),
        title: format!("n = {nodes}: {}", decimal(stats.mean)),
    })
}

const WORST: &str = "worst ids";

/// What is measured: arrangements, or loads.
fn series(entry: &Entry) -> Vec<&'static str> {
    match entry.problem {
        Problem::Mutex => vec!["light", "saturated"],
        Problem::Clocks => vec!["random offsets"],
        Problem::Election if entry.is_anonymous() => vec!["random draws"],
        Problem::Election if entry.spec.worst_ids.is_some() => vec!["random ids", WORST],
        Problem::Election => vec!["random ids"],
    }
}

/// The sizes that the algorithm admits, near those that were asked for.
fn sizes(entry: &Entry, asked: &[u32]) -> Vec<u32> {
    let near = |&n: &u32| {
        let n = if entry.problem == Problem::Mutex { (n / 8).max(2) } else { n };
        entry.spec.needs.processes.nearest(n).1
    };
    let mut sizes: Vec<u32> = asked.iter().map(near).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn scenario(entry: &Entry, series: &str, n: u32, seed: u64) -> Scenario {
    let ids = if series == WORST { Ids::Worst } else { Ids::Default };
    let load = match (entry.problem, series) {
        (Problem::Election | Problem::Clocks, _) => None,
        (Problem::Mutex, "light") => Some(Load::Light),
        (Problem::Mutex, _) => Some(Load::Saturated),
    };
    let total = load.map(|_| u64::from(n.max(10)) * 10);
    // Where identities are drawn, two of them may be too few: with n processes, a draw from n ends soon.
    let range = if entry.told.has(Told::Range) { n } else { Scenario::new(n).range };
    Scenario {
        ids,
        seed,
        range,
        workload: Workload { load, total, ..Workload::default() },
        ..Scenario::new(n)
    }
}
