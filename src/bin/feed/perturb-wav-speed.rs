//! Plays waveforms faster or slower.
//!
//! Kaldi's recipes run sox for this; it does the same as sox's `speed`, with another filter.

use anyhow::{Context, ensure};
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::change_speed;
use kaldi_io::log::log;
use kaldi_reader::Draws;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::Format;
use kaldi_wave::Wave;

const USAGE: &str = "\
Plays waveforms faster or slower, which changes tempo and pitch. Each gets one of --speeds, which depends on --seed,
--epoch and its key. Samples are rounded to 16 bits.

Usage: perturb-wav-speed [options] <wav-rspecifier> <wav-wspecifier>
  or:  perturb-wav-speed [options] <wav-rxfilename> <wav-wxfilename>
 e.g.: perturb-wav-speed --epoch=3 scp:wav.scp ark:-
       perturb-wav-speed --speeds=0.9 --prefix=sp0.9- scp:wav.scp ark,scp:slow.ark,slow.scp
See also: resample-wav, wav-reverberate
";

#[derive(clap::Args)]
struct Options {
    /// Speeds to choose from, separated by commas; 0.9 is slower and longer
    #[arg(long, default_value = "0.9,1.0,1.1")]
    speeds: String,
    /// Seed of the random choices
    #[arg(long, default_value_t = 0)]
    seed: u32,
    /// Pass over the data: each pass has other choices
    #[arg(long, default_value_t = 0)]
    epoch: u32,
    /// Text before every key
    #[arg(long, default_value = "")]
    prefix: String,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(perturb_wav_speed)).by_entry(0);

fn perturb_wav_speed(opts: Options) -> anyhow::Result<Tally> {
    let speeds = opts.speeds()?;
    let seeds = [u64::from(opts.seed), u64::from(opts.epoch)];
    let source = SequentialReader::<Wave>::open_table_or_file(&opts.source)?;
    let mut target = TableWriter::create_table_or_file(&opts.target, Format::Binary)?;
    let format = target.format();

    let prefix = opts.prefix.clone();
    let choices = speeds.clone();
    let rows = source.par_map(move |entry| {
        let wave = entry.read()?;
        let choice = Draws::named(&seeds, entry.key()).index(choices.len());
        let key: BString = [prefix.as_bytes(), entry.key()].concat().into();
        let (rate, speed) = (wave.sample_rate(), choices[choice]);
        if rate.fract() != 0.0 {
            return Err(format!("expected a sample rate of whole Hz, got {rate}").into());
        }
        let change = |samples: Vec<f32>| change_speed(&samples, rate as u32, speed);
        let channels: Result<Vec<_>, _> = wave.into_channels().into_iter().map(change).collect();
        let mut wave = Wave::new(rate, channels?);
        wave.round();
        Ok((Record::from_value(key.as_bstr(), wave, format), choice))
    });
    let mut counts = vec![0_u64; speeds.len()];
    let ended = rows.drain(|_, (record, choice)| {
        target.put(record)?;
        counts[choice] += 1;
        anyhow::Ok(())
    })?;
    let each: Vec<String> = speeds.iter().zip(&counts).map(|(speed, count)| format!("{count} at {speed}")).collect();
    let done = counts.iter().sum();
    log!("Wrote {done} waveforms: {}", each.join(", "));
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}

impl Options {
    fn speeds(&self) -> anyhow::Result<Vec<f64>> {
        let speeds: Option<Vec<f64>> = self.speeds.split(',').map(|part| part.trim().parse().ok()).collect();
        let wrong = || format!("expected --speeds to be numbers separated by commas, got {:?}", self.speeds);
        let speeds = speeds.with_context(wrong)?;
        for &speed in &speeds {
            ensure!((0.1..=10.0).contains(&speed), "expected --speeds from 0.1 to 10, got {speed}");
        }
        Ok(speeds)
    }
}
