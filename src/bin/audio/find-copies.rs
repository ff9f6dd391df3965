//! Finds waveforms that are copies of each other.
//!
//! Kaldi has no such program.

use anyhow::{Context, Result};
use bstr::BString;
use corpus_quality::{SoundIndex, SoundPrint};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_io::{Session, WorkStage, quote_name};
use kaldi_table::{Entry, SequentialReader, WorkError, create_output};
use kaldi_wave::Wave;

const USAGE: &str = "\
Finds waveforms that are in a table twice, or in another table, too: with the same samples, or made louder or quieter, coded as MP3
and the like, resampled, cut at the ends, or with noise. It writes a line for each two:
  <key> <other key> <share of equal bits of their codes> <seconds by which the first one starts later in the second one>
The share is 1 if the samples are the same. Waveforms of less than 1.2 seconds, or of which less than 80 % of the shorter one is in
both, are only found if all samples are the same. Other speed or pitch, and a text that was read twice, are not found.

Usage: find-copies [options] <wav-rspecifier> <pairs-wxfilename>
 e.g.: find-copies scp:data/train/wav.scp -
       find-copies --against=scp:data/test/wav.scp scp:data/train/wav.scp leaks
       extract-segments scp:wav.scp segments ark:- | find-copies ark:- - | awk '{print $2}' > superfluous
See also: table-report, extract-segments, subset-feats
";

#[derive(clap::Args)]
struct Options {
    /// Another table: find copies in it of the waveforms of the first one, and no others
    #[arg(long)]
    against: Option<InputName>,
    source: InputName,
    pairs: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(find_copies)).whole("it compares all waveforms with each other");

fn find_copies(opts: Options) -> Result<Tally> {
    let mut output = create_output(&opts.pairs, false)?;
    let (keys, prints) = read_prints(&opts.source)?;
    let against = opts.against.as_ref().map(read_prints).transpose()?;
    let threads = Session::current().num_threads();
    let too_much = format!("expected at most {} hours of sound, got more", SoundIndex::MOST_HOURS);
    let stage = WorkStage::begin("comparing", "sounds", Some(prints.len() as u64));
    let done = |count| stage.steps(count);
    let (pairs, others) = match against {
        Some((others, there)) => {
            (SoundIndex::of(there).context(too_much)?.pairs_with(&prints, threads, done), Some(others))
        }
        None => (SoundIndex::of(prints).context(too_much)?.pairs(threads, done), None),
    };
    let others = others.as_ref().unwrap_or(&keys);
    for pair in &pairs {
        let [first, second] = [&keys[pair.first], &others[pair.second]].map(|key| quote_name(key.as_ref()));
        let share = if pair.is_exact { "1".to_owned() } else { format!("{:.4}", pair.share) };
        output.write_all(format!("{first} {second} {share} {}\n", pair.shift).as_bytes())?;
    }
    output.finish()?;
    log!("Found {} pairs of copies in {} waveforms.", pairs.len(), keys.len());
    Ok(Tally::new(keys.len() as u64, 0))
}

/// The keys of waveforms, and what copies of them are found by.
fn read_prints(source: &InputName) -> Result<(Vec<BString>, Vec<SoundPrint>)> {
    let (mut keys, mut prints) = (Vec::new(), Vec::new());
    let rows = SequentialReader::<Wave>::open(source)?.par_map(print_of);
    let ended = rows.drain(|key, print| {
        keys.push(key);
        prints.push(print);
        anyhow::Ok(())
    })?;
    ended.finish()?;
    Ok((keys, prints))
}

fn print_of(entry: &Entry<'_, Wave>) -> Result<SoundPrint, WorkError> {
    let wave = entry.read()?;
    let channels: Vec<&[f32]> = (0..wave.num_channels()).map(|channel| wave.channel(channel)).collect();
    Ok(SoundPrint::of(wave.sample_rate().into(), &channels))
}
