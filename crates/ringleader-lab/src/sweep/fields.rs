//! What the fields of a row are. It is declared here and not read off the values, so that the columns of a table and
//! their types are the same whatever happened in the runs, and the same in all shards of a sweep.

use crate::table::Kind;
use ringleader::registry::Problem;

/// What is in a field.
#[derive(Clone, Copy)]
pub(super) enum Field {
    /// One value. A list is text to a table.
    One(Kind),
    /// An object with these fields, or null.
    Object(&'static [(&'static str, Field)]),
    /// An object with names that the algorithm or the sweep chooses, each for a value of this kind.
    Open(Kind),
}

use Field::{Object, One, Open};

const BOOL: Field = One(Kind::Bool);
const INT: Field = One(Kind::Int);
const FLOAT: Field = One(Kind::Float);
const TEXT: Field = One(Kind::Text);
const RANGE: Field = Object(&[("min", FLOAT), ("mean", FLOAT), ("max", FLOAT)]);
const APART: Field = Object(&[("final", FLOAT), ("max", FLOAT), ("first", FLOAT)]);

/// Of what the rows are that have a field.
#[derive(Clone, Copy)]
pub(super) enum Of {
    /// Runs of algorithms for this problem.
    Problem(Problem),
    /// Runs of machines that begin anywhere.
    Machines,
}

/// The fields of a row in their order, and of what the rows are that have them, if the others' do not.
const FIELDS: &[(&str, Field, Option<Of>)] = &[
    ("schema", TEXT, None),
    ("algorithm", TEXT, None),
    ("problem", TEXT, None),
    ("nodes", INT, None),
    ("seed", INT, None),
    ("schedule", TEXT, None),
    ("links", TEXT, None),
    ("within_assumptions", BOOL, None),
    ("outcome", TEXT, None),
    ("leader", Object(&[("index", INT), ("id", INT)]), Some(Of::Problem(Problem::Election))),
    ("leaders", INT, Some(Of::Problem(Problem::Election))),
    ("informed", INT, Some(Of::Problem(Problem::Election))),
    (
        "messages",
        Object(&[("total", INT), ("by_kind", Open(Kind::Int))]),
        Some(Of::Problem(Problem::Election)),
    ),
    ("election_messages", INT, Some(Of::Problem(Problem::Election))),
    ("rounds", INT, Some(Of::Problem(Problem::Election))),
    ("elected_round", INT, Some(Of::Problem(Problem::Election))),
    ("entries", INT, Some(Of::Problem(Problem::Mutex))),
    ("entry_order", TEXT, Some(Of::Problem(Problem::Mutex))),
    (
        "messages",
        Object(&[
            ("total", INT),
            ("by_kind", Open(Kind::Int)),
            (
                "per_entry",
                Object(&[("min", INT), ("mean", FLOAT), ("max", INT), ("by_kind", Open(Kind::Float))]),
            ),
        ]),
        Some(Of::Problem(Problem::Mutex)),
    ),
    ("waiting", RANGE, Some(Of::Problem(Problem::Mutex))),
    ("bypass_max", INT, Some(Of::Problem(Problem::Mutex))),
    ("sync_delay", RANGE, Some(Of::Problem(Problem::Mutex))),
    ("fairness", FLOAT, Some(Of::Problem(Problem::Mutex))),
    ("in_section_max", INT, Some(Of::Problem(Problem::Mutex))),
    ("rounds", INT, Some(Of::Problem(Problem::Mutex))),
    ("messages", Object(&[("total", INT), ("by_kind", Open(Kind::Int))]), Some(Of::Problem(Problem::Clocks))),
    ("rounds", INT, Some(Of::Problem(Problem::Clocks))),
    ("skew", APART, Some(Of::Problem(Problem::Clocks))),
    ("error", APART, Some(Of::Problem(Problem::Clocks))),
    ("promise", FLOAT, Some(Of::Problem(Problem::Clocks))),
    ("optimum", FLOAT, Some(Of::Problem(Problem::Clocks))),
    ("phases", INT, None),
    ("steps", INT, None),
    ("time", FLOAT, None),
    (
        "bound",
        Object(&[
            ("formula", TEXT),
            ("counts", TEXT),
            ("value", INT),
            ("holds", BOOL),
            ("basis", TEXT),
            ("by", TEXT),
        ]),
        None,
    ),
    ("average", Object(&[("formula", TEXT), ("value", FLOAT)]), None),
    ("properties", TEXT, None),
    ("elapsed_s", FLOAT, None),
    ("messages_per_s", FLOAT, None),
    ("peak_bytes", INT, None),
    ("again", TEXT, None),
    ("topology", TEXT, None),
    ("outside", TEXT, None),
    ("violations", TEXT, None),
    ("bits", INT, None),
    ("depth", INT, None),
    ("load", RANGE, None),
    ("elected_depth", INT, None),
    ("broken_on_purpose", BOOL, None),
    ("version", TEXT, None),
    ("ids", TEXT, None),
    ("convergence", Object(&[("moves", INT), ("steps", INT), ("from", TEXT)]), Some(Of::Machines)),
    ("run", INT, None),
    ("of", INT, None),
    ("sweep", TEXT, None),
    ("asked", Open(Kind::Text), None),
    ("trace", TEXT, None),
];

/// What the field of this name is; fields of objects have a dot in their name.
pub(super) fn declared(name: &str) -> Option<Field> {
    // A field that several problems have, with more in it for one of them, is there several times.
    FIELDS.iter().find_map(|(first, field, _)| within(*field, name.strip_prefix(first)?))
}

/// The field that is left of a name inside this one.
fn within(field: Field, rest: &str) -> Option<Field> {
    if rest.is_empty() {
        return Some(field);
    }
    let rest = rest.strip_prefix('.')?;
    match field {
        One(_) => None,
        Open(kind) => Some(One(kind)),
        Object(fields) => fields.iter().find_map(|(first, field)| within(*field, rest.strip_prefix(first)?)),
    }
}

/// What is in a column of this name.
pub(super) fn declared_kind(name: &str) -> Option<Kind> {
    match declared(name)? {
        One(kind) => Some(kind),
        Object(_) | Open(_) => None,
    }
}

/// Gives the columns of a field, in order. For an open object `names` has what is in it.
pub(super) fn columns_of(
    name: &str,
    field: Field,
    names: &dyn Fn(&str) -> Vec<String>,
    give: &mut dyn FnMut(String, Kind),
) {
    match field {
        One(kind) => give(name.to_owned(), kind),
        Open(kind) => names(name).iter().for_each(|inner| give(format!("{name}.{inner}"), kind)),
        Object(fields) => {
            for (inner, field) in fields {
                columns_of(&format!("{name}.{inner}"), *field, names, give);
            }
        }
    }
}

/// Gives the columns of every row of this problem, given whether machines are run that begin anywhere, the kinds of
/// messages and what the sweep file says.
pub(super) fn columns_of_row(
    problem: Problem,
    machines: bool,
    kinds: &[&str],
    asked: &[&str],
    give: &mut dyn FnMut(String, Kind),
) {
    let names = |name: &str| {
        let names = if name == "asked" { asked } else { kinds };
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    for (name, field, of) in FIELDS {
        let has = match *of {
            None => true,
            Some(Of::Problem(of)) => of == problem,
            Some(Of::Machines) => machines,
        };
        if has {
            columns_of(name, *field, &names, give);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{IDS_OF_ROW, RunContext, run_json};
    use crate::sweep::{Columns, Row, write_rows};
    use crate::table::Format;
    use ringleader::registry::ALL;
    use ringleader::sim::{Meters, Scenario};

    /// The header of the CSV that these rows make.
    fn columns(mut rows: Vec<Row>, known: Columns) -> Vec<String> {
        let csv = write_rows(&mut rows, known, (Format::Csv, 1), Vec::new(), &|_| (), &mut |()| ()).unwrap();
        let header = String::from_utf8(csv).unwrap().lines().next().unwrap().to_owned();
        header.split(',').map(str::to_owned).collect()
    }

    /// The fields of every algorithm's rows are declared, all of them and in their order.
    #[test]
    fn every_field_of_a_row_is_declared() {
        for entry in ALL {
            let n = entry.spec.needs.processes.nearest(4).1;
            let scenario =
                Scenario { meters: Meters { bits: true, load: true, depth: true }, ..Scenario::new(n) };
            let report = entry.run(&scenario, &mut ()).unwrap();
            let context = RunContext {
                algorithm: entry.spec.name,
                problem: entry.problem,
                seed: 0,
                schedule: "rounds",
                elapsed_s: Some(0.5),
                peak_bytes: Some(1),
                again: "again",
                version: "version",
                ids_most: IDS_OF_ROW,
            };
            let mut row: Row = serde_json::from_str(&run_json(&report, &context)).unwrap();
            let asked = serde_json::json!({ "nodes": "4", "set.tokens": "2" });
            let more = [
                ("run", 0.into()),
                ("of", 1.into()),
                ("sweep", "x".into()),
                ("asked", asked),
                ("trace", "y".into()),
            ];
            row.extend(more.map(|(name, value)| (name.to_owned(), value)));
            let found = columns(vec![row], Columns::default());
            // With some settings there are only the first of the kinds.
            let kinds: Vec<&str> = report.by_kind.iter().map(|(kind, _)| *kind).collect();
            assert!(entry.kinds.starts_with(&kinds), "{kinds:?}");
            let mut known = Columns::default();
            known.expect((entry.problem, entry.spec.stabilises()), &kinds, &["nodes", "set.tokens"]);
            assert_eq!(found, columns(Vec::new(), known), "{}", entry.spec.name);
            assert!(found.iter().all(|name| declared_kind(name).is_some()), "{found:?}");
        }
    }
}
