//! Fingerprints (size, time or version) of the files and programs that a command line names: they tell which have changed.

use std::collections::HashSet;
use std::fs::{self, File, FileTimes};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use bstr::BStr;
use kaldi_io::{ObjectMetadata, Rspecifier, Rxfilename, remote_name};
use serde::{Deserialize, Serialize};

use crate::command_words::ends_name;
use crate::object::Target;
use crate::{Error, Result};

/// A file of this size or less is known by its content, a larger one by its size and time.
const MOST_READ: u64 = 1 << 20;

/// By what a changed file is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    size: u64,
    sign: Sign,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Sign {
    /// A hash of the bytes.
    Content(u64),
    /// Seconds and nanoseconds.
    Time(i64, i64),
    /// What the store says of the version of an object.
    Version(Option<String>),
}

impl Stamp {
    pub(crate) fn of_object(facts: ObjectMetadata) -> Self {
        Self { size: facts.length.unwrap_or(0), sign: Sign::Version(facts.version) }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Gives a file that was made again, with the same bytes, the time by which it is known.
    pub(crate) fn set_time(&self, path: &Path) -> Result<()> {
        let Sign::Time(seconds, nanoseconds) = self.sign else { return Ok(()) };
        let since = Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanoseconds).unwrap_or(0));
        let set = |file: File| file.set_times(FileTimes::new().set_modified(UNIX_EPOCH + since));
        File::options().write(true).open(path).and_then(set).map_err(Error::write(path))
    }

    pub(crate) fn read(path: &Path) -> Result<Self> {
        let metadata = fs::metadata(path).map_err(Error::read(path))?;
        if metadata.is_dir() {
            return Self::read_folder(path);
        }
        let size = metadata.len();
        if size > MOST_READ {
            return Ok(Self { size, sign: Sign::Time(metadata.mtime(), metadata.mtime_nsec()) });
        }
        let mut hasher = DefaultHasher::new();
        read_small(path)?.hash(&mut hasher);
        Ok(Self { size, sign: Sign::Content(hasher.finish()) })
    }
}

impl Stamp {
    /// A folder is known by the names, sizes and times of its files.
    fn read_folder(path: &Path) -> Result<Self> {
        let (mut files, mut waiting) = (Vec::new(), vec![path.to_owned()]);
        while let Some(next) = waiting.pop() {
            for entry in fs::read_dir(&next).map_err(Error::read(&next))? {
                let place = entry.map_err(Error::read(&next))?.path();
                let metadata = fs::symlink_metadata(&place).map_err(Error::read(&place))?;
                if metadata.is_dir() {
                    waiting.push(place);
                } else {
                    files.push((place, metadata.len(), metadata.mtime(), metadata.mtime_nsec()));
                }
            }
        }
        files.sort();
        let mut hasher = DefaultHasher::new();
        files.hash(&mut hasher);
        Ok(Self { size: files.iter().map(|(_, size, ..)| size).sum(), sign: Sign::Content(hasher.finish()) })
    }
}

fn read_small(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(Error::read(path))?;
    file.take(MOST_READ).read_to_end(&mut bytes).map_err(Error::read(path))?;
    Ok(bytes)
}

/// A file that a command line names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamedFile {
    path: PathBuf,
    stamp: Stamp,
}

impl NamedFile {
    /// The file or the object `path` of the current folder.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let target = Target::of_path(Path::new(""), path);
        let missing = || Error::read(path)(io::ErrorKind::NotFound.into());
        Ok(Self { path: path.to_owned(), stamp: target.stamp()?.ok_or_else(missing)? })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What has become of it, as a text; `None` if it is the same. Its path is one of `folder`.
    pub(crate) fn change(&self, folder: &Path) -> Option<String> {
        match Target::of_path(folder, &self.path).stamp() {
            Ok(Some(stamp)) if stamp == self.stamp => None,
            Ok(Some(_)) => Some(format!("{} has changed", self.path.display())),
            Ok(None) => Some(format!("{} is gone", self.path.display())),
            Err(error) => Some(error.to_string()),
        }
    }
}

/// The files that the words of a command name in `folder`, also inside of words, as in `scp:a.scp`, `--config=b.conf`,
/// `'ark:gunzip -c c.gz |'` and lines of a shell, and those that are named by files of options. Files for which
/// `is_left_out` holds, and those after a `>` of a shell, are not among them.
pub(crate) fn named_files(words: &[String], folder: &Path, is_left_out: impl Fn(&Path) -> bool) -> Vec<NamedFile> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut lines: Vec<String> = words.to_vec();
    while let Some(line) = lines.pop() {
        for name in names_in(&line) {
            let path = if remote_name(&name).is_some() { name.clone() } else { folder.join(&name) };
            if path.join("utt2spk").is_file() && seen.insert(path.clone()) && !is_left_out(&path) {
                lines.extend(files_of_data(&path, &name));
                continue;
            }
            let is_there = path.is_file() || remote_name(&path).is_some();
            if !is_there || !seen.insert(path.clone()) || is_left_out(&path) {
                continue;
            }
            // One that cannot be read is left to the command.
            let Ok(Some(stamp)) = Target::of_path(folder, &name).stamp() else { continue };
            lines.extend(options_in(&path, &stamp));
            found.push(NamedFile { path: name, stamp });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// The names of the files in a data directory, which `name` names.
fn files_of_data(path: &Path, name: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.path().is_file()).filter_map(|entry| entry.file_name().into_string().ok());
    // Quotes keep a name with blanks together.
    names.map(|file| format!("'{}'", name.join(file).display())).collect()
}

/// The lines of a file of options, each `--name=value`; none of another file.
fn options_in(path: &Path, stamp: &Stamp) -> Vec<String> {
    let is_read = stamp.size <= MOST_READ && matches!(stamp.sign, Sign::Content(_));
    let text = if !is_read { Vec::new() } else { read_small(path).unwrap_or_default() };
    let text = String::from_utf8(text).unwrap_or_default();
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if lines.iter().all(|line| line.starts_with("--")) { lines } else { Vec::new() }
}

/// What may be names of files in a word or a line: all of it, what is after `=`, what is in quotes, and what is between the
/// characters that end a name.
pub(crate) fn names_in(word: &str) -> Vec<PathBuf> {
    let mut parts = vec![word];
    parts.extend(word.split_once('=').map(|(_, value)| value));
    for quote in ['\'', '"'] {
        parts.extend(word.split(quote));
    }
    parts.extend(word.split(|character: char| u8::try_from(character).is_ok_and(ends_name)));
    let is_written = |part: &str| {
        let before = &word[..part.as_ptr() as usize - word.as_ptr() as usize];
        before.trim_end_matches(['\'', '"']).trim_end().ends_with('>')
    };
    let mut names = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty() && !is_written(part)) {
        let specifier = Rspecifier::parse(BStr::new(part));
        let name = specifier.as_ref().map_or(BStr::new(part), |specifier| specifier.rxfilename.as_ref());
        for name in std::iter::once(name).chain(name.split(|byte| *byte == b',').map(BStr::new)) {
            if let Ok(Rxfilename::File(path) | Rxfilename::Offset(path, _)) = Rxfilename::parse(name) {
                names.push(path);
            }
        }
    }
    names
}

/// A program that a command runs; `place` is `None` if it was not found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    name: String,
    place: Option<(PathBuf, Stamp)>,
}

/// The programs that a command runs, as they are found in the folders of `search`, the value of `PATH`: its first word, and
/// words of lines of a shell.
pub(crate) fn programs(words: &[String], folder: &Path, search: &str) -> Vec<Program> {
    let place = |name: &str| {
        let found = if name.contains('/') { Some(folder.join(name)) } else { find(name, folder, search) };
        found.and_then(|path| Some((path.clone(), Stamp::read(&path).ok()?)))
    };
    let mut all: Vec<Program> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let names: Vec<&str> = match at {
            0 => vec![word],
            _ if word.contains(char::is_whitespace) => {
                word.split(|character: char| u8::try_from(character).is_ok_and(ends_name)).collect()
            }
            _ => Vec::new(),
        };
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            let is_new = all.iter().all(|other| other.name != name);
            let place = if is_new && (at == 0 || !name.contains('/')) { place(name) } else { None };
            if is_new && (at == 0 || place.is_some()) {
                all.push(Program { name: name.to_owned(), place });
            }
        }
    }
    all
}

fn find(name: &str, folder: &Path, search: &str) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(search).map(|place| folder.join(place).join(name)).find(is_program)
}

/// In what the programs of an earlier run differ from those of today, a line each.
pub(crate) fn changed_programs(then: &[Program], now: &[Program]) -> Vec<String> {
    let mut lines = Vec::new();
    for Program { name, place: before } in then {
        let today = now.iter().find(|program| program.name == *name).and_then(|program| program.place.as_ref());
        match (before, today) {
            (Some((before, _)), Some((today, _))) if before != today => {
                lines.push(format!("the program {name} was {}, and is {} now", before.display(), today.display()));
            }
            (Some((path, before)), Some((_, today))) if before != today => {
                lines.push(format!("the program {} has changed since the earlier run", path.display()));
            }
            (None, Some((today, _))) => {
                lines.push(format!("the program {name} was not found, and is {} now", today.display()));
            }
            (Some((before, _)), None) => {
                lines.push(format!("the program {name} was {}, and is not found now", before.display()));
            }
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path, words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let found = named_files(&words, folder, |path| path.ends_with("out"));
        found.into_iter().map(|file| file.path.display().to_string()).collect()
    }

    #[test]
    fn files_are_found_wherever_a_command_names_them() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c d", "e.gz", "f", "out", "log", "x.mdl"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::write(folder.path().join("conf"), "# options\n--x=1\n--model=x.mdl # a file\n\n--config=more\n").unwrap();
        fs::write(folder.path().join("more"), "--list=f\n").unwrap();
        let names = |words: &[&str]| names(folder.path(), words);
        assert_eq!(names(&["x", "scp,p:a", "ark:b:17", "--both=f,a"]), ["a", "b", "f"]);
        assert_eq!(names(&["x", "--config=conf"]), ["conf", "f", "more", "x.mdl"]);
        assert_eq!(names(&["x", "ark:gunzip -c e.gz |", "--list=c d"]), ["c d", "e.gz"]);
        assert_eq!(names(&["sh", "-c", "x scp:a 'c d' <b >log 2>> 'log' | y --z=\"f\" > out"]), ["a", "b", "c d", "f"]);
        assert_eq!(names(&["x", "ark:nothing", "17", ""]), [""; 0]);
    }

    #[test]
    fn a_file_has_changed_if_its_bytes_have() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "13").unwrap();
        let file = NamedFile::read(&path).unwrap();
        fs::write(&path, "13").unwrap();
        assert_eq!(file.change(Path::new("/")), None);
        fs::write(&path, "10").unwrap();
        assert!(file.change(Path::new("/")).unwrap().ends_with("a has changed"));
        fs::remove_file(&path).unwrap();
        assert!(file.change(Path::new("/")).unwrap().ends_with("a is gone"));
        // A large file is not read again.
        let large = File::create(&path).unwrap();
        large.set_len(MOST_READ + 1).unwrap();
        let file = NamedFile::read(&path).unwrap();
        assert_eq!(file.change(Path::new("/")), None);
        large.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert!(file.change(Path::new("/")).is_some());
    }

    #[test]
    fn another_program_of_the_same_name_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        make("one/tool", "1");
        make("two/tool", "2");
        let words = ["sh", "-c", "tool a | nothing"].map(str::to_owned);
        let found = |search: &str| programs(&words, folder.path(), search);
        let first = found("one:two");
        assert_eq!(first.iter().map(|program| program.name.as_str()).collect::<Vec<_>>(), ["sh", "tool"]);
        assert_eq!(changed_programs(&first, &found("one")), [""; 0]);
        let lines = changed_programs(&first, &found("two"));
        assert!(lines[0].starts_with("the program tool was ") && lines[0].ends_with("two/tool now"), "{lines:?}");
        let lines = changed_programs(&first, &found("three"));
        assert!(lines[0].ends_with("one/tool, and is not found now"), "{lines:?}");
        make("one/tool", "3");
        assert!(changed_programs(&first, &found("one"))[0].ends_with("tool has changed since the earlier run"));
    }
}
