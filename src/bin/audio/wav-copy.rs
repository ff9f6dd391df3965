//! Copies waveforms.
//!
//! Matches Kaldi's `wav-copy`, except that it reads more than 16-bit PCM: samples of 8, 24 and 32 bits, floats, A-law,
//! mu-law and FLAC are converted to 16 bits, and that a single file that is no waveform leaves no empty output.

use std::process::ExitCode;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_log::log;
use kaldi_table::{SequentialReader, TableWriter, are_tables, read_file, write_file};
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

pub(crate) const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(wav_copy)).by_entry(0);

pub(crate) fn main() -> ExitCode {
    TOOL.run()
}

fn wav_copy(opts: Options) -> anyhow::Result<Tally> {
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
