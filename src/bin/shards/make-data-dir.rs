//! Makes a data directory of a folder of sound, or of a manifest of another program.
//!
//! Kaldi has no such program.

use anyhow::{Context, bail};
use bstr::ByteSlice;
use kaldi_cli::{Arg, InputName, Tally, unless_forced};
use kaldi_corpus::{
    Manifest, ManifestOptions, NamedCorpus, Naming, PathPattern, SpeakerRule, UtteranceRule, Utterances,
};
use kaldi_io::{Commands, Output, Rxfilename};
use kaldi_log::{log, warning};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const USAGE: &str = "\
Makes a data directory (wav.scp, utt2spk, spk2utt, text, segments) of a folder of sound, or of a manifest of another program:
  folder     sound in it and below; x.normalized.txt, x.txt or x.lab is the text of x.wav, or a line of a *.trans.txt beside it
  csv, tsv   lines after one of names: path, sentence or text, client_id or speaker, id, offset, duration (Common Voice)
  nemo       lines of JSON: audio_filepath, duration, text, offset, speaker, utt_id
  wenet      lines of JSON: key, wav, txt, start, end
  lhotse     a folder with *recordings*.jsonl and *supervisions*.jsonl, or those with .gz
An utterance whose name does not start with that of its speaker gets <speaker>- before it. If some utterances have text, the
others are left out. The files appear when all are complete.

Usage: make-data-dir [options] <folder-or-manifest> <data-dir>
 e.g.: make-data-dir --spk-from=dir LibriSpeech/dev-clean data/dev
       make-data-dir --utt-from='regex:([^/]+)/[^/]+$' --spk-from='regex:^([^/]+)' corpus data/corpus
       make-data-dir cv-corpus/de/train.tsv data/train
       make-data-dir --audio-dir=/corpora/sound manifest.json data/train
See also: export-data-dir, table-check, make-raw-list, make-shard-list, compute-fbank-feats
";

#[derive(option_table::Options)]
struct Options {
    /// What the first argument is: auto, folder, csv, tsv, nemo, wenet or lhotse
    #[option(old_name = "from", default = "auto", one_of = &FORMATS)]
    format: Format,
    /// Names of utterances that have none: name (that of the file without its suffix), path (that below the folder, with - for
    /// /) or regex:R (the first group of R in the path below the folder)
    #[option(default = "name", parse = utterance_rule)]
    utt_from: UtteranceRule,
    /// Speakers of utterances that have none: utt (the utterance), dir (the name of the file's folder) or regex:R (the first group of R in
    /// the path below the folder)
    #[option(default = "utt", parse = speaker_rule)]
    spk_from: SpeakerRule,
    /// Folder of the sound that a manifest does not name by absolute paths; by default clips in the folder of the manifest, or that
    /// folder, if the sound is there
    #[option]
    audio_dir: Option<Arg>,
    /// Take commands that a manifest names in place of files, which the next tool runs: only for manifests that you trust like scripts
    #[option]
    allow_commands: bool,
    /// End with an error if some utterances have text and others have none
    #[option]
    strict: bool,
    source: InputName,
    folder: Arg,
}

/// What the first argument is.
#[derive(Clone, Copy, Debug)]
enum Format {
    Auto,
    Folder,
    Manifest(Manifest),
}

const FORMATS: [(&str, Format); 7] = [
    ("auto", Format::Auto),
    ("folder", Format::Folder),
    ("csv", Format::Manifest(Manifest::Csv)),
    ("tsv", Format::Manifest(Manifest::Tsv)),
    ("nemo", Format::Manifest(Manifest::Nemo)),
    ("wenet", Format::Manifest(Manifest::Wenet)),
    ("lhotse", Format::Manifest(Manifest::Lhotse)),
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

/// Files of a data directory that would not fit other utterances.
const FILES: [&str; 5] = ["wav.scp", "utt2spk", "spk2utt", "text", "segments"];

fn make_data_dir(opts: Options) -> anyhow::Result<Tally> {
    let source = opts.source.as_bstr();
    let path = Path::new(OsStr::from_bytes(source));
    let is_plain = matches!(Rxfilename::parse(source), Ok(Rxfilename::File(_)));
    let manifest = match opts.format {
        Format::Folder => None,
        Format::Manifest(manifest) => Some(manifest),
        Format::Auto if is_plain || path.is_dir() => Manifest::detect(source)?,
        Format::Auto => bail!("{}: expected --format= for a stream, which is read once", opts.source),
    };
    let mut options = ManifestOptions::default();
    options.audio_dir = opts.audio_dir.as_deref().map(ToOwned::to_owned);
    options.commands = Commands::allowed(opts.allow_commands);
    let found = match manifest {
        Some(manifest) => Utterances::of_manifest(source, manifest, &options)?,
        None => Utterances::of_folder(path)?,
    };
    let mut naming = Naming::default();
    (naming.utterance, naming.speaker, naming.strict) = (opts.utt_from, opts.spk_from, opts.strict);
    let corpus = NamedCorpus::new(found, &naming)?;
    write(opts.folder.as_path(), &corpus)?;
    if corpus.num_left_out() > 0 {
        warning!("{} utterances have no text, and were left out", corpus.num_left_out());
    }
    log!("Wrote {} utterances of {} recordings.", corpus.num_utterances(), corpus.num_recordings());
    Ok(Tally::new(corpus.num_utterances() as u64, 0))
}

/// Writes the files, which appear together.
fn write(folder: &Path, corpus: &NamedCorpus) -> anyhow::Result<()> {
    let files = corpus.files();
    let is_written = |file: &str| files.iter().any(|(name, _)| *name == file);
    let old: Vec<&str> = FILES.into_iter().filter(|file| !is_written(file) && folder.join(file).exists()).collect();
    unless_forced(match old.as_slice() {
        [] => Ok(()),
        [first, ..] => Err(format!(
            "{}: it is there from before, and the new utterances have no such file: remove it, or choose another folder",
            folder.join(first).display()
        )),
    })?;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut outputs = Vec::new();
    for (name, content) in &files {
        let path = folder.join(name);
        let mut output = Output::create_file(&path, path.display().to_string(), false)?;
        output.write_all(content)?;
        outputs.push(output);
    }
    // Nothing gets its name before all is written.
    outputs.into_iter().try_for_each(Output::finish)?;
    for file in old {
        std::fs::remove_file(folder.join(file)).with_context(|| format!("cannot remove {file}"))?;
    }
    Ok(())
}
