//! Leases of etcd. Each is a session at the server that granted it. Its number names that server, so that any server
//! knows whom to ask.
//!
//! A client of etcd counts on whole seconds. It is told no more of them than the session has by the client's own clock,
//! should that be as slow as clocks may be.

use crate::claims::Claims;
use crate::keys::lease_id;
use crate::refusals::{bad, no_such_lease};
use ringleader_client::api::Refusal;
use ringleader_live::Micros;
use ringleader_locks::{Answer, Ask, Class, Denial, ServerId, SessionId};
use ringleader_net::clock;
use ringleader_server::access::Principal;
use ringleader_server::core::{Core, Facts, Unanswered};
use ringleader_server::front::{refusal, refuse};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The longest lease that etcd grants, in seconds. More is an error there too.
const LONGEST_S: i64 = 9_000_000_000;

/// So long a server that may promise nothing now is asked again before the client is told.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is asked meanwhile.
const AGAIN: Duration = Duration::from_millis(50);

/// How often leases that have ended are looked for.
const SWEEP: Micros = Micros::millis(5000);

/// A second.
const SECOND: u64 = 1_000_000;

/// A lease of this server.
pub(crate) struct Lease {
    pub(crate) id: i64,
    pub(crate) session: SessionId,
    /// The seconds that its client was told.
    pub(crate) seconds: i64,
    owner: Arc<str>,
    /// Until when its session lasts, if nothing more is heard of it.
    until: Mutex<Micros>,
    pub(crate) claims: Claims,
}

impl Lease {
    fn until(&self) -> MutexGuard<'_, Micros> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole seconds that it has left.
    pub(crate) fn seconds_left(&self) -> i64 {
        whole_seconds(*self.until() - clock::now())
    }
}

/// What of a question about a session is an answer.
enum Kept {
    /// It goes on for so many seconds of its client.
    Seconds(i64),
    /// It is over.
    Over,
}

/// The leases of this server.
pub(crate) struct Leases {
    own: ServerId,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    leases: BTreeMap<i64, Arc<Lease>>,
    swept: Micros,
}

impl Leases {
    pub(crate) fn new(own: ServerId) -> Leases {
        Leases { own, all: Mutex::default() }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new lease of this client, for as many seconds as it asks for, or as many as there are.
    pub(crate) async fn grant(
        &self,
        core: &Core,
        who: &Principal,
        (seconds, id): (i64, i64),
    ) -> Result<Arc<Lease>, Refusal> {
        if id != 0 {
            return Err(bad(
                "a lease has the number that the server gives it, which says where it is: ask with ID 0",
            ));
        }
        if seconds > LONGEST_S {
            return Err(bad("etcdserver: too large lease TTL"));
        }
        // As etcd does: what is too short is made longer.
        let seconds = seconds.max(1);
        let (class, ttl) = class_for(core.facts(), seconds)?;
        let drawn = getrandom::u64().map_err(|_| refuse("no_lease", "there are no random numbers"))?;
        let id = lease_id(self.own, drawn | 1);
        let ask = Ask::Open { ttl, class, meta: meta(id).into(), owner: who.key(), follows: false };
        let Answer::Opened { session, valid } = answered(core, ask).await? else {
            return Err(refuse("no_lease", "this server stops"));
        };
        let opened = Lease {
            id,
            session,
            seconds,
            owner: who.key(),
            until: Mutex::new(clock::now() + valid),
            claims: Claims::default(),
        };
        let mut told = whole_seconds(core.facts().times.of_client(valid));
        if told == 0 {
            told = match kept(core, &opened).await {
                Ok(Kept::Seconds(told)) => told,
                Ok(Kept::Over) => return Err(refuse("no_lease", "this server may grant nothing now")),
                Err(refusal) => {
                    let _ = core.at_once(Ask::Close { session });
                    return Err(refusal);
                }
            };
        }
        let lease = Arc::new(Lease { seconds: told.min(seconds), ..opened });
        let mut all = self.all();
        all.sweeps();
        all.leases.insert(id, Arc::clone(&lease));
        Ok(lease)
    }

    /// A lease of this client.
    pub(crate) fn find(&self, who: &Principal, id: i64) -> Result<Arc<Lease>, Refusal> {
        let found = self.all().leases.get(&id).filter(|lease| lease.owner == who.key()).cloned();
        found.ok_or_else(no_such_lease)
    }

    /// It is over.
    pub(crate) fn forget(&self, lease: &Lease) {
        self.all().leases.remove(&lease.id);
    }

    /// It goes on. How many seconds its client may count on from here; none if it is over.
    pub(crate) async fn keep_alive(&self, core: &Core, lease: &Lease) -> Result<i64, Refusal> {
        match kept(core, lease).await? {
            Kept::Seconds(seconds) => Ok(seconds.min(lease.seconds)),
            Kept::Over => {
                self.forget(lease);
                Ok(0)
            }
        }
    }

    /// It ends: everything that it holds is free.
    pub(crate) async fn revoke(&self, core: &Core, lease: &Lease) -> Result<(), Refusal> {
        let closed = answered(core, Ask::Close { session: lease.session }).await;
        self.forget(lease);
        closed.map(|_| ())
    }

    /// What the server says of a session, in the words of clients. A lease of which the session is over is forgotten.
    pub(crate) fn refused(&self, lease: &Lease, refusal: Refusal) -> Refusal {
        if refusal.code.starts_with("session_") {
            self.forget(lease);
        }
        refusal
    }
}

impl All {
    /// Forgets leases that have ended, now and then.
    fn sweeps(&mut self) {
        let now = clock::now();
        if now > self.swept + SWEEP {
            self.swept = now;
            self.leases.retain(|_, lease| *lease.until() + SWEEP > now);
        }
    }
}

/// What the session of a lease shows about its holder: the number of the lease, so that every server can say whose the
/// leadership is.
fn meta(id: i64) -> String {
    format!("{META}{id:x}")
}

const META: &str = "etcd lease ";

/// The lease of a holder, by what its session shows; 0 if it has none: it is no client of etcd.
pub(crate) fn lease_of(meta: &str) -> i64 {
    let digits = meta.strip_prefix(META).unwrap_or_default();
    i64::from_str_radix(digits, 16).unwrap_or(0)
}

fn whole_seconds(time: Micros) -> i64 {
    i64::try_from(time.0 / SECOND).unwrap_or(i64::MAX)
}

/// The class of a session that lasts for so long, and for how long it is opened.
///
/// A session can hold what is of its class or of a longer one. So the class is none longer than that of a name without
/// a prefix: otherwise most names would be refused later. The session lasts a little longer than its client counts on,
/// because clocks differ.
fn class_for(facts: &Facts, seconds: i64) -> Result<(Class, Micros), Refusal> {
    let usual = facts.classes.iter().find(|(prefix, _)| prefix.is_empty());
    let usual = usual.map_or(Class::Normal, |(_, class)| *class);
    let most = |class: Class| whole_seconds(facts.times.of_client(facts.times.lease(class)));
    if most(usual) == 0 {
        let lease = facts.times.lease(usual).0 / 1000;
        let message = format!(
            "leases of etcd are whole seconds; those of class {} last {lease} ms here: its time under [times] must be \
             longer",
            usual.name()
        );
        return Err(refuse("no_whole_second", message));
    }
    let fits = Class::ALL.into_iter().find(|class| *class == usual || most(*class) >= seconds);
    let class = fits.unwrap_or(usual);
    let asked = Micros(seconds.unsigned_abs().min(3600) * SECOND);
    Ok((class, facts.times.wait(asked).min(facts.times.lease(class))))
}

/// Keeps a session alive, until it may be promised a second at least.
async fn kept(core: &Core, lease: &Lease) -> Result<Kept, Refusal> {
    let until = Instant::now() + PATIENCE;
    loop {
        // What was permitted when the lease began may not be any more.
        core.may_go_on(lease.session)?;
        let ask = Ask::KeepAlive { session: lease.session, beliefs: Vec::new() };
        match core.ask(ask).await {
            Ok(Answer::Alive { valid, .. }) => {
                let ends = clock::now() + valid;
                {
                    let mut known = lease.until();
                    *known = (*known).max(ends);
                }
                let seconds = whole_seconds(core.facts().times.of_client(valid));
                if seconds > 0 {
                    return Ok(Kept::Seconds(seconds));
                }
            }
            Ok(Answer::Denied(Denial::SessionExpired | Denial::SessionUnknown)) => return Ok(Kept::Over),
            Ok(Answer::Denied(denial)) if Instant::now() >= until => {
                return Err(refusal(core, None, denial));
            }
            Err(why @ Unanswered::Forbidden(_)) => return Err(unanswered(why)),
            Ok(_) | Err(Unanswered::Stopped) => {}
        }
        if Instant::now() >= until {
            return Err(refuse("no_lease", "this server can promise no whole second now"));
        }
        sleep(AGAIN).await;
    }
}

/// Why there is no answer, as a refusal.
pub(crate) fn unanswered(why: Unanswered) -> Refusal {
    match why {
        Unanswered::Forbidden(refusal) => *refusal,
        Unanswered::Stopped => refuse("no_lease", "this server stops"),
    }
}

/// Asks; a denial is a refusal.
pub(crate) async fn answered(core: &Core, ask: Ask) -> Result<Answer, Refusal> {
    match core.ask(ask).await {
        Ok(Answer::Denied(denial)) => Err(refusal(core, None, denial)),
        Ok(answer) => Ok(answer),
        Err(why) => Err(unanswered(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_locks::Times;

    fn facts(leases_ms: [u64; 3], classes: &[(&str, Class)]) -> Facts {
        Facts {
            cluster: "test".to_owned(),
            own: 0,
            names: vec!["a".to_owned()],
            apis: Vec::new(),
            times: Times { leases: leases_ms.map(Micros::millis), ..Times::default() },
            classes: classes.iter().map(|(prefix, class)| ((*prefix).to_owned(), *class)).collect(),
        }
    }

    fn chosen(facts: &Facts, seconds: i64) -> (Class, u64) {
        let (class, ttl) = class_for(facts, seconds).expect("there is one");
        (class, ttl.0 / 1000)
    }

    #[test]
    fn a_lease_can_hold_names_without_a_prefix() {
        let usual = facts([800, 3000, 15_000], &[("batch/", Class::Batch)]);
        assert_eq!(chosen(&usual, 1), (Class::Normal, 1010));
        assert_eq!(chosen(&usual, 2), (Class::Normal, 2020));
        assert_eq!(chosen(&usual, 60), (Class::Normal, 3000));
        let long = facts([800, 3000, 15_000], &[("", Class::Batch)]);
        assert_eq!(chosen(&long, 2), (Class::Normal, 2020));
        assert_eq!(chosen(&long, 10), (Class::Batch, 10_100));
        assert_eq!(chosen(&long, i64::MAX), (Class::Batch, 15_000));
        let slow = facts([2000, 4000, 15_000], &[]);
        assert_eq!(chosen(&slow, 1), (Class::Fast, 1010));
    }

    #[test]
    fn no_lease_is_shorter_than_a_second() {
        let refusal = class_for(&facts([400, 900, 15_000], &[]), 5).expect_err("it is too short");
        assert_eq!(refusal.code, "no_whole_second");
    }

    #[test]
    fn a_holder_shows_its_lease() {
        assert_eq!(lease_of(&meta(0x7f01)), 0x7f01);
        for other in ["", "host:1", "etcd lease", "etcd lease xyz"] {
            assert_eq!(lease_of(other), 0, "{other}");
        }
    }
}
