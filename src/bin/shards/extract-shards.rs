//! Converts shards to a Kaldi data directory, or to tables. Kaldi has no such program.

use anyhow::{Context, Result, anyhow, bail};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{Arg, OutputName, Tally};
use kaldi_corpus::shard::{Field, Grouping, SampleStream, ShardNames, TarSample, Wanted, is_sound};
use kaldi_io::Output;
use kaldi_log::{log, warning};
use kaldi_table::{Record, TableWriter, is_key};
use kaldi_values::Tokens;
use kaldi_values::{Cursor, Format, Value};
use kaldi_wave::{Wave, WaveFile};
use std::collections::HashSet;

const USAGE: &str = "\
Takes shards apart. In a folder it makes a Kaldi data directory: wav/ with the sound of each sample, wav.scp and text.
With wspecifiers it writes tables instead.

Usage: extract-shards [options] <shard-or-list> [<shard-or-list> ...] <out-dir>
  or:  extract-shards --write-wav=<wspecifier> --write-text=<wspecifier> --write-utt2dur=<wspecifier> <shard-or-list> [<shard-or-list> ...]
 e.g.: extract-shards data.list data/train
       extract-shards --write-wav=ark,scp:wav.ark,wav.scp --write-text=ark,t:text data.list
       extract-shards --write-utt2dur=ark,t:utt2dur data.list
In a folder, sound is not changed, suffix included; in a table it becomes WAV of 16 bits. A key with a slash is a file
in a folder of wav/; samples whose keys lead elsewhere (../x, /x) are skipped with a warning.
See also: shards-to-scp, copy-shards
";

#[derive(option_table::Options)]
struct Options {
    /// How members belong together: wenet (up to the last dot of their names) or webdataset (up to the first one)
    #[option(default = "wenet", one_of = &Grouping::NAMES)]
    grouping: Grouping,
    /// Wspecifier for the sound
    #[option(name = "write-wav", old_name = "wav")]
    wav: Option<OutputName>,
    /// Wspecifier for the texts
    #[option(name = "write-text", old_name = "text")]
    text: Option<OutputName>,
    /// Wspecifier for the durations in seconds
    #[option(name = "write-utt2dur", old_name = "utt2dur")]
    utt2dur: Option<OutputName>,
    #[argument(required)]
    names: Vec<Arg>,
}

/// The place for samples.
#[allow(clippy::large_enum_variant, reason = "there is one")]
enum Target {
    Folder { folder: BString, recordings: Output, text: Output },
    Tables { wav: Option<TableWriter<WaveFile>>, text: Option<TableWriter<Tokens>>, utt2dur: Option<TableWriter<f32>> },
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(extract_shards))
    .whole("an argument is a shard or a list of shards; a list can be cut with --split and --out");

fn extract_shards(opts: Options) -> Result<Tally> {
    let is_tables = [&opts.wav, &opts.text, &opts.utt2dur].iter().any(|name| name.is_some());
    let (shards, folder) = match opts.names.split_last() {
        _ if is_tables => (opts.names.as_slice(), None),
        Some((folder, shards)) if !shards.is_empty() => (shards, Some(folder)),
        _ => return Ok(kaldi_cli::wrong_usage(USAGE, "expected shards and a folder, or wspecifiers as options")),
    };
    let mut target = match folder {
        Some(folder) => Target::create_folder(folder)?,
        None => Target::Tables {
            wav: opts.wav.as_deref().map(TableWriter::create).transpose()?,
            text: opts.text.as_deref().map(TableWriter::create).transpose()?,
            utt2dur: opts.utt2dur.as_deref().map(TableWriter::create).transpose()?,
        },
    };
    let (wants_sound, wants_text) = target.wants();

    let mut tally = Tally::default();
    let mut seen = HashSet::new();
    let names = ShardNames::new(shards.iter().map(|name| name.as_bstr().to_owned()), Wanted::Contents);
    let mut samples = SampleStream::new(names, opts.grouping);
    while let Some(sample) = samples.next_with(|_, field, _, payload| {
        let is_wanted = if is_sound(field) { wants_sound } else { wants_text && field == "txt" };
        if is_wanted { payload.read() } else { Ok(Vec::new()) }
    })? {
        let shard = samples.shard().map_or("", |shard| &shard.name);
        if !is_key(sample.key.as_ref()) || (folder.is_some() && !stays_inside(&sample.key)) {
            let key = kaldi_io::printable(&sample.key);
            warning!("{shard}: \"{key}\" is no key that can be extracted; skipping it.");
            tally.failed += 1;
            continue;
        }
        let key = sample.key.clone();
        if !seen.insert(key.clone()) {
            bail!("{shard}: expected each key once, got {key} again");
        }
        target.put(sample).with_context(|| format!("{shard}: {key}"))?;
        tally.done += 1;
    }
    samples.finish()?;
    log!("Extracted {} samples, skipped {}.", tally.done, tally.failed);
    target.finish()?;
    Ok(tally)
}

/// Whether a key names a file inside of the folder.
fn stays_inside(key: &BString) -> bool {
    key.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

impl Target {
    fn create_folder(folder: &BStr) -> Result<Self> {
        let wav = joined(folder, b"wav");
        kaldi_io::make_folder(&wav.to_path_lossy()).with_context(|| format!("cannot make the folder {wav}"))?;
        let create = |name: &[u8]| {
            let name = joined(folder, name);
            Output::create_file(&name.to_path_lossy(), name.to_string(), false)
        };
        Ok(Self::Folder { folder: folder.to_owned(), recordings: create(b"wav.scp")?, text: create(b"text")? })
    }

    /// Whether the contents of sound and of text are needed.
    fn wants(&self) -> (bool, bool) {
        match self {
            Self::Folder { .. } => (true, true),
            Self::Tables { wav, text, utt2dur } => (wav.is_some() || utt2dur.is_some(), text.is_some()),
        }
    }

    fn put(&mut self, mut sample: TarSample<Vec<u8>>) -> Result<()> {
        let sound = sample.fields.iter().position(|field| is_sound(field.name.as_ref()));
        let sound = sound.map(|at| sample.fields.swap_remove(at));
        let text = sample.field("txt".into()).map(|field| field.value.as_slice());
        let key: &BStr = sample.key.as_ref();
        match self {
            Self::Folder { folder, recordings, text: texts } => {
                match sound {
                    Some(sound) => write_file(folder.as_ref(), key, &sound, recordings)?,
                    None => warning!("{key}: the sample has no sound"),
                }
                match text {
                    Some(text) => {
                        // An entry is a line.
                        let lines = text.split(|byte| b"\r\n".contains(byte)).map(<[u8]>::trim_ascii);
                        let words = bstr::join(" ", lines.filter(|line| !line.is_empty()));
                        let blank: &[u8] = if words.is_empty() { b"" } else { b" " };
                        texts.write_all(&[key.as_bytes(), blank, &words, b"\n"].concat())?;
                    }
                    None => warning!("{key}: the sample has no text"),
                }
            }
            Self::Tables { wav, text: texts, utt2dur } => {
                if let (None, true) = (&sound, wav.is_some() || utt2dur.is_some()) {
                    warning!("{key}: the sample has no sound");
                }
                if let Some(sound) = sound.filter(|_| wav.is_some() || utt2dur.is_some()) {
                    write_sound(key, sound.value, wav, utt2dur)?;
                }
                match (texts, text) {
                    (Some(texts), Some(text)) => {
                        let words = text.fields_with(|c| c.is_ascii_whitespace());
                        match Tokens::new(words) {
                            Ok(words) => texts.write(key, &words)?,
                            Err(error) => warning!("{key}: the text is left out: {error}"),
                        }
                    }
                    (Some(_), None) => warning!("{key}: the sample has no text"),
                    (None, _) => {}
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Folder { recordings, text, .. } => {
                text.finish()?;
                recordings.finish()?;
            }
            Self::Tables { wav, text, utt2dur } => {
                wav.map_or(Ok(()), TableWriter::finish)?;
                text.map_or(Ok(()), TableWriter::finish)?;
                utt2dur.map_or(Ok(()), TableWriter::finish)?;
            }
        }
        Ok(())
    }
}

/// Writes the sound of a sample to its file, and its line.
fn write_file(folder: &BStr, key: &BStr, sound: &Field<Vec<u8>>, recordings: &mut Output) -> Result<()> {
    let name = joined(folder, &[b"wav/", key.as_bytes(), b".", sound.name.as_slice()].concat());
    let path = name.to_path_lossy();
    if let (true, Some(parent)) = (key.contains(&b'/'), path.parent()) {
        kaldi_io::make_folder(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
    }
    let mut file = Output::create_file(&path, name.to_string(), false)?;
    file.write_all(&sound.value)?;
    file.finish()?;
    recordings.write_all(&[key.as_bytes(), b" ", &name, b"\n"].concat())?;
    Ok(())
}

/// Writes the sound of a sample and its duration to tables.
fn write_sound(
    key: &BStr,
    bytes: Vec<u8>,
    wav: &mut Option<TableWriter<WaveFile>>,
    utt2dur: &mut Option<TableWriter<f32>>,
) -> Result<()> {
    let is_passed_on = Wave::is_canonical_binary(&bytes);
    if is_passed_on && utt2dur.is_none() {
        if let Some(wav) = wav {
            wav.put(Record::from_value(key, WaveFile::new(bytes), Format::Binary))?;
        }
        return Ok(());
    }
    let wave = Wave::read(&mut Cursor::new(&bytes))
        .map_err(|error| anyhow!("{}", kaldi_io::explain_sound(&error.message, &bytes, "")))?;
    if let Some(utt2dur) = utt2dur {
        utt2dur.write(key, &(wave.duration() as f32))?;
    }
    if let Some(wav) = wav {
        let mut file = bytes;
        if !is_passed_on {
            if let Some(loss) = wave.loss() {
                warning!("{key}: {loss}");
            }
            file.clear();
            wave.write(&mut file, Format::Binary);
        }
        wav.put(Record::from_value(key, WaveFile::new(file), Format::Binary))?;
    }
    Ok(())
}

fn joined(folder: &BStr, name: &[u8]) -> BString {
    let slash: &[u8] = if folder.is_empty() || folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, slash, name].concat().into()
}
