//! Exports, read back by other libraries.

use std::fs::{File, read_to_string};

use kogge_board::{Format, Rules};
use kogge_ledger::{LedgerStore, Sqlite};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::{KIWIPETE_4, answer, fresh, in_file, kiwipete, source, work};

#[test]
fn csv_sums_up_to_the_total() {
    let ledger = in_file("csv");
    work(&ledger).unwrap();
    let file = fresh("csv").with_extension("csv");
    assert_eq!(ledger.export_csv(&file), Ok(2038));
    let text = read_to_string(&file).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("id,position,fen,multiplicity,disputed,count,at,backend,device,variant,kogge"));
    let mut sum = 0;
    for (id, line) in lines.enumerate() {
        let fields: Vec<_> = line.splitn(8, ',').collect();
        assert_eq!(fields[0], id.to_string());
        let bytes: Vec<_> = (0..32).map(|byte| u8::from_str_radix(&fields[1][2 * byte..][..2], 16).unwrap()).collect();
        let position = Format::Circle32.unpack(&bytes, &Rules::STANDARD).unwrap();
        assert_eq!(fields[2].parse::<kogge_board::Fen>().unwrap().position, position);
        sum += fields[3].parse::<u128>().unwrap() * fields[5].parse::<u128>().unwrap();
        assert!(fields[7].starts_with("cpu,\"CPU, 1 thread\",") || fields[7].starts_with("cpu,"), "{line}");
    }
    assert_eq!(sum, KIWIPETE_4);
}

#[test]
fn parquet_sums_up_to_the_total_and_knows_what_is_missing() {
    let file = fresh("parquet");
    let mut store = Sqlite::open_or_create(&file).unwrap();
    let ledger = kiwipete(Box::new(Sqlite::open_or_create(&file).unwrap()));
    store.record(&source("someone, \"else\""), &[answer(5, u128::MAX)]).unwrap();
    let table = file.with_extension("parquet");
    assert_eq!(ledger.export_parquet(&table), Ok(2038));
    let reader = SerializedFileReader::new(File::open(&table).unwrap()).unwrap();
    let mut counted = 0;
    for (id, row) in reader.get_row_iter(None).unwrap().enumerate() {
        let row = row.unwrap();
        assert_eq!((row.get_long(0).unwrap(), row.get_bool(4).unwrap()), (id as i64, false));
        assert_eq!(row.get_bytes(1).unwrap().len(), 32);
        if let Ok(count) = row.get_string(5) {
            counted += 1;
            assert_eq!((id, count.as_str()), (5, u128::MAX.to_string().as_str()));
            assert_eq!(row.get_string(7).unwrap(), "someone, \"else\"");
        }
    }
    assert_eq!(counted, 1);
    let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap();
    assert!(metadata.iter().any(|pair| pair.key == "kogge.depth" && pair.value.as_deref() == Some("4")));

    store.settle(5, &0.into()).unwrap();
    let open: Vec<_> = store.rows(None, 10_000).unwrap();
    assert!(open[5].given.is_some(), "settling needs an answer that was given");
    let csv = file.with_extension("csv");
    ledger.export_csv(&csv).unwrap();
    let line = read_to_string(&csv).unwrap().lines().nth(6).unwrap().to_owned();
    assert!(line.contains("\"someone, \"\"else\"\"\",a device,a variant,0"), "{line}");
    assert!(read_to_string(&csv).unwrap().lines().nth(7).unwrap().ends_with(",false,,,,,,"));
}
