//! Draws features as pictures: heat maps, under their waveforms where these are given.
//!
//! Kaldi has no such program.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::{FileNames, Output, Wxfilename};
use kaldi_log::{log, warning};
use kaldi_matrix::{Matrix, MatrixOrVector};
use kaldi_plot::{Canvas, Features, Figure, PlotOptions, Sheet, Style, Timing, Waveform, encode_png};
use kaldi_table::{RandomAccessReader, Reader, SequentialReader, create_output};
use kaldi_wave::Wave;

const USAGE: &str = "\
Draws every feature matrix as a heat map, with frames or seconds from left to right, dimensions upwards and a bar that tells
what the colours mean; vectors and features of one dimension as a curve; with --wav, the waveform above it. The pictures go
into a folder, one for each key, named <key>.png (what cannot stand in a name is written as % and its code), or all on one
sheet, where a file *.png, standard output (-) or a command is named.

Usage: feats-to-png [options] <feature-rspecifier> (<folder>|<png-wxfilename>)
 e.g.: feats-to-png --frame-shift=0.01 scp:feats.scp pictures
       feats-to-png --wav=scp:wav.scp --max-utts=4 scp:feats.scp sheet.png
See also: copy-feats, feat-to-len, subset-feats, select-feats
";

#[derive(clap::Parser)]
struct Options {
    /// Rspecifier of waveforms, to be drawn above the features of their keys
    #[arg(long)]
    wav: Option<InputName>,
    /// The channel of waveforms to draw, counted from 0
    #[arg(long, default_value_t = 0)]
    channel: u32,
    #[command(flatten)]
    plot: PlotOptions,
    /// Draw so many utterances only, unless it is 0
    #[arg(long, default_value_t = 0)]
    max_utts: u64,
    source: InputName,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, feats_to_png)
}

fn feats_to_png(opts: Options) -> anyhow::Result<Tally> {
    let (style, timing) = (opts.plot.style(opts.wav.is_some())?, opts.plot.timing(opts.wav.is_some())?);
    let channel = opts.channel as usize;
    let source = SequentialReader::<MatrixOrVector>::open(&opts.source)?;
    let waves = opts.wav.as_deref().map(RandomAccessReader::<Wave>::open).transpose()?;
    let mut target = Target::create(&opts.target)?;

    // Workers make files. A picture on a sheet takes more memory than what it is of, so these are drawn one by one.
    let file_style = matches!(target, Target::Folder { .. }).then(|| style.clone());
    let mut rows = source.par_map_with(waves, move |entry, wave| {
        let key = entry.key();
        let feats = match entry.read()? {
            MatrixOrVector::Matrix(feats) => feats,
            MatrixOrVector::Vector(vector) => Matrix::from_vec(vector.dim(), 1, vector.into_vec()),
        };
        if feats.is_empty() {
            warning!("Empty features of {key}, for which there is no picture");
            return Ok(None);
        }
        if let Some(None) = wave {
            warning!("No waveform for {key}, whose features are drawn alone");
        }
        let title = key.to_str_lossy().into_owned();
        let utterance = Utterance { title, feats, timing, wave: wave.flatten(), channel };
        utterance.check(key).map_err(|error| entry.error(error))?;
        let file = file_style.as_ref().map(|style| utterance.png(style));
        Ok(Some((file.transpose().map_err(|error| entry.error(error))?, utterance)))
    });
    let mut tally = Tally::default();
    while opts.max_utts == 0 || tally.done < opts.max_utts {
        let Some((key, drawn)) = rows.next()? else { break };
        let Some((file, utterance)) = drawn else {
            tally.failed += 1;
            continue;
        };
        match &mut target {
            Target::Folder { folder, names } => {
                let name = folder.join(names.next(&key, "png"));
                let mut output = Output::create_file(&name, name.display().to_string(), false)?;
                output.write_all(&file.unwrap_or_default())?;
                output.finish()?;
            }
            Target::Sheet { sheet, .. } if sheet.is_full(&style) => {
                warning!("The sheet is full: it has the first {} utterances, and no others", tally.done);
                break;
            }
            Target::Sheet { sheet, .. } => sheet.push(utterance.draw(&style)?),
        }
        tally.done += 1;
    }
    log!("Drew {} utterances, {} were empty.", tally.done, tally.failed);
    rows.finish()?;
    if let Target::Sheet { sheet, mut output } = target
        && tally.done > 0
    {
        output.write_all(&sheet.encode_png()?)?;
        output.finish()?;
    }
    Ok(tally)
}

/// Where pictures go.
enum Target {
    Folder { folder: PathBuf, names: FileNames },
    Sheet { sheet: Sheet, output: Output },
}

impl Target {
    /// A name tells what it is; a folder is made if need be, but not the one that it is in.
    fn create(name: &OutputName) -> anyhow::Result<Self> {
        let path = name.as_path();
        let is_png = || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
        if !path.is_dir() && (!matches!(Wxfilename::parse(name)?, Wxfilename::File(_)) || is_png()) {
            return Ok(Self::Sheet { sheet: Sheet::default(), output: create_output(name, false)? });
        }
        if !path.is_dir() {
            std::fs::create_dir(path).with_context(|| format!("cannot make the folder {name}"))?;
        }
        Ok(Self::Folder { folder: path.to_owned(), names: FileNames::default() })
    }
}

/// What is drawn.
struct Utterance {
    title: String,
    feats: Matrix<f32>,
    timing: Option<Timing>,
    wave: Option<Arc<Wave>>,
    channel: usize,
}

impl Utterance {
    /// Refuses a waveform without the channel, and warns of one that the features do not seem to be from.
    fn check(&self, key: &BStr) -> Result<(), String> {
        let (Some(wave), Some(timing)) = (&self.wave, self.timing) else { return Ok(()) };
        if self.channel >= wave.num_channels() {
            return Err(format!("expected --channel to be below {}, got {}", wave.num_channels(), self.channel));
        }
        let (end, duration) = (timing.end(self.feats.num_rows()), wave.duration());
        if (end - duration).abs() > 0.1 + 0.02 * duration {
            warning!(
                "{key}: the features end at {end:.2} s and the waveform at {duration:.2} s; is --frame-shift right?"
            );
        }
        Ok(())
    }

    fn draw(&self, style: &Style) -> kaldi_plot::Result<Canvas> {
        let features = Features::new(self.feats.as_slice(), self.feats.num_rows(), self.feats.num_cols());
        let waveform = self
            .wave
            .as_ref()
            .map(|wave| Waveform { samples: wave.channel(self.channel), rate: wave.sample_rate().into() });
        Figure { title: &self.title, features, timing: self.timing, waveform }.draw(style)
    }

    fn png(&self, style: &Style) -> kaldi_plot::Result<Vec<u8>> {
        encode_png(&self.draw(style)?)
    }
}
