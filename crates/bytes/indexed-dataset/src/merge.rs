//! Merges several datasets to one.

use std::ops::Range;

use crate::builder::{DatasetCounts, bounds_of, code};
use crate::index_file::blocks;
use crate::index_writer::IndexWriter;
use crate::layout::Layout;
use crate::publish::publish;
use crate::spool::{Spool, TokenFile};
use crate::tokens::convert;
use crate::{DatasetFault, Dialect, Error, IndexedDataset, Misfit, Prefix, Result, TokenType};

/// The number of bytes of tokens that are converted at a time.
const PIECE: u64 = 1 << 20;

/// Writes the sequences of all inputs, in their order, as one dataset. Without a type, all inputs must have the same.
/// Without a dialect, it is that of the inputs, or Megatron's if they differ.
///
/// Indices are compared with themselves and with the `.bin` while they are read, before any token is copied. Memory
/// does not depend on the sizes of the inputs.
///
/// # Errors
/// If an input is damaged, a token does not fit the type, only some inputs have modes, an output would replace an
/// input, or a file cannot be read or written.
pub fn merge(
    out: &Prefix,
    inputs: &[IndexedDataset],
    token_type: Option<TokenType>,
    dialect: Option<Dialect>,
) -> Result<DatasetCounts> {
    refuse_inputs(out, inputs)?;
    let parts: Vec<_> = inputs.iter().map(|input| Part { input, documents: 0..input.num_documents() }).collect();
    let token_type = match token_type {
        Some(token_type) => token_type,
        None => same_type(inputs)?,
    };
    let dialect = dialect.unwrap_or_else(|| common_dialect(inputs, token_type));
    let (bin, index, counts) = write_parts(out, &parts, token_type, dialect)?;
    publish([bin.seal()?, index.seal()?], || Ok::<_, Error>(()))?;
    Ok(counts)
}

/// Returns an error if the output would replace one of the inputs.
pub(crate) fn refuse_inputs(out: &Prefix, inputs: &[IndexedDataset]) -> Result<()> {
    for input in inputs {
        out.refuse_inputs(&[&input.prefix().idx(), &input.prefix().bin()])?;
    }
    Ok(())
}

fn same_type(inputs: &[IndexedDataset]) -> Result<TokenType> {
    let Some(first) = inputs.first() else { return Err(Error::Request("expected a dataset to merge".to_owned())) };
    match inputs.iter().find(|input| input.token_type() != first.token_type()) {
        None => Ok(first.token_type()),
        Some(other) => Err(Error::Request(format!(
            "{} has {} and {} has {}: a type has to be given",
            first.prefix(),
            first.token_type(),
            other.prefix(),
            other.token_type()
        ))),
    }
}

fn common_dialect(inputs: &[IndexedDataset], token_type: TokenType) -> Dialect {
    let first = inputs.first().map_or(Dialect::Megatron, IndexedDataset::dialect);
    let is_common = inputs.iter().all(|input| input.dialect() == first) && first.code_of(token_type).is_some();
    if is_common { first } else { Dialect::Megatron }
}

/// Some neighbouring documents of a dataset.
pub(crate) struct Part<'a> {
    pub(crate) input: &'a IndexedDataset,
    pub(crate) documents: Range<u64>,
}

impl Part<'_> {
    /// Its sequences.
    pub(crate) fn sequences(&self) -> Result<Range<u64>> {
        let Range { start, end } = self.documents;
        if start == end {
            return Ok(0..0);
        }
        // All documents have all sequences: the bounds are compared with that when they are read.
        if self.documents == (0..self.input.num_documents()) {
            return Ok(0..self.input.len());
        }
        Ok(self.input.sequences_of(start)?.start..self.input.sequences_of(end - 1)?.end)
    }
}

/// Writes a dataset from parts of others; the files get no names yet.
pub(crate) fn write_parts(
    out: &Prefix,
    parts: &[Part],
    token_type: TokenType,
    dialect: Dialect,
) -> Result<(TokenFile, Spool, DatasetCounts)> {
    let mut counts = DatasetCounts::default();
    let mut ranges = Vec::new();
    for part in parts {
        let sequences = part.sequences()?;
        counts.sequences += sequences.end - sequences.start;
        counts.documents += part.documents.end - part.documents.start;
        ranges.push(sequences);
    }
    let has_modes = modes_of(parts)?;
    let num_bounds = bounds_of(dialect, counts.documents);
    let layout = Layout { code: code(dialect, token_type)?, num_sequences: counts.sequences, num_bounds, has_modes };
    if has_modes && num_bounds.is_none() {
        return Err(Error::Request(format!("an index of {dialect} has no modes")));
    }
    let mut bin = TokenFile::create(out.bin())?;
    let index = Spool::create(out.idx(), 0)?;
    let mut writer = IndexWriter::new(&index.file, index.path.clone(), layout, token_type)?;
    let mut places = Vec::new();
    for (part, sequences) in parts.iter().zip(&ranges) {
        let place = put_sequences(&mut writer, part.input, sequences)?;
        counts.tokens += (place.end - place.start) / part.input.token_type().size();
        put_documents(&mut writer, part, sequences)?;
        places.push(place);
    }
    writer.finish()?;
    for ((part, sequences), place) in parts.iter().zip(&ranges).zip(places) {
        if part.input.token_type() == token_type {
            bin.append(&*part.input.bin, place, &part.input.prefix().bin())?;
        } else {
            put_converted(&mut bin, part.input, sequences, place, token_type)?;
        }
    }
    Ok((bin, index, counts))
}

fn modes_of(parts: &[Part]) -> Result<bool> {
    let mut inputs = parts.iter().map(|part| part.input).filter(|input| !input.is_empty());
    let Some(first) = inputs.next() else { return Ok(false) };
    match inputs.find(|input| input.has_modes() != first.has_modes()) {
        None => Ok(first.has_modes()),
        Some(other) => {
            let (with, without) = if first.has_modes() { (first, other) } else { (other, first) };
            Err(Error::Request(format!("{} has modes and {} has none", with.prefix(), without.prefix())))
        }
    }
}

/// Appends the sizes of sequences and their modes; returns the place of the tokens of all of them, which has no gap.
fn put_sequences(writer: &mut IndexWriter, input: &IndexedDataset, sequences: &Range<u64>) -> Result<Range<u64>> {
    let places = input.places();
    let mut place: Option<Range<u64>> = None;
    input.index.for_each_block(sequences.clone(), |block| {
        let start = match &place {
            Some(place) => place.end,
            None => places.end_before(block.first)?,
        };
        place.get_or_insert(start..start).end = places.follow(block, start)?;
        writer.put_sizes(&block.sizes)
    })?;
    if input.has_modes() {
        let mut modes = Vec::new();
        for range in blocks(sequences.clone()) {
            input.index.modes(range, &mut modes)?;
            writer.put_modes(&modes)?;
        }
    }
    if place.is_some() || input.is_empty() {
        let end = place.as_ref().map_or(0, |place| place.end);
        places.check_end(sequences.end, end, places.pointer(sequences.end)?, || input.prefix().bin())?;
    }
    Ok(place.unwrap_or(0..0))
}

/// Appends documents, which together have all of `sequences`.
fn put_documents(writer: &mut IndexWriter, part: &Part, sequences: &Range<u64>) -> Result<()> {
    let index = &part.input.index;
    let (mut bounds, mut end) = (Vec::new(), sequences.start);
    for documents in blocks(part.documents.clone()) {
        bounds.clear();
        if index.layout.num_bounds.is_some() {
            index.bounds(documents.start..documents.end + 1, &mut bounds)?;
        }
        // Without an exit in the loop. Bounds that ascend from 0 or more are none below it.
        let ascend = bounds.windows(2).fold(true, |ascend, pair| ascend & (pair[0] <= pair[1]));
        let [first, last] = [bounds.first(), bounds.last()].map(|bound| u64::try_from(*bound?).ok());
        let is_last = documents.end == part.documents.end;
        let ends_well = |last| if is_last { last == sequences.end } else { last <= sequences.end };
        if ascend && first == Some(end) && last.is_some_and(ends_well) {
            writer.put_documents(bounds.windows(2).map(|pair| pair[1].abs_diff(pair[0])))?;
            end = last.unwrap_or(end);
        } else {
            end = put_single_documents(writer, part, documents, end)?;
        }
    }
    if end != sequences.end {
        return Err(not_together(part, part.documents.end, sequences.end, end));
    }
    Ok(())
}

/// Appends some documents, the first of which starts at sequence `end`; returns where the last one ends.
fn put_single_documents(writer: &mut IndexWriter, part: &Part, range: Range<u64>, mut end: u64) -> Result<u64> {
    let mut documents = part.input.documents(range.clone())?;
    let mut counts = Vec::new();
    while let Some(document) = documents.next_document()? {
        if document.start != end {
            return Err(not_together(part, range.start + counts.len() as u64, end, document.start));
        }
        counts.push(document.end - document.start);
        end = document.end;
    }
    writer.put_documents(counts.into_iter())?;
    Ok(end)
}

/// A document that does not start where the one before it ends.
fn not_together(part: &Part, position: u64, expected: u64, found: u64) -> Error {
    DatasetFault::new(&part.input.index.path, "documents", Some(position), expected, found).into()
}

fn put_converted(
    bin: &mut TokenFile,
    input: &IndexedDataset,
    sequences: &Range<u64>,
    place: Range<u64>,
    token_type: TokenType,
) -> Result<()> {
    let size = input.token_type().size();
    let (mut bytes, mut converted) = (Vec::new(), Vec::new());
    let mut start = place.start;
    while start < place.end {
        input.read_bin(start..place.end.min(start + PIECE), &mut bytes)?;
        converted.clear();
        if let Err(misfit) = convert(&bytes, input.token_type(), token_type, &mut converted) {
            let at = start + misfit.position * size;
            return Err(misfit_at(input, sequences.clone(), at, misfit, token_type));
        }
        bin.put(&converted)?;
        start += bytes.len() as u64;
    }
    Ok(())
}

/// Finds the sequence with the token at byte `at`, for an error.
fn misfit_at(input: &IndexedDataset, sequences: Range<u64>, at: u64, misfit: Misfit, token_type: TokenType) -> Error {
    let mut found = (sequences.start, at);
    let result = input.index.for_each_block(sequences, |block| {
        for (number, pointer) in (block.first..).zip(&block.pointers) {
            match u64::try_from(*pointer) {
                Ok(start) if start <= at => found = (number, start),
                _ => break,
            }
        }
        Ok(())
    });
    let position = (at - found.1) / input.token_type().size();
    let name = format!("{}: sequence {}", input.prefix(), found.0);
    if input.token_type().range().is_none() {
        return Error::Request(format!("{name}: {} cannot become {token_type}", input.token_type()));
    }
    result.err().unwrap_or_else(|| Error::misfit(name, Misfit { position, ..misfit }, token_type))
}
