//! A collector in this process: what it is sent, and what a bad one costs.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use prost::Message;
use ringleader_otlp::{Exporter, Options, Span};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// What Prometheus reads.
const TEXT: &str = "# HELP ringleader_grants Grants, by class.
# TYPE ringleader_grants counter
ringleader_grants_total{class=\"fast\"} 3
ringleader_grants_total{class=\"a \\\"b\\\", c\"} 4
# HELP ringleader_acquire_seconds From the request to the grant.
# TYPE ringleader_acquire_seconds histogram
ringleader_acquire_seconds_sum{path=\"local\"} 1.5
ringleader_acquire_seconds_count{path=\"local\"} 7
ringleader_acquire_seconds_bucket{le=\"0.1\",path=\"local\"} 2
ringleader_acquire_seconds_bucket{le=\"1.0\",path=\"local\"} 6
ringleader_acquire_seconds_bucket{le=\"+Inf\",path=\"local\"} 7
# HELP ringleader_epoch The epoch.
# TYPE ringleader_epoch gauge
ringleader_epoch 42
# EOF
";

/// Answers each request like this, after so long; gives its path and its body.
fn collector(answer: &'static str, after: Duration) -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.expect("a connection"));
            let (mut path, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) <= 2 {
                    break;
                }
                let line = line.to_lowercase();
                if let Some(rest) = line.strip_prefix("post ") {
                    path = rest.split(' ').next().unwrap_or_default().to_owned();
                }
                if let Some(rest) = line.strip_prefix("content-length:") {
                    length = rest.trim().parse().expect("a number");
                }
            }
            let mut body = vec![0; length];
            let whole = reader.read_exact(&mut body).is_ok();
            if whole && tell.send((path, body)).is_err() {
                return;
            }
            std::thread::sleep(after);
            let _ = reader.get_mut().write_all(answer.as_bytes());
        }
    });
    (url, heard)
}

fn span(id: u64) -> Span {
    Span {
        trace: 7,
        id,
        name: "lock.acquire",
        from: 1_000,
        until: 3_000,
        attributes: vec![("lock.name", "x".to_owned())],
        failure: None,
    }
}

fn options(url: String) -> Options {
    let resource = vec![("service.name".to_owned(), "ringleader".to_owned())];
    let (every, patience) = (Duration::from_millis(50), Duration::from_millis(300));
    Options { every, patience, ..Options::new(url, resource) }
}

fn until(what: &str, happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn of(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn spans_and_metrics_arrive() {
    let (url, heard) = collector("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", Duration::ZERO);
    let exporter = Exporter::start(&options(url), || TEXT.to_owned()).expect("it starts");
    exporter.tell(span(5));
    let (mut traces, mut metrics) = (None, None);
    while traces.is_none() || metrics.is_none() {
        let (path, body) = heard.recv_timeout(PATIENCE).expect("a request");
        match path.as_str() {
            "/v1/traces" => traces = Some(ExportTraceServiceRequest::decode(&body[..]).expect("OTLP")),
            "/v1/metrics" => metrics = Some(ExportMetricsServiceRequest::decode(&body[..]).expect("OTLP")),
            other => panic!("{other}"),
        }
    }
    let traces = traces.expect("heard").resource_spans.remove(0);
    assert_eq!(traces.resource.expect("a resource").attributes[0].key, "service.name");
    let seen = &traces.scope_spans[0].spans[0];
    assert_eq!(
        (seen.name.as_str(), seen.trace_id.len(), seen.span_id.clone()),
        ("lock.acquire", 16, vec![0, 0, 0, 0, 0, 0, 0, 5])
    );
    assert_eq!((seen.start_time_unix_nano, seen.end_time_unix_nano), (1_000, 3_000));
    let metrics = metrics.expect("heard").resource_metrics.remove(0).scope_metrics.remove(0).metrics;
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["ringleader_grants", "ringleader_acquire_seconds", "ringleader_epoch"]);
    let Some(Data::Sum(sum)) = &metrics[0].data else { panic!("a counter") };
    assert!(sum.is_monotonic && sum.data_points.len() == 2);
    let label = format!("{:?}", sum.data_points[1].attributes[0].value);
    assert!(label.contains(r#"a \"b\", c"#), "{label}");
    let Some(Data::Histogram(histogram)) = &metrics[1].data else { panic!("a histogram") };
    let point = &histogram.data_points[0];
    assert_eq!((point.count, point.sum, &point.bucket_counts[..]), (7, Some(1.5), &[2, 4, 1][..]));
    assert_eq!((&point.explicit_bounds[..], point.attributes.len()), (&[0.1, 1.0][..], 1));
    until("it is counted", || of(&exporter.tally().sent) == 1);
}

#[test]
fn bad_collectors_cost_nothing_but_what_they_miss() {
    let away = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}", listener.local_addr().expect("an address"))
    };
    let ill = collector("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n", Duration::ZERO);
    let slow = collector("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", PATIENCE);
    for url in [away, ill.0.clone(), slow.0.clone()] {
        let exporter = Exporter::start(&options(url), String::new).expect("it starts");
        // More than the queue holds: whoever tells is done at once, and what is missing is counted.
        let all = 20_000;
        for id in 1..=all {
            exporter.tell(span(id));
        }
        until("all of it is counted", || of(&exporter.tally().dropped) == all);
        assert!(of(&exporter.tally().failed) > 0);
        assert_eq!(of(&exporter.tally().sent), 0);
    }
}

#[test]
fn impossible_collector_is_refused() {
    for url in
        ["", "collector:4318", "https://collector:4318", "http://collector", "http://:4318", "http://a:1/b"]
    {
        let refused = Exporter::start(&options(url.to_owned()), String::new).err().expect("refused");
        assert!(
            refused.contains("http://127.0.0.1:4318") && refused.ends_with(&format!("found `{url}`")),
            "{refused}"
        );
    }
}
