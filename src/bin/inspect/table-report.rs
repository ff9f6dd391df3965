//! Writes a page about data directories and tables.
//!
//! Kaldi has no such program.

use anyhow::{Result, ensure};
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::create_output;
use kaldi_view::{Corpus, CorpusOptions, CorpusReport, ReportOptions};

const USAGE: &str = "\
Measures every utterance of data directories and tables (waveforms, features, alignments, texts), and writes a page about them: sums,
distributions, and the utterances that stand out, with their sound and spectrograms. Findings are, for example, clipped, silent
or noisy sound, a wrong rate, a text that is too long for the sound, strange letters, frozen features, alignments that are too
short, and sound that is there twice: exactly, or louder, coded, resampled, cut or with noise. The page is one file, which needs no other file and no network. Findings are no errors: the exit
status is 0. Commands in wav.scp are run.

Usage: table-report [options] <directory or table> [<directory or table> ...] <page>
 e.g.: table-report data/train train.html
       table-report --hyp=exp/decode/text --write-json=test.json data/test test.html
       table-report --against=data/test --against=data/dev data/train page.html
       table-report scp:wav.scp scp:feats.scp page.html
       table-report shard:data.list page.html
Of a directory, wav.scp, segments, text, utt2spk, feats.scp, cmvn.scp, vad.scp, ali.scp or ali.*.gz, ctm and *.ctm are read.
See also: find-copies, table-check, table-info, table-stats, feats-to-png
";

#[derive(clap::Args)]
struct Options {
    /// Recognized texts, lines of a key and words: their errors are counted, and texts that changed places are found
    #[arg(long)]
    hyp: Option<InputName>,
    /// How many utterances are shown with their sound and spectrogram
    #[arg(long, default_value_t = 24)]
    top: usize,
    /// Seconds of the sound of an utterance in the page, at most
    #[arg(long, default_value_t = 8.0)]
    seconds: f64,
    /// Put sound and texts of utterances into the page
    #[arg(long, alias = "audio", default_value_t = true)]
    sound: bool,
    /// Seconds from one frame of the features to the next one; found from the durations by default
    #[arg(long)]
    frame_shift: Option<f64>,
    /// Look for sound that is there twice, but not exactly the same
    #[arg(long, default_value_t = true)]
    near_duplicates: bool,
    /// Another data directory or table that should have none of this sound: what it has of it, exactly or nearly, is found, and
    /// so are speakers and texts. May be given several times
    #[arg(long)]
    against: Vec<InputName>,
    /// Title of the page; the names of the tables by default
    #[arg(long)]
    title: Option<String>,
    /// Write all sums, distributions and findings as JSON
    #[arg(long, alias = "json")]
    write_json: Option<OutputName>,
    /// Write all measures of every utterance as lines of JSON
    #[arg(long, alias = "utterances")]
    write_utterances: Option<OutputName>,
    #[arg(required = true)]
    tables: Vec<InputName>,
    page: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_report))
    .whole("it describes the whole table; run it on the joined table");

fn table_report(opts: Options) -> Result<Tally> {
    ensure!(opts.seconds >= 0.0 && opts.seconds.is_finite(), "expected --seconds of 0 or more, got {}", opts.seconds);
    let shift = opts.frame_shift.filter(|shift| !(*shift > 0.0 && shift.is_finite()));
    ensure!(shift.is_none(), "expected a positive --frame-shift, got {}", shift.unwrap_or(0.0));
    kaldi_cli::expect_ending(&opts.page, &["html", "htm"])?;
    for name in [&opts.write_json, &opts.write_utterances].into_iter().flatten() {
        kaldi_cli::expect_ending(name, &["json", "jsonl"])?;
    }
    let mut page = create_output(&opts.page, false)?;
    let mut json = opts.write_json.as_ref().map(|name| create_output(name, false)).transpose()?;
    let mut lines = opts.write_utterances.as_ref().map(|name| create_output(name, false)).transpose()?;

    let mut corpus_options = CorpusOptions::default();
    corpus_options.hypotheses = opts.hyp.as_ref().map(|name| name.as_bstr().to_owned());
    corpus_options.near_duplicates = opts.near_duplicates;
    corpus_options.against = opts.against.iter().map(|name| name.as_bstr().to_owned()).collect();
    let names: Vec<BString> = opts.tables.iter().map(|table| table.as_bstr().to_owned()).collect();
    let corpus = Corpus::read(&names, &corpus_options)?;
    let mut options = ReportOptions::default();
    (options.top, options.seconds, options.sound) = (opts.top, opts.seconds, opts.sound);
    options.frame_shift = opts.frame_shift;
    options.title = opts.title.unwrap_or_else(|| names.iter().map(BString::to_string).collect::<Vec<_>>().join(", "));
    let report = CorpusReport::of(&corpus, &options);

    page.write_all(report.page()?.as_bytes())?;
    if let Some(json) = &mut json {
        json.write_all(format!("{:#}\n", report.data()).as_bytes())?;
    }
    if let Some(lines) = &mut lines {
        for utterance in report.utterances() {
            lines.write_all(format!("{utterance}\n").as_bytes())?;
        }
    }
    // The page is last: it appears if all the rest is written.
    for output in [json, lines, Some(page)].into_iter().flatten() {
        output.finish()?;
    }
    let (utterances, findings) = report.num_findings();
    match findings {
        0 => log!("Measured {} utterances; nothing was found.", corpus.utterances.len()),
        _ => log!("Measured {} utterances; {findings} findings in {utterances} of them.", corpus.utterances.len()),
    }
    Ok(Tally::new(corpus.utterances.len() as u64, 0))
}
