//! What happens to a node, one line each: in the log, as far as its level lets it through, and all of it in the file of
//! events, unbuffered, for whoever wants to hold the promises against what was reported. Nodes that run algorithms and
//! servers of the lock service write the same kind of line.

use crate::events::Events;
use ringleader_live::Micros;
use serde::Serialize;
use std::io;
use std::path::Path;

/// Declares a line: what every line has, and what only some have.
macro_rules! line {
    ($($(#[$doc:meta])* $name:ident: $of:ty => $log:expr,)*) => {
        /// One line. Times are microseconds on the clock that promises are counted on.
        #[derive(Clone, Serialize, Debug)]
        pub struct Line<'a> {
            /// What happened.
            pub event: &'static str,
            /// When.
            pub at_us: u64,
            /// To which node of an algorithm.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub member: Option<&'a str>,
            /// To which server of the lock service.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub server: Option<&'a str>,
            /// Its incarnation.
            pub incarnation: &'a Incarnation,
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$of>,)*
            /// How loud it is in the log.
            #[serde(skip)]
            pub level: Level,
        }

        impl<'a> Line<'a> {
            fn new(event: &'static str, at: Micros, level: Level, incarnation: &'a Incarnation) -> Line<'a> {
                Line { event, at_us: at.0, member: None, server: None, incarnation, $($name: None,)* level }
            }

            /// Hands it to whoever subscribed.
            fn log(&self) {
                macro_rules! at {
                    ($level:expr) => {
                        tracing::event!(
                            $level,
                            event = self.event,
                            at_us = self.at_us,
                            member = self.member,
                            server = self.server,
                            incarnation = self.incarnation.value(),
                            $($name = self.$name.as_ref().map($log),)*
                        )
                    };
                }
                match self.level {
                    Level::Debug => at!(tracing::Level::DEBUG),
                    Level::Info => at!(tracing::Level::INFO),
                    Level::Warn => at!(tracing::Level::WARN),
                    Level::Error => at!(tracing::Level::ERROR),
                }
            }
        }
    };
}

line! {
    /// The other node that it is about.
    peer: &'a str => |text| *text,
    /// The group.
    group: &'a str => |text| *text,
    /// The lock.
    name: &'a str => |text| *text,
    /// `lock` or `election`.
    kind: &'static str => |text| *text,
    /// The session.
    session: String => String::as_str,
    /// The fence.
    fence: String => String::as_str,
    /// The class.
    class: &'static str => |text| *text,
    /// How a grant came about.
    path: &'static str => |text| *text,
    /// After how long.
    waited_us: u64 => |number| *number,
    /// The number of the epoch.
    epoch: u64 => |number| *number,
    /// Whether the server is a member.
    joined: bool => |flag| *flag,
    /// How many tokens it kept, or came with a session.
    kept: usize => |number| *number as u64,
    /// Who opened the epoch.
    steward: &'a str => |text| *text,
    /// Until when it is promised.
    until_us: u64 => |number| *number,
    /// Why the lease is over.
    ending: &'static str => |text| *text,
    /// Why, in one word.
    reason: &'static str => |text| *text,
    /// Why, in a sentence.
    why: &'a str => |text| *text,
    /// Where from, or where.
    address: String => String::as_str,
    /// Who takes part.
    participants: Vec<&'a str> => |names| tracing::field::display(names.join(",")),
    /// Its index among them.
    index: u32 => |number| *number,
    /// How far a clock is off.
    ppm: i64 => |number| *number,
    /// How many more there were of the same kind, of which nothing was written.
    held_back: u64 => |number| *number,
    /// How many sessions may not go on.
    forbidden: usize => |number| *number as u64,
    /// What is different in the file, and needs a restart.
    needs_restart: &'a str => |text| *text,
}

/// How loud a line is in the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// For whoever looks for something.
    Debug,
    /// The course of things.
    Info,
    /// Somebody should know.
    Warn,
    /// Somebody must do something.
    Error,
}

/// Which run of a node.
#[derive(Clone, Serialize, Debug)]
#[serde(untagged)]
pub enum Incarnation {
    /// Of an algorithm.
    Number(u64),
    /// Of a server: numbers of 64 bits are not safe in JSON.
    Text(String),
}

impl Incarnation {
    fn value(&self) -> &dyn tracing::Value {
        match self {
            Incarnation::Number(number) => number,
            Incarnation::Text(text) => text,
        }
    }
}

/// Whose lines they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Writer {
    Member,
    Server,
}

/// Writes lines about one node.
pub struct Journal {
    writer: Writer,
    own: String,
    pub(crate) names: Vec<String>,
    /// The names of the groups, and whether they elect.
    pub(crate) groups: Vec<(String, bool)>,
    incarnation: Incarnation,
    events: Option<Events>,
}

impl Journal {
    /// Lines about this run of this server; to this file too, if there is one.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn of_server(own: &str, incarnation: u64, events: Option<&Path>) -> io::Result<Journal> {
        let incarnation = Incarnation::Text(format!("{incarnation:016x}"));
        Journal::new(Writer::Server, own, incarnation, events)
    }

    pub(crate) fn of_member(own: &str, incarnation: u64, events: Option<&Path>) -> io::Result<Journal> {
        Journal::new(Writer::Member, own, Incarnation::Number(incarnation), events)
    }

    fn new(
        writer: Writer,
        own: &str,
        incarnation: Incarnation,
        events: Option<&Path>,
    ) -> io::Result<Journal> {
        Ok(Journal {
            writer,
            own: own.to_owned(),
            names: Vec::new(),
            groups: Vec::new(),
            incarnation,
            events: events.map(Events::open).transpose()?,
        })
    }

    pub(crate) fn renumbered(&mut self, incarnation: u64) {
        self.incarnation = Incarnation::Number(incarnation);
    }

    /// A line with nothing on it yet.
    #[must_use]
    pub fn line(&self, event: &'static str, at: Micros, level: Level) -> Line<'_> {
        let mut line = Line::new(event, at, level, &self.incarnation);
        match self.writer {
            Writer::Member => line.member = Some(&self.own),
            Writer::Server => line.server = Some(&self.own),
        }
        line
    }

    /// Whether anybody reads lines that are not very loud.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.events.is_some() || tracing::enabled!(tracing::Level::DEBUG)
    }

    /// Writes a line. An events file that cannot be written to is given up with a word in the log: the node is worth
    /// more than its history.
    pub fn write(&self, line: &Line<'_>) {
        line.log();
        let Some(events) = &self.events else { return };
        if let Err(error) = events.write(line) {
            let why = error.to_string();
            let failed = self.line("events_failed", Micros(line.at_us), Level::Error);
            Line { why: Some(&why), ..failed }.log();
        }
    }
}
