//! Cuts of lhotse: the objects of its lines.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use bstr::ByteSlice;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use serde_json::value::RawValue;

use crate::excerpt;

/// A cut: a part of a recording with what is said in it. What lhotse leaves out is `None`.
#[derive(Clone, Debug, Deserialize)]
pub struct Cut<'a> {
    /// `MonoCut`, `MultiCut`, `MixedCut` or `PaddingCut`.
    #[serde(borrow, rename = "type")]
    pub kind: Option<CutText<'a>>,
    /// Its name.
    pub id: CutText<'a>,
    /// Where it starts in the recording, in seconds.
    pub start: Option<f64>,
    /// How long it is, in seconds.
    pub duration: Option<f64>,
    /// A number, or a list of them.
    #[serde(borrow)]
    pub channel: Option<&'a RawValue>,
    /// What is said in it.
    #[serde(borrow, default)]
    pub supervisions: Option<Vec<CutSupervision<'a>>>,
    /// What it is a part of.
    #[serde(borrow)]
    pub recording: Option<CutRecording<'a>>,
    /// Features of the recording, or of a part of it.
    #[serde(borrow)]
    pub features: Option<CutFeatures<'a>>,
    /// An object with other entries.
    #[serde(borrow)]
    pub custom: Option<&'a RawValue>,
}

/// What is said in a part of a cut.
#[derive(Clone, Debug, Deserialize)]
pub struct CutSupervision<'a> {
    /// Its name.
    #[serde(borrow)]
    pub id: CutText<'a>,
    /// Where it starts, in seconds from the start of the cut; it may be negative.
    pub start: f64,
    /// How long it is, in seconds; it may reach beyond the cut.
    pub duration: f64,
    /// A number, or a list of them.
    #[serde(borrow)]
    pub channel: Option<&'a RawValue>,
    /// What is said.
    #[serde(borrow)]
    pub text: Option<CutText<'a>>,
    /// Who says it.
    #[serde(borrow)]
    pub speaker: Option<CutText<'a>>,
    /// In which language.
    #[serde(borrow)]
    pub language: Option<CutText<'a>>,
    /// The gender of the speaker.
    #[serde(borrow)]
    pub gender: Option<CutText<'a>>,
    /// Times of words and the like.
    #[serde(borrow)]
    pub alignment: Option<&'a RawValue>,
    /// An object with other entries.
    #[serde(borrow)]
    pub custom: Option<&'a RawValue>,
}

/// A recording.
#[derive(Clone, Debug, Deserialize)]
pub struct CutRecording<'a> {
    /// Its name.
    #[serde(borrow)]
    pub id: CutText<'a>,
    /// Where its sound is.
    #[serde(borrow, default)]
    pub sources: Vec<CutSource<'a>>,
    /// Its channels.
    pub channel_ids: Option<Vec<u32>>,
    /// What lhotse would do to the sound when it reads it.
    #[serde(borrow)]
    pub transforms: Option<&'a RawValue>,
}

/// Where sound is.
#[derive(Clone, Debug, Deserialize)]
pub struct CutSource<'a> {
    /// `file`, `url`, `command`, `memory` or `shar`.
    #[serde(borrow, rename = "type")]
    pub kind: CutText<'a>,
    /// The channels in it.
    pub channels: Option<Vec<u32>>,
    /// The file, the address, the command; something else for sound in memory.
    #[serde(borrow)]
    pub source: Option<&'a RawValue>,
}

/// Features of a recording, or of a part of it.
#[derive(Clone, Debug, Deserialize)]
pub struct CutFeatures<'a> {
    /// Where they start in the recording, in seconds.
    pub start: f64,
    /// How long they are, in seconds.
    pub duration: f64,
    /// Seconds from one frame to the next.
    pub frame_shift: f64,
    /// The number of frames.
    pub num_frames: u64,
    /// How they are stored: `kaldiio`, `numpy_files`, `lilcom_chunky`, `shar` ...
    #[serde(borrow)]
    pub storage_type: CutText<'a>,
    /// The folder or the file.
    #[serde(borrow)]
    pub storage_path: Option<CutText<'a>>,
    /// The place in it; something else for features in memory.
    #[serde(borrow)]
    pub storage_key: Option<&'a RawValue>,
}

/// A text in a line. Only one with escapes has memory of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CutText<'a>(Cow<'a, str>);

impl Deref for CutText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CutText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<'a> From<&'a str> for CutText<'a> {
    fn from(text: &'a str) -> Self {
        Self(text.into())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for CutText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = CutText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<CutText<'de>, E> {
                Ok(text.into())
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<CutText<'de>, E> {
                Ok(CutText(text.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Texts)
    }
}

/// The name in a line that is no cut otherwise, for messages.
#[derive(Deserialize)]
struct Named {
    id: serde_json::Value,
}

impl<'a> Cut<'a> {
    /// Parses a line.
    ///
    /// # Errors
    /// What is wrong, with the name of the cut if it has one.
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        serde_json::from_slice(line).map_err(|error| {
            let name = match serde_json::from_slice::<Named>(line) {
                Ok(Named { id: serde_json::Value::String(id) }) => format!("cut {id}"),
                _ => excerpt(line),
            };
            format!("expected a cut of lhotse, got {name}: {error}")
        })
    }

    /// Whether a line of JSON looks like a cut.
    pub fn is_line(line: &[u8]) -> bool {
        let has = |name: &str| line.contains_str(name);
        let is_named = ["\"MonoCut\"", "\"MultiCut\"", "\"MixedCut\""].iter().any(|kind| has(kind));
        let has_parts = has("\"supervisions\"") || has("\"recording\"") || has("\"features\"");
        line.starts_with(b"{") && has("\"id\"") && (is_named || (has("\"start\"") && has("\"duration\"") && has_parts))
    }

    /// The supervisions in the order of their starts.
    pub fn ordered(&self) -> Vec<&CutSupervision<'a>> {
        let mut supervisions: Vec<_> = self.supervisions.iter().flatten().collect();
        supervisions.sort_by(|a, b| a.start.total_cmp(&b.start));
        supervisions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_cut() {
        let line = r#"{"id": "c-0", "start": 1.5, "duration": 2, "channel": 0, "supervisions": [{"id": "s", "recording_id":
            "r", "start": -0.5, "duration": 1.0, "text": "a \"b\" \u00e4", "speaker": null}], "features": {"type": "fbank",
            "num_frames": 9, "num_features": 80, "frame_shift": 0.01, "sampling_rate": 16000, "start": 0, "duration": 0.09,
            "storage_type": "kaldiio", "storage_path": "a.ark:17", "storage_key": "", "channels": 0},
            "recording": {"id": "r", "sources": [{"type": "file", "channels": [0], "source": "r.wav"}], "sampling_rate":
            16000, "num_samples": 64000, "duration": 4.0, "channel_ids": [0]}, "custom": {"snr": 3}, "type": "MonoCut"}"#;
        let cut = Cut::parse(line.as_bytes()).unwrap();
        assert_eq!(
            (&*cut.id, cut.start, cut.duration, cut.kind.as_deref()),
            ("c-0", Some(1.5), Some(2.0), Some("MonoCut"))
        );
        let supervisions = cut.ordered();
        assert_eq!(supervisions[0].text.as_deref(), Some("a \"b\" \u{e4}"));
        assert_eq!((supervisions[0].start, supervisions[0].speaker.as_deref()), (-0.5, None));
        let recording = cut.recording.unwrap();
        assert_eq!((&*recording.id, &*recording.sources[0].kind, recording.channel_ids), ("r", "file", Some(vec![0])));
        assert_eq!(
            (cut.features.unwrap().storage_path.as_deref(), cut.custom.unwrap().get()),
            (Some("a.ark:17"), "{\"snr\": 3}")
        );
    }

    #[test]
    fn what_is_no_cut_is_told_with_its_name() {
        for (line, expected) in [
            (r#"{"id": "c", "start": "x"}"#, "expected a cut of lhotse, got cut c: invalid type: string \"x\""),
            (r#"{"id": 5}"#, "expected a cut of lhotse, got \"{\"id\": 5}\": invalid type: integer `5`"),
            (r#"{"start": 5}"#, "expected a cut of lhotse, got \"{\"start\": 5}\": missing field `id`"),
            ("{\"id\": \"c\"", "expected a cut of lhotse, got \"{\"id\": \"c\"\": EOF"),
            ("[]", "expected a cut of lhotse, got \"[]\": invalid length 0"),
        ] {
            let error = Cut::parse(line.as_bytes()).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
