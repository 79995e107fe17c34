#![allow(clippy::all)]
use ringleader::registry::{ALL, find};
use ringleader_lab::worst::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "constants" {
        for r in constants(ALL, a[2].parse().unwrap(), 2, &()).unwrap_or_else(|e| panic!("{e:?}")) {
            println!(
                "{} {} {:?} slope {:?} ratio {:?}",
                r.algorithm,
                r.constant.value,
                r.sizes,
                r.slope,
                r.ratio()
            );
            for m in &r.measured {
                println!(
                    "    {} {} {:.4} {} bound {:?}",
                    m.n,
                    m.election_messages,
                    m.ratio(),
                    m.arrangement,
                    m.bound
                );
            }
        }
        return;
    }
    if a[1] == "curve" {
        use ringleader::model::Arranged;
        use ringleader::sim::*;
        let entry = find(ALL, &a[2]).unwrap();
        for (how, name) in [(Arranged::BitReversal, "bit"), (Arranged::Fibonacci, "fib")] {
            for n in a[3..].iter() {
                let n: u32 = n.parse().unwrap();
                let r = entry
                    .run(
                        &Scenario {
                            ids: Ids::Arranged(how),
                            ports: Ports::Kind(ringleader::model::Orientation::Same),
                            ..Scenario::new(n)
                        },
                        &mut (),
                    )
                    .unwrap();
                println!(
                    "{name} {n} {} {:.4} phases {:?}",
                    r.election_messages,
                    r.election_messages as f64 / (n as f64 * (n as f64).log2()),
                    r.phases
                );
            }
        }
        return;
    }
    let entry = find(ALL, &a[1]).unwrap();
    let n: u32 = a[2].parse().unwrap();
    let method = match a.get(3).map(|s| s.as_str()) {
        Some("exact") => Method::Exact,
        Some("search") | Some("bare") => Method::Search,
        _ => Method::Either,
    };
    let families = a.get(3).map(|s| s.as_str()) != Some("bare");
    let t = std::time::Instant::now();
    let q = Question { method, families, threads: 2, ..Question::new(entry, n) };
    match answer(&q, &()) {
        Ok(w) => println!(
            "{} n={} exact={} {} over {:?} {:?} ev {} bound {:?} shown {} {:?} {:?}",
            a[1],
            n,
            w.exact,
            w.election_messages,
            w.over,
            w.found,
            w.evaluations,
            w.bound.map(|b| b.value),
            match &w.shown {
                Shown::Run(x) => format!("{x:?}"),
                Shown::Recorded(_) => "recorded".into(),
                Shown::Nothing => "nothing".into(),
            },
            if n < 40 { w.ids } else { vec![] },
            t.elapsed()
        ),
        Err(e) => println!("{} {n} {e:?} {:?}", a[1], t.elapsed()),
    }
}
