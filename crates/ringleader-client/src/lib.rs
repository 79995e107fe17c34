//! A client of the Ringleader lock service.
//!
//! A lease is a promise about two clocks, not about your writes: after the deadline you must have stopped,
//! and a process that is paused does not know. Only a storage that refuses smaller fences protects data (see
//! [`fence`]).
//!
//! ```no_run
//! # async fn example() -> Result<(), ringleader_client::LockError> {
//! use ringleader_client::{Client, Options};
//! let client = Client::connect(Options::new(["unix:ringleader.sock".parse()?])).await?;
//! let guard = client.lock("nightly-backup").acquire().await?;
//! tokio::select! {
//!     () = write_the_backup(guard.fence()) => guard.release().await?,
//!     lost = guard.lost() => eprintln!("stopped: {lost}"),
//! }
//! # Ok(()) }
//! # async fn write_the_backup(fence: ringleader_client::Fence) {}
//! ```
//!
//! From below: `core` decides, without sockets or clocks; `link` carries what it says to a server and back;
//! [`Client`] and [`Guard`] are what a program uses, [`blocking`] the same for programs without tokio.

pub mod api;
pub mod blocking;
mod client;
pub mod clock;
mod connect;
mod core;
mod endpoint;
mod error;
pub mod fence;
mod guard;
pub mod http;
mod link;
mod observe;
mod options;
pub mod proxy;
mod resource;
pub mod tls;

pub use client::{Asking, Client};
pub use endpoint::Endpoint;
pub use error::{Code, LockError};
pub use guard::{Guard, Lost};
pub use observe::Observer;
pub use options::{Credentials, Options};
pub use ringleader_live::Micros;
pub use ringleader_locks::{Class, Fence, Kind, Mode};
