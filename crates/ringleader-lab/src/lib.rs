//! What stands between the library and whoever asks: experiments (many runs, worst cases, sweeps), the tables that come
//! of them, the formats that other programs read, and pictures.

pub mod compare;
pub mod draw;
pub mod formats;
pub mod growth;
pub mod number;
pub mod reason;
pub mod sizes;
pub mod stats;
pub mod suggest;
pub mod sweep;
pub mod table;
pub mod worst;
