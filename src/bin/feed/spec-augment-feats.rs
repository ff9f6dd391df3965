//! Changes features at random, for training.
//!
//! Kaldi has this only as a component of networks. Masks, substitutes and cuts are those of WeNet.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{SpecAugment, SpecSubstitute, SpecTrim};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_reader::Draws;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Changes features at random, so that a model learns more from them: masks of zeros over stretches of frames and of dimensions
(SpecAugment); stretches of frames replaced by earlier ones; frames cut off at the end.
The changes depend only on --seed, --epoch and the key.

Usage: spec-augment-feats [options] <feats-rspecifier> <feats-wspecifier>
 e.g.: spec-augment-feats --epoch=3 scp:feats.scp ark:-
       spec-augment-feats --num-t-mask=0 --num-f-mask=0 --num-t-sub=3 --max-t-sub=30 ark:- ark:-
See also: perturb-wav-speed
";

#[derive(clap::Args)]
struct Options {
    /// Masks over frames
    #[arg(long, default_value_t = 2)]
    num_t_mask: u32,
    /// Masks over dimensions
    #[arg(long, default_value_t = 2)]
    num_f_mask: u32,
    /// The most frames of a mask
    #[arg(long, default_value_t = 50)]
    max_t: u32,
    /// The most dimensions of a mask
    #[arg(long, default_value_t = 10)]
    max_f: u32,
    /// Stretches of frames that are replaced by earlier ones
    #[arg(long, default_value_t = 0)]
    num_t_sub: u32,
    /// The most frames of such a stretch
    #[arg(long, default_value_t = 20)]
    max_t_sub: u32,
    /// The most frames that are cut off at the end, fewer than half in any case
    #[arg(long, default_value_t = 0)]
    max_t_trim: u32,
    /// Seed of the random choices
    #[arg(long, default_value_t = 0)]
    seed: u32,
    /// Pass over the data: each pass has other changes
    #[arg(long, default_value_t = 0)]
    epoch: u32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(spec_augment_feats)).by_entry(0);

fn spec_augment_feats(opts: Options) -> anyhow::Result<Tally> {
    for (name, count) in
        [("num-t-mask", opts.num_t_mask), ("num-f-mask", opts.num_f_mask), ("num-t-sub", opts.num_t_sub)]
    {
        ensure!(
            count as usize <= SpecAugment::MOST,
            "expected --{name} to be at most {}, got {count}",
            SpecAugment::MOST
        );
    }
    let augment = SpecAugment {
        num_t_mask: opts.num_t_mask as usize,
        num_f_mask: opts.num_f_mask as usize,
        max_t: opts.max_t as usize,
        max_f: opts.max_f as usize,
    };
    let substitute = SpecSubstitute { max_t: opts.max_t_sub as usize, num_t_sub: opts.num_t_sub as usize };
    let trim = SpecTrim { max_t: opts.max_t_trim as usize };
    let seeds = [u64::from(opts.seed), u64::from(opts.epoch)];
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        let mut feats = entry.read()?;
        let mut draws = Draws::named(&seeds, entry.key());
        augment.apply(&mut feats, &mut draws);
        substitute.apply(&mut feats, &mut draws);
        trim.apply(&mut feats, &mut draws);
        Ok(entry.into_record(feats))
    })?;
    log!("Changed the features of {} utterances", written.done());
    Ok(Tally::new(written.finish()?.done, 0))
}
