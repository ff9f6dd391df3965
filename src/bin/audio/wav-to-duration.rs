//! Writes the durations of waveforms.
//!
//! Matches Kaldi's `wav-to-duration`, except that archives can be read without `--read-entire-file`, and that there is
//! a warning for a duration from a header that claims more samples than there are. Files of other kinds than WAV, which Kaldi does
//! not read, then have the duration of what is there.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{Entry, SequentialReader, TableWriter, WorkError};
use kaldi_value::number::Digits;
use kaldi_wave::{Wave, WaveInfo};

const USAGE: &str = "\
Writes the duration of each waveform in seconds, according to its header: samples are not read. A header that does not fit the
size of the file is a warning.

Usage: wav-to-duration [options] <wav-rspecifier> <duration-wspecifier>
 e.g.: wav-to-duration scp:wav.scp ark,t:-
See also: wav-copy, extract-segments, feat-to-len
";

/// Bytes at the end of a file that have the last frame of FLAC.
const LAST_FRAME: usize = 1 << 16;

#[derive(clap::Args)]
struct Options {
    /// Read the samples and count them: slower, but right even if the header is wrong or was written before the length
    /// was known
    #[arg(long)]
    read_entire_file: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(wav_to_duration)).by_entry(0);

fn wav_to_duration(opts: Options) -> anyhow::Result<Tally> {
    let mut target = TableWriter::<f32>::create(&opts.target)?;
    let source = SequentialReader::<Wave>::open(&opts.source)?;
    let durations = match opts.read_entire_file {
        true => source.par_map(counted_duration),
        false => source.skim().par_map(duration_in_header),
    };

    let (mut done, mut sum, mut shortest, mut longest) = (0, 0.0, f64::INFINITY, 0.0_f64);
    let ended = durations.drain(|key, duration| {
        target.write(&key, &duration)?;
        let duration = f64::from(duration);
        sum += duration;
        shortest = shortest.min(duration);
        longest = longest.max(duration);
        done += 1;
        anyhow::Ok(())
    })?;
    log!("Printed duration for {done} audio files.");
    if done > 0 {
        let [mean, shortest, longest] = [sum / done as f64, shortest, longest].map(|seconds| Digits(seconds, 6));
        log!("Mean duration was {mean}, min and max durations were {shortest}, {longest}");
    }
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}

fn counted_duration(entry: &Entry<'_, Wave>) -> Result<f32, WorkError> {
    let wave = entry.read()?;
    Ok(wave.num_samples() as f32 / wave.sample_rate())
}

fn duration_in_header(entry: &Entry<'_, Wave>) -> Result<f32, WorkError> {
    let info = entry.read_with(WaveInfo::read)?;
    if info.num_samples().is_some() && !WaveInfo::ends_well(entry.head(), || entry.tail(LAST_FRAME), entry.length())? {
        // The samples show what is missing.
        return counted_duration(entry);
    }
    match info.num_samples() {
        Some(num_samples) => Ok(num_samples as f32 / info.sample_rate()),
        None => Err("has no duration in header. Check the source, and/or try --read-entire-file".into()),
    }
}
