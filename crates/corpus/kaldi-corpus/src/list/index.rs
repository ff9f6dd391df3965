//! The lines of a list by number.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{BYTE_ORDER_MARK, Input, ReadAt};

use crate::shard::Result;

/// Where the lines of a list are, for reading them in any order: 8 bytes a line. The lines of a file stay there; those of a
/// remote object, a command or standard input are kept in memory.
pub struct ListIndex {
    name: String,
    bytes: Arc<dyn ReadAt>,
    /// Where each line starts, and where the last one ends.
    starts: Vec<u64>,
}

impl ListIndex {
    /// Reads a list once and remembers where its lines are. Blank lines are left out.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn open(rxfilename: &BStr) -> Result<Self> {
        let mut input = Input::open(rxfilename)?;
        let name = input.name().to_owned();
        let file = input.positioned().filter(|bytes| bytes.as_file().is_some());
        let bytes = match file {
            Some(file) => file,
            None => {
                let whole = input.read_to_end()?;
                input.finish()?;
                input = Input::from_bytes(&name, whole);
                input.positioned().ok_or(kaldi_io::Error::ReadOnce { name: name.clone() })?
            }
        };
        let (mut starts, mut start, mut offset, mut is_blank) = (Vec::new(), input.offset(), input.offset(), true);
        let mut buffer = Vec::new();
        while input.read_some(&mut buffer, 1 << 18)? > 0 {
            if offset == 0 && buffer.starts_with(BYTE_ORDER_MARK) {
                start = BYTE_ORDER_MARK.len() as u64;
            }
            for line in buffer.split_inclusive(|&byte| byte == b'\n') {
                is_blank &= line.trim_ascii().is_empty();
                offset += line.len() as u64;
                if line.ends_with(b"\n") {
                    if !is_blank {
                        starts.push(start);
                    }
                    (start, is_blank) = (offset, true);
                }
            }
            buffer.clear();
        }
        if !is_blank {
            starts.push(start);
        }
        starts.push(offset);
        Ok(Self { name, bytes, starts })
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a line by its number, from 0, without white space around it.
    ///
    /// # Errors
    /// If the file cannot be read.
    ///
    /// # Panics
    /// If there is no such line.
    pub fn line(&self, number: usize) -> Result<BString> {
        let (start, end) = (self.starts[number], self.starts[number + 1]);
        let mut line = Vec::new();
        let failed = |source| kaldi_io::Error::Read { name: self.name.clone(), offset: start, source };
        self.bytes.read_at(start, &mut line, (end - start) as usize).map_err(failed)?;
        // Lines that are left out may follow.
        line.truncate(line.find_byte(b'\n').unwrap_or(line.len()));
        Ok(line.trim_ascii().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        let long = "x".repeat(300_000);
        for (text, expected) in [
            ("", vec![]),
            ("\n \n", vec![]),
            ("a\n\n  \n b c \r\nd", vec!["a", "b c", "d"]),
            (&format!("{long}\nb\n{long}\n"), vec![&long, "b", &long]),
        ] {
            std::fs::write(&path, text).unwrap();
            let path = path.to_str().unwrap();
            for name in [path.to_owned(), format!("cat {path} |"), format!("file://{path}")] {
                let index = ListIndex::open(name.as_str().into()).unwrap();
                let lines: Vec<_> = (0..index.len()).map(|number| index.line(number).unwrap().to_string()).collect();
                assert!(lines == expected, "{name}: {} lines of {}", lines.len(), expected.len());
                assert_eq!(index.is_empty(), expected.is_empty());
            }
        }
        let failed = ListIndex::open("echo a; exit 3 |".into()).err().unwrap().to_string();
        assert!(failed.contains("exit code 3") || failed.contains("status 3"), "{failed}");
    }
}
