use kaldi_io::Format;
use kaldi_log::warning;
use kaldi_reader::ReaderExt;
use kaldi_values::Token;

use super::*;
use crate::set_num_threads;

fn open<T: Value>(rspecifier: &str) -> SequentialReader<T> {
    SequentialReader::open(rspecifier).unwrap()
}

fn keys<U: Send + 'static>(mut rows: Rows<U>) -> Vec<String> {
    rows.iter().map(|row| row.unwrap().0.to_string()).collect()
}

const TWO: &str = "ark:printf 'a 1\\nb 2\\n' |";

#[test]
fn what_was_looked_at_is_not_taken() {
    let mut table = open::<i32>(TWO);
    for _ in 0..2 {
        let first = table.peek().unwrap().unwrap();
        assert_eq!((first.key().to_string(), first.read().unwrap()), ("a".to_owned(), 1));
    }
    assert_eq!(keys(table.par_map(|entry| Ok(entry.copy(Format::Text)?))), ["a", "b"]);
}

#[test]
fn what_was_taken_is_not_looked_at() {
    let mut table = open::<i32>(TWO);
    assert_eq!(table.next().unwrap().unwrap().1, 1);
    assert_eq!(table.peek().unwrap().unwrap().key(), "b");
    assert_eq!(keys(table.values()), ["b"]);
}

#[test]
fn an_error_behind_what_was_taken_comes_out_of_the_rest() {
    let mut table = open::<i32>("ark:printf 'a 1\\nb' |");
    assert_eq!(table.next().unwrap().unwrap().1, 1);
    let error = table.values().next().unwrap_err().to_string();
    assert!(
        error.starts_with("b: ") && error.ends_with(":5: expected a value after its key, got the end of the input"),
        "{error}"
    );
}

#[test]
fn there_is_nothing_to_look_at_in_an_empty_table() {
    let mut table = open::<i32>("ark:true |");
    assert!(table.peek().unwrap().is_none());
    assert!(table.peek().unwrap().is_none());
    assert!(keys(table.values()).is_empty());
}

#[test]
fn a_value_without_sense_is_no_error_before_it_is_read() {
    let mut table = open::<i32>("ark:echo a x |");
    assert!(table.peek().unwrap().unwrap().read().is_err());
    assert!(open::<i32>("ark:printf a |").peek().is_err());
}

#[test]
fn a_table_can_be_read_as_another_type_once_looked_at() {
    let mut table = open::<Token>(TWO);
    assert_eq!(table.peek().unwrap().unwrap().read().unwrap().to_string(), "1");
    let numbers = table.retyped::<i32>().values().read_all().unwrap();
    assert_eq!(numbers, [("a".into(), 1), ("b".into(), 2)]);
}

#[test]
fn a_part_of_a_value_can_be_read() {
    let mut rows =
        open::<Token>(TWO).par_map(|entry| Ok(entry.read_with(|cursor, range| Ok((cursor.peek(), range.is_some())))?));
    let firsts = rows.iter().map(|row| row.unwrap().1);
    assert_eq!(firsts.collect::<Vec<_>>(), [(Some(b'1'), false), (Some(b'2'), false)]);
    let error = open::<Token>("ark:echo a 1 |")
        .par_map(|entry| Ok(entry.read_with(|cursor, _| Err::<(), _>(cursor.error("no")))?))
        .next();
    assert_eq!(error.unwrap_err().to_string(), "a: 'echo a 1 |':2: no");
}

/// Keys and values of a reader, up to its end.
fn all(reader: &mut SequentialReader<i32>) -> Vec<(String, i32)> {
    reader.iter().map_while(Result::ok).map(|(key, value)| (key.to_string(), value)).collect()
}

#[test]
fn a_table_is_a_reader_that_can_restart() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "a 1\nb 2\n").unwrap();
    let archive = format!("ark:{}", file.path().display());
    let script = format!("scp:printf 'a {0}:2\\nb {0}:6\\n' |", file.path().display());
    for rspecifier in [&archive, &format!("bg,{archive}"), &script, TWO] {
        let mut table = open::<i32>(rspecifier);
        for _ in 0..3 {
            assert_eq!(all(&mut table), [("a".to_owned(), 1), ("b".to_owned(), 2)], "{rspecifier}");
            assert!(table.next().unwrap().is_none(), "{rspecifier}: an end stays an end");
            table.restart().unwrap();
        }
        let mut ahead = kaldi_reader::prefetch(table, 1000, |_| 1);
        assert_eq!(ahead.iter().map(|item| item.unwrap().1).sum::<i32>(), 3, "{rspecifier}: it can be decorated");
    }
}

#[test]
fn an_error_comes_behind_the_entries_before_it_and_ends_the_table() {
    let mut table = open::<i32>("ark:printf 'a 1\\nb 2\\nc x\\nd 4\\n' |");
    assert_eq!(table.iter().take_while(Result::is_ok).count(), 2);
    assert!(table.next().unwrap().is_none());
    table.restart().unwrap();
    let error = table.iter().nth(2).unwrap().unwrap_err().to_string();
    assert!(error.starts_with("c: ") && error.contains("expected an integer, got \"x\""), "{error}");
}

#[test]
fn a_skimmed_table_has_the_same_values() {
    let values: Vec<Vec<i32>> = vec![vec![1; 10_000], vec![2], vec![3; 5000], vec![], vec![4; 300]];
    let mut bytes = Vec::new();
    for (index, value) in values.iter().enumerate() {
        bytes.extend_from_slice(format!("k{index} ").as_bytes());
        value.write(&mut bytes, Format::Binary);
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let rspecifier = format!("ark:{}", file.path().display());
    let table = open::<Vec<i32>>(&rspecifier).skim();
    assert_eq!(table.values().iter().map(|row| row.unwrap().1).collect::<Vec<_>>(), values);
    // Cut in a value that is skipped: known from the length of the file.
    std::fs::write(file.path(), &bytes[..40_000]).unwrap();
    let mut table = open::<Vec<i32>>(&rspecifier).skim();
    assert!(table.next().is_err());
}

#[test]
fn log_lines_of_the_work_come_in_order_whatever_the_number_of_threads() {
    set_num_threads(|| 4);
    let lines: String = (0..40_000).map(|i| format!("k{i:05} {i}\n")).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines.repeat(4)).unwrap();
    let mut rows = open::<i32>(&format!("ark:{}", file.path().display())).par_map(|entry| {
        let value = entry.read()?;
        if value % 1000 == 0 {
            warning!("at {value}");
        }
        Ok(value)
    });
    let (values, log) = kaldi_log::capture(|| rows.iter().map(|row| row.unwrap().1).collect::<Vec<_>>());
    assert_eq!(values.len(), 160_000);
    assert!(values.chunks(40_000).all(|chunk| chunk.is_sorted()));
    let log = String::from_utf8(log).unwrap();
    let numbers: Vec<i32> = log.lines().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    assert_eq!(numbers, (0..40).map(|i| i * 1000).collect::<Vec<_>>().repeat(4));
}
