//! The program of the exercise: the command line over the algorithm that was handed in.

use std::process::ExitCode;

fn main() -> ExitCode {
    ringleader_cli::main(own_election::REGISTRY)
}
