//! The whole command line over this crate's own registry: `cargo run -p own-election -- run roll-call -n 5`;
//! from a copy outside the repository, `cargo run -- run roll-call -n 5`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ringleader_cli::main(own_election::REGISTRY)
}
