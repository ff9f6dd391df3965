//! Prints single sequences of a token dataset.
//!
//! Kaldi has no such program.

use anyhow::{Result, bail};
use bstr::{BStr, ByteSlice};
use indexed_dataset::{Dialect, IndexedDataset, Prefix, write_text};
use kaldi_cli::{Arg, Tally};
use kaldi_io::Output;

const USAGE: &str = "\
Prints sequences of a token dataset, or parts of them, one line for each request. Only the requested parts are read, not
the whole index. Sequences and tokens are counted from 0; a part that goes beyond its sequence is an error.

Usage: indexed-get [options] <prefix> <sequence>[:<offset>[:<length>]] ...
 e.g.: indexed-get train 0 17:100 17:100:20
       indexed-get --raw train 17 | od -t u2
See also: indexed-to-int-vector, indexed-info
";

#[derive(clap::Args)]
struct Options {
    /// Count documents instead of sequences
    #[arg(long)]
    document: bool,
    /// Write the bytes of the tokens unchanged
    #[arg(long)]
    raw: bool,
    /// Dialect of the dataset: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    prefix: Arg,
    #[arg(required = true)]
    requests: Vec<Arg>,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(indexed_get)).whole("a token dataset is no table, and cannot be cut");

fn indexed_get(opts: Options) -> Result<Tally> {
    let requests = opts.requests.iter().map(|request| Request::parse(request)).collect::<Result<Vec<_>>>()?;
    let dataset = IndexedDataset::open_as(&Prefix::new(opts.prefix.as_path()), opts.dialect)?;
    let mut output = Output::create(b"-".as_bstr(), false)?;
    let mut line = Vec::new();
    for Request { number, offset, length } in &requests {
        let tokens = match opts.document {
            false => dataset.slice(*number, *offset, *length)?,
            true => dataset.document_slice(*number, *offset, *length)?,
        };
        if opts.raw {
            output.write_all(tokens.as_bytes())?;
            continue;
        }
        line.clear();
        write_text(tokens.as_bytes(), tokens.token_type(), &mut line);
        line.push(b'\n');
        output.write_all(&line)?;
    }
    output.finish()?;
    Ok(Tally::new(requests.len() as u64, 0))
}

/// A sequence or document, from a token on: a number of tokens, or all that follow.
struct Request {
    number: u64,
    offset: u64,
    length: Option<u64>,
}

impl Request {
    fn parse(text: &BStr) -> Result<Self> {
        let numbers: Option<Vec<u64>> =
            text.split_str(":").map(|number| number.to_str().ok().and_then(|number| number.parse().ok())).collect();
        match numbers.as_deref() {
            Some(&[number]) => Ok(Self { number, offset: 0, length: None }),
            Some(&[number, offset]) => Ok(Self { number, offset, length: None }),
            Some(&[number, offset, length]) => Ok(Self { number, offset, length: Some(length) }),
            _ => bail!("expected a number such as 17, 17:100 or 17:100:20, got {text:?}"),
        }
    }
}
