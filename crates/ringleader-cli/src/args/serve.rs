//! `ringleader serve`.

use clap::Args;
use ringleader_page::http::Origin;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// The address and port to listen on; port 0 means any free port. Addresses beyond this machine need a token.
    #[arg(
        long,
        value_name = "ADDRESS",
        value_parser = address,
        default_value = "127.0.0.1:7420",
        env = "RINGLEADER_LISTEN",
        hide_env_values = true
    )]
    pub(crate) listen: SocketAddr,
    /// Open the page in the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// The token that requests must carry [default: none on this machine, otherwise a random one].
    #[arg(long, value_name = "T", value_parser = token, env = "RINGLEADER_SERVE_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// A directory with stories of your own, one file each; they are added to the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub(crate) stories: Option<PathBuf>,
    /// A directory with goals of your own, NAME.goal.toml; they are added to the built-in ones.
    #[arg(long, value_name = "DIR")]
    pub(crate) goals: Option<PathBuf>,
    /// Let pages of this origin hold the page in a frame (`&embed=1`), such as https://moodle.example.org; may be given
    /// several times [default: nobody's].
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_frame: Vec<Origin>,
    /// Show this lock service on the page's screen Cluster: its configuration file, or the addresses of its servers
    /// (https://HOST:PORT or unix:PATH). It is read-only.
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE|URL", num_args = 1..)]
    pub(crate) cluster: Vec<String>,
    /// The certificate of the service's authority [default: as the configuration says].
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) authority: Option<PathBuf>,
    /// The client certificate for its servers; the key is in the file of the same name with the suffix .key [default:
    /// client.pem beside the configuration, if it exists].
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) certificate: Option<PathBuf>,
    /// A file with a bearer token for its servers, instead of a certificate.
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE", requires = "cluster", conflicts_with = "certificate")]
    pub(crate) cluster_token_file: Option<PathBuf>,
}

/// An address with a port; a name is no address, but `localhost` is what people type.
fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    let numeric = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    numeric
        .parse()
        .map_err(|_| "an address and a port, such as 127.0.0.1:7420, 0.0.0.0:7420 or [::1]:0".into())
}

fn token(text: &str) -> Result<String, String> {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    if (8..=128).contains(&text.len()) && text.chars().all(safe) {
        Ok(text.to_owned())
    } else {
        Err("8 to 128 letters, digits, or any of - _ . ~: it becomes part of an address".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_tokens() {
        assert_eq!(address("localhost:80").unwrap(), "127.0.0.1:80".parse().unwrap());
        assert_eq!(address("[::1]:0").unwrap(), "[::1]:0".parse().unwrap());
        for text in ["", "7420", "127.0.0.1", "example.org:80", "127.0.0.1:99999"] {
            assert!(address(text).is_err(), "{text}");
        }
        assert!(token("lecture-7.2026").is_ok());
        for text in ["", "short", "with space", "a&b=cdefgh"] {
            assert!(token(text).is_err(), "{text}");
        }
    }
}
