//! Parquet, read back by its own reader.

use super::*;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::{Field, RowAccessor};

#[test]
fn parquet_comes_back() {
    let reader = SerializedFileReader::new(bytes::Bytes::from(written(Format::Parquet))).unwrap();
    let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(read.len(), 5);
    assert_eq!(read[0].get_string(0).unwrap(), "a, \"b\"\nc|d");
    assert_eq!(read[0].get_long(1).unwrap(), i64::MAX);
    assert_eq!(read[0].get_double(2).unwrap().to_bits(), (0.1f64 + 0.2).to_bits());
    assert!(read[1].get_column_iter().all(|(_, field)| *field == Field::Null));
    assert!(read[2].get_double(2).unwrap().is_nan());
    assert_eq!(read[3].get_string(0).unwrap(), "", "empty is not missing");
    assert_eq!(read[3].get_long(1).unwrap(), i64::MAX);
    assert!(read[4].get_bool(3).unwrap());
}

#[test]
fn long_tables_are_written_in_groups() {
    let many = 2 * parquet::GROUP_ROWS + 5;
    let mut table = Writer::new(Format::Parquet, vec![Column::new("i", Kind::Int)], Vec::new()).unwrap();
    for i in 0..many {
        table.row(&[(i as u64).into()]).unwrap();
    }
    let reader = SerializedFileReader::new(bytes::Bytes::from(table.finish().unwrap())).unwrap();
    let groups = reader.metadata().row_groups();
    assert_eq!(groups.iter().map(|group| group.num_rows()).collect::<Vec<_>>(), [65_536, 65_536, 5]);
    let sum: u64 =
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap().get_long(0).unwrap() as u64).sum();
    assert_eq!(sum, (many as u64 - 1) * many as u64 / 2);
}

/// Unsigned columns wrap in pandas, and a number above 2^63-1 must not become a negative one.
#[test]
fn parquet_columns_are_signed() {
    let columns = vec![Column::new("n", Kind::Int)];
    let mut table = Writer::new(Format::Parquet, columns, Vec::new()).unwrap();
    let error = table.row(&[(1u64 << 63).into()]).unwrap_err();
    assert!(error.to_string().contains("9223372036854775808 does not fit"), "{error}");
    table.row(&[Cell::Null]).unwrap();
    let reader = SerializedFileReader::new(bytes::Bytes::from(table.finish().unwrap())).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    let column = schema.column(0);
    assert_eq!(column.physical_type(), ::parquet::basic::Type::INT64);
    assert_eq!(column.converted_type(), ::parquet::basic::ConvertedType::NONE);
}
