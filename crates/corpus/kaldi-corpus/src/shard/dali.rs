//! The index that NVIDIA's DALI needs next to a shard.
//!
//! ```text
//! v1.2 2                                        the version, the number of samples
//! txt 512 2 utt1.txt wav 1536 32044 utt1.wav    for each member: suffix, offset, size, name
//! txt 34304 5 utt2.txt wav 35328 64044 utt2.wav
//! ```

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Output;

use crate::shard::{Error, Grouping, Members, Result};

/// An index of version 1.2: members are grouped at the first dot of their names.
#[derive(Clone, Debug, Default)]
pub struct DaliIndex {
    samples: Vec<u8>,
    num_samples: u64,
    key: Option<BString>,
}

impl DaliIndex {
    /// Adds a member. Those that belong to no sample are left out.
    ///
    /// # Errors
    /// If there is white space in the name: blanks separate the columns of an index.
    pub fn add(&mut self, path: &BStr, offset: u64, size: u64) -> Result<()> {
        let Some((key, _)) = Grouping::Webdataset.split(path) else { return Ok(()) };
        let name = kaldi_io::quote_name(path);
        if name != path {
            let message = "expected a name without white space for a DALI index".to_owned();
            return Err(Error::Refused { shard: name.to_string(), message });
        }
        if self.key.as_ref().is_some_and(|current| current == key) {
            self.samples.push(b' ');
        } else {
            if self.key.is_some() {
                self.samples.push(b'\n');
            }
            self.key = Some(key.to_owned());
            self.num_samples += 1;
        }
        // Unchanged: not in lower case.
        self.samples.extend_from_slice(&path[key.len() + 1..]);
        self.samples.extend_from_slice(format!(" {offset} {size} ").as_bytes());
        self.samples.extend_from_slice(path);
        Ok(())
    }

    /// Makes the index of a shard; writes it beside the shard.
    ///
    /// # Errors
    /// If the shard cannot be read, is compressed, or has a name with white space; if the index cannot be written.
    pub fn write_for(mut members: Members) -> Result<()> {
        let shard = members.name().to_owned();
        if members.plain_file().is_none() {
            let message = "expected a file that is not compressed: an index has places in the file itself".to_owned();
            return Err(Error::Refused { shard, message });
        }
        let mut index = Self::default();
        while let Some((member, _)) = members.next_member()? {
            if member.is_file {
                index.add(member.path.as_ref(), member.offset, member.size)?;
            }
        }
        members.finish()?;
        index.write(shard.as_str().into())
    }

    /// The name of the index of a shard: `a.idx` for `a.tar`.
    pub fn name_of(shard: &BStr) -> BString {
        let stem = shard.strip_suffix(b".gz").unwrap_or(shard);
        [stem.strip_suffix(b".tar").unwrap_or(stem), b".idx"].concat().into()
    }

    /// Writes the index next to its shard.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self, shard: &BStr) -> Result<()> {
        Ok(self.output(shard)?.finish()?)
    }

    /// As [`DaliIndex::write`]; the file has no name yet.
    pub(crate) fn output(mut self, shard: &BStr) -> Result<Output> {
        if self.num_samples > 0 {
            self.samples.push(b'\n');
        }
        let name = Self::name_of(shard);
        let mut output = Output::create_file(&name.to_path_lossy(), name.to_string(), false)?;
        output.write_all(format!("v1.2 {}\n", self.num_samples).as_bytes())?;
        output.write_all(&self.samples)?;
        Ok(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_grouped_at_the_first_dot() {
        let folder = tempfile::tempdir().unwrap();
        let shard = BString::from(folder.path().join("a.b.tar").to_str().unwrap());
        let mut index = DaliIndex::default();
        for (number, path) in ["d/u1.txt", "d/u1.a.WAV", ".hidden", "d/u2.txt"].into_iter().enumerate() {
            index.add(path.into(), 512 + 1024 * number as u64, 5).unwrap();
        }
        index.write(shard.as_ref()).unwrap();
        let text = std::fs::read_to_string(folder.path().join("a.b.idx")).unwrap();
        assert_eq!(text, "v1.2 2\ntxt 512 5 d/u1.txt a.WAV 1536 5 d/u1.a.WAV\ntxt 3584 5 d/u2.txt\n");
        DaliIndex::default().write(shard.as_ref()).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("a.b.idx")).unwrap(), "v1.2 0\n");
    }

    #[test]
    fn names_with_blanks_are_refused() {
        for path in ["a b.wav", "a.w\tv", "a\n.wav"] {
            let error = DaliIndex::default().add(path.into(), 0, 1).unwrap_err().to_string();
            assert!(error.ends_with(": expected a name without white space for a DALI index"), "{error}");
        }
    }

    #[test]
    fn an_index_is_named_after_its_shard() {
        let name = |shard: &str| DaliIndex::name_of(shard.into()).to_string();
        assert_eq!(["a/b.tar", "b.tar.gz", "b"].map(name), ["a/b.idx", "b.idx", "b.idx"]);
    }
}
