//! Writes integer vectors as a token dataset (`.idx` and `.bin`) for training.
//!
//! Kaldi has no such program.

use std::collections::{HashMap, VecDeque};

use anyhow::{Result, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use indexed_dataset::{BuilderOptions, Dialect, IndexedDatasetBuilder, Misfit, Prefix, TokenType, encode_i32};
use kaldi_cli::{Arg, InputName, OutputName, Tally, unless_forced};
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, Rspecifier, is_same_file};
use kaldi_table::{Reader, Rows, SequentialReader};
use kaldi_value::{IntMatrix, Value};

use crate::codes::{CodebookOffsets, CodesError, to_codebook_major};

const USAGE: &str = "\
Writes integer vectors as a token dataset, <prefix>.idx and <prefix>.bin, for Megatron and similar programs: each vector
is a document of one sequence, or with --nested each vector of vectors is a document of several. With --flatten, the input
is a table of int32-matrix, codes of several codebooks: a matrix is a document of one sequence. The files appear when both
are complete. An empty vector is a sequence of length 0. If there is nothing to write, a dataset that is there stays, and
the exit status is 1.

Usage: int-vector-to-indexed [options] <int-vector-rspecifier> <prefix>
 e.g.: int-vector-to-indexed --dtype=uint16 --append-eod=0 ark:tokens.ark train
       int-vector-to-indexed --dtype=auto --write-keys=train.keys 'ark:gunzip -c ali.*.gz |' train
       int-vector-to-indexed --flatten=frame-major --codebook-offsets=1024 ark:codes.ark train
See also: convert-codes, indexed-to-int-vector, indexed-info, indexed-check, indexed-merge, copy-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// Type of the tokens: int32, uint16, uint8, int8, int16, int64, or auto: uint16 if all tokens fit, otherwise int32
    #[arg(long, default_value = "int32", value_parser = kaldi_cli::one_of(&CHOICES))]
    dtype: Choice,
    /// Refuse tokens that are not below this; for --dtype=auto it chooses the type: uint16 if it is below 65500,
    /// otherwise int32
    #[arg(long)]
    vocab_size: Option<u64>,
    /// Append this token to the last sequence of every document, unless the document has no tokens
    #[arg(long)]
    append_eod: Option<i32>,
    /// Read vectors of vectors: the outer ones are documents, the inner ones sequences
    #[arg(long)]
    nested: bool,
    /// Read matrices of codes, and write the codes of each frame one after the other (frame-major), or those of each
    /// codebook (codebook-major)
    #[arg(long, alias = "codebooks", value_parser = kaldi_cli::one_of(&ORDERS))]
    flatten: Option<CodeOrder>,
    /// Add to the codes of codebook k, counted from 0, k times this number; or a list with a number for each codebook; with
    /// --flatten
    #[arg(long = "codebook-offsets", alias = "offsets")]
    offsets: Option<CodebookOffsets>,
    /// Wxfilename for the key of each sequence, one per line
    #[arg(long = "write-keys", alias = "keys")]
    keys: Option<OutputName>,
    /// Rspecifier of integers by key, the modes of the sequences (-128 to 127); with --nested there are as many for
    /// each key as sequences
    #[arg(long)]
    modes: Option<InputName>,
    /// Dialect of the dataset: megatron, gpt-neox, deepspeed or fairseq
    #[arg(long, default_value = "megatron", value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Dialect,
    /// Leave out sequences without tokens, and documents that have no others
    #[arg(long)]
    skip_empty: bool,
    source: InputName,
    prefix: Arg,
}

/// The order of the codes of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CodeOrder {
    FrameMajor,
    CodebookMajor,
}

const ORDERS: [(&str, CodeOrder); 2] =
    [("frame-major", CodeOrder::FrameMajor), ("codebook-major", CodeOrder::CodebookMajor)];

/// The value of --dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Auto,
    Type(TokenType),
}

const CHOICES: [(&str, Choice); 7] = [
    ("int32", Choice::Type(TokenType::I32)),
    ("uint16", Choice::Type(TokenType::U16)),
    ("uint8", Choice::Type(TokenType::U8)),
    ("int8", Choice::Type(TokenType::I8)),
    ("int16", Choice::Type(TokenType::I16)),
    ("int64", Choice::Type(TokenType::I64)),
    ("auto", Choice::Auto),
];

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(int_vector_to_indexed))
    .whole("a token dataset is made as a whole; indexed-merge joins those of parts");

fn int_vector_to_indexed(opts: Options) -> Result<Tally> {
    let prefix = Prefix::new(opts.prefix.as_path());
    ensure!(
        !opts.nested || opts.dialect.has_documents(),
        "an index of {} has no documents, which --nested makes",
        opts.dialect
    );
    ensure!(!opts.nested || opts.flatten.is_none(), "expected one of --nested and --flatten");
    ensure!(opts.flatten.is_some() || opts.offsets.is_none(), "expected --codebook-offsets with --flatten only");
    let encoder = Encoder::new(&opts)?;
    for source in [Some(&opts.source), opts.modes.as_ref()].into_iter().flatten() {
        refuse_outputs(source, &prefix, opts.keys.as_deref())?;
    }
    unless_forced(prefix.refuse_others())?;
    let mut rows = match opts.flatten {
        Some(order) => {
            let offsets = opts.offsets.clone();
            encode(&opts.source, encoder, move |codes| Ok(vec![flatten(codes, order, offsets.as_ref())?]))?
        }
        None if opts.nested => encode(&opts.source, encoder, Ok::<Vec<Vec<i32>>, _>)?,
        None => encode(&opts.source, encoder, |vector| Ok(vec![vector]))?,
    };
    let mut modes = opts.modes.as_ref().map(|modes| Modes::open(modes, opts.nested)).transpose()?;
    let options = BuilderOptions {
        token_type: encoder.token_type,
        dialect: opts.dialect,
        has_modes: modes.is_some(),
        may_widen: encoder.may_widen,
    };
    let mut builder = IndexedDatasetBuilder::create(&prefix, options)?;
    let mut keys = opts.keys.as_ref().map(|keys| Output::create(keys, false)).transpose()?;

    while let Some((key, document)) = rows.next()? {
        let modes = modes.as_mut().map(|modes| modes.take(key.as_ref(), document.lengths.len())).transpose()?;
        let mut start = 0;
        let mut kept = 0;
        for (at, length) in document.lengths.iter().enumerate() {
            let bytes = &document.bytes[start..start + length];
            start += length;
            if opts.skip_empty && bytes.is_empty() {
                continue;
            }
            kept += 1;
            builder.push_bytes(bytes, document.token_type)?;
            if let Some(modes) = &modes {
                builder.push_mode(modes[at])?;
            }
            if let Some(keys) = &mut keys {
                keys.write_all(&[key.as_bytes(), b"\n"].concat())?;
            }
        }
        if kept > 0 || !opts.skip_empty {
            builder.end_document()?;
        }
    }
    rows.finish()?;
    modes.map_or(Ok(()), Modes::finish)?;
    let (counts, token_type) = (builder.counts(), builder.token_type());
    if counts.documents == 0 && prefix.has_files() {
        warning!("there is no document to write; the dataset {prefix} stays as it was");
        return Ok(Tally::default());
    }
    builder.finish_with(|| keys.map_or(Ok(()), |keys| Ok::<_, anyhow::Error>(keys.finish()?)))?;
    log!(
        "Wrote {} documents of {} sequences and {} tokens of {token_type} to {prefix}",
        counts.documents,
        counts.sequences,
        counts.tokens
    );
    Ok(Tally::new(counts.documents, 0))
}

/// Returns an error if an input is also an output.
fn refuse_outputs(source: &BStr, prefix: &Prefix, keys: Option<&BStr>) -> Result<()> {
    let Some(Rspecifier { rxfilename: name, .. }) = Rspecifier::parse(source) else { return Ok(()) };
    let [idx, bin] = [prefix.idx(), prefix.bin()].map(|path| BString::from(path.to_string_lossy().into_owned()));
    let mut outputs = [idx.as_ref(), bin.as_ref()].into_iter().chain(keys);
    if let Some(output) = outputs.find(|output| is_same_file(name.as_ref(), output)) {
        bail!("{output} is to be read and written: write to another name");
    }
    Ok(())
}

/// A document to write.
struct Document {
    bytes: Vec<u8>,
    token_type: TokenType,
    /// Bytes of each sequence.
    lengths: Vec<usize>,
}

/// The encoding of tokens.
#[derive(Clone, Copy)]
struct Encoder {
    token_type: TokenType,
    may_widen: bool,
    vocab_size: Option<u64>,
    eod: Option<i32>,
}

impl Encoder {
    fn new(opts: &Options) -> Result<Self> {
        let (token_type, may_widen) = match (opts.dtype, opts.vocab_size) {
            (Choice::Type(token_type), _) => (token_type, false),
            (Choice::Auto, Some(size)) => (TokenType::for_vocabulary(size), false),
            (Choice::Auto, None) => (TokenType::U16, true),
        };
        let encoder = Self { token_type, may_widen, vocab_size: opts.vocab_size, eod: opts.append_eod };
        if let Some(eod) = opts.append_eod {
            encoder.encode(&[eod], &mut Vec::new()).map_err(|message| anyhow::anyhow!("--append-eod: {message}"))?;
        }
        Ok(encoder)
    }

    /// Appends the bytes of tokens; returns their type. An error has the position of the token.
    fn encode(&self, tokens: &[i32], bytes: &mut Vec<u8>) -> Result<TokenType, String> {
        if let Some(size) = self.vocab_size {
            let is_outside = |token: &i32| u64::try_from(*token).map_or(true, |token| token >= size);
            if let Some(at) = tokens.iter().position(is_outside) {
                return Err(format!(
                    "token {at}: expected a token from 0 to below --vocab-size={size}, found {}",
                    tokens[at]
                ));
            }
        }
        match encode_i32(tokens, self.token_type, bytes) {
            Ok(()) => Ok(self.token_type),
            Err(_) if self.may_widen => Ok(TokenType::I32),
            Err(Misfit { position, value, .. }) => {
                Err(format!("token {position}: expected a number that fits {}, found {value}", self.token_type))
            }
        }
    }

    fn document(&self, mut sequences: Vec<Vec<i32>>) -> Result<Document, String> {
        if let (Some(eod), Some(last)) = (self.eod, sequences.iter().rposition(|_| true))
            && sequences.iter().any(|sequence| !sequence.is_empty())
        {
            sequences[last].push(eod);
        }
        let mut document = Document { bytes: Vec::new(), token_type: self.token_type, lengths: Vec::new() };
        for (at, sequence) in sequences.iter().enumerate() {
            let start = document.bytes.len();
            let name = |message: String| match sequences.len() {
                1 => message,
                _ => format!("sequence {at}: {message}"),
            };
            if self.encode(sequence, &mut document.bytes).map_err(name)? != self.token_type {
                return Ok(wide(&sequences));
            }
            document.lengths.push(document.bytes.len() - start);
        }
        Ok(document)
    }
}

/// A document as int32, which every token fits.
fn wide(sequences: &[Vec<i32>]) -> Document {
    let bytes = sequences.iter().flatten().flat_map(|token| token.to_le_bytes()).collect();
    Document {
        bytes,
        token_type: TokenType::I32,
        lengths: sequences.iter().map(|sequence| 4 * sequence.len()).collect(),
    }
}

/// Reads a table, on several threads if that pays.
fn encode<T: Value>(
    source: &BStr,
    encoder: Encoder,
    sequences: impl Fn(T) -> Result<Vec<Vec<i32>>, CodesError> + Send + Sync + 'static,
) -> Result<Rows<Document>> {
    Ok(SequentialReader::<T>::open(source)?.par_map(move |entry| Ok(encoder.document(sequences(entry.read()?)?)?)))
}

/// The codes of a matrix as a sequence.
fn flatten(codes: IntMatrix, order: CodeOrder, offsets: Option<&CodebookOffsets>) -> Result<Vec<i32>, CodesError> {
    let codes = match offsets {
        Some(offsets) => offsets.add(codes)?,
        None => codes,
    };
    Ok(match order {
        CodeOrder::FrameMajor => codes.into_vec(),
        CodeOrder::CodebookMajor => to_codebook_major(&codes),
    })
}

/// Modes by key; those that come before they are needed are kept.
struct Modes {
    rows: Rows<Vec<i32>>,
    ahead: HashMap<BString, VecDeque<i32>>,
}

impl Modes {
    fn open(rspecifier: &BStr, nested: bool) -> Result<Self> {
        let rows = match nested {
            false => SequentialReader::<i32>::open(rspecifier)?.par_map(|entry| Ok(vec![entry.read()?])),
            true => SequentialReader::<Vec<i32>>::open(rspecifier)?.par_map(|entry| Ok(entry.read()?)),
        };
        Ok(Self { rows, ahead: HashMap::new() })
    }

    /// The modes of the next `count` sequences of a key.
    fn take(&mut self, key: &BStr, count: usize) -> Result<Vec<i8>> {
        let mut taken = Vec::with_capacity(count);
        let mut known = self.ahead.remove(key).unwrap_or_default();
        while taken.len() < count {
            if let Some(mode) = known.pop_front() {
                let message = || format!("{key}: expected a mode from -128 to 127, found {mode}");
                taken.push(i8::try_from(mode).map_err(|_| anyhow::anyhow!(message()))?);
                continue;
            }
            let Some((other, modes)) = self.rows.next()? else {
                bail!("{key}: expected modes of {count} sequences, found {}", taken.len());
            };
            match other == key {
                true => known.extend(modes),
                false => self.ahead.entry(other).or_default().extend(modes),
            }
        }
        if !known.is_empty() {
            self.ahead.insert(key.to_owned(), known);
        }
        Ok(taken)
    }

    /// Modes that are left belong to no sequence; a failed command is an error.
    fn finish(mut self) -> Result<()> {
        while let Some((key, modes)) = self.rows.next()? {
            self.ahead.entry(key).or_default().extend(modes);
        }
        if let Some((key, _)) = self.ahead.iter().find(|(_, modes)| !modes.is_empty()) {
            bail!("{key}: there are more modes than sequences");
        }
        Ok(self.rows.finish()?)
    }
}
