//! Converts waveforms to another sample rate.
//!
//! Kaldi converts only within its feature programs, with another filter; this one is that of torchaudio's `Resample`.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Format;
use kaldi_wave::{RateConverter, Wave};

const USAGE: &str = "\
Converts waveforms to another sample rate, with a filter that cuts off at 0.99 of half the lower rate. Samples are
rounded to 16 bits. Waveforms that already have the rate are not changed.

Usage: resample-wav [options] <wav-rspecifier> <wav-wspecifier>
  or:  resample-wav [options] <wav-rxfilename> <wav-wxfilename>
 e.g.: resample-wav --resample-rate=8000 scp:wav.scp ark,scp:wav8k.ark,wav8k.scp
       resample-wav a.flac a.wav
See also: perturb-wav-speed, wav-copy
";

#[derive(clap::Args)]
struct Options {
    /// The rate in Hz
    #[arg(long, default_value_t = 16000)]
    resample_rate: u32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(resample_wav)).by_entry(0);

fn resample_wav(opts: Options) -> anyhow::Result<Tally> {
    let rate = opts.resample_rate;
    ensure!(rate > 0, "expected --resample-rate to be 1 or more, got 0");
    let source = SequentialReader::<Wave>::open_table_or_file(&opts.source)?;
    let target = TableWriter::create_table_or_file(&opts.target, Format::Binary)?;

    let written = source.par_map_into(target, move |entry| {
        let wave = entry.read()?;
        let given = wave.sample_rate();
        if given == rate as f32 {
            return Ok(entry.into_record(wave));
        }
        if given.fract() != 0.0 {
            return Err(format!("expected a sample rate of whole Hz, got {given}").into());
        }
        let converter = RateConverter::usual(given as u32, rate)?;
        let channels = wave.into_channels().iter().map(|samples| converter.convert(samples)).collect();
        let mut wave = Wave::new(rate as f32, channels);
        wave.round();
        Ok(entry.into_record(wave))
    })?;
    log!("Wrote {} waveforms at {rate} Hz", written.done());
    Ok(Tally::new(written.finish()?.done, 0))
}
