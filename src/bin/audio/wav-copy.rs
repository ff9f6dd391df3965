//! Copies waveforms.
//!
//! Matches Kaldi's `wav-copy`, except that it reads more than 16-bit PCM: samples of 8, 24 and 32 bits, floats, A-law,
//! mu-law, FLAC, MP3, Opus and so on are converted to 16 bits, and that a single file that is no waveform leaves no empty output.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{SequentialReader, TableWriter, are_tables, read_file, write_file};
use kaldi_value::Format;
#[cfg(feature = "codecs")]
use kaldi_value::Value;
use kaldi_wave::Wave;

const USAGE: &str = "\
Copies waveforms between files and archives. Every encoding that can be read becomes 16-bit PCM, or FLAC with --format=flac.

Usage: wav-copy [options] <wav-rspecifier> <wav-wspecifier>
  or:  wav-copy [options] <wav-rxfilename> <wav-wxfilename>
 e.g.: wav-copy scp:wav.scp ark:-
       wav-copy wav.ark:123456 -
       wav-copy --format=flac a.mp3 a.flac
See also: wav-to-duration, extract-segments
";

#[derive(clap::Args)]
struct Options {
    /// The kind of the files that are written: wav or flac, which has no end in an archive
    #[arg(long, default_value = "wav", value_parser = kaldi_cli::one_of(&WaveFormat::NAMES))]
    format: WaveFormat,
    source: InputName,
    target: OutputName,
}

/// The kind of the files that are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaveFormat {
    Wav,
    Flac,
}

impl WaveFormat {
    const NAMES: [(&str, Self); 2] = [("wav", Self::Wav), ("flac", Self::Flac)];
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(wav_copy)).by_entry(0);

fn wav_copy(opts: Options) -> anyhow::Result<Tally> {
    if opts.format == WaveFormat::Flac {
        return write_flac(&opts);
    }
    if !are_tables(&opts.source, &opts.target)? {
        write_file(&opts.target, &read_file::<Wave>(&opts.source)?, Format::Binary)?;
        return Ok(Tally::new(1, 0));
    }
    let source = SequentialReader::<Wave>::open(&opts.source)?.leave_in_files();
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, |entry| Ok(entry.copy(Format::Binary)?))?;
    let done = written.done();
    log!("Copied {done} wave files");
    written.finish()?;
    Ok(Tally::new(done, 0))
}

#[cfg(not(feature = "codecs"))]
fn write_flac(_: &Options) -> anyhow::Result<Tally> {
    anyhow::bail!(kaldi_cli::MissingFeature("codecs").message("what writes FLAC"))
}

/// Copies to FLAC files: one, or those that a script file names.
#[cfg(feature = "codecs")]
fn write_flac(opts: &Options) -> anyhow::Result<Tally> {
    use kaldi_io::{Wspecifier, WspecifierKind};
    use kaldi_table::Record;
    use kaldi_wave::WaveFile;

    if !are_tables(&opts.source, &opts.target)? {
        let wave = read_file::<Wave>(&opts.source)?;
        let file = wave.to_flac().map_err(anyhow::Error::msg)?;
        wave.loss().into_iter().for_each(|loss| kaldi_io::log::warning!("{loss}"));
        write_file(&opts.target, &WaveFile::new(file), Format::Binary)?;
        return Ok(Tally::new(1, 0));
    }
    let kind = Wspecifier::parse(opts.target.as_ref()).map(|target| target.kind);
    anyhow::ensure!(
        matches!(kind, Some(WspecifierKind::Script(_))),
        "expected a file or scp: with --format=flac, got an archive, in which a FLAC file has no end"
    );
    let source = SequentialReader::<Wave>::open(&opts.source)?;
    let target = TableWriter::<WaveFile>::create(&opts.target)?;
    let written = source.par_map_into(target, |entry| {
        let wave = entry.read()?;
        wave.loss().into_iter().for_each(|loss| kaldi_io::log::warning!("{}: {loss}", entry.key()));
        Ok(Record::from_value(entry.key(), WaveFile::new(wave.to_flac()?), Format::Binary))
    })?;
    let done = written.done();
    log!("Copied {done} wave files");
    written.finish()?;
    Ok(Tally::new(done, 0))
}
