//! One member as it runs: a loop in one thread that hands what happens to the pure [`Member`] and carries out what
//! comes back. Nothing else touches the member; whoever wants something of it asks through a [`Handle`].

use crate::config::Config;
use crate::journal::{Journal, Level, Line};
use crate::limits::Sieve;
use crate::mesh::{self, Bounds, Ended, Surroundings, Trust};
use crate::metrics::{Metrics, reason};
use crate::record::Recorder;
use crate::reload::{self, Files, Source};
use crate::tls::Stranger;
use crate::transport::{Call, Connection, Crowded, Inbound, Members};
use crate::{Problem, clock, http, signals};
use ringleader_live::{Cluster, Input, Member, Micros, Notice, Output, Place, Refused, Status};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// How long handing over may take.
const HAND_OVER: Duration = Duration::from_secs(2);

/// How long the last frames may take.
const LAST_FRAMES: Duration = Duration::from_millis(500);

/// How a member is to run.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Record what its processes do in files of this name.
    pub record: Option<PathBuf>,
    /// Append what it has to tell to this file, one JSON object per line.
    pub events: Option<PathBuf>,
    /// What peers and strangers may cost.
    pub bounds: Bounds,
    /// What its processes draw from; from the operating system if none.
    pub seed: Option<u64>,
    /// Whether TERM and INT are for it.
    pub signals: bool,
    /// Whether it leaves when its standard input ends.
    pub stdin: bool,
    /// From where its certificates are read again when HUP comes; with `signals`.
    pub source: Option<Source>,
}

/// The loop does not answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Silent;

enum Request {
    Status(oneshot::Sender<Status>),
    Want(u16),
    Exit(u16),
    Leave,
    Stop,
    Reload,
}

/// A way to ask something of a member that runs.
#[derive(Clone)]
pub struct Handle(mpsc::Sender<Request>);

impl Handle {
    /// It hands over and stops.
    pub fn leave(&self) {
        let _ = self.0.try_send(Request::Leave);
    }

    /// It stops at once, as if it were killed.
    pub fn stop(&self) {
        let _ = self.0.try_send(Request::Stop);
    }

    /// It reads its certificates again.
    pub fn reload(&self) {
        let _ = self.0.try_send(Request::Reload);
    }

    /// The user of this group wants in.
    pub fn want(&self, group: u16) {
        let _ = self.0.try_send(Request::Want(group));
    }

    /// The user of this group leaves.
    pub fn exit(&self, group: u16) {
        let _ = self.0.try_send(Request::Exit(group));
    }

    /// How it is. For threads that may wait.
    ///
    /// # Errors
    /// If it has stopped.
    pub fn status(&self) -> Result<Status, Silent> {
        let (answer, answered) = oneshot::channel();
        self.0.blocking_send(Request::Status(answer)).map_err(|_| Silent)?;
        answered.blocking_recv().map_err(|_| Silent)
    }

    /// Waits until it has stopped.
    pub(crate) async fn stopped(&self) {
        self.0.closed().await;
    }

    pub(crate) async fn status_within(&self, patience: Duration) -> Result<Status, Silent> {
        let (answer, answered) = oneshot::channel();
        let asked = async {
            self.0.send(Request::Status(answer)).await.map_err(|_| Silent)?;
            answered.await.map_err(|_| Silent)
        };
        tokio::time::timeout(patience, asked).await.unwrap_or(Err(Silent))
    }
}

/// A member whose addresses are claimed, and which does not run yet.
pub struct Node {
    cluster: Arc<Cluster>,
    place: Place,
    member: Member,
    incarnation: u64,
    listener: TcpListener,
    status: Option<TcpListener>,
    surroundings: Surroundings,
    options: Options,
    handle: Handle,
    requests: mpsc::Receiver<Request>,
}

impl Node {
    /// Claims the addresses of this member, and reads its certificate.
    ///
    /// # Errors
    /// If an address cannot be had, a certificate cannot be read, or an algorithm refuses the cluster.
    pub fn bind(config: &Config, place: Place, options: Options) -> Result<Node, Problem> {
        let Some(address) = config.addresses.get(usize::from(place)) else {
            return Err(Problem::input("unknown_member", format!("there is no member at place {place}")));
        };
        let (trust, _) = Trust::read(&config.security, &config.cluster.name)?;
        let listener = claim(&address.listen, "members")?;
        let status = address.status.as_deref().map(|at| claim(at, "its status")).transpose()?;
        let (sender, requests) = mpsc::channel(64);
        let seed = options.seed.unwrap_or_else(|| getrandom::u64().unwrap_or_else(|_| clock::wall()));
        let incarnation = clock::wall();
        let member = Member::new(config.cluster.clone(), place, incarnation, seed, clock::now())
            .map_err(|refusal| Problem::input("refused", format!("this cluster cannot be: {refusal:?}")))?;
        // A silent connection is given up in the rhythm of the heartbeats, however slow they are.
        let beats = Duration::from_micros(config.cluster.timing.patience.heartbeat.0) * 10;
        let bounds = Bounds { silence: options.bounds.silence.max(beats), ..options.bounds };
        let surroundings = Surroundings {
            cluster: config.cluster.name.clone(),
            own: place,
            names: config.cluster.members.iter().map(|member| member.name.clone()).collect(),
            addresses: config.addresses.iter().map(|address| address.peer.clone()).collect(),
            trust,
            bounds,
        };
        Ok(Node {
            cluster: Arc::new(config.cluster.clone()),
            place,
            member,
            incarnation,
            listener,
            status,
            surroundings,
            options,
            handle: Handle(sender),
            requests,
        })
    }

    /// A way to ask something of it.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Its incarnation.
    #[must_use]
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Runs it until it has left. `ready` is called when it is there for others.
    ///
    /// # Errors
    /// If the machine refuses a thread, a file or a socket.
    pub fn run(self, ready: impl FnOnce()) -> Result<(), Problem> {
        let failed =
            |error: io::Error| Problem::environment("no_member", format!("this member cannot run: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let done = runtime.block_on(self.serve(ready));
        // Threads of the runtime that still resolve a name are not waited for.
        runtime.shutdown_background();
        done.map_err(failed)
    }

    async fn serve(self, ready: impl FnOnce()) -> io::Result<()> {
        let Node { cluster, place, member, incarnation, options, handle, mut requests, .. } = self;
        let metrics = Arc::new(Metrics::new(&cluster, place));
        let journal = Journal::of(&cluster, place, incarnation, options.events.as_deref())?;
        let recorder = options.record.as_deref().map(|base| Recorder::new(base, &cluster));
        if let Some(listener) = self.status {
            http::serve(listener, handle.clone(), Arc::clone(&cluster), Arc::clone(&metrics))?;
        }
        if options.signals {
            let (leaves, stops, reloads) = (handle.clone(), handle.clone(), handle.clone());
            signals::listen(move || leaves.leave(), move || stops.stop())?;
            signals::on_hangup(move || reloads.reload())?;
        }
        if options.stdin {
            signals::watch_stdin(handle)?;
        }
        let (calls, mut called) = mpsc::channel(256);
        let served = Arc::new(AtomicUsize::new(0));
        let files = Files {
            source: options.source,
            trust: self.surroundings.trust.clone(),
            cluster: self.surroundings.cluster.clone(),
            name: self.surroundings.name(place).to_owned(),
        };
        let members = Members { around: self.surroundings, calls, served: Arc::clone(&served) };
        let members = Arc::new(members);
        self.listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let listening = tokio::spawn(mesh::listen(listener, Arc::clone(&members)));
        let dialling: Vec<_> =
            (0..place).map(|to| tokio::spawn(mesh::dial(to, Arc::clone(&members)))).collect();
        let mut running = Running {
            member,
            connections: cluster.members.iter().map(|_| None).collect(),
            turn: 0,
            journal,
            metrics,
            recorder,
            unreachable: vec![String::new(); cluster.members.len()],
            inputs: VecDeque::new(),
            outputs: Vec::new(),
            left: false,
            files,
            sieve: Arc::default(),
        };
        running.tell("started", Level::Info, |_| {});
        signals::tell_manager("READY=1");
        ready();
        running.turn(&mut requests, &mut called).await;
        signals::tell_manager("STOPPING=1");
        listening.abort();
        running.close();
        drop(called);
        // What was said last is to arrive: that this member leaves, and what it gives back.
        let until = Instant::now() + LAST_FRAMES;
        while served.load(Ordering::Relaxed) > 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        for task in dialling {
            task.abort();
        }
        running.tell("stopped", Level::Info, |_| {});
        Ok(())
    }
}

/// Connections that wait to be accepted. With 128 of them, as the standard library asks for, a burst of strangers makes
/// others wait for a second, until they try again.
#[cfg(unix)]
const BACKLOG: i32 = 4096;

fn listening(address: &str) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    #[cfg(unix)]
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// Listens on this address.
///
/// # Errors
/// If it cannot be had, with the reason.
pub fn claim(address: &str, what: &str) -> Result<TcpListener, Problem> {
    listening(address).map_err(|error| {
        let why = ringleader_lab::reason::cannot_listen(&error);
        let in_use = error.kind() == io::ErrorKind::AddrInUse;
        let code = if in_use { "port_in_use" } else { "cannot_listen" };
        Problem::environment(code, format!("cannot listen on {address} for {what}: {why}"))
            .help("what is there, and what else is wrong, is said by:")
            .command("ringleader doctor --config cluster.toml --name NAME", "")
    })
}

/// The loop.
struct Running {
    member: Member,
    connections: Vec<Option<Connection>>,
    /// Whose turn it is to be listened to.
    turn: usize,
    journal: Journal,
    metrics: Arc<Metrics>,
    recorder: Option<Recorder>,
    /// Why each member was not reached the last time: said once.
    unreachable: Vec<String>,
    inputs: VecDeque<Input>,
    outputs: Vec<Output>,
    left: bool,
    files: Files,
    /// Which refusals of strangers are written down.
    sieve: Arc<Sieve>,
}

impl Running {
    async fn turn(&mut self, requests: &mut mpsc::Receiver<Request>, called: &mut mpsc::Receiver<Call>) {
        let sleep = tokio::time::sleep(Duration::ZERO);
        let mut sleep = std::pin::pin!(sleep);
        let mut leaves_at: Option<Instant> = None;
        let sieve = Arc::clone(&self.sieve);
        loop {
            // However much comes in, what is due is done in time.
            let now = clock::now();
            let wakes = self.member.wakes_at();
            if wakes <= now {
                self.happens(Input::Wake);
            }
            let pause = Duration::from_micros((self.member.wakes_at() - now).0);
            let deadline = leaves_at.map_or(Instant::now() + pause, |at| at.min(Instant::now() + pause));
            if self.left || leaves_at.is_some_and(|at| at <= Instant::now()) {
                return;
            }
            sleep.as_mut().reset(deadline);
            tokio::select! {
                biased;
                request = requests.recv() => match request {
                    None | Some(Request::Stop) => return,
                    Some(Request::Leave) => {
                        if leaves_at.is_none() {
                            leaves_at = Some(Instant::now() + HAND_OVER);
                            self.tell("leaving", Level::Info, |_| {});
                            self.happens(Input::Leave);
                        }
                    }
                    Some(Request::Reload) => self.reloads(),
                    Some(Request::Want(group)) => self.happens(Input::Want(group)),
                    Some(Request::Exit(group)) => self.happens(Input::Exit(group)),
                    Some(Request::Status(answer)) => {
                        let _ = answer.send(self.member.status(clock::now()));
                    }
                },
                Some(call) = called.recv() => self.call(call),
                (reason, count) = sieve.held_back() => self.tell("peer_rejected", Level::Warn, |line| {
                    line.reason = Some(reason);
                    line.held_back = Some(count);
                }),
                (place, inbound) = poll_fn(|context| self_poll(&mut self.connections, &mut self.turn, context)) => {
                    self.inbound(place, inbound);
                }
                () = &mut sleep => {}
            }
        }
    }

    /// Its certificates are read again.
    fn reloads(&self) {
        signals::tell_manager(&signals::reloading());
        let read = self.files.read_again();
        self.metrics.read_again(read.is_ok());
        match read {
            Ok(()) => self.tell("reloaded", Level::Info, |_| {}),
            Err(problem) => {
                let why = reload::said(&problem);
                self.tell("reload_failed", Level::Error, |line| {
                    line.reason = Some(problem.code);
                    line.why = Some(&why);
                });
            }
        }
        signals::tell_manager("READY=1");
    }

    /// Something happens to the member; what comes of it is done.
    fn happens(&mut self, input: Input) {
        self.inputs.push_back(input);
        while let Some(input) = self.inputs.pop_front() {
            let now = clock::now();
            let mut outputs = std::mem::take(&mut self.outputs);
            self.member.handle(now, input, &mut outputs);
            for output in outputs.drain(..) {
                self.carry_out(now, output);
            }
            self.outputs = outputs;
        }
    }

    fn carry_out(&mut self, now: Micros, output: Output) {
        match output {
            Output::Send(place, frame) => {
                let Some(connection) = &self.connections[usize::from(place)] else { return };
                match connection.send(&frame) {
                    Ok(bytes) => self.metrics.frame_out(place, bytes),
                    Err(Crowded) => {
                        self.refuse(place, Refused::Slow, "it does not read what is sent to it");
                    }
                }
            }
            Output::Close(place, refused) => {
                self.refuse(place, refused, "as the member says");
            }
            Output::Left => self.left = true,
            Output::Renumbered(incarnation) => {
                self.journal.renumbered(incarnation);
                self.tell("incarnation_changed", Level::Warn, |_| {});
                for (place, slot) in (0..).zip(&mut self.connections) {
                    if let Some(connection) = slot.take() {
                        connection.cut();
                        self.inputs.push_back(Input::Disconnected(place));
                    }
                }
            }
            Output::Notice(notice) => self.notice(now, &notice),
        }
    }

    fn notice(&mut self, now: Micros, notice: &Notice) {
        if let Some(line) = self.journal.notice(now, notice) {
            self.journal.write(&line);
        }
        match notice {
            Notice::Step(group, _, event) => {
                for sent in &event.sends {
                    self.metrics.sent(*group, &sent.kind);
                }
            }
            Notice::Suspects(place) => self.metrics.suspected(*place),
            Notice::Dropped(place, why) => self.metrics.dropped(*place, why),
            Notice::OldEpoch(_, group, _) => self.metrics.old_epoch(*group),
            Notice::RefusedBy(..)
            | Notice::Met(..)
            | Notice::Hears(_)
            | Notice::ClockWrong(..)
            | Notice::LinkFull(_)
            | Notice::Nonsense(..)
            | Notice::Opens(..)
            | Notice::Joins(..)
            | Notice::Leads(..)
            | Notice::Extends(..)
            | Notice::Stops(..)
            | Notice::Grants(..)
            | Notice::Leader(..) => {}
        }
        if let Some(recorder) = &mut self.recorder
            && let Err(error) = recorder.notice(notice)
        {
            self.recorder = None;
            let why = format!("nothing more is recorded: {error}");
            self.tell("record_failed", Level::Error, |line| line.why = Some(&why));
        }
    }

    /// The mesh has something to tell.
    fn call(&mut self, call: Call) {
        match call {
            Call::Connected(place, connection, address) => {
                let slot = &mut self.connections[usize::from(place)];
                if let Some(old) = slot.replace(connection) {
                    old.refuse(Refused::Replaced);
                    self.metrics.refused(reason(&Refused::Replaced));
                }
                self.metrics.connected(place);
                self.unreachable[usize::from(place)].clear();
                self.about("peer_connected", Level::Info, place, |line| {
                    line.address = Some(address.to_string())
                });
                self.happens(Input::Connected(place));
            }
            Call::Stranger(from, Stranger { code: reason, message: why }) => {
                self.metrics.refused(reason);
                if !self.sieve.passes(reason) {
                    return;
                }
                self.tell("peer_rejected", Level::Warn, |line| {
                    line.address = Some(from.to_string());
                    line.reason = Some(reason);
                    line.why = Some(&why);
                });
            }
            Call::Unreachable(place, Stranger { code: reason, message: why }) => {
                let known = std::mem::replace(&mut self.unreachable[usize::from(place)], why.clone());
                let level = if known == why { Level::Debug } else { Level::Warn };
                if reason != "unreachable" {
                    self.metrics.refused(reason);
                }
                self.about("peer_unreachable", level, place, |line| {
                    line.reason = Some(reason);
                    line.why = Some(&why);
                });
            }
        }
    }

    fn inbound(&mut self, place: Place, inbound: Inbound) {
        match inbound {
            Inbound::Frame(frame, bytes) => {
                self.metrics.frame_in(place, bytes);
                self.happens(Input::Frame(place, frame));
            }
            Inbound::Ended(Ended::Malformed(why)) => {
                self.refuse(place, Refused::Malformed, &why);
                self.happens(Input::Wake);
            }
            Inbound::Ended(Ended::Flood(why)) => {
                self.refuse(place, Refused::Flood, &why);
                self.happens(Input::Wake);
            }
            Inbound::Ended(ended) => {
                let why = ended.to_string();
                self.connections[usize::from(place)] = None;
                self.about("peer_disconnected", Level::Info, place, |line| line.why = Some(&why));
                self.happens(Input::Disconnected(place));
            }
        }
    }

    /// Closes a connection from this side, and says why to everybody. The member hears of it with what happens next.
    fn refuse(&mut self, place: Place, refused: Refused, why: &str) {
        let Some(connection) = self.connections[usize::from(place)].take() else { return };
        let word = reason(&refused);
        self.metrics.refused(word);
        self.about("peer_rejected", Level::Warn, place, |line| {
            line.reason = Some(word);
            line.why = Some(why);
        });
        connection.refuse(refused);
        self.inputs.push_back(Input::Disconnected(place));
    }

    /// The end: everybody is told, and what was recorded is whole.
    fn close(&mut self) {
        for slot in &mut self.connections {
            if let Some(connection) = slot.take() {
                if self.left {
                    connection.refuse(Refused::Leaving);
                } else {
                    connection.cut();
                }
            }
        }
        if let Some(mut recorder) = self.recorder.take()
            && let Err(error) = recorder.end()
        {
            let why = error.to_string();
            self.tell("record_failed", Level::Error, |line| line.why = Some(&why));
        }
    }

    fn tell<'a>(&'a self, event: &'static str, level: Level, more: impl FnOnce(&mut Line<'a>)) {
        let mut line = self.journal.line(event, clock::now(), level);
        more(&mut line);
        self.journal.write(&line);
    }

    fn about<'a>(
        &'a self,
        event: &'static str,
        level: Level,
        place: Place,
        more: impl FnOnce(&mut Line<'a>),
    ) {
        self.tell(event, level, |line| {
            line.peer = Some(self.journal.name(place));
            more(line);
        });
    }
}

/// The next thing from any connection, each in its turn: one that sends without end does not silence the others.
fn self_poll(
    connections: &mut [Option<Connection>],
    turn: &mut usize,
    context: &mut Context<'_>,
) -> Poll<(Place, Inbound)> {
    let all = connections.len();
    for step in 0..all {
        let place = (*turn + step) % all;
        let Some(connection) = &mut connections[place] else { continue };
        if let Poll::Ready(inbound) = connection.poll(context) {
            *turn = place + 1;
            return Poll::Ready((place as Place, inbound));
        }
    }
    Poll::Pending
}
