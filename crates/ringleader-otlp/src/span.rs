//! Spans, as a server knows them and as OTLP has them.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1 as proto;

/// Something that took time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// What it is part of: all that was done under one grant of a lock has one.
    pub trace: u128,
    /// Which part, not 0.
    pub id: u64,
    /// What it is.
    pub name: &'static str,
    /// From when, in nanoseconds since 1970.
    pub from: u64,
    /// Until when.
    pub until: u64,
    /// What there is to know.
    pub attributes: Vec<(&'static str, String)>,
    /// Why it failed, if it did.
    pub failure: Option<&'static str>,
}

pub(crate) fn value(key: &str, text: &str) -> KeyValue {
    let value = Some(AnyValue { value: Some(Value::StringValue(text.to_owned())) });
    KeyValue { key: key.to_owned(), value, ..KeyValue::default() }
}

pub(crate) fn resource(all: &[(String, String)]) -> Resource {
    let attributes = all.iter().map(|(key, text)| value(key, text)).collect();
    Resource { attributes, ..Resource::default() }
}

pub(crate) fn scope() -> Option<InstrumentationScope> {
    let (name, version) = ("ringleader".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    Some(InstrumentationScope { name, version, ..InstrumentationScope::default() })
}

pub(crate) fn request(resource: &Resource, spans: Vec<Span>) -> ExportTraceServiceRequest {
    let spans = spans.into_iter().map(of).collect();
    let scope_spans = vec![proto::ScopeSpans { scope: scope(), spans, ..proto::ScopeSpans::default() }];
    let resource = Some(resource.clone());
    ExportTraceServiceRequest {
        resource_spans: vec![proto::ResourceSpans {
            resource,
            scope_spans,
            ..proto::ResourceSpans::default()
        }],
    }
}

fn of(span: Span) -> proto::Span {
    let status = span
        .failure
        .map(|why| proto::Status { message: why.to_owned(), code: proto::status::StatusCode::Error as i32 });
    proto::Span {
        trace_id: span.trace.to_be_bytes().to_vec(),
        span_id: span.id.to_be_bytes().to_vec(),
        name: span.name.to_owned(),
        kind: proto::span::SpanKind::Server as i32,
        start_time_unix_nano: span.from,
        end_time_unix_nano: span.until,
        attributes: span.attributes.iter().map(|(key, text)| value(key, text)).collect(),
        status,
        ..proto::Span::default()
    }
}
