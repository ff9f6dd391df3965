//! Scores the pronunciation of phones.
//!
//! Matches Kaldi's `compute-gop`, except that it works without `--phone-map`, too, which in Kaldi ends with a failed assertion,
//! and that alignments that do not fit each other are errors.

use anyhow::Context;
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_hmm::{PhoneMap, PhonePronunciation, PronunciationScorer, TransitionModel, parse_phones};
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter, read_file};
use kaldi_value::Posterior;

const USAGE: &str = "\
Computes the goodness of pronunciation of each phone of an utterance: how much less probable it is than the most probable
phone, by the outputs of a network. Writes the goodness of the phones of an utterance as a posterior with one phone in each
\"frame\", and features of each phone, with a number after the key of the utterance.

Usage: compute-gop [options] <model-rxfilename> <transition-alignments-rspecifier> <phone-alignments-rspecifier> <prob-matrices-rspecifier> <gop-wspecifier> <features-wspecifier>
 e.g.: compute-gop --phone-map=pure.map final.mdl ark:ali.1 ark:phones.1 ark:output.1.ark ark,t:gop.1 ark:phone_feats.1
See also: ali-to-phones
";

#[derive(clap::Args)]
struct Options {
    /// Whether the matrices have logarithms of probabilities
    #[arg(long, default_value_t = true)]
    log_applied: bool,
    /// Rxfilename of a map of phones: lines of a phone and the phone that it counts as
    #[arg(long)]
    phone_map: Option<InputName>,
    /// Phones, with colons between them, that are not scored
    #[arg(long = "skip_phones_string", default_value = "0")]
    skip_phones_string: Arg,
    model: InputName,
    alignments: InputName,
    phones: InputName,
    source: InputName,
    target: OutputName,
    features: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_gop)).by_entry(1);

fn compute_gop(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let map = opts.phone_map.as_ref().map(|name| PhoneMap::read(name)).transpose()?;
    let skipped = parse_phones(&opts.skip_phones_string).context("invalid --skip-phones-string")?;
    let scorer = PronunciationScorer::new(&model, map, &skipped)?;
    let phones = RandomAccessReader::<Vec<i32>>::open(&opts.phones)?;
    let alignments = RandomAccessReader::<Vec<i32>>::open(&opts.alignments)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::<Posterior>::create(&opts.target)?;
    let mut features = TableWriter::<Vector<f32>>::create(&opts.features)?;

    let rows = source.par_map_with((phones, alignments), move |entry, (phones, alignment)| {
        let key = entry.key();
        let Some(phones) = phones else {
            warning!("No phoneme alignment for utterance {key}");
            return Ok(None);
        };
        let Some(alignment) = alignment else {
            warning!("No transition alignment for utterance {key}");
            return Ok(None);
        };
        let mut probabilities = entry.read()?;
        if opts.log_applied {
            probabilities.as_mut_slice().iter_mut().for_each(|value| *value = value.exp());
        }
        if phones.len() != probabilities.num_rows() {
            warning!("{key}: The frame numbers of alignment and prob are not equal.");
        }
        Ok(Some(scorer.score(&phones, &model.split_to_phones(&alignment)?, &probabilities)?))
    });
    let mut tally = Tally::default();
    let ended = rows.drain(|key, row| {
        let Some(row) = row else {
            tally.failed += 1;
            return Ok(());
        };
        for (phone, number) in row.iter().zip(0..) {
            features.write(format!("{key}.{number}"), &Vector::from_vec(phone.features.clone()))?;
        }
        let goodness = |phone: &PhonePronunciation| vec![(phone.phone, phone.goodness)];
        target.put(Record::new(key, &Posterior(row.iter().map(goodness).collect()), target.format()))?;
        tally.done += 1;
        anyhow::Ok(())
    })?;
    log!("Processed {} prob matrices.", tally.done);
    ended.finish()?;
    target.finish()?;
    features.finish()?;
    Ok(tally)
}
