//! Tarred data sets of NeMo: tar files of sound, and manifests whose lines say which tar file they are in.
//!
//! ```text
//! audio_0.tar, audio_1.tar ...                 the members a.wav, b.wav ..., flat
//! tarred_audio_manifest.json                   {"audio_filepath": "a.wav", "duration": 1.5, "text": "...", "shard_id": 0} ...
//! sharded_manifests/manifest_0.json ...        the lines of each tar file
//! ```

use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{NewFolder, Output, OutputSet};
use serde_json::Value;

use crate::list::python_float;
use crate::manifest::Object;
use crate::shard::Result;

/// What a manifest says about a member.
#[derive(Clone, Debug, PartialEq)]
pub struct NemoEntry {
    /// The name of the member.
    pub member: String,
    /// Its duration in seconds.
    pub seconds: f64,
    /// The text.
    pub text: String,
    /// The name of the utterance.
    pub key: String,
}

/// The name of a member without its suffix: the key, with `_` for what separates folders and suffixes.
pub fn nemo_stem(key: &str) -> String {
    key.replace(['/', '.'], "_")
}

/// Writes the manifests of a tarred data set: one with all lines, and one for each shard. They appear with the set of the shards.
#[must_use = "the manifests are complete only after add_to()"]
pub struct NemoManifests {
    folder: PathBuf,
    all: Output,
    of_shards: OutputSet,
    shard: u64,
    lines: Vec<u8>,
    created: NewFolder,
}

impl NemoManifests {
    /// Opens the manifests in a folder, which is there.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn create(folder: &BStr) -> Result<Self> {
        let path = folder.to_path_lossy().into_owned();
        let sharded = path.join(FOLDER);
        let created = kaldi_io::make_folder(&sharded)?;
        let all = path.join("tarred_audio_manifest.json");
        let all = Output::create_file(&all, all.display().to_string(), false)?;
        Ok(Self { folder: path, all, of_shards: OutputSet::default(), shard: 0, lines: Vec::new(), created })
    }

    /// Adds the line of a member of a shard. Shards come in their order.
    ///
    /// # Errors
    /// If writing fails.
    pub fn add(&mut self, shard: u64, entry: &NemoEntry, speaker: Option<&str>) -> Result<()> {
        if shard != self.shard {
            self.finish_shard()?;
            self.shard = shard;
        }
        let start = self.lines.len();
        let seconds = python_float(entry.seconds);
        let [member, text, key] = [&entry.member, &entry.text, &entry.key].map(|text| Value::from(text.as_str()));
        let speaker = speaker.map_or(String::new(), |speaker| format!("\"speaker\": {}, ", Value::from(speaker)));
        self.lines.extend(
            format!(
                "{{\"audio_filepath\": {member}, \"duration\": {seconds}, \"text\": {text}, {speaker}\"utt_id\": {key}, \
                 \"shard_id\": {shard}}}\n"
            )
            .into_bytes(),
        );
        Ok(self.all.write_all(&self.lines[start..])?)
    }

    fn finish_shard(&mut self) -> Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let path = self.folder.join(FOLDER).join(format!("manifest_{}.json", self.shard));
        let mut output = Output::create_file(&path, path.display().to_string(), false)?;
        output.write_all(&std::mem::take(&mut self.lines))?;
        Ok(self.of_shards.add_one_of_many(output)?)
    }

    /// Completes the manifests, and adds them to a set.
    ///
    /// # Errors
    /// If writing fails.
    pub fn add_to(mut self, set: &mut OutputSet) -> Result<()> {
        self.finish_shard()?;
        self.created.keep();
        set.append(self.of_shards);
        Ok(set.add(self.all)?)
    }
}

/// The folder of the manifests of single shards.
pub(super) const FOLDER: &str = "sharded_manifests";

/// A line of a manifest of a tarred data set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NemoLine {
    /// The name of the member, maybe with `-sub<n>` before its suffix.
    pub(crate) member: BString,
    pub(crate) shard: u64,
    /// Where the utterance starts in the member, in seconds.
    pub(crate) start: Option<f64>,
    pub(crate) seconds: Option<f64>,
}

impl NemoLine {
    /// Reads the line of an object whose entry `audio` names the member.
    pub(crate) fn read(object: &Object, audio: &str) -> crate::Result<Self> {
        let member = object.needed(audio)?.into();
        let shard = match object.get("shard_id") {
            Some(value) => value.as_u64().ok_or_else(|| object.wrong("shard_id", "the number of a tar file", value))?,
            None => {
                return Err(object.place.error("expected a field \"shard_id\", the number of a tar file, got none"));
            }
        };
        let (start, seconds) = (object.seconds("offset")?, object.seconds("duration")?);
        let is_odd = |seconds: Option<f64>| seconds.is_some_and(|seconds| !(seconds >= 0.0 && seconds.is_finite()));
        if is_odd(start) || is_odd(seconds) {
            return Err(object.place.error("expected \"offset\" and \"duration\" from 0 s on, got others"));
        }
        Ok(Self { member, shard, start, seconds })
    }
}

/// The name of a member without `-sub<n>` before its suffix, which marks lines of one member that come after the first.
pub(crate) fn without_sub(member: &BStr) -> Option<BString> {
    let dot = member.rfind_byte(b'.').unwrap_or(member.len());
    let stem = member[..dot].trim_end_with(|c| c.is_ascii_digit());
    let whole = stem.strip_suffix(b"-sub").filter(|whole| stem.len() < dot && !whole.is_empty())?;
    Some([whole, &member[dot..]].concat().into())
}

/// The number of a shard by its name, as NeMo finds it: behind the last `_` before the suffix of a name that has `audio`.
pub fn nemo_shard_number(shard: &BStr) -> Option<u64> {
    let name = shard.rfind_byte(b'/').map_or(shard, |slash| BStr::new(&shard[slash + 1..]));
    let tar = name.rfind(b".tar")?;
    let from = name[..tar].find(b"audio")?;
    let places = name[from..tar].rfind_iter(b"_").map(|at| from + at + 1);
    places.into_iter().find_map(|at| {
        let digits = name[at..tar].iter().take_while(|byte| byte.is_ascii_digit()).count();
        name[at..at + digits].to_str().ok()?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_the_numbers_that_nemo_finds() {
        for (name, number) in [
            ("audio_0.tar", Some(0)),
            ("x/audio_12.tar", Some(12)),
            ("audio_007.tar.gz", Some(7)),
            ("my_audio_b2_3.tar", Some(3)),
            ("audio_3_clean.tar", Some(3)),
            ("a_1/audio.tar", None),
            ("shards_1.tar", None),
            ("audio_1.zip", None),
            ("audio_.tar", None),
        ] {
            assert_eq!(nemo_shard_number(name.into()), number, "{name}");
        }
    }

    #[test]
    fn parts_of_a_member_are_told_by_their_names() {
        for (name, whole) in [
            ("x-sub1.wav", Some("x.wav")),
            ("x-sub12", Some("x")),
            ("x-sub.wav", None),
            ("x-sub1a.wav", None),
            ("-sub1.wav", None),
            ("x.wav", None),
        ] {
            assert_eq!(without_sub(name.into()), whole.map(BString::from), "{name}");
        }
        assert_eq!(nemo_stem("a/b.c-d"), "a_b_c-d");
    }
}
