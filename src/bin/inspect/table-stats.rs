//! Computes statistics of the numbers in tables.
//!
//! Kaldi has no such program.

use anyhow::{Context, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_inspect::{
    By, Distribution, Entries, EntryStatistics, Examiner, ForeignKind, MeasureStatistics, Measures, Named, NamedKind,
    Numbers, Report, Statistics, TimeMarks, decode_sound, measure_graph, measure_sound, sound_measures,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, Session};
use kaldi_lattice::{CompactLattice, Fst, Graph, GraphForm, Lattice, StoredGraph};
use kaldi_matrix::{HtkFeatures, SphinxFeatures};
use kaldi_plot::{Figure, Panel, Picture, PictureFormat, Style};
use kaldi_table::{Entry, Erased, RandomAccessReader, SequentialReader, WorkError, create_output};
use kaldi_value::{Token, Value};
use kaldi_wave::WaveFile;

const USAGE: &str = "\
Computes statistics of the numbers in tables of matrices, vectors, integers and lists of integers: how many, the smallest
and the largest, mean, standard deviation (of the numbers, not of a sample), quantiles, and how many are NaN or
infinite; these are left out of the others. With --by, for each column, entry or speaker. A quantile differs by less
than 1 % of itself from a number of that rank. Constant columns and the lengths of entries are shown for the whole
table. An entry that cannot be read is named and left out, and the exit status is 1. Waveforms are measured: the groups are duration (s), rate, channels, peak, offset, level (dB), clipped, zeros, snr,
silence, lead, trail, bandwidth, and --by=key shows them for each entry; docs/looking.md says what they mean. Lattices are
measured, too: states, arcs, frames, words (of the best path) and depth (arcs across a frame); FSTs: states and arcs. Of CTM, RTTM and
STM, each recording is measured: marks (lines with times), words, speakers, seconds, end.

Usage: table-stats [options] <table> [<table> ...]
 e.g.: table-stats scp:feats.scp
       table-stats --plot=feats.png scp:feats.scp
       table-stats --by=column --json feats.ark | jq .mean
       table-stats --by=speaker --utt2spk=ark:utt2spk feats.scp
       table-stats --by=key --json wav.scp | jq 'select(.peak > -0.1) | .group'
The table is an rspecifier, or the name of an archive or a script file. shard: reads the sound of shards.
See also: table-info, table-check, table-report, feats-to-png, matrix-sum-rows
";

#[derive(clap::Args)]
struct Options {
    /// Which numbers are combined: table, column, key or speaker
    #[arg(long, default_value = "table", value_parser = kaldi_cli::one_of(&By::NAMES))]
    by: By,
    /// Map from utterances to speakers, for --by=speaker
    #[arg(long)]
    utt2spk: Option<MapName>,
    /// Write a line with a JSON object for each table, column, entry or speaker
    #[arg(long)]
    json: bool,
    /// Draw histograms of numbers and lengths, and the means of columns, into a file .png or .svg
    #[arg(long)]
    plot: Option<OutputName>,
    /// Type of the values, if it should not be found by looking, or comes through a pipe
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    #[arg(required = true)]
    tables: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_stats))
    .whole("it describes the whole table; run it on the joined table");

fn table_stats(opts: Options) -> anyhow::Result<Tally> {
    let by = opts.by;
    ensure!((by == By::Speaker) == opts.utt2spk.is_some(), "expected --utt2spk with --by=speaker, and with it only");
    let picture = opts.picture(by)?;
    let mut output = Lines::new(!opts.json && kaldi_cli::terminal_width().is_some())?;
    let mut tally = Tally::default();
    let mut pictures = Vec::new();
    for (number, table) in opts.tables.iter().enumerate() {
        if let Some(ForeignKind::TimeMarks(kind)) = ForeignKind::find(table)? {
            let statistics =
                count_marks(&TimeMarks::read(table, kind)?, table, &opts, number, &mut output, &mut tally)?;
            if let Some((_, format)) = &picture {
                pictures.push(draw_measures(table, &statistics, *format)?);
            }
            continue;
        }
        let form = opts.form_of(table)?;
        let measuring = Measuring { table, opts: &opts, number, output: &mut output, tally: &mut tally };
        if let Some(statistics) = measuring.measure_form(form.map(|(value_type, _)| value_type))? {
            if let Some((_, format)) = &picture {
                pictures.push(draw_measures(table, &statistics, *format)?);
            }
            continue;
        }
        let mut report = Report::new(table, by, opts.json, number);
        let numbers = match form {
            None => NumbersOf::ANY,
            Some((value_type, is_text)) => NumbersOf::of(value_type, is_text).with_context(|| {
                format!("{table}: expected numbers, waveforms, lattices or FSTs, got values of type {value_type}")
            })?,
        };
        let collecting = Collecting { table, by, report: &mut report, output: &mut output, tally: &mut tally };
        let statistics = collect(&opts, &numbers, collecting)?;
        report.end(&statistics);
        output.write_all(&report.take())?;
        if let Some((_, format)) = &picture {
            pictures.push(draw(table, &statistics, *format)?);
        }
    }
    output.finish()?;
    if let Some((mut file, _)) = picture {
        for picture in pictures {
            file.write_all(&picture.encode()?)?;
        }
        file.finish()?;
    }
    let left_out = Session::current().entries_left_out();
    Ok(if left_out > 0 { tally.ok_if(false) } else { tally })
}

/// Lines for standard output: as they are, or for a terminal with their columns below each other.
struct Lines {
    output: Output,
    /// What is known only when all lines are there.
    waiting: Option<Vec<u8>>,
}

impl Lines {
    fn new(aligned: bool) -> anyhow::Result<Self> {
        Ok(Self { output: Output::create(b"-".as_bstr(), false)?, waiting: aligned.then(Vec::new) })
    }

    fn write_all(&mut self, lines: &[u8]) -> anyhow::Result<()> {
        match &mut self.waiting {
            Some(waiting) => waiting.extend_from_slice(lines),
            None => self.output.write_all(lines)?,
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<()> {
        if let Some(waiting) = self.waiting {
            self.output.write_all(&kaldi_cli::align_columns(&waiting))?;
        }
        Ok(self.output.finish()?)
    }
}

impl Options {
    /// The type of the values of a table, and whether they are in text form; `None` if it cannot be found by looking.
    fn form_of(&self, table: &InputName) -> anyhow::Result<Option<(ValueType, bool)>> {
        if let Some(value_type) = self.value_type {
            return Ok(Some((value_type, false)));
        }
        let named = Named::find(table)?;
        if matches!(named.kind, NamedKind::Shards | NamedKind::Shar) {
            return Ok(Some((ValueType::Wave, false)));
        }
        Ok(Entries::find_form(&named))
    }

    /// The file for the picture, and its format.
    fn picture(&self, by: By) -> anyhow::Result<Option<(Output, PictureFormat)>> {
        let Some(name) = &self.plot else { return Ok(None) };
        ensure!(by == By::Table, "expected --plot without --by");
        ensure!(self.tables.len() == 1, "expected one table with --plot, got {}", self.tables.len());
        let Some(format) = PictureFormat::of_name(name) else {
            bail!("expected the file of --plot to end in .png or .svg, got {name}");
        };
        Ok(Some((create_output(name, false)?, format)))
    }
}

/// Counts what a list of times has of each recording.
fn count_marks(
    marks: &TimeMarks,
    table: &InputName,
    opts: &Options,
    number: usize,
    output: &mut Lines,
    tally: &mut Tally,
) -> anyhow::Result<MeasureStatistics> {
    ensure!(matches!(opts.by, By::Table | By::Key), "expected --by=table or --by=key for lists of times");
    let mut statistics = MeasureStatistics::default();
    let mut report = Report::new(table, By::Column, opts.json, number);
    for (at, (recording, marked)) in marks.recordings.iter().enumerate() {
        let measures = marked.measures();
        statistics.add(&measures);
        tally.done += 1;
        if opts.by == By::Key {
            report.put_measures(recording.as_bstr(), &measures, number == 0 && at == 0);
        }
    }
    if opts.by == By::Table {
        statistics.groups().iter().for_each(|group| report.put(group, None));
    }
    output.write_all(&report.take())?;
    log!("Measured {} recordings of {table}.", statistics.num_entries());
    Ok(statistics)
}

/// Draws the charts of a table whose entries were measured.
fn draw_measures(table: &InputName, statistics: &MeasureStatistics, format: PictureFormat) -> anyhow::Result<Picture> {
    let chart = |(name, found): (&str, Distribution)| {
        let bars = found.edges.windows(2).zip(&found.counts);
        let bars = bars.map(|(edges, &count)| (edges[0], edges[1], count as f64)).collect();
        Panel::Bars { title: name.to_owned(), bars, is_whole: false }
    };
    let panels: Vec<Panel<'_>> = statistics.distributions().map(chart).collect();
    ensure!(!panels.is_empty(), "{table}: nothing differs, so there is nothing to draw");
    let title = format!("{table}: {} entries", statistics.num_entries());
    let mut style = Style::default();
    (style.width, style.height, style.font_size) = (900, 40 + 200 * panels.len() as u32, 16);
    Ok(Figure { title: &title, timing: None, panels }.draw(&style, format)?)
}

/// A table whose entries are measured, and where the results go.
struct Measuring<'a> {
    table: &'a InputName,
    opts: &'a Options,
    number: usize,
    output: &'a mut Lines,
    tally: &'a mut Tally,
}

impl Measuring<'_> {
    /// Measures a table of waveforms, lattices or FSTs; `None` if it is of another type.
    fn measure_form(self, value_type: Option<ValueType>) -> anyhow::Result<Option<MeasureStatistics>> {
        Ok(Some(match value_type {
            Some(ValueType::Wave) => self.measure("waveforms", open::<WaveFile>, |entry| {
                Ok(sound_measures(measure_sound(&decode_sound(&entry.read_as::<WaveFile>()?.into_bytes())?)))
            })?,
            Some(ValueType::Lattice) => self.measure("lattices", open::<Lattice>, |entry| {
                Ok(measures_of(entry.read_as::<Lattice>()?.0, GraphForm::Plain))
            })?,
            Some(ValueType::CompactLattice) => self.measure("lattices", open::<CompactLattice>, |entry| {
                Ok(measures_of(entry.read_as::<CompactLattice>()?.0, GraphForm::Compact))
            })?,
            Some(ValueType::Fst) => self.measure("FSTs", open::<Fst>, |entry| {
                Ok(measures_of(entry.read_as::<Fst>()?.0, GraphForm::Standard))
            })?,
            _ => return Ok(None),
        }))
    }

    /// Measures the values of a table; results for single entries are written at once.
    fn measure(
        self,
        what: &str,
        open: fn(&BStr) -> kaldi_inspect::Result<SequentialReader<Erased>>,
        measure: fn(&Entry<'_, Erased>) -> Result<Measures, WorkError>,
    ) -> anyhow::Result<MeasureStatistics> {
        let Self { table, opts, number, output, tally } = self;
        ensure!(matches!(opts.by, By::Table | By::Key), "expected --by=table or --by=key for {what}");
        let mut statistics = MeasureStatistics::default();
        let mut report = Report::new(table, By::Column, opts.json, number);
        let measured = open(table)?.par_map(move |entry| leave_out_damaged(entry, measure(entry)));
        let ended = measured.drain(|key, measures: Option<Measures>| {
            let Some(measures) = measures else {
                tally.failed += 1;
                return anyhow::Ok(());
            };
            tally.done += 1;
            statistics.add(&measures);
            if opts.by == By::Key {
                report.put_measures(key.as_ref(), &measures, number == 0 && statistics.num_entries() == 1);
                output.write_all(&report.take())?;
            }
            anyhow::Ok(())
        })?;
        log!("Measured {} entries of {table}.", statistics.num_entries());
        ended.finish()?;
        if opts.by == By::Table {
            statistics.groups().iter().for_each(|group| report.put(group, None));
            output.write_all(&report.take())?;
        }
        Ok(statistics)
    }
}

/// What was found in an entry. One that is damaged is named and counted, and the others go on.
fn leave_out_damaged<V>(entry: &Entry<'_, Erased>, found: Result<V, WorkError>) -> Result<Option<V>, WorkError> {
    let error = match found {
        Ok(found) => return Ok(Some(found)),
        Err(error) => error,
    };
    match error.downcast::<kaldi_table::Error>() {
        Ok(error) => warning!("{error}; left out"),
        Err(error) => warning!("{}: {error}; left out", entry.key()),
    }
    Session::current().count_left_out();
    Ok(None)
}

fn measures_of(graph: Graph, form: GraphForm) -> Measures {
    measure_graph(&StoredGraph { graph, form, has_doubles: None })
}

/// Draws the charts of a table.
fn draw(table: &InputName, statistics: &Statistics, format: PictureFormat) -> anyhow::Result<Picture> {
    let lengths = statistics.length_histogram(60);
    let lengths = lengths.iter().map(|it| (it.first as f64 - 0.5, it.last as f64 + 0.5, it.entries as f64)).collect();
    let mut panels = vec![
        Panel::Bars { title: "numbers".to_owned(), bars: statistics.value_histogram(100), is_whole: false },
        Panel::Bars { title: "lengths of entries".to_owned(), bars: lengths, is_whole: true },
    ];
    if statistics.columns().len() > 1 {
        let means = statistics.columns().iter().map(|column| (column.mean, column.stddev)).collect();
        panels.push(Panel::Means { title: "means and standard deviations of columns".to_owned(), means });
    }
    let title =
        format!("{table}: {} entries, {} numbers", statistics.num_entries(), statistics.groups()[0].moments.count);
    let mut style = Style::default();
    (style.width, style.height, style.font_size) = (900, 40 + 260 * panels.len() as u32, 16);
    Ok(Figure { title: &title, timing: None, panels }.draw(&style, format)?)
}

/// A table that is read, and where the results go.
struct Collecting<'a, 'b> {
    table: &'a InputName,
    by: By,
    report: &'a mut Report<'b>,
    output: &'a mut Lines,
    tally: &'a mut Tally,
}

/// How a table of values of a type is opened, and how the numbers of one are processed.
struct NumbersOf {
    open: fn(&BStr) -> kaldi_inspect::Result<SequentialReader<Erased>>,
    examine: fn(&Examiner, &Entry<'_, Erased>) -> Result<EntryStatistics, WorkError>,
}

impl NumbersOf {
    /// What shows its type itself.
    const ANY: Self = Self { open: open::<Numbers>, examine: Examiner::examine };

    const fn new<T: Value + Into<Numbers>>() -> Self {
        Self { open: open::<T>, examine: Examiner::examine_as::<T> }
    }

    /// Those of a type; `None` if the values have no numbers.
    fn of(value_type: ValueType, is_text: bool) -> Option<Self> {
        Some(match value_type {
            ValueType::Matrix | ValueType::Vector | ValueType::Int32Vector => Self::ANY,
            // In text, other numbers may follow.
            ValueType::Int32 | ValueType::Float | ValueType::Double if is_text => Self::ANY,
            ValueType::Int32 => Self::new::<i32>(),
            ValueType::Float => Self::new::<f32>(),
            ValueType::Double => Self::new::<f64>(),
            ValueType::Bool => Self::new::<bool>(),
            ValueType::Int32Matrix | ValueType::Int32VectorVector => Self::new::<Vec<Vec<i32>>>(),
            ValueType::Htk => Self::new::<HtkFeatures>(),
            ValueType::Sphinx => Self::new::<SphinxFeatures>(),
            _ => return None,
        })
    }
}

fn open<T: Value>(name: &BStr) -> kaldi_inspect::Result<SequentialReader<Erased>> {
    Ok(Named::open_readable::<T>(name)?.erased())
}

/// Reads a table; results for single entries are written at once.
fn collect(opts: &Options, numbers: &NumbersOf, collecting: Collecting<'_, '_>) -> anyhow::Result<Statistics> {
    let NumbersOf { open, examine } = *numbers;
    let Collecting { table, by, report, output, tally } = collecting;
    let mut statistics = Statistics::new(by, opts.plot.is_some());
    let examiner = statistics.examiner();
    let speakers = opts.utt2spk.as_deref().map(RandomAccessReader::<Token>::open).transpose()?;
    let rows = open(table)?.par_map_with(speakers, move |entry, speaker| {
        if let Some(None) = speaker {
            warning!("{} has no speaker, and is left out", entry.key());
            return Ok(None);
        }
        let speaker = speaker.flatten().map(|speaker| speaker.as_bytes().as_bstr().to_owned());
        let examined = examine(&examiner, entry);
        // Of other errors, such as too many columns, every entry has one.
        let is_damaged = |error: &WorkError| matches!(error.downcast_ref(), Some(kaldi_table::Error::Entry { .. }));
        let examined = if examined.as_ref().is_err_and(is_damaged) {
            leave_out_damaged(entry, examined)?
        } else {
            Some(examined?)
        };
        Ok(examined.map(|examined| (speaker, examined)))
    });
    let ended = rows.drain(|_, examined: Option<(Option<BString>, _)>| {
        let Some((speaker, part)) = examined else {
            tally.failed += 1;
            return anyhow::Ok(());
        };
        tally.done += 1;
        if let Some(group) = statistics.add(speaker.as_ref().map(|speaker| speaker.as_bstr()), part) {
            report.put(&group, None);
            output.write_all(&report.take())?;
        }
        Ok(())
    })?;
    log!("Read {} entries of {table}.", statistics.num_entries());
    ended.finish()?;
    Ok(statistics)
}
