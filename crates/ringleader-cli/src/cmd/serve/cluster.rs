//! `ringleader serve --cluster`.

use crate::args::ServeArgs;
use crate::error::Diagnostic;
use ringleader_page::http::Look;
use ringleader_server::look::{Asked, Targets};

/// Asks the cluster that the words after `--cluster` mean, whenever the page does.
pub(super) fn look(args: &ServeArgs) -> Result<Look, Diagnostic> {
    let targets = Targets::new(&Asked {
        cluster: args.cluster.clone(),
        authority: args.authority.clone(),
        certificate: args.certificate.clone(),
        token_file: args.cluster_token_file.clone(),
    })?;
    Ok(Box::new(move || Ok(targets.look())))
}
