//! A view in memory, for tests and for servers of one process: linearizable because there is only one, durable as long
//! as somebody has it.

use crate::store::{Later, StoreError, ViewStore};
use ringleader_locks::{Command, View};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// A view in memory. Its clones are the same store.
#[derive(Clone)]
pub struct Memory {
    view: Arc<Mutex<Arc<View>>>,
    hints: Arc<watch::Sender<u32>>,
    proposes: Arc<watch::Sender<bool>>,
}

impl Memory {
    /// A store that begins with this view.
    #[must_use]
    pub fn new(view: View) -> Memory {
        let hints = watch::Sender::new(view.epoch);
        Memory {
            view: Arc::new(Mutex::new(Arc::new(view))),
            hints: Arc::new(hints),
            proposes: Arc::new(watch::Sender::new(true)),
        }
    }

    fn with<T>(&self, look: impl FnOnce(&mut Arc<View>) -> T) -> T {
        look(&mut self.view.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ViewStore for Memory {
    fn read(&self) -> Later<'_, Result<Arc<View>, StoreError>> {
        Box::pin(async { Ok(self.with(|view| view.clone())) })
    }

    fn propose(&self, command: Command) -> Later<'_, Result<Arc<View>, StoreError>> {
        Box::pin(async move {
            let view = self.with(|view| {
                if let Ok(next) = view.after(&command) {
                    *view = Arc::new(next);
                }
                view.clone()
            });
            self.hints.send_replace(view.epoch);
            Ok(view)
        })
    }

    fn hints(&self) -> watch::Receiver<u32> {
        self.hints.subscribe()
    }

    fn proposes(&self) -> watch::Receiver<bool> {
        self.proposes.subscribe()
    }

    fn figures(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    fn close(&self) -> Later<'_, ()> {
        Box::pin(async {})
    }
}
