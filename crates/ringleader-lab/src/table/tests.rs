//! What is written is read back by other readers, to the last bit.

use super::*;

#[cfg(feature = "parquet")]
mod parquet_files;

/// Those that this build writes.
const FORMATS: &[Format] = &[
    Format::Csv,
    #[cfg(feature = "parquet")]
    Format::Parquet,
    Format::Json,
    Format::Jsonl,
    Format::Markdown,
];

fn columns() -> Vec<Column> {
    vec![
        Column::new("name", Kind::Text),
        Column::new("seed", Kind::Int),
        Column::new("mean", Kind::Float),
        Column::new("holds", Kind::Bool),
    ]
}

fn rows() -> Vec<Vec<Cell>> {
    vec![
        vec!["a, \"b\"\nc|d".into(), u64::MAX.into(), (0.1 + 0.2).into(), true.into()],
        vec![Cell::Null, Cell::Null, Cell::Null, Cell::Null],
        vec!["ß ⌈log n⌉".into(), 0u64.into(), f64::NAN.into(), false.into()],
        vec!["".into(), (1u64 << 63).into(), f64::MIN_POSITIVE.into(), true.into()],
        vec!["e".into(), 3u64.into(), 1e300.into(), true.into()],
    ]
}

fn written(format: Format) -> Vec<u8> {
    let mut table = Writer::new(format, columns(), Vec::new()).unwrap();
    for mut row in rows() {
        if let Cell::Int(number) = &mut row[1] {
            *number = (*number).min(format.int_max());
        }
        table.row(&row).unwrap();
    }
    table.finish().unwrap()
}

#[test]
fn csv_comes_back() {
    let bytes = written(Format::Csv);
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    assert_eq!(reader.headers().unwrap(), ["name", "seed", "mean", "holds"].as_slice());
    let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(read[0], ["a, \"b\"\nc|d", "18446744073709551615", "0.30000000000000004", "true"][..]);
    assert_eq!(read[1], ["", "", "", ""][..]);
    assert_eq!(read[3][2].parse::<f64>().unwrap().to_bits(), f64::MIN_POSITIVE.to_bits());
    assert_eq!(&read[4][2], "1e300", "short, and seen to be a float");
    assert_eq!(read.len(), 5);
}

#[test]
fn json_comes_back() {
    let array: Vec<serde_json::Value> = serde_json::from_slice(&written(Format::Json)).unwrap();
    let text = String::from_utf8(written(Format::Jsonl)).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(array, lines);
    assert_eq!(array[0]["seed"], u64::MAX);
    assert_eq!(array[0]["mean"], 0.1 + 0.2);
    assert!(array[2]["mean"].is_null() && array[1]["holds"].is_null());
    assert_eq!(text.lines().nth(4), Some(r#"{"name":"e","seed":3,"mean":1e+300,"holds":true}"#));
    let none = Writer::new(Format::Json, columns(), Vec::new()).unwrap().finish().unwrap();
    assert_eq!(none, b"[]\n");
}

#[test]
fn markdown_is_aligned_and_stays_in_its_cells() {
    let text = String::from_utf8(written(Format::Markdown)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1], "| ----------- | -------------------: | ----------------------: | ----- |");
    assert_eq!(lines[2], r#"| a, "b" c\|d | 18446744073709551615 |     0.30000000000000004 | true  |"#);
    assert!(lines[3].contains(" – "));
    let width = lines[0].chars().count();
    assert!(lines.iter().all(|line| line.chars().count() == width), "{text}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let twice = vec![Column::new("n", Kind::Int), Column::new("n", Kind::Text)];
    assert!(Writer::new(Format::Csv, twice, Vec::new()).is_err());
    for &format in FORMATS {
        let mut table = Writer::new(format, columns(), Vec::new()).unwrap();
        assert!(table.row(&[Cell::Null]).is_err());
        assert!(table.row(&[1u64.into(), Cell::Null, Cell::Null, Cell::Null]).is_err());
    }
}

#[test]
fn a_full_disk_is_told() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for &format in FORMATS {
        let told = Writer::new(format, columns(), Full).and_then(|mut table| {
            table.row(&rows()[4])?;
            table.finish()
        });
        let told = told.err();
        assert_eq!(told.map(|error| error.kind()), Some(io::ErrorKind::StorageFull), "{format:?}");
    }
}

#[test]
fn formats_by_the_ending_of_a_name() {
    for name in Format::NAMES {
        assert!(Format::of(Path::new(&format!("a.b.{name}"))).is_some(), "{name}");
    }
    assert_eq!(Format::of(Path::new("A.CSV")), Some(Format::Csv));
    for name in ["csv", "a.tsv", "a", "a."] {
        assert_eq!(Format::of(Path::new(name)), None, "{name}");
    }
}
