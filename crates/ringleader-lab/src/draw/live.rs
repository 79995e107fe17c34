//! A page with an engine in it, made by `cargo xtask site`, and a recorded run put into it.

use serde_json::json;

/// Where the page takes a run.
const PLACE: &str = r#"<script type="application/json" id="recording">null</script>"#;

/// The page with the text of a trace in it; none if it is not such a page.
#[must_use]
pub fn live_page(page: &str, name: &str, trace: &str) -> Option<String> {
    let (before, after) = page.split_once(PLACE)?;
    let (begin, end) = PLACE.split_once("null")?;
    // Inside a script element only its end has a meaning, and a comment that would hide it.
    let recording = json!({ "name": name, "text": trace }).to_string().replace('<', "\\u003c");
    Some([before, begin, &recording, end, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_is_put_into_the_page() {
        let page = format!("<body>{PLACE}</body>");
        let made = live_page(&page, "a.rlt", "{\"x\": \"</script>\"}\n").expect("there is a place");
        let text = made.strip_prefix(r#"<body><script type="application/json" id="recording">"#);
        let text = text.and_then(|rest| rest.strip_suffix("</script></body>")).expect("nothing else changes");
        assert!(!text.contains('<'));
        let read: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(read, json!({ "name": "a.rlt", "text": "{\"x\": \"</script>\"}\n" }));
        assert_eq!(live_page("<html></html>", "a.rlt", ""), None);
    }
}
