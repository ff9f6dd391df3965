//! Reading a dataset.

use std::ops::Range;
use std::sync::Arc;

use kaldi_io::ReadAt;

use crate::index_file::IndexFile;
use crate::open::open_ranges;
use crate::sequence_offsets::Places;
use crate::{DatasetFault, Dialect, Error, Prefix, Result, SequenceTokens, TokenType};

/// Sizes of sequences that are read at once.
const SIZES: u64 = 1 << 14;

/// A dataset that is open for reading.
///
/// Files are read at the requested places and not mapped into memory: if a file is cut in the meantime, that is an
/// error and no signal. If they are objects of a store, the whole index is fetched, into the folder of temporary files, and
/// only the requested ranges of the `.bin`. Nothing in the index is trusted: all reads are checked against the files.
#[derive(Debug)]
pub struct IndexedDataset {
    prefix: Prefix,
    pub(crate) index: IndexFile,
    pub(crate) bin: Arc<dyn ReadAt>,
    pub(crate) bin_length: u64,
    dialect: Dialect,
    token_type: TokenType,
}

impl IndexedDataset {
    /// Opens a dataset; the dialect is determined from the content of the files.
    ///
    /// # Errors
    /// If a file cannot be opened, is of another format, or its header contradicts its length.
    pub fn open(prefix: &Prefix) -> Result<Self> {
        Self::open_as(prefix, None)
    }

    /// Like [`IndexedDataset::open`], restricted to `dialect` if one is given: uint32 of DeepSpeed and float32 of
    /// Megatron look alike.
    ///
    /// # Errors
    /// As [`IndexedDataset::open`], or if the files are of another dialect.
    pub fn open_as(prefix: &Prefix, dialect: Option<Dialect>) -> Result<Self> {
        let index = IndexFile::open(&prefix.idx())?;
        let bin = open_ranges(&prefix.bin())?;
        let bin_length = bin.length();
        let size = index.token_size(bin_length)?;
        let (dialect, token_type) = token_type(&index, dialect, size)?;
        Ok(Self { prefix: prefix.clone(), index, bin, bin_length, dialect, token_type })
    }

    /// The common start of the names of the files.
    pub fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// The programs that write such files.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The type of the tokens.
    pub fn token_type(&self) -> TokenType {
        self.token_type
    }

    /// The number of sequences.
    pub fn len(&self) -> u64 {
        self.index.num_sequences()
    }

    /// Whether there are no sequences.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of documents; if the index has none (fairseq), every sequence is one.
    pub fn num_documents(&self) -> u64 {
        self.index.layout.num_bounds.map_or(self.len(), |bounds| bounds.saturating_sub(1))
    }

    /// Whether every sequence has a mode.
    pub fn has_modes(&self) -> bool {
        self.index.layout.has_modes
    }

    /// Reads a sequence, counted from 0.
    ///
    /// # Errors
    /// If there is no such sequence, it is not in the file of tokens, or the index is damaged at this place: its
    /// sequences overlap or have gaps.
    pub fn sequence(&self, number: u64) -> Result<SequenceTokens> {
        let place = self.place(number)?;
        self.tokens(place)
    }

    /// Reads a part of a sequence: from `offset` on, `length` tokens or all that follow.
    ///
    /// # Errors
    /// As [`IndexedDataset::sequence`], or if the part is not within the sequence.
    pub fn slice(&self, number: u64, offset: u64, length: Option<u64>) -> Result<SequenceTokens> {
        let place = self.place_of_part(number, offset, length)?;
        self.tokens(place)
    }

    fn place_of_part(&self, number: u64, offset: u64, length: Option<u64>) -> Result<Range<u64>> {
        let place = self.place(number)?;
        let size = self.token_type.size();
        let part = part((place.end - place.start) / size, offset, length);
        let part = part.map_err(|error| Error::Request(format!("{}: sequence {number}: {error}", self.prefix)))?;
        Ok(place.start + part.start * size..place.start + part.end * size)
    }

    /// The sequences of a document, counted from 0.
    ///
    /// # Errors
    /// If there is no such document, or its bounds make no sense.
    pub fn sequences_of(&self, document: u64) -> Result<Range<u64>> {
        self.check_number("document", document, self.num_documents())?;
        if self.index.layout.num_bounds.is_none() {
            return Ok(document..document + 1);
        }
        let mut bounds = Vec::new();
        self.index.bounds(document..document + 2, &mut bounds)?;
        self.check_bounds(document, bounds[0], bounds[1])
    }

    /// Reads all sequences of a document.
    ///
    /// # Errors
    /// As [`IndexedDataset::sequences_of`] and [`IndexedDataset::sequence`].
    pub fn document(&self, document: u64) -> Result<SequenceTokens> {
        let mut bytes = Vec::new();
        let mut sequences = self.sequences(self.sequences_of(document)?)?;
        while let Some(sequence) = sequences.next_sequence()? {
            bytes.extend_from_slice(sequence);
        }
        Ok(SequenceTokens::new(self.token_type, bytes))
    }

    /// Reads a part of a document, as [`IndexedDataset::slice`] does of a sequence.
    ///
    /// # Errors
    /// As [`IndexedDataset::document`], or if the part is not within the document.
    pub fn document_slice(&self, document: u64, offset: u64, length: Option<u64>) -> Result<SequenceTokens> {
        let sequences = self.sequences_of(document)?;
        // The sequences of the part are found by their sizes. Only these are read.
        let (mut whole, mut wanted) = (0_u64, Vec::new());
        let end = length.map_or(u64::MAX, |length| offset.saturating_add(length));
        let mut sizes = Vec::new();
        for start in sequences.clone().step_by(SIZES as usize) {
            sizes.clear();
            self.index.sizes(start..(start + SIZES).min(sequences.end), &mut sizes)?;
            for (number, &size) in (start..).zip(&sizes) {
                let size = match u64::try_from(size) {
                    Ok(size) => size,
                    // This says what is wrong.
                    Err(_) => self.sequence(number)?.len(),
                };
                if whole < end && whole + size > offset {
                    wanted.push((number, offset.saturating_sub(whole), end.min(whole + size) - whole.max(offset)));
                }
                whole += size;
            }
        }
        let part = part(whole, offset, length);
        part.map_err(|error| Error::Request(format!("{}: document {document}: {error}", self.prefix)))?;
        // Sequences follow each other without gaps, so one range has all of them.
        let mut range: Option<Range<u64>> = None;
        for (number, offset, length) in wanted {
            let place = self.place_of_part(number, offset, Some(length))?;
            range.get_or_insert(place.clone()).end = place.end;
        }
        self.tokens(range.unwrap_or_default())
    }

    /// The mode of a sequence, if sequences have modes.
    ///
    /// # Errors
    /// If there is no such sequence.
    pub fn mode(&self, number: u64) -> Result<Option<i8>> {
        self.check_number("sequence", number, self.len())?;
        if !self.has_modes() {
            return Ok(None);
        }
        let mut modes = Vec::new();
        self.index.modes(number..number + 1, &mut modes)?;
        Ok(modes.first().copied())
    }

    /// The place of a sequence in the file of tokens, in bytes.
    ///
    /// # Errors
    /// As [`IndexedDataset::sequence`].
    pub fn place(&self, number: u64) -> Result<Range<u64>> {
        self.check_number("sequence", number, self.len())?;
        // Those of the neighbours come along.
        let first = number.saturating_sub(1);
        let (mut sizes, mut pointers) = (Vec::new(), Vec::new());
        self.index.sizes(first..number + 1, &mut sizes)?;
        self.index.pointers(first..self.len().min(number + 2), &mut pointers)?;
        let at = (number - first) as usize;
        let places = self.places();
        let place = places.place(number, sizes[at], pointers[at])?;
        let before = if at == 0 { 0 } else { places.place(first, sizes[0], pointers[0])?.end };
        places.check_start(number, place.start, before)?;
        places.check_end(number + 1, place.end, pointers.get(at + 1).copied(), || self.prefix.bin())?;
        Ok(place)
    }

    /// Where sequences are, as far as that makes sense.
    pub(crate) fn places(&self) -> Places<'_> {
        Places { index: &self.index, token_size: self.token_type.size(), bin_length: self.bin_length }
    }

    /// Compares the whole index with itself and with the file of tokens.
    ///
    /// # Errors
    /// If the dataset is damaged, or cannot be read.
    pub(crate) fn check_index(&self) -> Result<()> {
        self.places().check_all(&self.prefix.bin())?;
        let mut documents = self.documents(0..self.num_documents())?;
        while documents.next_document()?.is_some() {}
        Ok(())
    }

    /// Compares the bounds of a document with the number of sequences.
    pub(crate) fn check_bounds(&self, document: u64, start: i64, end: i64) -> Result<Range<u64>> {
        match (u64::try_from(start), u64::try_from(end)) {
            (Ok(start), Ok(_)) if document == 0 && start != 0 => {
                Err(DatasetFault::new(&self.index.path, "documents", Some(0), 0, start).into())
            }
            (Ok(_), Ok(end)) if document + 1 == self.num_documents() && end != self.len() => {
                let expected = format!("{}, the number of sequences", self.len());
                Err(DatasetFault::new(&self.index.path, "documents", Some(document + 1), expected, end).into())
            }
            (Ok(start), Ok(end)) if start <= end && end <= self.len() => Ok(start..end),
            _ => {
                let expected = format!("a number from {} to {}", start.max(0), self.len());
                Err(DatasetFault::new(&self.index.path, "documents", Some(document + 1), expected, end).into())
            }
        }
    }

    fn check_number(&self, what: &str, number: u64, count: u64) -> Result<()> {
        if number < count {
            return Ok(());
        }
        Err(Error::Request(format!("{}: expected a {what} below {count}, got {number}", self.prefix)))
    }

    /// Reads a range of the file of tokens; it is within the file.
    fn tokens(&self, place: Range<u64>) -> Result<SequenceTokens> {
        let mut bytes = Vec::new();
        self.read_bin(place, &mut bytes)?;
        Ok(SequenceTokens::new(self.token_type, bytes))
    }

    /// Replaces `bytes` by those of a range of the file of tokens, which is within the file.
    pub(crate) fn read_bin(&self, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.clear();
        let read = self.bin.read_at(range.start, bytes, (range.end - range.start) as usize);
        read.map_err(Error::read(&self.prefix.bin(), range.start))
    }
}

/// The dialect and the type of an index, given the number of bytes of a token.
fn token_type(index: &IndexFile, asked: Option<Dialect>, size: Option<u64>) -> Result<(Dialect, TokenType)> {
    let (code, has_documents) = (index.layout.code, index.layout.num_bounds.is_some());
    if let Some(asked) = asked.filter(|asked| asked.has_documents() != has_documents) {
        let with = if has_documents { "with" } else { "without" };
        let found = format!("an index {with} documents");
        return Err(DatasetFault::new(&index.path, "length", None, format!("that of {asked}"), found).into());
    }
    Dialect::resolve(asked, has_documents, code, size).ok_or_else(|| {
        let expected = match size {
            Some(size) => format!("the code of a type of {size} bytes, as the pointers say"),
            None => "the code of a type".to_owned(),
        };
        DatasetFault::new(&index.path, "type code", None, expected, code).into()
    })
}

/// A part of `whole` tokens.
fn part(whole: u64, offset: u64, length: Option<u64>) -> Result<Range<u64>, String> {
    let end = length.map_or(Some(whole.max(offset)), |length| offset.checked_add(length));
    match end {
        Some(end) if end <= whole => Ok(offset..end),
        _ => {
            let asked = length.map_or(String::new(), |length| format!("{length} "));
            Err(format!("expected a part of {whole} tokens, got {asked}from {offset} on"))
        }
    }
}
