//! `--ids LIST|@FILE|KIND`.

use super::Word;
use super::value::did_you_mean;
use ringleader::model::Arranged;
use std::path::PathBuf;

const KINDS: [&str; 7] =
    ["random", "ascending", "descending", "alternating", "bit-reversal", "fibonacci", "worst"];

/// Which identities.
#[derive(Clone, Debug)]
pub enum IdsArg {
    /// Drawn.
    Random,
    /// In this order.
    Arranged(Arranged),
    /// In the worst order that is known.
    Worst,
    /// These.
    Listed(Vec<u64>),
    /// Those in a file.
    File(PathBuf),
}

impl Word for IdsArg {
    fn parse(text: &str) -> Result<IdsArg, String> {
        if let Some(path) = text.strip_prefix('@') {
            return if path.is_empty() {
                Err("@ needs the name of a file, such as @ring.ids".into())
            } else {
                Ok(IdsArg::File(path.into()))
            };
        }
        match text {
            "random" => return Ok(IdsArg::Random),
            "ascending" => return Ok(IdsArg::Arranged(Arranged::Ascending)),
            "descending" => return Ok(IdsArg::Arranged(Arranged::Descending)),
            "alternating" => return Ok(IdsArg::Arranged(Arranged::Alternating)),
            "bit-reversal" => return Ok(IdsArg::Arranged(Arranged::BitReversal)),
            "fibonacci" => return Ok(IdsArg::Arranged(Arranged::Fibonacci)),
            "worst" => return Ok(IdsArg::Worst),
            _ => {}
        }
        text.split(',').map(|id| identity(id.trim())).collect::<Result<_, _>>().map(IdsArg::Listed).map_err(|id| {
            format!(
                "`{id}` is no identity; give a list of whole numbers (3,7,4), a file (@ring.ids), or {}{}",
                KINDS.join(", "),
                did_you_mean(text, &KINDS)
            )
        })
    }
}

/// An identity; the text itself if it is none.
pub(crate) fn identity(text: &str) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let id = if digits { text.replace('_', "").parse().ok() } else { None };
    id.ok_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_files_and_kinds() {
        assert!(matches!(IdsArg::parse("3, 7,1_000").unwrap(), IdsArg::Listed(ids) if ids == [3, 7, 1000]));
        assert!(
            matches!(IdsArg::parse("18446744073709551615").unwrap(), IdsArg::Listed(ids) if ids == [u64::MAX])
        );
        assert!(matches!(IdsArg::parse("@a b").unwrap(), IdsArg::File(path) if path.to_str() == Some("a b")));
        assert!(matches!(IdsArg::parse("worst").unwrap(), IdsArg::Worst));
        for text in ["", "@", "3,,4", "3,x", "-1", "18446744073709551616", "decreasing", "1.5"] {
            assert!(IdsArg::parse(text).is_err(), "{text}");
        }
    }
}
