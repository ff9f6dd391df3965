//! Writes a data directory as a manifest of another program.
//!
//! Kaldi has no such program. WeNet's list has the bytes of `make_raw_list.py`.

use std::collections::HashMap;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{Arg, InputName, OutputName, Pieces, PiecesIf, Tally, UtterancePieces};
use kaldi_corpus::shard::Stored;
use kaldi_corpus::{
    DataDirectory, DirectoryContent, DirectoryTables, ExportAudio, ExportFormat, Exported, HiddenSound, ParquetFile,
    SoundFiles, SoundPlaceKind, SoundSize,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{NewFolder, Output, OutputSet, WorkStage};
use kaldi_matrix::Matrix;
use kaldi_reader::{ReaderExt, from_fn, par_map};
use kaldi_table::{Entry, SequentialReader, WorkError};
use kaldi_wave::{Wave, WaveInfo};

const USAGE: &str = "\
Writes a data directory as a manifest of another program, in the order of utt2spk (wenet: of the text). Durations are those of
the headers of the sound, or of segments:
  nemo     lines of JSON: audio_filepath, duration, offset (with segments), text, speaker, utt_id
  wenet    lines of JSON: key, wav, txt, start and end (with segments), as make-raw-list writes them
  lhotse   a folder with recordings.jsonl.gz, supervisions.jsonl.gz and cuts.jsonl.gz
  csv      id,path,duration,text,speaker, and offset with segments
  parquet  files with the sound in them, which the Python library datasets loads

Usage: export-data-dir [options] --format=<format> <data-dir> (<manifest-wxfilename>|<folder>)
 e.g.: export-data-dir --format=nemo data/train train.json
       export-data-dir --format=nemo --audio=copy data/calls calls.json
       export-data-dir --format=lhotse data/train manifests/train
       export-data-dir --format=parquet --num-utts-per-shard=2000 data/train hub/data
Cuts and Parquet have languages (utt2lang), genders (spk2gender) and all other tables utt2<name>; cuts have the places of
feats.scp, too. Parquet is one file if the name ends in .parquet, otherwise a folder gets files such as
train-00000-of-00002.parquet. Whole recordings keep their bytes, segments are cut and become WAV of 16 bits; commands in
wav.scp are run. nemo, wenet and csv have no channels and no places in archives: --audio=copy makes files of such sound, in the folder
train-wav beside train.json.
See also: make-data-dir, make-raw-list, make-shard-list, wav-to-duration
";

/// The manifests of lhotse in a folder.
const LHOTSE: [&str; 3] = ["recordings.jsonl.gz", "supervisions.jsonl.gz", "cuts.jsonl.gz"];

/// Bytes of recordings that are read at the same time.
const IN_FLIGHT: usize = 16 << 20;
/// Segments of one recording that are cut at the same time.
const MAX_SEGMENTS: usize = 100;

/// Bytes that a longer recording takes, about.
const LONG: usize = 8 << 20;

#[derive(clap::Args)]
struct Options {
    /// What is written: nemo, wenet, lhotse, csv or parquet
    #[arg(long, value_parser = kaldi_cli::one_of(&ExportFormat::NAMES))]
    format: Option<ExportFormat>,
    /// What becomes of whole recordings in Parquet: copy keeps their bytes, and is the default; wav makes WAV of 16 bits. For other
    /// formats the same makes files of sound that they cannot name: that in archives, outputs of commands, single channels
    #[arg(long, value_parser = kaldi_cli::one_of(&ExportAudio::NAMES))]
    audio: Option<ExportAudio>,
    /// The most utterances of a file of Parquet; all of them, if it is not given
    #[arg(long)]
    num_utts_per_shard: Option<u32>,
    /// Start of the names of files of Parquet in a folder; train, if it is not given
    #[arg(long)]
    split: Option<Arg>,
    /// Only the utterances whose keys begin the lines of this list; table-jobs gives each piece its own
    #[arg(long)]
    utts: Option<InputName>,
    folder: Arg,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(export_data_dir)).in_pieces(&[
    (PiecesIf::Is("format", "nemo"), pieces(DataDirectory::UTT2SPK, true)),
    (PiecesIf::Is("format", "wenet"), pieces("text", true)),
    // Each of these is complete: it has a first line, or several files.
    (PiecesIf::Always, pieces(DataDirectory::UTT2SPK, false)),
]);

const fn pieces(list: &'static str, is_joined: bool) -> Pieces {
    Pieces::Utterances(UtterancePieces { folder: 0, list, output: 1, is_joined })
}

fn export_data_dir(opts: Options) -> Result<Tally> {
    let format = opts.format.context("expected --format=nemo, wenet, lhotse, csv or parquet")?;
    let folder = opts.folder.as_path();
    let mut directory = DirectoryContent::read(folder)?;
    opts.utts.iter().try_for_each(|utts| directory.keep_only(utts))?;
    let mut tables = DirectoryTables::read(folder)?;
    if format == ExportFormat::Parquet {
        return export_parquet(&opts, directory, tables);
    }
    let is_for_parquet = opts.num_utts_per_shard.is_some() || opts.split.is_some();
    ensure!(!is_for_parquet, "expected --num-utts-per-shard and --split with --format=parquet only");
    let num_recordings = directory.recordings.len();
    let mut sizes = if directory.needs_sizes(format) { sizes(&directory)? } else { HashMap::new() };
    let hidden = directory.hidden_sounds(format, &sizes)?;
    let files = match opts.audio {
        Some(audio) => {
            let mut files = sound_files(&opts.target, format)?;
            let wanted = hidden.iter().map(|sound| sound.wanted.clone()).collect();
            let names = files.make(wanted, audio, kaldi_cli::num_threads)?;
            directory.name_sounds(&hidden, names, &mut sizes);
            Some(files)
        }
        None => {
            tell(&hidden, format)?;
            None
        }
    };
    if format == ExportFormat::Lhotse && tables.has_features() {
        read_sizes_of_features(folder, &mut tables)?;
    }
    let exported = directory.export(format, &tables, &sizes)?;
    // No manifest appears before the sound that it names.
    files.map_or(Ok(()), finish_files)?;
    match exported {
        Exported::File(lines) => {
            let mut output = Output::create(&opts.target, false)?;
            output.write_all(&lines)?;
            output.finish()?;
        }
        Exported::Folder(files) => {
            let folder = opts.target.as_path();
            let _created = kaldi_io::make_folder(folder)?;
            refuse_manifests(folder)?;
            let mut set = OutputSet::default();
            for (name, content) in files {
                let path = folder.join(name);
                let mut output = Output::create_file(&path, path.display().to_string(), false)?;
                output.write_all(&content)?;
                set.add(output)?;
            }
            let folder = folder.to_owned();
            set.replacing(move || refuse_manifests(&folder).map(|()| Vec::new()));
            set.finish()?;
        }
    }
    log!("Wrote {} utterances of {num_recordings} recordings.", directory.utterances.len());
    Ok(Tally::new(directory.utterances.len() as u64, 0))
}

/// The files of sound beside a manifest.
fn sound_files(target: &OutputName, format: ExportFormat) -> Result<SoundFiles> {
    Ok(match format {
        ExportFormat::Lhotse => SoundFiles::create(target.as_path().join("wav"))?,
        _ => SoundFiles::beside(target)?,
    })
}

fn finish_files(files: SoundFiles) -> Result<()> {
    if files.num_clipped > 0 {
        warning!("clipped {} samples of {} files. Reduce volume?", files.num_clipped, files.num_loud);
    }
    Ok(files.finish()?)
}

/// Warns of sound that other programs do not find; an error if channels would be lost.
fn tell(hidden: &[HiddenSound], format: ExportFormat) -> Result<()> {
    if let Some((sound, channel)) = hidden.iter().find_map(|sound| Some((sound, sound.wanted.channel?))) {
        bail!(
            "{}: expected a manifest that can name channels, got channel {channel} of {}: --audio=copy makes a file of it; \
             --format=parquet, --format=lhotse and make-shar have channels",
            sound.utterance,
            sound.wanted.key
        );
    }
    let of_kind = |kind| hidden.iter().filter(move |sound| sound.kind == kind);
    let num_commands = of_kind(SoundPlaceKind::Command).count();
    // lhotse runs them.
    if num_commands > 0 && format != ExportFormat::Lhotse {
        warning!(
            "{num_commands} recordings are outputs of commands, which other programs do not run; --audio=copy makes files of them"
        );
    }
    if let Some(first) = of_kind(SoundPlaceKind::Inside).next() {
        warning!(
            "{} recordings are inside of archives, which other programs do not read there, such as {} in {}; --audio=copy makes files \
             of them",
            of_kind(SoundPlaceKind::Inside).count(),
            first.wanted.key,
            first.wanted.audio
        );
    }
    Ok(())
}

/// The files of Parquet, of which each has so many rows at most.
struct Files {
    names: std::vec::IntoIter<PathBuf>,
    num_rows: usize,
    /// `None` for a single file.
    others: Option<Others>,
    _created: NewFolder,
}

/// Files of a split in a folder besides these: readers take all files of the split.
struct Others {
    folder: PathBuf,
    split: String,
    names: Vec<PathBuf>,
}

impl Others {
    fn refuse(&self) -> kaldi_io::Result<()> {
        let Self { folder, split, names } = self;
        refuse_files(folder, split, "--split", |name| {
            name.starts_with(&format!("{split}-")) && name.ends_with(".parquet") && !names.contains(&folder.join(name))
        })
    }
}

/// Refuses other manifests of lhotse in a folder, which readers would take in place of these, or with them.
fn refuse_manifests(folder: &Path) -> kaldi_io::Result<()> {
    let is_manifest = |name: &str| {
        let plain = name.strip_suffix(".gz").unwrap_or(name);
        let stem = plain.strip_suffix(".jsonl").or_else(|| plain.strip_suffix(".json"));
        stem.is_some_and(|stem| ["recordings", "supervisions", "features", "cuts"].contains(&stem))
    };
    refuse_files(folder, "lhotse", "folder", |name| is_manifest(name) && !LHOTSE.contains(&name))
}

/// Refuses the files of a folder for which `is_former` holds: those of `what`. Another `choice` is the way out.
fn refuse_files(folder: &Path, what: &str, choice: &str, is_former: impl Fn(&str) -> bool) -> kaldi_io::Result<()> {
    let names = kaldi_io::former_names(folder)?;
    match names.into_iter().find(|name| name.to_str().is_some_and(&is_former)) {
        None => Ok(()),
        Some(name) => {
            let path = folder.join(name);
            let path = path.display();
            let reason = format!(
                "expected no other files of {what} in the folder, got {path}: remove it, or choose another {choice}"
            );
            Err(kaldi_io::Error::Replace { name: folder.display().to_string(), reason })
        }
    }
}

impl Files {
    fn of(opts: &Options, num_utterances: usize) -> Result<Self> {
        let target = opts.target.as_path();
        let has_suffix = target.extension().is_some_and(|suffix| suffix == "parquet");
        if has_suffix && !target.is_dir() {
            let is_whole = opts.num_utts_per_shard.is_none() && opts.split.is_none();
            ensure!(
                is_whole,
                "expected a folder with --num-utts-per-shard or --split, got the file {}",
                target.display()
            );
            return Ok(Self {
                names: vec![target.to_owned()].into_iter(),
                num_rows: usize::MAX,
                others: None,
                _created: NewFolder::default(),
            });
        }
        let num_rows = match opts.num_utts_per_shard {
            Some(0) => bail!("expected --num-utts-per-shard to be 1 or more, got 0"),
            Some(count) => count as usize,
            None => usize::MAX,
        };
        let split =
            opts.split.as_deref().unwrap_or(BStr::new("train")).to_str().context("expected --split in UTF-8")?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._".contains(&byte);
        ensure!(
            !split.is_empty() && split.bytes().all(is_plain),
            "expected --split of letters, digits, points and underscores, got {split:?}"
        );
        let count = num_utterances.div_ceil(num_rows);
        let names: Vec<_> =
            (0..count).map(|at| target.join(format!("{split}-{at:05}-of-{count:05}.parquet"))).collect();
        let created = kaldi_io::make_folder(target)?;
        let others = Others { folder: target.to_owned(), split: split.to_owned(), names: names.clone() };
        others.refuse()?;
        Ok(Self { names: names.into_iter(), num_rows, others: Some(others), _created: created })
    }

    fn next(&mut self, directory: &DirectoryContent, tables: &DirectoryTables) -> Result<ParquetFile> {
        let path = self.names.next().context("expected fewer utterances")?;
        let output = Output::create_file(&path, path.display().to_string(), false)?;
        Ok(ParquetFile::create(output, directory, tables)?)
    }
}

fn export_parquet(opts: &Options, directory: DirectoryContent, tables: DirectoryTables) -> Result<Tally> {
    let num_utterances = directory.utterances.len();
    let directory = Arc::new(directory);
    ensure!(num_utterances > 0, "expected utterances in the data directory, got none");
    let mut files = Files::of(opts, num_utterances)?;
    let audio = opts.audio.unwrap_or_default();
    let jobs = {
        let (directory, mut at) = (Arc::clone(&directory), 0);
        from_fn(move |_| {
            let Some(first) = directory.utterances.get(at) else { return anyhow::Ok(None) };
            let rest = directory.utterances[at..].iter().take(MAX_SEGMENTS);
            let count = rest.take_while(|utterance| utterance.recording == first.recording).count();
            let stored = Stored::Named(directory.recordings[first.recording].audio.as_str().into());
            at += count;
            Ok(Some((at - count..at, stored)))
        })
    };
    let work = {
        let directory = Arc::clone(&directory);
        move |(range, stored): (std::ops::Range<usize>, Stored)| -> Result<_> {
            let sounds = audio.read(&stored, &directory.utterances[range.clone()]).map_err(anyhow::Error::msg)?;
            Ok((range, sounds))
        }
    };
    let stage = WorkStage::begin("writing", "utterances", Some(num_utterances as u64));
    let mut file = files.next(&directory, &tables)?;
    let (mut outputs, mut num_files) = (OutputSet::default(), 1);
    let (mut num_clipped, mut num_loud) = (0, 0);
    let mut sounds =
        par_map(jobs, kaldi_cli::num_threads, work).in_flight(IN_FLIGHT, |(_, stored)| stored.size().min(LONG));
    for done in sounds.iter() {
        let (range, sounds) = done?;
        for (utterance, sound) in directory.utterances[range].iter().zip(sounds) {
            if file.num_rows() == files.num_rows {
                // A file that waits for its name takes no descriptor: there may be thousands.
                outputs.add(std::mem::replace(&mut file, files.next(&directory, &tables)?).finish()?)?;
                num_files += 1;
            }
            stage.step();
            num_clipped += sound.num_clipped;
            num_loud += u64::from(sound.num_clipped > 0);
            file.put(utterance, &tables, sound)?;
        }
    }
    outputs.add(file.finish()?)?;
    if let Some(others) = files.others {
        outputs.replacing(move || others.refuse().map(|()| Vec::new()));
    }
    outputs.finish()?;
    if num_clipped > 0 {
        warning!("clipped {num_clipped} samples of {num_loud} utterances. Reduce volume?");
    }
    log!("Wrote {num_utterances} utterances of {} recordings to {num_files} files.", directory.recordings.len());
    Ok(Tally::new(num_utterances as u64, 0))
}

/// Reads the headers of all features.
fn read_sizes_of_features(folder: &Path, tables: &mut DirectoryTables) -> Result<()> {
    let table = BString::from([b"scp:", folder.as_os_str().as_encoded_bytes(), b"/feats.scp"].concat());
    let rows = SequentialReader::<Matrix<f32>>::open(&table)?.skim();
    rows.par_map(|entry| Ok(entry.read_with(Matrix::<f32>::read_size)?))
        .drain(|key, (num_frames, dim)| {
            tables.set_size_of_features(&key.to_str_lossy(), num_frames, dim);
            anyhow::Ok(())
        })?
        .finish()?;
    Ok(())
}

/// The sizes of all recordings, from their headers; where a header does not tell, the samples are counted.
fn sizes(directory: &DirectoryContent) -> Result<HashMap<String, SoundSize>> {
    let script = Script::of(directory)?;
    let table = BString::from([b"scp:", script.0.as_os_str().as_encoded_bytes()].concat());
    let mut sizes = HashMap::new();
    let mut unknown = false;
    let stage = WorkStage::begin("reading headers", "recordings", Some(directory.recordings.len() as u64));
    let headers = SequentialReader::<Wave>::open(&table)?.skim().par_map(in_header);
    headers
        .drain(|key, size| {
            stage.step();
            unknown |= size.is_none();
            sizes.extend(size.map(|size| (key.to_str_lossy().into_owned(), size)));
            anyhow::Ok(())
        })?
        .finish()?;
    drop(stage);
    if unknown {
        let stage = WorkStage::begin("counting samples", "recordings", Some(directory.recordings.len() as u64));
        let counted = SequentialReader::<Wave>::open(&table)?.par_map(|entry| Ok(counted(&entry.read()?)));
        counted
            .drain(|key, size| {
                stage.step();
                sizes.insert(key.to_str_lossy().into_owned(), size);
                anyhow::Ok(())
            })?
            .finish()?;
    }
    Ok(sizes)
}

fn in_header(entry: &Entry<'_, Wave>) -> std::result::Result<Option<SoundSize>, WorkError> {
    let info = entry.read_with(WaveInfo::read)?;
    Ok(info.num_samples().map(|num_samples| SoundSize {
        num_samples,
        sample_rate: info.sample_rate().into(),
        num_channels: info.num_channels() as u32,
    }))
}

fn counted(wave: &Wave) -> SoundSize {
    SoundSize {
        num_samples: wave.num_samples() as u64,
        sample_rate: wave.sample_rate().into(),
        num_channels: wave.num_channels() as u32,
    }
}

/// A script file of the recordings that are wanted, which may be some of the data directory; it is removed at the end.
struct Script(PathBuf);

impl Script {
    fn of(directory: &DirectoryContent) -> Result<Self> {
        let lines: String = directory.recordings.iter().map(|it| format!("{} {}\n", it.key, it.audio)).collect();
        for number in 0.. {
            let path = std::env::temp_dir().join(format!("kaldi-tables-{}-{number}.scp", std::process::id()));
            let script = match std::fs::File::options().write(true).create_new(true).mode(0o600).open(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                created => created.and_then(|mut file| file.write_all(lines.as_bytes())),
            };
            return script.map(|()| Self(path.clone())).with_context(|| format!("cannot write {}", path.display()));
        }
        bail!("cannot write into {}", std::env::temp_dir().display())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
