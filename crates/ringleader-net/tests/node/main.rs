//! Members that run: nodes in this process, on real sockets, with peers, strangers and cables that misbehave.

mod cable;
mod fixture;
mod members;
mod peers;
mod strangers;
