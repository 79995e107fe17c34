//! The files of a node, read again while it runs. What is read is used only if all of it is right: otherwise everything
//! stays as it was.

use crate::Problem;
use crate::config::Security;
use crate::mesh::{Means, Trust};
use crate::tls::Identity;
use core::fmt;
use std::sync::Arc;

/// Who this node is by the files of now, if they may take the place of those that it runs with; none in plain text, as
/// at its start.
///
/// # Errors
/// If a file cannot be read, is not what it should be, or others would refuse what is in it.
pub fn identity(
    is_plain: bool,
    now: &Security,
    cluster: &str,
    name: &str,
) -> Result<Option<Identity>, Problem> {
    if is_plain != (*now == Security::Plain) {
        let message = "a node cannot change between [tls] and [plain] while it runs";
        return Err(Problem::input("plain_text", message).help("stop it, and start it again"));
    }
    // Names of certificates have the cluster in them: that of the start.
    let identity = Identity::read(now, cluster)?;
    if let Some(Err(why)) = identity.as_ref().map(|identity| identity.is_believed(name)) {
        let message = format!("the certificate of `{name}` would be refused by others: {why}");
        return Err(Problem::environment(why.code, message));
    }
    Ok(identity)
}

/// What is wrong, and where, in one line.
#[must_use]
pub fn said(problem: &Problem) -> String {
    let place = problem.spots.first().map_or_else(String::new, |spot| {
        format!(", line {}, column {}: {}", spot.line, spot.column, spot.label)
    });
    format!("{}{place}; everything stays as it was", problem.message)
}

/// How the configuration says now that nodes know each other: it is read again.
#[derive(Clone)]
pub struct Source(pub Arc<dyn Fn() -> Result<Security, Problem> + Send + Sync>);

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source")
    }
}

/// The files of a node that runs an algorithm.
pub(crate) struct Files {
    pub(crate) source: Option<Source>,
    pub(crate) trust: Trust,
    pub(crate) cluster: String,
    pub(crate) name: String,
}

impl Files {
    /// Reads them, and uses them if they are right.
    pub(crate) fn read_again(&self) -> Result<(), Problem> {
        let Some(Source(source)) = &self.source else {
            return Err(Problem::input("no_source", "this node was not started from a file"));
        };
        let security = source()?;
        let is_plain = matches!(self.trust.means().0, Means::Plain);
        if let Some(identity) = identity(is_plain, &security, &self.cluster, &self.name)? {
            self.trust.renew(Means::of_member(&identity)?);
        }
        Ok(())
    }
}
