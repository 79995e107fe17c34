//! The binary `ringleader`: the command line over all algorithms of the library.

fn main() -> std::process::ExitCode {
    ringleader_cli::main(ringleader_errata::all())
}
