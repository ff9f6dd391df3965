//! Converts shards to a Kaldi data directory, or to tables. Kaldi has no such program.

use anyhow::{Context, Result, anyhow, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{Arg, OutputName, Tally};
use kaldi_corpus::shard::{
    Error, Field, FieldPath, Grouping, Payload, SampleStream, ShardNames, TarSample, Wanted, is_sound,
};
use kaldi_corpus::{DataDirectory, SpeakerFacts, SpeakerFiles, check_folder_name};
use kaldi_io::log::{log, warning};
use kaldi_io::{
    NewFolder, Output, OutputSet, WorkStage, is_remote, make_folder, make_waiting_folder, without_pipe_signs,
};
use kaldi_table::{Record, TableWriter, is_key};
use kaldi_value::Tokens;
use kaldi_value::{Cursor, Format, Value};
use kaldi_wave::{Wave, WaveFile, looks_like_sound, sound_suffix};
use std::collections::HashSet;
use std::io::Write;
use whole_file::WaitingFolder;

use crate::existing_folder;

const USAGE: &str = "\
Takes shards apart. In a folder it makes a Kaldi data directory: wav/ with the sound of each sample, wav.scp and text; and if their
fields are named utt2spk, spk2utt, utt2lang and spk2gender. With wspecifiers it writes tables instead.

Usage: extract-shards [options] <shard-or-list> [<shard-or-list> ...] <out-dir>
  or:  extract-shards --write-wav=<wspecifier> --write-text=<wspecifier> --write-utt2dur=<wspecifier> <shard-or-list> [<shard-or-list> ...]
 e.g.: extract-shards data.list data/train
       extract-shards --text-field=json.text --speaker-field=json.speaker data.list data/train
       extract-shards --write-wav=ark,scp:wav.ark,wav.scp --write-text=ark,t:text data.list
       extract-shards --write-utt2dur=ark,t:utt2dur data.list
In a folder, sound is not changed, suffix included; in a table it becomes WAV of 16 bits. A key with a slash is a file
in a folder of wav/; samples whose keys lead elsewhere (../x, /x) are skipped with a warning.
A field is the suffix of a member (txt), or an entry of a member in JSON (json.text, json.meta.speaker). A number is its digits; null is
none; an object or a list is an error, as is an entry that is not there.
See also: shards-to-scp, copy-shards
";

#[derive(clap::Args)]
struct Options {
    /// How members belong together: wenet (up to the last dot of their names) or webdataset (up to the first one)
    #[arg(long, default_value = "wenet", value_parser = kaldi_cli::one_of(&Grouping::NAMES))]
    grouping: Grouping,
    /// Wspecifier for the sound
    #[arg(long = "write-wav", alias = "wav")]
    wav: Option<OutputName>,
    /// Wspecifier for the texts
    #[arg(long = "write-text", alias = "text")]
    text: Option<OutputName>,
    /// Wspecifier for the durations in seconds
    #[arg(long = "write-utt2dur", alias = "utt2dur")]
    utt2dur: Option<OutputName>,
    /// Field with the text
    #[arg(long, default_value = "txt")]
    text_field: String,
    /// Field with the name of the speaker, such as json.speaker: makes utt2spk and spk2utt
    #[arg(long)]
    speaker_field: Option<String>,
    /// Field with the language: makes utt2lang
    #[arg(long)]
    language_field: Option<String>,
    /// Field with the gender of the speaker: makes spk2gender, with --speaker-field
    #[arg(long)]
    gender_field: Option<String>,
    #[arg(required = true)]
    names: Vec<Arg>,
}

/// The fields that are wanted of samples.
struct Fields {
    text: FieldPath,
    speaker: Option<FieldPath>,
    language: Option<FieldPath>,
    gender: Option<FieldPath>,
}

impl Fields {
    fn new(opts: &Options) -> Self {
        let path = |name: &Option<String>| name.clone().map(FieldPath::new);
        Self {
            text: FieldPath::new(opts.text_field.as_str()),
            speaker: path(&opts.speaker_field),
            language: path(&opts.language_field),
            gender: path(&opts.gender_field),
        }
    }

    /// Those that say who speaks.
    fn of_speaker(&self) -> impl Iterator<Item = &FieldPath> {
        [&self.speaker, &self.language, &self.gender].into_iter().flatten()
    }

    fn facts(&self, shard: &str, sample: &TarSample<Vec<u8>>) -> Result<SpeakerFacts> {
        let text = |field: &Option<FieldPath>| -> Result<Option<BString>> {
            let text = field.as_ref().map(|field| field.text_of(shard, sample)).transpose()?.flatten();
            Ok(text.filter(|text| !text.is_empty()).map(BString::from))
        };
        Ok(SpeakerFacts { speaker: text(&self.speaker)?, language: text(&self.language)?, gender: text(&self.gender)? })
    }
}

/// Files of sound.
enum Sounds {
    Waiting(WaitingFolder),
    /// In a store, which has no names that change; each appears when it is complete.
    Objects,
}

/// The files of a data directory that may be written, but for the sound.
const FILES: [&str; 6] = [
    DataDirectory::WAV_SCP,
    DataDirectory::TEXT,
    DataDirectory::UTT2SPK,
    DataDirectory::SPK2UTT,
    DataDirectory::UTT2LANG,
    DataDirectory::SPK2GENDER,
];

/// The place for samples.
#[allow(clippy::large_enum_variant, reason = "there is one")]
enum Target {
    Folder {
        folder: BString,
        sounds: Sounds,
        recordings: Output,
        text: Output,
        speakers: SpeakerFiles,
        /// After all that is in it.
        _created: NewFolder,
    },
    Tables {
        wav: Option<TableWriter<WaveFile>>,
        text: Option<TableWriter<Tokens>>,
        utt2dur: Option<TableWriter<f32>>,
    },
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
    let fields = Fields::new(&opts);
    ensure!(
        !is_tables || fields.of_speaker().next().is_none(),
        "expected --speaker-field, --language-field and --gender-field with a folder, not with tables"
    );
    ensure!(fields.gender.is_none() || fields.speaker.is_some(), "expected --speaker-field beside --gender-field");

    let mut tally = Tally::default();
    let mut seen = HashSet::new();
    let names = ShardNames::new(shards.iter().map(|name| name.as_bstr().to_owned()), Wanted::Contents);
    let mut samples = SampleStream::new(names, opts.grouping);
    let stage = WorkStage::begin("extracting", "samples", None);
    while let Some(sample) = samples.next_with(|_, field, member, payload| {
        let is_named =
            (wants_text && fields.text.may_be_in(field)) || fields.of_speaker().any(|it| it.may_be_in(field));
        let is_wanted = match is_sound(field) {
            true => wants_sound,
            false => is_named || (wants_sound && looks(payload, member.size)?),
        };
        if is_wanted { payload.read() } else { Ok(Vec::new()) }
    })? {
        stage.step();
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
        let text = if wants_text { fields.text.text_of(shard, &sample)? } else { None };
        let lacks_sound = wants_sound && sound_of(&sample).is_none();
        if folder.is_some() && lacks_sound {
            warning!("{key}: the sample has no sound; skipping it");
            tally.failed += 1;
            continue;
        }
        if let Target::Folder { speakers, .. } = &mut target {
            speakers.add(key.as_ref(), &fields.facts(shard, &sample)?);
        }
        target.put(sample, text).with_context(|| format!("{shard}: {key}"))?;
        if lacks_sound { tally.failed += 1 } else { tally.done += 1 }
    }
    samples.finish()?;
    log!("Extracted {} samples, skipped {}.", tally.done, tally.failed);
    target.finish(&fields, tally.done)?;
    Ok(tally)
}

/// Whether the bytes of a member are sound.
fn looks(payload: &mut Payload<'_>, size: u64) -> std::result::Result<bool, Error> {
    let found = payload.parse_front(|head| match sound_suffix(head) {
        None => Some(false),
        Some(_) if (head.len() as u64) < size.min(4096) => None,
        Some(_) => Some(looks_like_sound(head, size)),
    })?;
    Ok(found == Some(true))
}

/// The number of the field with the sound: by its suffix, or else by its bytes.
fn sound_of(sample: &TarSample<Vec<u8>>) -> Option<usize> {
    let is_named = |field: &Field<Vec<u8>>| is_sound(field.name.as_ref());
    let by_name = sample.fields.iter().position(is_named);
    by_name.or_else(|| sample.fields.iter().position(|field| looks_like_sound(&field.value, field.value.len() as u64)))
}

/// Whether a key names a file inside of the folder.
fn stays_inside(key: &BString) -> bool {
    key.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

impl Target {
    fn create_folder(folder: &BStr) -> Result<Self> {
        check_folder_name(folder)?;
        kaldi_cli::expect_folder(folder, &[])?;
        let created = make_folder(&folder.to_path_lossy())?;
        let sounds = if is_remote(folder) {
            Sounds::Objects
        } else {
            let sounds = make_waiting_folder(&joined(folder, b"wav").to_path_lossy())?;
            existing_folder::tables(&folder.to_path_lossy(), &FILES.map(str::to_owned))?;
            Sounds::Waiting(sounds)
        };
        Ok(Self::Folder {
            folder: folder.to_owned(),
            sounds,
            recordings: create(folder, DataDirectory::WAV_SCP.as_bytes())?,
            text: create(folder, b"text")?,
            speakers: SpeakerFiles::default(),
            _created: created,
        })
    }

    /// Whether the contents of sound and of text are needed.
    fn wants(&self) -> (bool, bool) {
        match self {
            Self::Folder { .. } => (true, true),
            Self::Tables { wav, text, utt2dur } => (wav.is_some() || utt2dur.is_some(), text.is_some()),
        }
    }

    fn put(&mut self, mut sample: TarSample<Vec<u8>>, text: Option<Vec<u8>>) -> Result<()> {
        let sound = sound_of(&sample).map(|at| sample.fields.swap_remove(at));
        let key: &BStr = sample.key.as_ref();
        match self {
            Self::Folder { folder, sounds, recordings, text: texts, .. } => {
                if let Some(sound) = sound {
                    write_file(folder.as_ref(), sounds, key, &sound, recordings)?;
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

    fn finish(self, fields: &Fields, num_samples: u64) -> Result<()> {
        match self {
            Self::Folder { folder, sounds, recordings, text, speakers, .. } => {
                tell(&speakers, fields, num_samples);
                let mut set = OutputSet::default();
                let tables = speakers.files();
                if let Sounds::Waiting(sounds) = sounds {
                    set.add_folder(sounds);
                    let names =
                        tables.iter().map(|(name, _)| *name).chain([DataDirectory::TEXT, DataDirectory::WAV_SCP]);
                    existing_folder::replace(&mut set, &folder.to_path_lossy(), names.map(str::to_owned).collect());
                }
                for (name, content) in tables {
                    let mut table = create(folder.as_ref(), name.as_bytes())?;
                    table.write_all(&content)?;
                    set.add(table)?;
                }
                set.add(text)?;
                // Without the last one nothing is complete.
                set.add(recordings)?;
                set.finish()?;
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

/// Creates a file of the data directory.
fn create(folder: &BStr, name: &[u8]) -> Result<Output> {
    let name = joined(folder, name);
    Ok(Output::create_file(&name.to_path_lossy(), name.to_string(), false)?)
}

/// Warns of what the tables of speakers lack.
fn tell(speakers: &SpeakerFiles, fields: &Fields, num_samples: u64) {
    let counts = [(&fields.speaker, speakers.num_with_speaker()), (&fields.language, speakers.num_with_language())];
    for (field, count) in counts {
        let missing = num_samples - count;
        if let Some(field) = field.as_ref().filter(|_| missing > 0) {
            warning!("{missing} samples have nothing as {field}, and are left out of its table");
        }
    }
    if let Some(key) = speakers.not_by_speaker() {
        warning!(
            "{key}: the name does not start with that of its speaker, as Kaldi's scripts expect; it stays as it is"
        );
    }
    let [odd, both] = speakers.num_left_out();
    if odd > 0 {
        warning!("{odd} samples have another gender than female or male, which spk2gender does not have");
    }
    if both > 0 {
        warning!("{both} speakers have two genders, and are left out of spk2gender");
    }
}

/// Writes the sound of a sample to its file, and its line.
fn write_file(
    folder: &BStr,
    sounds: &Sounds,
    key: &BStr,
    sound: &Field<Vec<u8>>,
    recordings: &mut Output,
) -> Result<()> {
    let below = [key.as_bytes(), b".", sound.name.as_slice()].concat();
    let below = BString::from(without_pipe_signs(&below).into_owned());
    let name = joined(folder, &[b"wav/", below.as_slice()].concat());
    match sounds {
        Sounds::Waiting(sounds) => {
            let file = sounds.create_file(&below.to_path_lossy());
            file.and_then(|mut file| file.write_all(&sound.value)).with_context(|| format!("cannot write {name}"))?;
        }
        Sounds::Objects => {
            let mut file = Output::create_file(&name.to_path_lossy(), name.to_string(), false)?;
            file.write_all(&sound.value)?;
            file.finish()?;
        }
    }
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
