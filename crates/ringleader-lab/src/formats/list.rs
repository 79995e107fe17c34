//! The list of algorithms as JSON.

use crate::formats::run::LIST_SCHEMA;
use ringleader::registry::Entry;
use serde::Serialize;

#[derive(Serialize)]
struct List {
    schema: &'static str,
    algorithms: Vec<Algorithm>,
}

#[derive(Serialize)]
struct Algorithm {
    name: &'static str,
    problem: &'static str,
    title: String,
    year: u16,
    source: String,
    topology: &'static str,
    needs: Vec<&'static str>,
    bound: Option<Bound>,
    aliases: &'static [&'static str],
    erratum: Option<String>,
    checked_up_to: Option<u32>,
    family: &'static str,
}

#[derive(Serialize)]
struct Bound {
    formula: &'static str,
    counts: &'static str,
    basis: &'static str,
    by: &'static str,
}

/// `ringleader.list/1`: these algorithms, in this order.
#[must_use]
pub fn list_json<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> String {
    let algorithms = entries
        .into_iter()
        .map(|entry| Algorithm {
            name: entry.spec.name,
            problem: entry.problem.name(),
            title: entry.spec.prose().title,
            year: entry.spec.year,
            source: entry.spec.prose().source,
            topology: entry.topology(),
            needs: entry.needs(),
            bound: entry.spec.cost.worst.map(|bound| Bound {
                formula: bound.formula,
                counts: bound.counts.name(),
                basis: bound.basis.name(),
                by: bound.basis.by(),
            }),
            aliases: entry.spec.aliases,
            erratum: entry.erratum(),
            checked_up_to: entry.checked_up_to(),
            family: entry.spec.family.name(),
        })
        .collect();
    serde_json::to_string(&List { schema: LIST_SCHEMA, algorithms }).expect("plain data has a JSON form")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_has_its_fields_in_order() {
        let all = ringleader::registry::ALL;
        let place = all.iter().position(|entry| entry.spec.name == "chang-roberts").unwrap_or_default();
        let json = list_json(&all[place..=place]);
        assert!(json.starts_with(
            r#"{"schema":"ringleader.list/1","algorithms":[{"name":"chang-roberts","problem":"election","#
        ));
        assert!(
            json.contains(r#""bound":{"formula":"n(n+1)/2","counts":"election","basis":"proved","by":""#),
            "{json}"
        );
    }
}
