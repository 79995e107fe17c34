//! A cluster of real members, one on each host: started, killed, paused and asked from outside, and judged in
//! the end.

use crate::ask;
use crate::lab::Lab;
use crate::now_us;
use crate::table::Tally;
use crate::watch::{Log, Record, Sighting};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The lease of the clusters here, as it is by default: for so long a member that is cut off may go on.
pub const LEASE: Duration = Duration::from_secs(1);

/// The groups in which somebody is to lead in the end: one whose algorithm knows nothing of crashes, so that
/// a lost member means a new epoch, and one whose algorithm repairs itself within its epoch.
pub const ELECTIONS: [(&str, &str); 2] = [("ring", "franklin"), ("everybody", "bully")];

/// The group whose members take turns in a critical section, all the time.
pub const SECTION: (&str, &str) = ("section", "token-ring");

/// For how long is waited for something that must happen. Far more than it takes: only whoever hangs runs
/// into it.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often members are asked.
const ASK_EVERY: Duration = Duration::from_millis(25);

/// A cluster. Its members are killed when it is dropped.
pub struct Cluster {
    names: Vec<String>,
    members: Vec<Option<Running>>,
    /// What was started so far: the name, and the file of its events.
    started: Vec<(String, PathBuf)>,
    views: Arc<Mutex<Views>>,
    stop: Arc<AtomicBool>,
    askers: Vec<JoinHandle<()>>,
    program: PathBuf,
    folder: TempDir,
    /// What was done to it.
    pub faults: Tally,
    lab: Lab,
}

/// A member that runs.
struct Running {
    child: Child,
}

/// What the members answered.
#[derive(Default)]
struct Views {
    /// For each member when it was asked last, and what it answered, if it did.
    latest: Vec<(u64, Option<Value>)>,
    sightings: Vec<Sighting>,
    answers: u64,
}

impl Cluster {
    /// A cluster of so many hosts, with certificates and a configuration; nobody is started yet.
    ///
    /// # Panics
    /// If something cannot be made, or `RINGLEADER_BIN` does not say where the program is.
    #[must_use]
    pub fn new(members: usize, seed: u64) -> Cluster {
        let program = std::env::var_os("RINGLEADER_BIN");
        let program =
            program.expect("RINGLEADER_BIN names the program to be tested; use `cargo xtask network`");
        let program = PathBuf::from(program);
        let lab = Lab::new(members, seed).unwrap_or_else(|error| panic!("no hosts can be made: {error}"));
        let folder = TempDir::with_prefix("ringleader-hosts-").expect("a folder of its own");
        let names: Vec<String> = ('a'..).take(members).map(String::from).collect();
        certify(&program, folder.path(), &names);
        let config = configuration(&lab, &names);
        std::fs::write(folder.path().join("cluster.toml"), config).expect("the configuration is written");
        let views = Views { latest: vec![(0, None); members], ..Views::default() };
        let mut cluster = Cluster {
            members: names.iter().map(|_| None).collect(),
            names,
            started: Vec::new(),
            views: Arc::new(Mutex::new(views)),
            stop: Arc::new(AtomicBool::new(false)),
            askers: Vec::new(),
            program,
            folder,
            faults: Tally::default(),
            lab,
        };
        cluster.askers = (0..members).map(|place| cluster.asker(place)).collect();
        cluster
    }

    /// A cluster whose members are all started, and have leaders.
    #[must_use]
    pub fn led(members: usize, seed: u64) -> Cluster {
        let mut cluster = Cluster::new(members, seed);
        (0..members).for_each(|place| cluster.start(place));
        cluster.await_leaders();
        cluster
    }

    /// The hosts and the switch between them.
    #[must_use]
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// The name of a member.
    #[must_use]
    pub fn name(&self, place: usize) -> &str {
        &self.names[place]
    }

    /// How many members it has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.names.len()
    }

    /// Whether a member was started and neither stopped nor killed since.
    #[must_use]
    pub fn is_up(&self, place: usize) -> bool {
        self.members[place].is_some()
    }

    /// Starts a member.
    pub fn start(&mut self, place: usize) {
        assert!(self.members[place].is_none(), "{} runs already", self.names[place]);
        let number = self.started.len();
        let events = self.folder.path().join(format!("{}.{number}.events", self.names[place]));
        let log = File::create(self.folder.path().join(format!("{}.{number}.log", self.names[place])));
        let child = self.lab.hosts()[place]
            .command(&self.program)
            .args(["node", "--config"])
            .arg(self.folder.path().join("cluster.toml"))
            .args(["--name", &self.names[place], "--events"])
            .arg(&events)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log.expect("a file for its log"))
            .spawn()
            .expect("the member starts");
        self.started.push((self.names[place].clone(), events));
        self.members[place] = Some(Running { child });
    }

    /// Kills a member, and makes sure that it is gone.
    pub fn kill(&mut self, place: usize) {
        let mut running = self.members[place].take().expect("it runs");
        let pid = running.child.id();
        let ended = running.child.try_wait().expect("it can be waited for");
        assert_eq!(ended, None, "{} had ended by itself\n{}", self.names[place], self.state());
        running.child.kill().expect("it is killed");
        running.child.wait().expect("it is gone");
        assert!(!Path::new(&format!("/proc/{pid}")).exists(), "{pid} is still there");
        self.faults.add("kills", 1);
    }

    /// Sends a signal to a member.
    pub fn signal(&self, place: usize, signal: Signal) {
        kill(self.pid(place), signal).expect("the member takes a signal");
    }

    fn pid(&self, place: usize) -> Pid {
        let id = self.members[place].as_ref().expect("it runs").child.id();
        Pid::from_raw(i32::try_from(id).expect("a number of a process"))
    }

    /// Asks a member to stop, and waits until it has.
    pub fn terminate(&mut self, place: usize) -> ExitStatus {
        self.signal(place, Signal::SIGTERM);
        let mut running = self.members[place].take().expect("it runs");
        let begin = Instant::now();
        loop {
            if let Some(status) = running.child.try_wait().expect("it can be waited for") {
                return status;
            }
            if begin.elapsed() > PATIENCE {
                let _ = running.child.kill();
                let _ = running.child.wait();
                panic!("{} does not stop when it is asked to", self.names[place]);
            }
            std::thread::sleep(ASK_EVERY);
        }
    }

    /// Waits until each election has exactly one leader among all members, by what they answer from now on;
    /// who leads the first.
    pub fn await_leaders(&self) -> usize {
        let everybody: Vec<usize> = (0..self.size()).collect();
        self.await_leaders_among(&everybody)
    }

    /// Waits until each election has exactly one leader, and that is among these; who leads the first.
    pub fn await_leaders_among(&self, places: &[usize]) -> usize {
        let since = now_us();
        self.wait(&format!("one leader among {places:?} in every election"), || {
            let leaders = ELECTIONS.map(|(group, _)| self.leaders(group, since));
            leaders.iter().all(|led| matches!(led[..], [one] if places.contains(&one))).then(|| leaders[0][0])
        })
    }

    /// Waits until something is there.
    ///
    /// # Panics
    /// If that takes longer than anybody has patience for.
    pub fn wait<T>(&self, what: &str, condition: impl Fn() -> Option<T>) -> T {
        let begin = Instant::now();
        loop {
            if let Some(found) = condition() {
                return found;
            }
            assert!(begin.elapsed() < PATIENCE, "in vain: {what}\n{}", self.state());
            let ended = (0..self.size()).find(|&place| self.has_ended(place));
            assert_eq!(ended, None, "a member has ended by itself\n{}", self.state());
            std::thread::sleep(ASK_EVERY);
        }
    }

    /// Whether a member has ended that nobody has stopped: nobody has asked for its exit code yet, so it is
    /// still listed.
    fn has_ended(&self, place: usize) -> bool {
        self.members[place].as_ref().is_some_and(|running| {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", running.child.id()));
            let stat = stat.unwrap_or_default();
            stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
        })
    }

    /// Who says that it leads a group, by the latest answers to questions that were asked after this moment.
    #[must_use]
    pub fn leaders(&self, group: &str, since: u64) -> Vec<usize> {
        let views = self.views();
        let says = |(asked, answer): &(u64, Option<Value>)| {
            *asked > since && answer.as_ref().is_some_and(|answer| leads(answer).any(|led| led == group))
        };
        (0..self.size()).filter(|&place| says(&views.latest[place])).collect()
    }

    /// Lets the cluster run for this long, whatever happens.
    pub fn pass(&self, time: Duration) {
        std::thread::sleep(time);
    }

    /// Stops everybody, and holds what was written and answered against the promise: never two at one time.
    /// Returns what was written; and the table of faults and elections.
    ///
    /// # Panics
    /// If the promise was broken.
    pub fn judge(mut self, title: &str) -> (Record, String) {
        // Whoever was started a moment ago may not be listening to signals yet.
        let since = now_us();
        self.wait("an answer of everybody who is up", || {
            let views = self.views();
            let answers = |place: usize| {
                let (asked, answer) = &views.latest[place];
                *asked > since && answer.is_some()
            };
            (0..self.size()).filter(|&place| self.is_up(place)).all(answers).then_some(())
        });
        for place in 0..self.size() {
            if self.is_up(place) {
                let status = self.terminate(place);
                assert_eq!(status.code(), Some(0), "{} was asked to stop: {status}", self.names[place]);
            }
        }
        self.stop_asking();
        // Whoever was killed at once may not have written anything: then it has not led either.
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let logs = self.started.iter().enumerate();
        let logs =
            logs.map(|(start, (member, path))| Log { member: member.clone(), start, text: read(path) });
        let logs: Vec<Log> = logs.collect();
        let record = Record::read(&logs).unwrap_or_else(|error| panic!("{title}: {error}"));
        if let Some((one, other)) = record.two_at_once() {
            panic!("{title}: two at one time\n  {one:?}\n  {other:?}");
        }
        let views = self.views();
        if let Some(sighting) = record.unexplained(&views.sightings) {
            panic!("{title}: it said that it leads, and had not written so: {sighting:?}");
        }
        assert!(!views.sightings.is_empty(), "{title}: nobody was ever seen leading");
        let mut tally = self.faults.clone();
        let elections = ELECTIONS.map(|(group, _)| group);
        tally.extend(&record.tally(&elections));
        let total = self.lab.switch().total();
        tally.add("frames forwarded", total.forwarded);
        tally.add("frames cut", total.cut);
        tally.add("frames lost", total.lost);
        tally.add("frames delayed", total.delayed);
        tally.add("frames reordered", total.reordered);
        tally.add("frames doubled", total.duplicated);
        tally.add("answers to status", views.answers);
        tally.add("of these: leads", views.sightings.len() as u64);
        drop(views);
        (record, tally.table(title))
    }

    /// How everybody is, for whoever has to find out why something did not happen.
    #[must_use]
    pub fn state(&self) -> String {
        let mut text = String::new();
        for (name, (asked, answer)) in self.names.iter().zip(&self.views().latest) {
            let ago = now_us().saturating_sub(*asked) / 1000;
            let answer = answer.as_ref().map_or("no answer".into(), Value::to_string);
            let _ = writeln!(text, "{name}, {ago} ms ago: {answer}");
        }
        for (number, (name, _)) in self.started.iter().enumerate() {
            let log = std::fs::read_to_string(self.folder.path().join(format!("{name}.{number}.log")));
            let log = log.unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let last = &lines[lines.len().saturating_sub(8)..];
            let _ = writeln!(text, "the log of {name}, start {number}, ends:\n{}", last.join("\n"));
        }
        text
    }

    fn views(&self) -> MutexGuard<'_, Views> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a member over and over, on a thread of its host.
    fn asker(&self, place: usize) -> JoinHandle<()> {
        let (views, stop) = (Arc::clone(&self.views), Arc::clone(&self.stop));
        let member = self.names[place].clone();
        let work = move || {
            while !stop.load(Ordering::Relaxed) {
                let asked = now_us();
                let answer = ask::status(status_port(place)).ok();
                let mut views = views.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(answer) = &answer {
                    views.answers += 1;
                    let at = answer["at_us"].as_u64().unwrap_or_default();
                    let seen = leads(answer).map(|group| (member.clone(), group.to_owned()));
                    views.sightings.extend(seen.map(|(member, group)| Sighting { member, group, at }));
                }
                views.latest[place] = (asked, answer);
                drop(views);
                std::thread::sleep(ASK_EVERY);
            }
        };
        self.lab.hosts()[place].thread(work).unwrap_or_else(|error| panic!("{error}"))
    }

    fn stop_asking(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for asker in self.askers.drain(..) {
            if asker.join().is_err() && !std::thread::panicking() {
                panic!("one who asked for the status has panicked");
            }
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for running in self.members.iter_mut().flatten() {
            // Whether it had ended by itself does not matter any more.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
        self.stop_asking();
    }
}

/// The groups that a member says it leads.
fn leads(answer: &Value) -> impl Iterator<Item = &str> {
    let groups = answer["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    groups.iter().filter(|group| group["leads"] == true).filter_map(|group| group["name"].as_str())
}

/// The port of a member's status on the loopback of its host. No two are the same: one file describes all.
fn status_port(place: usize) -> u16 {
    7500 + u16::try_from(place).unwrap_or_default()
}

/// An authority, and a certificate for each member.
fn certify(program: &Path, folder: &Path, names: &[String]) {
    let run = |arguments: &[&str]| {
        let output = Command::new(program).arg("cert").args(arguments).arg("--dir").arg(folder).output();
        let output = output.expect("the program starts");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["init", "--cluster", "hosts"]);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run(&[&["issue"][..], &names, &["--cluster", "hosts"]].concat());
}

/// The configuration: every time is what it is by default.
fn configuration(lab: &Lab, names: &[String]) -> String {
    let mut text = String::from(
        "schema = \"ringleader.cluster/1\"\ncluster = \"hosts\"\n\n\
         [tls]\nauthority = \"ca.pem\"\ncertificate = \"{name}.pem\"\nkey = \"{name}.key\"\n",
    );
    for (place, (name, host)) in names.iter().zip(lab.hosts()).enumerate() {
        let (address, port) = (host.address, status_port(place));
        let _ = write!(text, "\n[[member]]\nname = \"{name}\"\naddress = \"{address}:7421\"\n");
        let _ = writeln!(text, "status = \"127.0.0.1:{port}\"");
    }
    for (group, algorithm) in ELECTIONS {
        let _ = write!(text, "\n[[group]]\nname = \"{group}\"\nalgorithm = \"{algorithm}\"\n");
    }
    let (group, algorithm) = SECTION;
    let _ = write!(text, "\n[[group]]\nname = \"{group}\"\nalgorithm = \"{algorithm}\"\n");
    let _ = write!(text, "entries = 1000000\nhold = \"20ms\"\nthink = \"100ms\"\n");
    text
}
