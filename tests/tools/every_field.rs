//! What holds for every tool, and for every option and argument that names an input: the registry lists them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::Scratch;
use crate::support::each::{self, check_each};
use crate::support::registry::{self, Tool};

/// An option or argument that names an input.
struct Field {
    tool: Tool,
    name: String,
    /// The place of an argument; options have none.
    place: Option<usize>,
}

/// How a run ended: exit code and standard error.
#[derive(Debug, PartialEq)]
struct End {
    code: Option<i32>,
    log: String,
}

impl Field {
    fn all() -> Vec<Field> {
        let is_input = |role: &Option<String>| role.as_deref() == Some("input");
        let mut fields = Vec::new();
        for tool in registry::tools() {
            // It serves what it can read, until it is stopped.
            if tool.name == "table-view" {
                continue;
            }
            for option in tool.options.iter().filter(|option| is_input(&option.role)) {
                fields.push(Field { tool: tool.clone(), name: format!("--{}", option.name), place: None });
            }
            for (place, argument) in tool.arguments.iter().enumerate().filter(|(_, argument)| is_input(&argument.role))
            {
                fields.push(Field { tool: tool.clone(), name: argument.name.clone(), place: Some(place) });
            }
        }
        assert!(fields.len() > 200, "{}", fields.len());
        fields
    }

    /// The tool and the name of the field.
    fn describe(&self) -> String {
        format!("{}: {}", self.tool.name, self.name)
    }

    /// A command line that has a file in the field and empty ones elsewhere, as tables or as files, whatever the tool wants.
    fn line(&self, scratch: &Scratch, file: &str) -> Line {
        let mut words = arguments(&self.tool, self.place);
        let place = match self.place {
            Some(place) => {
                let is_required = self.tool.arguments[place].required;
                let is_before = |it: &&registry::Argument| it.required || !is_required;
                self.tool.arguments[..place].iter().filter(is_before).count()
            }
            None => {
                words.insert(0, format!("{}=", self.name));
                0
            }
        };
        let mut line = Line { tool: self.tool.name.clone(), words, place };
        line.words[place] += &format!("ark:{file}");
        // A table where a file is wanted is refused with its name.
        for _ in 0..line.words.len() {
            let log = line.run(scratch).log;
            let Some((_, refused)) =
                log.split_once("ERROR").filter(|(_, log)| log.contains("(ark: or scp:), not of a file"))
            else {
                break;
            };
            let Some(word) =
                line.words.iter_mut().find(|word| refused.contains(&word[word.find("ark:").unwrap_or(0)..]))
            else {
                break;
            };
            *word = word.replacen("ark:", "", 1);
        }
        line
    }
}

/// A command line with a field.
struct Line {
    tool: String,
    words: Vec<String>,
    /// Which word has the field.
    place: usize,
}

impl Line {
    fn run(&self, scratch: &Scratch) -> End {
        let words = [&["--print-args=false".to_owned()][..], &self.words].concat();
        run(scratch, &self.tool, &words)
    }

    /// Runs it with `name` in the place of `file`; the log has NAME there, however it is quoted.
    fn run_with(&self, scratch: &Scratch, file: &str, name: &str) -> End {
        let mut words = self.words.clone();
        words[self.place] = words[self.place].replace(file, name);
        let End { code, log } = Line { tool: self.tool.clone(), words, place: self.place }.run(scratch);
        let log = [name, file].iter().fold(log, |log, it| log.replace(&format!("'{it}'"), "NAME").replace(it, "NAME"));
        End { code, log }
    }
}

/// The arguments that a tool must have, and those that may stand before the one at a place: empty archives.
fn arguments(tool: &Tool, place: Option<usize>) -> Vec<String> {
    let is_optional = place.is_some_and(|place| !tool.arguments[place].required);
    let given = tool
        .arguments
        .iter()
        .enumerate()
        .filter(|(index, argument)| argument.required || (is_optional && Some(*index) <= place));
    let name = |(index, argument): (usize, &registry::Argument)| match argument.role.as_deref() {
        Some("input") if Some(index) == place => String::new(),
        Some("input") => format!("ark:empty-{index}"),
        Some(_) => format!("ark:out-{index}"),
        None => "1".to_owned(),
    };
    given.map(name).collect()
}

fn run(scratch: &Scratch, tool: &str, words: &[String]) -> End {
    let output = each::run(with_empty_files(scratch), tool, words);
    End { code: output.status.code(), log: String::from_utf8_lossy(&output.stderr).into_owned() }
}

/// Writes the files that [`arguments`] names.
fn with_empty_files(scratch: &Scratch) -> &Scratch {
    for index in (0..8).filter(|index| !scratch.path(&format!("empty-{index}")).exists()) {
        scratch.write(&format!("empty-{index}"), "");
    }
    scratch
}

/// In Kaldi, options end at the first argument.
#[test]
pub fn options_may_stand_after_arguments_in_all_tools() {
    check_each(registry::tools(), |scratch, tool| {
        let arguments = arguments(tool, None);
        let with = |before: &[&str], after: &[&str]| {
            let own = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
            run(scratch, &tool.name, &[own(before), arguments.clone(), own(after)].concat())
        };
        // What is there already is the same for all runs but the first one.
        with(&["--print-args=false"], &[]);
        let first = with(&["--print-args=false", "--num-threads=1"], &[]);
        for (before, after) in [
            (&["--num-threads=1"][..], &["--print-args=false"][..]),
            (&[], &["--num-threads=1", "--print-args=false"]),
            (&["--print-args=false", "--num-threads=1", "--"], &[]),
            (&["--print-args"], &["--print-args=false", "--num-threads=1", "--"]),
        ] {
            let end = with(before, after);
            if end != first {
                return Err(format!("{} {before:?} {after:?}: {end:?} and {first:?}", tool.name));
            }
        }
        let unknown = with(&["--print-args=false"], &["--num-thread=1"]);
        let expected = "Invalid option --num-thread=1: did you mean --num-threads?";
        let is_right = unknown.code == Some(255) && unknown.log.contains(expected);
        if is_right { Ok(()) } else { Err(format!("{}: {unknown:?}", tool.name)) }
    });
}

/// A file whose name and content are not ASCII.
const FILE: &str = "clé-一.x";
const CONTENT: &str = "ключ 1\n";

#[test]
fn files_addresses_and_commands_are_the_same_in_all_fields() {
    let (fields, missed) = (Field::all(), Mutex::new(Vec::new()));
    let check = |scratch: &Scratch, field: &Field| {
        scratch.write(FILE, CONTENT);
        let path = scratch.path(FILE).to_str().unwrap().to_owned();
        let address = format!("file://{}", path.replace('é', "%C3%A9").replace('一', "%e4%b8%80"));
        let line = field.line(scratch, &path);
        let [file, uri, pipe] =
            [path.clone(), address, format!("cat {path} |")].map(|name| line.run_with(scratch, &path, &name));
        if !file.log.contains("NAME") && !file.log.contains("ключ") {
            missed.lock().unwrap().push(field.describe());
        }
        if uri != file {
            return Err(format!("{}: {uri:?} and {file:?}", field.describe()));
        }
        let is_refused = ["expected a file", "in any order", "no regular file"].iter().any(|it| pipe.log.contains(it));
        // UTF-8 is shown as it is.
        let is_escaped = [&file, &pipe].iter().any(|end| end.log.contains("\\x") || end.log.contains("\\u"));
        let is_right = !is_refused && !is_escaped;
        if is_right { Ok(()) } else { Err(format!("{}: {file:?}, {pipe:?}", field.describe())) }
    };
    // What a loaded machine refuses once, such as a thread, is no difference of fields.
    check_each(&fields, |scratch, field| {
        check(scratch, field).or_else(|once| {
            eprintln!("{once}");
            check(scratch, field)
        })
    });
    let missed = missed.into_inner().unwrap();
    // Of the others, a message about another field comes first.
    assert!(2 * missed.len() < fields.len(), "{} of {}: {missed:#?}", missed.len(), fields.len());
}

/// In Kaldi, the name of a file is no name of a map.
#[test]
fn files_of_maps_are_text_archives_in_all_fields() {
    // Options that are for a value of another one need it: "for --by=speaker".
    let needed = |field: &Field| {
        let option = field.tool.options.iter().find(|it| format!("--{}", it.name) == field.name)?;
        let (_, words) = option.help.split_once("for --")?;
        Some(format!("--{}", words.split([' ', ',', ';', '.']).next()?)).filter(|word| word.contains('='))
    };
    let is_map = |field: &Field| {
        let name = field.name.trim_start_matches('-').replace('_', "-");
        ["utt2", "spk2", "reco2utt", "reco2num"].iter().any(|part| name.starts_with(part))
            || ["vtln-map", "num-utts"].contains(&&*name)
            || field.tool.options.iter().any(|it| *it.name == *name && it.help.starts_with("Map from"))
    };
    let fields: Vec<Field> = Field::all().into_iter().filter(is_map).collect();
    assert!(fields.len() > 20, "{}", fields.len());
    check_each(&fields, |scratch, field| {
        scratch.write("map", "a b\n");
        let mut line = field.line(scratch, "map");
        if let Some(option) = needed(field) {
            line.words.insert(line.place + 1, option);
        }
        // A message says that one more is missing: "with --parts only".
        let log = line.run(scratch).log;
        if let Some(option) = log.split_once(" with --").and_then(|(_, rest)| rest.split_once(" only")) {
            line.words.insert(line.place + 1, format!("--{}=2", option.0));
        }
        let [file, table] = ["map", "ark:map"].map(|name| {
            line.words[line.place] = line.words[line.place]
                .split_inclusive('=')
                .next()
                .filter(|it| it.ends_with('='))
                .unwrap_or_default()
                .to_owned()
                + name;
            line.run(scratch)
        });
        let is_reached = !(file.log.contains(&field.name) && file.log.contains("expected"));
        if !is_reached && needed(field).is_some() {
            return Err(format!("{}: another option is missing: {file:?}", field.describe()));
        }
        let is_right = file == table || (file.code == table.code && !file.log.contains("not a table"));
        if is_right { Ok(()) } else { Err(format!("{}: {file:?} and {table:?}", field.describe())) }
    });
}

#[test]
fn files_that_table_import_reads_are_recognized_in_all_fields() {
    let files = [
        ("x.npy", &b"\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }\n"[..]),
        ("x.npz", b"PK\x03\x04\x14\0\0\0"),
        ("x.parquet", b"PAR1\x15\x04"),
        ("x.jsonl", b"{\"key\": \"a\", \"value\": [[1.0, 2.0]]}\n"),
        ("x.csv", b"a,1,2\n"),
        ("x.safetensors", b"\x08\0\0\0\0\0\0\0{\"a\":{}}"),
    ];
    let (fields, recognized) = (Field::all(), AtomicUsize::new(0));
    check_each(&fields, |scratch, field| {
        for (file, content) in files {
            scratch.write(file, content);
        }
        let line = field.line(scratch, "x.npy");
        for (file, _) in files {
            let End { log, .. } = line.run_with(scratch, "x.npy", file);
            let is_named =
                ["NumPy", "a zip file", "Parquet", "JSON", "CSV", "safetensors"].iter().any(|it| log.contains(it));
            if log.contains("this is a") && is_named {
                recognized.fetch_add(1, Ordering::Relaxed);
                let said = match file {
                    "x.parquet" => "table-info says the command that reads it: table-info NAME",
                    _ => "table-import makes a table of it: table-import NAME ark:-",
                };
                if !log.contains(said) {
                    return Err(format!("{}: {log}", field.describe()));
                }
            } else if log.contains("kaldiio") {
                return Err(format!("{}: {log}", field.describe()));
            }
            if file == "x.npy" && !is_named {
                break;
            }
        }
        Ok(())
    });
    let recognized = recognized.into_inner();
    assert!(recognized > 500, "{recognized}");
}
