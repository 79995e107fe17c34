//! Hosts on one machine: a network namespace each, with an address of its own, and the switch between them.
//!
//! Names carry the number of the test process, so that runs beside each other do not meet, and what a run
//! that was killed left behind is found and removed by the next one.

use crate::switch::{Mac, Switch};
use nix::sched::{CloneFlags, setns};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

/// What the names of our namespaces begin with.
const PREFIX: &str = "ringleader";

/// Labs of this process so far.
static LABS: AtomicU32 = AtomicU32::new(0);

/// Hosts and the switch between them. Everything is removed when it is dropped.
pub struct Lab {
    hosts: Vec<Host>,
    switch: Option<Switch>,
}

/// A host.
#[derive(Clone, Debug)]
pub struct Host {
    namespace: String,
    /// The interface inside; the other end of the cable has the same name with an `s`.
    interface: String,
    /// Its address.
    pub address: Ipv4Addr,
    mac: Mac,
}

impl Lab {
    /// So many hosts, all connected. The seed is what the switch draws from.
    ///
    /// # Errors
    /// In words, if something cannot be made.
    pub fn new(hosts: usize, seed: u64) -> Result<Lab, String> {
        remove_left_overs()?;
        let lab = LABS.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let hosts = (0..hosts)
            .map(|place| {
                let last = u8::try_from(place + 1).map_err(|_| format!("{hosts} hosts are too many"))?;
                Ok(Host {
                    namespace: format!("{PREFIX}-{process}-{lab}-{place}"),
                    // At most 15 bytes are allowed: 7 of the process, 2 of the lab, 3 of the host, and ours.
                    interface: format!("r{process}.{lab}.{place}"),
                    address: Ipv4Addr::new(10, 77, 0, last),
                    mac: [0x02, 0x52, 0x4c, 0, 0, last],
                })
            })
            .collect::<Result<Vec<_>, String>>()?;
        // From here on dropping it removes what was made so far.
        let mut lab = Lab { hosts, switch: None };
        lab.hosts.iter().try_for_each(Host::make)?;
        lab.introduce()?;
        let ports: Vec<_> = lab.hosts.iter().map(|host| (host.far_end(), host.mac)).collect();
        lab.switch = Some(Switch::start(&ports, seed).map_err(|error| format!("the switch: {error}"))?);
        Ok(lab)
    }

    /// The hosts.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The switch.
    ///
    /// # Panics
    /// Never: a lab has one as soon as it is made.
    #[must_use]
    pub fn switch(&self) -> &Switch {
        self.switch.as_ref().expect("a lab has a switch as soon as it is made")
    }

    /// Cuts what `from` sends to `to` in the kernel of the host, by a route into nowhere.
    ///
    /// # Errors
    /// In words, if the route cannot be made.
    pub fn blackhole(&self, from: usize, to: usize) -> Result<(), String> {
        self.route(from, to, "add")
    }

    /// Heals what [`Lab::blackhole`] cut.
    ///
    /// # Errors
    /// In words, if there is no such route.
    pub fn heal_blackhole(&self, from: usize, to: usize) -> Result<(), String> {
        self.route(from, to, "del")
    }

    fn route(&self, from: usize, to: usize, verb: &str) -> Result<(), String> {
        let target = format!("{}/32", self.hosts[to].address);
        ip(&["-n", &self.hosts[from].namespace, "route", verb, "blackhole", &target])
    }

    /// Everybody knows everybody's Ethernet address from the start: a cut is silence then, as on a network
    /// with routers, and not an answer of the own kernel that nobody is there.
    fn introduce(&self) -> Result<(), String> {
        for host in &self.hosts {
            for other in self.hosts.iter().filter(|other| other.address != host.address) {
                let (address, mac) = (other.address.to_string(), text(other.mac));
                let neighbour = ["neigh", "add", &address, "lladdr", &mac, "dev", &host.interface];
                ip(&[&["-n", host.namespace.as_str()][..], &neighbour, &["nud", "permanent"]].concat())?;
            }
        }
        Ok(())
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // First the switch: its sockets are on the interfaces that go away with the hosts.
        let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(self.switch.take())));
        for host in &self.hosts {
            // What was not made yet cannot be removed; nobody is helped by a complaint about that. The cable
            // goes first: by itself it would go with the namespace, but at some later moment.
            let _ = ip(&["link", "del", &host.far_end()]);
            let _ = remove(&host.namespace);
        }
        if let Err(reason) = stopped
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(reason);
        }
    }
}

impl Host {
    /// A command that runs this program on the host, as the process that is started: its number is the
    /// program's.
    #[must_use]
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace]).arg(program);
        command
    }

    /// Does something on a thread of its own that is on the host: the sockets it opens are the host's.
    ///
    /// # Errors
    /// In words, if the host is not there.
    pub fn thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, String> {
        let path = Path::new("/var/run/netns").join(&self.namespace);
        let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = self.namespace.clone();
        let thread = std::thread::Builder::new().name(name.clone()).spawn(move || {
            // A namespace belongs to a thread; the rest of this process stays where it is.
            setns(&file, CloneFlags::CLONE_NEWNET).unwrap_or_else(|error| panic!("{name}: {error}"));
            work()
        });
        thread.map_err(|error| format!("a thread on {}: {error}", self.namespace))
    }

    /// Bytes and packets that the interface of the host has sent, as the kernel counts them.
    ///
    /// # Errors
    /// In words, if the kernel does not say.
    pub fn sent_packets(&self) -> Result<u64, String> {
        let statistics = format!("/sys/class/net/{}/statistics/rx_packets", self.far_end());
        let text = std::fs::read_to_string(&statistics).map_err(|error| format!("{statistics}: {error}"))?;
        text.trim().parse().map_err(|error| format!("{statistics}: {error}"))
    }

    /// Packets of connections for which the host had no route, as its kernel counts them: what a route into
    /// nowhere has swallowed.
    ///
    /// # Errors
    /// In words, if the kernel does not say.
    pub fn unrouted_packets(&self) -> Result<u64, String> {
        let read = || std::fs::read_to_string("/proc/thread-self/net/snmp");
        let text = self.thread(read)?.join().map_err(|_| "the thread on the host has panicked")?;
        let text = text.map_err(|error| format!("the counters of the host: {error}"))?;
        // Two lines: the names, and the numbers.
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Ip: "));
        let (names, numbers) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let mut pairs = names.split(' ').zip(numbers.split(' '));
        let number =
            pairs.find(|(name, _)| *name == "OutNoRoutes").and_then(|(_, number)| number.parse().ok());
        number.ok_or_else(|| "the kernel does not count packets without a route".into())
    }

    /// The other end of its cable, where the switch is.
    fn far_end(&self) -> String {
        format!("{}s", self.interface)
    }

    fn make(&self) -> Result<(), String> {
        let (space, near, far) = (self.namespace.as_str(), self.interface.as_str(), self.far_end());
        let (mac, address) = (text(self.mac), format!("{}/24", self.address));
        ip(&["netns", "add", space])?;
        ip(&["link", "add", near, "netns", space, "type", "veth", "peer", "name", &far])?;
        // No address is made up for the interfaces: nobody but the members speaks.
        ip(&["-n", space, "link", "set", near, "address", &mac, "addrgenmode", "none"])?;
        ip(&["link", "set", &far, "addrgenmode", "none"])?;
        // Otherwise the kernel leaves checksums and segments to hardware that is not there, and the switch
        // sees packets of 64 KiB that nobody would accept.
        let off = ["tx", "off", "rx", "off", "sg", "off", "tso", "off", "gso", "off", "gro", "off"];
        let ethtool = |namespace: Option<&str>, interface: &str| {
            let mut command = Command::new(if namespace.is_some() { "ip" } else { "ethtool" });
            if let Some(namespace) = namespace {
                command.args(["netns", "exec", namespace, "ethtool"]);
            }
            succeeds(command.args(["-K", interface]).args(off))
        };
        ethtool(Some(space), near)?;
        ethtool(None, &far)?;
        ip(&["-n", space, "link", "set", "lo", "up"])?;
        ip(&["-n", space, "address", "add", &address, "dev", near])?;
        ip(&["-n", space, "link", "set", near, "up"])?;
        ip(&["link", "set", &far, "up"])
    }
}

/// Removes the hosts of test processes that are gone.
fn remove_left_overs() -> Result<(), String> {
    let output = Command::new("ip").args(["netns", "list"]).output().map_err(|error| error.to_string())?;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let name = line.split_whitespace().next().unwrap_or_default();
        if owner(name).is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            remove(name)?;
        }
    }
    Ok(())
}

/// The test process that a namespace belongs to, if it is one of ours.
fn owner(namespace: &str) -> Option<u32> {
    namespace.strip_prefix(PREFIX)?.strip_prefix('-')?.split('-').next()?.parse().ok()
}

/// Removes a namespace, and before that whoever still runs in it: a namespace stays for as long as somebody
/// does.
fn remove(namespace: &str) -> Result<(), String> {
    let output = Command::new("ip").args(["netns", "pids", namespace]).output();
    let pids = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    for pid in pids.lines().filter_map(|line| line.trim().parse().ok()) {
        // Threads of this very process show up here as itself.
        if pid != i32::try_from(std::process::id()).unwrap_or(i32::MAX) {
            // It may have ended by itself in the meantime.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
    ip(&["netns", "del", namespace])
}

/// Runs `ip`.
fn ip(arguments: &[&str]) -> Result<(), String> {
    succeeds(Command::new("ip").args(arguments))
}

/// Runs a command that must succeed, silently.
fn succeeds(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// An Ethernet address as people write it.
fn text(mac: Mac) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_namespaces_are_left_overs() {
        assert_eq!(owner("ringleader-4711-0-2"), Some(4711));
        for other in ["ringleader", "ringleader-blue", "docker-4711-0", "ringleaders-4711-0-1"] {
            assert_eq!(owner(other), None, "{other}");
        }
    }
}
