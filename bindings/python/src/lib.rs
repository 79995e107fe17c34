//! The engines for Python. What people type and see is in `python/ringleader`; here is what only Rust can do: run,
//! check, search, make tables and pictures, with the options and the refusals of the command line.

mod algorithm;
mod ask;
mod frame;
mod picture;
mod refused;
mod sweep;
mod watch;

use pyo3::prelude::*;
use ringleader_lab::App;

/// Options that an environment variable may give, as on the command line.
const FROM_ENVIRONMENT: [(&str, &str); 3] =
    [("seed", "RINGLEADER_SEED"), ("max-steps", "RINGLEADER_MAX_STEPS"), ("threads", "RINGLEADER_THREADS")];

/// Who asks: commands that are shown can be typed, where the command line is installed.
fn app() -> App {
    let given = |(option, name): (&'static str, &str)| Some((option, std::env::var(name).ok()?));
    App {
        program: "ringleader".into(),
        registry: ringleader_errata::all(),
        usual: FROM_ENVIRONMENT.into_iter().filter_map(given).collect(),
    }
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::algorithm::Algorithm;
    #[pymodule_export]
    use super::ask::{algorithms, cases, check, compare, constants, options, run, show, trace, worst};
    #[pymodule_export]
    use super::frame::Frame;
    #[pymodule_export]
    use super::picture::{draw, live};
    #[pymodule_export]
    use super::sweep::Sweep;
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
