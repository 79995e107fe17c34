//! What is seen of the cluster, in words.

use crate::args::UpArgs;
use crate::console::{BOLD, CYAN, Console, DIM, GREEN, RED, RESET, YELLOW};
use ringleader_live::Cluster;
use ringleader_net::up::{Clocks, Found, Local, NodeClock, Seen, Summary, Watch};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// How often the table is drawn.
const TABLE: Duration = Duration::from_millis(250);

/// Tells what is seen, with a table below it that is drawn again and again.
#[derive(Default)]
pub(super) struct Teller {
    drawn: Option<Instant>,
    lines: usize,
}

/// What begins.
pub(super) fn begin(
    cluster: &Cluster,
    (algorithm, seed): (&str, u64),
    args: &UpArgs,
    folder: &Path,
    console: &mut Console<'_>,
) -> io::Result<()> {
    if console.json || console.quiet {
        return Ok(());
    }
    let wire = if args.plain { "plain text" } else { "TLS 1.3, both sides with certificates" };
    let ids: Vec<String> = cluster.members.iter().map(|m| format!("{}={}", m.name, m.id)).collect();
    let members = ids.len();
    writeln!(
        console.err,
        "{BOLD}{algorithm}{RESET} · {members} processes on this machine · {wire} · seed {seed}"
    )?;
    writeln!(console.err, "  identities  {}", ids.join(" "))?;
    if args.keep.is_some() {
        writeln!(console.err, "  files       {}", folder.display())?;
    }
    console.err.flush()
}

/// A line in words; none for what is of no interest to people.
fn words(seen: &Seen) -> Option<String> {
    let text = |key: &str| seen.line[key].as_str().unwrap_or("");
    let (member, peer, epoch) = (text("member"), text("peer"), seen.line["epoch"].as_u64().unwrap_or(0));
    Some(match text("event") {
        "leader_elected" => {
            let since = seen.after_kill.map(|after| format!(", {:.0} ms after the kill", after * 1000.0));
            format!("{GREEN}{member} leads{RESET} (epoch {epoch}{})", since.unwrap_or_default())
        }
        "section_entered" => format!("{member} is inside"),
        "leadership_lost" => format!("{member} leads no more ({})", text("ending")),
        "section_left" => format!("{member} is outside ({})", text("ending")),
        "epoch_opened" => format!("{member} opens epoch {epoch}"),
        "peer_suspected" => format!("{YELLOW}{member} suspects {peer}{RESET}"),
        "peer_heard" => format!("{DIM}{member} hears {peer}{RESET}"),
        "peer_rejected" => format!("{YELLOW}{member} refuses {peer}: {}{RESET}", text("why")),
        "clock_drift_exceeded" => format!("{RED}{member}: the clock of {peer} is wrong{RESET}"),
        "restarted" => format!("{CYAN}{member} is started again{RESET}"),
        "killed" => {
            let what = if seen.line["leads"] == true { ", who leads" } else { "" };
            format!("{RED}kill -9 {member}{RESET}{what}")
        }
        _ => return None,
    })
}

impl Teller {
    pub(super) fn tell(&mut self, seen: &Seen, watch: &Watch, console: &mut Console<'_>) -> io::Result<()> {
        if console.quiet || console.json {
            return Ok(());
        }
        let Some(words) = words(seen) else { return Ok(()) };
        self.wipe(console)?;
        let seconds = watch.seconds(seen.line["at_us"].as_u64().unwrap_or(0));
        writeln!(console.err, "  {DIM}{seconds:8.3} s{RESET}  {words}")?;
        console.err.flush()
    }

    fn wipe(&mut self, console: &mut Console<'_>) -> io::Result<()> {
        if self.lines > 0 {
            write!(console.err, "\x1b[{}A\x1b[J", self.lines)?;
            self.lines = 0;
        }
        Ok(())
    }

    /// Draws how everybody is, if it is time.
    pub(super) fn table(
        &mut self,
        watch: &mut Watch,
        local: &Local,
        console: &mut Console<'_>,
    ) -> io::Result<()> {
        let wanted = console.bars && !console.json && !console.quiet;
        if !wanted || self.drawn.is_some_and(|drawn| drawn.elapsed() < TABLE) {
            return Ok(());
        }
        self.drawn = Some(Instant::now());
        watch.take_stock(local);
        self.wipe(console)?;
        let mut text =
            format!("{DIM}  member     pid  up   position   leads  epoch  messages  round trip{RESET}\n");
        for (place, status) in (0..).zip(watch.statuses()) {
            let name = local.name(place);
            let pid = local.pid(place).map_or_else(String::new, |pid| pid.to_string());
            let Some(status) = status else {
                text.push_str(&format!("  {name:<6} {pid:>7}  {RED}no{RESET}\n"));
                continue;
            };
            let group = &status["groups"][0];
            let mark = if group["leads"] == true { format!("{GREEN}★{RESET}") } else { " ".to_owned() };
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

    /// What it came to.
    pub(super) fn summary(&mut self, summary: &Summary, console: &mut Console<'_>) -> io::Result<()> {
        if console.json {
            return writeln!(console.out, "{}", serde_json::to_string(summary)?);
        }
        self.wipe(console)?;
        if console.quiet {
            return Ok(());
        }
        let Summary { epoch, messages, bytes, .. } = summary;
        match &summary.leader {
            Some(leader) => {
                let after = summary.leader_after_s;
                let after = after.map_or_else(String::new, |s| format!(", first after {s:.3} s"));
                writeln!(
                    console.out,
                    "  leader      {BOLD}{}{RESET} (place {}, id {}), epoch {epoch}{after}",
                    leader.member, leader.index, leader.id
                )?;
            }
            None if summary.outcome == "no-leader" => {
                writeln!(console.out, "  leader      {RED}nobody{RESET}")?;
            }
            None if summary.clocks.is_none() => writeln!(console.out, "  entries     {}", summary.entries)?,
            None => {}
        }
        if let Some(found) = &summary.clocks {
            clocks(found, console)?;
        }
        let kinds: Vec<String> =
            messages.by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let total = messages.total;
        writeln!(console.out, "  messages    {total} on the wire: {} ({bytes} bytes)", kinds.join(", "))?;
        if let Some(simulated) = &summary.simulated {
            let verdict = if simulated == messages {
                format!("{GREEN}✓ the same{RESET}")
            } else {
                format!("{RED}✗ differs{RESET}")
            };
            writeln!(console.out, "  simulated   {} {verdict}", simulated.total)?;
        }
        if summary.kills > 0 {
            let recoveries = &summary.recovery_s;
            let worst = recoveries.iter().copied().fold(0.0, f64::max) * 1000.0;
            let mean = recoveries.iter().sum::<f64>() / recoveries.len().max(1) as f64 * 1000.0;
            let after = if recoveries.is_empty() {
                String::new()
            } else {
                format!("; a new leader after {mean:.0} ms on average, {worst:.0} ms at most")
            };
            writeln!(console.out, "  kills       {}, elections {}{after}", summary.kills, summary.elections)?;
        }
        writeln!(console.out, "\n  again:  {}", summary.again)
    }
}

/// How far clocks are off, and how far they may be.
fn clocks(clocks: &Clocks, console: &mut Console<'_>) -> io::Result<()> {
    let Clocks { tick_us, reference, skew, nodes, .. } = clocks;
    writeln!(console.out, "  clocks      in ticks of {tick_us} µs; off {reference}")?;
    for node in nodes {
        let NodeClock { member, offset, drift, correction, position, .. } = node;
        let mark = if node.holds { format!("{GREEN}✓{RESET}") } else { format!("{RED}✗{RESET}") };
        let drift = if *drift == 0 { String::new() } else { format!(", {drift:+} ppm") };
        let off = match (node.off, node.bound) {
            (None, _) => "is the reference".to_owned(),
            (Some(off), Some(bound)) => format!("off by {off:+.3}, at most {bound:.3}"),
            (Some(off), None) => format!("off by {off:+.3}: {position}"),
        };
        writeln!(
            console.out,
            "    {mark} {member:<4} {offset:+}{drift}, corrected by {correction:+.3}: {off}"
        )?;
        for found in &node.estimates {
            let trip = found.round_trip.map_or_else(String::new, |trip| format!(", round trip {trip:.3}"));
            let Found { of, ahead, bound, .. } = found;
            writeln!(
                console.out,
                "           {DIM}found {of} {ahead:+.3} ahead, within {bound:.3}{trip}{RESET}"
            )?;
        }
    }
    writeln!(console.out, "  skew        {:.3} at the beginning, {:.3} now", skew.first, skew.last)
}
