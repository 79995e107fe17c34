//! The page, which is inside the program.

use crate::http::Origin;
use crate::{Diagnostic, error_json};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use rust_embed::{EmbeddedFile, RustEmbed};

/// What `cargo xtask page` has made. It is in every build, so that the program can be moved.
#[derive(RustEmbed)]
#[folder = "page/"]
struct Files;

/// Nothing is fetched from outside, and no script runs but ours. Styles are set by scripts as attributes; pictures are
/// made in the page. Who may hold us in a frame comes after it.
const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors";

/// A file of the page.
pub(crate) fn serve(path: &str, headers: &HeaderMap) -> Response<Body> {
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    // Only names of files of ours; rust-embed looks no further either.
    let plain = path.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    match Files::get(path).filter(|_| plain) {
        Some(file) => answer(path, &file, headers),
        None => missing(path),
    }
}

fn answer(path: &str, file: &EmbeddedFile, headers: &HeaderMap) -> Response<Body> {
    let tag: String = file.metadata.sha256_hash().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    // What was compressed on its way has a weak tag.
    let asked = headers.get(header::IF_NONE_MATCH).map_or(&b""[..], HeaderValue::as_bytes);
    let known = asked.strip_prefix(b"W/").unwrap_or(asked) == tag.as_bytes();
    let mut response = if known {
        Response::new(Body::empty())
    } else {
        Response::new(Body::from(file.data.clone().into_owned()))
    };
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    // The names of assets have a hash of their content in them; the others are asked for anew each time.
    let keep = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut set = |name: header::HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, kind(path, file.metadata.mimetype()));
    set(header::CACHE_CONTROL, keep);
    set(header::ETAG, &tag);
    response
}

/// The type of a file; text says which letters it is written in.
fn kind<'a>(path: &str, guessed: &'a str) -> &'a str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("md") => "text/markdown; charset=utf-8",
        Some(_) | None => guessed,
    }
}

fn missing(path: &str) -> Response<Body> {
    let complaint = if path == "index.html" {
        Diagnostic::input("no_page", "the page is not in this program: it was built without it")
            .help("build the page with `cargo xtask page`, then the program")
    } else {
        Diagnostic::input("not_found", format!("there is no `{path}` here")).help("the page is at /")
    };
    complain(StatusCode::NOT_FOUND, &complaint)
}

/// A refusal as an answer.
pub(crate) fn complain(status: StatusCode, complaint: &Diagnostic) -> Response<Body> {
    json(status, error_json(complaint))
}

/// JSON as an answer.
pub(crate) fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The policy of the page, if these may hold it in a frame.
pub(crate) fn policy(frames: &[Origin]) -> HeaderValue {
    let who: String = frames.iter().flat_map(|origin| [" ", &origin.0]).collect();
    let text = format!("{POLICY}{}", if frames.is_empty() { " 'none'" } else { &who });
    // An origin is plain ASCII: there is nothing in it that a header could not carry.
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// What every answer says.
pub(crate) fn guard(response: &mut Response<Body>, policy: &HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}
