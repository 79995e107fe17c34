//! A storage that protects itself, and a program that writes to it under a lock.
//!
//! The lock says when the program should write; the storage says whether it may. Both are needed: a program that was
//! paused just before its write does not know that its lease has ended, and no clock of its own can tell it in time.
//!
//! The same in SQL, where the storage has transactions already:
//!
//! ```sql
//! UPDATE report SET body = :body, fence = :fence WHERE id = :id AND fence <= :fence;
//! -- no row changed: somebody with a larger fence was here; stop, and do not try again with this one
//! ```
//!
//! And over HTTP, in front of a storage that knows nothing of it:
//!
//! ```console
//! $ ringleader fence proxy --upstream http://127.0.0.1:9000 --listen 127.0.0.1:7440
//! $ ringleader lock report -- sh -c 'curl -f -T report -H "Ringleader-Fence: $RINGLEADER_FENCE" 127.0.0.1:7440/report'
//! ```

use ringleader_client::fence::{Gate, Verdict};
use ringleader_client::{Client, Fence, LockError};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Documents by name, in memory; the largest fence of each is on the disk.
pub struct Storage {
    gate: Gate,
    documents: Mutex<BTreeMap<String, String>>,
}

impl Storage {
    /// With the fences in this file.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(fences: &Path) -> io::Result<Storage> {
        Ok(Storage { gate: Gate::open(fences)?, documents: Mutex::new(BTreeMap::new()) })
    }

    /// Writes a document, unless somebody with a larger fence has: then it says which that was.
    ///
    /// # Errors
    /// If the disk does not take the fence; nothing is written then.
    pub fn put(&self, name: &str, body: &str, fence: Fence) -> io::Result<Verdict> {
        // Held around both: what was let through is written before the next one is compared.
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let verdict = self.gate.check(name, fence)?;
        if verdict == Verdict::Fresh {
            documents.insert(name.to_owned(), body.to_owned());
        }
        Ok(verdict)
    }

    /// Reads a document.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// Writes a document under the lock of its name, and says whether the storage took it.
///
/// # Errors
/// If the lock is not to be had. A write that was refused is no error: somebody else has done it since.
pub async fn write_under_lock(
    client: &Client,
    storage: &Storage,
    name: &str,
    body: &str,
) -> Result<bool, LockError> {
    let guard = client.lock(name).acquire().await?;
    // A look at the clock saves work that would be in vain; what protects the document is the fence.
    let taken = guard.is_held() && matches!(storage.put(name, body, guard.fence()), Ok(Verdict::Fresh));
    match guard.release().await {
        Ok(()) => {}
        // It is free at the latest when the session ends, and what was written was written with the fence.
        Err(error) => tell(&error),
    }
    Ok(taken)
}

#[expect(clippy::print_stderr, reason = "an example that has nobody else to tell")]
fn tell(error: &LockError) {
    eprintln!("not released: {error}");
}
