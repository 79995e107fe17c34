//! A client of the lock service, for tests: several workers that take locks over and over, write to the storage while
//! they hold them, and write down on the clock of this machine when they held what.
//!
//! It ends when its standard input does; whoever waits then is waited for, so that a lost waiter is one who never ends.
//! With `beat=FILE` it is a command under a lock instead, which only writes down that it is alive.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use ringleader_client::blocking::{Client, Guard};
    use ringleader_client::{Class, Credentials, Endpoint, LockError, Options};
    use ringleader_hosts::{Chance, now_us};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{SocketAddr, TcpStream};
    use std::process::ExitCode;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::Duration;

    /// How often it is written down until when something is held.
    const LOOK: Duration = Duration::from_millis(5);

    /// How long a client is given to find a server.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// How long the storage may take.
    const STORAGE: Duration = Duration::from_millis(500);

    /// What it is told: `KEY=VALUE`, all of them needed unless they may be missing.
    struct Told(BTreeMap<String, String>);

    impl Told {
        fn read() -> Result<Told, String> {
            let pair = |word: String| {
                let (key, value) =
                    word.split_once('=').ok_or_else(|| format!("`{word}` is not KEY=VALUE"))?;
                Ok((key.to_owned(), value.to_owned()))
            };
            std::env::args().skip(1).map(pair).collect::<Result<_, String>>().map(Told)
        }

        fn get(&self, key: &str) -> Result<&str, String> {
            self.0.get(key).map(String::as_str).ok_or_else(|| format!("{key}=... is missing"))
        }

        fn number(&self, key: &str) -> Result<u64, String> {
            self.get(key)?.parse().map_err(|_| format!("{key} is not a whole number"))
        }
    }

    /// What a worker does.
    struct Plan {
        worker: u64,
        /// The locks, each with the class in which it is asked for.
        locks: Vec<(String, Class)>,
        /// Who it is, for the storage.
        who: String,
        storage: SocketAddr,
        /// So long it holds at least and at most, in milliseconds.
        hold: (u64, u64),
        /// Of a hundred holdings so many are long, in which case so many milliseconds are added.
        long: (u32, u64),
        /// By class, for how many microseconds beyond its deadline it believes that it holds.
        longer: Vec<u64>,
        chance: Chance,
    }

    /// What all threads share.
    struct Shared {
        client: Client,
        log: Mutex<File>,
        /// No worker begins anything more.
        stop: AtomicBool,
        /// Nobody holds anything any more.
        done: AtomicBool,
        /// What each worker holds.
        held: Vec<Mutex<Option<Held>>>,
    }

    /// A lock that a worker holds.
    struct Held {
        guard: Guard,
        /// Until when it was written down to hold it, in microseconds.
        noted: u64,
        /// For so much longer it believes that it holds: 0 but for clients that are wrong on purpose.
        longer: u64,
    }

    impl Shared {
        /// A line, whole or not at all, in the hands of the kernel when this returns: it outlives a kill.
        fn note(&self, line: &Value) {
            let text = format!("{line}\n");
            let mut file = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            if file.write_all(text.as_bytes()).is_err() {
                // Whoever cannot write down what it holds must not hold anything.
                std::process::exit(3);
            }
        }

        fn slot(&self, worker: u64) -> MutexGuard<'_, Option<Held>> {
            let place = usize::try_from(worker).unwrap_or_default();
            self.held[place].lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Whether the worker still holds what it took; if its deadline has moved, that is written down.
        fn still_holds(&self, worker: u64) -> bool {
            let mut slot = self.slot(worker);
            let Some(held) = slot.as_mut() else { return false };
            // In this order: of a guard that is held afterwards the deadline was a deadline.
            let until = held.guard.deadline().0 + held.longer;
            if !held.guard.is_held() {
                return held.longer > 0 && now_us() < held.noted;
            }
            if until > held.noted {
                held.noted = until;
                self.note(
                    &json!({"event": "extends", "at_us": now_us(), "worker": worker, "until_us": until}),
                );
            }
            true
        }
    }

    pub(super) fn main() -> ExitCode {
        match run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "error: {error}");
                ExitCode::from(4)
            }
        }
    }

    /// Writes down its number, and then over and over what time it is: the last line is when it was still alive.
    fn beat(path: &str) -> Result<(), String> {
        let file = File::options().create(true).append(true).open(path);
        let mut file = file.map_err(|error| format!("{path}: {error}"))?;
        let mut line = format!("{}\n", std::process::id());
        loop {
            file.write_all(line.as_bytes()).map_err(|error| format!("{path}: {error}"))?;
            std::thread::sleep(LOOK / 2);
            line = format!("{}\n", now_us());
        }
    }

    fn run() -> Result<(), String> {
        let told = Told::read()?;
        if let Ok(path) = told.get("beat") {
            return beat(path);
        }
        let name = told.get("name")?.to_owned();
        let servers = told.get("servers")?.split(',').map(str::parse).collect::<Result<Vec<Endpoint>, _>>();
        let mut options = Options::new(servers.map_err(|error| error.to_string())?);
        options.authority = Some(told.get("authority")?.into());
        options.credentials =
            Credentials::Certificate { chain: told.get("certificate")?.into(), key: told.get("key")?.into() };
        options.meta.clone_from(&name);
        options.patience = PATIENCE;
        options.class = Class::Fast;
        let log = File::options().create(true).append(true).open(told.get("log")?);
        let log = log.map_err(|error| format!("the log: {error}"))?;
        let locks = told.get("locks")?.split(',').map(lock).collect::<Result<Vec<_>, String>>()?;
        let storage = told.get("storage")?.parse().map_err(|_| "storage is not an address")?;
        let (workers, seed) = (told.number("workers")?, told.number("seed")?);
        let hold = (told.number("hold_least")?, told.number("hold_most")?);
        let long = (u32::try_from(told.number("long_percent")?).unwrap_or(100), told.number("long")?);
        let leases = told.get("leases")?.split(',').map(str::parse::<u64>).collect::<Result<Vec<_>, _>>();
        let leases = leases.map_err(|_| "leases are not whole numbers")?;
        let belief = told.number("belief")?;
        let longer: Vec<u64> = leases.iter().map(|millis| millis * 10 * belief).collect();
        let client = Client::connect(options).map_err(|error| error.to_string())?;
        let shared = Arc::new(Shared {
            client,
            log: Mutex::new(log),
            stop: AtomicBool::new(false),
            done: AtomicBool::new(false),
            held: (0..workers).map(|_| Mutex::new(None)).collect(),
        });
        let looker = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                while !shared.done.load(Ordering::Relaxed) {
                    for worker in 0..workers {
                        let _ = shared.still_holds(worker);
                    }
                    std::thread::sleep(LOOK);
                }
            }
        });
        let mut threads = Vec::new();
        for worker in 0..workers {
            let (who, chance) = (format!("{name}.{worker}"), Chance::new(seed ^ (worker + 1) << 32));
            let longer = longer.clone();
            let plan = Plan { worker, locks: locks.clone(), who, storage, hold, long, longer, chance };
            let shared = Arc::clone(&shared);
            threads.push(std::thread::spawn(move || work(&shared, plan)));
        }
        // Nothing is ever said to it; the end is what it waits for.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        shared.stop.store(true, Ordering::Relaxed);
        threads.into_iter().for_each(|thread| drop(thread.join()));
        shared.done.store(true, Ordering::Relaxed);
        let _ = looker.join();
        shared.note(&json!({"event": "ended", "at_us": now_us()}));
        Ok(())
    }

    /// A lock, as `CLASS/NAME`: the name begins with its class.
    fn lock(text: &str) -> Result<(String, Class), String> {
        let class = Class::ALL.into_iter().find(|class| text.starts_with(class.name()));
        class.map(|class| (text.to_owned(), class)).ok_or_else(|| format!("`{text}` is of no class"))
    }

    fn work(shared: &Shared, mut plan: Plan) {
        let mut storage = None;
        while !shared.stop.load(Ordering::Relaxed) {
            let (name, class) = plan.locks[plan.chance.below(plan.locks.len() as u64) as usize].clone();
            let worker = plan.worker;
            shared.note(&json!({"event": "asks", "at_us": now_us(), "worker": worker, "lock": name}));
            let asking = shared.client.inner().lock(&name).class(class).value(plan.who.clone());
            match shared.client.acquire(asking) {
                Ok(guard) => {
                    let longer = plan.longer.get(class.index()).copied().unwrap_or_default();
                    let held = Held { noted: guard.deadline().0 + longer, guard, longer };
                    hold(shared, &mut plan, &name, held, &mut storage);
                }
                Err(error) => {
                    let why = error.code.word().to_owned();
                    let at = now_us();
                    shared.note(&json!({"event": "refused", "at_us": at, "worker": worker, "why": why}));
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        }
    }

    fn hold(shared: &Shared, plan: &mut Plan, name: &str, held: Held, storage: &mut Option<Connection>) {
        let (worker, fence) = (plan.worker, held.guard.fence());
        let until = held.noted;
        let from = now_us();
        let mut slot = shared.slot(worker);
        *slot = Some(held);
        shared.note(&json!({
            "event": "takes", "at_us": from, "worker": worker, "lock": name, "fence": fence.to_string(),
            "until_us": until,
        }));
        drop(slot);
        let mut most = plan.chance.between(plan.hold.0, plan.hold.1);
        if plan.chance.percent(plan.long.0) {
            most += plan.long.1;
        }
        let end = from + most * 1000;
        // First of all the storage learns of this fence, so that earlier holders are refused from here on.
        let mut pause = 0;
        while shared.still_holds(worker) {
            // Some work between looking at the clock and writing: whoever is paused here does not know.
            std::thread::sleep(Duration::from_millis(pause));
            let line = format!("{name} {fence} {}\n", plan.who);
            if write(storage, plan.storage, &line).is_none() {
                *storage = None;
            }
            if now_us() >= end || shared.stop.load(Ordering::Relaxed) {
                break;
            }
            pause = plan.chance.between(2, 12);
        }
        let held = shared.still_holds(worker);
        let mut slot = shared.slot(worker);
        let Some(Held { guard, .. }) = slot.take() else { return };
        if !held {
            let why = guard.why_lost().map_or_else(String::new, |lost| lost.why);
            let at = now_us();
            shared.note(&json!({"event": "loses", "at_us": at, "worker": worker, "why": why}));
            return;
        }
        shared.note(&json!({"event": "releases", "at_us": now_us(), "worker": worker}));
        drop(slot);
        let how =
            guard.release().map_or_else(|error: LockError| error.code.word().to_owned(), |()| "free".into());
        shared.note(&json!({"event": "released", "at_us": now_us(), "worker": worker, "how": how}));
    }

    type Connection = (BufReader<TcpStream>, TcpStream);

    /// Writes to the storage, and reads what it says to that; none if it cannot be reached.
    fn write(storage: &mut Option<Connection>, address: SocketAddr, line: &str) -> Option<()> {
        let (reader, writer) = match storage {
            Some(there) => there,
            None => {
                let stream = TcpStream::connect_timeout(&address, STORAGE).ok()?;
                stream.set_nodelay(true).ok()?;
                stream.set_read_timeout(Some(STORAGE)).ok()?;
                stream.set_write_timeout(Some(STORAGE)).ok()?;
                storage.insert((BufReader::new(stream.try_clone().ok()?), stream))
            }
        };
        writer.write_all(line.as_bytes()).ok()?;
        let mut answer = String::new();
        (reader.read_line(&mut answer).ok()? > 0).then_some(())
    }
}
