//! Sound in folders, and the texts beside it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use bstr::{BString, ByteSlice};
use kaldi_wave::looks_like_sound;
use shards::is_sound;

use crate::naming::stem;
use crate::utterances::{spoken, without_blanks};
use crate::{CorpusPlace, Error, FoundUtterance, LeftOut, Result};

/// Suffixes of texts beside a file of sound, in the order in which they are looked for.
const TEXTS: [&str; 3] = [".normalized.txt", ".txt", ".lab"];

/// The end of names of files with the texts of a folder: lines of a name and words.
const TEXTS_OF_FOLDER: &str = ".trans.txt";

/// Suffixes of sound of kinds that are not read.
const UNREADABLE: [&str; 16] =
    ["amr", "ape", "awb", "dsf", "dss", "gsm", "mpc", "pcm", "ra", "raw", "shn", "spx", "tta", "vox", "w64", "wv"];

/// Suffixes of files in which nobody looks for sound.
const OTHERS: [&str; 22] = [
    "txt", "lab", "json", "jsonl", "csv", "tsv", "xml", "html", "md", "textgrid", "trn", "wrd", "phn", "ctm", "stm",
    "rttm", "scp", "ark", "npy", "npz", "gz", "pdf",
];

/// Bytes that tell what a file is.
const HEAD: u64 = 1 << 12;

/// Finds all sound in a folder and those below it, in the order of their paths.
pub(crate) fn find(folder: &Path, left_out: &mut LeftOut) -> Result<Vec<FoundUtterance>> {
    let mut found = Vec::new();
    let mut walk = Walk { above: Vec::new(), found: &mut found, left_out };
    walk.enter(folder, &BString::default())?;
    found.sort_by(|one: &FoundUtterance, other| one.path.cmp(&other.path));
    Ok(found)
}

struct Walk<'a> {
    /// The folders that the current one is in, so that links that lead back are not followed.
    above: Vec<(u64, u64)>,
    found: &'a mut Vec<FoundUtterance>,
    left_out: &'a mut LeftOut,
}

impl Walk<'_> {
    /// Looks into a folder; `below` is its path below the first one, with a slash at its end.
    fn enter(&mut self, folder: &Path, below: &BString) -> Result<()> {
        let failed = |source| Error::Folder { name: folder.display().to_string(), source };
        let metadata = fs::metadata(folder).map_err(failed)?;
        let identity = (metadata.dev(), metadata.ino());
        if self.above.contains(&identity) {
            return Ok(());
        }
        let (mut files, mut folders) = (HashSet::new(), Vec::new());
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name.as_bytes().starts_with(b".") {
                continue;
            }
            match is_folder(&entry).map_err(failed)? {
                Some(true) => folders.push(name),
                Some(false) => drop(files.insert(name.into_vec())),
                None => {}
            }
        }
        self.take(folder, below, &files)?;
        self.above.push(identity);
        for name in folders {
            let below = BString::from([below.as_slice(), name.as_bytes(), b"/"].concat());
            self.enter(&folder.join(&name), &below)?;
        }
        self.above.pop();
        Ok(())
    }

    /// Takes the sound among the files of a folder.
    fn take(&mut self, folder: &Path, below: &BString, files: &HashSet<Vec<u8>>) -> Result<()> {
        let mut of_folder = None;
        // In one order, for messages.
        for name in files.iter().collect::<BTreeSet<_>>() {
            let path = BString::from([below.as_slice(), name].concat());
            let full = folder.join(OsString::from_vec(name.clone()));
            let place = CorpusPlace { name: full.display().to_string().into(), line: None };
            match looks_like(name, &full) {
                Looks::Sound => {}
                Looks::Unreadable => {
                    self.left_out.add("files are named like sound, but are of no kind that is read", &place)?;
                    continue;
                }
                Looks::Other => continue,
            }
            let audio = BString::from(full.as_os_str().as_bytes());
            let mut utterance = FoundUtterance::new(place, audio, path);
            let stem = stem(name);
            let beside =
                TEXTS.iter().map(|suffix| [stem, suffix.as_bytes()].concat()).find(|text| files.contains(text));
            utterance.text = match beside {
                Some(text) => spoken(&read(&folder.join(OsString::from_vec(text)))?),
                None => {
                    let texts = match &mut of_folder {
                        Some(texts) => texts,
                        None => of_folder.insert(texts_of_folder(folder, files)?),
                    };
                    texts.get(stem).or_else(|| texts.get(without_blanks(stem)?.as_slice())).cloned()
                }
            };
            self.found.push(utterance);
        }
        Ok(())
    }
}

/// What a file is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    Sound,
    /// Its name is that of sound of a kind that is not read.
    Unreadable,
    Other,
}

/// What a file is, by the suffix of its name or else by its first bytes.
fn looks_like(name: &[u8], path: &Path) -> Looks {
    let suffix = name.rsplit_once_str(".").map_or(&b""[..], |(_, suffix)| suffix).to_ascii_lowercase();
    let is_in = |list: &[&str]| list.iter().any(|it| it.as_bytes() == suffix);
    if name.contains(&b'.') && is_sound(name.as_bstr()) {
        return Looks::Sound;
    }
    let has_sound = || -> Option<bool> {
        let mut head = Vec::new();
        let file = fs::File::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        file.take(HEAD).read_to_end(&mut head).ok()?;
        Some(looks_like_sound(&head, length))
    };
    match !is_in(&OTHERS) && has_sound() == Some(true) {
        true => Looks::Sound,
        false if is_in(&UNREADABLE) => Looks::Unreadable,
        false => Looks::Other,
    }
}

/// Whether an entry is a folder, links followed; `None` if it is neither a folder nor a file.
fn is_folder(entry: &DirEntry) -> std::io::Result<Option<bool>> {
    let kind = entry.file_type()?;
    if !kind.is_symlink() {
        return Ok((kind.is_dir() || kind.is_file()).then_some(kind.is_dir()));
    }
    // A link that leads to nothing is no sound.
    Ok(fs::metadata(entry.path()).ok().filter(|it| it.is_dir() || it.is_file()).map(|it| it.is_dir()))
}

/// The texts of a folder by the names of the sound, from the files that have several.
fn texts_of_folder(folder: &Path, files: &HashSet<Vec<u8>>) -> Result<HashMap<Vec<u8>, String>> {
    let names = files.iter().filter(|name| name.ends_with(TEXTS_OF_FOLDER.as_bytes()));
    let (mut texts, mut places) = (HashMap::new(), BTreeMap::<Vec<u8>, CorpusPlace>::new());
    for name in names.collect::<BTreeSet<_>>() {
        let path = folder.join(OsString::from_vec(name.clone()));
        let printable: Arc<str> = path.display().to_string().into();
        for (number, line) in read(&path)?.lines().enumerate() {
            let place = CorpusPlace::line(&printable, number as u64 + 1);
            let line = line.trim_start_matches('\u{feff}').trim();
            let (id, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if id.is_empty() {
                continue;
            }
            if let Some(first) = places.insert(id.into(), place.clone()) {
                return Err(place.error(format!("expected each name once, got {id:?} again, which {first} has")));
            }
            texts.extend(spoken(text).map(|text| (id.as_bytes().to_vec(), text)));
        }
    }
    Ok(texts)
}

/// Reads a text.
fn read(path: &Path) -> Result<String> {
    let place = || CorpusPlace { name: path.display().to_string().into(), line: None };
    let bytes = fs::read(path).map_err(|error| place().error(format!("cannot read it: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        place().error(format!("expected text in UTF-8, got something else at byte {at}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_is_found_with_its_text_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("b/.hidden")).unwrap();
        for (name, content) in [
            ("b/x.wav", ""),
            ("b/x.txt", " good\n day "),
            ("b/y.mp3", ""),
            ("b/z.trans.txt", "y well\n\nz\n"),
            ("b/.hidden/u.wav", ""),
            ("wav", ""),
            ("a.flac", ""),
            ("notes.txt", "x"),
            ("c.amr", "#!AMR"),
            ("d.odd", "fLaC"),
            ("e", "RIFF1234WAVEfmt "),
            ("f.bin", "\u{ff}\u{fe}"),
        ] {
            fs::write(path(name), content).unwrap();
        }
        std::os::unix::fs::symlink("..", path("b/up")).unwrap();
        let mut left_out = LeftOut::default();
        let found = find(folder.path(), &mut left_out).unwrap();
        let found: Vec<_> = found.iter().map(|it| (it.path.to_string(), it.text.as_deref())).collect();
        let expected =
            [("a.flac", None), ("b/x.wav", Some("good day")), ("b/y.mp3", Some("well")), ("d.odd", None), ("e", None)];
        let left: Vec<String> = left_out.sentences().collect();
        assert!(
            left[0].starts_with("1 files are named like sound, but are of no kind that is read, and were left out")
        );
        assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text)));
        fs::write(path("b/z.trans.txt"), "y well\ny done\n").unwrap();
        let error = find(folder.path(), &mut left_out).unwrap_err().to_string();
        assert!(error.contains("b/z.trans.txt:2: expected each name once, got \"y\" again"), "{error}");
        assert!(find(&path("nothing"), &mut left_out).unwrap_err().to_string().starts_with("cannot read the folder"));
    }
}
