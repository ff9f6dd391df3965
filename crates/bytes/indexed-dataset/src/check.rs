//! Checks a dataset, and repairs the index of a damaged one.

use std::path::PathBuf;
use std::sync::Arc;

use kaldi_io::ReadAt;

use crate::builder::code;
use crate::index_file::{IndexFile, blocks};
use crate::index_writer::IndexWriter;
use crate::layout::Layout;
use crate::open::open_ranges;
use crate::publish::publish;
use crate::spool::{Spool, TokenFile, for_each_piece};
use crate::tokens::check_range;
use crate::{DatasetFault, Dialect, Error, Prefix, Result, TokenType};

/// The number of faults of an array that are listed; the others are counted.
const MOST_TOLD: u64 = 10;

/// The result of a check.
#[derive(Debug)]
pub struct Checked {
    /// The faults, at most ten for each array.
    pub faults: Vec<DatasetFault>,
    /// The number of all faults.
    pub num_faults: u64,
    /// The dialect and type of the dataset, if they could be determined.
    pub kind: Option<(Dialect, TokenType)>,
    /// The number of sequences, if the index can be read.
    pub sequences: u64,
    /// The number of documents, if the index can be read.
    pub documents: u64,
    /// The number of tokens according to the sizes, if the index can be read.
    pub tokens: u64,
    /// The index, and what a repair needs.
    repair: Option<Repair>,
}

/// What a repaired index is made from.
#[derive(Debug)]
struct Repair {
    index: IndexFile,
    bin: Arc<dyn ReadAt>,
    bin_path: PathBuf,
    bin_length: u64,
    bounds_are_sound: bool,
}

impl Checked {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.num_faults == 0
    }

    fn add(&mut self, fault: DatasetFault, told: &mut u64) {
        self.num_faults += 1;
        *told += 1;
        if *told <= MOST_TOLD {
            self.faults.push(fault);
        }
    }
}

/// Compares everything in an index with itself and with the length of the `.bin`. With `vocab_size`, all tokens are
/// read and compared with it.
///
/// # Errors
/// If a file cannot be read. A damaged dataset is no error.
pub fn check(prefix: &Prefix, dialect: Option<Dialect>, vocab_size: Option<u64>) -> Result<Checked> {
    let mut checked =
        Checked { faults: Vec::new(), num_faults: 0, kind: None, sequences: 0, documents: 0, tokens: 0, repair: None };
    let Some(index) = open_index(prefix, &mut checked)? else { return Ok(checked) };
    let bin = open_ranges(&prefix.bin())?;
    let bin_length = bin.length();
    checked.sequences = index.num_sequences();
    let is_whole = index.layout.length() == Some(index.length);
    let bounds = index.layout.num_bounds.filter(|_| is_whole);
    checked.documents = bounds.map_or(checked.sequences, |bounds| bounds.saturating_sub(1));
    let sizes_are_sound = check_sizes(&index, &mut checked)?;
    find_type(&index, bin_length, dialect, &mut checked)?;
    let size = checked.kind.map_or(1, |(_, token_type)| token_type.size());
    let mut bounds_are_sound = false;
    if is_whole {
        check_pointers(&index, size, &mut checked)?;
        bounds_are_sound = check_bounds(&index, &mut checked)?;
    }
    let wanted = checked.tokens.saturating_mul(size);
    let bin_is_whole = sizes_are_sound && wanted == bin_length;
    if sizes_are_sound && !bin_is_whole {
        let (expected, found) = (format!("{wanted} bytes"), format!("{bin_length} bytes"));
        checked.add(DatasetFault::new(&prefix.bin(), "length", None, expected, found), &mut 0);
    }
    if let (Some(vocab_size), Some((_, token_type))) = (vocab_size, checked.kind) {
        check_tokens(prefix, &*bin, token_type, vocab_size, &mut checked)?;
    }
    if bin_is_whole && checked.kind.is_some() {
        checked.repair = Some(Repair { index, bin, bin_path: prefix.bin(), bin_length, bounds_are_sound });
    }
    Ok(checked)
}

/// Opens the index as its header describes it. If its length contradicts that, opens it in the form that fits the
/// `.bin`.
fn open_index(prefix: &Prefix, checked: &mut Checked) -> Result<Option<IndexFile>> {
    let fault = match IndexFile::open(&prefix.idx()) {
        Ok(index) => return Ok(Some(index)),
        Err(Error::Fault(fault)) => fault,
        Err(Error::Foreign { path, format }) => Box::new(DatasetFault::new(&path, "magic", None, "MMIDIDX", format)),
        Err(error) => return Err(error),
    };
    let is_length = fault.field == "length";
    checked.add(*fault, &mut 0);
    if !is_length {
        return Ok(None);
    }
    let bin_length = open_ranges(&prefix.bin())?.length();
    let claimed = match IndexFile::claimed(&prefix.idx()) {
        Err(Error::Fault(_)) => Vec::new(),
        claimed => claimed?,
    };
    for index in claimed {
        if fits_bin(&index, bin_length)?.is_some() {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// The bytes of a token with which the sizes add up to a `.bin` of this length, if the code may mean such a type.
pub(crate) fn fits_bin(index: &IndexFile, bin_length: u64) -> Result<Option<u64>> {
    let Some(tokens) = total(index)? else { return Ok(None) };
    let dialects = Dialect::candidates(index.layout.num_bounds.is_some());
    let mut sizes = dialects.filter_map(|dialect| Some(dialect.type_of(index.layout.code)?.size()));
    Ok(sizes.find(|size| tokens.checked_mul(*size) == Some(bin_length)))
}

/// The sum of the sizes, unless one is negative.
fn total(index: &IndexFile) -> Result<Option<u64>> {
    let (mut sizes, mut sum) = (Vec::new(), 0_u64);
    for range in blocks(0..index.num_sequences()) {
        index.sizes(range, &mut sizes)?;
        for size in &sizes {
            let Ok(size) = u64::try_from(*size) else { return Ok(None) };
            sum = sum.saturating_add(size);
        }
    }
    Ok(Some(sum))
}

fn check_sizes(index: &IndexFile, checked: &mut Checked) -> Result<bool> {
    let (mut sizes, mut told) = (Vec::new(), 0);
    for range in blocks(0..index.num_sequences()) {
        index.sizes(range.clone(), &mut sizes)?;
        for (number, size) in range.zip(&sizes) {
            match u64::try_from(*size) {
                Ok(size) => checked.tokens = checked.tokens.saturating_add(size),
                Err(_) => {
                    checked.add(DatasetFault::new(&index.path, "sizes", Some(number), "0 or more", size), &mut told)
                }
            }
        }
    }
    Ok(told == 0)
}

/// Three things determine the bytes of a token: the type code, the pointers, and the length of the `.bin`. If they
/// differ, the value on which two of them agree is taken.
fn find_type(index: &IndexFile, bin_length: u64, asked: Option<Dialect>, checked: &mut Checked) -> Result<()> {
    let has_documents = index.layout.num_bounds.is_some();
    let code = index.layout.code;
    if let Some(asked) = asked.filter(|asked| asked.has_documents() != has_documents) {
        let found = if has_documents { "an index with documents" } else { "an index without documents" };
        checked.add(DatasetFault::new(&index.path, "length", None, format!("that of {asked}"), found), &mut 0);
    }
    let asked = asked.filter(|asked| asked.has_documents() == has_documents);
    let by_code = |size| Dialect::resolve(asked, has_documents, code, size);
    let is_whole = index.layout.length() == Some(index.length);
    let by_pointers = if is_whole { index.token_size(bin_length)? } else { None };
    let by_bin = [1, 2, 4, 8]
        .into_iter()
        .find(|size| checked.tokens > 0 && checked.tokens.checked_mul(*size) == Some(bin_length));
    let agreed =
        by_bin.and_then(|size| by_code(Some(size))).or_else(|| by_pointers.and_then(|size| by_code(Some(size))));
    checked.kind = match (agreed, by_bin, by_pointers) {
        (Some(kind), ..) => Some(kind),
        (None, None, None) => by_code(None),
        (None, Some(bin), pointers) if pointers.is_none_or(|pointers| pointers == bin) => None,
        (None, ..) => by_code(None),
    };
    if checked.kind.is_none() {
        let likeliest = match by_bin.or(by_pointers) {
            Some(1) => Some(TokenType::U8),
            Some(2) => Some(TokenType::U16),
            Some(4) => Some(TokenType::I32),
            Some(8) => Some(TokenType::I64),
            _ => None,
        };
        let dialect = asked.unwrap_or(if has_documents { Dialect::Megatron } else { Dialect::Fairseq });
        checked.kind = likeliest.map(|token_type| (dialect, token_type));
        let expected =
            match checked.kind.and_then(|(dialect, token_type)| Some((dialect.code_of(token_type)?, token_type))) {
                Some((code, token_type)) => {
                    format!("the code of a type of {} bytes, such as {code} ({token_type})", token_type.size())
                }
                None => "the code of a type".to_owned(),
            };
        checked.add(DatasetFault::new(&index.path, "type code", None, expected, code), &mut 0);
    }
    Ok(())
}

fn check_pointers(index: &IndexFile, token_size: u64, checked: &mut Checked) -> Result<()> {
    let (mut expected, mut told) = (0_u64, 0);
    index.for_each_block(0..index.num_sequences(), |block| {
        for (at, (size, pointer)) in block.sizes.iter().zip(&block.pointers).enumerate() {
            if u64::try_from(*pointer) != Ok(expected) {
                let position = Some(block.first + at as u64);
                checked.add(DatasetFault::new(&index.path, "pointers", position, expected, pointer), &mut told);
            }
            expected = expected.saturating_add(u64::try_from(*size).unwrap_or(0) * token_size);
        }
        Ok(())
    })
}

fn check_bounds(index: &IndexFile, checked: &mut Checked) -> Result<bool> {
    let Some(count) = index.layout.num_bounds else { return Ok(true) };
    let (last, mut told, mut before) = (index.num_sequences() as i64, 0, 0);
    let mut fault = |position, expected: String, found: String| {
        checked.add(DatasetFault::new(&index.path, "documents", Some(position), expected, found), &mut told);
    };
    if count == 0 {
        fault(0, "0".to_owned(), "nothing".to_owned());
    }
    let mut bounds = Vec::new();
    for range in blocks(0..count) {
        index.bounds(range.clone(), &mut bounds)?;
        for (position, bound) in range.zip(&bounds) {
            if position == 0 && *bound != 0 {
                fault(position, "0".to_owned(), bound.to_string());
            } else if position == count - 1 && *bound != last {
                fault(position, format!("{last}, the number of sequences"), bound.to_string());
            } else if !(before..=last).contains(bound) {
                fault(position, format!("a number from {before} to {last}"), bound.to_string());
            } else {
                before = *bound;
            }
        }
    }
    Ok(told == 0)
}

fn check_tokens(
    prefix: &Prefix,
    bin: &dyn ReadAt,
    token_type: TokenType,
    vocab_size: u64,
    checked: &mut Checked,
) -> Result<()> {
    let (size, mut told) = (token_type.size(), 0);
    let whole = bin.length() / size * size;
    let mut start = 0;
    for_each_piece(bin, 0..whole, &prefix.bin(), |bytes| {
        // A piece may have several, so the search continues after each one.
        let mut at = 0;
        while let Err(misfit) = check_range(&bytes[at..], token_type, 0, i128::from(vocab_size) - 1) {
            let position = (start + at as u64) / size + misfit.position;
            let expected = format!("a token from 0 to {}", i128::from(vocab_size) - 1);
            let found = if token_type.range().is_some() { misfit.value.to_string() } else { token_type.to_string() };
            checked.add(DatasetFault::new(&prefix.bin(), "tokens", Some(position), expected, found), &mut told);
            at += ((misfit.position + 1) * size) as usize;
            // The others would only be counted.
            if told > MOST_TOLD {
                return Ok(());
            }
        }
        start += bytes.len() as u64;
        Ok(())
    })
}

impl Checked {
    /// Whether [`Checked::repair`] can repair the dataset: the sizes are sound and fit the `.bin`, and no token is
    /// outside of the vocabulary.
    pub fn is_repairable(&self) -> bool {
        let fixable = |fault: &DatasetFault| !matches!(fault.field, "tokens" | "sizes" | "magic" | "version");
        self.repair.is_some() && self.faults.iter().all(fixable)
    }

    /// Writes the dataset with a new index: pointers and type code are computed from the sizes and the length of the
    /// `.bin`. The documents are the old ones, or one for each sequence if the old ones make no sense. Tokens are
    /// copied unchanged.
    ///
    /// # Errors
    /// If that is not possible, the new dataset would replace the old one, or a file cannot be written.
    pub fn repair(&self, new: &Prefix) -> Result<()> {
        if let Some(Repair { index, bin_path, .. }) = &self.repair {
            new.refuse_inputs(&[&index.path, bin_path])?;
        }
        let (Some(Repair { index, bin, bin_path, bin_length, bounds_are_sound }), Some((dialect, token_type)), true) =
            (&self.repair, self.kind, self.is_repairable())
        else {
            return Err(Error::Request(
                "the sizes do not fit the tokens, so no index can be made from them".to_owned(),
            ));
        };
        let num_sequences = index.num_sequences();
        let num_bounds = match index.layout.num_bounds {
            Some(_) if !bounds_are_sound => Some(num_sequences + 1),
            bounds => bounds,
        };
        let has_modes = index.layout.has_modes;
        let layout = Layout { code: code(dialect, token_type)?, num_sequences, num_bounds, has_modes };
        // A type may have two codes, and the existing one is right.
        let keeps_code = dialect.type_of(index.layout.code) == Some(token_type);
        let layout = if keeps_code { Layout { code: index.layout.code, ..layout } } else { layout };
        let mut new_bin = TokenFile::create(new.bin())?;
        let new_index = Spool::create(new.idx(), 0)?;
        let mut writer = IndexWriter::new(&new_index.file, new_index.path.clone(), layout, token_type)?;
        let (mut sizes, mut bounds, mut modes) = (Vec::new(), Vec::new(), Vec::new());
        for range in blocks(0..num_sequences) {
            index.sizes(range.clone(), &mut sizes)?;
            writer.put_sizes(&sizes)?;
            if has_modes {
                index.modes(range, &mut modes)?;
                writer.put_modes(&modes)?;
            }
        }
        if *bounds_are_sound {
            let mut before = 0;
            // The first bound is 0, which the writer adds by itself.
            for range in blocks(1..layout.num_bounds.unwrap_or(1)) {
                index.bounds(range, &mut bounds)?;
                writer.put_documents(
                    bounds.iter().map(|bound| (*bound - std::mem::replace(&mut before, *bound)) as u64),
                )?;
            }
        } else {
            writer.put_documents(std::iter::repeat_n(1, num_sequences as usize))?;
        }
        writer.finish()?;
        new_bin.append(&**bin, 0..*bin_length, bin_path)?;
        publish([new_bin.seal()?, new_index.seal()?], || Ok(()))
    }
}
