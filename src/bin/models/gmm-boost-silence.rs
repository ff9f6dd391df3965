//! Makes silence more probable.
//!
//! Matches Kaldi's `gmm-boost-silence`, except that phones which are no numbers are a warning; in Kaldi they are not
//! mentioned.

use anyhow::bail;
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_hmm::parse_phones;
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Multiplies the weights of the Gaussians of some phones, most often of silence, so that they become more probable.

Usage: gmm-boost-silence [options] <silence-phones> <model-rxfilename> <model-wxfilename>
 e.g.: gmm-boost-silence --boost=1.25 1:2:3 final.mdl boosted.mdl
See also: weight-silence-post, gmm-copy
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The factor by which silence becomes more probable
    #[arg(long, default_value_t = 1.5)]
    boost: f32,
    silence_phones: Arg,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_boost_silence));

fn gmm_boost_silence(opts: Options) -> anyhow::Result<Tally> {
    let mut phones = parse_phones(&opts.silence_phones).unwrap_or_else(|error| {
        warning!("invalid list of silence phones: {error}");
        Vec::new()
    });
    phones.sort_unstable();
    if let Some(pair) = phones.windows(2).find(|pair| pair[0] == pair[1]) {
        bail!("expected each silence phone once, got {} twice", pair[0]);
    }
    if phones.is_empty() {
        warning!("gmm-boost-silence: no silence phones specified, doing nothing.");
    }
    let mut model: AcousticModel = read_file(&opts.source)?;
    let (pdfs, are_shared) = model.transitions.pdfs_of_phones(&phones);
    if are_shared {
        warning!(
            "The pdfs for the silence phones may be shared by other phones (note: this probably does not matter.)"
        );
    }
    model.pdfs = model.pdfs.boosted(&pdfs, opts.boost)?;
    log!("Boosted weights for {} pdfs, by factor of {}", pdfs.len(), general(f64::from(opts.boost)));
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Wrote model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
