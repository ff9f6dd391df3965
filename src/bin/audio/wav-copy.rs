//! Copies waveforms.
//!
//! Matches Kaldi's `wav-copy`, except that it reads more than 16-bit PCM: samples of 8, 24 and 32 bits, floats, A-law,
//! mu-law and FLAC are converted to 16 bits. As there, a single file that turns out to be no waveform leaves an empty file
//! behind, though never in the place of another.

use std::process::ExitCode;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::{Error as IoError, Output, Wxfilename};
use kaldi_log::log;
use kaldi_table::{Error, SequentialReader, TableWriter, are_tables, read_file, write_file};
use kaldi_values::Format;
use kaldi_wave::Wave;

const USAGE: &str = "\
Copies waveforms between files and archives. Every encoding that can be read becomes 16-bit PCM.

Usage: wav-copy [options] <wav-rspecifier> <wav-wspecifier>
  or:  wav-copy [options] <wav-rxfilename> <wav-wxfilename>
 e.g.: wav-copy scp:wav.scp ark:-
       wav-copy wav.ark:123456 -
See also: wav-to-duration, extract-segments
";

#[derive(clap::Parser)]
struct Options {
    source: InputName,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, wav_copy)
}

fn wav_copy(opts: Options) -> anyhow::Result<Tally> {
    if !are_tables(&opts.source, &opts.target)? {
        return copy_file(&opts);
    }
    let source = SequentialReader::<Wave>::open(&opts.source)?.skim();
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, |entry| Ok(entry.copy(Format::Binary)?))?;
    let done = written.done();
    log!("Copied {done} wave files");
    written.finish()?;
    Ok(Tally::new(done, 0))
}

fn copy_file(opts: &Options) -> anyhow::Result<Tally> {
    match read_file::<Wave>(&opts.source) {
        Ok(wave) => write_file(&opts.target, &wave, Format::Binary)?,
        Err(error) => {
            if is_content(&error) {
                leave_empty(opts)?;
            }
            return Err(error.into());
        }
    }
    Ok(Tally::new(1, 0))
}

/// Whether the bytes are at fault, not the stream that they come from.
fn is_content(error: &Error) -> bool {
    match error {
        Error::Io(error) => matches!(error, IoError::Content { .. }),
        Error::Entry { source, .. } => matches!(**source, IoError::Content { .. }),
        _ => false,
    }
}

/// Creates the output where there is no file yet: Kaldi opens it before it looks at the input, and recipes may see it.
fn leave_empty(opts: &Options) -> anyhow::Result<()> {
    if let Ok(Wxfilename::File(path)) = Wxfilename::parse(&opts.target)
        && !path.exists()
    {
        Output::create(&opts.target, false)?.finish()?;
    }
    Ok(())
}
