//! Sorting of items with little memory.
//!
//! An entry of an archive in a file takes 40 bytes and its key, a line 40 bytes and itself. Other items are kept as they
//! are. Memory grows in chunks, since a vector that grows is in memory twice while it is copied.

use std::cmp::Ordering;
use std::fs::File;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Blob;

use crate::items::{Content, Held, TableItem};

/// By what items are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemRank {
    /// By key, in the order of bytes.
    Key,
    /// By a number. All items of a sort have numbers, or none has.
    Number(u64),
}

/// Items that are being sorted. Equal ones keep their order.
#[derive(Debug, Default)]
pub struct ItemSort {
    reverse: bool,
    by_key: bool,
    /// In chunks of [`RECORDS`].
    records: Vec<Vec<Record>>,
    text: Text,
    /// The file of the entries, and its name.
    file: Option<(Arc<File>, Arc<str>)>,
    /// Items of which nothing can be left out.
    kept: Vec<TableItem>,
}

/// Records of a chunk: half a megabyte.
const RECORDS: usize = 1 << 14;

/// Keys of entries, and lines, in chunks. No piece is in two chunks.
#[derive(Debug, Default)]
struct Text {
    chunks: Vec<Vec<u8>>,
}

impl Text {
    /// Bytes of a chunk, unless a piece is longer.
    const CHUNK: usize = 1 << 20;

    /// Appends a piece; returns its place: the chunk, and where it starts there.
    fn push(&mut self, piece: &[u8]) -> u64 {
        let has_room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= piece.len();
        if !self.chunks.last().is_some_and(has_room) {
            self.chunks.push(Vec::with_capacity(piece.len().max(Self::CHUNK)));
        }
        let number = self.chunks.len() as u64 - 1;
        let Some(chunk) = self.chunks.last_mut() else { return 0 };
        let at = chunk.len() as u64;
        chunk.extend_from_slice(piece);
        number << 32 | at
    }

    fn get(&self, place: u64, length: usize) -> &[u8] {
        &self.chunks[(place >> 32) as usize][(place & 0xffff_ffff) as usize..][..length]
    }
}

/// An item.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// The number, or the place of the key in the text.
    rank: u64,
    /// The place of the entry in its file, of the line in the text, or of the item among those that are kept: it ascends in
    /// the order in which items came.
    start: u64,
    /// Bytes of the entry or the line; the two lowest bits are the kind.
    size_and_kind: u64,
    key_length: u32,
    /// Where the value starts in an entry.
    value_at: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemForm {
    BinaryEntry,
    TextEntry,
    Line,
    Kept,
}

const KINDS: [ItemForm; 4] = [ItemForm::BinaryEntry, ItemForm::TextEntry, ItemForm::Line, ItemForm::Kept];

impl ItemSort {
    /// An empty sort; with `reverse`, the largest comes first.
    pub fn new(reverse: bool) -> Self {
        Self { reverse, ..Self::default() }
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.records.last().map_or(0, |last| (self.records.len() - 1) * RECORDS + last.len())
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Adds an item.
    pub fn push(&mut self, rank: ItemRank, item: TableItem) {
        self.by_key = rank == ItemRank::Key;
        let key_length = u32::try_from(item.key().len()).ok();
        let compact = key_length.and_then(|key_length| match &item.0 {
            Held::Line(line) => {
                // Longer ones would need more bits for their place.
                u32::try_from(line.len()).ok()?;
                let at = line.find(item.key())? as u64;
                let place = self.text.push(line);
                Some((ItemForm::Line, place, place + at, line.len() as u64, key_length, 0))
            }
            Held::Entry(entry) => {
                let Content::Bytes { blob, value_at } = &entry.content else { return None };
                let (file, value_at) = (blob.file()?, u32::try_from(*value_at).ok()?);
                let (known, _) = self.file.get_or_insert_with(|| (Arc::clone(file), Arc::clone(blob.name())));
                if !Arc::ptr_eq(known, file) {
                    return None;
                }
                let place = if rank == ItemRank::Key { self.text.push(item.key()) } else { 0 };
                let kind = if entry.is_text { ItemForm::TextEntry } else { ItemForm::BinaryEntry };
                Some((kind, blob.offset(), place, item.size(), key_length, value_at))
            }
        });
        let (kind, start, key_at, size, key_length, value_at) = compact.unwrap_or_else(|| {
            let number = self.kept.len() as u64;
            self.kept.push(item);
            (ItemForm::Kept, number, 0, 0, 0, 0)
        });
        let rank = match rank {
            ItemRank::Key => key_at,
            ItemRank::Number(number) => number,
        };
        if self.records.last().is_none_or(|last| last.len() == RECORDS) {
            self.records.push(Vec::with_capacity(RECORDS));
        }
        let record = Record { rank, start, size_and_kind: size << 2 | kind as u64, key_length, value_at };
        if let Some(last) = self.records.last_mut() {
            last.push(record);
        }
    }

    /// Hands over the items in their order. The sort is empty afterwards.
    ///
    /// # Errors
    /// Those of `each`.
    pub fn drain<E>(&mut self, mut each: impl FnMut(&TableItem) -> Result<(), E>) -> Result<(), E> {
        let records = std::mem::take(&mut self.records);
        let record = |number: usize| &records[number / RECORDS][number % RECORDS];
        let mut order: Vec<usize> = (0..records.iter().map(Vec::len).sum()).collect();
        order.sort_unstable_by(|&a, &b| {
            let (a, b) = (record(a), record(b));
            let order = if self.by_key { self.key(a).cmp(self.key(b)) } else { a.rank.cmp(&b.rank) };
            let order = if self.reverse { order.reverse() } else { order };
            order.then_with(|| a.order(b))
        });
        for record in order.into_iter().map(record) {
            match self.compact_item(record) {
                Some(item) => each(&item)?,
                None => each(&self.kept[record.start as usize])?,
            }
        }
        *self = Self::new(self.reverse);
        Ok(())
    }

    /// The key of a record of a sort by key.
    fn key(&self, record: &Record) -> &BStr {
        match record.kind() {
            ItemForm::Kept => self.kept[record.start as usize].key(),
            _ => self.text.get(record.rank, record.key_length as usize).as_bstr(),
        }
    }

    /// The key of an entry, from its file. If it cannot be read, neither can the entry, which is an error.
    fn read_key(&self, file: &File, record: &Record) -> BString {
        let mut key = Vec::new();
        let _ = kaldi_io::read_at(file, record.start, &mut key, record.key_length as usize);
        key.into()
    }

    /// The item of a record, unless it is kept.
    fn compact_item(&self, record: &Record) -> Option<TableItem> {
        let size = record.size_and_kind >> 2;
        match record.kind() {
            ItemForm::Kept => None,
            ItemForm::Line => Some(TableItem::of_line(self.text.get(record.start, size as usize).as_bstr())),
            kind => {
                let (file, name) = self.file.as_ref()?;
                let blob = Blob::in_file(Arc::clone(name), Arc::clone(file), record.start, size);
                let key = if self.by_key { self.key(record).to_owned() } else { self.read_key(file, record) };
                Some(TableItem::of_entry(key, blob, record.value_at.into(), kind == ItemForm::TextEntry))
            }
        }
    }
}

impl Record {
    fn kind(&self) -> ItemForm {
        KINDS[(self.size_and_kind & 3) as usize]
    }

    /// The order in which the items came.
    fn order(&self, other: &Self) -> Ordering {
        (self.kind() == ItemForm::Kept, self.start).cmp(&(other.kind() == ItemForm::Kept, other.start))
    }
}

#[cfg(test)]
mod tests {
    use kaldi_table::Reader;

    use super::*;
    use crate::Items;

    fn sorted(name: &str, reverse: bool, rank: fn(&TableItem) -> ItemRank) -> Vec<String> {
        let mut items = Items::open(name.into()).unwrap();
        let mut sort = ItemSort::new(reverse);
        while let Some(item) = items.next().unwrap() {
            sort.push(rank(&item), item);
        }
        let mut shown = Vec::new();
        let shows = |item: &TableItem| {
            shown.push(format!("{} {}", item.key(), item.size()));
            Ok::<_, ()>(())
        };
        sort.drain(shows).unwrap();
        assert!(sort.is_empty());
        shown
    }

    #[test]
    fn files_streams_and_lists_are_sorted_alike() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        std::fs::write(&path, "b 1\na 22\nc 3\na 4\nab 5\n").unwrap();
        let path = path.display();
        for name in [format!("ark:{path}"), format!("ark:cat {path} |"), path.to_string()] {
            assert_eq!(sorted(&name, false, |_| ItemRank::Key), ["a 5", "a 4", "ab 5", "b 4", "c 4"], "{name}");
            assert_eq!(sorted(&name, true, |_| ItemRank::Key), ["c 4", "b 4", "ab 5", "a 5", "a 4"], "{name}");
            let by_size = |item: &TableItem| ItemRank::Number(item.size());
            assert_eq!(sorted(&name, false, by_size), ["b 4", "c 4", "a 4", "a 5", "ab 5"], "{name}");
        }
    }

    #[test]
    fn an_entry_in_a_file_takes_few_bytes() {
        assert_eq!(size_of::<Record>(), 32);
    }
}
