//! The pure server and everything that it needs: a lock around it, a clock, the way to other servers, the store of the
//! view, and whoever waits for an answer.
//!
//! What is to be done is done where it was decided, under the same lock: a question that can be answered at once is
//! answered without waking anybody.

mod replica;
mod rights;
mod strain;
mod waiting;

pub use replica::{Alone, Replica};
pub use waiting::{Context, Outbox, Reply, Unanswered};

use crate::access::Access;
use crate::journal;
use crate::mesh::{Inbound, Mesh};
use crate::metrics::Metrics;
use crate::owner;
use crate::store::{Later, StoreError, ViewStore};
use bytes::Bytes;
use ringleader_client::api::{Outcome, Refusal};
use ringleader_live::Micros;
use ringleader_locks::{
    Answer, Ask, Asker, Class, Command, Denial, Event, Input, LockStatus, Message, Name, Output, Server,
    ServerId, ServerSpec, ServerStatus, SessionId, Tally, Times, View,
};
use ringleader_net::clock;
use ringleader_net::journal::{Journal, Level};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use strain::Strain;
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot, watch};
use waiting::Waiting;

/// So long the store may take for a read; a server that gets no answer tries again.
const READ: Duration = Duration::from_secs(2);

/// What a client is told of whom nothing new is taken on.
const BEHIND: &str = "this server is behind with its work: what it has granted goes first";

/// Hears of everything that happens.
type Observer = Box<dyn Fn(&Event) + Send + Sync>;

/// What does not change while a server runs.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The name of the cluster.
    pub cluster: String,
    /// The place of this server.
    pub own: ServerId,
    /// The names of all servers, by place.
    pub names: Vec<String>,
    /// Where clients reach them, `host:port`.
    pub apis: Vec<String>,
    /// The leases, and how far clocks may be off.
    pub times: Times,
    /// Which names are of which class.
    pub classes: Vec<(String, Class)>,
}

impl Facts {
    /// The name of a server.
    #[must_use]
    pub fn name(&self, place: ServerId) -> &str {
        self.names.get(usize::from(place)).map_or("?", String::as_str)
    }

    /// The class of a name, as the configuration has it.
    #[must_use]
    pub fn class(&self, name: &Name) -> Class {
        let fitting = self.classes.iter().filter(|(prefix, _)| name.text().starts_with(prefix.as_str()));
        fitting.max_by_key(|(prefix, _)| prefix.len()).map_or(Class::Normal, |(_, class)| *class)
    }
}

/// A server that runs. Its clones are the same.
#[derive(Clone)]
pub struct Core(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    mesh: Mesh,
    store: Arc<dyn ViewStore>,
    replica: Arc<dyn Replica>,
    runtime: Handle,
    /// The timer must be set to an earlier moment.
    sooner: Notify,
    strain: Strain,
    facts: Facts,
    metrics: Arc<Metrics>,
    drained: watch::Sender<bool>,
    broken: watch::Sender<Option<String>>,
    /// Who is told of everything that happens.
    observer: OnceLock<Observer>,
    /// Who may do what, as was read last.
    access: watch::Sender<Arc<Access>>,
}

struct State {
    server: Server,
    outputs: Vec<Output>,
    waiting: HashMap<Asker, Waiting>,
    askers: Asker,
    sleeps_until: Micros,
    journal: Journal,
    /// Whether it was told that something happened that cannot be.
    defect_told: bool,
    /// Sessions that came from other servers: it is to be seen whether they may go on here.
    arrived: Vec<SessionId>,
    /// Sessions that may not go on, and why.
    forbidden: HashMap<SessionId, Refusal>,
    /// While a wait is withdrawn because it is forbidden: what its client is told.
    withdrawn: Option<Refusal>,
}

impl Core {
    /// A server that starts now, in this runtime.
    #[must_use]
    pub fn new(
        spec: ServerSpec,
        mesh: Mesh,
        (store, replica): (Arc<dyn ViewStore>, Arc<dyn Replica>),
        facts: Facts,
        metrics: Arc<Metrics>,
        journal: Journal,
    ) -> Core {
        let strain = Strain::new(spec.suspect);
        let state = State {
            server: Server::new(spec, clock::now()),
            outputs: Vec::new(),
            waiting: HashMap::new(),
            askers: 0,
            sleeps_until: Micros(u64::MAX),
            journal,
            defect_told: false,
            arrived: Vec::new(),
            forbidden: HashMap::new(),
            withdrawn: None,
        };
        Core(Arc::new(Inner {
            state: Mutex::new(state),
            mesh,
            store,
            replica,
            runtime: Handle::current(),
            sooner: Notify::new(),
            strain,
            facts,
            metrics,
            drained: watch::Sender::new(false),
            broken: watch::Sender::new(None),
            observer: OnceLock::new(),
            access: watch::Sender::new(Arc::new(Access::nobody())),
        }))
    }

    /// Starts what drives it: the timer, and the hints of the store.
    pub fn start(&self) {
        tokio::spawn(self.clone().keeps_time());
        let (core, mut hints) = (self.clone(), self.0.store.hints());
        tokio::spawn(async move {
            loop {
                let epoch = *hints.borrow_and_update();
                core.happens(Input::Hint(epoch));
                if hints.changed().await.is_err() {
                    return;
                }
            }
        });
        let (core, mut proposes) = (self.clone(), self.0.store.proposes());
        tokio::spawn(async move {
            loop {
                let may = *proposes.borrow_and_update();
                core.happens(Input::Proposes(may));
                if proposes.changed().await.is_err() {
                    return;
                }
            }
        });
    }

    /// Wakes the server when it wants to be woken.
    async fn keeps_time(self) {
        let mut clocks = clock::Clocks::new();
        loop {
            let now = clock::now();
            if let Some((clock, by)) = clocks.look(now) {
                self.0.metrics.stepped(clock);
                tracing::warn!(event = "clock_step", clock, by_us = by);
            }
            let wakes = self.with(|state| {
                if state.server.wakes_at() <= now {
                    self.handle(state, now, Input::Tick, None);
                }
                state.sleeps_until = state.server.wakes_at();
                state.sleeps_until
            });
            // A server that wants to be woken at once, always, is not let turn the machine into a heater.
            let pause = Duration::from_micros((wakes - clock::now()).0).max(Duration::from_micros(200));
            let pause = pause.min(Duration::from_secs(1));
            let due = clock::now() + Micros(u64::try_from(pause.as_micros()).unwrap_or(u64::MAX));
            tokio::select! {
                () = tokio::time::sleep(pause) => self.0.strain.rings(clock::now(), due),
                () = self.0.sooner.notified() => {}
            }
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Something happened.
    pub fn happens(&self, input: Input) {
        self.with(|state| self.handle(state, clock::now(), input, None));
    }

    /// Asks, and gives the answer if there is one at once. Otherwise it goes to whom `later` names.
    fn asks(&self, ask: Ask, later: impl FnOnce(Asker) -> Waiting) -> Option<Answer> {
        self.with(|state| {
            let now = clock::now();
            let is_new = matches!(ask, Ask::Open { .. } | Ask::Acquire { .. });
            if is_new && self.0.strain.is_behind(now, state.sleeps_until) {
                return Some(self.sheds());
            }
            state.askers += 1;
            let asker = state.askers;
            let answer = self.handle(state, now, Input::Client(asker, ask), Some(asker));
            if answer.is_none() {
                match later(asker) {
                    Waiting::Nobody => {}
                    waiting @ (Waiting::One(_) | Waiting::Stream { .. }) => {
                        state.waiting.insert(asker, waiting);
                    }
                }
            }
            answer
        })
    }

    fn sheds(&self) -> Answer {
        self.0.metrics.shed();
        Answer::Denied(Denial::Limit(BEHIND))
    }

    /// Whether new sessions and new requests are refused.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.with(|state| self.0.strain.is_behind(clock::now(), state.sleeps_until))
    }

    /// Refuses a question of a connection because the server is behind.
    pub fn refuses(&self, outbox: &Outbox, id: u64) {
        let answer = self.sheds();
        outbox.put(&self.0.facts, id, &Context::NOTHING, answer);
    }

    /// Asks, and waits for the answer. Whoever stops waiting leaves what was asked as it is.
    ///
    /// # Errors
    /// If the server stops, or it is forbidden while it waits.
    pub async fn ask(&self, ask: Ask) -> Result<Answer, Unanswered> {
        let (sender, receiver) = oneshot::channel();
        let mut number = 0;
        let at_once = self.asks(ask, |asker| {
            number = asker;
            Waiting::One(sender)
        });
        if let Some(answer) = at_once {
            return Ok(answer);
        }
        let mut leaves = Leaves { core: self, asker: Some(number) };
        let heard = receiver.await;
        leaves.asker = None;
        match heard {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(refusal)) => Err(Unanswered::Forbidden(refusal.into())),
            Err(_) => Err(Unanswered::Stopped),
        }
    }

    /// Asks, and gives the answer if there is one at once; none if it takes longer, and nobody waits for it then.
    ///
    /// # Errors
    /// If it is refused.
    pub fn at_once(&self, ask: Ask) -> Result<Option<Answer>, Denial> {
        match self.asks(ask, |_| Waiting::Nobody) {
            Some(Answer::Denied(denial)) => Err(denial),
            answer => Ok(answer),
        }
    }

    /// Whether to put something at the end of the clients' queue, so that it is known how long they wait.
    #[must_use]
    pub fn wants_to_know(&self) -> bool {
        self.0.strain.wants_to_know(clock::now())
    }

    /// What was put at the end of the clients' queue has its turn.
    pub fn knows(&self) {
        self.0.strain.knows(clock::now());
    }

    /// Does something in the thread of the server.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.0.runtime.spawn(work);
    }

    /// Asks for a connection: the reply is written to its outbox, now or later. False if it was refused because the
    /// server is behind.
    pub fn ask_for(&self, ask: Ask, outbox: &Arc<Outbox>, id: u64, context: Context) -> bool {
        let mut context = Some(context);
        let answer = self.asks(ask, |asker| {
            outbox.waits_for(asker);
            let context = context.take().unwrap_or(Context::NOTHING);
            Waiting::Stream { outbox: Arc::clone(outbox), id, context }
        });
        let taken_on = !matches!(answer, Some(Answer::Denied(Denial::Limit(BEHIND))));
        if let (Some(answer), Some(context)) = (answer, context) {
            outbox.put(&self.0.facts, id, &context, answer);
        }
        taken_on
    }

    /// Nobody waits for these answers any more.
    pub fn leave(&self, askers: impl IntoIterator<Item = Asker>) {
        self.with(|state| {
            for asker in askers {
                state.waiting.remove(&asker);
                self.handle(state, clock::now(), Input::Gone(asker), None);
            }
        });
    }

    /// Hands an input to the server, and does what comes back. The answer to this question is given back.
    fn handle(&self, state: &mut State, now: Micros, input: Input, own: Option<Asker>) -> Option<Answer> {
        // Signs of life have just been sent: the timer need not wake us for them.
        let again = matches!(input, Input::Company);
        let mut outputs = std::mem::take(&mut state.outputs);
        state.server.handle(now, input, &mut outputs);
        journal::tell_defect(&state.journal, &mut state.defect_told, now, state.server.tally());
        let mut answered = None;
        for output in outputs.drain(..) {
            match output {
                Output::Send(to, message) => self.0.mesh.send(to, &message),
                Output::Answer(asker, answer) if Some(asker) == own => answered = Some(answer),
                Output::Answer(asker, answer) => match state.waiting.remove(&asker) {
                    Some(Waiting::One(waiting)) => {
                        let _ = waiting.send(state.instead_of(&answer).map_or(Ok(answer), Err));
                    }
                    Some(Waiting::Stream { outbox, id, context }) => {
                        outbox.waits_no_more_for(asker);
                        match state.instead_of(&answer) {
                            None => outbox.put(&self.0.facts, id, &context, answer),
                            Some(refusal) => outbox.reply(&Reply { id, outcome: Outcome::Error(refusal) }),
                        }
                    }
                    Some(Waiting::Nobody) | None => {}
                },
                Output::Read(number) => self.reads(number),
                Output::Propose(command) => self.proposes(command),
                Output::Event(event) => self.told(state, now, &event),
            }
        }
        state.outputs = outputs;
        while let Some(session) = state.arrived.pop() {
            self.judges(state, now, session, true);
        }
        let wakes = state.server.wakes_at();
        if wakes < state.sleeps_until || again && wakes > state.sleeps_until {
            state.sleeps_until = wakes;
            self.0.sooner.notify_one();
        }
        answered
    }

    fn told(&self, state: &mut State, now: Micros, event: &Event) {
        self.0.metrics.happened(event);
        journal::tell(&state.journal, now, event);
        if let Some(observer) = self.0.observer.get() {
            observer(event);
        }
        match event {
            Event::Drained => drop(self.0.drained.send_replace(true)),
            // Where it came from, more may have been permitted.
            Event::Arrived { session, .. } => state.arrived.push(*session),
            Event::Expired(session) | Event::Left { session, .. } => drop(state.forbidden.remove(session)),
            Event::Granted { .. }
            | Event::Released { .. }
            | Event::Lost { .. }
            | Event::Installed { .. }
            | Event::Recovered { .. } => {}
        }
    }

    fn reads(&self, number: u64) {
        let core = self.clone();
        let begun = clock::now();
        self.0.runtime.spawn(async move {
            let read = tokio::time::timeout(READ, core.0.store.read()).await;
            let view = match read {
                Ok(Ok(view)) => {
                    core.0.metrics.read(clock::now() - begun);
                    Some(view)
                }
                Ok(Err(error)) => {
                    core.failed(&error);
                    None
                }
                Err(_) => None,
            };
            core.happens(Input::Read(number, view));
        });
    }

    fn proposes(&self, command: Command) {
        let core = self.clone();
        self.0.metrics.proposed(&command);
        tracing::info!(event = "membership_proposed", command = ?command);
        self.0.runtime.spawn(async move {
            match core.0.store.propose(command).await {
                Ok(view) => core.happens(Input::Hint(view.epoch)),
                Err(error) => core.failed(&error),
            }
        });
    }

    /// A store that is broken must not go on, and neither must its server.
    fn failed(&self, error: &StoreError) {
        match error {
            StoreError::Unavailable(why) => tracing::debug!(event = "store_unavailable", why),
            StoreError::Broken(why) => {
                tracing::error!(event = "store_broken", why);
                self.0.broken.send_replace(Some(why.clone()));
            }
        }
    }

    /// Whether this session is somebody else's. Whoever shows the key that it was opened with has it from now on.
    #[must_use]
    pub fn is_of_another(&self, who: &str, session: SessionId, key: Option<&str>) -> bool {
        self.with(|state| {
            let Some(owner) = state.server.owner(session) else { return false };
            if owner::is(owner, who) {
                return false;
            }
            let shown = key.filter(|key| owner::has_key(owner, key));
            if let Some(key) = shown {
                state.server.belongs(session, owner::written(who, Some(key)));
            }
            shown.is_none()
        })
    }

    /// It is to leave.
    pub fn drain(&self) {
        tracing::info!(event = "draining", server = self.own_name());
        self.happens(Input::Drain);
    }

    /// Whether it has left.
    #[must_use]
    pub fn drained(&self) -> watch::Receiver<bool> {
        self.0.drained.subscribe()
    }

    /// Why it must not go on, once it must not.
    #[must_use]
    pub fn broken(&self) -> watch::Receiver<Option<String>> {
        self.0.broken.subscribe()
    }

    /// How it is.
    #[must_use]
    pub fn status(&self) -> ServerStatus {
        self.with(|state| state.server.status(clock::now()))
    }

    /// The view that is installed.
    #[must_use]
    pub fn view(&self) -> Option<Arc<View>> {
        self.with(|state| state.server.view().cloned())
    }

    /// The locks that it knows, by name, from after this one on.
    #[must_use]
    pub fn locks(&self, after: Option<&Name>, most: usize) -> Vec<LockStatus> {
        self.with(|state| state.server.locks(clock::now(), after, most))
    }

    /// What the server counted.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.with(|state| *state.server.tally())
    }

    /// How it was set up.
    #[must_use]
    pub fn spec(&self) -> ServerSpec {
        self.with(|state| state.server.spec().clone())
    }

    /// The connections to other servers.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.0.mesh
    }

    /// Where the view is kept.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn ViewStore> {
        &self.0.store
    }

    /// The servers that vote; none if the view is kept elsewhere.
    #[must_use]
    pub fn voters(&self) -> Option<BTreeSet<ServerId>> {
        self.0.replica.voters()
    }

    /// Gives a server a vote, or takes it.
    ///
    /// # Errors
    /// Why it could not be done, or why it is not known whether it was.
    pub async fn change_voters(&self, server: ServerId, votes: bool) -> Result<(), String> {
        self.0.replica.change(server, votes).await
    }

    /// Something to be told about the whole server.
    pub fn tells(&self, event: &'static str) {
        self.with(|state| state.journal.write(&state.journal.line(event, clock::now(), Level::Info)));
    }

    /// What is measured.
    #[must_use]
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    /// The name of a server.
    #[must_use]
    pub fn name(&self, place: ServerId) -> &str {
        self.0.facts.name(place)
    }

    /// The name of this one.
    #[must_use]
    pub fn own_name(&self) -> &str {
        self.0.facts.name(self.0.facts.own)
    }

    /// What does not change while it runs.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// The place of this one.
    #[must_use]
    pub fn own(&self) -> ServerId {
        self.0.facts.own
    }
}

/// Whoever waits may go away.
struct Leaves<'c> {
    core: &'c Core,
    asker: Option<Asker>,
}

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        if self.asker.is_some() {
            self.core.leave(self.asker);
        }
    }
}

/// What comes from other servers goes to the core, and requests of the store to its replica.
impl Inbound for Core {
    fn message(&self, from: ServerId, message: Message) {
        self.happens(Input::Peer(from, message));
    }

    fn request(&self, from: ServerId, request: Bytes) -> Later<'static, Option<Bytes>> {
        self.0.replica.answer(from, request)
    }

    fn company(&self) {
        self.happens(Input::Company);
    }
}
