//! Input that is missing, cut, damaged or empty, in the fields of all tools: one line that names the file and the place, the right
//! exit status, and nothing half-written.
//!
//! The command lines are valid ones, of recorded cases of Kaldi and of [`LINES`], and only one file is changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use regex::Regex;

use super::every_output;
use crate::golden::case;
use crate::support::Scratch;
use crate::support::each::{check_each, run};
use crate::support::registry::{self, Tool};

/// Command lines of tools that Kaldi does not have, besides those of [`every_output::LINES`], with the files of [`every_output::inputs`].
const LINES: [(&str, &str); 15] = [
    ("check-shards", "s.tar"),
    ("index-shards", "s.tar"),
    ("int-vector-to-indexed", "ark:frames new"),
    ("list-shards", "s.tar"),
    ("make-shar", "data new"),
    ("table-check", "a.ark"),
    ("table-diff", "a.ark b.ark"),
    ("table-export", "--format=npz ark:a.ark OUT.npz"),
    ("table-get", "--keys=text a.ark"),
    ("table-head", "a.ark"),
    ("table-info", "a.ark"),
    ("table-keys", "a.ark"),
    ("table-sort", "--by=length --utt2num-frames=ark:frames ark:a.ark ark:OUT"),
    ("table-split", "--world-size=1 --utt2spk=ark:data/utt2spk a.scp OUT"),
    ("table-stats", "a.ark"),
];

/// A valid command line, and its inputs of which something is shown.
#[derive(Clone, Debug)]
struct Line {
    tool: String,
    words: Vec<String>,
    /// By the name of an option or argument: the file.
    fields: BTreeMap<String, String>,
    files: Files,
}

/// Where the files of a line are.
#[derive(Clone, Debug)]
enum Files {
    /// Their names, and the paths of their bytes.
    OfCase(BTreeMap<String, PathBuf>),
    Ours,
}

impl Files {
    fn has(&self, name: &str, ours: &BTreeSet<String>) -> bool {
        match self {
            Files::OfCase(files) => files.contains_key(name),
            Files::Ours => ours.contains(name),
        }
    }
}

/// The words of a command line up to the first thing that is not one of the tool; `None` if it is not that simple.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let quoted: String = letters.by_ref().take_while(|other| *other != letter).collect();
                if quoted.contains(['$', '`', '\\', '|']) {
                    return None;
                }
                word.get_or_insert_default().push_str(&quoted);
            }
            ' ' => words.extend(word.take()),
            // `2>&1`, `> file`
            '>' => {
                word.take_if(|word| word == "1" || word == "2");
                break;
            }
            '|' | '&' | ';' => break,
            '<' | '$' | '`' | '\\' | '*' | '?' | '\n' | '(' | '{' => return None,
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

/// The names of the arguments that are given when there are so many.
fn arguments_of(tool: &Tool, count: usize) -> Vec<&registry::Argument> {
    let mut rest = count.saturating_sub(tool.arguments.iter().filter(|argument| argument.required).count());
    let mut given = Vec::new();
    for argument in &tool.arguments {
        if argument.required {
            given.push(argument);
        } else if rest > 0 {
            rest -= 1;
            given.push(argument);
        }
        if argument.many {
            given.extend(std::iter::repeat_n(argument, std::mem::take(&mut rest)));
        }
    }
    given
}

impl Line {
    fn new(tool: &Tool, words: Vec<String>, files: Files, ours: &BTreeSet<String>) -> Option<Line> {
        let arguments: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
        let named = arguments_of(tool, arguments.len());
        if named.len() != arguments.len() {
            return None;
        }
        let inputs = named.iter().zip(&arguments).filter(|(argument, _)| argument.role.as_deref() == Some("input"));
        let mut fields: Vec<(String, &str)> =
            inputs.map(|(argument, word)| (argument.name.clone(), word.as_str())).collect();
        for word in &words {
            let Some((name, value)) = word.strip_prefix("--").and_then(|word| word.split_once('=')) else { continue };
            let name = name.replace('_', "-").to_lowercase();
            if tool.options.iter().any(|option| option.name == name && option.role.as_deref() == Some("input")) {
                fields.push((format!("--{name}"), value));
            }
        }
        let mut found = BTreeMap::new();
        for (field, value) in fields {
            let file = value.split_once(':').filter(|(kind, _)| is_table(kind)).map_or(value, |(_, file)| file);
            if files.has(file, ours) {
                found.entry(field).or_insert_with(|| file.to_owned());
            }
        }
        Some(Line { tool: tool.name.clone(), words, fields: found, files })
    }

    /// Whether the tool reads a file as a table.
    fn is_table(&self, file: &str) -> bool {
        let is_it = |word: &String| word.ends_with(&format!(":{file}")) || word.contains(&format!(":{file}["));
        self.words.iter().any(is_it)
    }

    /// The line with the least is tried for a field: archives rather than lists, few bytes, but enough for an entry or two.
    fn cost(&self, field: &str) -> (bool, bool, u64) {
        let file = &self.fields[field];
        let is_script = file.ends_with(".scp");
        let size = match &self.files {
            Files::OfCase(files) => {
                let size = |path| fs::metadata(case::folder().join("data").join(path)).map_or(0, |file| file.len());
                files.values().map(size).sum()
            }
            Files::Ours => 0,
        };
        (is_script, size < 200, size)
    }
}

/// `ark`, `ark,t`, `scp,p` ... but not permissive ones.
fn is_table(kind: &str) -> bool {
    let mut parts = kind.split(',');
    matches!(parts.next(), Some("ark" | "scp")) && parts.all(|part| part != "p")
}

/// The lines that are tried, each with the fields that it is tried for.
fn lines(tools: &[Tool]) -> Vec<Line> {
    let ours = every_output::inputs();
    let ours: BTreeSet<String> = ours.list().into_iter().filter(|name| ours.path(name).is_file()).collect();
    let by_name: BTreeMap<&str, &Tool> = tools.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    let quirks = case::quirks();
    let mut all = Vec::new();
    for case in case::cases() {
        let is_done = matches!(case.exit, case::Exit::Code(0));
        let Some(tool) = by_name.get(case.tool.as_str()).filter(|_| is_done) else { continue };
        if quirks.iter().any(|quirk| quirk.cases.is_match(&case.name)) {
            continue;
        }
        let Some(mut words) = words(&case.cmd).filter(|words| words.first() == Some(&case.tool)) else { continue };
        words.remove(0);
        all.extend(Line::new(tool, words, Files::OfCase(case.inputs), &ours));
    }
    for (tool, line) in every_output::LINES.iter().chain(&LINES) {
        let tool = by_name[tool];
        let words = words(line).expect("a line is simple");
        all.push(Line::new(tool, words, Files::Ours, &ours).expect("a line has the right number of arguments"));
    }
    let mut best = BTreeMap::<(String, String), usize>::new();
    for (at, line) in all.iter().enumerate() {
        for field in line.fields.keys() {
            let place = best.entry((line.tool.clone(), field.clone())).or_insert(at);
            if line.cost(field) < all[*place].cost(field) {
                *place = at;
            }
        }
    }
    let mut chosen = BTreeMap::<usize, BTreeSet<String>>::new();
    for ((_, field), at) in best {
        chosen.entry(at).or_default().insert(field);
    }
    let with = |(at, wanted): (usize, BTreeSet<String>)| {
        let mut line = all[at].clone();
        line.fields.retain(|field, _| wanted.contains(field));
        line
    };
    chosen.into_iter().map(with).collect()
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Missing,
    Cut,
    Damaged,
    Empty,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Change::Missing => "missing",
            Change::Cut => "cut",
            Change::Damaged => "damaged",
            Change::Empty => "empty",
        }
    }

    /// What is left of a file, `Some(None)` if nothing; `None` if the change makes no sense for it.
    fn apply(self, bytes: &[u8], is_table: bool) -> Option<Option<Vec<u8>>> {
        // After the first entries of a table, and inside of one; near the start of a model.
        let at = if is_table { (bytes.len() * 5 / 8 + 3).min(bytes.len()) } else { bytes.len() / 8 };
        match self {
            Change::Missing => Some(None),
            // Text that is cut may be whole.
            Change::Cut => bytes.contains(&0).then(|| Some(bytes[..at].to_vec())),
            Change::Damaged => Some(Some([&bytes[..at], b"\0BX ]x[ @\xff\n]x[ \0B @\n"].concat())),
            Change::Empty => Some(Some(Vec::new())),
        }
    }
}

/// How a run has ended: exit status, both streams, and the files that are new.
struct End {
    code: Option<i32>,
    stdout: Vec<u8>,
    log: String,
    new: Vec<String>,
}

/// A folder with the files of a line, in which it runs again and again.
struct Folder<'a> {
    line: &'a Line,
    scratch: Scratch,
    before: Vec<String>,
}

impl<'a> Folder<'a> {
    fn new(line: &'a Line) -> Self {
        let scratch = match &line.files {
            Files::Ours => every_output::inputs(),
            Files::OfCase(files) => {
                let scratch = Scratch::new();
                for (name, path) in files {
                    let to = scratch.path(name);
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    fs::copy(case::folder().join("data").join(path), to).unwrap();
                }
                scratch
            }
        };
        let before = scratch.list();
        Folder { line, scratch, before }
    }

    fn run(&self) -> End {
        let words = [&["--print-args=false".to_owned()][..], &self.line.words].concat();
        let output = run(&self.scratch, &self.line.tool, &words);
        let new: Vec<_> = self.scratch.list().into_iter().filter(|name| !self.before.contains(name)).collect();
        for name in &new {
            let path = self.scratch.path(name);
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        End { code: output.status.code(), stdout: output.stdout, log, new }
    }

    /// What happens with the file of a field changed, if it is not what is expected; of an empty file always, with the status.
    fn outcome(&self, field: &str, change: Change) -> Option<String> {
        let file = &self.line.fields[field];
        let path = self.scratch.path(file);
        let bytes = fs::read(&path).unwrap();
        let changed = change.apply(&bytes, self.line.is_table(file))?;
        fs::remove_file(&path).unwrap();
        if let Some(bytes) = changed {
            fs::write(&path, bytes).unwrap();
        }
        let end = self.run();
        fs::write(&path, &bytes).unwrap();
        let table = self.line.is_table(file).then_some(&bytes[..]);
        describe(&end, change, file, table).map(|what| format!("{}={what}", change.name()))
    }
}

/// Whether a table may have an entry with the key: before a binary value or a graph of OpenFst, or at the start of a line.
fn has_key(table: &[u8], key: &str) -> bool {
    let has = |header: &[u8]| {
        let entry = [key.as_bytes(), b" ", header].concat();
        table.windows(entry.len()).any(|bytes| bytes == entry)
    };
    let starts = |line: &[u8]| line.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b" "));
    has(b"\0B") || has(b"\xd6\xfd\xb2\x7e") || table.split(|byte| *byte == b'\n').any(starts)
}

/// What is not as expected in an end: status 255, one line of an error with the place, the key if it is in an entry of a table, and
/// what was expected there, and nothing left.
fn describe(end: &End, change: Change, file: &str, table: Option<&[u8]>) -> Option<String> {
    let errors: Vec<&str> = end.log.lines().filter(|line| line.starts_with("ERROR")).collect();
    let code = end.code.map_or("signal".to_owned(), |code| code.to_string());
    let mut what = if change == Change::Empty || end.code != Some(255) { vec![code] } else { Vec::new() };
    if change == Change::Empty && !end.stdout.is_empty() {
        what.push("stdout".to_owned());
    }
    if end.log.contains("internal error") || end.log.contains("panicked") {
        what.push("panic".to_owned());
    }
    if errors.len() > 1 {
        what.push(format!("{}-errors", errors.len()));
    }
    if end.code == Some(255) {
        if !end.new.is_empty() {
            what.push(format!("leaves-{}", end.new.join("-")));
        }
        let place = match change {
            Change::Missing => regex::escape(file),
            Change::Cut | Change::Damaged => {
                format!("{}(:[0-9]+|: line [0-9]+|: expected text in UTF-8)", regex::escape(file))
            }
            Change::Empty => String::new(),
        };
        if change != Change::Empty && !errors.iter().any(|line| Regex::new(&place).unwrap().is_match(line)) {
            what.push("no-place".to_owned());
        }
        if matches!(change, Change::Cut | Change::Damaged) {
            let first = |line: &str| line.split_once(") ")?.1.split_once(": ").map(|(first, _)| first.to_owned());
            let names_key = |table| errors.iter().any(|line| first(line).is_some_and(|key| has_key(table, &key)));
            if table.is_some_and(|table| !names_key(table)) {
                what.push("no-key".to_owned());
            }
            if !errors.iter().any(|line| line.contains("expected ") || line.contains(" ends ")) {
                what.push("no-expectation".to_owned());
            }
        }
    }
    (!what.is_empty()).then(|| what.join(","))
}

/// `tests/data/broken_inputs.txt` has the status with an empty file, for each field, and what is not as it is in all others.
#[test]
fn what_is_missing_cut_damaged_or_empty_is_told_by_all_tools() {
    let tools = registry::tools();
    let lines = lines(tools);
    let found = Mutex::new(BTreeSet::new());
    check_each(&lines, |_, line| {
        let folder = Folder::new(line);
        // The recorded cases are tried elsewhere.
        let end = matches!(line.files, Files::Ours).then(|| folder.run());
        if let Some(End { code, log, .. }) = end.filter(|end| end.code != Some(0)) {
            return Err(format!("{} {:?}: {code:?} {log}", line.tool, line.words));
        }
        for field in line.fields.keys() {
            let changes = [Change::Empty, Change::Missing, Change::Cut, Change::Damaged];
            let outcomes: Vec<_> = changes.into_iter().filter_map(|change| folder.outcome(field, change)).collect();
            found.lock().unwrap().insert(format!("{} {field} {}", line.tool, outcomes.join(" ")));
        }
        Ok(())
    });
    let found = found.into_inner().unwrap();
    let expected = include_str!("../data/broken_inputs.txt");
    let expected: BTreeSet<_> = expected.lines().filter(|line| !line.starts_with('#')).map(ToOwned::to_owned).collect();
    let joined = |lines: Vec<&String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (new, gone) = (found.difference(&expected).collect(), expected.difference(&found).collect());
    assert!(found == expected, "found:\n{}expected:\n{}", joined(new), joined(gone));
}

#[test]
fn keys_stand_before_binary_values_or_first_in_lines() {
    assert!(["a", "b"].iter().all(|key| has_key(b"a \0BFM \x04b \0BFM ", key)) && has_key(b"a x\nb x\n", "b"));
    assert!(!has_key(b"a x\nb x\n", "x") && !has_key(b"a \0BFM ", "FM"));
}

#[test]
fn a_tool_that_takes_broken_input_is_found() {
    let end = |code, log: &str, new: &[&str]| End {
        code,
        stdout: Vec::new(),
        log: log.to_owned(),
        new: new.iter().map(|name| (*name).to_owned()).collect(),
    };
    let judge = |end: &End, change| describe(end, change, "in.ark", Some(b"a 1\nb 2\n"));
    let error = "LOG (x[0.1.0]:main():x.rs:1) Done.\nERROR (x[0.1.0]:main():x.rs:1) b: in.ark:12: expected a number\n";
    for change in [Change::Missing, Change::Cut, Change::Damaged] {
        assert_eq!(judge(&end(Some(255), error, &[]), change), None);
        for (wrong, what) in [
            (end(Some(0), "", &["out"]), "0"),
            (end(Some(1), error, &[]), "1"),
            (end(None, "", &[]), "signal"),
            (end(Some(101), "thread 'main' panicked at x.rs:1:1", &[]), "101,panic"),
            (end(Some(255), &error.replace("expected", "internal error, please report it: expected"), &[]), "panic"),
            (end(Some(255), error, &["out"]), "leaves-out"),
            (end(Some(255), &error.repeat(2), &[]), "2-errors"),
            (end(Some(255), &error.replace("in.ark", "another"), &[]), "no-place"),
        ] {
            assert_eq!(judge(&wrong, change).as_deref(), Some(what), "{}", wrong.log);
        }
    }
    for change in [Change::Cut, Change::Damaged] {
        let no_key = end(Some(255), &error.replace(" b: ", " "), &[]);
        assert_eq!(judge(&no_key, change).as_deref(), Some("no-key"));
        assert_eq!(describe(&no_key, change, "in.ark", None), None, "no table");
        let unexpected = end(Some(255), &error.replace("expected", "not"), &[]);
        assert_eq!(judge(&unexpected, change).as_deref(), Some("no-expectation"));
        assert_eq!(judge(&end(Some(255), "", &[]), change).as_deref(), Some("no-place,no-key,no-expectation"));
    }
    assert_eq!(judge(&end(Some(255), "", &[]), Change::Missing).as_deref(), Some("no-place"));
    let no_number = error.replace(":12", "");
    assert_eq!(judge(&end(Some(255), &no_number, &[]), Change::Missing), None);
    assert_eq!(judge(&end(Some(255), &no_number, &[]), Change::Damaged).as_deref(), Some("no-place"));
    assert_eq!(judge(&end(Some(1), "", &["out"]), Change::Empty).as_deref(), Some("1"));
    assert_eq!(judge(&end(Some(255), error, &["out"]), Change::Empty).as_deref(), Some("255,leaves-out"));
    let writing = End { stdout: b"a".to_vec(), ..end(Some(1), "", &[]) };
    assert_eq!(judge(&writing, Change::Empty).as_deref(), Some("1,stdout"));
}
