//! Checks as jobs. Where a test needs one that is under way, it is one without a thread, so that no test depends on who
//! is faster.

use super::*;
use crate::check::{State, prepare};
use crate::{Compared, OptionValue, Options, Planned, PlannedCheck, Words};
use ringleader::check::Scope;
use ringleader::registry::Entry;
use ringleader::sim::Edit;
use std::sync::mpsc;

/// Understands the number of processes.
struct Few;

fn nothing<Answer>() -> Result<Answer, Diagnostic> {
    Err(Diagnostic::input("test", "nobody asks for that here"))
}

impl Words for Few {
    fn registry(&self) -> &'static [Entry] {
        ringleader_errata::all()
    }

    fn version(&self) -> String {
        "few 0".into()
    }

    fn run(&self, _: &str, _: &Options, _: &[Edit]) -> Result<Planned, Diagnostic> {
        nothing()
    }

    fn check(&self, algorithm: &str, options: &Options) -> Result<PlannedCheck, Diagnostic> {
        let n = match options.get("nodes") {
            Some(OptionValue::One(word)) => word.parse().unwrap_or(4),
            Some(OptionValue::Several(_) | OptionValue::Flag(_)) | None => 4,
        };
        let entry = ringleader_errata::all().iter().find(|entry| entry.spec.name == algorithm);
        let Some(entry) = entry else { return nothing() };
        let command = format!("few check {algorithm} -n {n}");
        Ok(PlannedCheck { algorithm: entry.spec.name, scope: Scope::new(n), command, time_limit: None })
    }

    fn expected_states(&self, _: &PlannedCheck) -> Option<u64> {
        None
    }

    fn compare(&self, _: &[String], _: &Options) -> Result<Compared, Diagnostic> {
        nothing()
    }
}

fn prepared(algorithm: &str, nodes: u32) -> Prepared {
    let question = format!(r#"{{"algorithm":"{algorithm}","options":{{"nodes":"{nodes}"}}}}"#);
    prepare(&Few, question.as_bytes()).expect("it may be made")
}

fn nobody(_: &Prepared, _: &Checked) {}

/// A job under way, without a thread.
fn under_way(jobs: &Jobs) -> Arc<Job> {
    let mut kept = locked(&jobs.kept);
    kept.count += 1;
    let job = Arc::new(Job::new(kept.count.to_string(), None, jobs.patience));
    kept.jobs.push_back(Arc::clone(&job));
    job
}

const FAR: Progress = Progress { cases: 2, cases_total: Some(3), states: 1000, depth: 12 };

#[test]
fn a_check_runs_and_what_came_of_it_stays() {
    let jobs = Jobs::default();
    let (tell, told) = mpsc::channel();
    let over =
        move |_: &Prepared, checked: &Checked| tell.send(checked.recording.is_some()).expect("it is heard");
    let started = jobs.start(prepared("chang-roberts@as-printed", 3), over).expect("there is room");
    assert_eq!(
        (started.job.as_str(), started.command.as_str()),
        ("1", "few check chang-roberts@as-printed -n 3")
    );
    assert_eq!(told.recv(), Ok(true), "whoever keeps counterexamples hears of it");
    jobs.find("1").expect("it is there").wait();
    let first = jobs.look("1").expect("it was not refused");
    assert_eq!((first.state, first.counterexample), (State::Done, true));
    assert_eq!(first.findings.as_ref().map(|findings| &findings["verdict"]), Some(&"violated".into()));
    assert_eq!(jobs.look("1").expect("it is still there"), first, "the clock stands still");
    assert_eq!(jobs.stop("1").expect("it is still there"), first, "what is over cannot be stopped");
}

#[test]
fn one_sees_how_far_it_is() {
    let jobs = Jobs::default();
    let job = under_way(&jobs);
    let look = jobs.look("1").expect("it is there");
    assert_eq!((look.state, look.progress, look.findings), (State::Running, None, None));
    assert_eq!(job.goes_on(FAR), ControlFlow::Continue(()));
    assert_eq!(jobs.look("1").expect("it is there").progress, Some(FAR));
}

#[test]
fn a_check_can_be_stopped() {
    let jobs = Jobs::default();
    let job = under_way(&jobs);
    job.stopped.store(true, Ordering::Relaxed);
    job.work(&prepared("maekawa", 4), nobody);
    let look = jobs.look("1").expect("it is there");
    assert_eq!(look.state, State::Stopped);
    assert_eq!(look.findings.map(|findings| findings["verdict"].clone()), Some("unknown".into()));
    let started = jobs.start(prepared("maekawa", 4), nobody).expect("there is room");
    let look = jobs.stop(&started.job).expect("it is there");
    assert!(look.findings.is_some(), "stop waits until it is over: {:?}", look.state);
}

#[test]
fn checks_end_with_the_server() {
    let jobs = Jobs::default();
    let job = under_way(&jobs);
    assert_eq!(job.goes_on(FAR), ControlFlow::Continue(()));
    drop(jobs);
    assert_eq!(job.goes_on(FAR), ControlFlow::Break(()));
}

#[test]
fn the_verbs_are_check_look_and_stop() {
    let (jobs, stage) = (Jobs::default(), Arc::new(Stage::new(Box::new(Few))));
    let call = |verb: &str, question: &str| jobs.call(&stage, verb, question.as_bytes());
    let started = call("check", r#"{"algorithm":"chang-roberts","options":{"nodes":"3"}}"#);
    assert_eq!(
        started,
        Some(Ok(r#"{"job":"1","command":"few check chang-roberts -n 3","expected_states":null}"#.into()))
    );
    jobs.find("1").expect("it is there").wait();
    let looked = call("look", r#"{"job":"1"}"#).expect("it is a verb").expect("it was not refused");
    assert!(looked.starts_with(r#"{"state":"done","seconds":"#), "{looked}");
    assert!(looked.contains(r#""findings":{"schema":"ringleader.check/1""#), "{looked}");
    assert!(looked.contains(r#""counterexample":false,"graph":{"depths":[0,1,"#), "{looked}");
    assert!(looked.ends_with(r#""way":[]}}"#), "{looked}");
    assert_eq!(call("stop", r#"{"job":"1"}"#), Some(Ok(looked)));
    assert!(matches!(call("stop", r#"{"job":"2"}"#), Some(Err(_))));
    assert_eq!(call("about", "{}"), None);
}

#[test]
fn a_check_has_its_time() {
    let jobs = Jobs::default();
    let job = Job::new("x".into(), Some(Duration::ZERO), PATIENCE);
    locked(&jobs.kept).jobs.push_back(Arc::new(job));
    let job = jobs.find("x").expect("it is there");
    job.work(&prepared("maekawa", 4), nobody);
    let look = job.look().expect("it was not refused");
    assert_eq!(look.state, State::Done, "nobody stopped it: its time was over");
    assert_eq!(look.findings.map(|findings| findings["limit"]["kind"].clone()), Some("time".into()));
}

#[test]
fn a_check_that_nobody_looks_at_ends() {
    let jobs = Jobs::with_patience(Duration::ZERO);
    let job = under_way(&jobs);
    job.work(&prepared("maekawa", 4), nobody);
    assert_eq!(job.look().expect("it was not refused").state, State::Stopped);
}

#[test]
fn no_more_than_two_run_at_once() {
    let jobs = Jobs::default();
    let first = under_way(&jobs);
    under_way(&jobs);
    let busy = jobs.start(prepared("chang-roberts", 3), nobody).expect_err("two are under way");
    assert_eq!((busy.code, busy.message.as_str()), ("busy", "2 checks are under way already"));
    first.work(&prepared("chang-roberts", 3), nobody);
    jobs.start(prepared("chang-roberts", 3), nobody).expect("one is over");
}

#[test]
fn the_oldest_that_is_over_makes_room() {
    let jobs = Jobs::default();
    under_way(&jobs);
    for _ in 0..KEPT_MAX + 3 {
        let started = jobs.start(prepared("chang-roberts", 2), nobody).expect("there is room");
        jobs.find(&started.job).expect("it is there").wait();
    }
    assert_eq!(locked(&jobs.kept).jobs.len(), KEPT_MAX);
    assert_eq!(jobs.look("1").expect("it is under way, and stays").state, State::Running);
    let gone = jobs.look("2").expect_err("it had to go");
    assert_eq!((gone.code, gone.message.as_str()), ("no_such_job", "there is no check `2` here"));
}

#[test]
fn panic_of_a_job_is_reported() {
    let jobs = Jobs::default();
    let job = under_way(&jobs);
    let broken = |_: &Prepared, _: &Checked| panic!("a mistake");
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| job.work(&prepared("chang-roberts", 2), broken));
        worker.join().expect("the panic is caught");
    });
    assert_eq!(job.look().expect_err("it broke off").code, "internal");
}
