//! Whoever waits for an answer.

use super::Facts;
use crate::words;
use ringleader_locks::{Answer, Asker, Name};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};

use ringleader_client::api::Refusal;
pub use ringleader_client::api::Reply;

/// How an answer gets to whoever waits for it.
pub(super) enum Waiting {
    /// Somebody in this process waits.
    One(oneshot::Sender<Result<Answer, Refusal>>),
    /// Nobody does: it only matters whether there is one at once.
    Nobody,
    /// It is written to a connection.
    Stream { outbox: Arc<Outbox>, id: u64, context: Context },
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Unanswered {
    /// The server has stopped.
    Stopped,
    /// Whoever asked may not any more.
    Forbidden(Box<Refusal>),
}

/// What was asked, as far as the answer has to say it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Context {
    /// A session.
    Open,
    /// A lock, or to lead.
    Acquire(Name),
    /// Something else.
    Other,
}

impl Context {
    /// Nothing has to be said again.
    pub const NOTHING: Context = Context::Other;
}

/// What waits to be written to one connection.
#[derive(Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    more: Notify,
}

#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    askers: BTreeSet<Asker>,
}

impl Outbox {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn waits_for(&self, asker: Asker) {
        self.queue().askers.insert(asker);
    }

    pub(super) fn waits_no_more_for(&self, asker: Asker) {
        self.queue().askers.remove(&asker);
    }

    /// How many questions have no answer yet.
    pub fn waits(&self) -> usize {
        self.queue().askers.len()
    }

    /// The questions that have no answer yet; they are forgotten.
    pub fn abandon(&self) -> BTreeSet<Asker> {
        std::mem::take(&mut self.queue().askers)
    }

    pub(super) fn put(&self, facts: &Facts, id: u64, context: &Context, answer: Answer) {
        self.reply(&Reply { id, outcome: words::outcome(facts, context, answer) });
    }

    /// Queues a reply.
    pub fn reply(&self, reply: &Reply) {
        let mut queue = self.queue();
        // A reply is plain data: it can always be written.
        let _ = serde_json::to_writer(&mut queue.bytes, reply);
        queue.bytes.push(b'\n');
        drop(queue);
        self.more.notify_one();
    }

    /// Everything that waits, in exchange for an empty buffer; whether there was something.
    pub fn take(&self, buffer: &mut Vec<u8>) -> bool {
        let mut queue = self.queue();
        std::mem::swap(&mut queue.bytes, buffer);
        !buffer.is_empty()
    }

    /// How much waits.
    pub fn len(&self) -> usize {
        self.queue().bytes.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Until there may be something.
    pub async fn filled(&self) {
        self.more.notified().await;
    }
}
