//! What is written can be read, and nothing lies outside the picture.

use super::*;

fn plot(scale: Scale) -> Plot {
    let point = |n: f64, cost: f64| Point {
        x: n,
        y: cost,
        interval: Some((cost * 0.9, cost * 1.2)),
        title: format!("n = {n} & cost < {cost}"),
    };
    let sizes = [10.0f64, 100.0, 1000.0, 1e4];
    Plot {
        title: "A <plot> & its \"title\"".into(),
        subtitle: "ten runs".into(),
        x: Axis::new("processes n", Scale::Log),
        y: Axis::new("messages", scale),
        series: vec![
            Series {
                name: "n·log".into(),
                look: (0, 0),
                points: sizes.map(|n| point(n, n * n.ln())).to_vec(),
            },
            Series {
                name: "square".into(),
                look: (1, 1),
                points: sizes.map(|n| point(n, n * n / 2.0)).to_vec(),
            },
            Series { name: "nothing".into(), look: (2, 2), points: Vec::new() },
        ],
        curves: vec![Curve {
            name: "n²".into(),
            series: 1,
            stroke: Stroke::Dashed,
            points: sizes.map(|n| (n, n * n)).to_vec(),
        }],
        caption: vec!["words ".repeat(60)],
    }
}

#[test]
fn svg_is_well_formed_and_everything_is_inside() {
    for scale in [Scale::Log, Scale::Linear] {
        let svg = plot(scale).svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let root = document.root_element();
        let number = |name: &str| root.attribute(name).unwrap().parse::<f64>().unwrap();
        let (width, height) = (number("width"), number("height"));
        let inside = |text: &str| {
            for pair in text.split(' ') {
                let (x, y) = pair.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((0.0..=width).contains(&x) && (0.0..=height).contains(&y), "{pair}");
            }
        };
        root.descendants().filter_map(|node| node.attribute("points")).for_each(inside);
        for node in root.descendants().filter(|node| node.has_tag_name("text")) {
            let place = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
            let wide = marks::text_width(node.text().unwrap_or(""), place("font-size"));
            let end = place("x") + if node.attribute("text-anchor") == Some("start") { wide } else { 0.0 };
            assert!(end <= width && place("y") <= height, "{:?}", node.text());
        }
        let titles = root.descendants().filter(|node| node.has_tag_name("title")).count();
        assert_eq!(titles, 9, "the picture and eight points");
        let dashed = root.descendants().filter(|node| node.has_attribute("stroke-dasharray")).count();
        assert_eq!(dashed, 2, "the curve and its place in the legend");
    }
}

#[test]
fn png_has_its_signature_and_size() {
    let plot = plot(Scale::Log);
    let png = plot.png().unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let picture = layout::lay_out(&plot);
    let number = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    assert_eq!((number(16), number(20)), ((picture.width * 2.0) as u32, (picture.height * 2.0) as u32));
}

#[test]
fn the_page_needs_nothing_else() {
    let table = Table { names: vec!["a<b".into()], rows: vec![vec!["1 & 2".into()]] };
    let page = plot(Scale::Log).html(&table, "ringleader compare 'x'");
    assert!(page.contains("<td>1 &amp; 2</td>") && page.contains("<th>a&lt;b</th>"));
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("var(--ink)"));
    // Every colour that is used is one that the page has, and paper and page agree where it is light.
    for at in 0..7 {
        let light = format!("--s{at}: {};", marks::Paint::Series(at).on_paper());
        assert!(page.contains(&light), "{light}");
    }
    let links = page.matches("http:").count() + page.matches("https:").count();
    assert_eq!(links, 1, "the name space of SVG, and no address");
    assert!(page.contains("default-src 'none'") && !page.contains(" src=") && !page.contains("<script"));
}

#[test]
fn a_plot_of_nothing_is_a_plot() {
    let empty = Plot { series: Vec::new(), curves: Vec::new(), ..plot(Scale::Log) };
    assert!(roxmltree::Document::parse(&empty.svg()).is_ok());
    assert!(empty.png().is_ok());
}

#[test]
fn series_differ_in_more_than_colour() {
    for one in 0..40 {
        for other in 0..one {
            let same_colour = marks::Paint::Series(one).on_paper() == marks::Paint::Series(other).on_paper();
            assert!(!same_colour || marks::Shape::of(one) != marks::Shape::of(other), "{one} and {other}");
        }
    }
}
