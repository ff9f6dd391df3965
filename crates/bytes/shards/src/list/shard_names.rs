//! Which shards to read: by their names, or by lists of them.

use std::collections::VecDeque;

use bstr::{BStr, BString};
use kaldi_io::local_path;
use kaldi_reader::Reader;

use super::lines::{ListKind, ListLines, excerpt};

use crate::source::{Source, Wanted, comes_once};
use crate::tar::Header;
use crate::{Members, Result};

/// Suffixes of shards, in any case.
const SUFFIXES: [&str; 5] = [".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.zstd"];

/// The shards that arguments name. Each argument is a shard, or a list of shards with a name on each line; a list is
/// read only as far as needed.
///
/// An argument is a shard if its name ends like one (`.tar`, `.tar.gz`, `.tgz`, `.tar.zst`) or its content starts like
/// one. A line of a list is an rxfilename, or a URI of a file (`file:///data/a.tar`).
pub struct ShardNames {
    arguments: Vec<BString>,
    wanted: Wanted,
    names: VecDeque<BString>,
    list: Option<ListLines>,
    /// An argument that was looked at and cannot be read again.
    read_once: Option<BString>,
}

/// The name of a shard.
pub struct ShardName {
    name: BString,
    /// The shard, if it had to be opened to see that it is one.
    source: Option<Source>,
    wanted: Wanted,
}

impl ShardNames {
    /// Takes the arguments. None is opened yet. `wanted` says how the shards will be read.
    pub fn new(arguments: impl IntoIterator<Item = BString>, wanted: Wanted) -> Self {
        let arguments: Vec<BString> = arguments.into_iter().collect();
        Self { names: arguments.iter().cloned().collect(), arguments, wanted, list: None, read_once: None }
    }

    /// Sets how shards will be read from now on.
    pub fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
    }

    fn read(&mut self) -> Result<Option<ShardName>> {
        let wanted = self.wanted;
        loop {
            if let Some(mut list) = self.list.take() {
                if let Some(line) = list.next_line()? {
                    if let Some(kind @ (ListKind::Raw | ListKind::Manifest | ListKind::Script)) = ListKind::of(&line)
                        && list.is_first()
                    {
                        return Err(list.error(format!("expected the name of a shard, got {}: {kind}", excerpt(&line))));
                    }
                    let name = local_path(&line)
                        .map_err(|message| list.error(format!("{message}, got {}", excerpt(&line))))?;
                    let name = name.into_owned().into();
                    self.list = Some(list);
                    return Ok(Some(ShardName::new(name, wanted)));
                }
                list.finish()?;
            }
            let Some(name) = self.names.pop_front() else { return Ok(None) };
            let name: BString = local_path(&name).map_or_else(|_| name.clone(), |path| path.into_owned().into());
            if has_suffix(name.as_ref()) {
                return Ok(Some(ShardName::new(name, wanted)));
            }
            if comes_once(name.as_ref()) {
                self.read_once = Some(name.clone());
            }
            let mut source = Source::open(name.as_ref(), wanted)?;
            if looks_like_shard(&mut source)? {
                return Ok(Some(ShardName { name, source: Some(source), wanted }));
            }
            self.list = Some(ListLines::new(source));
        }
    }
}

/// An argument that cannot be opened or a list that cannot be read is an error and ends it.
impl Reader for ShardNames {
    type Item = ShardName;
    type Error = crate::Error;

    fn next(&mut self) -> Result<Option<ShardName>> {
        let next = self.read();
        if next.is_err() {
            self.names.clear();
        }
        next
    }

    fn finish(&mut self) -> Result<()> {
        self.names.clear();
        self.list = None;
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        self.finish()?;
        if let Some(name) = &self.read_once {
            return Err(kaldi_io::Error::ReadOnce { name: name.to_string() }.into());
        }
        *self = Self::new(std::mem::take(&mut self.arguments), self.wanted);
        Ok(())
    }
}

impl ShardName {
    /// The shard of this rxfilename, whatever it looks like. `wanted` says how it will be read.
    pub fn new(name: BString, wanted: Wanted) -> Self {
        Self { name, source: None, wanted }
    }

    /// How it will be read.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// The name, an rxfilename.
    pub fn name(&self) -> &BStr {
        self.name.as_ref()
    }

    /// Opens the shard.
    ///
    /// # Errors
    /// If it cannot be opened or read.
    pub fn open(self) -> Result<Members> {
        match self.source {
            Some(source) => Ok(Members::new(source)),
            None => Members::open(self.name.as_ref(), self.wanted),
        }
    }
}

pub(super) fn has_suffix(name: &BStr) -> bool {
    let name = name.to_ascii_lowercase();
    SUFFIXES.iter().any(|suffix| name.ends_with(suffix.as_bytes()))
}

/// Whether the stream starts with a header or with zeros. A list is text.
fn looks_like_shard(source: &mut Source) -> Result<bool> {
    let head = source.window(512)?;
    let is_header = head.first_chunk().is_some_and(|block| Header::parse(block).is_ok());
    Ok(is_header || head[..head.len().min(512)].contains(&0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_shards_or_lists() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| BString::from(folder.path().join(name).to_str().unwrap());
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        write("list", b"\n one.tar \r\n\nfile:///two.tar\nthree");
        write("empty", b"");
        write("shard", &crate::member_header("a.txt".into(), 0));
        write("zeros", &[0; 1024]);
        let arguments = ["list", "empty", "absent.TAR.GZ", "shard", "zeros"].map(path);
        let mut names = ShardNames::new(arguments, Wanted::Headers);
        let rest = ["absent.TAR.GZ", "shard", "zeros"].map(|name| path(name).to_string());
        let expected = [["one.tar", "/two.tar", "three"].map(str::to_owned), rest].concat();
        for _ in 0..2 {
            let got: Vec<_> =
                kaldi_reader::ReaderExt::iter(&mut names).map(|name| name.unwrap().name().to_string()).collect();
            assert_eq!(got, expected);
            names.restart().unwrap();
        }
    }

    #[test]
    fn lists_are_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, [b"a.tar\n".as_slice(), &[b'x'; 600], b"\0"].concat()).unwrap();
        let argument = || BString::from(path.to_str().unwrap());
        let mut names = ShardNames::new([argument(), argument()], Wanted::Headers);
        assert_eq!(names.next().unwrap().unwrap().name(), "a.tar");
        let error = names.next().err().unwrap().to_string();
        assert!(names.next().unwrap().is_none());
        assert!(error.ends_with("list:2: expected a line of text, got binary data"), "{error}");
    }
}
