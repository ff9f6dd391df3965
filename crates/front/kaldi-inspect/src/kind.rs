//! What a name leads to, found by its form and the first bytes.

use std::fs;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{FileKind, ModelType, ValueType};
use kaldi_io::{
    Input, Locator, Rspecifier, RspecifierKind, Rxfilename, is_script_line, is_specifier, printable_rxfilename,
    without_mark,
};
use kaldi_table::SequentialReader;
use kaldi_value::Value;
use shards::SharFolder;

use crate::model_parts::{model_by_parts, stats_by_parts};
use crate::other_formats::{Foreign, ForeignKind};
use crate::other_formats_info::columns_command;
use crate::{Error, Result};

/// Bytes of a file that are looked at.
const HEAD: usize = 1 << 12;

/// Lines that are looked at.
const LINES: usize = 20;

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedKind {
    /// Keys, each with its value.
    Archive,
    /// Lines of a key and the place of the value.
    Script,
    /// Samples in tar files, of which the sound or the text is a table.
    Shards,
    /// Cuts of lhotse with tar files, of which the sound or the text is a table.
    Shar,
    /// One value without a key: a matrix, a waveform.
    Value,
    /// A model without a key: transitions, a tree, a mixture of Gaussians; or statistics for one.
    Model(ModelType),
    /// A folder with tables of the same utterances, such as `wav.scp`, `text`, `utt2spk`.
    Directory,
}

impl NamedKind {
    /// The word for it: `archive`, `script`, `shards`, `shar`, `value`, `model`, `statistics`, `directory`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Script => "script",
            Self::Shards => "shards",
            Self::Shar => "shar",
            Self::Value => "value",
            Self::Model(model_type) if model_type.is_stats() => "statistics",
            Self::Model(_) => "model",
            Self::Directory => "directory",
        }
    }
}

/// A name and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What it leads to.
    pub kind: NamedKind,
    /// Where it is, without `ark:` or `scp:`.
    pub rxfilename: BString,
    /// The field of shards that is read, if it was named.
    pub field: Option<BString>,
    /// Whether a file was looked into and starts with binary data.
    pub is_binary: bool,
    /// The type of a value that is known by more than its bytes: HTK features, whose header has to fit the length of the file.
    pub value_type: Option<ValueType>,
}

impl Named {
    /// A name of what is known.
    pub fn new(kind: NamedKind, rxfilename: impl Into<BString>) -> Self {
        Self { kind, rxfilename: rxfilename.into(), field: None, is_binary: false, value_type: None }
    }

    /// Finds what `name` names.
    ///
    /// `ark:`, `scp:`, `shard:` and `shar:` say it; their options (`s`, `cs`, `p` ...) are promises to other readers and have no effect
    /// here. A folder is a data directory. A file may be an archive, a script file or a value: its first bytes decide.
    /// Standard input and commands count as archives, because they can be read only once.
    ///
    /// # Errors
    /// If the file cannot be opened or read, or the name is invalid.
    pub fn find(name: &BStr) -> Result<Self> {
        if let Some(Rspecifier { kind, field, rxfilename, .. }) = Rspecifier::parse(name) {
            let kind = match kind {
                RspecifierKind::Archive => NamedKind::Archive,
                RspecifierKind::Script => NamedKind::Script,
                RspecifierKind::Shards => NamedKind::Shards,
                RspecifierKind::Shar => NamedKind::Shar,
            };
            return Ok(Self { field, ..Self::new(kind, rxfilename) });
        }
        let named = |kind| Self::new(kind, name);
        let locator = Locator::parse(name).map_err(|error| error.into_error(name))?;
        let Some(path) = locator.path() else { return Ok(named(NamedKind::Archive)) };
        let metadata = fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            if SharFolder::is_one(path) {
                return Err(no_table(name, ForeignKind::Shar));
            }
            return Ok(named(NamedKind::Directory));
        }
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Ok(named(NamedKind::Archive));
        }
        let mut input = Input::open_located(&locator)?;
        let mut head = Vec::new();
        while head.len() < HEAD && input.read_some(&mut head, HEAD)? > 0 {}
        head.drain(..head.len() - without_mark(&head).len());
        let is_binary = head.contains(&0);
        let length = metadata.map_or(0, |metadata| metadata.len());
        if let Some(kind) = ForeignKind::of_head(path, &head, length).filter(|kind| is_corpus(name, *kind)) {
            return Err(no_table(name, kind));
        }
        let is_htk = FileKind::of_file(name, &head, length) == Some(FileKind::Htk);
        let kind = match look(name, &head) {
            NamedKind::Model(model_type) => NamedKind::Model(model_by_parts(input, head, model_type)),
            NamedKind::Value => stats_by_parts(input, head).map_or(NamedKind::Value, NamedKind::Model),
            kind => kind,
        };
        if kind == NamedKind::Archive && is_htk {
            return Ok(Self { is_binary, value_type: Some(ValueType::Htk), ..named(NamedKind::Value) });
        }
        Ok(Self { is_binary, ..named(kind) })
    }
}

impl Named {
    /// Opens the table of this name for values of a known type, with the options of a specifier. A single value is a
    /// table of one entry without a key.
    ///
    /// # Errors
    /// If the table cannot be opened, or the name is a folder ([`Error::Folder`]).
    pub fn open<T: Value>(name: &BStr) -> Result<SequentialReader<T>> {
        if is_specifier(name) {
            return Ok(SequentialReader::open(name)?);
        }
        let named = Self::find(name)?;
        let prefix = match named.kind {
            NamedKind::Archive => "ark:",
            NamedKind::Script => "scp:",
            NamedKind::Shards => "shard:",
            NamedKind::Shar => "shar:",
            NamedKind::Value => return Ok(SequentialReader::open_table_or_file(name)?),
            NamedKind::Model(model_type) => return Err(Error::Model { name: named.rxfilename, model_type }),
            NamedKind::Directory => return Err(Error::Folder { name: named.rxfilename }),
        };
        Ok(SequentialReader::open([prefix.as_bytes(), &named.rxfilename].concat())?)
    }

    /// As [`Named::open`], but values of a script file or of shards that cannot be read are left out, each with a warning, as with the
    /// option `p`. The session counts them.
    ///
    /// # Errors
    /// As [`Named::open`].
    pub fn open_readable<T: Value>(name: &BStr) -> Result<SequentialReader<T>> {
        let specifier = match Rspecifier::parse(name) {
            Some(Rspecifier { kind, options, .. }) => {
                (kind != RspecifierKind::Archive && !options.permissive).then(|| name.replacen(":", ",p:", 1))
            }
            None if is_specifier(name) => None,
            None => match Self::find(name)?.kind {
                NamedKind::Script => Some([b"scp,p:", name.as_bytes()].concat()),
                NamedKind::Shards => Some([b"shard,p:", name.as_bytes()].concat()),
                NamedKind::Shar => Some([b"shar,p:", name.as_bytes()].concat()),
                _ => None,
            },
        };
        match specifier {
            Some(specifier) => Ok(SequentialReader::open(specifier)?),
            None => Self::open(name),
        }
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(Rxfilename::parse(self.rxfilename.as_bstr()), Ok(Rxfilename::Stdin))
    }

    /// A warning if `ark:` or `scp:` is before the name of a file that looks like the other kind.
    pub fn advice(&self) -> Option<String> {
        let found = match self.kind {
            NamedKind::Archive if !self.is_stream() => Self::find(self.rxfilename.as_bstr()).ok()?,
            _ => return None,
        };
        let name = printable_rxfilename(self.rxfilename.as_bstr());
        (found.kind == NamedKind::Script && !name.is_empty()).then(|| {
            format!("{name} looks like a script file, whose lines are values of an archive here: scp:{name} reads it")
        })
    }

    /// Whether it can be read only once: a stream. The values of a script file may be streams even so.
    pub fn is_stream(&self) -> bool {
        let Ok(locator) = Locator::parse(self.rxfilename.as_bstr()) else { return false };
        let is_stream = |path| fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        locator.path().is_none_or(is_stream)
    }
}

/// Whether a file has the utterances of a corpus, or columns with sound.
fn is_corpus(name: &BStr, kind: ForeignKind) -> bool {
    let has_sound = || columns_command(name).is_some_and(|command| command.starts_with("make-data-dir"));
    kind.has_utterances() || (kind == ForeignKind::Parquet && has_sound())
}

/// The error for a corpus in the place of a table.
fn no_table(name: &BStr, kind: ForeignKind) -> Error {
    let command = Foreign::read(name, kind, 0, false).command(name).unwrap_or_default();
    let advice = match kind {
        ForeignKind::Shar => {
            format!("shar:{} is one of its sound, and a data directory: {command}", printable_rxfilename(name))
        }
        ForeignKind::Shard | ForeignKind::ShardList => {
            format!("shard:{} is one of its sound, and a data directory: {command}", printable_rxfilename(name))
        }
        _ => format!("this makes a data directory of it: {command}"),
    };
    Error::Corpus { name: name.to_owned(), kind: kind.phrase(), advice }
}

/// The kind of a file that starts with these bytes.
fn look(name: &BStr, head: &[u8]) -> NamedKind {
    if let Some(model_type) = ModelType::of(head) {
        return NamedKind::Model(model_type);
    }
    let is_scp = name.ends_with(b".scp");
    let text = head.trim_ascii_start();
    let is_value = head.starts_with(b"\0B")
        || FileKind::of(head) == Some(FileKind::Fst)
        || kaldi_wave::sound_suffix(head).is_some();
    let is_bracket = text.starts_with(b"[") && text.get(1).is_none_or(u8::is_ascii_whitespace);
    if is_value || is_bracket {
        return NamedKind::Value;
    }
    if head.contains(&0) {
        return NamedKind::Archive;
    }
    // The last line may be cut.
    let whole = if head.len() < HEAD { head } else { &head[..head.rfind_byte(b'\n').unwrap_or(head.len())] };
    let mut lines = whole.lines().take(LINES).filter(|line| !line.trim_ascii().is_empty()).peekable();
    let is_script = match lines.peek() {
        None => is_scp,
        Some(_) => is_scp || lines.all(|line| is_script_line(line) && is_place(line)),
    };
    if is_script { NamedKind::Script } else { NamedKind::Archive }
}

/// Whether the text after the key is a command, a place in a file, or the name of an existing file. A word with a dot
/// or a slash in it may be just a word.
fn is_place(line: &[u8]) -> bool {
    let Some((_, name)) = line.trim_ascii().split_once_str(b" ").or_else(|| line.trim_ascii().split_once_str(b"\t"))
    else {
        return false;
    };
    Locator::parse(name.trim_ascii().as_bstr()).is_ok_and(|locator| match locator.rxfilename() {
        Rxfilename::Pipe(_) | Rxfilename::Offset(..) => true,
        Rxfilename::File(path) => path.exists(),
        Rxfilename::Stdin => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(name: &str, head: &[u8]) -> NamedKind {
        look(name.into(), head)
    }

    #[test]
    fn values_have_no_key() {
        for head in [&b"\0BFM \x04"[..], b" [\n 1 2 ]\n", b"[ ]", b"RIFF\x24\0\0\0WAVE", b"fLaC\0"] {
            assert_eq!(looks("x", head), NamedKind::Value);
        }
    }

    #[test]
    fn models_have_no_key_either() {
        assert_eq!(looks("x", b"\0B<TransitionModel> <Topology> \x04"), NamedKind::Model(ModelType::Transitions));
        assert_eq!(looks("x", b"ContextDependency 3 1 ToPdf "), NamedKind::Model(ModelType::Tree));
    }

    #[test]
    fn places_make_a_script_file() {
        assert_eq!(looks("x", b"a raw.ark:5\nb raw.ark:9[0:3]\n"), NamedKind::Script);
        assert_eq!(looks("x", b"a\tsox a.wav -t wav - |\n"), NamedKind::Script);
        assert_eq!(looks("x", b"a /\n"), NamedKind::Script);
        assert_eq!(looks("x.scp", b"a nowhere\n"), NamedKind::Script);
        assert_eq!(looks("x.scp", b""), NamedKind::Script);
    }

    #[test]
    fn all_else_is_an_archive() {
        for head in [
            &b"a \0BFM \x04"[..],
            b"a [ 1 ]\n",
            b"a 1 2 3\n",
            b"a u.s.a\nb hello\n",
            b"a nowhere/of/this/name.wav\n",
            b"a raw.ark:5\nb hello world\n",
            b"",
            b"a",
        ] {
            assert_eq!(looks("x", head), NamedKind::Archive, "{}", head.as_bstr());
        }
    }

    #[test]
    fn a_specifier_says_it() {
        let kind =
            |name: &str| Named::find(name.into()).map(|named| (named.kind, named.rxfilename.to_string())).unwrap();
        assert_eq!(kind("ark:nowhere"), (NamedKind::Archive, "nowhere".to_owned()));
        assert_eq!(kind("s,cs,scp:nowhere"), (NamedKind::Script, "nowhere".to_owned()));
        assert_eq!(kind("-"), (NamedKind::Archive, "-".to_owned()));
        assert_eq!(kind("."), (NamedKind::Directory, ".".to_owned()));
        assert!(Named::find("nowhere".into()).is_err());
    }
}
