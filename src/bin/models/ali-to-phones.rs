//! Converts alignments from transition-ids to phones.
//!
//! Matches Kaldi's `ali-to-phones`. With the default of `--frame-shift`, times have three decimals, as Kaldi writes them.

use anyhow::bail;
use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::{PhoneSplit, TransitionModel};
use kaldi_io::log::log;
use kaldi_table::{Entry, SequentialReader, TableWriter, WorkError, create_output, read_file};
use kaldi_value::Value;

const USAGE: &str = "\
Converts alignments from transition-ids to phones: the sequence of phones, the phone of each frame, phones with their
numbers of frames, or lines of CTM with times in seconds.

Usage: ali-to-phones [options] <model-rxfilename> <alignments-rspecifier> <phones-wspecifier|ctm-wxfilename>
 e.g.: ali-to-phones final.mdl 'ark:gunzip -c ali.1.gz |' ark,t:-
       ali-to-phones --write-lengths=true final.mdl ark:1.ali ark,t:-
       ali-to-phones --ctm-output final.mdl ark:1.ali phones.ctm
See also: ali-to-pdf, show-alignments, compare-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// Write lines of CTM: utterance, channel 1, start, duration, phone
    #[arg(long)]
    ctm_output: bool,
    /// Seconds from frame to frame, for CTM
    #[arg(long, default_value_t = 0.01)]
    frame_shift: f32,
    /// Write the phone of each frame
    #[arg(long)]
    per_frame: bool,
    /// Write pairs of a phone and its number of frames
    #[arg(long)]
    write_lengths: bool,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ali_to_phones)).by_entry(1);

fn ali_to_phones(opts: Options) -> anyhow::Result<Tally> {
    if opts.per_frame && opts.write_lengths {
        bail!("expected --per-frame or --write-lengths, got both");
    }
    let model: TransitionModel = read_file(&opts.model)?;
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;

    let done = match (opts.ctm_output, opts.write_lengths, opts.per_frame) {
        (true, _, _) => write_ctm(model, source, &opts)?,
        (_, true, _) => write_values(model, source, &opts.target, |split| {
            let pair = |segment: &kaldi_hmm::PhoneSegment| (segment.phone, segment.frames.len() as i32);
            split.segments.iter().map(pair).collect::<Vec<_>>()
        })?,
        (_, _, true) => write_values(model, source, &opts.target, PhoneSplit::phone_of_each_frame)?,
        _ => write_values(model, source, &opts.target, |split| {
            split.segments.iter().map(|segment| segment.phone).collect::<Vec<_>>()
        })?,
    };
    Ok(Tally::new(done, 0).always_ok())
}

/// Writes a table of what `convert` makes of the phones.
fn write_values<T: Value>(
    model: TransitionModel,
    source: SequentialReader<Vec<i32>>,
    target: &OutputName,
    convert: impl Fn(&PhoneSplit) -> T + Send + Sync + 'static,
) -> anyhow::Result<u64> {
    let target = TableWriter::create(target)?;
    let written = source.par_map_into(target, move |entry| Ok(entry.into_record(convert(&split(&model, entry)?))))?;
    let done = written.done();
    log!("Done {done} utterances.");
    written.finish()?;
    Ok(done)
}

fn write_ctm(model: TransitionModel, source: SequentialReader<Vec<i32>>, opts: &Options) -> anyhow::Result<u64> {
    let shift = opts.frame_shift;
    let mut target = create_output(&opts.target, false)?;
    let rows = source.par_map(move |entry| Ok(ctm(entry.key(), &split(&model, entry)?, shift)));
    let mut done = 0;
    let ended = rows.drain(|_, lines| {
        target.write_all(&lines)?;
        done += 1;
        anyhow::Ok(())
    })?;
    log!("Done {done} utterances.");
    ended.finish()?;
    target.finish()?;
    Ok(done)
}

/// Splits an alignment. Its bytes are enough, unless it is text or wrong.
fn split(model: &TransitionModel, entry: &Entry<'_, Vec<i32>>) -> Result<PhoneSplit, WorkError> {
    match entry.bytes().and_then(|bytes| model.split_bytes_to_phones(bytes)) {
        Some(split) => Ok(split),
        None => Ok(model.split_to_phones(&entry.read()?)?),
    }
}

/// The lines of an utterance. Times are added up in single precision, as Kaldi does.
fn ctm(key: &BStr, split: &PhoneSplit, shift: f32) -> Vec<u8> {
    // In single precision 0.01 is less than in double precision.
    let decimals = if f64::from(shift) >= 0.01 { 2 } else { 3 };
    let (mut lines, mut start) = (Vec::new(), 0.0_f32);
    for segment in &split.segments {
        let duration = shift * segment.frames.len() as f32;
        lines.extend_from_slice(key);
        lines.extend_from_slice(format!(" 1 {start:.decimals$} {duration:.decimals$} {}\n", segment.phone).as_bytes());
        start += duration;
    }
    lines
}
