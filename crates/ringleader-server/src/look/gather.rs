//! What the servers of a cluster said, put together into `ringleader.cluster-status/1`: one object, whatever
//! was missing.

use ringleader_client::api::LockInfo;
use ringleader_locks::{Class, Times};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

/// So many locks are listed; the page draws fewer.
pub(super) const LISTED: usize = 1000;

/// What is asked of a server's status: `ringleader.service-status/1`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Status {
    pub(super) cluster: String,
    pub(super) server: String,
    epoch: u32,
    joined: bool,
    draining: bool,
    proposes: bool,
    lease_ms: BTreeMap<String, u64>,
    /// How long they are in all, by the view; the file says what they began with.
    #[serde(default)]
    leases_ms: BTreeMap<String, u64>,
    sessions: u64,
    tokens: u64,
    held: u64,
    waiters: u64,
    homes: u64,
    recovering: u64,
}

/// What a server said.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) status: Status,
    pub(super) took: Duration,
    pub(super) locks: Vec<LockInfo>,
    /// Whether it has more locks than these.
    pub(super) more: bool,
}

/// A server, and what it said or why it did not.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub(super) name: String,
    pub(super) said: Result<Said, String>,
    /// How many days its certificate is good for, if it can be read here.
    pub(super) certificate_days: Option<i64>,
}

/// The object for the page. `times` are those of the file, for servers that do not say how long leases are.
pub(super) fn object(cluster: &str, at_ms: u64, times: Option<Times>, heard: &[Heard]) -> Value {
    let said = || heard.iter().filter_map(|heard| heard.said.as_ref().ok());
    let lengths = Lengths::new(times, said().map(|said| &said.status));
    let servers: Vec<Value> = heard.iter().map(|heard| server(heard, &lengths)).collect();
    let mut locks: Vec<LockInfo> =
        together(said().map(|said| (&*said.status.server, &*said.locks))).into_values().collect();
    // Those that are held, and those that others wait for, are what people look for.
    locks.sort_by(|one, other| {
        let key = |lock: &LockInfo| (lock.state != "held", u32::MAX - lock.waiters);
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    let known = locks.len() as u64;
    let total = if said().any(|said| said.more) {
        known.max(said().map(|said| said.status.tokens).sum())
    } else {
        known
    };
    let listed: Vec<Value> = locks.iter().take(LISTED).map(|info| lock(info, &lengths)).collect();
    json!({
        "schema": "ringleader.cluster-status/1",
        "cluster": cluster,
        "at_ms": at_ms,
        "servers": servers,
        "locks": listed,
        "locks_total": total,
        "events": [],
    })
}

/// How long leases are, by class, the shortest first.
struct Lengths([(&'static str, u64); 3]);

impl Lengths {
    fn new<'s>(times: Option<Times>, statuses: impl Iterator<Item = &'s Status> + Clone) -> Lengths {
        let length = |class: Class| {
            // All servers of an epoch say the same; the newest epoch counts.
            let newest = statuses.clone().max_by_key(|status| status.epoch);
            let said = newest.and_then(|status| status.leases_ms.get(class.name()).copied());
            let written = times.map(|times| times.lease(class).0 / 1000);
            // Without either, the most that is left of it anywhere.
            let left =
                || statuses.clone().filter_map(|status| status.lease_ms.get(class.name()).copied()).max();
            (class.name(), said.or(written).or_else(left).unwrap_or_default())
        };
        Lengths(Class::ALL.map(length))
    }

    fn of(&self, class: &str) -> u64 {
        self.0.iter().find(|(name, _)| *name == class).map_or(0, |(_, length)| *length)
    }

    fn json(&self) -> Value {
        self.0
            .iter()
            .map(|(class, length)| ((*class).to_owned(), json!(length)))
            .collect::<Map<_, _>>()
            .into()
    }
}

fn server(heard: &Heard, lengths: &Lengths) -> Value {
    let status = heard.said.as_ref().ok().map(|said| &said.status);
    let left: Map<String, Value> = Class::ALL
        .map(|class| {
            let left = status.and_then(|status| status.lease_ms.get(class.name())).copied();
            (class.name().to_owned(), json!(left.unwrap_or_default()))
        })
        .into_iter()
        .collect();
    let number = |field: fn(&Status) -> u64| status.map(field).unwrap_or_default();
    let flag = |field: fn(&Status) -> bool| status.is_some_and(field);
    json!({
        "name": heard.name,
        "reachable": status.is_some(),
        "error": heard.said.as_ref().err(),
        "rtt_us": heard.said.as_ref().ok().map(|said| u64::try_from(said.took.as_micros()).unwrap_or(u64::MAX)),
        "epoch": number(|status| status.epoch.into()),
        "joined": flag(|status| status.joined),
        "draining": flag(|status| status.draining),
        "proposes": flag(|status| status.proposes),
        "lease_ms": left,
        "leases_ms": lengths.json(),
        "sessions": number(|status| status.sessions),
        "tokens": number(|status| status.tokens),
        "held": number(|status| status.held),
        "waiters": number(|status| status.waiters),
        "homes": number(|status| status.homes),
        "recovering": number(|status| status.recovering),
        "certificate_days": heard.certificate_days,
    })
}

/// Every lock once, by kind and name. The server that has the token knows how it is; the others know who waits at
/// them.
pub fn together<'s>(
    listed: impl Iterator<Item = (&'s str, &'s [LockInfo])>,
) -> BTreeMap<(String, String), LockInfo> {
    let mut locks: BTreeMap<(String, String), LockInfo> = BTreeMap::new();
    for (server, listed) in listed {
        for lock in listed {
            let owns = lock.owner_server.as_deref() == Some(server);
            match locks.entry((lock.kind.clone(), lock.name.clone())) {
                Entry::Vacant(place) => drop(place.insert(lock.clone())),
                Entry::Occupied(mut known) => {
                    let waiters = known.get().waiters.saturating_add(lock.waiters);
                    if owns || (lock.state == "held" && known.get().state != "held") {
                        known.insert(lock.clone());
                    }
                    known.get_mut().waiters = waiters;
                }
            }
        }
    }
    locks
}

fn lock(lock: &LockInfo, lengths: &Lengths) -> Value {
    json!({
        "name": lock.name,
        "kind": lock.kind,
        "class": lock.class,
        "state": lock.state,
        "fence": lock.fence,
        "value": lock.value,
        "holder": lock.holder,
        "remaining_ms": lock.remaining_ms,
        "lease_ms": lengths.of(&lock.class),
        "waiters": lock.waiters,
        "owner_server": lock.owner_server,
        "mode": lock.mode,
        "permits": lock.permits,
        "holders": lock.holders,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(server: &str, changes: Value) -> Status {
        let mut object = json!({
            "schema": "ringleader.service-status/1", "cluster": "demo", "server": server, "epoch": 7, "joined": true,
            "draining": false, "proposes": false, "lease_ms": { "fast": 700, "normal": 2900, "batch": 14_900 },
            "sessions": 1, "tokens": 2, "held": 1, "waiters": 0, "homes": 128, "recovering": 0, "grants": 12,
        });
        for (key, value) in changes.as_object().into_iter().flatten() {
            object[key] = value.clone();
        }
        serde_json::from_value(object).expect("a status")
    }

    fn heard(server: &str, locks: Vec<LockInfo>) -> Heard {
        let said =
            Said { status: status(server, json!({})), took: Duration::from_micros(240), locks, more: false };
        Heard { name: server.into(), said: Ok(said), certificate_days: Some(300) }
    }

    fn info(name: &str, state: &str, owner: Option<&str>, waiters: u32) -> LockInfo {
        let (class, holder) =
            ("normal".into(), if state == "held" { "host-1".into() } else { String::new() });
        LockInfo {
            name: name.into(),
            kind: "lock".into(),
            class,
            state: state.into(),
            fence: Some("481036337153".into()),
            holder,
            waiters,
            owner_server: owner.map(str::to_owned),
            ..LockInfo::default()
        }
    }

    #[test]
    fn silent_servers_are_listed() {
        let silent =
            Heard { name: "b".into(), said: Err("connection refused".into()), certificate_days: None };
        let all = object("demo", 5, Some(Times::default()), &[heard("a", Vec::new()), silent]);
        assert_eq!(all["schema"], "ringleader.cluster-status/1");
        let (a, b) = (&all["servers"][0], &all["servers"][1]);
        assert_eq!(
            (&a["reachable"], &a["rtt_us"], &a["certificate_days"]),
            (&json!(true), &json!(240), &json!(300))
        );
        assert_eq!(a["lease_ms"], json!({ "fast": 700, "normal": 2900, "batch": 14_900 }));
        assert_eq!((&b["reachable"], &b["error"]), (&json!(false), &json!("connection refused")));
        assert_eq!((&b["epoch"], &b["rtt_us"]), (&json!(0), &Value::Null));
        // The same fields for both: the page reads one shape.
        let keys = |value: &Value| value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
        assert_eq!(keys(a), keys(b));
    }

    #[test]
    fn lock_is_listed_once_with_its_waiters() {
        // `b` has the token; two wait at `a`, which has not, and one at `b`.
        let (waits, has) = (info("x", "free", Some("b"), 2), info("x", "held", Some("b"), 1));
        for both in [
            [heard("a", vec![waits.clone()]), heard("b", vec![has.clone()])],
            [heard("b", vec![has]), heard("a", vec![waits])],
        ] {
            let all = object("demo", 5, Some(Times::default()), &both);
            assert_eq!(all["locks"].as_array().map(Vec::len), Some(1), "{all}");
            let lock = &all["locks"][0];
            assert_eq!((&lock["state"], &lock["waiters"]), (&json!("held"), &json!(3)), "{lock}");
            assert_eq!((&lock["owner_server"], &lock["lease_ms"]), (&json!("b"), &json!(3000)), "{lock}");
        }
        let election = LockInfo { kind: "election".into(), ..info("x", "held", Some("a"), 0) };
        let all = object("demo", 5, None, &[heard("a", vec![election, info("x", "free", Some("a"), 0)])]);
        assert_eq!(all["locks"].as_array().map(Vec::len), Some(2), "an election is no lock: {all}");
    }

    #[test]
    fn many_locks_are_counted_and_some_listed() {
        let idle = (0..5000).map(|number| info(&format!("idle/{number}"), "free", Some("a"), 0));
        let mut locks: Vec<LockInfo> = idle.collect();
        locks.extend([info("z", "held", Some("a"), 0), info("y", "held", Some("a"), 4)]);
        let mut one = heard("a", locks);
        let all = object("demo", 5, None, std::slice::from_ref(&one));
        assert_eq!(all["locks"].as_array().map(Vec::len), Some(LISTED));
        assert_eq!((&all["locks"][0]["name"], &all["locks"][1]["name"]), (&json!("y"), &json!("z")));
        assert_eq!(all["locks_total"], 5002);
        // It had more than it listed: then its own count is the best that is known.
        let said = one.said.as_mut().expect("it answers");
        (said.more, said.status.tokens) = (true, 100_000);
        assert_eq!(object("demo", 5, None, &[one])["locks_total"], 100_000);
    }

    #[test]
    fn agreed_leases_win_over_the_file() {
        let mut one = heard("a", Vec::new());
        let length = |one: &Heard, times| {
            object("demo", 5, times, std::slice::from_ref(one))["servers"][0]["leases_ms"].clone()
        };
        assert_eq!(length(&one, None), json!({ "fast": 700, "normal": 2900, "batch": 14_900 }));
        let written = json!({ "fast": 800, "normal": 3000, "batch": 15_000 });
        assert_eq!(length(&one, Some(Times::default())), written);
        let said = json!({ "fast": 500, "normal": 2000, "batch": 9000 });
        one.said.as_mut().expect("it answers").status = status("a", json!({ "leases_ms": said }));
        assert_eq!(length(&one, Some(Times::default())), said);
    }
}
