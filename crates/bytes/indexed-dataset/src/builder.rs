//! Writing a dataset.

use crate::index_file::blocks;
use crate::index_writer::IndexWriter;
use crate::layout::Layout;
use crate::publish::publish;
use crate::spool::{Scratch, Spool, TokenFile};
use crate::tokens::convert;
use crate::{Dialect, Error, Prefix, Result, TokenType, encode_i32};

/// The number of bytes of tokens that are converted at a time.
const PIECE: usize = 1 << 18;

/// The options of writing a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuilderOptions {
    /// The type of the tokens.
    pub token_type: TokenType,
    /// The program that the files are for.
    pub dialect: Dialect,
    /// Whether every sequence gets a mode.
    pub has_modes: bool,
    /// Whether a token that does not fit changes the type to int32 instead of being an error.
    pub may_widen: bool,
}

impl Default for BuilderOptions {
    /// The default is Megatron's int32.
    fn default() -> Self {
        Self { token_type: TokenType::I32, dialect: Dialect::Megatron, has_modes: false, may_widen: false }
    }
}

/// Counts of a dataset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatasetCounts {
    /// Sequences.
    pub sequences: u64,
    /// Documents.
    pub documents: u64,
    /// Tokens.
    pub tokens: u64,
}

/// Writes a dataset, sequence by sequence, and keeps none of it in memory: sizes go into the index at once, and the
/// rest of the index is computed from them at the end. The files appear when [`IndexedDatasetBuilder::finish`]
/// succeeds, the `.bin` before the `.idx`.
#[derive(Debug)]
#[must_use = "a dataset is there only after finish()"]
pub struct IndexedDatasetBuilder {
    prefix: Prefix,
    options: BuilderOptions,
    bin: TokenFile,
    index: Spool,
    modes: Option<Scratch>,
    /// The bounds of documents except the first; `None` as long as each document is one sequence.
    bounds: Option<Scratch>,
    counts: DatasetCounts,
    /// The number of sequences whose documents are known.
    last_bound: u64,
    encoded: Vec<u8>,
}

impl IndexedDatasetBuilder {
    /// Creates the files, still without a name.
    ///
    /// # Errors
    /// If that fails, or if the dialect has no code for the type, or no documents and modes.
    pub fn create(prefix: &Prefix, options: BuilderOptions) -> Result<Self> {
        code(options.dialect, options.token_type)?;
        if options.has_modes && !options.dialect.has_documents() {
            return Err(Error::Request(format!("an index of {} has no modes", options.dialect)));
        }
        let header = Layout { code: 0, num_sequences: 0, num_bounds: bounds_of(options.dialect, 0), has_modes: false };
        Ok(Self {
            // Another type means that all tokens are read again.
            bin: if options.may_widen { TokenFile::spooled(prefix.bin()) } else { TokenFile::create(prefix.bin()) }?,
            index: Spool::create(prefix.idx(), header.sizes_at())?,
            modes: options.has_modes.then(|| Scratch::create(prefix.idx())).transpose()?,
            bounds: None,
            counts: DatasetCounts::default(),
            last_bound: 0,
            encoded: Vec::new(),
            prefix: prefix.clone(),
            options,
        })
    }

    /// The counts of what was written so far.
    pub fn counts(&self) -> DatasetCounts {
        self.counts
    }

    /// The type of the tokens; it may change if [`BuilderOptions::may_widen`] is set.
    pub fn token_type(&self) -> TokenType {
        self.options.token_type
    }

    /// Appends a sequence.
    ///
    /// # Errors
    /// If a token does not fit the type, or the file cannot be written.
    pub fn push(&mut self, tokens: &[i32]) -> Result<()> {
        let mut encoded = std::mem::take(&mut self.encoded);
        encoded.clear();
        let token_type = self.options.token_type;
        let result = match encode_i32(tokens, token_type, &mut encoded) {
            Ok(()) => self.push_bytes(&encoded, token_type),
            Err(_) if self.options.may_widen => encode_i32(tokens, TokenType::I32, &mut encoded)
                .map_or(Ok(()), |()| self.push_bytes(&encoded, TokenType::I32)),
            Err(misfit) => Err(Error::misfit(self.next_name(), misfit, token_type)),
        };
        self.encoded = encoded;
        result
    }

    /// Appends a sequence of the little-endian bytes of its tokens.
    ///
    /// # Errors
    /// If they are of another type than the dataset's and do not fit it, or the file cannot be written.
    pub fn push_bytes(&mut self, tokens: &[u8], token_type: TokenType) -> Result<()> {
        let count = tokens.len() as u64 / token_type.size();
        if count > i32::MAX as u64 {
            let message = format!("{}: {count} tokens are more than a sequence can have", self.next_name());
            return Err(Error::Request(message));
        }
        if self.options.may_widen && token_type == TokenType::I32 && self.options.token_type != TokenType::I32 {
            self.widen()?;
        }
        if token_type == self.options.token_type {
            self.bin.put(tokens)?;
        } else {
            let mut converted = Vec::new();
            convert(tokens, token_type, self.options.token_type, &mut converted)
                .map_err(|misfit| Error::misfit(self.next_name(), misfit, self.options.token_type))?;
            self.bin.put(&converted)?;
        }
        self.index.put(&(count as i32).to_le_bytes())?;
        self.counts.sequences += 1;
        self.counts.tokens += count;
        Ok(())
    }

    /// Sets the mode of the sequence that was appended last.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn push_mode(&mut self, mode: i8) -> Result<()> {
        match &mut self.modes {
            Some(modes) => modes.put(&mode.to_le_bytes()),
            None => Ok(()),
        }
    }

    /// Ends a document: the sequences since the last one, of which there may be none.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn end_document(&mut self) -> Result<()> {
        let is_single = self.counts.sequences == self.last_bound + 1;
        if self.bounds.is_none() && !is_single {
            let mut bounds = Scratch::create(self.prefix.idx())?;
            for bound in 1..=self.counts.documents {
                bounds.put(&bound.to_le_bytes())?;
            }
            self.bounds = Some(bounds);
        }
        if let Some(bounds) = &mut self.bounds {
            bounds.put(&self.counts.sequences.to_le_bytes())?;
        }
        self.last_bound = self.counts.sequences;
        self.counts.documents += 1;
        Ok(())
    }

    /// Writes the rest of the index and gives the files their names.
    ///
    /// # Errors
    /// If a file cannot be written, sequences follow the last document, or a sequence has no mode.
    pub fn finish(self) -> Result<DatasetCounts> {
        self.finish_with(|| Ok(()))
    }

    /// Like [`IndexedDatasetBuilder::finish`]. `others` completes files that belong to the dataset; no other process
    /// gives names to a dataset of this prefix at the same time.
    ///
    /// # Errors
    /// As [`IndexedDatasetBuilder::finish`], and those of `others`.
    pub fn finish_with<E: From<Error>>(mut self, others: impl FnOnce() -> Result<(), E>) -> Result<DatasetCounts, E> {
        self.complete_index()?;
        publish([self.bin.seal()?, self.index.seal()?], others)?;
        Ok(self.counts)
    }

    /// Writes the rest of the index.
    fn complete_index(&mut self) -> Result<()> {
        let DatasetCounts { sequences, documents, .. } = self.counts;
        if self.options.dialect.has_documents() && self.last_bound != sequences {
            let count = sequences - self.last_bound;
            return Err(Error::Request(format!("{}: the last {count} sequences have no document", self.prefix)));
        }
        let layout = Layout {
            code: code(self.options.dialect, self.options.token_type)?,
            num_sequences: sequences,
            num_bounds: bounds_of(self.options.dialect, documents),
            has_modes: self.options.has_modes,
        };
        self.index.flush()?;
        let file = self.index.file.try_clone().map_err(Error::write(&self.index.path))?;
        let mut writer =
            IndexWriter::new(&file, self.index.path.clone(), layout, self.options.token_type)?.with_sizes_there();
        for range in blocks(0..sequences) {
            let bytes = self.index.read(layout.sizes_at(), range.start * 4..range.end * 4)?;
            let sizes: Vec<_> = bytes.as_chunks().0.iter().map(|size| i32::from_le_bytes(*size)).collect();
            writer.put_pointers(&sizes)?;
        }
        match &mut self.bounds {
            None => writer.put_documents(std::iter::repeat_n(1, documents as usize))?,
            Some(bounds) => {
                bounds.flush()?;
                let mut before = 0;
                for range in blocks(0..documents) {
                    let bytes = bounds.read(0, range.start * 8..range.end * 8)?;
                    writer.put_documents(bytes.as_chunks().0.iter().map(|bound| {
                        let bound = u64::from_le_bytes(*bound);
                        bound - std::mem::replace(&mut before, bound)
                    }))?;
                }
            }
        }
        if let Some(modes) = &mut self.modes {
            modes.flush()?;
            for range in blocks(0..modes.end()) {
                let bytes = modes.read(0, range)?;
                writer.put_modes(&bytes.iter().map(|mode| i8::from_le_bytes([*mode])).collect::<Vec<_>>())?;
            }
        }
        writer.finish()?;
        drop(file);
        Ok(())
    }

    /// The place of the next sequence, for messages.
    fn next_name(&self) -> String {
        format!("sequence {}", self.counts.sequences)
    }

    /// Converts all tokens to int32.
    fn widen(&mut self) -> Result<()> {
        let TokenFile::Spool(narrow) = &mut self.bin else {
            return Err(Error::Request(format!("{}: tokens that were sent cannot get another type", self.prefix)));
        };
        narrow.flush()?;
        let mut wide = Spool::create(self.prefix.bin(), 0)?;
        let length = narrow.end();
        for start in (0..length).step_by(PIECE) {
            let bytes = narrow.read(0, start..length.min(start + PIECE as u64))?;
            let mut converted = Vec::with_capacity(2 * bytes.len());
            convert(&bytes, self.options.token_type, TokenType::I32, &mut converted)
                .map_err(|misfit| Error::misfit(&self.prefix, misfit, TokenType::I32))?;
            wide.put(&converted)?;
        }
        self.bin = TokenFile::Spool(wide);
        self.options.token_type = TokenType::I32;
        Ok(())
    }
}

/// The code of a type; not every dialect has one.
pub(crate) fn code(dialect: Dialect, token_type: TokenType) -> Result<u8> {
    let missing = || Error::Request(format!("an index of {dialect} has no code for {token_type}"));
    dialect.code_of(token_type).ok_or_else(missing)
}

/// The length of the array of bounds.
pub(crate) fn bounds_of(dialect: Dialect, num_documents: u64) -> Option<u64> {
    dialect.has_documents().then_some(num_documents + 1)
}
