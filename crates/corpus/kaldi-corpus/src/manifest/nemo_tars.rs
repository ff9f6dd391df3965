//! Tarred manifests of NeMo: the sound of their lines lies in tar files.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_reader::{BoxReader, ReaderExt, Step, from_fn};
use kaldi_wave::{WaveSamples, sound_suffix};
use shards::{Members, Wanted};

use crate::naming::stem;
use crate::shard::{NemoLine, nemo_shard_number, without_sub};
use crate::{
    CorpusPlace, Error, FoundSound, FoundUtterance, ManifestOptions, Result, SoundStore, Utterances, expand_pattern,
};

/// A line, and the utterance that it is when its sound is found.
pub(super) type TarredLine = (FoundUtterance, NemoLine);

/// Refuses options for sound in tar files, for a manifest without any.
pub(super) fn refuse_options(name: &BStr, options: &ManifestOptions) -> Result<()> {
    let option = [("shards", options.shards.is_some()), ("audio", options.copies_all)];
    match option.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            let name = kaldi_io::printable_rxfilename(name);
            Err(Error::Nothing(format!("{name}: expected lines with shard_id for `{option}`, got none")))
        }
    }
}

/// Finds the sound of the lines of a manifest in this folder, in their tar files, and adds their utterances.
///
/// # Errors
/// If a tar file is not there, or is damaged.
pub(super) fn find_sound(
    lines: Vec<TarredLine>,
    folder: &Path,
    options: &ManifestOptions,
    all: &mut Utterances,
) -> Result<()> {
    let tars = TarNames::new(folder, options)?;
    let mut shards = BTreeMap::<u64, Vec<usize>>::new();
    for (at, (_, line)) in lines.iter().enumerate() {
        shards.entry(line.shard).or_default().push(at);
    }
    let mut store = NemoTars { tars: Vec::new(), members: Vec::new() };
    let mut found: Vec<Option<(BString, FoundSound)>> = vec![None; lines.len()];
    for (number, numbers) in shards {
        let tar = tars.find(number, &lines[numbers[0]].0.place)?;
        let mut wanted = HashMap::<BString, Option<FoundSound>>::new();
        for (_, line) in numbers.iter().map(|at| &lines[*at]) {
            wanted.extend(without_sub(line.member.as_ref()).map(|whole| (whole, None)));
            wanted.insert(line.member.clone(), None);
        }
        store.find_members(&tar, all.stores.len(), options.copies_all, &mut wanted)?;
        for at in numbers {
            let (utterance, line) = &lines[at];
            let whole = without_sub(line.member.as_ref());
            let sound = [Some(&line.member), whole.as_ref()].into_iter().flatten().find_map(|member| {
                let sound = wanted.get(member)?.clone()?;
                Some((member.clone(), sound))
            });
            if sound.is_none() {
                let place = format!("{}, {} in {tar}", utterance.place, line.member).into();
                let kind = "lines name a member that their tar file does not have";
                all.left_out.add(kind, &CorpusPlace { name: place, line: None })?;
            }
            found[at] = sound;
        }
    }
    for ((mut utterance, _), sound) in lines.into_iter().zip(found) {
        let Some((member, sound)) = sound else { continue };
        (utterance.audio, utterance.recording) = (sound, Some(stem(&member).into()));
        all.found.push(&utterance);
    }
    if !store.members.is_empty() {
        all.stores.push(Arc::new(store));
    }
    Ok(())
}

/// The names of the tar files by their numbers.
struct TarNames<'a> {
    /// The pattern that was given, and its names.
    given: Option<(BString, HashMap<u64, BString>)>,
    /// The folder of the manifest.
    folder: &'a Path,
}

/// The tar file of a shard of a manifest in this folder, if no other is named: it lies beside the manifest, or above it if that is
/// the manifest of a shard.
pub(crate) fn nemo_tar(folder: &Path, shard: u64) -> PathBuf {
    let above = if folder.ends_with("sharded_manifests") { folder.parent().unwrap_or(folder) } else { folder };
    above.join(format!("audio_{shard}.tar"))
}

impl<'a> TarNames<'a> {
    fn new(folder: &'a Path, options: &ManifestOptions) -> Result<Self> {
        let given = match &options.shards {
            None => None,
            Some(pattern) => {
                let mut tars = HashMap::new();
                for name in expand_pattern(pattern.as_ref())? {
                    let Some(number) = nemo_shard_number(name.as_ref()) else {
                        let message = format!("{name}: expected a name with a number, such as audio_0.tar");
                        return Err(Error::Nothing(message));
                    };
                    tars.insert(number, name);
                }
                Some((pattern.clone(), tars))
            }
        };
        Ok(Self { given, folder })
    }

    fn find(&self, number: u64, place: &CorpusPlace) -> Result<BString> {
        if let Some((pattern, tars)) = &self.given {
            let missing = || place.error(format!("expected a tar file of shard {number} among {pattern}, got none"));
            return tars.get(&number).cloned().ok_or_else(missing);
        }
        let tar = nemo_tar(self.folder, number);
        match tar.is_file() {
            true => Ok(tar.as_os_str().as_bytes().into()),
            false => {
                let tar = tar.display();
                Err(place.error(format!(
                    "expected the tar file of shard {number}, {tar}, which is not there: `shards` names it"
                )))
            }
        }
    }
}

/// Members of tar files that have to be copied.
#[derive(Debug)]
struct NemoTars {
    tars: Vec<BString>,
    /// The tar file and the offset of each, in the order of both.
    members: Vec<(usize, u64)>,
}

impl NemoTars {
    /// Finds the wanted members of a tar file by their headers. WAV that can be read in place is named.
    fn find_members(
        &mut self,
        tar: &BString,
        store: usize,
        copies_all: bool,
        wanted: &mut HashMap<BString, Option<FoundSound>>,
    ) -> Result<()> {
        let mut members = Members::open(tar.as_ref(), Wanted::Headers)?;
        let is_plain = members.plain_file().is_some();
        let number = self.tars.len();
        self.tars.push(tar.clone());
        while let Some((member, mut payload)) = members.next_member()? {
            let Some(sound) = wanted.get_mut(&member.path).filter(|_| member.is_file) else { continue };
            let is_in_place = is_plain && !copies_all && payload.parse_front(has_wave_of_known_end)?.unwrap_or(false);
            *sound = Some(match is_in_place {
                true => FoundSound::Named(format!("{tar}:{}", member.offset).into()),
                false => {
                    self.members.push((number, member.offset));
                    FoundSound::Inside { store, index: self.members.len() as u64 - 1 }
                }
            });
        }
        Ok(members.finish()?)
    }
}

/// Whether a content is WAV whose end a reader finds; `None` if more of it is needed.
fn has_wave_of_known_end(head: &[u8]) -> Option<bool> {
    if sound_suffix(head).is_some_and(|suffix| suffix != "wav") {
        return Some(false);
    }
    match WaveSamples::read(head) {
        Err(error) if error.at_end => None,
        samples => Some(samples.is_ok_and(|samples| samples.num_bytes.is_some())),
    }
}

impl SoundStore for NemoTars {
    fn read(&self, wanted: Vec<u64>) -> Result<BoxReader<(u64, Vec<u8>), Error>> {
        let places: Vec<(u64, BString, u64)> = wanted
            .into_iter()
            .map(|index| {
                let (tar, offset) = self.members[index as usize];
                (index, self.tars[tar].clone(), offset)
            })
            .collect();
        let mut places = places.into_iter();
        let mut open: Option<(BString, Members)> = None;
        let next = move |step| -> Result<Option<(u64, Vec<u8>)>> {
            let Some((index, tar, offset)) = places.next().filter(|_| step == Step::Next) else { return Ok(None) };
            if open.as_ref().is_none_or(|(name, _)| *name != tar) {
                open = Some((tar.clone(), Members::open(tar.as_ref(), Wanted::Contents)?));
            }
            let Some((_, members)) = &mut open else { return Ok(None) };
            while let Some((member, mut payload)) = members.next_member()? {
                if member.offset == offset {
                    return Ok(Some((index, payload.read()?)));
                }
            }
            Err(Error::Nothing(format!("{tar}: expected a member at {offset}, got the end: it has changed")))
        };
        Ok(from_fn(next).boxed())
    }
}
