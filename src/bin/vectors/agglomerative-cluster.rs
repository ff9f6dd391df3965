//! Clusters the segments of recordings by speaker.
//!
//! Matches Kaldi's `agglomerative-cluster`, except that an empty or non-square matrix of scores, and another number of
//! segments, are errors (Kaldi fails an assertion, reads beyond its memory, or leaves segments out), and that more than
//! 65535 segments can be clustered.

use bstr::BStr;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_ivector::Clustering;
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};
use kaldi_value::Tokens;

const USAGE: &str = "\
Clusters the segments of each recording by the scores of all pairs of them, for speaker diarization: merges the two most
similar clusters until nothing is above the threshold, or there are as many clusters as speakers. The scores are a
matrix for each recording, with rows and columns in the order of the recording's segments. The output is the number of
each segment's cluster.

Usage: agglomerative-cluster [options] <scores-rspecifier> <reco2utt-rspecifier> <labels-wspecifier>
 e.g.: agglomerative-cluster --threshold=0.5 scp:scores.scp ark:reco2utt ark,t:labels
See also: ivector-plda-scoring-dense
";

#[derive(clap::Args)]
struct Options {
    /// Table of the number of speakers of each recording; there will be as many clusters, and no threshold
    #[arg(long)]
    reco2num_spk_rspecifier: Option<MapName>,
    /// Merge clusters if their similarity is at least this, or their cost at most this
    #[arg(long, default_value_t = 0.0)]
    threshold: f32,
    /// The scores are costs, the smaller the more similar
    #[arg(long)]
    read_costs: bool,
    /// If there are more segments, cluster consecutive parts of this size first, and then their clusters
    #[arg(long, default_value_t = i32::from(i16::MAX))]
    first_pass_max_utterances: i32,
    /// No cluster gets more than this share of the segments (only with --reco2num-spk-rspecifier, and from 1 / num-spk
    /// to 1)
    #[arg(long, default_value_t = 1.0)]
    max_spk_fraction: f32,
    scores: InputName,
    reco2utt: MapName,
    labels: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(agglomerative_cluster)).by_entry(0);

fn agglomerative_cluster(opts: Options) -> anyhow::Result<Tally> {
    let scores = SequentialReader::<Matrix<f32>>::open(&opts.scores)?;
    let reco2utt = RandomAccessReader::<Tokens>::open(&opts.reco2utt)?;
    let reco2num = opts.reco2num_spk_rspecifier.as_ref().map(RandomAccessReader::<i32>::open);
    let mut labels = TableWriter::create(&opts.labels)?;
    let format = labels.format();

    let rows = scores.par_map_with((reco2utt, reco2num.transpose()?), move |entry, (utts, num_spk)| {
        let mut costs = entry.read()?;
        if !opts.read_costs {
            costs.scale(-1.0);
        }
        let Some(utts) = utts else { return Err("no list of utterances".into()) };
        let utts: Vec<&BStr> = utts.iter().collect();
        if utts.len() != costs.num_rows() {
            let (rows, num_utts) = (costs.num_rows(), utts.len());
            let message = format!("expected {rows} utterances, one for each row of scores, got {num_utts}");
            return Err(message.into());
        }
        let num_spk = match num_spk {
            Some(None) => return Err("no number of speakers".into()),
            Some(Some(num_spk)) => Some(*num_spk),
            None => None,
        };
        let numbers = opts.clustering(num_spk).cluster(&costs)?;
        let label = |(&utt, number): (&&BStr, u32)| Record::new(utt, &(number as i32), format);
        Ok(utts.iter().zip(numbers).map(label).collect::<Vec<Record<i32>>>())
    });
    let mut done = 0;
    let ended = rows.drain(|_, row| {
        for record in row {
            labels.put(record)?;
        }
        done += 1;
        anyhow::Ok(())
    })?;
    ended.finish()?;
    labels.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}

impl Options {
    fn clustering(&self, num_spk: Option<i32>) -> Clustering {
        let first_pass_max_points = u32::try_from(self.first_pass_max_utterances).unwrap_or(0);
        let Some(num_spk) = num_spk else {
            let threshold = if self.read_costs { self.threshold } else { -self.threshold };
            return Clustering { threshold, min_clusters: 1, first_pass_max_points, max_cluster_fraction: 1.0 };
        };
        let fraction = self.max_spk_fraction;
        let is_possible = (1.0 / f64::from(num_spk)..=1.0).contains(&f64::from(fraction));
        Clustering {
            threshold: f32::MAX,
            min_clusters: u32::try_from(num_spk).unwrap_or(0),
            first_pass_max_points,
            max_cluster_fraction: if is_possible { fraction } else { 1.0 },
        }
    }
}
