//! Parts of cuts: rows of features, channels, values of other entries.

use bstr::ByteSlice;
use serde_json::value::RawValue;
use shards::{Cut, CutFeatures, CutSupervision, excerpt};

use super::cuts::CutSound;
use crate::utterances::words;

/// The first row and the one after the last, of the features of a recording, between two times. All of them are `None` inside; outside of
/// them is `None`.
pub(super) fn rows(
    features: &CutFeatures<'_>,
    start: f64,
    end: f64,
) -> std::result::Result<Option<Option<(u64, u64)>>, String> {
    let shift = features.frame_shift;
    if !(shift > 0.0 && shift.is_finite()) {
        return Err(format!("expected a frame shift above 0, got {shift}"));
    }
    let row = |seconds: f64| ((seconds - features.start) / shift).round().max(0.0) as u64;
    let (first, last) = (row(start), row(end).min(features.num_frames));
    Ok(match (first, last) {
        (first, last) if first >= last => None,
        (0, last) if last == features.num_frames => Some(None),
        rows => Some(Some(rows)),
    })
}

/// The channels of an utterance: what cuts call each, and its place in the sound if that has several.
pub(super) fn channels(
    cut: &Cut<'_>,
    supervision: Option<&CutSupervision<'_>>,
    sound: &CutSound,
) -> std::result::Result<Vec<(u32, Option<u32>)>, String> {
    let is_multi = cut.kind.as_deref() == Some("MultiCut");
    let of_supervision = supervision.and_then(|it| it.channel);
    let (wanted, whose) = match (cut.channel, of_supervision) {
        (cut, Some(own)) if is_multi || cut.is_none() => (own, "supervision"),
        (Some(cut), _) => (cut, "cut"),
        (None, _) => return Err("expected a \"channel\", got none".to_owned()),
    };
    let wanted: Vec<u32> = match wanted.get().parse() {
        Ok(one) => vec![one],
        Err(_) => serde_json::from_str(wanted.get()).map_err(|_| {
            let found = excerpt(wanted.get().as_bytes());
            format!("expected a number or a list of numbers as \"channel\" of the {whose}, got {found}")
        })?,
    };
    if !is_multi && wanted.len() != 1 {
        return Err(format!("expected one channel of a MonoCut, got {wanted:?}"));
    }
    let place = |channel: u32| {
        let at = sound.channels.iter().position(|it| *it == channel);
        let at = at.ok_or_else(|| format!("expected one of the channels {:?}, got {channel}", sound.channels))?;
        let index = if sound.is_cut_out { at as u32 } else { channel };
        Ok((channel, (sound.channels.len() > 1).then_some(index)))
    };
    wanted.into_iter().map(place).collect()
}

/// A value in JSON as the words of a table. `None` if it is an object, or a list of other things than numbers; empty if it is null.
pub(super) fn table_words(value: &[u8]) -> Option<String> {
    match value.trim_ascii().first()? {
        b'"' => {
            let text: String = serde_json::from_slice(value).ok()?;
            Some(words(&text).unwrap_or_default())
        }
        b'n' => Some(String::new()),
        b'{' => None,
        b'[' => {
            let numbers: Vec<&RawValue> = serde_json::from_slice(value).ok()?;
            let is_number = |it: &&RawValue| it.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
            let texts: Vec<&str> = numbers.iter().map(|it| it.get()).collect();
            numbers.iter().all(is_number).then(|| texts.join(" "))
        }
        _ => Some(value.trim_ascii().to_str_lossy().into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(start: f64, num_frames: u64) -> CutFeatures<'static> {
        CutFeatures {
            start,
            duration: num_frames as f64 * 0.01,
            frame_shift: 0.01,
            num_frames,
            storage_type: "kaldiio".into(),
            storage_path: None,
            storage_key: None,
        }
    }

    #[test]
    fn rows_are_those_of_the_utterance() {
        let t = |start, frames, from, to| rows(&features(start, frames), from, to).unwrap();
        assert_eq!(t(0.0, 100, 0.0, 1.0), Some(None));
        // Kaldi makes two frames fewer.
        assert_eq!(t(0.0, 98, 0.0, 1.0), Some(None));
        assert_eq!(t(0.0, 100, 0.2, 0.8), Some(Some((20, 80))));
        assert_eq!(t(0.5, 100, 0.7, 1.0), Some(Some((20, 50))));
        assert_eq!(t(0.5, 100, 0.2, 1.0), Some(Some((0, 50))));
        assert_eq!(t(0.0, 100, 0.9, 2.0), Some(Some((90, 100))));
        assert_eq!(t(0.0, 100, 1.0, 2.0), None);
        assert!(rows(&CutFeatures { frame_shift: 0.0, ..features(0.0, 1) }, 0.0, 1.0).is_err());
    }

    #[test]
    fn values_are_words_of_tables() {
        let t = |value: &str| table_words(value.as_bytes());
        for (value, expected) in [
            ("\" a\\n b \"", Some("a b")),
            ("1.50", Some("1.50")),
            ("true", Some("true")),
            ("null", Some("")),
            ("[1, -2.5]", Some("1 -2.5")),
            ("[]", Some("")),
            ("[\"a\"]", None),
            ("{}", None),
        ] {
            assert_eq!(t(value).as_deref(), expected, "{value}");
        }
    }
}
