//! `[views]`.

use ringleader_net::Problem;
use ringleader_net::config::document::Document;
use ringleader_net::config::values::{FilePath, Words};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where the view is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Views {
    /// By the servers themselves.
    Raft,
    /// In an etcd that is there already.
    Etcd(Etcd),
}

/// An etcd that is there already.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Etcd {
    /// Where it answers clients: `http://host:2379` or `https://host:2379`.
    pub endpoints: Vec<String>,
    /// The certificate of its authority, for `https`.
    pub authority: Option<PathBuf>,
    /// Our own certificate and its key, if it asks for one.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl Views {
    pub(super) fn with_paths(self, change: impl Fn(&Path) -> PathBuf) -> Views {
        match self {
            Views::Raft => Views::Raft,
            Views::Etcd(etcd) => Views::Etcd(Etcd {
                authority: etcd.authority.as_deref().map(&change),
                identity: etcd.identity.map(|(certificate, key)| (change(&certificate), change(&key))),
                ..etcd
            }),
        }
    }
}

/// `[views]` as the file has it.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    store: Option<Store>,
    endpoints: Option<Words<Endpoint>>,
    authority: Option<FilePath>,
    certificate: Option<FilePath>,
    key: Option<FilePath>,
}

ringleader_net::checked_words! {
    /// Who keeps the view.
    Store("\"raft\" or \"etcd\"", |text| match text {
        "raft" | "etcd" => Ok(()),
        _ => Err(format!("expected \"raft\" or \"etcd\", found `{text}`")),
    });
    /// Where etcd answers.
    Endpoint("addresses such as [\"http://10.0.0.9:2379\"]", |_| Ok(()));
}

impl Views {
    /// The section of a file that says this.
    pub(super) fn section(&self) -> Option<Section> {
        let Views::Etcd(Etcd { endpoints, authority, identity }) = self else { return None };
        let path = |path: &PathBuf| FilePath(path.display().to_string());
        Some(Section {
            store: Some(Store("etcd".to_owned())),
            endpoints: Some(Words(endpoints.iter().cloned().map(Endpoint).collect())),
            authority: authority.as_ref().map(path),
            certificate: identity.as_ref().map(|(certificate, _)| path(certificate)),
            key: identity.as_ref().map(|(_, key)| path(key)),
        })
    }
}

impl Section {
    /// Checks what is said of the store.
    pub(super) fn read(self, document: &Document<'_>) -> Result<Views, Problem> {
        if self.store.is_none_or(|Store(store)| store == "raft") {
            let files = ["views.authority", "views.certificate", "views.key"];
            let Some(at) = document.first_key(&["views.endpoints"]).or(document.first(&files)) else {
                return Ok(Views::Raft);
            };
            let label = "this is for store = \"etcd\"; with Raft the servers keep the view themselves";
            return Err(document.bad(at, label));
        }
        let at = document.first_key(&["views.endpoints", "views"]).unwrap_or_default();
        let endpoints: Vec<String> = match self.endpoints {
            None => {
                let label = "there is no `endpoints` here: endpoints = [\"http://10.0.0.9:2379\"]";
                return Err(document.bad(at, label));
            }
            Some(Words(none)) if none.is_empty() => {
                return Err(document.bad(at, "expected at least one address"));
            }
            Some(Words(endpoints)) => endpoints.into_iter().map(|endpoint| endpoint.0).collect(),
        };
        let path = |FilePath(path)| PathBuf::from(path);
        let identity = match (self.certificate.map(path), self.key.map(path)) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => {
                let at = document.first(&["views.certificate", "views.key"]).unwrap_or_default();
                return Err(document.bad(at, "`certificate` and `key` come together"));
            }
        };
        Ok(Views::Etcd(Etcd { endpoints, authority: self.authority.map(path), identity }))
    }
}
