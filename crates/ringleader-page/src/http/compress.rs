//! Answers, compressed for whoever takes them so: JSON and scripts are a fifth of their size.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Response, header};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// What is smaller travels as it is.
const LEAST: usize = 1024;

/// Whether somebody takes gzip: it is named, and not with the weight 0.
pub(crate) fn takes(headers: &HeaderMap) -> bool {
    let named = |one: &str| {
        let mut parts = one.split(';').map(str::trim);
        let zero = |part: &str| part.strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()) == Some(0.0);
        parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip")) && !parts.any(zero)
    };
    let values = headers.get_all(header::ACCEPT_ENCODING).into_iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(named)
}

/// Compresses what is text and long enough.
pub(crate) async fn compress(response: Response<Body>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let kind =
        parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !(kind.starts_with("text/") || kind.starts_with("application/json") || kind.starts_with("image/svg")) {
        return Response::from_parts(parts, body);
    }
    parts.headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    // Every body here is in memory already: that it cannot be had does not happen.
    let Ok(plain) = to_bytes(body, usize::MAX).await else {
        return Response::from_parts(parts, Body::empty());
    };
    if plain.len() < LEAST {
        return Response::from_parts(parts, Body::from(plain));
    }
    let pressed = {
        let plain = plain.clone();
        tokio::task::spawn_blocking(move || {
            let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
            encoder.write_all(&plain).and_then(|()| encoder.finish())
        })
    };
    let Ok(Ok(pressed)) = pressed.await else { return Response::from_parts(parts, Body::from(plain)) };
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    // The same bytes for everybody they are no longer.
    if let Some(tag) = parts.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok())
        && let Ok(weak) = HeaderValue::from_str(&format!("W/{tag}"))
    {
        parts.headers.insert(header::ETAG, weak);
    }
    Response::from_parts(parts, Body::from(pressed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn gzip_is_taken_where_it_is_named() {
        for (said, expected) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip;q=0.0, br", false),
            ("br, x-gzip-2", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, said.parse().unwrap())]);
            assert_eq!(takes(&headers), expected, "{said}");
        }
        assert!(!takes(&HeaderMap::new()));
    }

    #[test]
    fn texts_are_pressed_and_come_out_the_same() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let pressed = |kind: &'static str, text: &str| {
            let mut response = Response::new(Body::from(text.to_owned()));
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
            response.headers_mut().insert(header::ETAG, HeaderValue::from_static("\"a\""));
            runtime.block_on(async {
                let (parts, body) = compress(response).await.into_parts();
                (parts.headers, to_bytes(body, usize::MAX).await.expect("a body"))
            })
        };
        let text = "an election ".repeat(1000);
        let (headers, body) = pressed("application/json", &text);
        assert_eq!(headers[header::CONTENT_ENCODING], "gzip");
        assert_eq!(headers[header::ETAG], "W/\"a\"");
        assert!(body.len() < text.len() / 10, "{} bytes", body.len());
        let mut plain = String::new();
        flate2::read::GzDecoder::new(&body[..]).read_to_string(&mut plain).expect("it is gzip");
        assert_eq!(plain, text);
        for (kind, text) in [("application/json", "{}"), ("image/png", &*text)] {
            let (headers, body) = pressed(kind, text);
            assert!(!headers.contains_key(header::CONTENT_ENCODING), "{kind}");
            assert_eq!(body, text);
        }
    }
}
