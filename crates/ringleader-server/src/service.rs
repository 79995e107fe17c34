//! One server as it runs: its addresses, its files, its certificate, and one thread.

use crate::access::Access;
use crate::config::{Config, Etcd, Views};
use crate::core::{Alone, Core, Facts, Replica};
use crate::embedded::Embedded;
use crate::front::Front;
use crate::http::{Limits, Surface};
use crate::mesh::{self, Bounds, Mesh, Surroundings, Trust};
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::reload::{Reloader, Source, Trusts};
use crate::store::{EtcdOptions, EtcdStore, EtcdTls, RaftOptions, RaftStore, StoreError, ViewStore};
use ringleader_live::Micros;
use ringleader_locks::{Class, ServerId, ServerSpec, View, first_epoch};
use ringleader_net::journal::Journal;
use ringleader_net::limits::{Budget, allowance};
use ringleader_net::{Problem, clock, node, signals};
use std::io;
use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// A server that is asked to leave and hears of nobody for so long leaves without a word.
const CUT_OFF: Duration = Duration::from_secs(3);

/// How a server is to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Append what happens to this file, one JSON object per line.
    pub events: Option<PathBuf>,
    /// Whether TERM and INT are for it.
    pub signals: bool,
    /// Whether it leaves when its standard input ends.
    pub stdin: bool,
    /// For how long holders may keep what they hold when it is asked to leave.
    pub drain: Duration,
    /// Where certificates, tokens and permissions are read again when HUP comes; with `signals`.
    pub source: Option<Source>,
    /// After a backup was put back: no epoch may be below this one.
    pub epoch_floor: Option<u32>,
    /// What clients may cost.
    pub limits: Limits,
    /// What other servers may cost.
    pub bounds: Bounds,
    /// How many connections of each kind there may be; none divides the files that this process may open, after raising
    /// that limit as far as is allowed.
    pub budget: Option<Budget>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            events: None,
            signals: false,
            stdin: false,
            drain: Duration::from_secs(30),
            source: None,
            epoch_floor: None,
            limits: Limits::default(),
            bounds: mesh::bounds(),
            budget: None,
        }
    }
}

/// What a server that runs is asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum Wish {
    Run,
    Leave,
    Stop,
}

/// A way to ask something of a server that runs.
#[derive(Clone)]
pub struct Handle {
    wish: Arc<watch::Sender<Wish>>,
    reloads: Arc<watch::Sender<u64>>,
}

impl Handle {
    /// It drains and stops. Asked again, it stops at once.
    pub fn leave(&self) {
        self.wish.send_modify(|wish| {
            *wish = if *wish == Wish::Run { Wish::Leave } else { Wish::Stop };
        });
    }

    /// It stops at once, as if it were killed.
    pub fn stop(&self) {
        self.wish.send_replace(Wish::Stop);
    }

    /// It reads certificates, tokens and permissions again.
    pub fn reload(&self) {
        self.reloads.send_modify(|count| *count += 1);
    }
}

/// A server whose addresses are claimed, and which does not run yet.
pub struct Service {
    config: Config,
    place: ServerId,
    options: Options,
    budget: Budget,
    incarnation: u64,
    listeners: Listeners,
    trust: Trusts,
    handle: Handle,
    front: Option<Arc<dyn Front>>,
}

struct Listeners {
    peers: TcpListener,
    api: TcpListener,
    socket: Option<UnixListener>,
    status: Option<TcpListener>,
    etcd: Option<TcpListener>,
}

impl Service {
    /// Claims the addresses of this server, reads its certificate, and looks at its folder.
    ///
    /// # Errors
    /// If an address cannot be had, a certificate cannot be read, or the folder cannot be written.
    pub fn bind(config: &Config, place: ServerId, options: Options) -> Result<Service, Problem> {
        let Some(address) = config.servers.get(usize::from(place)) else {
            return Err(Problem::input("unknown_member", format!("there is no server at place {place}")));
        };
        let budget = match options.budget {
            Some(budget) => budget,
            None => Budget::of(allowance(), config.servers.len())?,
        };
        let trust = Trusts::read(config)?;
        let listeners = Listeners {
            peers: node::claim(&address.listen, "other servers")?,
            api: node::claim(&address.api, "clients")?,
            status: address.status.as_deref().map(|at| node::claim(at, "its status")).transpose()?,
            etcd: address.etcd.as_deref().map(|at| node::claim(at, "clients of etcd")).transpose()?,
            socket: address.socket.as_deref().map(claim_socket).transpose()?,
        };
        prepare(&config.data)?;
        let incarnation = getrandom::u64().map_err(|_| {
            Problem::environment("no_randomness", "the operating system gives no random numbers")
        })?;
        Ok(Service {
            config: config.clone(),
            place,
            options,
            budget,
            incarnation,
            listeners,
            trust,
            handle: Handle {
                wish: Arc::new(watch::Sender::new(Wish::Run)),
                reloads: Arc::new(watch::Sender::new(0)),
            },
            front: None,
        })
    }

    /// The same, with this front for the clients of etcd.
    #[must_use]
    pub fn with_front(self, front: Arc<dyn Front>) -> Service {
        Service { front: Some(front), ..self }
    }

    /// A way to ask something of it.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Which run of the server it is.
    #[must_use]
    pub fn incarnation(&self) -> u64 {
        self.incarnation
    }

    /// Runs it, in this thread, until it has left. `ready` is called when others can reach it.
    ///
    /// # Errors
    /// If the machine refuses a thread, a file or a socket, or the log of views is or becomes broken.
    pub fn run(self, ready: impl FnOnce(&Embedded)) -> Result<(), Problem> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        let done = runtime.block_on(self.serve(ready));
        runtime.shutdown_background();
        done
    }

    async fn serve(self, ready: impl FnOnce(&Embedded)) -> Result<(), Problem> {
        let Service { config, place, options, budget, incarnation, listeners, trust, handle, front } = self;
        if listeners.etcd.is_some() && front.is_none() {
            let message = "clients of etcd have an address here, and this program does not serve them";
            return Err(Problem::input("no_front", message)
                .help("take `etcd` out of the [[server]], or give the service a front"));
        }
        let handshakes = options.bounds.handshakes.min(budget.handshakes);
        let name = config.name(place).to_owned();
        let mesh = Mesh::new(Surroundings {
            cluster: config.cluster.clone(),
            own: place,
            names: config.servers.iter().map(|server| server.name.clone()).collect(),
            addresses: config.servers.iter().map(|server| server.peer.clone()).collect(),
            trust: trust.peers.clone(),
            bounds: Bounds { handshakes, ..options.bounds },
        });
        let stores = open_store(&config, place, &options, &mesh).await?;
        let journal = Journal::of_server(&name, incarnation, options.events.as_deref()).map_err(|error| {
            let path = options.events.clone().unwrap_or_default();
            Problem::environment("cannot_write", format!("cannot write {}: {error}", path.display()))
        })?;
        let spec = ServerSpec {
            drain: Micros(u64::try_from(options.drain.as_micros()).unwrap_or(u64::MAX)),
            renew: config.pace.renew,
            suspect: config.pace.suspect,
            ..ServerSpec::new(place, incarnation, places(&config))
        };
        let core =
            Core::new(spec, mesh.clone(), stores, facts(&config, place), Arc::new(Metrics::new()), journal);
        let wishes = handle.wish.subscribe();
        if options.signals {
            let (leaves, stops, reloads) = (handle.clone(), handle.clone(), handle.clone());
            signals::listen(move || leaves.leave(), move || stops.stop()).map_err(|error| failed(&error))?;
            signals::on_hangup(move || reloads.reload()).map_err(|error| failed(&error))?;
        }
        let asked = handle.reloads.subscribe();
        if options.stdin {
            signals::when_stdin_ends(move || handle.leave()).map_err(|error| failed(&error))?;
        }
        core.metrics().certified(trust.until);
        start(&core, &config, listeners, (trust.clients.clone(), front), (options.limits, &budget))
            .map_err(|error| failed(&error))?;
        let source = options.source;
        let reloader = Reloader { source, place, config: config.clone(), trusts: trust, core: core.clone() };
        tokio::spawn(reloader.serves(asked));
        core.tells("started");
        signals::tell_manager("READY=1");
        ready(&Embedded::new(core.clone()));
        // After the patience with holders their sessions run out, and then the view changes.
        let leases = config.pace.times.leases.iter().map(|lease| lease.0).max().unwrap_or_default();
        let most = options.drain + Duration::from_micros(leases) + Duration::from_secs(1);
        let done = until_the_end(&core, wishes, most).await;
        signals::tell_manager("STOPPING=1");
        core.tells("stopped");
        let _ = tokio::time::timeout(Duration::from_secs(2), core.store().close()).await;
        if let Some(socket) = config.servers.get(usize::from(place)).and_then(|server| server.socket.as_ref())
        {
            let _ = std::fs::remove_file(socket);
        }
        done
    }
}

fn failed(error: &io::Error) -> Problem {
    Problem::environment("no_member", format!("this server cannot run: {error}"))
}

fn places(config: &Config) -> Vec<ServerId> {
    (0..config.servers.len()).filter_map(|place| ServerId::try_from(place).ok()).collect()
}

fn facts(config: &Config, own: ServerId) -> Facts {
    Facts {
        cluster: config.cluster.clone(),
        own,
        names: config.servers.iter().map(|server| server.name.clone()).collect(),
        apis: config.servers.iter().map(|server| server.api.clone()).collect(),
        times: config.pace.times,
        classes: config.classes.clone(),
    }
}

fn start(
    core: &Core,
    config: &Config,
    listeners: Listeners,
    (clients, front): (Option<Trust>, Option<Arc<dyn Front>>),
    bounds: (Limits, &Budget),
) -> io::Result<()> {
    let tcp = |listener: TcpListener| {
        listener.set_nonblocking(true)?;
        tokio::net::TcpListener::from_std(listener)
    };
    core.mesh().start(Arc::new(core.clone()));
    core.start();
    let (queue, served) = Queue::new();
    tokio::spawn(served);
    let strangers = queue.behind();
    let surface = Surface::new(core.clone(), Access::new(config), bounds, [queue.clone(), strangers.clone()]);
    strangers.spawn(core.mesh().clone().listens(tcp(listeners.peers)?, strangers.clone()));
    strangers.spawn(surface.clone().tells_refusals());
    let api = tcp(listeners.api)?;
    match clients.clone() {
        Some(trust) => strangers.spawn(surface.clone().serve_tls(api, trust)),
        None => strangers.spawn(surface.clone().serve_plain(api)),
    }
    if let Some(listener) = listeners.socket {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::UnixListener::from_std(listener)?;
        queue.spawn(surface.clone().serve_socket(listener));
    }
    if let (Some(listener), Some(front)) = (listeners.etcd, front) {
        strangers.spawn(surface.clone().serve_front(front, tcp(listener)?, clients));
    }
    if let Some(listener) = listeners.status {
        strangers.spawn(surface.serve_status(tcp(listener)?));
    }
    Ok(())
}

/// A store, and how it answers the other replicas.
type Store = (Arc<dyn ViewStore>, Arc<dyn Replica>);

async fn open_store(
    config: &Config,
    place: ServerId,
    options: &Options,
    mesh: &Mesh,
) -> Result<Store, Problem> {
    let first =
        View::first(first_epoch(clock::wall() / 1_000_000), config.pace.times, config.classes.clone());
    let opened: Result<Store, StoreError> = match &config.views {
        Views::Raft => {
            let voters = places(config).into_iter().collect();
            let beat = Duration::from_micros(config.pace.heartbeat.0);
            let raft = RaftOptions {
                epoch_floor: options.epoch_floor,
                ..RaftOptions::paced(beat, place, voters, config.data.join("views"), first)
            };
            let store = RaftStore::open(raft, Arc::new(mesh.clone())).await;
            store.map(|store| (Arc::new(store.clone()) as _, Arc::new(store) as _))
        }
        Views::Etcd(etcd) => {
            let options = EtcdOptions {
                epoch_floor: options.epoch_floor,
                tls: etcd_tls(etcd)?,
                ..EtcdOptions::new(etcd.endpoints.clone(), config.cluster.clone(), first)
            };
            let store = EtcdStore::open(options).await;
            store.map(|store| (Arc::new(store) as _, Arc::new(Alone) as _))
        }
    };
    opened.map_err(|error| match (&config.views, error) {
        (Views::Etcd(etcd), error) => {
            let message = format!("no view can be had of etcd: {error}");
            Problem::environment("no_store", message)
                .help(format!("it must run, and answer at one of {}", etcd.endpoints.join(", ")))
        }
        (Views::Raft, error) => broken(&error.to_string(), &config.data),
    })
}

fn etcd_tls(etcd: &Etcd) -> Result<Option<EtcdTls>, Problem> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|error| {
            Problem::environment("certificate_file", format!("cannot read {}: {error}", path.display()))
        })
    };
    let Some(authority) = &etcd.authority else { return Ok(None) };
    let identity = match &etcd.identity {
        Some((certificate, key)) => Some((read(certificate)?, read(key)?)),
        None => None,
    };
    Ok(Some(EtcdTls { authority: read(authority)?, identity }))
}

fn broken(why: &str, data: &Path) -> Problem {
    Problem::environment("store_broken", format!("the log of views must not be used: {why}"))
        .help(format!("it is in {}; nothing is granted by this server until it is well", data.display()))
        .help("a server that lost its log is removed, started with an empty folder, and added again:")
        .command("ringleader members remove NAME --config service.toml", "")
}

/// Listens on this path. A socket that a server left behind is replaced; one that somebody listens on is not.
fn claim_socket(path: &Path) -> Result<UnixListener, Problem> {
    use std::os::unix::fs::PermissionsExt;
    let bad = |why: String| {
        Problem::environment("cannot_listen", format!("cannot listen on {}: {why}", path.display()))
            .help("the folder must be there, and this user must be allowed to write in it")
    };
    if UnixStream::connect(path).is_ok() {
        return Err(bad("another server listens there".to_owned()));
    }
    match std::fs::symlink_metadata(path) {
        Ok(found) if std::os::unix::fs::FileTypeExt::is_socket(&found.file_type()) => {
            std::fs::remove_file(path).map_err(|error| bad(error.to_string()))?;
        }
        Ok(_) => return Err(bad("something that is no socket is there".to_owned())),
        Err(_) => {}
    }
    let listener = UnixListener::bind(path).map_err(|error| bad(error.to_string()))?;
    // The user and the group of the server may use it; everybody who can is `local`.
    let mode = std::fs::Permissions::from_mode(0o660);
    std::fs::set_permissions(path, mode).map_err(|error| bad(error.to_string()))?;
    Ok(listener)
}

/// Makes the folder. Nothing in it, and nothing that is missing from it, says whether an earlier run of this server
/// granted something that is still held: that is in the agreed membership.
fn prepare(data: &Path) -> Result<(), Problem> {
    std::fs::create_dir_all(data).map_err(|error| {
        Problem::environment("cannot_write", format!("cannot write in {}: {error}", data.display()))
            .help("it is the folder of this server's log of views, and must survive restarts")
    })
}

/// Waits until it is asked to leave and has, or is asked to stop, or must not go on.
async fn until_the_end(
    core: &Core,
    mut wishes: watch::Receiver<Wish>,
    patience: Duration,
) -> Result<(), Problem> {
    let mut broke = core.broken();
    let why = |broke: &watch::Receiver<Option<String>>| broke.borrow().clone().unwrap_or_default();
    loop {
        let wish = *wishes.borrow_and_update();
        match wish {
            Wish::Run => {}
            Wish::Stop => return Ok(()),
            Wish::Leave => break,
        }
        tokio::select! {
            _ = wishes.changed() => {}
            _ = broke.changed() => return Err(stopped(&why(&broke))),
        }
    }
    core.drain();
    let (until, mut drained) = (Instant::now() + patience, core.drained());
    let mut cut_off_since = None;
    loop {
        let status = core.status();
        // Without a lease for long nobody hears this server any more: nobody could let go, and nobody could be asked to
        // forget it. For a moment it is so at the end of every good leave, until the others have its last report.
        if status.held > 0 || status.lease[Class::Fast.index()].0 > 0 {
            cut_off_since = None;
        }
        let cut_off = cut_off_since.get_or_insert_with(Instant::now).elapsed() > CUT_OFF;
        if *drained.borrow_and_update() || cut_off || Instant::now() >= until {
            return Ok(());
        }
        tokio::select! {
            _ = drained.changed() => {}
            _ = wishes.changed() => return Ok(()),
            _ = broke.changed() => return Err(stopped(&why(&broke))),
            () = sleep(Duration::from_millis(100)) => {}
        }
    }
}

fn stopped(why: &str) -> Problem {
    Problem::environment("store_broken", format!("this server has stopped: {why}"))
        .help("its locks are free when their leases end; the other servers go on")
}
