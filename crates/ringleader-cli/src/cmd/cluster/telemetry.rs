//! Telemetry of a server: its metrics, and a trace for each grant of a lock, of its wait and of its hold. All spans of
//! a grant have the trace of its name and its fence, wherever they come from.

use crate::error::Diagnostic;
use ringleader_locks::{Event, Fence, Kind, Name, SessionId};
use ringleader_net::clock;
use ringleader_otlp::{Exporter, Options, Span};
use ringleader_server::config::Config;
use ringleader_server::core::Core;
use ringleader_server::journal::way;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Which part of a trace a span is.
const WAIT: u64 = 1;
const HOLD: u64 = 2;

/// Where telemetry is to be sent, if it is.
pub(super) struct Telemetry(Option<Options>);

impl Telemetry {
    pub(super) fn of(config: &Config, name: &str) -> Result<Telemetry, Diagnostic> {
        let options = config.collector.as_ref().map(|collector| {
            let resource = [
                ("service.name", "ringleader"),
                ("service.namespace", config.cluster.as_str()),
                ("service.instance.id", name),
                ("service.version", env!("CARGO_PKG_VERSION")),
            ];
            let resource = resource.map(|(key, text)| (key.to_owned(), text.to_owned()));
            Options::new(collector, resource.into())
        });
        options.iter().try_for_each(|options| options.check()).map_err(bad)?;
        Ok(Telemetry(options))
    }

    pub(super) fn begins(&self, core: &Core) -> Result<(), Diagnostic> {
        let Some(options) = &self.0 else { return Ok(()) };
        let measured = core.clone();
        let text = move || measured.metrics().text(&measured);
        let exporter = Exporter::start(options, text).map_err(bad)?;
        let locks = Locks { exporter, held: Mutex::default() };
        core.observed_by(move |event| locks.happened(event));
        Ok(())
    }
}

fn bad(why: String) -> Diagnostic {
    Diagnostic::input("ringleader::bad_collector", why)
        .help("in the file: [otlp] collector = \"http://127.0.0.1:4318\"")
}

/// Makes spans of what happens.
struct Locks {
    exporter: Exporter,
    /// What is held here, by whom, and since when, in nanoseconds since 1970.
    held: Mutex<HashMap<Name, (Fence, SessionId, u64)>>,
}

impl Locks {
    fn happened(&self, event: &Event) {
        let now = clock::wall().saturating_mul(1000);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Granted { name, session, fence, class, path, waited } => {
                held.insert(name.clone(), (*fence, *session, now));
                let more = [("lock.class", class.name().to_owned()), ("lock.path", way(*path).to_owned())];
                let from = now.saturating_sub(waited.0.saturating_mul(1000));
                self.tells((WAIT, "lock.acquire"), (name, *fence), (from, now), more.into(), None);
            }
            Event::Released { name, fence } => {
                let since = held.remove(name).filter(|(held, ..)| held == fence);
                if let Some((_, _, since)) = since {
                    self.tells((HOLD, "lock.hold"), (name, *fence), (since, now), Vec::new(), None);
                }
            }
            Event::Lost { name, fence } => {
                let since = held.remove(name).filter(|(held, ..)| held == fence);
                if let Some((_, _, since)) = since {
                    let why = Some("the session of the holder ended");
                    self.tells((HOLD, "lock.hold"), (name, *fence), (since, now), Vec::new(), why);
                }
            }
            // It is held elsewhere from now on.
            Event::Left { session, .. } => held.retain(|_, (_, holder, _)| holder != session),
            Event::Expired(_)
            | Event::Arrived { .. }
            | Event::Installed { .. }
            | Event::Recovered { .. }
            | Event::Drained => {}
        }
    }

    fn tells(
        &self,
        (id, what): (u64, &'static str),
        (name, fence): (&Name, Fence),
        (from, until): (u64, u64),
        mut attributes: Vec<(&'static str, String)>,
        failure: Option<&'static str>,
    ) {
        let kind = match name.kind() {
            Kind::Lock => "lock",
            Kind::Election => "election",
        };
        let fence_text = fence.to_string();
        let number: u64 = fence_text.parse().unwrap_or_default();
        attributes.extend([
            ("lock.name", name.text().to_owned()),
            ("lock.kind", kind.to_owned()),
            ("lock.fence", fence_text),
        ]);
        let trace = u128::from(name.hash()) << 64 | u128::from(number);
        self.exporter.tell(Span { trace, id, name: what, from, until, attributes, failure });
    }
}
