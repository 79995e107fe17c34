//! What other replicas send, read as far as it is read before anything is believed: for fuzzing. No list of all
//! kinds: one that is new and has nothing inside needs no line here.

use super::network::{Body, Envelope, Reply};
use super::types::{Change, Order, State, view_of};
use openraft::EntryPayload;
use ringleader_locks::{Command, Times, View};

/// A request.
pub fn request(bytes: &[u8]) {
    let Ok(envelope) = serde_json::from_slice::<Envelope>(bytes) else { return };
    if let Body::Snapshot(snapshot) = &envelope.body
        && let Some(state) = State::decode(&snapshot.data)
    {
        assert_eq!(State::decode(&state.encode()), Some(state));
    }
    for order in orders(envelope.body) {
        let Some(change) = Change::decode(&order.0) else { continue };
        assert_eq!(Change::decode(&change.order().0).as_ref(), Some(&change));
        let mut state = State::default();
        state.follow(&Change::Begin(1, Box::new(View::first(1, Times::default(), Vec::new()))));
        state.follow(&change);
    }
}

/// An answer.
pub fn reply(bytes: &[u8]) {
    let Ok(reply) = serde_json::from_slice::<Reply>(bytes) else { return };
    if let Reply::View(text) = &reply {
        let _ = view_of(&text.0);
    }
    let _ = reply.bytes();
}

/// The views and commands in a request: for recording seeds.
#[must_use]
pub fn carried(bytes: &[u8]) -> (Vec<View>, Vec<Command>) {
    let (mut views, mut commands) = (Vec::new(), Vec::new());
    let Ok(envelope) = serde_json::from_slice::<Envelope>(bytes) else { return (views, commands) };
    for order in orders(envelope.body) {
        let change = Change::decode(&order.0);
        if let Some(Change::Begin(_, view)) = change {
            views.push(*view);
        } else if let Some(Change::View(command)) = change {
            commands.push(command);
        }
    }
    (views, commands)
}

fn orders(body: Body) -> Vec<Order> {
    if let Body::Append(append) = body {
        let payloads = append.entries.into_iter().map(|entry| entry.payload);
        payloads
            .filter_map(|payload| if let EntryPayload::Normal(order) = payload { Some(order) } else { None })
            .collect()
    } else if let Body::Propose(order) = body {
        vec![order]
    } else {
        Vec::new()
    }
}
