//! The code for the messages and the services of `proto`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto");
    // Read by a library, so that nobody has to install `protoc`.
    let files = protox::compile(["kv.proto", "rpc.proto", "lock.proto", "election.proto"], ["proto"])?;
    tonic_prost_build::configure().build_transport(false).compile_fds(files)?;
    Ok(())
}
