//! Makes a Shar folder of lhotse: cuts, and tar files of their sound and features.
//!
//! Kaldi has no such program.

use anyhow::{Result, ensure};
use array_files::{DType, npy};
use bstr::BString;
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_corpus::shar::{CutArray, CutUtterance, PackedCut, SharAudio, SharOptions, SharPacking, SharWriter};
use kaldi_corpus::shard::{SegmentGroup, ShardCompression, Stored};
use kaldi_corpus::{DataDirectory, DirectoryContent, DirectoryTables, DirectoryUtterance};
use kaldi_io::WorkStage;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_reader::{ReaderExt, from_fn, par_map};
use kaldi_table::read_file;

use crate::skip::Skip;

const USAGE: &str = "\
Makes a Shar folder of lhotse of a data directory, a cut for each utterance, in the order of utt2spk:
  cuts.000000.jsonl.gz   names, text, speaker; language and gender of utt2lang and spk2gender; other tables utt2<name> as custom
  recording.000000.tar   sound, that of segments cut
  features.000000.tar    with feats.scp: arrays of float32 (.npy); frame_shift has the seconds from frame to frame, else 0.01
CutSet.from_shar(in_dir=...) reads it, shar:<folder> in tools here. lhotse takes every file of the folder for a field, so nothing
else may be there.

Usage: make-shar [options] <data-dir> <shar-dir>
 e.g.: make-shar data/train shar/train
       make-shar --audio=flac --num-utts-per-shard=500 data/train shar/train
       make-shar --compress=none --index=lhotse data/train shar/train
Utterances whose sound is missing or broken and segments outside of their recordings are skipped with a warning; with --strict
each is an error.
See also: make-data-dir, index-shards, export-data-dir, make-shard-list
";

/// Bytes of recordings that are processed at the same time.
const IN_FLIGHT: usize = 16 << 20;

#[derive(clap::Args)]
struct Options {
    /// wav: WAV of 16 bits; flac: FLAC of 16 bits; copy: files unchanged. Finer samples are rounded by the first two
    #[arg(long, default_value = "wav", value_parser = kaldi_cli::one_of(&AUDIO))]
    audio: Audio,
    /// The most utterances of a file of cuts
    #[arg(long, default_value_t = 1000)]
    num_utts_per_shard: u32,
    /// Compress the files of cuts: gzip or none
    #[arg(long, default_value = "gzip", value_parser = kaldi_cli::one_of(&ShardCompression::NAMES))]
    compress: ShardCompression,
    /// Write an index beside each file that is not compressed: lhotse, for its version 2. Version 1 takes it for a field and fails
    #[arg(long, value_parser = kaldi_cli::one_of(&INDEX))]
    index: Option<Index>,
    /// Only the utterances whose keys begin the lines of this list; table-jobs gives each piece its own
    #[arg(long)]
    utts: Option<InputName>,
    /// End with an error if an utterance would be skipped
    #[arg(long)]
    strict: bool,
    data: Arg,
    folder: Arg,
}

/// What becomes of sound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audio {
    Wav,
    Flac,
    Copy,
}

const AUDIO: [(&str, Audio); 3] = [("wav", Audio::Wav), ("flac", Audio::Flac), ("copy", Audio::Copy)];

/// A kind of index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    Lhotse,
}

const INDEX: [(&str, Index); 1] = [("lhotse", Index::Lhotse)];

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(make_shar)).in_pieces(&[(
    kaldi_cli::PiecesIf::Always,
    kaldi_cli::Pieces::Utterances(kaldi_cli::UtterancePieces {
        folder: 0,
        list: DataDirectory::UTT2SPK,
        output: 1,
        is_joined: false,
    }),
)]);

/// A recording and utterances of it, each with the place of its features.
struct Job {
    recording: Stored,
    utterances: Vec<(CutUtterance, Option<String>)>,
    /// The bytes that they take, about.
    size: usize,
}

fn make_shar(opts: Options) -> Result<Tally> {
    ensure!(opts.num_utts_per_shard > 0, "expected --num-utts-per-shard to be 1 or more, got 0");
    let path = opts.data.as_path();
    let mut directory = DirectoryContent::read(path)?;
    opts.utts.iter().try_for_each(|utts| directory.keep_only(utts))?;
    let is_cut = |utterance: &DirectoryUtterance| utterance.times.is_some() || utterance.channel.is_some();
    ensure!(
        opts.audio != Audio::Copy || !directory.utterances.iter().any(is_cut),
        "expected --audio=wav or --audio=flac with segments, got --audio=copy: segments are cut"
    );
    let tables = DirectoryTables::read(path)?;
    let packing =
        SharPacking { audio: opts.audio.of()?, frame_shift: tables.frame_shift, has_features: tables.has_features() };
    let options = SharOptions {
        folder: {
            kaldi_cli::expect_folder(&opts.folder, &[])?;
            opts.folder.as_path().to_owned()
        },
        max_cuts: opts.num_utts_per_shard.into(),
        gzip: opts.compress == ShardCompression::Gzip,
        has_features: packing.has_features,
        index: opts.index.is_some(),
    };
    let mut shar = SharWriter::create(options, directory.utterances.len() as u64)?;
    let stage = WorkStage::begin("packing", "utterances", Some(directory.utterances.len() as u64));
    let mut skip = Skip::new(opts.strict);
    let mut losses = Losses::default();
    let mut next = 0;
    let jobs = from_fn(move |_| Ok::<_, anyhow::Error>(next_job(&directory, &tables, &mut next)));
    let weigh = |job: &Job| job.size;
    for outcomes in
        par_map(jobs, kaldi_cli::num_threads, move |job| Ok(work(&packing, job))).in_flight(IN_FLIGHT, weigh).iter()
    {
        for (key, outcome) in outcomes? {
            stage.step();
            match outcome {
                Ok(cut) => {
                    shar.put(&cut)?;
                    losses.add(&key, cut.loss);
                }
                Err(message) => skip.utterance(&key, &message)?,
            }
        }
    }
    losses.tell();
    let (done, num_files) = (shar.num_cuts(), shar.num_files());
    shar.finish()?;
    log!("Wrote {done} cuts to {num_files} files of cuts, skipped {}.", skip.count);
    Ok(Tally::new(done, skip.count))
}

/// Makes the cuts of a job.
fn work(packing: &SharPacking, job: Job) -> Vec<(String, Result<PackedCut, String>)> {
    let mut failed = Vec::new();
    let mut utterances = Vec::new();
    for (mut utterance, features) in job.utterances {
        match features.map(|place| array(&place)).transpose() {
            Ok(array) => {
                utterance.features = array;
                utterances.push(utterance);
            }
            Err(message) => failed.push((utterance.key, Err(message))),
        }
    }
    let keys: Vec<String> = utterances.iter().map(|utterance| utterance.key.clone()).collect();
    failed.into_iter().chain(keys.into_iter().zip(packing.pack(&job.recording, utterances))).collect()
}

/// Features as a file of NumPy.
fn array(place: &str) -> Result<CutArray, String> {
    let matrix = read_file::<Matrix<f32>>(place).map_err(|error| error.to_string())?;
    let (num_frames, num_features) = (matrix.num_rows(), matrix.num_cols());
    let mut npy = npy::header(DType::Float32, &[num_frames as u64, num_features as u64]);
    for row in 0..num_frames {
        npy.extend(matrix.row(row).iter().flat_map(|value| value.to_le_bytes()));
    }
    Ok(CutArray { npy, num_frames, num_features })
}

/// The next utterance, or the next ones of one recording.
fn next_job(directory: &DirectoryContent, tables: &DirectoryTables, next: &mut usize) -> Option<Job> {
    let first = directory.utterances.get(*next)?;
    let recording = &directory.recordings[first.recording];
    let stored = Stored::Named(BString::from(recording.audio.as_str()));
    let group = SegmentGroup::of(&stored, first.times.is_some());
    let mut utterances = Vec::new();
    while let Some(utterance) = directory.utterances.get(*next).filter(|it| it.recording == first.recording)
        && utterances.len() < group.most
    {
        utterances.push(told(tables, utterance, &recording.key));
        *next += 1;
    }
    Some(Job { size: group.size(utterances.len()), recording: stored, utterances })
}

/// An utterance with what the tables say, and the place of its features.
fn told(tables: &DirectoryTables, of: &DirectoryUtterance, recording: &str) -> (CutUtterance, Option<String>) {
    let utterance = CutUtterance {
        key: of.key.clone(),
        recording: recording.to_owned(),
        speaker: of.speaker.clone(),
        text: of.text.clone(),
        language: tables.language(&of.key).map(str::to_owned),
        gender: tables.gender(&of.speaker).map(str::to_owned),
        custom: tables.entries(&of.key).map(|(name, value)| (name.to_owned(), value)).collect(),
        times: of.times,
        channel: of.channel,
        features: None,
    };
    (utterance, tables.place_of_features(&of.key).map(str::to_owned))
}

/// Sounds of which something was lost.
#[derive(Default)]
struct Losses {
    count: u64,
    first: Option<String>,
}

impl Losses {
    fn add(&mut self, key: &str, loss: Option<String>) {
        if let Some(loss) = loss {
            self.count += 1;
            self.first.get_or_insert_with(|| format!("{key}: {loss}"));
        }
    }

    fn tell(&self) {
        if let Some(first) = &self.first {
            warning!("the sound of {} utterances is not as it was; the first is {first}", self.count);
        }
    }
}

impl Audio {
    fn of(self) -> Result<SharAudio> {
        Ok(match self {
            Self::Wav => SharAudio::Wav,
            Self::Copy => SharAudio::Copy,
            #[cfg(feature = "codecs")]
            Self::Flac => SharAudio::Flac(kaldi_wave::Wave::to_flac),
            #[cfg(not(feature = "codecs"))]
            Self::Flac => anyhow::bail!(kaldi_cli::MissingFeature("codecs").message("what writes FLAC")),
        })
    }
}
