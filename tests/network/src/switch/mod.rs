//! A switch of our own between the hosts: it forwards Ethernet frames, and spoils them as its rules say.
//!
//! In user space, because the kernel's own way (netem) is not in every kernel, and because this one counts:
//! for each ordered pair of hosts it says how many frames came, passed, and were spoilt in which way. A fault
//! that spoilt nothing proves nothing.

mod port;
mod rules;

pub use rules::{Counts, Due, Pair, Rule};

use crate::{Chance, now_us};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use port::Port;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// An Ethernet address.
pub type Mac = [u8; 6];

/// The most bytes of a frame: 1500, the header, and room for a tag.
const FRAME_BYTES: usize = 1522;

/// For how long the switch sleeps at most, so that it notices that it is to stop.
const NAP_MS: u16 = 20;

/// Frames that are taken from one interface before the next one has its turn.
const TURN: usize = 64;

/// A running switch. It stops when it is dropped.
pub struct Switch {
    table: Arc<Mutex<Table>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Switch {
    /// Starts a switch with these interfaces; behind each is a host with this address.
    ///
    /// # Errors
    /// If an interface cannot be opened: it takes the right to open packet sockets.
    pub fn start(interfaces: &[(String, Mac)], seed: u64) -> io::Result<Switch> {
        let ports = interfaces.iter().map(|(name, _)| Port::open(name)).collect::<io::Result<Vec<_>>>()?;
        let table = Arc::new(Mutex::new(Table {
            hosts: interfaces.iter().map(|&(_, mac)| mac).collect(),
            pairs: vec![vec![Pair::default(); ports.len()]; ports.len()],
            held: BTreeMap::new(),
            serial: 0,
            chance: Chance::new(seed),
            strangers: 0,
            unsent: 0,
        }));
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::Builder::new().name("switch".into()).spawn({
            let (table, stop) = (Arc::clone(&table), Arc::clone(&stop));
            move || run(&ports, &table, &stop)
        })?;
        Ok(Switch { table, stop, thread: Some(thread) })
    }

    /// From now on this is done to what `from` sends to `to`. When this returns it is in force.
    pub fn set(&self, from: usize, to: usize, rule: Rule) {
        self.table().pairs[from][to].set(rule);
    }

    /// From now on this is done to all pairs.
    pub fn set_all(&self, rule: Rule) {
        self.table().pairs.iter_mut().flatten().for_each(|pair| pair.set(rule));
    }

    /// From now on this is done between the two, in both directions.
    pub fn set_between(&self, one: usize, other: usize, rule: Rule) {
        let mut table = self.table();
        table.pairs[one][other].set(rule);
        table.pairs[other][one].set(rule);
    }

    /// What became of the frames from one host to another so far.
    #[must_use]
    pub fn counts(&self, from: usize, to: usize) -> Counts {
        self.table().pairs[from][to].counts()
    }

    /// What became of all frames so far.
    #[must_use]
    pub fn total(&self) -> Counts {
        self.table().pairs.iter().flatten().fold(Counts::default(), |sum, pair| sum + pair.counts())
    }

    /// Frames for nobody here, and frames that an interface did not take.
    #[must_use]
    pub fn oddities(&self) -> (u64, u64) {
        let table = self.table();
        (table.strangers, table.unsent)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(Ok(Err(error))) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            panic!("the switch stopped early, so the network was not what the test thought: {error}");
        }
    }
}

/// What the switch knows.
struct Table {
    hosts: Vec<Mac>,
    /// First from, then to.
    pairs: Vec<Vec<Pair>>,
    /// What is held back, in the order in which it is due; the serial keeps what is due at one moment in
    /// order.
    held: BTreeMap<(u64, u64), Held>,
    serial: u64,
    chance: Chance,
    strangers: u64,
    unsent: u64,
}

/// A copy of a frame that is held back.
struct Held {
    from: usize,
    to: usize,
    due: Due,
    arrived_at: u64,
    frame: Vec<u8>,
}

impl Table {
    /// A frame comes in from a host.
    fn arrives(&mut self, from: usize, frame: &[u8], now: u64) {
        let Some(target) = frame.first_chunk::<6>() else { return };
        let is_for_many = target[0] & 1 == 1;
        let mut known = false;
        for to in (0..self.hosts.len()).filter(|&to| to != from) {
            if !is_for_many && self.hosts[to] != *target {
                continue;
            }
            known = true;
            for due in self.pairs[from][to].arrives(now, &mut self.chance) {
                let held = Held { from, to, due, arrived_at: now, frame: frame.to_vec() };
                self.held.insert((due.at, self.serial), held);
                self.serial += 1;
            }
        }
        self.strangers += u64::from(!known);
    }

    /// Sends what is due. When the next one is.
    fn leave(&mut self, ports: &[Port], now: u64) -> io::Result<Option<u64>> {
        while let Some(entry) = self.held.first_entry() {
            let at = entry.key().0;
            if at > now {
                return Ok(Some(at));
            }
            let held = entry.remove();
            if self.pairs[held.from][held.to].leaves(held.due, held.arrived_at)
                && !ports[held.to].send(&held.frame)?
            {
                self.unsent += 1;
            }
        }
        Ok(None)
    }
}

/// Forwards until it is to stop. The table is locked while frames move, so that whoever sets a rule or counts
/// does it between two frames.
fn run(ports: &[Port], table: &Mutex<Table>, stop: &AtomicBool) -> io::Result<()> {
    let mut frame = [0; FRAME_BYTES];
    let mut next = None;
    while !stop.load(Ordering::Relaxed) {
        // Rounded up: half a millisecond late is better than spinning.
        let nap = next.map_or(NAP_MS, |at: u64| {
            u16::try_from(at.saturating_sub(now_us()).div_ceil(1000)).unwrap_or(NAP_MS).min(NAP_MS)
        });
        let mut waiting: Vec<PollFd<'_>> =
            ports.iter().map(|port| PollFd::new(port.as_fd(), PollFlags::POLLIN)).collect();
        poll(&mut waiting, PollTimeout::from(nap))?;
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        for (from, port) in ports.iter().enumerate() {
            for _ in 0..TURN {
                let Some(length) = port.receive(&mut frame)? else { break };
                let Some(whole) = frame.get(..length) else {
                    let what = format!("a frame of {length} bytes: are the offloads of the interfaces off?");
                    return Err(io::Error::other(what));
                };
                table.arrives(from, whole, now_us());
            }
        }
        next = table.leave(ports, now_us())?;
    }
    Ok(())
}
