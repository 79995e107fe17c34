//! A client under a scripted clock and a scripted server: what it says, and what it believes when.

use super::*;
use crate::error::Code;
use ringleader_locks::{Belief, Mode};
use serde_json::{Value, json};

const SESSION: &str = "00000000000000000000000000000007";
const OTHER: &str = "00000000000000000000000000000008";

fn ms(millis: u64) -> Micros {
    Micros::millis(millis)
}

fn wish(name: &str, wait: Wait) -> Wish {
    Wish {
        kind: Kind::Lock,
        name: name.to_owned(),
        value: String::new(),
        priority: 0,
        class: Class::Normal,
        wait,
        mode: Mode::Exclusive,
    }
}

type Granted = oneshot::Receiver<Result<Fence, LockError>>;

/// A client, what it said and what was not answered.
struct Play {
    core: Core,
    said: Vec<Value>,
}

impl Play {
    /// With a session that was asked for at 1000 ms, answered at 1010 ms, and is valid for 3 s.
    fn open() -> Play {
        let core = Core::new(Class::Normal, None, "me".to_owned(), Some("0123456789abcdef".to_owned()));
        let mut play = Play { core, said: Vec::new() };
        play.core.connected(ms(1000));
        let open = play.hears("open");
        assert_eq!((&open["class"], &open["meta"]), (&json!("normal"), &json!("me")));
        play.opened(&open, 1010, SESSION);
        play
    }

    fn opened(&mut self, open: &Value, at: u64, session: &str) {
        let opened = json!({ "session": session, "valid_ms": 3000, "drift_ppm": 5000, "server": "a" });
        self.answers(at, open, json!({ "opened": opened }));
    }

    fn listen(&mut self) {
        let out = self.core.take_out();
        let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        self.said.extend(lines.map(|line| serde_json::from_slice::<Value>(line).expect("JSON")));
    }

    /// The oldest question of this kind that was not looked at yet.
    #[track_caller]
    fn hears(&mut self, op: &str) -> Value {
        self.listen();
        let place = self.said.iter().position(|said| said["op"] == op);
        self.said.remove(place.unwrap_or_else(|| panic!("no `{op}` in {:?}", self.said)))
    }

    #[track_caller]
    fn hears_no(&mut self, op: &str) {
        self.listen();
        assert!(!self.said.iter().any(|said| said["op"] == op), "{:?}", self.said);
    }

    fn answers(&mut self, at: u64, question: &Value, outcome: Value) {
        let mut reply = json!({ "id": question["id"] });
        reply.as_object_mut().expect("an object").extend(outcome.as_object().expect("an object").clone());
        self.core.line(ms(at), reply.to_string().as_bytes()).expect("a reply");
    }

    fn refuses(&mut self, at: u64, question: &Value, code: &str) {
        let refusal = json!({ "code": code, "message": "no", "certain": "that" });
        self.answers(at, question, json!({ "error": refusal }));
    }

    fn grants(&mut self, at: u64, question: &Value, fence: u64) {
        let granted =
            json!({ "name": question["name"], "fence": fence.to_string(), "held_at": 0, "valid_ms": 3000 });
        self.answers(at, question, json!({ "granted": granted }));
    }

    fn acquire(&mut self, at: u64, name: &str, wait: Wait) -> (Key, Granted) {
        let (grants, granted) = oneshot::channel();
        (self.core.acquire(ms(at), wish(name, wait), grants), granted)
    }

    /// A lock that is held from 1100 ms on.
    fn hold(&mut self, name: &str, fence: u64) -> Key {
        let (key, mut granted) = self.acquire(1090, name, Wait::Forever);
        let question = self.hears("acquire");
        self.grants(1100, &question, fence);
        assert_eq!(granted.try_recv().expect("answered").expect("granted").number(), fence);
        key
    }

    fn release(&mut self, at: u64, key: Key) -> oneshot::Receiver<Result<(), LockError>> {
        let (releases, released) = oneshot::channel();
        self.core.release(ms(at), key, releases);
        released
    }
}

fn code<T: core::fmt::Debug>(mut of: oneshot::Receiver<Result<T, LockError>>) -> Code {
    of.try_recv().expect("answered").expect_err("refused").code
}

/// 3 s at (1-ρ)/(1+ρ), after the question was sent at 1000 ms.
const DEADLINE: Micros = Micros(1_000_000 + 2_970_149);

#[test]
fn deadline_counts_from_sending() {
    let mut play = Play::open();
    let key = play.hold("x", 5);
    assert_eq!(play.core.deadline(ms(1100), key), Some(DEADLINE));
    assert!(play.core.holds(Micros(DEADLINE.0 - 1), key));
    // A sign of life is due after a third of what was promised, and moves it from when that was sent.
    play.core.tick(ms(1999));
    play.hears_no("keepalive");
    play.core.tick(ms(2000));
    let beat = play.hears("keepalive");
    assert_eq!(beat["requests"], json!([{ "rid": 1, "state": "holds", "fence": "5" }]));
    let alive = json!({ "alive": { "valid_ms": 3000, "requests": beat["requests"] } });
    play.answers(2900, &beat, alive);
    assert_eq!(play.core.deadline(ms(2900), key), Some(DEADLINE + ms(1000)));
}

#[test]
fn after_the_deadline_nothing_brings_it_back() {
    let mut play = Play::open();
    let key = play.hold("x", 5);
    play.core.tick(ms(2000));
    let beat = play.hears("keepalive");
    // Nobody looked at the clock in between: the answer itself comes too late.
    let at = DEADLINE.0.div_ceil(1000);
    play.answers(at, &beat, json!({ "alive": { "valid_ms": 3000, "requests": beat["requests"] } }));
    assert!(!play.core.holds(ms(at), key));
    assert_eq!(play.core.why_lost(key).as_deref(), Some("nothing was heard of its server in time"));
    assert!(play.core.take_changed());
    assert_eq!(play.core.take_move_on().expect("another server").code, Code::SessionExpired);
    // Nor does a look at an earlier time.
    assert!(!play.core.holds(ms(1200), key));
}

#[test]
fn unknown_session_ends_at_once() {
    for word in ["session_unknown", "session_expired"] {
        let mut play = Play::open();
        let key = play.hold("x", 5);
        let (_, mut waits) = play.acquire(1200, "y", Wait::Forever);
        play.core.tick(ms(2000));
        let beat = play.hears("keepalive");
        play.refuses(2010, &beat, word);
        assert!(!play.core.holds(ms(2010), key), "{word}");
        // It answers, so it is asked for a new session, in which those who wait go on waiting, with a new
        // number.
        assert!(play.core.take_move_on().is_none());
        let open = play.hears("open");
        let old = play.hears("acquire");
        play.opened(&open, 2020, OTHER);
        let new = play.hears("acquire");
        assert_eq!((&new["session"], &new["name"]), (&json!(OTHER), &json!("y")));
        assert_ne!(old["rid"], new["rid"]);
        play.grants(2030, &new, 6);
        assert_eq!(waits.try_recv().expect("answered").expect("granted").number(), 6);
    }
}

#[test]
fn a_grant_that_nobody_waits_for_is_given_back() {
    let mut play = Play::open();
    let (key, granted) = play.acquire(1100, "x", Wait::Forever);
    let question = play.hears("acquire");
    drop(granted);
    play.core.abandon(ms(1200), key);
    let cancel = play.hears("cancel");
    assert_eq!((&cancel["rid"], &cancel["session"]), (&question["rid"], &json!(SESSION)));
    play.answers(1210, &cancel, json!({ "done": {} }));
    // The grant was on its way.
    play.grants(1220, &question, 5);
    assert!(!play.core.holds(ms(1220), key));
    let again = play.hears("cancel");
    assert_eq!(again["rid"], question["rid"]);
}

#[test]
fn a_grant_that_nobody_took_is_given_back() {
    let mut play = Play::open();
    let key = play.hold("x", 5);
    play.core.abandon(ms(1200), key);
    let release = play.hears("release");
    assert_eq!((&release["fence"], &release["name"]), (&json!("5"), &json!("x")));
    assert!(!play.core.holds(ms(1200), key));
    // Repeated until it is answered.
    play.core.disconnected();
    play.core.connected(ms(1300));
    let again = play.hears("release");
    play.answers(1310, &again, json!({ "done": {} }));
    play.core.disconnected();
    play.core.connected(ms(1400));
    play.hears_no("release");
}

#[test]
fn late_grant_is_not_taken_for_next_request() {
    let mut play = Play::open();
    let (first, _) = play.acquire(1100, "x", Wait::Forever);
    let old = play.hears("acquire");
    play.core.abandon(ms(1110), first);
    let (second, mut granted) = play.acquire(1120, "x", Wait::Forever);
    let new = play.hears("acquire");
    assert_ne!(old["rid"], new["rid"]);
    play.grants(1130, &old, 5);
    assert!(granted.try_recv().is_err(), "not answered");
    assert!(!play.core.holds(ms(1130), second));
    play.grants(1140, &new, 6);
    assert_eq!(granted.try_recv().expect("answered").expect("granted").number(), 6);
}

#[test]
fn reconnect_resends_with_same_numbers() {
    let mut play = Play::open();
    let held = play.hold("x", 5);
    let (_, mut granted) = play.acquire(1200, "y", Wait::Forever);
    let before = play.hears("acquire");
    play.core.disconnected();
    assert!(play.core.holds(ms(1300), held), "a connection is no lease");
    play.core.connected(ms(1400));
    let again = play.hears("acquire");
    assert_eq!((&again["rid"], &again["session"]), (&before["rid"], &before["session"]));
    let beat = play.hears("keepalive");
    assert_eq!(beat["session"], SESSION);
    play.hears_no("open");
    play.grants(1410, &again, 6);
    assert_eq!(granted.try_recv().expect("answered").expect("granted").number(), 6);
    // The deadline is where it was until the sign of life is answered.
    assert_eq!(play.core.deadline(ms(1410), held), Some(DEADLINE));
}

#[test]
fn keep_alive_restores_lost_grant() {
    let mut play = Play::open();
    let forgotten = play.hold("x", 5);
    let (key, mut granted) = play.acquire(1200, "y", Wait::Forever);
    let question = play.hears("acquire");
    play.core.tick(ms(2000));
    let beat = play.hears("keepalive");
    let knows = json!([{ "rid": question["rid"], "state": "holds", "fence": "9" },
                       { "rid": 77, "state": "holds", "fence": "3" }]);
    play.answers(2010, &beat, json!({ "alive": { "valid_ms": 3000, "requests": knows } }));
    assert_eq!(granted.try_recv().expect("answered").expect("granted").number(), 9);
    assert!(play.core.holds(ms(2010), key));
    assert!(!play.core.holds(ms(2010), forgotten));
    assert_eq!(play.core.why_lost(forgotten).as_deref(), Some("its server does not know of it any more"));
    // What the server has and the client does not is given back.
    assert_eq!(play.hears("cancel")["rid"], 77);
}

#[test]
fn wait_times_out_without_the_server() {
    let mut play = Play::open();
    let (_, granted) = play.acquire(1100, "x", Wait::Most(ms(500)));
    assert_eq!(play.hears("acquire")["wait_ms"], 500);
    play.core.tick(ms(1599));
    play.hears_no("cancel");
    play.core.tick(ms(1600));
    assert_eq!(code(granted), Code::Timeout);
    play.hears("cancel");
    // A try does not wait, but its answer is waited for.
    let (_, granted) = play.acquire(1700, "x", Wait::Try(ms(200)));
    assert_eq!(play.hears("acquire")["wait_ms"], 0);
    play.core.tick(ms(1900));
    assert_eq!(code(granted), Code::NoServer);
    let (_, granted) = play.acquire(1900, "x", Wait::Try(ms(200)));
    let question = play.hears("acquire");
    play.refuses(1910, &question, "locked");
    assert_eq!(code(granted), Code::Locked);
}

#[test]
fn idle_client_leaves_server_that_cannot_grant() {
    for (held, word) in [(false, "no_lease"), (true, "no_lease"), (false, "draining"), (false, "recovering")]
    {
        let mut play = Play::open();
        if held {
            play.hold("x", 5);
        }
        let (_, mut granted) = play.acquire(1200, "y", Wait::Forever);
        let question = play.hears("acquire");
        play.refuses(1210, &question, word);
        assert!(granted.try_recv().is_err(), "it waits on");
        assert_eq!(play.hears("cancel")["rid"], question["rid"]);
        let moves = play.core.take_move_on().is_some();
        assert_eq!(moves, !held && word != "recovering", "{word}");
        if !moves {
            play.core.tick(ms(1300));
            play.core.tick(ms(1320));
            assert_ne!(play.hears("acquire")["rid"], question["rid"], "asked again, with another number");
        }
    }
}

#[test]
fn two_locks_with_the_same_number_are_two_locks() {
    let mut play = Play::open();
    let (one, two) = (play.hold("x", 5), play.hold("y", 5));
    let mut released = play.release(1200, one);
    let question = play.hears("release");
    assert_eq!(question["name"], "x");
    assert!(!play.core.holds(ms(1200), one) && play.core.holds(ms(1200), two));
    play.answers(1210, &question, json!({ "done": {} }));
    assert_eq!(released.try_recv().expect("answered"), Ok(()));
    let beliefs = play.core.slots[1].session.as_ref().expect("open").beliefs();
    assert_eq!(beliefs, [(2, Belief::Holds(Fence::from_number(5).expect("small")))]);
}

#[test]
fn a_release_says_what_became_of_it() {
    let mut play = Play::open();
    let key = play.hold("x", 5);
    let released = play.release(1200, key);
    let question = play.hears("release");
    play.refuses(1210, &question, "not_holder");
    assert_eq!(code(released), Code::NotHolder);
    // Too late: nothing is asked, for it is not held any more.
    let key = play.hold("x", 6);
    let released = play.release(DEADLINE.0 / 1000 + 1, key);
    assert_eq!(code(released), Code::SessionExpired);
    // The session ends before the answer.
    let mut play = Play::open();
    let key = play.hold("x", 5);
    let released = play.release(1200, key);
    play.core.tick(DEADLINE);
    assert_eq!(code(released), Code::SessionExpired);
}

#[test]
fn permanent_refusal_ends_the_wait() {
    let core = Core::new(Class::Normal, Some(ms(10)), "me".to_owned(), Some("0123456789abcdef".to_owned()));
    let mut play = Play { core, said: Vec::new() };
    play.core.connected(ms(1000));
    let (_, granted) = play.acquire(1000, "x", Wait::Forever);
    let open = play.hears("open");
    assert_eq!(open["ttl_ms"], 10);
    play.refuses(1010, &open, "bad_request");
    assert_eq!(code(granted), Code::BadRequest);
    assert_eq!(play.core.refused().expect("refused").code, Code::BadRequest);
    // What is only for now is tried elsewhere.
    let mut play = Play {
        core: Core::new(Class::Normal, None, String::new(), Some("0123456789abcdef".to_owned())),
        said: Vec::new(),
    };
    play.core.connected(ms(1000));
    let open = play.hears("open");
    play.refuses(1010, &open, "no_lease");
    assert_eq!(play.core.take_move_on().expect("another server").code, Code::NoLease);
}

/// The server says where its session is; or it only said that it leaves, and is gone.
#[test]
fn a_session_that_has_moved_is_followed() {
    let mut play = Play::open();
    let held = play.hold("x", 5);
    let (_, mut granted) = play.acquire(1200, "y", Wait::Forever);
    let waiting = play.hears("acquire");
    let refusal = json!({ "code": "moved", "message": "gone", "certain": "", "move_to": "https://b:1" });
    play.answers(1210, &waiting, json!({ "error": refusal }));
    assert!(granted.try_recv().is_err(), "it waits on");
    assert_eq!(play.core.take_seek(), Some(Some("https://b:1".to_owned())));
    assert_eq!(play.core.take_move_on(), None, "what is held is not given up");
    // At a server that does not know it nothing is said but that it lives, and nothing is believed.
    play.core.disconnected();
    play.core.seeks();
    let released = play.release(1215, held);
    play.core.connected(ms(1220));
    play.hears_no("acquire");
    play.hears_no("release");
    let alive = play.hears("keepalive");
    assert_eq!(alive["follow_key"], "0123456789abcdef");
    play.refuses(1230, &alive, "session_unknown");
    assert_eq!(play.core.take_seek(), Some(None), "somewhere else");
    // Where it is, everything is said again, with the same numbers.
    play.core.disconnected();
    play.core.seeks();
    play.core.connected(ms(1240));
    let alive = play.hears("keepalive");
    let requests = json!([{ "rid": 1, "state": "holds", "fence": "5" }]);
    play.answers(1250, &alive, json!({ "alive": { "valid_ms": 3000, "requests": requests } }));
    assert!(!play.core.is_seeking());
    let (again, release) = (play.hears("acquire"), play.hears("release"));
    assert_eq!((&again["rid"], &again["session"]), (&waiting["rid"], &json!(SESSION)));
    assert_eq!(release["fence"], "5");
    play.answers(1260, &release, json!({ "done": {} }));
    let mut released = released;
    assert_eq!(released.try_recv().expect("answered"), Ok(()));
    play.grants(1270, &again, 9);
    assert_eq!(granted.try_recv().expect("answered").expect("granted").number(), 9);
}

/// Of two sessions one is where the client looks: it stays there, and the other one is lost.
#[test]
fn search_for_scattered_sessions_ends() {
    let mut play = Play::open();
    let held = play.hold("x", 5);
    let (grants, _granted) = oneshot::channel();
    let wish = Wish { class: Class::Fast, ..wish("f", Wait::Forever) };
    play.core.acquire(ms(1100), wish, grants);
    let open = play.hears("open");
    play.opened(&open, 1110, OTHER);
    play.hears("acquire");
    play.core.disconnected();
    play.core.seeks();
    play.core.connected(ms(1200));
    let both = [play.hears("keepalive"), play.hears("keepalive")];
    for alive in both {
        if alive["session"] == OTHER {
            play.refuses(1210, &alive, "session_unknown");
            assert_eq!(play.core.take_seek(), None, "the other one may be here");
        } else {
            let requests = json!([{ "rid": 1, "state": "holds", "fence": "5" }]);
            play.answers(1210, &alive, json!({ "alive": { "valid_ms": 3000, "requests": requests } }));
        }
    }
    assert!(!play.core.is_seeking() && play.core.holds(ms(1220), held));
    assert_eq!(play.hears("open")["class"], "fast", "a new one, here");
}

#[test]
fn each_class_has_a_session_of_its_own() {
    let mut play = Play::open();
    let (grants, mut granted) = oneshot::channel();
    let wish = Wish { class: Class::Fast, kind: Kind::Election, ..wish("lead", Wait::Forever) };
    let key = play.core.acquire(ms(1100), wish, grants);
    play.hears_no("campaign");
    let open = play.hears("open");
    assert_eq!(open["class"], "fast");
    play.opened(&open, 1110, OTHER);
    let campaign = play.hears("campaign");
    assert_eq!(campaign["session"], OTHER);
    play.grants(1120, &campaign, 4);
    assert_eq!(granted.try_recv().expect("answered").expect("granted").number(), 4);
    // One of them ends without the other.
    play.core.end(Class::Normal, "a test");
    assert!(play.core.holds(ms(1130), key));
}

#[test]
fn a_connection_that_does_not_answer_is_noticed() {
    let mut play = Play::open();
    play.core.tick(ms(2000));
    play.hears("keepalive");
    assert!(!play.core.is_stalled(ms(2999)));
    assert!(play.core.is_stalled(ms(3000)));
    assert!(play.core.lives_until(ms(3000)).is_some(), "the session lives on");
}

#[test]
fn what_is_no_reply_is_said() {
    let mut play = Play::open();
    for line in ["", "{", "{}", "[]", r#"{"id":1,"granted":{}}"#, r#"{"id":"x","done":{}}"#] {
        assert!(play.core.line(ms(1100), line.as_bytes()).is_err(), "{line}");
    }
    // An answer to nothing is nothing; one to something else is a fault.
    assert!(play.core.line(ms(1100), br#"{"id":99,"done":{}}"#).is_ok());
    let (_, _granted) = play.acquire(1100, "x", Wait::Forever);
    let question = play.hears("acquire");
    let reply = json!({ "id": question["id"], "done": {} }).to_string();
    assert!(play.core.line(ms(1100), reply.as_bytes()).is_err());
}
