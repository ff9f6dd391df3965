//! Makes shards of a data directory, and the list of them.
//!
//! Writes the same bytes as WeNet's `make_shard_list.py` for files of PCM at the rate of the shards: fractions are dropped, as
//! in all WAV files that are written here. Samples that are too loud are clipped and counted; the script lets them wrap around. Utterances
//! that cannot be read are skipped and counted; the script leaves a broken shard.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{Arg, InputName, MapName, OutputName, Tally};
use kaldi_corpus::shard::{
    NemoManifests, PackedUtterance, Packing, SegmentGroup, ShardCompression, ShardFormat, ShardIndex, ShardOptions,
    ShardSetWriter, Stored, Utterance, nemo_stem,
};
use kaldi_corpus::{RecordingPart, Segments, are_recordings, read_recordings, read_text};
use kaldi_io::log::{log, warning};
use kaldi_io::{Rspecifier, RspecifierKind, WorkStage};
use kaldi_reader::{ReaderExt, from_fn, par_map};
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::Token;
use kaldi_value::random::Random;
use kaldi_wave::WaveFile;

use crate::skip::Skip;

const USAGE: &str = "\
Makes shards, tar files of sound and text, in the order of the text, and a list of them. Sound becomes WAV of 16 bits at
one rate, or is copied unchanged.

Usage: make-shard-list [options] <wav-scp-rxfilename|wav-rspecifier> <text-rxfilename> <shard-dir> <list-wxfilename>
 e.g.: make-shard-list --num-utts-per-shard=1000 data/wav.scp data/text shards data.list
       make-shard-list --segments=data/segments scp:data/wav.scp data/text shards data.list
       make-shard-list --audio=copy --seed=1 data/wav.scp data/text shards data.list
       make-shard-list --format=nemo --utt2spk=ark:data/utt2spk data/wav.scp data/text nemo nemo.list
With --format=nemo the folder gets audio_0.tar and so on, tarred_audio_manifest.json, and sharded_manifests/manifest_0.json and
so on. / and . in keys are _ in the names of members; utt_id of a line has the key.
Utterances whose sound is missing or broken, segments outside of their recordings and sound without text are skipped with a
warning; with --strict each is an error.
See also: make-raw-list, check-shards, list-shards
";

/// Bytes of recordings that are processed at the same time.
const IN_FLIGHT: usize = 16 << 20;

#[derive(clap::Args)]
struct Options {
    /// wenet (also for webdataset): sound and text are members; nemo: the text is in manifests
    #[arg(long, default_value = "wenet", value_parser = kaldi_cli::one_of(&ShardFormat::NAMES))]
    format: ShardFormat,
    /// The most utterances of a shard
    #[arg(long, default_value_t = 1000)]
    num_utts_per_shard: u32,
    /// Start of the names of shards; if it is not given, shards, or audio with --format=nemo
    #[arg(long)]
    prefix: Option<Arg>,
    /// Speakers of the utterances, for the manifests of --format=nemo
    #[arg(long)]
    utt2spk: Option<MapName>,
    /// File of segments: the text has their keys, and they are parts of the recordings, of the first channel unless they name one
    #[arg(long)]
    segments: Option<InputName>,
    /// Sampling frequency of the sound in shards, in Hz
    #[arg(long, default_value_t = 16000)]
    resample: u32,
    /// wav: convert all sound to WAV of 16 bits; copy: copy files unchanged, with their suffixes
    #[arg(long, default_value = "wav", value_parser = kaldi_cli::one_of(&AUDIO))]
    audio: Audio,
    /// Compress the shards: none or gzip
    #[arg(long, default_value = "none", value_parser = kaldi_cli::one_of(&ShardCompression::NAMES))]
    compress: ShardCompression,
    /// Shuffle the utterances, with this seed; without it they keep their order
    #[arg(long = "seed", alias = "shuffle-seed")]
    shuffle_seed: Option<u32>,
    /// Write an index next to each shard: dali
    #[arg(long, value_parser = kaldi_cli::one_of(&ShardIndex::NAMES))]
    index: Option<ShardIndex>,
    /// End with an error if an utterance would be skipped
    #[arg(long)]
    strict: bool,
    recordings: InputName,
    text: InputName,
    folder: Arg,
    list: OutputName,
}

/// A recording and utterances of it, with the bytes that they take, about, or an utterance without a recording, and the reason.
enum Job {
    Pack(Stored, Vec<Utterance>, usize),
    Skip(String, String),
}

/// The result for an utterance.
type Outcome = (String, Result<PackedUtterance, String>);

/// What becomes of sounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audio {
    Wav,
    Copy,
}

const AUDIO: [(&str, Audio); 2] = [("wav", Audio::Wav), ("copy", Audio::Copy)];

/// Utterances and their texts.
type Texts = Vec<(String, String)>;

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(make_shard_list))
    .writing_lists()
    .whole("shards are numbered over the whole list; a folder for each piece needs --split and --out");

fn make_shard_list(opts: Options) -> Result<Tally> {
    ensure!(opts.num_utts_per_shard > 0, "expected --num-utts-per-shard to be 1 or more, got 0");
    ensure!(opts.resample > 0, "expected --resample to be 1 or more, got 0");
    let is_copied = opts.audio == Audio::Copy;
    ensure!(
        !is_copied || opts.segments.is_none(),
        "expected --audio=wav with --segments, got --audio=copy: segments are cut"
    );
    let prefix = opts.checked_prefix()?;
    let mut tally = Tally::default();
    let mut skip = Skip::new(opts.strict);

    let (mut sounds, segments, text) = opts.read_lists(&mut skip)?;
    let is_nemo = opts.format == ShardFormat::Nemo;
    if is_nemo {
        check_members(&text)?;
    }
    let mut speakers = opts.utt2spk.as_deref().map(SpeakerMap::read).transpose()?;

    let options = ShardOptions {
        format: opts.format,
        folder: (*opts.folder).to_owned(),
        prefix,
        max_samples: opts.num_utts_per_shard.into(),
        max_bytes: u64::MAX,
        gzip: opts.compress == ShardCompression::Gzip,
        dali: opts.index.is_some(),
    };
    let packing =
        Packing { format: opts.format, sample_rate: (!is_copied).then_some(opts.resample), gzip: options.gzip };
    let mut shards = ShardSetWriter::create(options, &opts.list, text.len() as u64)?;
    let mut manifests = is_nemo.then(|| NemoManifests::create(&opts.folder)).transpose()?;
    let stage = WorkStage::begin("packing", "utterances", Some(text.len() as u64));
    let mut text = text.into_iter().peekable();
    let jobs = from_fn(move |_| next_job(&mut text, segments.as_ref(), &mut sounds));
    let work = move |job| -> Result<Vec<Outcome>> {
        Ok(match job {
            Job::Skip(key, reason) => vec![(key, Err(reason))],
            Job::Pack(recording, utterances, _) => {
                let keys: Vec<String> = utterances.iter().map(|utterance| utterance.key.clone()).collect();
                keys.into_iter().zip(packing.pack(&recording, utterances)).collect()
            }
        })
    };
    let weigh = |job: &Job| match job {
        Job::Pack(.., size) => *size,
        Job::Skip(..) => 0,
    };
    let (mut num_clipped, mut num_loud) = (0, 0);
    for outcomes in par_map(jobs, kaldi_cli::num_threads, work).in_flight(IN_FLIGHT, weigh).iter() {
        for (key, outcome) in outcomes? {
            stage.step();
            match outcome {
                Ok(PackedUtterance { sample, num_clipped: clipped, entry }) => {
                    shards.put(&sample)?;
                    num_clipped += clipped;
                    num_loud += u64::from(clipped > 0);
                    if let (Some(manifests), Some(entry)) = (&mut manifests, entry) {
                        let speaker = speakers.as_mut().and_then(|speakers| speakers.find(&key));
                        manifests.add(shards.num_shards() as u64 - 1, &entry, speaker)?;
                    }
                }
                Err(message) => skip.utterance(&key, &message)?,
            }
        }
    }
    (tally.done, tally.failed) = (shards.num_samples(), skip.count);
    if num_clipped > 0 {
        warning!("clipped {num_clipped} samples of {num_loud} utterances. Reduce volume?");
    }
    log!("Wrote {} utterances to {} shards, skipped {}.", tally.done, shards.num_shards(), tally.failed);
    speakers.iter().for_each(SpeakerMap::tell);
    manifests.map_or(Ok(()), |manifests| manifests.add_to(shards.files()))?;
    shards.finish()?;
    Ok(tally)
}

impl Options {
    /// The sounds, the segments, and the texts in the order of the shards.
    fn read_lists(&self, skip: &mut Skip) -> Result<(Sounds, Option<Segments>, Texts)> {
        let mut text = read_text(&self.text)?;
        let (recordings, name) = (&self.recordings, &self.text);
        ensure!(
            !are_recordings(&text),
            "{name}: expected text, got names of recordings: were {recordings} and {name} swapped?"
        );
        let sounds = Sounds::open(recordings)?;
        let segments = self.segments.as_deref().map(Segments::read).transpose()?;
        skip.without_text(&sounds, segments.as_ref(), &text)?;
        let mut seen = HashSet::new();
        for (key, _) in text.extract_if(.., |(key, _)| !seen.insert(key.clone())) {
            skip.utterance(&key, "the text has this key already")?;
        }
        drop(seen);
        if let Some(seed) = self.shuffle_seed {
            Random::seeded(seed).shuffle(&mut text);
        }
        Ok((sounds, segments, text))
    }

    /// How the names of shards start.
    fn checked_prefix(&self) -> Result<BString> {
        let prefix = self.prefix.as_deref().map(ToOwned::to_owned);
        if self.format == ShardFormat::Wenet {
            ensure!(
                self.utt2spk.is_none(),
                "expected --utt2spk with --format=nemo only: other shards have no speakers"
            );
            return Ok(prefix.unwrap_or_else(|| "shards".into()));
        }
        ensure!(
            self.compress == ShardCompression::None,
            "expected no --compress with --format=nemo, whose tars are plain"
        );
        let prefix = prefix.unwrap_or_else(|| "audio".into());
        ensure!(
            prefix.contains_str("audio") && !prefix.contains(&b'/'),
            "expected a --prefix with audio in it, by which NeMo finds the numbers of tars, got {prefix:?}"
        );
        Ok(prefix)
    }
}

/// Makes sure that keys differ as names of members.
fn check_members(text: &[(String, String)]) -> Result<()> {
    let mut seen = HashMap::new();
    for (key, _) in text {
        let stem = nemo_stem(key);
        if let Some(first) = seen.insert(stem.clone(), key) {
            bail!("expected keys that differ as names of members, got {first} and {key}, which are both {stem}");
        }
    }
    Ok(())
}

/// The speakers of utterances, and those that have none.
struct SpeakerMap {
    speakers: HashMap<String, String>,
    num_missing: u64,
    first_missing: String,
}

impl SpeakerMap {
    fn read(name: &BStr) -> Result<Self> {
        let mut speakers = HashMap::new();
        let ended = SequentialReader::<Token>::open(name)?.values().drain(|key, speaker| {
            speakers.insert(key.to_str_lossy().into_owned(), speaker.to_str_lossy().into_owned());
            anyhow::Ok(())
        })?;
        ended.finish()?;
        Ok(Self { speakers, num_missing: 0, first_missing: String::new() })
    }

    fn find(&mut self, key: &str) -> Option<&str> {
        let found = self.speakers.get(key);
        if found.is_none() {
            if self.num_missing == 0 {
                key.clone_into(&mut self.first_missing);
            }
            self.num_missing += 1;
        }
        found.map(String::as_str)
    }

    fn tell(&self) {
        if self.num_missing > 0 {
            warning!("--utt2spk has no speaker of {} utterances, such as {}", self.num_missing, self.first_missing);
        }
    }
}

impl Skip {
    /// Counts segments without text or, if there are no segments, recordings without text.
    fn without_text(&mut self, sounds: &Sounds, segments: Option<&Segments>, text: &[(String, String)]) -> Result<()> {
        let keys: HashSet<&[u8]> = text.iter().map(|(key, _)| key.as_bytes()).collect();
        let mut missing: Vec<&BStr> = match (segments, sounds) {
            (Some(segments), _) => segments.keys().iter().map(|key| key.as_bstr()).collect(),
            (None, Sounds::Script(recordings)) => recordings.keys().map(|key| key.as_bytes().as_bstr()).collect(),
            (None, Sounds::Archive(_)) => Vec::new(),
        };
        missing.retain(|key| !keys.contains(key.as_bytes()));
        missing.sort();
        missing.into_iter().try_for_each(|key| self.utterance(&key.to_str_lossy(), "there is no text of this key"))
    }
}

/// The places of recordings.
enum Sounds {
    Script(HashMap<String, String>),
    Archive(RandomAccessReader<WaveFile>),
}

impl Sounds {
    fn open(name: &BStr) -> Result<Self> {
        Ok(match Rspecifier::parse(name) {
            None => Self::Script(read_recordings(name)?),
            Some(script) if script.kind == RspecifierKind::Script => {
                Self::Script(read_recordings(script.rxfilename.as_ref())?)
            }
            Some(_) => Self::Archive(RandomAccessReader::open(name)?),
        })
    }

    fn find(&mut self, key: &str) -> Result<Option<Stored>> {
        Ok(match self {
            Self::Script(recordings) => recordings.get(key).map(|name| Stored::Named(BString::from(name.as_str()))),
            Self::Archive(archive) => {
                archive.get(key)?.map(|file| Stored::Blob(Arc::unwrap_or_clone(file).into_bytes().into()))
            }
        })
    }
}

/// The next utterance, or the next ones that are segments of one recording.
fn next_job(
    text: &mut std::iter::Peekable<std::vec::IntoIter<(String, String)>>,
    segments: Option<&Segments>,
    sounds: &mut Sounds,
) -> Result<Option<Job>> {
    let Some((key, words)) = text.next() else { return Ok(None) };
    let segment = match segments {
        Some(segments) => match segments.get(&key) {
            None => return Ok(Some(Job::Skip(key, "there is no segment of this key".to_owned()))),
            segment => segment,
        },
        None => None,
    };
    let recording = segment.map_or(key.as_str().into(), |segment| segment.recording.to_str_lossy());
    let Some(sound) = sounds.find(&recording)? else {
        let reason = format!("there is no sound of the key {recording}");
        return Ok(Some(Job::Skip(key, reason)));
    };
    let utterance = |key, text, segment: Option<&RecordingPart>| Utterance {
        key,
        text,
        times: segment.map(|segment| segment.span),
        channel: segment.and_then(|segment| segment.channel),
    };
    let mut utterances = vec![utterance(key, words, segment)];
    let is_same = |key: &String| {
        let other = segments.and_then(|segments| segments.get(key));
        other.filter(|other| segment.is_some_and(|segment| segment.recording == other.recording))
    };
    let group = SegmentGroup::of(&sound, segment.is_some());
    while utterances.len() < group.most
        && let Some((key, words)) = text.next_if(|(key, _)| is_same(key).is_some())
    {
        let segment = is_same(&key);
        utterances.push(utterance(key, words, segment));
    }
    let size = group.size(utterances.len());
    Ok(Some(Job::Pack(sound, utterances, size)))
}
