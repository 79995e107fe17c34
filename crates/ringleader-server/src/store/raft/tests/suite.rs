//! What openraft demands of a store, by its own tests; and the forms of what is in the log.

use super::*;
use crate::store::raft::types::{State, StorageError, Types};
use openraft::testing::{StoreBuilder, Suite};
use ringleader_locks::Class;

struct Builder;

impl StoreBuilder<Types, Keeper, Machine, TempDir> for Builder {
    async fn build(&self) -> Result<(TempDir, Keeper, Machine), StorageError> {
        let dir = tempfile::tempdir().expect("a directory");
        let (disk, found) = Disk::open(dir.path(), None, Arc::default()).expect("it is new");
        let writer = Writer::start(disk).expect("a thread");
        let shared = Arc::new(Shared::new(0, None, Arc::default(), Vec::new()).expect("it is new"));
        // It purges without a snapshot.
        shared.snapshot.send_replace(Some(u64::MAX));
        let keeper = Keeper::new(&found, writer.clone(), shared.clone()).expect("it is empty");
        let machine = Machine::new(&found, writer, shared).expect("it is empty");
        Ok((dir, keeper, machine))
    }
}

#[test]
fn the_store_does_what_openraft_demands() {
    Suite::test_all(Builder).expect("every test of the suite");
}

#[test]
fn orders_and_states_come_back_as_they_were() {
    let mut view = View::first(7, Times::default(), vec![("batch/".to_owned(), Class::Batch)]);
    view = view.after(&Command::Admit(7, 3, 99)).expect("it is new");
    let changes = [
        Change::Begin(5, Box::new(view.clone())),
        Change::View(Command::Exclude(8, 3)),
        Change::Floor(1_000),
    ];
    let mut state = State::default();
    for change in &changes {
        let order = change.order();
        assert_eq!(Change::decode(&order.0).as_ref(), Some(change));
        for end in 0..order.0.len() {
            assert_ne!(Change::decode(&order.0[..end]).as_ref(), Some(change), "a part is not the whole");
        }
        state.follow(change);
        assert_eq!(State::decode(&state.encode()), Some(state.clone()));
    }
    assert_eq!(Change::decode(&[99]), None);
    let view = state.view.expect("it has begun");
    assert_eq!((view.epoch, view.members.len(), view.past.len()), (1_000, 0, 3));
    state = State { view: Some(view), ..state };
    state.follow(&Change::Begin(6, Box::new(View::first(1, Times::default(), Vec::new()))));
    assert_eq!(
        (state.cluster, state.view.map(|view| view.epoch)),
        (Some(5), Some(1_000)),
        "a cluster begins once"
    );
}
