//! All entries of a table, or all lines of a list.

use std::borrow::Cow;

use bstr::ByteSlice;
use kaldi_reader::{Reader, ReaderExt};

use crate::{Result, TableItem};

/// The items of a table in their order. A line of a list takes no more memory than its bytes, since a list may have millions.
#[derive(Clone, Debug, Default)]
pub struct ItemList {
    /// Each ends in a newline.
    lines: Vec<u8>,
    num_lines: usize,
    entries: Vec<TableItem>,
}

impl ItemList {
    /// Reads all items.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read(items: &mut impl Reader<Item = TableItem, Error = crate::Error>) -> Result<Self> {
        let mut list = Self::default();
        for item in items.iter() {
            let item = item?;
            match item.line() {
                Some(line) => {
                    list.lines.extend_from_slice(line);
                    list.lines.push(b'\n');
                    list.num_lines += 1;
                }
                None => list.entries.push(item),
            }
        }
        Ok(list)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.num_lines + self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items in their order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, TableItem>> + Clone {
        let line = |line: &[u8]| Cow::Owned(TableItem::of_line(line[..line.len() - 1].as_bstr()));
        self.lines.lines_with_terminator().map(line).chain(self.entries.iter().map(Cow::Borrowed))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Items;

    #[test]
    fn lines_come_out_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, b"a 1\n\nb  two words\r\nc\tx\xff\n  d\nlast").unwrap();
        let mut items = Items::open(path.to_str().unwrap().into()).unwrap();
        let expected: Vec<_> = items.read_all().unwrap().iter().map(|item| item.line().unwrap().to_owned()).collect();
        items.restart().unwrap();
        let list = ItemList::read(&mut items).unwrap();
        let found: Vec<_> = list.iter().map(|item| item.line().unwrap().to_owned()).collect();
        assert_eq!((&found, list.len()), (&expected, 5));
        assert!(found[1].starts_with(b"b  two words"));
    }
}
