//! Converts alignments from one model to another.
//!
//! Matches Kaldi's `convert-ali`, except that random paths through phones are others: those of Kaldi come from a library
//! for finite-state transducers. They do not depend on the other utterances.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::{AlignmentConverter, ContextDependency, Conversion, ConversionOptions, PhoneMap, TransitionModel};
use kaldi_io::log::{log, warning};
use kaldi_table::{Counts, SequentialReader, TableWriter, read_file};
use kaldi_value::random::Random;

const USAGE: &str = "\
Converts alignments from the transition-ids of one model to those of another, with the tree of the new one. Where a phone
keeps its states and its length, frames keep their states. Other phones get a random path through their states.

Usage: convert-ali [options] <old-model> <new-model> <new-tree> <old-alignments-rspecifier> <new-alignments-wspecifier>
 e.g.: convert-ali tri1/final.mdl tri2/1.mdl tri2/tree 'ark:gunzip -c ali.1.gz |' 'ark:| gzip -c > new.1.gz'
See also: ali-to-phones, show-alignments
";

#[derive(clap::Args)]
struct Options {
    /// Frames of the old alignments for each frame of the new ones
    #[arg(long, default_value_t = 1)]
    frame_subsampling_factor: i32,
    /// Rxfilename of a map of phones: lines of an old and a new phone
    #[arg(long)]
    phone_map: Option<InputName>,
    /// Put self-loops after the other transition of their state, as training with reordered graphs needs it
    #[arg(long, default_value_t = true)]
    reorder: bool,
    /// Keep the number of frames in spite of --frame-subsampling-factor, by repetition
    #[arg(long)]
    repeat_frames: bool,
    old_model: InputName,
    new_model: InputName,
    new_tree: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(convert_ali)).by_entry(3);

fn convert_ali(opts: Options) -> anyhow::Result<Tally> {
    let mut options = ConversionOptions::default();
    options.frame_subsampling_factor = match usize::try_from(opts.frame_subsampling_factor) {
        Ok(factor @ 1..) => factor,
        _ => bail!("expected --frame-subsampling-factor to be 1 or more, got {}", opts.frame_subsampling_factor),
    };
    (options.reorder, options.repeat_frames) = (opts.reorder, opts.repeat_frames);
    options.phone_map = opts.phone_map.as_ref().map(|name| PhoneMap::read(name)).transpose()?;
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let (old, new) = (read_file::<TransitionModel>(&opts.old_model)?, read_file(&opts.new_model)?);
    let tree: ContextDependency = read_file(&opts.new_tree)?;
    let converter = AlignmentConverter::new(old, new, tree, options)?;
    if !converter.has_same_topology() {
        warning!("Topologies of models are not equal: conversion may not be correct or may fail.");
    }

    let written = source.par_map_into(target, move |entry| {
        let key = entry.key();
        match converter.convert(&entry.read()?, &mut Random::seeded(seed(key)))? {
            Conversion::Done(alignment) => return Ok(Some(entry.into_record(alignment))),
            Conversion::TooFewFrames => warning!("{key}: Failed to produce suitable phone lengths"),
            Conversion::Incomplete => {}
        }
        warning!("Could not convert alignment for key {key} (possibly truncated alignment?)");
        Ok(None)
    })?;
    let Counts { done, skipped } = written.counts();
    log!("Succeeded converting alignments for {done} files, failed for {skipped}");
    Ok(written.finish()?.into())
}

/// A number that depends on the key alone (FNV), so that random paths do not depend on other utterances or on threads.
fn seed(key: &[u8]) -> u32 {
    key.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
