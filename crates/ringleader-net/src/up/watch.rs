//! What is seen of a cluster while it runs: who leads since when, what it cost, who is killed and how long it takes
//! until somebody leads again.

use super::Local;
use super::clocks::{Clocks, judge};
use crate::config::Config;
use crate::{Problem, client, clock};
use ringleader::model::Promises;
use ringleader::registry::{self, Entry};
use ringleader_live::Place;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// What is to happen to the cluster, and what is expected of it.
pub struct Course {
    /// What it runs.
    pub entry: &'static Entry,
    /// How often each user wants in.
    pub entries: u32,
    /// How often a node is killed.
    pub kill_every: Option<Duration>,
    /// What decides who is killed.
    pub seed: u64,
    /// What the simulator counts for the same identities, where the schedule does not matter.
    pub simulated: Option<Vec<(&'static str, u64)>>,
}

/// Something that happened: a line of a node, or of ours.
pub struct Seen {
    /// The line, as it stands in files of events.
    pub line: Value,
    /// Somebody leads again, so many seconds after the leader was killed.
    pub after_kill: Option<f64>,
}

/// Everything that was seen.
pub struct Watch {
    course: Course,
    config: Config,
    /// The moment of the start, on the clock of the events.
    began: u64,
    started: Instant,
    leader: Option<String>,
    first_after: Option<f64>,
    elections: u64,
    entries: u64,
    kills: u64,
    /// When the leader was killed, until somebody leads again.
    killed_at: Option<u64>,
    recoveries: Vec<f64>,
    next_kill: Option<Instant>,
    draws: u64,
    statuses: Vec<Option<Value>>,
    /// Where clocks are brought together: what had been sent when nobody waited for anything any more.
    still: Option<u64>,
}

/// What it came to: `ringleader.up/1`.
#[derive(Serialize, Debug)]
#[expect(missing_docs, reason = "the fields are described with the other formats")]
pub struct Summary {
    pub schema: &'static str,
    pub algorithm: &'static str,
    pub members: usize,
    pub ids: Vec<u64>,
    pub seed: u64,
    pub outcome: &'static str,
    pub leader: Option<Leader>,
    pub epoch: u64,
    pub messages: Messages,
    pub simulated: Option<Messages>,
    pub bytes: u64,
    pub entries: u64,
    pub elapsed_s: f64,
    pub leader_after_s: Option<f64>,
    pub kills: u64,
    pub elections: u64,
    pub recovery_s: Vec<f64>,
    /// The local variables of every process, by index: a replay ends with the same.
    pub fields: Vec<Value>,
    pub again: String,
    pub recorded: Vec<Value>,
    /// Where the algorithm brings clocks together.
    pub clocks: Option<Clocks>,
}

/// Who leads at the end.
#[derive(Serialize, Debug)]
pub struct Leader {
    pub member: String,
    pub index: usize,
    pub id: u64,
}

/// Messages of the newest epoch.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Messages {
    pub total: u64,
    pub by_kind: Map<String, Value>,
}

impl Messages {
    fn of<'a>(kinds: impl Iterator<Item = (&'a str, u64)>) -> Messages {
        let mut total = 0;
        let by_kind = kinds
            .map(|(kind, count)| {
                total += count;
                (kind.to_owned(), json!(count))
            })
            .collect();
        Messages { total, by_kind }
    }
}

impl Watch {
    /// Nothing was seen yet.
    #[must_use]
    pub fn new(course: Course, config: Config) -> Watch {
        Watch {
            draws: course.seed,
            course,
            config,
            began: clock::now().0,
            started: Instant::now(),
            leader: None,
            first_after: None,
            elections: 0,
            entries: 0,
            kills: 0,
            killed_at: None,
            recoveries: Vec::new(),
            next_kill: None,
            statuses: Vec::new(),
            still: None,
        }
    }

    /// Whether somebody is to lead; otherwise users want in.
    #[must_use]
    pub fn is_election(&self) -> bool {
        self.course.entry.problem == registry::Problem::Election
    }

    fn is_clocks(&self) -> bool {
        self.course.entry.problem == registry::Problem::Clocks
    }

    /// How many seconds after the start that was, by the clock of the events.
    #[must_use]
    pub fn seconds(&self, at_us: u64) -> f64 {
        at_us.saturating_sub(self.began) as f64 / 1e6
    }

    /// For how long it has been watched.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How everybody was when last asked.
    #[must_use]
    pub fn statuses(&self) -> &[Option<Value>] {
        &self.statuses
    }

    fn places(&self) -> Place {
        self.config.cluster.members.len() as Place
    }

    /// Takes in what has happened.
    pub fn look(&mut self, local: &mut Local) -> Vec<Seen> {
        local.happened().into_iter().map(|line| self.take_in(line)).collect()
    }

    fn take_in(&mut self, line: Value) -> Seen {
        let (event, at) = (line["event"].as_str(), line["at_us"].as_u64().unwrap_or(0));
        let mut after_kill = None;
        match event {
            Some("leader_elected") => {
                self.elections += 1;
                self.leader = line["member"].as_str().map(str::to_owned);
                self.first_after.get_or_insert(at.saturating_sub(self.began) as f64 / 1e6);
                let killed = self.killed_at.take().filter(|&killed| at >= killed);
                after_kill = killed.map(|killed| (at - killed) as f64 / 1e6);
                self.recoveries.extend(after_kill);
            }
            Some("section_entered") => self.entries += 1,
            Some("leadership_lost") if line["member"].as_str() == self.leader.as_deref() => {
                self.leader = None
            }
            Some(_) | None => {}
        }
        Seen { line, after_kill }
    }

    /// Asks everybody how it is.
    pub fn take_stock(&mut self, local: &Local) {
        let status = |place: Place| -> Option<Value> {
            local.pid(place)?;
            let at = self.config.addresses[usize::from(place)].status.as_deref()?;
            let (text, ..) = client::fetch(at, Duration::from_secs(1)).ok()?;
            serde_json::from_str(&text).ok()
        };
        self.statuses = (0..self.places()).map(status).collect();
    }

    fn groups(&self) -> impl Iterator<Item = &Value> {
        self.statuses.iter().flatten().map(|status| &status["groups"][0])
    }

    /// The contract of what runs.
    fn cast(&self) -> &Entry {
        self.course.entry.with_settings(&self.config.cluster.groups[0].scenario.settings)
    }

    /// Whether what was wanted has come about, and everything that was sent has arrived.
    pub fn is_done(&mut self, local: &Local) -> bool {
        if self.is_election() && self.leader.is_none() {
            return false;
        }
        self.take_stock(local);
        let groups: Vec<&Value> = self.groups().collect();
        let sum = |key: &str| groups.iter().filter_map(|group| group[key].as_u64()).sum::<u64>();
        if groups.len() < usize::from(self.places()) {
            return false;
        }
        let has_arrived = sum("sent_ever") == sum("received_ever");
        if self.is_clocks() {
            // Nobody waits, and nothing is on its way. They are asked one after the other: twice the same is certain.
            let rests = has_arrived && groups.iter().all(|group| group["clock"]["rests"] == true);
            let now = rests.then(|| sum("sent_ever"));
            let before = std::mem::replace(&mut self.still, now);
            return now.is_some() && now == before;
        }
        if !self.is_election() {
            // Where tokens circulate for ever, something is always on its way.
            let rests = match self.cast().spec.promises {
                Promises::Exclusion { falls_silent, .. } => falls_silent,
                Promises::Election { .. } | Promises::Stabilisation | Promises::Clocks { .. } => true,
            };
            return sum("entries") >= self.wanted()
                && groups.iter().all(|group| group["leads"] == false)
                && (!rests || has_arrived);
        }
        let decided = |group: &&Value| group["position"] != "undecided" && !group["position"].is_null();
        groups.iter().any(|group| group["leads"] == true) && groups.iter().all(decided) && has_arrived
    }

    /// How often users want in, all together.
    fn wanted(&self) -> u64 {
        u64::from(self.course.entries) * u64::from(self.places())
    }

    /// Kills a node if it is time, and starts again who was killed a while ago.
    ///
    /// # Errors
    /// If a node cannot be started again.
    pub fn strike(&mut self, local: &mut Local) -> Result<Vec<Seen>, Problem> {
        let Some(every) = self.course.kill_every else { return Ok(Vec::new()) };
        let line =
            |event: &str, at: u64, member: &str| json!({ "event": event, "at_us": at, "member": member });
        let again = local.start_due()?.into_iter().map(|place| Seen {
            line: line("restarted", clock::now().0, local.name(place)),
            after_kill: None,
        });
        let mut seen: Vec<Seen> = again.collect();
        let now = Instant::now();
        let next = *self.next_kill.get_or_insert(now + every);
        if next > now || self.is_election() && self.leader.is_none() && self.kills == 0 {
            return Ok(seen);
        }
        self.next_kill = Some(now + every);
        let up: Vec<Place> = (0..self.places()).filter(|&place| local.pid(place).is_some()).collect();
        // A majority is left alone: without one nobody could lead, and nothing would be seen.
        if (up.len() - 1) * 2 <= usize::from(self.places()) {
            return Ok(seen);
        }
        let leads = |place: &Place| self.leader.as_deref() == Some(local.name(*place));
        let of_leader = up.iter().copied().find(leads);
        let any = up[(self.draw() % up.len() as u64) as usize];
        let victim = if self.draw().is_multiple_of(2) { of_leader.unwrap_or(any) } else { any };
        let at = clock::now().0;
        if local.kill(victim) {
            self.kills += 1;
            let mut line = line("killed", at, local.name(victim));
            line["leads"] = json!(Some(victim) == of_leader);
            if Some(victim) == of_leader {
                self.killed_at = Some(at);
                self.leader = None;
            }
            local.start_later(victim, every / 2);
            seen.push(Seen { line, after_kill: None });
        }
        Ok(seen)
    }

    fn draw(&mut self) -> u64 {
        self.draws =
            self.draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.draws >> 33
    }

    /// What it came to, by how everybody was when last asked.
    #[must_use]
    pub fn summary(&self, again: String, recorded: Vec<Value>) -> Summary {
        let number = |group: &&Value| group["epoch"]["number"].as_u64();
        let epoch = self.groups().filter_map(|group| number(&group)).max().unwrap_or(0);
        let of_epoch = || self.groups().filter(|group| number(group) == Some(epoch));
        let count = |kind: &str| {
            of_epoch().filter_map(|group| group["messages"]["by_kind"][kind].as_u64()).sum::<u64>()
        };
        let members = &self.config.cluster.members;
        let place = self.statuses.iter().flatten().find(|status| status["groups"][0]["leads"] == true);
        let place = place.and_then(|status| status["place"].as_u64()).map(|place| place as usize);
        let leader =
            place.map(|index| Leader { member: members[index].name.clone(), index, id: members[index].id });
        let clocks = judge(&self.config.cluster, self.cast(), &self.statuses).filter(|_| self.is_clocks());
        let outcome = match (self.is_election(), leader.is_some(), self.entries >= self.wanted()) {
            _ if self.is_clocks() => came_to(clocks.as_ref()),
            (true, true, _) => "elected",
            (true, false, _) => "no-leader",
            (false, _, true) => "done",
            (false, _, false) => "limit",
        };
        let simulated = self.course.simulated.as_ref().filter(|_| self.kills == 0);
        Summary {
            schema: "ringleader.up/1",
            algorithm: self.course.entry.spec.name,
            members: members.len(),
            ids: members.iter().map(|member| member.id).collect(),
            seed: self.course.seed,
            outcome,
            leader,
            epoch,
            messages: Messages::of(self.cast().kinds.iter().map(|kind| (*kind, count(kind)))),
            simulated: simulated.map(|kinds| Messages::of(kinds.iter().copied())),
            bytes: of_epoch().filter_map(|group| group["bytes_ever"].as_u64()).sum(),
            entries: self.entries,
            elapsed_s: self.elapsed().as_secs_f64(),
            leader_after_s: self.first_after,
            kills: self.kills,
            elections: self.elections,
            recovery_s: self.recoveries.clone(),
            fields: self
                .statuses
                .iter()
                .map(|status| {
                    status.as_ref().map_or(Value::Null, |status| status["groups"][0]["fields"].clone())
                })
                .collect(),
            again,
            recorded,
            clocks,
        }
    }
}

/// What became of clocks: all set and within their bounds; one set wrongly; or not all set.
fn came_to(clocks: Option<&Clocks>) -> &'static str {
    let Some(clocks) = clocks else { return "limit" };
    let is_set = |node: &super::NodeClock| matches!(node.position.as_str(), "synchronised" | "reference");
    match (clocks.holds, clocks.nodes.iter().filter(|node| is_set(node)).all(|node| node.holds)) {
        (true, _) => "done",
        (false, false) => "violated",
        (false, true) => "limit",
    }
}
