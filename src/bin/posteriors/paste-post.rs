//! Pastes posteriors of several tables.
//!
//! Matches Kaldi's `paste-post`.

use std::sync::Arc;

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, vlog, warning};
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Pastes two or more tables of posteriors frame by frame. The indexes of each table come after those of the tables before
it; the dimensions, separated by colons or commas, say how many indexes each has. The first table gives the number of
frames of each utterance; posteriors may have more. This is for the targets of networks with several outputs.

Usage: paste-post [options] <lengths-rspecifier> <dims> <post-rspecifier1> <post-rspecifier2> ... <post-wspecifier>
 e.g.: paste-post 'ark:feat-to-len scp:feats.scp ark,t:- |' 1029:1124 ark:1.post ark:2.post ark:pasted.post
See also: feat-to-post, ali-to-post, sum-post, paste-feats
";

#[derive(clap::Args)]
struct Options {
    /// Include utterances that are missing in some of the tables
    #[arg(long)]
    allow_partial: bool,
    lengths: InputName,
    dims: String,
    first: InputName,
    #[arg(required = true)]
    others: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(paste_post)).by_entry(0);

/// The result for an utterance.
enum Outcome {
    Pasted(Record<Posterior>),
    /// None of the tables that were read has it.
    Missing,
    /// Some have it, one does not.
    Partial,
}

fn paste_post(opts: Options) -> anyhow::Result<Tally> {
    let streams: Vec<&InputName> = std::iter::once(&opts.first).chain(&opts.others).collect();
    let places = read_places(&opts.dims)?;
    if places.len() != streams.len() {
        bail!("expected {} dimensions, one for each table of posteriors, got {:?}", streams.len(), opts.dims);
    }
    let posteriors = streams.iter().map(RandomAccessReader::<Posterior>::open);
    let posteriors = posteriors.collect::<Result<Vec<_>, _>>()?;
    let lengths = SequentialReader::<i32>::open(&opts.lengths)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = lengths.par_map_with(posteriors, move |entry, mut found| {
        let (key, length) = (entry.key(), entry.read()?);
        let have: Vec<usize> = (1..).zip(&found).filter_map(|(number, one)| one.as_ref().map(|_| number)).collect();
        vlog!(2, "Processing {key}, frames {length}, pasted from tables {have:?}");
        let missing = found.iter().position(Option::is_none).filter(|_| !opts.allow_partial);
        if let Some(missing) = missing {
            warning!("No such utterance {key} in set {} of posteriors", missing + 1);
            found.truncate(missing);
        }
        if found.iter().all(Option::is_none) {
            warning!("No posteriors for utterance {key}, which is left out");
            return Ok(Outcome::Missing);
        }
        let pasted = paste(length, &places, &found)?;
        if missing.is_some() {
            return Ok(Outcome::Partial);
        }
        Ok(Outcome::Pasted(Record::new(key, &pasted, format)))
    });
    let (mut done, mut missing, mut partial) = (0, 0, 0);
    let ended = rows.drain(|_, row| {
        match row {
            Outcome::Pasted(record) => {
                target.put(record)?;
                done += 1;
            }
            Outcome::Missing => missing += 1,
            Outcome::Partial => partial += 1,
        }
        anyhow::Ok(())
    })?;
    log!("Pasted posteriors for {done} sentences, missing sentences {missing}, failed for {partial}");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, missing + partial))
}

/// The indexes of one table in the pasted posteriors.
struct IndexRange {
    offset: i32,
    dim: i32,
}

fn read_places(text: &str) -> anyhow::Result<Vec<IndexRange>> {
    let expected = || format!("expected dimensions such as 1029:1124, got {text:?}");
    let (mut places, mut offset) = (Vec::new(), 0_i32);
    for word in text.split([':', ',']) {
        let dim = word.trim_start().parse().ok().filter(|dim| *dim >= 0).with_context(expected)?;
        places.push(IndexRange { offset, dim });
        offset = offset.checked_add(dim).with_context(expected)?;
    }
    Ok(places)
}

fn paste(length: i32, places: &[IndexRange], streams: &[Option<Arc<Posterior>>]) -> Result<Posterior, String> {
    let num_frames = usize::try_from(length).map_err(|_| format!("expected a number of frames, got {length}"))?;
    let mut pasted = Posterior::default();
    for (stream, IndexRange { offset, dim }) in streams.iter().zip(places) {
        let Some(stream) = stream else { continue };
        let Some(frames) = stream.0.get(..num_frames) else {
            return Err(format!("expected posteriors of at least {length} frames, got {}", stream.0.len()));
        };
        pasted.0.resize(num_frames, Vec::new());
        for (to, frame) in pasted.0.iter_mut().zip(frames) {
            if let Some((index, _)) = frame.iter().find(|(index, _)| index >= dim) {
                return Err(format!("expected an index below {dim}, got {index}"));
            }
            to.extend(frame.iter().map(|&(index, weight)| (offset + index, weight)));
        }
    }
    Ok(pasted)
}
