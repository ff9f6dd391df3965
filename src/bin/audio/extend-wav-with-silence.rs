//! Appends silence to waveforms.
//!
//! Matches Kaldi's `extend-wav-with-silence`, except that senseless options and recordings are errors with a message
//! (Kaldi aborts or does not end).

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, warning};
use kaldi_table::{Entry, Record, SequentialReader, TableWriter, WorkError, are_tables};
use kaldi_value::Format;
use kaldi_wave::{Silence, SilenceOptions, Wave};

const USAGE: &str = "\
Appends silence to waveforms, for tests of endpoint detection: the quietest piece near their ends, repeated.

Usage: extend-wav-with-silence [options] <wav-rspecifier> <wav-wspecifier>
  or:  extend-wav-with-silence [options] <wav-rxfilename> <wav-wxfilename>
 e.g.: extend-wav-with-silence --extra-silence-length=2 scp:wav.scp ark:-
See also: wav-copy, extract-segments
";

#[derive(clap::Args)]
struct Options {
    /// How much silence is appended, in seconds
    #[arg(long, default_value_t = 5.0)]
    extra_silence_length: f32,
    /// How much of the start and of the end is searched for the quietest piece, in seconds
    #[arg(long, default_value_t = 0.5)]
    silence_search_length: f32,
    /// The length of that piece in seconds, less than --silence-search-length
    #[arg(long, default_value_t = 0.05)]
    silence_extract_length: f32,
    /// The distance from one piece that is measured to the next, in seconds
    #[arg(long, default_value_t = 0.025)]
    silence_extract_shift: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(extend_wav_with_silence)).by_entry(0);

fn extend_wav_with_silence(opts: Options) -> anyhow::Result<Tally> {
    are_tables(&opts.source, &opts.target)?;
    let source = SequentialReader::<Wave>::open_table_or_file(&opts.source)?;
    let target = TableWriter::create_table_or_file(&opts.target, Format::Binary)?;
    let silence = SilenceOptions {
        extra: opts.extra_silence_length,
        search: opts.silence_search_length,
        extract: opts.silence_extract_length,
        shift: opts.silence_extract_shift,
    };

    let written = source.par_map_into(target, move |entry| extend(entry, &silence))?;
    let done = written.done();
    if is_specifier(&opts.source) {
        log!("Successfully extended {done} files.");
    }
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}

fn extend(entry: &Entry<'_, Wave>, options: &SilenceOptions) -> Result<Record<Wave>, WorkError> {
    let wave = entry.read()?;
    let sample_rate = wave.sample_rate();
    let silence = Silence::new(options, sample_rate)?;
    let mut channels = Vec::new();
    for channel in wave.into_channels() {
        let extended = silence.extend(&channel)?;
        if extended.is_zero {
            let place = if entry.key().is_empty() { String::new() } else { format!("{}: ", entry.key()) };
            warning!("{place}Zero energy silence being used.");
        }
        channels.push(extended.samples);
    }
    Ok(Record::from_value(entry.key(), Wave::new(sample_rate, channels), Format::Binary))
}
