//! Files of sound that manifests name, where other programs do not read what `wav.scp` says.

use std::path::PathBuf;

use bstr::{BStr, BString};
use kaldi_io::{ClosedOutput, FileNames, NewFolder, Output, Rxfilename, WorkStage, Wxfilename, make_folder};
use kaldi_reader::{Reader, from_fn, par_map};

use super::ExportAudio;
use crate::shard::Stored;
use crate::{Error, Result};

/// Bytes of recordings that are read at the same time.
const IN_FLIGHT: usize = 16 << 20;

/// What a line of `wav.scp` says, in the eyes of programs that only read files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundPlaceKind {
    /// The name of a file, or an address.
    File,
    /// A place inside of an archive or a tar file.
    Inside,
    /// A command.
    Command,
}

impl SoundPlaceKind {
    /// The kind of what is behind a key.
    pub fn of(audio: &str) -> Self {
        match Rxfilename::parse(audio.into()) {
            Ok(Rxfilename::Offset(..)) => Self::Inside,
            Ok(Rxfilename::Pipe(_)) => Self::Command,
            _ => Self::File,
        }
    }
}

/// A recording that becomes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedFile {
    /// The key of the recording.
    pub key: String,
    /// Where its sound is, as in `wav.scp`.
    pub audio: String,
    /// The only channel that is wanted; all of them, if it is not given.
    pub channel: Option<u32>,
}

/// Files of sound in a folder of their own. They get their names with [`SoundFiles::finish`].
#[must_use = "files have their names only after finish()"]
#[derive(Debug)]
pub struct SoundFiles {
    folder: PathBuf,
    names: FileNames,
    outputs: Vec<ClosedOutput>,
    /// How many samples were clipped.
    pub num_clipped: u64,
    /// In how many files.
    pub num_loud: u64,
    /// After all that is in it.
    _created: NewFolder,
}

impl SoundFiles {
    /// Those of this folder, which is made.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn create(folder: PathBuf) -> Result<Self> {
        let created = make_folder(&folder)?;
        let (names, outputs) = (FileNames::default(), Vec::new());
        Ok(Self { folder, names, outputs, num_clipped: 0, num_loud: 0, _created: created })
    }

    /// Those beside a manifest: in the folder `train-wav` beside `train.json`.
    ///
    /// # Errors
    /// If the manifest is no file, or the folder cannot be made.
    pub fn beside(manifest: &BStr) -> Result<Self> {
        let path = match Wxfilename::parse(manifest) {
            Ok(Wxfilename::File(path)) if !whole_file::is_special(&path) => path,
            _ => {
                let message =
                    format!("{manifest}: expected a file as the manifest, beside which files of sound can lie");
                return Err(Error::Nothing(message));
            }
        };
        let plain = match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("gz" | "zst") => path.with_extension(""),
            _ => path,
        };
        let mut name = plain.file_stem().unwrap_or_default().to_owned();
        name.push("-wav");
        Self::create(plain.with_file_name(name))
    }

    /// Makes files of recordings, and returns their names in the same order. Up to `threads` threads read and decode.
    ///
    /// # Errors
    /// If sound cannot be read or written, with the key of the recording.
    pub fn make(
        &mut self,
        wanted: Vec<WantedFile>,
        audio: ExportAudio,
        threads: impl Fn() -> usize + Send + 'static,
    ) -> Result<Vec<String>> {
        let stage = WorkStage::begin("writing sound", "files", Some(wanted.len() as u64));
        let mut made = Vec::with_capacity(wanted.len());
        let mut wanted = wanted.into_iter();
        let sources = from_fn(move |_| {
            Ok::<_, Error>(wanted.next().map(|it| (Stored::Named(BString::from(it.audio)), it.key, it.channel)))
        });
        let read = move |(stored, key, channel): (Stored, String, Option<u32>)| {
            let sound = audio.of_recording(&stored, channel);
            let sound = sound.map_err(|message| Error::Nothing(format!("{key}: {message}")))?;
            Ok((channel.map_or(key.clone(), |channel| format!("{key}-{channel}")), sound))
        };
        let mut sounds = par_map(sources, threads, read).in_flight(IN_FLIGHT, |(stored, ..)| stored.size());
        while let Some((name, sound)) = sounds.next()? {
            let path = self.folder.join(self.names.next(name.as_bytes(), &sound.suffix));
            let Some(shown) = path.to_str() else {
                return Err(Error::Nothing(format!("{}: expected a name in UTF-8", path.display())));
            };
            made.push(shown.to_owned());
            stage.step();
            let mut output = Output::create_file(&path, shown.to_owned(), false)?;
            output.write_all(&sound.bytes)?;
            // There may be thousands.
            self.outputs.push(output.close()?);
            self.num_clipped += sound.num_clipped as u64;
            self.num_loud += u64::from(sound.num_clipped > 0);
        }
        sounds.finish()?;
        Ok(made)
    }

    /// Gives all files their names.
    ///
    /// # Errors
    /// If that fails.
    pub fn finish(self) -> Result<()> {
        Ok(self.outputs.into_iter().try_for_each(ClosedOutput::finish)?)
    }
}
