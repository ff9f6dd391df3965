//! Makes a data directory of a folder of sound, or of a manifest of another program.
//!
//! Kaldi has no such program.

use anyhow::bail;
use bstr::{BString, ByteSlice};
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_corpus::{
    DataDirectory, Extra, FeatureCopies, Manifest, ManifestOptions, NamedCorpus, Naming, PathPattern, SoundCopies,
    SoundForm, SpeakerRule, UtteranceRule, Utterances, check_folder_name, expand_pattern,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{Commands, Output, OutputSet, Rxfilename};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::existing_folder;

const USAGE: &str = "\
Makes a data directory (wav.scp, utt2spk, spk2utt, text, segments) of a folder of sound, or of a manifest of another program:
  folder     sound in it and below; x.normalized.txt, x.txt or x.lab is the text of x.wav, or a line of a *.trans.txt beside it
  csv, tsv   lines after one of names: path, sentence or text, client_id or speaker, id, offset, duration (Common Voice)
  nemo       lines of JSON: audio_filepath, duration, text, offset, speaker, utt_id, lang; with shard_id, sound is in tar files
  wenet      lines of JSON: key, wav, txt, start, end
  lhotse     cuts.jsonl, or a folder with it, or with *recordings*.jsonl and *supervisions*.jsonl; also with .gz, and .json. segments is
             written always; features in archives stay there, those of NumPy become feats.ark
  shar       a Shar folder of lhotse: WAV stays in its tar files, other sound is copied
  parquet, arrow
             Parquet or Arrow with sound inside (Hugging Face, CosyVoice), which is copied, or with its paths; a list of such files,
             a folder of Parquet, or a folder that save_to_disk of datasets wrote
An utterance whose name does not start with that of its speaker gets <speaker>- before it. If some utterances have text, the
others are left out. The files appear when all are complete. Options without effect, and columns or entries that are asked for and
nowhere, are errors.

Usage: make-data-dir [options] <folder-or-manifest> [<folder-or-manifest> ...] <data-dir>
 e.g.: make-data-dir --spk-from=dir LibriSpeech/dev-clean data/dev
       make-data-dir --utt-from='regex:([^/]+)/[^/]+$' --spk-from='regex:^([^/]+)' corpus data/corpus
       make-data-dir cv-corpus/de/train.tsv data/train
       make-data-dir --audio-dir=/corpora/sound manifest.json data/train
       make-data-dir --split=train librispeech_asr/all data/train
       make-data-dir my-dataset-saved-to-disk data/train
       make-data-dir --shards='nemo/audio__OP_0..127_CL_.tar' nemo/tarred_audio_manifest.json data/train
       make-data-dir cuts_train.jsonl.gz data/train
       make-data-dir --extra=snr,emotion shar/train data/train
See also: export-data-dir, table-check, make-raw-list, make-shard-list, compute-fbank-feats
";

#[derive(clap::Args)]
struct Options {
    /// What the first argument is: auto, folder, csv, tsv, nemo, wenet, lhotse, shar, or parquet or arrow (bytes tell which)
    #[arg(long, alias = "from", default_value = "auto", value_parser = kaldi_cli::one_of(&FORMATS))]
    format: Format,
    /// Names of utterances that have none: name (that of the file without its suffix), path (that below the folder, with - for
    /// /) or regex:R (the first group of R in the path below the folder)
    #[arg(long, default_value = "name", value_parser = utterance_rule)]
    utt_from: UtteranceRule,
    /// Speakers of utterances that have none: utt (the utterance), dir (the name of the file's folder) or regex:R (the first group of R in
    /// the path below the folder)
    #[arg(long, default_value = "utt", value_parser = speaker_rule)]
    spk_from: SpeakerRule,
    /// Folder of the sound that a manifest does not name by absolute paths; by default clips in the folder of the manifest, or that
    /// folder, if the sound is there
    #[arg(long)]
    audio_dir: Option<Arg>,
    /// Column or entry of the sound, in place of the usual ones (of CSV, TSV, NeMo, WeNet, Parquet and Arrow); a dot leads into one: audio.bytes
    #[arg(long)]
    audio_field: Option<String>,
    /// Column or entry of the text
    #[arg(long)]
    text_field: Option<String>,
    /// Column or entry of the name of the utterance
    #[arg(long)]
    utt_field: Option<String>,
    /// Column or entry of the speaker
    #[arg(long)]
    speaker_field: Option<String>,
    /// Column or entry of the language
    #[arg(long)]
    language_field: Option<String>,
    /// Column or entry of the gender
    #[arg(long)]
    gender_field: Option<String>,
    /// Split of Parquet or Arrow that has several, such as train
    #[arg(long)]
    split: Option<String>,
    /// What happens to sound: auto (stays where it is, if a line of wav.scp can name it; other sound is copied), copy (all that lies
    /// inside of other files becomes files in <data-dir>/wav, bytes unchanged) or wav (all of that becomes one archive <data-dir>/wav.ark,
    /// as WAV of 16 bits)
    #[arg(long, default_value = "auto", value_parser = kaldi_cli::one_of(&SOUNDS))]
    audio: Sound,
    /// Other columns or entries that become tables utt2<name>: none, all, or names with commas between them
    #[arg(long, default_value = "none", value_parser = extra)]
    extra: Extra,
    /// The tar files of a tarred manifest of NeMo; by default audio_<shard>.tar beside it
    #[arg(long)]
    shards: Option<Arg>,
    /// Make an utterance of each channel of a cut that has several
    #[arg(long)]
    split_channels: bool,
    /// Take commands that a manifest names in place of files, which the next tool runs: only for manifests that you trust like scripts
    #[arg(long)]
    allow_commands: bool,
    /// End with an error if some utterances have text and others have none, or if anything else would be left out
    #[arg(long)]
    strict: bool,
    #[arg(required = true)]
    sources: Vec<InputName>,
    folder: Arg,
}

/// What happens to sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sound {
    Auto,
    Copy,
    Wav,
}

const SOUNDS: [(&str, Sound); 3] = [("auto", Sound::Auto), ("copy", Sound::Copy), ("wav", Sound::Wav)];

fn extra(text: &str) -> Result<Extra, String> {
    Ok(match text {
        "none" | "" => Extra::None,
        "all" => Extra::All,
        names => Extra::Named(names.split(',').map(str::to_owned).collect()),
    })
}

/// What the first argument is.
#[derive(Clone, Copy, Debug)]
enum Format {
    Auto,
    Folder,
    Manifest(Manifest),
}

const FORMATS: [(&str, Format); 10] = [
    ("auto", Format::Auto),
    ("folder", Format::Folder),
    ("csv", Format::Manifest(Manifest::Csv)),
    ("tsv", Format::Manifest(Manifest::Tsv)),
    ("nemo", Format::Manifest(Manifest::Nemo)),
    ("wenet", Format::Manifest(Manifest::Wenet)),
    ("lhotse", Format::Manifest(Manifest::Lhotse)),
    ("shar", Format::Manifest(Manifest::Shar)),
    ("parquet", Format::Manifest(Manifest::Columns)),
    ("arrow", Format::Manifest(Manifest::Columns)),
];

fn utterance_rule(text: &str) -> Result<UtteranceRule, String> {
    match (text, text.strip_prefix("regex:")) {
        ("name", _) => Ok(UtteranceRule::Name),
        ("path", _) => Ok(UtteranceRule::Path),
        (_, Some(pattern)) => pattern.parse::<PathPattern>().map(UtteranceRule::Pattern),
        _ => Err("expected name, path or regex:R".to_owned()),
    }
}

fn speaker_rule(text: &str) -> Result<SpeakerRule, String> {
    match (text, text.strip_prefix("regex:")) {
        ("utt", _) => Ok(SpeakerRule::Utterance),
        ("dir", _) => Ok(SpeakerRule::Folder),
        (_, Some(pattern)) => pattern.parse::<PathPattern>().map(SpeakerRule::Pattern),
        _ => Err("expected utt, dir or regex:R".to_owned()),
    }
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(make_data_dir)).whole("a data directory is sorted as a whole");

fn make_data_dir(opts: Options) -> anyhow::Result<Tally> {
    let mut sources = Vec::new();
    for source in &opts.sources {
        sources.extend(expand_pattern(source.as_bstr())?);
    }
    let found = match manifest(&opts, &sources)? {
        Some(manifest) => Utterances::of_manifests(&sources, manifest, &opts.manifest_options())?,
        None => {
            opts.manifest_options().check(None)?;
            Utterances::of_folders(&sources, opts.strict)?
        }
    };
    let mut naming = Naming::default();
    (naming.utterance, naming.speaker, naming.strict) = (opts.utt_from.clone(), opts.spk_from.clone(), opts.strict);
    let mut corpus = NamedCorpus::new(found, &naming)?;
    let folder = opts.folder.as_path();
    if corpus.has_sound_inside() || corpus.has_arrays() {
        check_folder_name(&opts.folder)?;
    }
    kaldi_cli::expect_folder(&opts.folder, &[])?;
    let _created = kaldi_io::make_folder(folder)?;
    // Those of copied sound and features are not known yet.
    let files = corpus.files().into_iter().chain([DataDirectory::UTT2DUR, DataDirectory::FEATS_SCP].map(str::to_owned));
    existing_folder::tables(folder, &files.collect::<Vec<_>>())?;
    let mut copies = None;
    if corpus.has_sound_inside() {
        let form = if opts.audio == Sound::Wav { SoundForm::Archive } else { SoundForm::Files };
        corpus.copy_sound(copies.insert(SoundCopies::create(folder, form)?), kaldi_cli::num_threads())?;
    }
    let mut features = None;
    if corpus.has_arrays() {
        corpus.copy_features(features.insert(FeatureCopies::create(folder)?))?;
    }
    write(folder, &corpus, copies, features)?;
    for sentence in corpus.left_out() {
        warning!("{sentence}");
    }
    log!("Wrote {} utterances of {} recordings.", corpus.num_utterances(), corpus.num_recordings());
    Ok(Tally::new(corpus.num_utterances() as u64, 0))
}

/// What the sources are, which are of one kind. `None` if they are folders of sound.
fn manifest(opts: &Options, sources: &[BString]) -> anyhow::Result<Option<Manifest>> {
    match opts.format {
        Format::Folder => return Ok(None),
        Format::Manifest(manifest) => return Ok(Some(manifest)),
        Format::Auto => {}
    }
    let mut first = None;
    for source in sources {
        let is_plain = matches!(Rxfilename::parse(source.as_ref()), Ok(Rxfilename::File(_)));
        if !is_plain && !Path::new(OsStr::from_bytes(source)).is_dir() {
            bail!("{source}: expected --format= for a stream, which is read once");
        }
        let kind = Manifest::detect(source.as_ref())?;
        if *first.get_or_insert(kind) != kind {
            bail!("{source}: expected a source of the same kind as {}, got another one", sources[0]);
        }
    }
    Ok(first.flatten())
}

impl Options {
    fn manifest_options(&self) -> ManifestOptions {
        let mut options = ManifestOptions::default();
        options.audio_dir = self.audio_dir.as_deref().map(ToOwned::to_owned);
        options.commands = Commands::allowed(self.allow_commands);
        options.fields.audio.clone_from(&self.audio_field);
        options.fields.text.clone_from(&self.text_field);
        options.fields.utterance.clone_from(&self.utt_field);
        options.fields.speaker.clone_from(&self.speaker_field);
        options.fields.language.clone_from(&self.language_field);
        options.fields.gender.clone_from(&self.gender_field);
        options.split.clone_from(&self.split);
        options.extra = self.extra.clone();
        options.shards = self.shards.as_deref().map(ToOwned::to_owned);
        (options.split_channels, options.strict) = (self.split_channels, self.strict);
        options.copies_all = self.audio != Sound::Auto;
        options
    }
}

/// Writes the files, which appear together.
fn write(
    folder: &Path,
    corpus: &NamedCorpus,
    copies: Option<SoundCopies>,
    features: Option<FeatureCopies>,
) -> anyhow::Result<()> {
    let files = corpus.files();
    let mut set = OutputSet::default();
    copies.map_or(Ok(()), |copies| copies.add_to(&mut set))?;
    features.map_or(Ok(()), |features| features.add_to(&mut set))?;
    // Without the last one nothing is complete.
    for name in files.iter().rev() {
        let path = folder.join(name);
        let mut output = Output::create_file(&path, path.display().to_string(), false)?;
        corpus.write(name, |lines| output.write_all(lines))?;
        set.add(output)?;
    }
    existing_folder::replace(&mut set, folder, files);
    Ok(set.finish()?)
}
