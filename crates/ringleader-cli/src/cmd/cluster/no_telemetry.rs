//! No telemetry: this program is built without it.

use crate::error::Diagnostic;
use ringleader_server::config::Config;
use ringleader_server::core::Core;

/// Nothing.
pub(super) struct Telemetry;

impl Telemetry {
    pub(super) fn of(config: &Config, _name: &str) -> Result<Telemetry, Diagnostic> {
        if config.collector.is_none() {
            return Ok(Telemetry);
        }
        let message = "the file has [otlp], and this program is built without telemetry";
        Err(Diagnostic::input("ringleader::not_built_in", message)
            .help("leave [otlp] out, and read /metrics; or build the program with it:")
            .command("cargo install --path crates/ringleader-cli --features otlp", ""))
    }

    #[expect(clippy::unused_self, reason = "the program with telemetry needs it")]
    pub(super) fn begins(&self, _core: &Core) -> Result<(), Diagnostic> {
        Ok(())
    }
}
