//! `ringleader.compare/1`.

use super::table::for_each_row;
use super::{ComparisonReport, what};
use crate::compare::{self, Skipped, Summary, columns};
use crate::growth::{Fit, Growth, TooFew};
use crate::table::Cell;
use ringleader::model::Basis;
use serde_json::{Map, Value, json as object};

/// The whole comparison as one object, with or without a row for each run.
#[must_use]
pub fn json(compared: &ComparisonReport<'_>, with_rows: bool) -> String {
    let asked = compared.asked;
    let names: Vec<&str> = asked.algorithms.iter().map(|entry| entry.spec.name).collect();
    let runs = compared.cells.iter().map(|cell| asked.runs(cell.place)).max();
    let sizes = asked.sizes.len();
    let series = compared.growth.iter().zip(compared.cells.chunks(sizes));
    let growth: Vec<Value> = series
        .filter_map(|(growth, cells)| {
            let place = cells.first()?.place;
            Some(grown(names[place.algorithm], compared.load(place), growth))
        })
        .collect();
    let violated = compared.first(1).map(|(place, run)| {
        object!({
            "algorithm": names[place.algorithm],
            "nodes": place.nodes,
            "seed": run.seed,
            "again": compared.again(place, run),
        })
    });
    let mut whole = object!({
        "schema": "ringleader.compare/1",
        "problem": asked.problem.name(),
        "measure": what(asked.problem),
        "algorithms": names,
        "nodes": asked.sizes,
        "runs": runs,
        "seed": asked.seed,
        "schedule": compared.schedule(),
        "cells": compared.summed().map(|(cell, summary)| one(compared, cell, summary)).collect::<Vec<_>>(),
        "growth": growth,
        "violated": violated,
        "again": compared.again,
    });
    if with_rows && let Some(fields) = whole.as_object_mut() {
        fields.insert("rows".into(), rows(compared));
    }
    whole.to_string()
}

fn one(compared: &ComparisonReport<'_>, cell: &compare::Cell, summary: Option<&Summary>) -> Value {
    let place = cell.place;
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    add("algorithm", object!(compared.entry(place).spec.name));
    add("nodes", object!(place.nodes));
    if let Some(load) = compared.load(place) {
        add("load", object!(load));
    }
    match (&cell.runs, summary) {
        (Err(Skipped::TooLong(messages)), _) => {
            add("runs", object!(0));
            add("skipped", object!({ "reason": "messages", "estimate": messages }));
        }
        (Err(Skipped::TooLarge), _) => {
            add("runs", object!(0));
            add("skipped", object!({ "reason": "memory" }));
        }
        (Ok(runs), None) => {
            add("runs", object!(runs.len()));
        }
        (Ok(runs), Some(summary)) => {
            let stats = &summary.stats;
            add("runs", object!(runs.len()));
            add("mean", object!(stats.mean));
            add("ci95", object!(stats.ci95().map(|(low, high)| [low, high])));
            add("min", object!(stats.min));
            add("max", object!(stats.max));
            add("median", object!(stats.median));
            add("stddev", object!((stats.count > 1).then(|| stats.deviation())));
            let basis = compared.entry(place).spec.cost.worst.map(|bound| bound.basis);
            let bound = summary.bound.map(|(formula, value)| {
                object!({
                    "formula": formula,
                    "value": value,
                    "basis": basis.map(Basis::name),
                    "by": basis.map(Basis::by),
                })
            });
            add("bound", object!(bound));
            add("ratio", object!(summary.ratio));
            let average = compared.average(place, summary);
            let average = average.map(|(formula, value)| object!({ "formula": formula, "value": value }));
            add("average", object!(average));
            add("messages", object!(summary.messages));
            add("rounds", object!(summary.rounds));
            add("phases", object!(summary.phases));
            if summary.bypass_max.is_some() {
                add("waiting", object!(summary.waiting));
                add("sync_delay", object!(summary.sync_delay));
                add("fairness", object!(summary.fairness));
                add("bypass_max", object!(summary.bypass_max));
            }
        }
    }
    Value::Object(fields)
}

fn grown(algorithm: &str, load: Option<&str>, growth: &Result<Growth, TooFew>) -> Value {
    let mut fields = Map::new();
    fields.insert("algorithm".into(), object!(algorithm));
    if let Some(load) = load {
        fields.insert("load".into(), object!(load));
    }
    let fitted = |fit: &Fit| {
        object!({
            "model": fit.model.formula(),
            "a": fit.a,
            "a_error": fit.a_error,
            "error_pct": fit.error_pct,
        })
    };
    let lower = |fit: &Fit| {
        let lower = fit.lower.as_ref();
        object!(lower.map(|lower| {
            object!({ "model": lower.model.formula(), "b": lower.b, "b_error": lower.b_error })
        }))
    };
    let with_lower = |fit: &Fit| {
        let mut fields = fitted(fit);
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("lower".into(), lower(fit));
        }
        fields
    };
    match growth {
        Ok(growth) => {
            if let Value::Object(best) = fitted(&growth.best) {
                fields.extend(best);
            }
            fields.insert("exponent".into(), object!(growth.power.exponent));
            fields.insert("fits".into(), growth.fits.iter().map(with_lower).collect());
            fields.insert("lower".into(), lower(&growth.best));
        }
        Err(few) => {
            fields.insert("model".into(), Value::Null);
            fields.insert("why".into(), object!(few.to_string()));
        }
    }
    Value::Object(fields)
}

/// A cell of a table.
#[must_use]
pub fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Bool(yes) => object!(yes),
        Cell::Int(number) => object!(number),
        Cell::Float(number) => object!(number),
        Cell::Text(text) => object!(text),
    }
}

fn rows(compared: &ComparisonReport<'_>) -> Value {
    let names = columns(compared.asked.problem);
    let mut rows = Vec::new();
    let taken = for_each_row(compared, |cells| {
        let fields = names.iter().map(|column| column.name.clone()).zip(cells.iter().map(value));
        rows.push(Value::Object(fields.collect()));
        Ok(())
    });
    // Nothing is written here that could fail.
    debug_assert!(taken.is_ok());
    Value::Array(rows)
}
