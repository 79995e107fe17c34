//! What Raft is told about us: the types, the entries of its log, and the state that they make.

use crate::store::{StoreError, raised};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ringleader_locks::{Command, View};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::io::Cursor;
use std::sync::Arc;

openraft::declare_raft_types!(
    /// The types of our Raft.
    pub(crate) Types:
        D = Order,
        R = (),
        NodeId = u64,
        Node = Member,
        SnapshotData = Cursor<Vec<u8>>,
);

pub(crate) type Raft = openraft::Raft<Types>;
pub(crate) type Entry = openraft::Entry<Types>;
pub(crate) type LogId = openraft::LogId<u64>;
pub(crate) type Vote = openraft::Vote<u64>;
pub(crate) type Membership = openraft::StoredMembership<u64, Member>;
pub(crate) type SnapshotMeta = openraft::SnapshotMeta<u64, Member>;
pub(crate) type StorageError = openraft::StorageError<u64>;

/// What the membership of Raft says of a server: the number of the directory in which it keeps its log.
///
/// It is part of the membership, so whoever counts a server's votes knows it, and a voter gives its word only to who
/// names its directory. A server that lost its directory has another number: it cannot vote twice, or acknowledge less
/// than it did before, from its very first vote on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Member {
    pub(crate) disk: u64,
}

/// A change of the state in bytes. It stays bytes until it is applied: a replica that does not know an order keeps it
/// and hands it on, but stops when it would have to follow it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Order(pub(crate) Vec<u8>);

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Change::decode(&self.0))
    }
}

/// Bytes as text, for they travel and rest in JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Text(pub(crate) Vec<u8>);

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD_NO_PAD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD_NO_PAD.decode(text).map(Text).map_err(serde::de::Error::custom)
    }
}

impl Serialize for Order {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD_NO_PAD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Order, D::Error> {
        Text::deserialize(deserializer).map(|text| Order(text.0))
    }
}

/// What an order says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// The cluster begins: its number, drawn once, and its first view. Only the first one counts.
    Begin(u64, Box<View>),
    /// The view changes.
    View(Command),
    /// After a backup was put back: no epoch below this one, and nobody is in any more.
    Floor(u32),
}

impl Change {
    pub(crate) fn order(&self) -> Order {
        let mut bytes = Vec::new();
        match self {
            Change::Begin(cluster, view) => {
                bytes.push(1);
                bytes.extend(cluster.to_le_bytes());
                view.encode(&mut bytes);
            }
            Change::View(command) => {
                bytes.push(2);
                command.encode(&mut bytes);
            }
            Change::Floor(epoch) => {
                bytes.push(3);
                bytes.extend(epoch.to_le_bytes());
            }
        }
        Order(bytes)
    }

    /// What these bytes say; none if this version does not know.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Change> {
        let (kind, rest) = bytes.split_first()?;
        Some(match *kind {
            1 => {
                let (cluster, view) = rest.split_first_chunk()?;
                Change::Begin(u64::from_le_bytes(*cluster), Box::new(View::decode(view).ok()?))
            }
            2 => Change::View(Command::decode(rest).ok()?),
            3 => Change::Floor(u32::from_le_bytes(rest.try_into().ok()?)),
            _ => return None,
        })
    }
}

/// What all orders together make.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct State {
    /// The number of the cluster; none before it has begun.
    pub(crate) cluster: Option<u64>,
    pub(crate) view: Option<Arc<View>>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    cluster: Option<u64>,
    view: Option<Text>,
}

impl State {
    /// The state after a change.
    pub(crate) fn follow(&mut self, change: &Change) {
        match change {
            Change::Begin(cluster, view) => {
                if self.cluster.is_none() {
                    self.cluster = Some(*cluster);
                    self.view = Some(Arc::new(View::clone(view)));
                }
            }
            Change::View(command) => {
                // A command for another epoch changes nothing.
                if let Some(next) = self.view.as_ref().and_then(|view| view.after(command).ok()) {
                    self.view = Some(Arc::new(next));
                }
            }
            Change::Floor(epoch) => {
                if let Some(next) = self.view.as_ref().and_then(|view| raised(view, *epoch)) {
                    self.view = Some(Arc::new(next));
                }
            }
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let view = self.view.as_ref().map(|view| Text(view_bytes(view)));
        json(&Written { cluster: self.cluster, view })
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<State> {
        let written: Written = serde_json::from_slice(bytes).ok()?;
        let view = match written.view {
            Some(text) => Some(Arc::new(View::decode(&text.0).ok()?)),
            None => None,
        };
        Some(State { cluster: written.cluster, view })
    }
}

/// A view in bytes.
pub(crate) fn view_bytes(view: &View) -> Vec<u8> {
    let mut bytes = Vec::new();
    view.encode(&mut bytes);
    bytes
}

/// A view of bytes.
pub(crate) fn view_of(bytes: &[u8]) -> Result<Arc<View>, StoreError> {
    View::decode(bytes).map(Arc::new).map_err(|error| {
        StoreError::Broken(format!("the view is one that this version cannot read: {error:?}"))
    })
}

/// As JSON. Our own types always have a form in it: numbers, texts, lists, and maps with numbers as keys.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
