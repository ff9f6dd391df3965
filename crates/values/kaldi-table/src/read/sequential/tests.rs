use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use kaldi_io::ParseError;
use kaldi_io::log::warning;
use kaldi_reader::ReaderExt;
use kaldi_value::Token;
use kaldi_value::{Cursor, Format, Frame};

use super::*;

fn open<T: Value>(rspecifier: &str) -> SequentialReader<T> {
    SequentialReader::open(rspecifier).unwrap()
}

fn open_on_four_threads<T: Value>(rspecifier: &str) -> SequentialReader<T> {
    SequentialReader::open_with(rspecifier, Session::current().threads(4)).unwrap()
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
        error.starts_with("b: ") && error.ends_with(":2: expected a value after its key, got the end of the input"),
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
fn erased_values_are_read_and_refused_as_those_of_their_type() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(name("a.ark"), "a 1 2 3\nb x\nc 4\n").unwrap();
    let lines = [("a", 2, ""), ("b", 10, ""), ("c", 14, ""), ("d", 2, "[7:9]")];
    let lines = lines.map(|(key, place, range)| format!("{key} {}:{place}{range}\n", name("a.ark")));
    std::fs::write(name("all.scp"), lines.concat()).unwrap();
    std::fs::write(name("some.scp"), lines[..3].concat()).unwrap();
    let mut found = Vec::new();
    for rspecifier in ["ark:a.ark", "p,ark:a.ark", "scp:some.scp", "p,scp:some.scp", "p,scp:all.scp"] {
        let (kind, file) = rspecifier.split_once(':').unwrap();
        let rspecifier = format!("{kind}:{}", name(file));
        let typed = open::<Vec<i32>>(&rspecifier).values().read_all().map_err(|error| error.to_string());
        let mut erased = open::<Vec<i32>>(&rspecifier).erased().par_map(|entry| Ok(entry.read_as::<Vec<i32>>()?));
        assert_eq!(erased.read_all().map_err(|error| error.to_string()), typed, "{rspecifier}");
        found.push(typed.map_or(0, |entries| entries.len()));
    }
    assert_eq!(found, [0, 1, 0, 2, 0]);
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
    assert_eq!(error.unwrap_err().to_string(), "a: 'echo a 1 |':1: no");
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
fn an_error_of_the_work_carries_the_key_of_its_entry() {
    for threads in [1, 4] {
        let session = Session::current().threads(threads);
        let table = SequentialReader::<i32>::open_with("ark:printf 'a 1\\nb 2\\nc x\\n' |", session).unwrap();
        let mut rows = table.par_map(|entry| match entry.read()? {
            2 => Err("expected an odd number, got 2".into()),
            number => Ok(number),
        });
        assert_eq!(rows.next().unwrap(), Some(("a".into(), 1)));
        let error = rows.next().unwrap_err();
        assert_eq!(error.to_string(), "b: expected an odd number, got 2");
        assert!(matches!(error, Error::Work { key, .. } if key == "b"));
    }
    // An entry that cannot be read names its place by itself, and a single file has no key.
    let error = open::<i32>("ark:echo c x |").par_map(|entry| Ok(entry.read()?)).next().unwrap_err();
    assert!(error.to_string().starts_with("c: 'echo c x |':1: expected an integer, got \"x\""), "{error}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "7\n").unwrap();
    let table = SequentialReader::<i32>::open_table_or_file(file.path().display().to_string()).unwrap();
    let error = table.par_map(|_| Err::<(), _>("no".into())).next().unwrap_err();
    assert_eq!(error.to_string(), "no");
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
fn values_that_stay_in_files_are_worked_on_by_several_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, script) = (folder.path().join("x.ark"), folder.path().join("x.scp"));
    let (mut bytes, mut lines) = (Vec::new(), String::new());
    for index in 0..60 {
        bytes.extend_from_slice(format!("k{index:02} ").as_bytes());
        lines += &format!("k{index:02} {}:{}\n", archive.display(), bytes.len());
        vec![index; 20_000].write(&mut bytes, Format::Binary);
    }
    std::fs::write(&archive, bytes).unwrap();
    std::fs::write(&script, lines).unwrap();
    for rspecifier in [format!("ark:{}", archive.display()), format!("scp:{}", script.display())] {
        let are_shared = || {
            let rows = open_on_four_threads::<Vec<i32>>(&rspecifier).leave_in_files().par_map(|entry| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                Ok((entry.read()?[0], std::thread::current().id()))
            });
            let rows: Vec<_> = { rows }.iter().map(|row| row.unwrap().1).collect();
            assert!(rows.iter().map(|row| row.0).eq(0..60));
            rows.iter().any(|row| row.1 != rows[0].1)
        };
        // The machine may do something else while a value is read, which then takes longer than the work.
        assert!((0..20).any(|_| are_shared()), "{rspecifier}");
    }
}

#[test]
fn log_lines_of_the_work_come_in_order_whatever_the_number_of_threads() {
    let lines: String = (0..40_000).map(|i| format!("k{i:05} {i}\n")).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines.repeat(4)).unwrap();
    let table = open_on_four_threads::<i32>(&format!("ark:{}", file.path().display()));
    let mut rows = table.par_map(|entry| {
        let value = entry.read()?;
        if value % 1000 == 0 {
            warning!("at {value}");
        }
        Ok(value)
    });
    let (values, log) = kaldi_io::log::capture(|| rows.iter().map(|row| row.unwrap().1).collect::<Vec<_>>());
    assert_eq!(values.len(), 160_000);
    assert!(values.chunks(40_000).all(|chunk| chunk.is_sorted()));
    let log = String::from_utf8(log).unwrap();
    let numbers: Vec<i32> = log.lines().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    assert_eq!(numbers, (0..40).map(|i| i * 1000).collect::<Vec<_>>().repeat(4));
}

/// A value of text that counts how often it is read.
#[derive(Debug)]
struct Counted(Vec<i32>);

static READ: AtomicUsize = AtomicUsize::new(0);

impl Value for Counted {
    const NAME: &'static str = "counted";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        Vec::<i32>::frame(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        READ.fetch_add(1, Relaxed);
        cursor.warn("doubtful".to_owned());
        Vec::read(cursor).map(Self)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        self.0.write(out, format);
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self, ParseError> {
        let place = usize::from(range[0] - b'0');
        let whole = Vec::read(cursor)?;
        whole.get(place).map(|&value| Self(vec![value])).ok_or_else(|| ParseError::new(0, "no such place"))
    }
}

#[test]
fn a_text_is_parsed_once_for_all_lines_that_name_parts_of_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "5 6 7\n").unwrap();
    let path = file.path().display().to_string();
    let script = [0, 1, 2, 2, 1, 0].map(|place| format!("u{place} {path}[{place}]\n")).concat();
    for threads in [1, 3] {
        READ.store(0, Relaxed);
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&warnings);
        let log = kaldi_io::log::Log::new().to(move |lines| sink.lock().unwrap().extend_from_slice(lines));
        let session = Session::current().threads(threads).change(|settings| settings.log = log);
        let rspecifier = format!("scp:printf '{}' |", script.replace('\n', "\\n"));
        let mut rows = SequentialReader::<Counted>::open_with(&rspecifier, session).unwrap().values();
        let values: Vec<i32> = rows.iter().map(|row| row.unwrap().1.0[0]).collect();
        assert_eq!(values, [5, 6, 7, 7, 6, 5]);
        assert_eq!(READ.load(Relaxed), 1);
        // What is doubtful about it is told for each of them.
        let warnings = String::from_utf8(warnings.lock().unwrap().clone()).unwrap();
        assert_eq!(warnings.matches("doubtful").count(), 6, "{warnings}");
    }
    // A wrong range is one in permissive mode, too.
    let mut rows = open::<Counted>(&format!("scp,p:printf 'a {path}[7]' |")).values();
    assert!(rows.next().unwrap_err().to_string().ends_with("no such place"));
}
