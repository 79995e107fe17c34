//! What is seen of the cluster, and how it is told.

use super::plan::Plan;
use crate::args::UpArgs;
use crate::console::{BOLD, CYAN, Console, DIM, GREEN, RED, RESET, YELLOW};
use ringleader::model::Promises;
use ringleader::registry::Problem;
use ringleader_live::Place;
use ringleader_net::clock;
use ringleader_net::up::Local;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often the table is drawn.
const TABLE: Duration = Duration::from_millis(250);

/// Everything that was seen.
pub(super) struct Watch<'a> {
    plan: &'a Plan,
    args: &'a UpArgs,
    folder: String,
    /// The moment of the start, on the clock of the events.
    began: u64,
    /// Who leads, in which epoch, since when.
    leader: Option<(String, u64, u64)>,
    first_after: Option<f64>,
    elections: u64,
    entries: u64,
    kills: u64,
    /// The last kill, and how long it takes until somebody leads again.
    killed_at: Option<u64>,
    recoveries: Vec<f64>,
    next_kill: Option<Instant>,
    restarts: Vec<(Place, Instant)>,
    draws: u64,
    statuses: Vec<Option<Value>>,
    drawn: Option<Instant>,
    lines: usize,
}

impl<'a> Watch<'a> {
    pub(super) fn new(plan: &'a Plan, args: &'a UpArgs, folder: &Path) -> Watch<'a> {
        Watch {
            plan,
            args,
            folder: folder.display().to_string(),
            began: clock::now().0,
            leader: None,
            first_after: None,
            elections: 0,
            entries: 0,
            kills: 0,
            killed_at: None,
            recoveries: Vec::new(),
            next_kill: None,
            restarts: Vec::new(),
            draws: plan.seed,
            statuses: Vec::new(),
            drawn: None,
            lines: 0,
        }
    }

    fn is_election(&self) -> bool {
        self.plan.entry.problem == Problem::Election
    }

    pub(super) fn begin(&mut self, console: &mut Console<'_>) -> io::Result<()> {
        if console.json || console.quiet {
            return Ok(());
        }
        let (members, algorithm) = (self.plan.cluster.members.len(), self.plan.entry.spec.name);
        let wire = if self.args.plain { "plain text" } else { "TLS 1.3, both sides with certificates" };
        let ids: Vec<String> =
            self.plan.cluster.members.iter().map(|m| format!("{}={}", m.name, m.id)).collect();
        writeln!(
            console.err,
            "{BOLD}{algorithm}{RESET} · {members} processes on this machine · {wire} · seed {}",
            self.plan.seed
        )?;
        writeln!(console.err, "  identities  {}", ids.join(" "))?;
        if self.args.keep.is_some() {
            writeln!(console.err, "  files       {}", self.folder)?;
        }
        console.err.flush()
    }

    /// Takes in what has happened, and tells it.
    pub(super) fn look(&mut self, local: &mut Local, console: &mut Console<'_>) -> io::Result<()> {
        for line in local.happened() {
            self.happening(&line, console)?;
        }
        let table = console.bars && !console.json && !console.quiet;
        if table && self.drawn.is_none_or(|drawn| drawn.elapsed() >= TABLE) {
            self.drawn = Some(Instant::now());
            self.take_stock(local);
            self.table(local, console)?;
        }
        Ok(())
    }

    fn happening(&mut self, line: &Value, console: &mut Console<'_>) -> io::Result<()> {
        let text = |key: &str| line[key].as_str().unwrap_or("").to_owned();
        let number = |key: &str| line[key].as_u64().unwrap_or(0);
        let (member, peer, epoch, at) = (text("member"), text("peer"), number("epoch"), number("at_us"));
        let words = match line["event"].as_str().unwrap_or("") {
            "leads" if self.is_election() => {
                self.elections += 1;
                self.leader = Some((member.clone(), epoch, at));
                let after = at.saturating_sub(self.began) as f64 / 1e6;
                self.first_after.get_or_insert(after);
                let since = self.killed_at.take().filter(|&killed| at >= killed).map(|killed| {
                    let seconds = (at - killed) as f64 / 1e6;
                    self.recoveries.push(seconds);
                    format!(", {:.0} ms after the kill", seconds * 1000.0)
                });
                let since = since.unwrap_or_default();
                format!("{GREEN}{member} leads{RESET} (epoch {epoch}{since})")
            }
            "leads" => {
                self.entries += 1;
                format!("{member} is inside")
            }
            "stops" => {
                if self.leader.as_ref().is_some_and(|(leader, ..)| *leader == member) {
                    self.leader = None;
                }
                let verb = if self.is_election() { "leads no more" } else { "is outside" };
                format!("{member} {verb} ({})", text("ending"))
            }
            "opens" => format!("{member} opens epoch {epoch}"),
            "suspects" => format!("{YELLOW}{member} suspects {peer}{RESET}"),
            "hears" => format!("{DIM}{member} hears {peer}{RESET}"),
            "refused" => format!("{YELLOW}{member} refuses {peer}: {}{RESET}", text("why")),
            "clock_wrong" => format!("{RED}{member}: the clock of {peer} is wrong{RESET}"),
            _ => return Ok(()),
        };
        if console.json {
            return writeln!(console.out, "{line}");
        }
        self.say(at, &words, console)
    }

    fn say(&mut self, at: u64, words: &str, console: &mut Console<'_>) -> io::Result<()> {
        if console.quiet || console.json {
            return Ok(());
        }
        self.wipe(console)?;
        let seconds = at.saturating_sub(self.began) as f64 / 1e6;
        writeln!(console.err, "  {DIM}{seconds:8.3} s{RESET}  {words}")?;
        console.err.flush()
    }

    /// Asks everybody how it is.
    pub(super) fn take_stock(&mut self, local: &Local) {
        self.statuses = (0..self.plan.places()).map(|place| local.status(place)).collect();
    }

    /// Whether what was wanted has come about, and everything that was sent has arrived.
    pub(super) fn is_done(&mut self, local: &Local) -> bool {
        if self.is_election() && self.leader.is_none() {
            return false;
        }
        self.take_stock(local);
        let groups: Vec<&Value> = self.statuses.iter().flatten().map(|status| &status["groups"][0]).collect();
        let sum = |key: &str| groups.iter().filter_map(|group| group[key].as_u64()).sum::<u64>();
        if groups.len() < self.plan.cluster.members.len() {
            return false;
        }
        if !self.is_election() {
            let wanted = u64::from(self.args.entries) * groups.len() as u64;
            let settings = &self.plan.cluster.groups[0].scenario.settings;
            // Where tokens circulate for ever, something is always on its way.
            let rests = match self.plan.entry.with_settings(settings).spec.promises {
                Promises::Exclusion { falls_silent, .. } => falls_silent,
                Promises::Election { .. } => true,
            };
            return sum("entries") >= wanted
                && groups.iter().all(|group| group["leads"] == false)
                && (!rests || sum("sent_ever") == sum("received_ever"));
        }
        let decided = |group: &&Value| group["position"] != "undecided" && !group["position"].is_null();
        groups.iter().any(|group| group["leads"] == true)
            && groups.iter().all(decided)
            && sum("sent_ever") == sum("received_ever")
    }

    /// Kills and restarts, if that was asked for.
    pub(super) fn strike(&mut self, local: &mut Local, console: &mut Console<'_>) -> io::Result<()> {
        let Some(every) = self.args.kill_every.as_ref().map(|every| every.value.0) else { return Ok(()) };
        let now = Instant::now();
        let due: Vec<Place> =
            self.restarts.iter().filter(|(_, at)| *at <= now).map(|&(who, _)| who).collect();
        self.restarts.retain(|(_, at)| *at > now);
        for place in due {
            let name = local.name(place).to_owned();
            if local.start(place).is_ok() {
                self.tell_strike(
                    "restarted",
                    &name,
                    format!("{CYAN}{name} is started again{RESET}"),
                    console,
                )?;
            }
        }
        let next = *self.next_kill.get_or_insert(now + every);
        let leader = self.leader.as_ref().map(|(name, ..)| name.clone());
        if next > now || self.is_election() && leader.is_none() && self.kills == 0 {
            return Ok(());
        }
        self.next_kill = Some(now + every);
        let up: Vec<Place> = (0..self.plan.places()).filter(|&place| local.pid(place).is_some()).collect();
        // A majority is left alone: without one nobody could lead, and nothing would be seen.
        if (up.len() - 1) * 2 <= self.plan.cluster.members.len() {
            return Ok(());
        }
        let of_leader =
            leader.and_then(|leader| up.iter().copied().find(|&place| local.name(place) == leader));
        let any = up[(self.draw() % up.len() as u64) as usize];
        let victim = if self.draw().is_multiple_of(2) { of_leader.unwrap_or(any) } else { any };
        let name = local.name(victim).to_owned();
        let what = if Some(victim) == of_leader { ", who leads" } else { "" };
        let at = clock::now().0;
        if local.kill(victim) {
            self.kills += 1;
            if Some(victim) == of_leader {
                self.killed_at = Some(at);
                self.leader = None;
            }
            self.restarts.push((victim, now + every / 2));
            self.tell_strike("killed", &name, format!("{RED}kill -9 {name}{RESET}{what}"), console)?;
        }
        Ok(())
    }

    fn tell_strike(
        &mut self,
        event: &str,
        member: &str,
        words: String,
        console: &mut Console<'_>,
    ) -> io::Result<()> {
        let at = clock::now().0;
        if console.json {
            return writeln!(console.out, "{}", json!({ "event": event, "at_us": at, "member": member }));
        }
        self.say(at, &words, console)
    }

    fn draw(&mut self) -> u64 {
        self.draws =
            self.draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.draws >> 33
    }

    /// Messages by kind, of all members in the newest epoch, and bytes since the start.
    fn messages(&self) -> (u64, Vec<(String, u64)>, u64) {
        let groups = || self.statuses.iter().flatten().map(|status| &status["groups"][0]);
        let epoch = groups().filter_map(|group| group["epoch"]["number"].as_u64()).max().unwrap_or(0);
        let of_epoch = || groups().filter(|group| group["epoch"]["number"] == epoch);
        let kinds = self.plan.entry.with_settings(&self.plan.cluster.groups[0].scenario.settings).kinds;
        let count = |kind: &&str| {
            of_epoch().filter_map(|group| group["messages"]["by_kind"][*kind].as_u64()).sum::<u64>()
        };
        let by_kind = kinds.iter().map(|kind| ((*kind).to_owned(), count(kind))).collect();
        let bytes = of_epoch().filter_map(|group| group["bytes_ever"].as_u64()).sum();
        (epoch, by_kind, bytes)
    }

    fn is_served(&self) -> bool {
        self.entries >= u64::from(self.args.entries) * self.plan.cluster.members.len() as u64
    }

    pub(super) fn summary(
        &mut self,
        again: &str,
        elapsed: Duration,
        console: &mut Console<'_>,
    ) -> io::Result<()> {
        let (epoch, by_kind, bytes) = self.messages();
        let total: u64 = by_kind.iter().map(|(_, count)| count).sum();
        let seen = self.statuses.iter().flatten().find(|status| status["groups"][0]["leads"] == true);
        let leader = seen.and_then(|status| status["place"].as_u64()).map(|place| place as usize);
        let members = &self.plan.cluster.members;
        let outcome = match (self.is_election(), leader.is_some(), self.is_served()) {
            (true, true, _) => "elected",
            (true, false, _) => "no-leader",
            (false, _, true) => "done",
            (false, _, false) => "limit",
        };
        let simulated = self.plan.simulated.as_ref().filter(|_| self.kills == 0);
        if console.json {
            let counts = |pairs: Vec<(String, u64)>| -> Map<String, Value> {
                pairs.into_iter().map(|(kind, count)| (kind, json!(count))).collect()
            };
            let simulated = simulated.map(|kinds| {
                let total: u64 = kinds.iter().map(|(_, count)| count).sum();
                let kinds = kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect();
                json!({ "total": total, "by_kind": counts(kinds) })
            });
            let leader = leader.map(
                |place| json!({ "member": members[place].name, "index": place, "id": members[place].id }),
            );
            let object = json!({
                "schema": "ringleader.up/1",
                "algorithm": self.plan.entry.spec.name,
                "members": members.len(),
                "ids": members.iter().map(|member| member.id).collect::<Vec<_>>(),
                "seed": self.plan.seed,
                "outcome": outcome,
                "leader": leader,
                "epoch": epoch,
                "messages": { "total": total, "by_kind": counts(by_kind) },
                "simulated": simulated,
                "bytes": bytes,
                "entries": self.entries,
                "elapsed_s": elapsed.as_secs_f64(),
                "leader_after_s": self.first_after,
                "kills": self.kills,
                "elections": self.elections,
                "recovery_s": self.recoveries,
                "fields": self.fields(),
                "again": again,
            });
            return writeln!(console.out, "{object}");
        }
        self.wipe(console)?;
        let kinds: Vec<String> = by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        match leader {
            Some(place) => {
                let member = &members[place];
                let after = self.first_after.map_or_else(String::new, |s| format!(", first after {s:.3} s"));
                writeln!(
                    console.out,
                    "  leader      {BOLD}{}{RESET} (place {place}, id {}), epoch {epoch}{after}",
                    member.name, member.id
                )?;
            }
            None if self.is_election() => writeln!(console.out, "  leader      {RED}nobody{RESET}")?,
            None => writeln!(console.out, "  entries     {}", self.entries)?,
        }
        writeln!(console.out, "  messages    {total} on the wire: {} ({bytes} bytes)", kinds.join(", "))?;
        if let Some(simulated) = simulated {
            let count: u64 = simulated.iter().map(|(_, count)| count).sum();
            let same = simulated.iter().map(|(_, count)| *count).eq(by_kind.iter().map(|(_, count)| *count));
            let verdict =
                if same { format!("{GREEN}✓ the same{RESET}") } else { format!("{RED}✗ differs{RESET}") };
            writeln!(console.out, "  simulated   {count} {verdict}")?;
        }
        if self.kills > 0 {
            let worst = self.recoveries.iter().copied().fold(0.0, f64::max) * 1000.0;
            let mean = self.recoveries.iter().sum::<f64>() / self.recoveries.len().max(1) as f64 * 1000.0;
            let after = if self.recoveries.is_empty() {
                String::new()
            } else {
                format!("; a new leader after {mean:.0} ms on average, {worst:.0} ms at most")
            };
            writeln!(console.out, "  kills       {}, elections {}{after}", self.kills, self.elections)?;
        }
        writeln!(console.out, "\n  again:  {again}")
    }

    /// The local variables of every process, by index: a replay ends with the same.
    fn fields(&self) -> Vec<Value> {
        self.statuses
            .iter()
            .map(|status| status.as_ref().map_or(Value::Null, |s| s["groups"][0]["fields"].clone()))
            .collect()
    }

    pub(super) fn exit_code(&self) -> u8 {
        let leads = self.statuses.iter().flatten().any(|status| status["groups"][0]["leads"] == true);
        u8::from(!if self.is_election() { leads } else { self.is_served() })
    }

    fn wipe(&mut self, console: &mut Console<'_>) -> io::Result<()> {
        if self.lines > 0 {
            write!(console.err, "\x1b[{}A\x1b[J", self.lines)?;
            self.lines = 0;
        }
        Ok(())
    }

    fn table(&mut self, local: &Local, console: &mut Console<'_>) -> io::Result<()> {
        self.wipe(console)?;
        let mut text =
            format!("{DIM}  member     pid  up   position   leads  epoch  messages  round trip{RESET}\n");
        for (place, status) in (0..).zip(&self.statuses) {
            let name = local.name(place);
            let pid = local.pid(place).map_or_else(String::new, |pid| pid.to_string());
            let Some(status) = status else {
                text.push_str(&format!("  {name:<6} {pid:>7}  {RED}no{RESET}\n"));
                continue;
            };
            let group = &status["groups"][0];
            let leads = group["leads"] == true;
            let mark = if leads { format!("{GREEN}★{RESET}") } else { " ".to_owned() };
            let trips = status["peers"].as_array().into_iter().flatten();
            let trip = trips.filter_map(|peer| peer["round_trip_us"].as_u64()).max();
            let trip = trip.map_or_else(String::new, |us| format!("{us} µs"));
            text.push_str(&format!(
                "  {name:<6} {pid:>7}  {GREEN}✓{RESET}    {:<10} {mark}      {:>5}  {:>8}  {trip:>10}\n",
                group["position"].as_str().unwrap_or("-"),
                group["epoch"]["number"].as_u64().unwrap_or(0),
                group["messages"]["total"].as_u64().unwrap_or(0),
            ));
        }
        self.lines = text.lines().count();
        write!(console.err, "{text}")?;
        console.err.flush()
    }
}
