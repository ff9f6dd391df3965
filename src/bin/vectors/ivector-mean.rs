//! Averages vectors, over the utterances of each speaker or over all.
//!
//! Matches Kaldi's `ivector-mean`. Means of speakers are computed in single precision, the mean of all in double.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_ivector::VectorMoments;
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, ReaderExt, SequentialReader, TableWriter, write_file};
use kaldi_value::Format;
use kaldi_value::Keys;
use kaldi_value::number::general;

const USAGE: &str = "\
Averages speaker vectors over the utterances of each speaker, into a table with a vector for each speaker and, if
wanted, a table of the numbers of utterances. With two arguments it averages all vectors, into a file.

Usage: ivector-mean [options] <spk2utt-rspecifier> <ivector-rspecifier> <ivector-wspecifier> [<num-utts-wspecifier>]
  or:  ivector-mean [options] <ivector-rspecifier> <mean-wxfilename>
 e.g.: ivector-mean ark:spk2utt scp:ivectors.scp ark:spk_ivectors.ark ark,t:num_utts.ark
       ivector-mean scp:ivectors.scp mean.vec
See also: ivector-subtract-global-mean, ivector-normalize-length, vector-sum
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long)]
    binary: bool,
    spk2utt: Option<MapName>,
    ivectors: InputName,
    target: OutputName,
    num_utts: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_mean)).in_pieces(&[
    (kaldi_cli::PiecesIf::ToFile, kaldi_cli::Pieces::Whole("the mean is one of the whole table")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
]);

fn ivector_mean(opts: Options) -> anyhow::Result<Tally> {
    match &opts.spk2utt {
        None => mean_of_all(&opts.ivectors, &opts.target, Format::from_binary(opts.binary)),
        Some(spk2utt) => means_of_speakers(spk2utt, &opts.ivectors, &opts.target, opts.num_utts.as_ref()),
    }
}

fn mean_of_all(ivectors: &InputName, mean: &OutputName, format: Format) -> anyhow::Result<Tally> {
    let rows = SequentialReader::<Vector<f32>>::open(ivectors)?.values();
    let mut moments = VectorMoments::default();
    let ended = rows.drain(|key, vector| {
        moments.add(&vector).with_context(|| format!("cannot add {key}"))?;
        anyhow::Ok(())
    })?;
    ended.finish()?;
    if moments.count() == 0 {
        bail!("No iVectors read");
    }
    write_file(mean, &moments.mean(), format)?;
    Ok(Tally::new(moments.count(), 0))
}

fn means_of_speakers(
    spk2utt: &MapName,
    ivectors: &InputName,
    means: &OutputName,
    num_utts: Option<&OutputName>,
) -> anyhow::Result<Tally> {
    let mut ivectors = RandomAccessReader::<Vector<f32>>::open(ivectors)?;
    let mut speakers = SequentialReader::<Keys>::open(spk2utt)?;
    let mut means = TableWriter::create(means)?;
    let mut num_utts = num_utts.map(TableWriter::<i32>::create).transpose()?;

    let mut moments = VectorMoments::default();
    let (mut tally, mut utts_done, mut utts_missing) = (Tally::default(), 0, 0);
    for speaker in speakers.iter() {
        let (spk, utts) = speaker?;
        if utts.is_empty() {
            bail!("Speaker with no utterances: {spk}");
        }
        let mut sum: Option<Vector<f32>> = None;
        let mut count = 0;
        for utt in utts.iter() {
            let Some(ivector) = ivectors.get(utt)? else {
                warning!("No iVector present in input for utterance {utt}");
                utts_missing += 1;
                continue;
            };
            count += 1;
            match &mut sum {
                None => sum = Some(ivector.as_ref().clone()),
                Some(sum) => sum.add(ivector.as_ref()).with_context(|| format!("{spk}: cannot add {utt}"))?,
            }
        }
        let Some(mut mean) = sum else {
            warning!("Not producing output for speaker {spk} since no utterances had iVectors");
            tally.failed += 1;
            continue;
        };
        mean.scale((1.0 / f64::from(count)) as f32);
        moments.add(&mean).with_context(|| format!("the mean of {spk}"))?;
        means.write(&spk, &mean)?;
        if let Some(num_utts) = &mut num_utts {
            num_utts.write(&spk, &count)?;
        }
        tally.done += 1;
        utts_done += count;
    }
    log!(
        "Computed mean of {} speakers ({} with no utterances), consisting of {utts_done} utterances ({utts_missing} absent \
         from input).",
        tally.done,
        tally.failed
    );
    if moments.count() > 0 {
        log!(
            "Norm of mean of speakers is {}, root-mean-square speaker-iVector length divided by sqrt(dim) is {}",
            general(moments.mean().norm()),
            general((moments.mean_square() / moments.sum().dim() as f64).sqrt())
        );
    }
    ivectors.finish()?;
    means.finish()?;
    num_utts.map_or(Ok(()), TableWriter::finish)?;
    Ok(tally)
}
