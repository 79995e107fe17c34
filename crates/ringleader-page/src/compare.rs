//! `compare`: many runs of several algorithms, as a table and as a plot. Who understands options makes it; here the
//! question is read.

use crate::question::read;
use crate::{Compared, Complaint, Options, Words};
use serde::Deserialize;
use serde_json::json;

/// More curves than anybody can tell apart.
const ALGORITHMS_MAX: usize = 8;

#[derive(Clone, Debug, Deserialize)]
struct CompareRequest {
    algorithms: Vec<String>,
    #[serde(default)]
    options: Options,
}

/// Answers `compare`.
///
/// # Errors
/// If the question, an algorithm or an option is wrong, or if it would take longer than somebody waits.
pub(crate) fn answer(words: &dyn Words, question: &[u8]) -> Result<String, Complaint> {
    compared(words, question).map(|compared| json!(compared).to_string())
}

fn compared(words: &dyn Words, question: &[u8]) -> Result<Compared, Complaint> {
    let CompareRequest { algorithms, mut options } = read("compare", question)?;
    if algorithms.is_empty() || algorithms.len() > ALGORITHMS_MAX {
        let message =
            format!("{} algorithms are to be compared; it can be 1 to {ALGORITHMS_MAX}", algorithms.len());
        return Err(Complaint::new("ringleader::bad_question", message).help("choose two to four"));
    }
    // The command line says --nodes 8,16,32; the page, which has a field for one number as well, says sizes.
    if let Some(sizes) = options.remove("sizes") {
        options.entry("nodes".to_owned()).or_insert(sizes);
    }
    words.compare(&algorithms, &options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Few;

    fn asked(question: &str) -> Result<Compared, Complaint> {
        compared(&Few, question.as_bytes())
    }

    #[test]
    fn sizes_are_the_nodes_of_the_command_line() {
        let compared =
            asked(r#"{"algorithms":["a","b"],"options":{"sizes":"8,16","runs":"3"}}"#).expect("it is right");
        assert_eq!(compared.command, r#"compare a b {"nodes":"8,16","runs":"3"}"#);
        let compared = asked(r#"{"algorithms":["a"],"options":{"nodes":"4"}}"#).expect("it is right");
        assert_eq!(compared.command, r#"compare a {"nodes":"4"}"#);
    }

    #[test]
    fn too_many_are_refused_and_none() {
        let none = asked(r#"{"algorithms":[]}"#).expect_err("there is nothing to compare");
        assert_eq!(none.message, "0 algorithms are to be compared; it can be 1 to 8");
        let many = format!(r#"{{"algorithms":{:?}}}"#, vec!["a"; 9]);
        assert_eq!(
            asked(&many).expect_err("nobody sees that").message,
            "9 algorithms are to be compared; it can be 1 to 8"
        );
        let nonsense = asked(r#"{"algorithms":7}"#).expect_err("it is no list");
        assert!(
            nonsense.message.starts_with("the question to `compare` cannot be read: "),
            "{}",
            nonsense.message
        );
    }
}
