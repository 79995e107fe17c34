//! Metrics as Prometheus reads them, put into the messages of OTLP: there is one list of metrics, and it is told in two
//! ways.

use crate::span::{scope, value};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
    ScopeMetrics, Sum, metric::Data,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// A line of the text: its name, its labels, its value.
type Sample<'t> = (&'t str, Vec<(&'t str, String)>, f64);

pub(crate) fn request(resource: &Resource, text: &str) -> ExportMetricsServiceRequest {
    let metrics = families(text, now());
    let scope_metrics = vec![ScopeMetrics { scope: scope(), metrics, ..ScopeMetrics::default() }];
    let resource = Some(resource.clone());
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics { resource, scope_metrics, ..ResourceMetrics::default() }],
    }
}

/// Nanoseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn families(text: &str, now: u64) -> Vec<Metric> {
    let (mut metrics, mut help, mut lines) = (Vec::new(), "", text.lines().peekable());
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ').map_or("", |(_, help)| help);
        }
        let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        let mut samples = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("# HELP ") && *line != "# EOF") {
            samples.extend(sample(line));
        }
        let data = match kind {
            "counter" => Data::Sum(Sum {
                data_points: points(&samples, now),
                aggregation_temporality: AggregationTemporality::Cumulative as i32,
                is_monotonic: true,
            }),
            "histogram" => Data::Histogram(Histogram {
                data_points: histograms(name, &samples, now),
                aggregation_temporality: AggregationTemporality::Cumulative as i32,
            }),
            _gauge => Data::Gauge(Gauge { data_points: points(&samples, now) }),
        };
        let (name, description) = (name.to_owned(), help.to_owned());
        metrics.push(Metric { name, description, data: Some(data), ..Metric::default() });
    }
    metrics
}

fn sample(line: &str) -> Option<Sample<'_>> {
    if line.starts_with('#') {
        return None;
    }
    let (head, number) = line.rsplit_once(' ')?;
    let (name, labels) = head.split_once('{').unwrap_or((head, ""));
    let mut all = Vec::new();
    let mut rest = labels.trim_end_matches('}');
    while let Some((key, after)) = rest.split_once("=\"") {
        let (text, next) = quoted(after);
        all.push((key.trim_start_matches(','), text));
        rest = next;
    }
    Some((name, all, number.parse().ok()?))
}

/// A text up to its quotation mark, and what follows.
fn quoted(text: &str) -> (String, &str) {
    let (mut out, mut chars) = (String::new(), text.char_indices());
    while let Some((place, c)) = chars.next() {
        match c {
            '"' => return (out, &text[place + 1..]),
            '\\' => out.extend(chars.next().map(|(_, c)| if c == 'n' { '\n' } else { c })),
            c => out.push(c),
        }
    }
    (out, "")
}

fn attributes(labels: &[(&str, String)]) -> Vec<KeyValue> {
    labels.iter().map(|(key, text)| value(key, text)).collect()
}

fn points(samples: &[Sample<'_>], now: u64) -> Vec<NumberDataPoint> {
    let point = |(_, labels, number): &Sample<'_>| NumberDataPoint {
        attributes: attributes(labels),
        time_unix_nano: now,
        value: Some(Value::AsDouble(*number)),
        ..NumberDataPoint::default()
    };
    samples.iter().map(point).collect()
}

/// One for each set of labels but `le`. Prometheus adds up the buckets from below; OTLP has each by itself.
fn histograms(name: &str, samples: &[Sample<'_>], now: u64) -> Vec<HistogramDataPoint> {
    let mut all: BTreeMap<Vec<(&str, String)>, (HistogramDataPoint, u64)> = BTreeMap::new();
    for (full, labels, number) in samples {
        let key: Vec<_> = labels.iter().filter(|(key, _)| *key != "le").cloned().collect();
        let (point, below) = all.entry(key.clone()).or_insert_with(|| {
            let attributes = attributes(&key);
            (HistogramDataPoint { attributes, time_unix_nano: now, ..HistogramDataPoint::default() }, 0)
        });
        match full.strip_prefix(name) {
            Some("_sum") => point.sum = Some(*number),
            Some("_count") => point.count = *number as u64,
            Some("_bucket") => {
                let up_to = *number as u64;
                point.bucket_counts.push(up_to.saturating_sub(*below));
                *below = up_to;
                let bound = labels
                    .iter()
                    .find(|(key, _)| *key == "le")
                    .and_then(|(_, text)| text.parse::<f64>().ok());
                point.explicit_bounds.extend(bound.filter(|bound| bound.is_finite()));
            }
            Some(_) | None => {}
        }
    }
    all.into_values().map(|(point, _)| point).collect()
}
