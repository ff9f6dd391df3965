//! Adds a room and noises to a waveform.
//!
//! Matches Kaldi's `wav-reverberate`, except that an impulse response at another rate is an error (Kaldi treats its
//! samples as if they had the rate of the input), that a silent input stays silent (Kaldi makes it as loud as
//! possible), and that errors have a message where Kaldi aborts.

use anyhow::{Context, ensure};
use bstr::{BStr, ByteSlice};
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_io::log::{vlog, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_wave::{AddedNoise, Channels, Distortion, Loudness, Wave};

const USAGE: &str = "\
Adds a room to a waveform, by its impulse response, and noises.

Usage: wav-reverberate [options] <wav-in-rxfilename> <wav-out-wxfilename>
 e.g.: wav-reverberate --duration=20.25 --impulse-response=rir.wav --additive-signals=noise1.wav,noise2.wav \\
         --snrs=20.0,15.0 --start-times=0,17.8 input.wav output.wav
See also: wav-copy
";

#[derive(clap::Args)]
struct Options {
    /// One channel for every channel of the impulse response; otherwise there is one
    #[arg(long)]
    multi_channel_output: bool,
    /// Start at the peak of the impulse response and end as the input does; otherwise the length is that of the input
    /// plus that of the impulse response minus one sample
    #[arg(long, default_value_t = true)]
    shift_output: bool,
    /// The channel of the input that is used
    #[arg(long, default_value_t = 0)]
    input_wave_channel: usize,
    /// The channel of the impulse response that is used, unless the output has several
    #[arg(long, default_value_t = 0)]
    rir_channel: usize,
    /// The channel of the noises that is used, unless the output has several
    #[arg(long, default_value_t = 0)]
    noise_channel: usize,
    /// The impulse response of a room: a file or a pipe
    #[arg(long)]
    impulse_response: Option<InputName>,
    /// Noises to add: files or pipes, separated by commas; see --snrs and --start-times
    #[arg(long)]
    additive_signals: Option<Arg>,
    /// The ratio of the input's power to that of each noise, in dB
    #[arg(long)]
    snrs: Option<Arg>,
    /// The time in the input at which each noise starts, in seconds
    #[arg(long)]
    start_times: Option<Arg>,
    /// Scale the output to the power of the input
    #[arg(long, default_value_t = true)]
    normalize_output: bool,
    /// Multiply the output by this if it is positive, instead of --normalize-output
    #[arg(long, default_value_t = 0.0)]
    volume: f32,
    /// The duration of the output in seconds if it is positive: the output is cut or repeated
    #[arg(long, default_value_t = 0.0)]
    duration: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(wav_reverberate));

fn wav_reverberate(opts: Options) -> anyhow::Result<Tally> {
    if opts.multi_channel_output && (opts.rir_channel != 0 || opts.noise_channel != 0) {
        warning!("options for --rir-channel and --noise-channel are ignored as --multi-channel-output is true.");
    }
    let input = read("input", &opts.source)?;
    let response = opts.impulse_response.as_deref().filter(|name| !name.is_empty());
    let distortion = Distortion {
        response: response.map(|name| read("rir", name)).transpose()?,
        noises: opts.noises()?,
        channels: match opts.multi_channel_output {
            true => Channels::All,
            false => Channels::One { response: opts.rir_channel, noise: opts.noise_channel },
        },
        shifts: opts.shift_output,
        loudness: match (opts.volume > 0.0, opts.normalize_output) {
            (true, _) => Loudness::Scaled(opts.volume),
            (false, true) => Loudness::AsBefore,
            (false, false) => Loudness::Unchanged,
        },
        duration: Some(opts.duration).filter(|&duration| duration > 0.0),
    };
    let output = distortion.apply(&input, opts.input_wave_channel)?;
    write_file(&opts.target, &output, Format::Binary)?;
    Ok(Tally::new(1, 0))
}

fn read(what: &str, name: &BStr) -> anyhow::Result<Wave> {
    let wave: Wave = read_file(name)?;
    let (rate, num_samples, num_channels) = (wave.sample_rate(), wave.num_samples(), wave.num_channels());
    vlog!(1, "sampling frequency of {what}: {rate} #samples: {num_samples} #channel: {num_channels}");
    Ok(wave)
}

/// The parts between commas, without empty ones.
fn parts(list: &Option<Arg>) -> impl Iterator<Item = &BStr> {
    let parts = list.iter().flat_map(|list| list.split(|&byte| byte == b','));
    parts.filter(|part| !part.is_empty()).map(BStr::new)
}

/// The numbers between commas.
fn numbers(list: &Option<Arg>, option: &str) -> anyhow::Result<Vec<f32>> {
    let number = |part: &BStr| part.to_str().ok()?.trim().parse().ok().filter(|number: &f32| number.is_finite());
    parts(list)
        .map(|part| number(part).with_context(|| format!("--{option}: expected a number, got {part:?}")))
        .collect()
}

impl Options {
    fn noises(&self) -> anyhow::Result<Vec<AddedNoise>> {
        let names: Vec<_> = parts(&self.additive_signals).collect();
        let (snrs, starts) = (numbers(&self.snrs, "snrs")?, numbers(&self.start_times, "start-times")?);
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let (expected, num_snrs, num_starts) = (names.len(), snrs.len(), starts.len());
        ensure!(
            num_snrs > 0 && num_starts > 0,
            "--additive-signals option requires --snrs and --start-times to be set."
        );
        ensure!(
            [num_snrs, num_starts] == [expected; 2],
            "expected {expected} --snrs and --start-times, one for each of --additive-signals, got {num_snrs} and {num_starts}"
        );
        let parts = names.into_iter().zip(snrs).zip(starts);
        parts.map(|((name, snr), start)| Ok(AddedNoise { wave: read("additive signal", name)?, snr, start })).collect()
    }
}
