//! Did you mean ...? By likeness first, by distance second: distance alone proposes the shortest name.

/// The candidate that was probably meant.
#[must_use]
pub fn closest<'a>(asked: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let asked = asked.to_lowercase();
    let alike = candidates
        .clone()
        .map(|candidate| (strsim::jaro_winkler(&asked, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let near = || {
        candidates
            .map(|candidate| (strsim::damerau_levenshtein(&asked, candidate), candidate))
            .filter(|(distance, candidate)| *distance <= 2 && *distance < candidate.chars().count())
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, candidate)| candidate)
    };
    alike.map(|(_, candidate)| candidate).or_else(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant() {
        let names =
            ["lcr", "hs", "chang-roberts", "hirschberg-sinclair", "peterson", "bully", "dkr", "franklin"];
        for (asked, meant) in [
            ("hirshberg", Some("hirschberg-sinclair")),
            ("petersen", Some("peterson")),
            ("chang", Some("chang-roberts")),
            ("Franklin", Some("franklin")),
            ("lrc", Some("lcr")),
            ("dekker", None),
            ("x", None),
        ] {
            assert_eq!(closest(asked, names.into_iter()), meant, "{asked}");
        }
    }
}
