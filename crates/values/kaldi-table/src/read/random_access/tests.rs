use std::sync::Mutex;

use super::*;

const SORTED: &str = "printf 'a 1\\nb 2\\nd 4\\n' |";
const UNSORTED: &str = "printf 'b 2\\nd 4\\na 1\\n' |";

fn open(rspecifier: &str) -> RandomAccessReader<i32> {
    RandomAccessReader::open(rspecifier).unwrap()
}

/// What the table answers to the keys, one after the other, up to the first error.
fn ask(rspecifier: &str, keys: &str) -> Result<Vec<Option<i32>>> {
    let mut table = open(rspecifier);
    keys.split(' ').map(|key| Ok(table.get(key)?.map(|value| *value))).collect()
}

fn message(result: Result<Vec<Option<i32>>>) -> String {
    result.expect_err("fails").to_string()
}

/// A file of `content` and its rspecifier.
fn file(content: &str) -> (tempfile::NamedTempFile, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let name = file.path().display().to_string();
    (file, name)
}

#[test]
fn any_order_is_served_from_a_pipe_and_from_a_file() {
    let answers = vec![Some(4), None, Some(1), Some(2), Some(2), Some(4)];
    let (_kept, name) = file("b 2\nd 4\na 1\n");
    for place in [UNSORTED, name.as_str()] {
        assert_eq!(ask(&format!("ark:{place}"), "d c a b b d").unwrap(), answers, "{place}");
        assert_eq!(ask(&format!("cs,ark:{place}"), "d c a b b d").unwrap(), answers, "{place}");
    }
    assert_eq!(ask(&format!("s,ark:{SORTED}"), "d c a b b d").unwrap(), answers);
}

#[test]
fn an_archive_file_keeps_offsets_and_no_values() {
    let (_kept, name) = file("b 2\nd 4\na 1\n");
    let name = format!("ark:{name}");
    let mut entries = KeyedEntries::open(BStr::new(&name), Typed::of::<i32>(), Session::current()).unwrap();
    let mut find = |key: &str| {
        let mut value = None;
        let mut read = |raw: &RawEntry| {
            value = Some(raw.parse::<i32>()?);
            Ok(())
        };
        entries.find(BStr::new(key), ValueFns::of::<i32>(), &mut read).unwrap();
        let Table::Archive(archive) = &entries.table else { panic!("an archive") };
        assert!(archive.holds_no_values());
        value
    };
    assert_eq!(find("a"), Some(1));
    assert_eq!(find("b"), Some(2));
}

#[test]
fn sorted_and_called_sorted_holds_one_entry() {
    assert_eq!(ask(&format!("s,cs,ark:{SORTED}"), "a a c d e").unwrap(), [Some(1), Some(1), None, Some(4), None]);
}

#[test]
fn a_wrong_s_is_named_with_both_keys() {
    for options in ["s", "s,cs"] {
        let message = message(ask(&format!("{options},ark:{UNSORTED}"), "c z"));
        assert!(message.contains("d is followed by a"), "{message}");
    }
}

#[test]
fn a_wrong_cs_is_named_with_both_keys() {
    let message = message(ask(&format!("s,cs,ark:{SORTED}"), "b a"));
    assert!(message.contains("a after b"), "{message}");
}

#[test]
fn once_means_once() {
    for options in ["o", "o,s"] {
        assert_eq!(ask(&format!("{options},ark:{SORTED}"), "a b d").unwrap(), [Some(1), Some(2), Some(4)]);
        let message = message(ask(&format!("{options},ark:{SORTED}"), "a b d a"));
        assert!(message.contains("key a is looked up twice"), "{message}");
    }
}

#[test]
fn a_key_that_is_there_twice_is_an_error_when_it_is_met() {
    let twice = "ark:printf 'a 1\\nb 2\\na 3\\n' |";
    assert_eq!(ask(twice, "a b").unwrap(), [Some(1), Some(2)]);
    assert!(message(ask(twice, "a b c")).contains("duplicate key a"));
}

#[test]
fn the_keys_of_a_script_file_are_unique_and_sorted_where_it_says_so() {
    let (_value, value) = file("7\n");
    let script = |keys: &str| keys.split(' ').map(|key| format!("{key} {value}\n")).collect::<String>();
    let (_kept, name) = file(&script("b a"));
    assert_eq!(ask(&format!("scp:{name}"), "a c b").unwrap(), [Some(7), None, Some(7)]);
    let open_error = |spec: String| RandomAccessReader::<i32>::open(BStr::new(&spec)).err().unwrap().to_string();
    assert!(open_error(format!("s,scp:{name}")).contains("b is followed by a"));
    let (_kept, name) = file(&script("a b a"));
    assert!(open_error(format!("scp:{name}")).contains("duplicate key a, which line 1 has already"));
}

#[test]
fn an_unreadable_script_entry_is_missing_only_with_p() {
    let (_kept, name) = file("a /nonexistent/file\n");
    assert!(message(ask(&format!("scp:{name}"), "a")).contains("cannot open /nonexistent/file"));
    let (answers, log) = kaldi_io::log::capture(|| ask(&format!("p,scp:{name}"), "a b"));
    assert_eq!(answers.unwrap(), [None, None]);
    assert!(String::from_utf8(log).unwrap().contains("Failed to open file /nonexistent/file"));
}

#[test]
fn a_lookup_logs_in_its_session() {
    let (_kept, name) = file("a /nonexistent/file\n");
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lines);
    let log = kaldi_io::log::Log::new().to(move |lines| log.lock().unwrap().extend_from_slice(lines));
    let session = Session::default().change(|settings| settings.log = log);
    let (found, elsewhere) = kaldi_io::log::capture(|| {
        RandomAccessReader::<i32>::open_with(format!("p,scp:{name}"), session).unwrap().get("a").unwrap()
    });
    assert_eq!((found, elsewhere.as_slice()), (None, &[][..]));
    assert!(String::from_utf8_lossy(&lines.lock().unwrap()).contains("Failed to open file /nonexistent/file"));
}

#[test]
fn an_archive_of_another_type_has_nothing_with_p() {
    let (_kept, name) = file("a \0BFV \u{4}\u{1}\0\0\0\0\0\0\0");
    for options in ["", "s,cs,"] {
        assert!(message(ask(&format!("{options}ark:{name}"), "a")).contains("expected"), "{options}");
        let (answers, log) = kaldi_io::log::capture(|| ask(&format!("p,{options}ark:{name}"), "a b"));
        assert_eq!(answers.unwrap(), [None, None], "{options}");
        assert!(String::from_utf8(log).unwrap().contains("left out, as permissive mode (p) asks"), "{options}");
    }
}

#[test]
fn a_pipe_that_was_read_to_its_end_and_failed_is_an_error_unless_permitted() {
    let failing = "printf 'a 1\\n'; exit 3 |";
    let mut table = open(&format!("ark:{failing}"));
    assert_eq!(table.get("a").unwrap().as_deref(), Some(&1));
    assert!(table.finish().unwrap_err().to_string().contains("exit status 3"));
    let mut table = open(&format!("p,ark:{failing}"));
    assert_eq!(table.get("b").unwrap(), None);
    table.finish().unwrap();
}

#[test]
fn words_that_cannot_be_keys_are_not_looked_for() {
    for key in ["", "a b", "a\u{1}"] {
        assert!(matches!(open(&format!("ark:{SORTED}")).get(key), Err(Error::Key { .. })), "{key:?}");
    }
}

#[test]
fn a_map_leads_from_utterances_to_speakers() {
    let table = format!("ark:{SORTED}");
    let mut mapped = crate::MappedReader::<i32>::open(&table, "ark:printf 'utt1 d\\nutt2 x\\n' |").unwrap();
    assert_eq!(mapped.get("utt1").unwrap().as_deref(), Some(&4));
    assert_eq!(mapped.get("utt2").unwrap(), None);
    assert!(mapped.get("utt3").unwrap_err().to_string().contains("no entry for utterance utt3"));
}

#[test]
fn keys_may_be_asked_for_once_more_behind_a_restart() {
    let (_kept, name) = file("a 1\nb 2\nd 4\n");
    for place in [SORTED, name.as_str()] {
        for options in ["", "o,", "s,", "s,cs,", "o,s,cs,"] {
            let mut table = open(&format!("{options}ark:{place}"));
            for _ in 0..2 {
                assert_eq!(table.get("a").unwrap().as_deref(), Some(&1), "{options}{place}");
                assert_eq!(table.get("d").unwrap().as_deref(), Some(&4), "{options}{place}");
                table.restart().unwrap();
            }
        }
    }
}
