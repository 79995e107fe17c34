//! What is to be put up: from the arguments to a cluster, and what a simulation of the same would cost.

use crate::App;
use crate::args::UpArgs;
use crate::error::Diagnostic;
use ringleader::model::{Links, Schedules, Shape, Timing as Pace};
use ringleader::registry::{Entry, Problem};
use ringleader::sim::{Delay, Ids, Scatter, Scenario, Schedule, TICKS_PER_UNIT};
use ringleader_lab::options::SettingOptions;
use ringleader_lab::plan::{Request, disagreement, drawn_seed, explain, ids};
use ringleader_live::{Cluster, GroupSpec, MAX_MEMBERS, MemberSpec, Micros, Timing, Users};

/// The number of members when nobody says otherwise.
const MEMBERS_DEFAULT: u32 = 5;

/// What is to be put up.
pub(super) struct Plan {
    pub(super) cluster: Cluster,
    pub(super) seed: u64,
    /// The words of the command that does the same.
    pub(super) again: Vec<String>,
    /// What the simulator counts for the same identities, where the schedule does not matter.
    pub(super) simulated: Option<Vec<(&'static str, u64)>>,
}

/// The longest delay that processes with clocks are told when nobody says otherwise: the round trip on one machine is
/// far below, and nobody waits for it where all answer.
const MAX_DELAY: Micros = Micros::millis(200);

/// A tick of clocks.
const TICK: Micros = Micros::millis(1);

/// When all clocks are compared that show what they show without being asked (`at`), in ticks: by then all have
/// started.
const MEETING: i64 = 5_000;

/// Refuses what is said of clocks where there are none, and kills where nobody lives with crashes.
pub(super) fn clocks_fit(app: &App, entry: &'static Entry, args: &UpArgs) -> Result<(), Diagnostic> {
    let name = entry.spec.name;
    match (entry.problem, &args.kill_every) {
        (Problem::Clocks, Some(_)) => Err(Diagnostic::input(
            "ringleader::fault_excluded",
            format!("`{name}` does not live with crashes"),
        )
        .help("leave out --kill-every")),
        (Problem::Election | Problem::Mutex, _) if args.speaks_of_clocks() => {
            let message = format!("the processes of `{name}` have no clocks");
            Err(Diagnostic::input("ringleader::no_clocks", message)
                .help(
                    "--clock-offset, --clock-drift, --drift-bound, --clock-backward and --max-delay are for:",
                )
                .command(format!("{} list --problem clocks", app.program), ""))
        }
        (Problem::Election | Problem::Mutex | Problem::Clocks, _) => Ok(()),
    }
}

impl Plan {
    pub(super) fn new(
        app: &App,
        entry: &'static Entry,
        args: &UpArgs,
        json: bool,
    ) -> Result<Plan, Diagnostic> {
        let seed = args.seed.unwrap_or_else(drawn_seed);
        let again = args.again(entry.spec.name, seed, json);
        let mut scenario = scenario(args, seed)?;
        let max_delay = args.max_delay.unwrap_or(MAX_DELAY).0.div_ceil(TICK.0).clamp(1, 1_000_000);
        if entry.problem == Problem::Clocks {
            scenario.schedule = Schedule::Delay(Delay::Uniform(1, max_delay * TICKS_PER_UNIT));
            meet_late(entry, &mut scenario);
        }
        if scenario.n as usize > MAX_MEMBERS {
            let message = format!("-n {}: a cluster has at most {MAX_MEMBERS} members", scenario.n);
            return Err(Diagnostic::input("ringleader::too_many_members", message)
                .help("as many processes as you like are simulated:")
                .command(format!("{} run {} -n {}", app.program, entry.spec.name, scenario.n), ""));
        }
        let asked = Request {
            again: &again,
            schedule: "the network's",
            ids: args.ids.as_ref().map_or("", |ids| ids.text.as_str()),
            ids_file: None,
            n: Some(scenario.n),
            unlimited: false,
            check: None,
        };
        let refused = |why| explain(app, entry, &asked, &why);
        let header = entry.cast(&scenario).map_err(refused)?.header();
        if let Some(drawn) = &header.clocks {
            scenario.clocks.offsets = Scatter::Listed(drawn.offsets.clone());
            scenario.clocks.drifts = Scatter::Listed(drawn.drifts.clone());
            scenario.clocks.bound = Some(drawn.bound);
        }
        let ids =
            if header.ids.is_empty() { (1..=u64::from(scenario.n)).collect() } else { header.ids.clone() };
        let same = Scenario {
            ids: if header.ids.is_empty() { Ids::Default } else { Ids::Listed(header.ids) },
            ..scenario.clone()
        };
        let simulated = match is_same_everywhere(entry.with_settings(&scenario.settings)) {
            true => Some(entry.run(&same, &mut ()).map_err(refused)?.by_kind),
            false => None,
        };
        let mut timing = Timing::default();
        timing.terms.lease = args.lease.unwrap_or(timing.terms.lease);
        timing.patience.heartbeat = args.heartbeat.unwrap_or(timing.patience.heartbeat);
        timing.patience.pause = args.pause.unwrap_or(timing.patience.pause);
        if entry.problem == Problem::Clocks {
            (timing.unit, timing.max_delay) = (TICK, max_delay as u32);
        }
        // A machine that delays heartbeats for so long also delays the start of members.
        timing.gather = timing.gather.max(timing.patience.pause);
        let users = Users { entries: args.entries(), hold: args.hold, think: args.think };
        let group = GroupSpec {
            name: "main".into(),
            entry,
            scenario: Scenario { ids: Ids::Default, ..scenario },
            users: (entry.problem == Problem::Mutex).then_some(users),
            zero: (entry.problem == Problem::Clocks).then(ringleader_net::clock::now),
        };
        let members = ids.iter().enumerate().map(|(place, &id)| MemberSpec { name: name(place), id });
        let cluster = Cluster { name: "up".into(), members: members.collect(), groups: vec![group], timing };
        Ok(Plan { cluster, seed, again, simulated })
    }
}

/// The members are called a, b, c, …
fn name(place: usize) -> String {
    match u8::try_from(place) {
        Ok(place) if place < 26 => char::from(b'a' + place).to_string(),
        Ok(_) | Err(_) => format!("m{place}"),
    }
}

fn scenario(args: &UpArgs, seed: u64) -> Result<Scenario, Diagnostic> {
    let (ids, _) = ids(args.ids.as_ref())?;
    let ids = ids.unwrap_or(Ids::Default);
    let listed = match &ids {
        Ids::Listed(ids) => u32::try_from(ids.len()).ok(),
        Ids::Default | Ids::Random | Ids::Arranged(_) | Ids::Worst => None,
    };
    if let (Some(listed), Some(asked)) = (listed, args.nodes)
        && listed != asked
    {
        return Err(disagreement(asked, listed, None, true));
    }
    let of_clocks = [&args.clock_offset, &args.clock_drift].into_iter().flatten();
    let of_clocks = of_clocks.filter_map(|given| match &given.value {
        Scatter::Listed(listed) => u32::try_from(listed.len()).ok(),
        Scatter::Drawn(_) => None,
    });
    let nodes = listed.or(args.nodes).or(of_clocks.min());
    let mut scenario = Scenario::new(nodes.unwrap_or(MEMBERS_DEFAULT));
    scenario.clocks = args.clocks();
    scenario.ids = ids;
    scenario.topology = args.topology.map(Into::into);
    scenario.range = args.range.unwrap_or(scenario.range);
    scenario.settings = SettingOptions::from(args.settings.clone()).agreed()?;
    scenario.seed = seed;
    Ok(scenario)
}

/// Where clocks are compared at a moment that is a setting, and nobody has chosen one: late enough.
fn meet_late(entry: &Entry, scenario: &mut Scenario) {
    let is_at = |name: &str| name == "at";
    if entry.spec.settings.iter().any(|setting| is_at(setting.name))
        && !scenario.settings.iter().any(|(name, _)| is_at(name))
    {
        let latest = match &scenario.clocks.offsets {
            Scatter::Listed(listed) => listed.iter().copied().max().unwrap_or(0).max(0),
            Scatter::Drawn(most) => i64::from(*most),
        };
        scenario.settings.push(("at".to_owned(), (latest + MEETING).to_string()));
    }
}

/// Whether every schedule, and so every network, has the same messages.
fn is_same_everywhere(entry: &Entry) -> bool {
    let needs = &entry.spec.needs;
    let one_input =
        entry.shape == Shape::OneWayRing && needs.links != Links::Bag && needs.timing == Pace::Asynchronous;
    let same = one_input || entry.spec.cost.schedules == Schedules::Same;
    same && entry.problem == Problem::Election && !needs.choices
}
