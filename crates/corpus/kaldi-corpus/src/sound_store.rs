//! Sound that lies inside of other files, and how it gets into a data directory.

use std::fmt::Debug;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{FileNames, Output, OutputSet, WorkStage, make_waiting_folder};
use kaldi_reader::{BoxReader, Reader, ReaderExt};
use kaldi_value::{Cursor, Format, Value};
use kaldi_wave::{Wave, WaveInfo, sound_suffix};
use whole_file::WaitingFolder;

use crate::{CorpusPlace, Error, Result};

/// The sound of an utterance that was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FoundSound {
    /// What a line of `wav.scp` says: a file, a place in a tar file, an address or a command.
    Named(BString),
    /// It lies inside of another file and has to be copied.
    Inside {
        /// The number of its store in [`Utterances::stores`](crate::Utterances::stores).
        store: usize,
        /// Its number in the store.
        index: u64,
    },
}

impl From<BString> for FoundSound {
    fn from(name: BString) -> Self {
        Self::Named(name)
    }
}

/// Files that have sound inside, such as the rows of a Parquet file. Each sound has a number.
pub trait SoundStore: Debug + Send + Sync {
    /// Reads the sounds with these numbers, which ascend: number and bytes of each. No bytes stand for no sound.
    ///
    /// # Errors
    /// If a file cannot be opened.
    fn read(&self, wanted: Vec<u64>) -> Result<BoxReader<(u64, Vec<u8>), Error>>;
}

/// What copied sound becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SoundForm {
    /// A file for each, bytes unchanged: `wav/<recording>.<suffix>`.
    #[default]
    Files,
    /// An archive of WAV files with 16 bits a sample: `wav.ark`.
    Archive,
}

/// A sound that is to be copied.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The number of the recording.
    pub(crate) recording: usize,
    pub(crate) name: BString,
    pub(crate) store: usize,
    pub(crate) index: u64,
    pub(crate) place: CorpusPlace,
}

/// What became of a sound.
#[derive(Clone, Debug)]
pub(crate) struct Copied {
    pub(crate) recording: usize,
    pub(crate) place: CorpusPlace,
    /// The name for `wav.scp`, and the duration in seconds if a header says it. `None` if the bytes are no sound.
    pub(crate) sound: Option<(BString, Option<f64>)>,
}

/// Copies sound into a data directory. What was written appears with the set that [`SoundCopies::add_to`] adds it to.
#[derive(Debug)]
pub struct SoundCopies {
    folder: PathBuf,
    target: Target,
    names: FileNames,
}

#[derive(Debug)]
enum Target {
    Files(WaitingFolder),
    Archive(Output),
}

/// The folder of files in a data directory, and the archive.
const FILES: &str = "wav";
const ARCHIVE: &str = "wav.ark";

/// Bytes of sound that wait for their turn.
const WAITING_BYTES: usize = 16 << 20;

impl SoundCopies {
    /// Starts to copy into the data directory `folder`, which is there.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn create(folder: &Path, form: SoundForm) -> Result<Self> {
        let target = match form {
            SoundForm::Files => Target::Files(make_waiting_folder(&folder.join(FILES))?),
            SoundForm::Archive => {
                let path = folder.join(ARCHIVE);
                Target::Archive(Output::create_file(&path, path.display().to_string(), false)?)
            }
        };
        Ok(Self { folder: folder.to_owned(), target, names: FileNames::default() })
    }

    /// Copies the wanted sounds, whose numbers ascend in each store, and says what became of each. Up to `threads` threads look at
    /// them, or decode them.
    pub(crate) fn copy(
        &mut self,
        stores: &[Arc<dyn SoundStore>],
        wanted: Vec<Wanted>,
        threads: usize,
        mut take: impl FnMut(Copied),
    ) -> Result<()> {
        let stage = WorkStage::begin("copying sound", "recordings", Some(wanted.len() as u64));
        let mut by_store: Vec<Vec<Wanted>> = stores.iter().map(|_| Vec::new()).collect();
        wanted.into_iter().for_each(|sound| by_store[sound.store].push(sound));
        let is_decoded = matches!(self.target, Target::Archive(_));
        for (store, mut wanted) in stores.iter().zip(by_store) {
            wanted.sort_by_key(|sound| sound.index);
            let sounds = store.read(wanted.iter().map(|sound| sound.index).collect())?;
            let of_place: Arc<Vec<Wanted>> = Arc::new(wanted);
            let found = Arc::clone(&of_place);
            let look = move |(index, bytes): (u64, Vec<u8>)| {
                let at = found.partition_point(|sound| sound.index < index);
                Ok((at, examine(bytes, &found[at].place, is_decoded)?))
            };
            let mut sounds = sounds
                .par_map(move || threads, look)
                .in_flight(WAITING_BYTES, |(_, bytes): &(u64, Vec<u8>)| bytes.len());
            while let Some((at, sound)) = sounds.next()? {
                let Wanted { recording, name, place, .. } = of_place[at].clone();
                let sound = match sound {
                    None => None,
                    Some(Examined { bytes, suffix, seconds }) => {
                        Some((self.put(name.as_ref(), suffix, &bytes)?, seconds))
                    }
                };
                take(Copied { recording, place, sound });
                stage.step();
            }
            sounds.finish()?;
        }
        Ok(())
    }

    /// Writes a sound, and returns its name for `wav.scp`.
    fn put(&mut self, recording: &BStr, suffix: &str, bytes: &[u8]) -> Result<BString> {
        match &mut self.target {
            Target::Files(waiting) => {
                let name = self.names.next(recording, suffix);
                let place = self.folder.join(FILES).join(&name);
                let written = waiting.create_file(Path::new(&name)).and_then(|mut file| file.write_all(bytes));
                written.map_err(|source| Error::Write { name: place.display().to_string(), source })?;
                Ok(place.as_os_str().as_bytes().into())
            }
            Target::Archive(output) => {
                output.write_all(&[recording.as_bytes(), b" "].concat())?;
                let offset = output.position().unwrap_or_default();
                output.write_all(bytes)?;
                let archive = self.folder.join(ARCHIVE);
                Ok([archive.as_os_str().as_bytes(), format!(":{offset}").as_bytes()].concat().into())
            }
        }
    }

    /// Adds all that was written to a set.
    ///
    /// # Errors
    /// If it cannot be written to its end.
    pub fn add_to(self, set: &mut OutputSet) -> Result<()> {
        match self.target {
            Target::Archive(output) => set.add(output)?,
            Target::Files(waiting) => set.add_folder(waiting),
        }
        Ok(())
    }
}

/// A sound that can be written.
struct Examined {
    bytes: Vec<u8>,
    suffix: &'static str,
    seconds: Option<f64>,
}

/// Looks at the bytes of a sound and decodes it, if that is wanted. `None` if they are of no known kind.
fn examine(bytes: Vec<u8>, place: &CorpusPlace, is_decoded: bool) -> Result<Option<Examined>> {
    let Some(suffix) = sound_suffix(&bytes) else { return Ok(None) };
    let info = WaveInfo::in_head(&bytes, bytes.len() as u64).and_then(Result::ok);
    let mut seconds = info.and_then(|info| info.duration());
    if !is_decoded || Wave::is_canonical_binary(&bytes) {
        return Ok(Some(Examined { bytes, suffix, seconds }));
    }
    let wave = Wave::read(&mut Cursor::new(&bytes))
        .map_err(|error| place.error(kaldi_io::explain_sound(&error.message, &bytes, "")))?;
    seconds = Some(wave.duration());
    Ok(Some(Examined { bytes: wave.to_bytes(Format::Binary), suffix: "wav", seconds }))
}
