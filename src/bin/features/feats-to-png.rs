//! Draws the values of tables as pictures: heat maps, curves, bands, with their waveforms above if these are given.
//!
//! Kaldi has no such program.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{FrameWord, Frames, ValueType};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_inspect::{Entries, NamedKind, read_frames};
use kaldi_io::log::{Logged, log, warning};
use kaldi_io::{FileNames, NewFolder, Output, Rspecifier, Wxfilename, make_last_folder};
use kaldi_plot::{
    Features, Figure, FrameLabels, Panel, Picture, PictureFormat, PlotArguments, Sheet, Style, Timing, Waveform,
};
use kaldi_reader::{Reader, par_map};
use kaldi_table::RawEntry;
use kaldi_table::{Lookup, RandomAccessReader, create_output};
use kaldi_value::SymbolTable;
use kaldi_wave::Wave;

const USAGE: &str = "\
Draws the values of a table. A matrix becomes a heat map, with frames or seconds from left to right, dimensions upwards
and a bar that shows the meaning of the colours; a posterior does, too. A vector, or a matrix of one column, becomes a
curve. If it has only zeros and ones, or integers, like alignments, it becomes a coloured band for each run of equal
numbers; with --symbols the symbols are written on it. A waveform becomes a curve. With --wav, the waveform is above the features. If a folder is named, the pictures
go into it, one for each key, in files named <key>.png (characters that a name cannot have are written as % and their
code). If a file *.png or *.svg, standard output (-) or a command is named, all are on one sheet. The table is an
rspecifier, or the name of an archive, a script file or a value.

Usage: feats-to-png [options] <table> (<folder>|<wxfilename>)
 e.g.: feats-to-png --frame-shift=0.01 scp:feats.scp pictures
       feats-to-png --wav=scp:wav.scp --max-utts=4 scp:feats.scp sheet.png
       ali-to-phones --per-frame=true final.mdl ark:ali.1 ark:- | feats-to-png --symbols=phones.txt ark:- phones
       gunzip -c ali.1.gz | feats-to-png --wav=scp:wav.scp --max-utts=4 ark:- alignments.svg
See also: copy-feats, feat-to-len, subset-feats, table-stats
";

/// Bytes of values and pictures that are processed at the same time.
const IN_FLIGHT: usize = 64 << 20;

#[derive(clap::Args)]
struct Options {
    /// Rspecifier of waveforms, to be drawn above the pictures of their keys
    #[arg(long)]
    wav: Option<InputName>,
    /// The channel of waveforms to draw, counted from 0
    #[arg(long, default_value_t = 0)]
    channel: u32,
    #[command(flatten)]
    plot: PlotArguments,
    /// Symbol table (symbol and integer in each line), whose symbols are written for labels
    #[arg(long)]
    symbols: Option<InputName>,
    /// Draw only the utterance of this key
    #[arg(long)]
    key: Option<String>,
    /// Draw only this many utterances, unless it is 0
    #[arg(long, default_value_t = 0)]
    max_utts: u64,
    /// png or svg; by default found from the ending of the file's name, otherwise png
    #[arg(long, value_parser = kaldi_cli::one_of(&PictureFormat::NAMES))]
    format: Option<PictureFormat>,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(feats_to_png)).whole("a sheet shows the whole table");

fn feats_to_png(opts: Options) -> Result<Tally> {
    let (style, timing) = (opts.plot.style(opts.wav.is_some())?, opts.plot.timing(opts.wav.is_some())?);
    let source = Source::open(&opts, &style)?;
    let format = opts.format.or(PictureFormat::of_name(&opts.target)).unwrap_or_default();
    let mut target = Target::create(&opts.target)?;
    let is_sheet = matches!(target, Target::Sheet { .. });
    let symbols = opts.symbols.as_deref().map(SymbolTable::read).transpose()?;
    let drawer = Drawer { style: style.clone(), timing, channel: opts.channel as usize, symbols, format, is_sheet };
    let mut rows = par_map(source, kaldi_cli::num_threads, move |job| {
        let made = Logged::of(|| drawer.make(&job));
        Ok((job.key, made))
    })
    .in_flight(IN_FLIGHT, |job| job.weight);
    let mut tally = Tally::default();
    while opts.max_utts == 0 || tally.done < opts.max_utts {
        let Some((key, made)) = rows.next()? else { break };
        let Some(made) = made.deliver()? else {
            tally.failed += 1;
            continue;
        };
        if !target.put(key.as_ref(), made, &style, format)? {
            warning!("The sheet is full: it has the first {} utterances, and no others", tally.done);
            break;
        }
        tally.done += 1;
    }
    if let Some(key) = opts.key.filter(|_| tally.done + tally.failed == 0) {
        bail!("{} has no key {key}", opts.source);
    }
    log!("Drew {} utterances, {} were empty.", tally.done, tally.failed);
    if let Target::Sheet { sheet, mut output } = target
        && tally.done > 0
    {
        output.write_all(&sheet.encode()?)?;
        output.finish()?;
    }
    // The command may need some time to end.
    rows.finish()?;
    Ok(tally)
}

/// The entries of a table with their waveforms.
struct Source {
    table: InputName,
    entries: Entries,
    waves: Option<RandomAccessReader<Wave>>,
    /// The only one that is wanted.
    key: Option<BString>,
    /// Whether entries that cannot be read are skipped.
    is_permissive: bool,
    /// Bytes of a picture.
    picture: usize,
}

/// The data for a picture.
struct Job {
    key: BString,
    entry: RawEntry,
    value_type: ValueType,
    wave: Option<Option<Arc<Wave>>>,
    weight: usize,
}

impl Source {
    fn open(opts: &Options, style: &Style) -> Result<Self> {
        Ok(Self {
            table: opts.source.clone(),
            entries: Entries::open(&opts.source, opts.value_type)?,
            key: opts.key.as_deref().map(BString::from),
            waves: opts.wav.as_deref().map(RandomAccessReader::open).transpose()?,
            is_permissive: Rspecifier::parse(&opts.source).is_some_and(|it| it.options.permissive),
            picture: 3 * style.width as usize * style.height as usize,
        })
    }
}

impl Reader for Source {
    type Item = Job;
    type Error = anyhow::Error;

    fn next(&mut self) -> Result<Option<Job>> {
        let entry = loop {
            match self.entries.next_entry() {
                Ok(Some(entry)) if self.key.as_ref().is_none_or(|key| entry.key() == key.as_bstr()) => break entry,
                Ok(Some(_)) => {}
                Ok(None) => return Ok(None),
                Err(error) if self.is_permissive => {
                    warning!("{error}");
                    if self.entries.kind() != NamedKind::Script {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        // A single value has the name of its file as its key.
        let file = || self.table.as_path().file_name().map(|name| name.as_encoded_bytes().into());
        let key = if self.entries.kind() == NamedKind::Value { file() } else { None };
        let wave = self.waves.find(entry.key())?;
        let weight = usize::try_from(entry.size()).unwrap_or(usize::MAX).saturating_add(self.picture);
        let key = key.unwrap_or_else(|| entry.key().to_owned());
        Ok(Some(Job { key, entry, value_type: self.entries.value_type(), wave, weight }))
    }

    fn restart(&mut self) -> Result<()> {
        self.entries.restart()?;
        Ok(self.waves.restart()?)
    }

    fn finish(&mut self) -> Result<()> {
        self.entries.finish()?;
        Ok(Lookup::finish(&mut self.waves)?)
    }
}

/// The place for pictures.
enum Target {
    Folder { folder: PathBuf, names: FileNames, _created: NewFolder },
    Sheet { sheet: Sheet, output: Output },
}

impl Target {
    /// The name determines the kind of the target; a folder is made if it is missing, but not its parent.
    fn create(name: &OutputName) -> Result<Self> {
        let path = name.as_path();
        let is_file =
            !matches!(Wxfilename::parse(name)?, Wxfilename::File(_)) || PictureFormat::of_name(name).is_some();
        if !path.is_dir() && is_file {
            return Ok(Self::Sheet { sheet: Sheet::default(), output: create_output(name, false)? });
        }
        kaldi_cli::expect_folder(name, &["png", "svg"])?;
        let created = make_last_folder(path, 0o777)?;
        Ok(Self::Folder { folder: path.to_owned(), names: FileNames::default(), _created: created })
    }

    /// Writes the picture of a key; false if there is no room for it.
    fn put(&mut self, key: &BStr, made: Made, style: &Style, format: PictureFormat) -> Result<bool> {
        match (self, made) {
            (Self::Folder { folder, names, .. }, Made::File(file)) => {
                let name = folder.join(names.next(key, format.ending()));
                let mut output = Output::create_file(&name, name.display().to_string(), false)?;
                output.write_all(&file)?;
                output.finish()?;
            }
            (Self::Sheet { sheet, .. }, Made::Picture(picture)) if !sheet.is_full(style) => sheet.push(picture),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The results of workers: files, or pictures on a sheet.
enum Made {
    File(Vec<u8>),
    Picture(Picture),
}

struct Drawer {
    style: Style,
    timing: Option<Timing>,
    channel: usize,
    symbols: Option<SymbolTable>,
    format: PictureFormat,
    is_sheet: bool,
}

impl Drawer {
    fn make(&self, job: &Job) -> Result<Option<Made>> {
        let Job { key, value_type, wave, .. } = job;
        let Some(frames) = read_frames(&job.entry, *value_type)?.map(with_decisions) else {
            bail!("{key}: expected {}, got a value of type {}", Frames::TYPES, value_type.name());
        };
        let names = self.names(key.as_ref(), &frames)?;
        let panel = panel(&frames, names.as_ref());
        if frames.is_empty() || panel.as_ref().is_some_and(Panel::is_empty) {
            warning!("Empty features of {key}, for which there is no picture");
            return Ok(None);
        }
        let waveform = match &frames {
            Frames::Wave(wave) => Some(self.waveform(wave)),
            _ => wave.as_ref().and_then(|wave| self.beside(key.as_ref(), frames.len(), wave.as_deref())),
        };
        let waveform = waveform.transpose().map_err(|error| anyhow!("{key}: {error}"))?;
        let title = key.to_str_lossy();
        let panels = waveform.map(Panel::Waveform).into_iter().chain(panel).collect();
        let picture = Figure { title: &title, timing: self.timing, panels }.draw(&self.style, self.format)?;
        Ok(Some(if self.is_sheet { Made::Picture(picture) } else { Made::File(picture.encode()?) }))
    }

    /// The symbols of labels. A label without one keeps its integer.
    fn names(&self, key: &BStr, frames: &Frames) -> Result<Option<HashMap<i32, String>>> {
        let Some(symbols) = &self.symbols else { return Ok(None) };
        let Frames::Labels(labels) = frames else { bail!("{key}: expected integers for --symbols, got other values") };
        let name = |label: &i32| Some((*label, symbols.symbol(*label)?.to_str_lossy().into_owned()));
        Ok(Some(labels.iter().filter_map(name).collect()))
    }

    fn waveform<'a>(&self, wave: &'a Wave) -> Result<Waveform<'a>> {
        let (channel, num_channels) = (self.channel, wave.num_channels());
        ensure!(channel < num_channels, "expected --channel to be below {num_channels}, got {channel}");
        Ok(Waveform { samples: wave.channel(channel), rate: wave.sample_rate().into() })
    }

    /// The waveform above frames. Warns if there is none, and if the frames do not seem to be from it.
    fn beside<'a>(&self, key: &BStr, num_frames: usize, wave: Option<&'a Wave>) -> Option<Result<Waveform<'a>>> {
        let Some(wave) = wave else {
            warning!("No waveform for {key}, whose features are drawn alone");
            return None;
        };
        let (end, duration) = (self.timing?.end(num_frames), wave.duration());
        if (end - duration).abs() > 0.1 + 0.02 * duration {
            warning!(
                "{key}: the features end at {end:.2} s and the waveform at {duration:.2} s; is --frame-shift right?"
            );
        }
        Some(self.waveform(wave))
    }
}

/// The panel for frames; a waveform alone has a panel of its own.
fn panel<'a>(frames: &'a Frames, names: Option<&'a HashMap<i32, String>>) -> Option<Panel<'a>> {
    let features = match frames {
        Frames::Wave(_) | Frames::Words { .. } => return None,
        Frames::Labels(labels) => return Some(Panel::Labels(FrameLabels { labels, names })),
        Frames::Rows(rows) => Features::new(rows.as_slice(), rows.num_rows(), rows.num_cols()),
        Frames::Lists(lists) => Features::of_lists(lists.iter().map(|list| list.iter().copied())),
    };
    Some(Panel::Features(features))
}

/// Vectors of zeros and ones are decisions on frames, such as voice activity, so they are drawn as labels. So are the words of
/// lattices.
fn with_decisions(frames: Frames) -> Frames {
    match frames {
        Frames::Rows(rows)
            if rows.num_cols() == 1 && rows.as_slice().iter().all(|value| [0.0, 1.0].contains(value)) =>
        {
            Frames::Labels(rows.as_slice().iter().map(|value| i32::from(*value > 0.5)).collect())
        }
        Frames::Words { frames, words } => {
            let mut labels = vec![0; frames];
            for FrameWord { begin, end, word, .. } in words {
                let end = (end.round() as usize).min(frames);
                labels[(begin.round() as usize).min(end)..end].fill(word);
            }
            Frames::Labels(labels)
        }
        frames => frames,
    }
}
