//! Manifests of NeMo, line by line.

use std::path::Path;

use kaldi_io::Commands;
use serde_json::Value;
use shards::excerpt;

use super::RawUtterance;
use super::raw::RawFields;
use crate::TimeSpan;

/// Folders below that of a manifest that may have its sound.
const FOLDERS: [&str; 2] = ["clips", ""];

impl RawUtterance {
    /// Reads a line of a manifest of NeMo that is in this folder. The key is `utt_id`, or the name of the file without its suffix,
    /// and for a part of the file its start and end in milliseconds. Sound that has no absolute name is in the folder `clips` or in that
    /// of the manifest, if it is there; with `shard_id` it is the name of a member, whose sound
    /// [`NemoSounds`](crate::NemoSounds) finds. `commands` says what happens if a command is in place of the file.
    ///
    /// # Errors
    /// What was expected and what was found.
    pub fn parse_nemo(line: &[u8], folder: &Path, commands: Commands) -> Result<Self, String> {
        let Ok(mut fields) = RawFields::parse(line) else {
            return Err(format!("expected an object in JSON, got {}", excerpt(line)));
        };
        let mut take = |name: &str| fields.take(name).filter(|value| !value.is_null());
        let wrong = |name: &str, expected: &str, value: &Value| {
            format!("expected {expected} as the field \"{name}\", got {}", excerpt(value.to_string().as_bytes()))
        };
        let path = match take("audio_filepath") {
            Some(Value::String(path)) if !path.is_empty() => path,
            Some(other) => return Err(wrong("audio_filepath", "a file name", &other)),
            None => return Err(format!("expected a field \"audio_filepath\", got none in {}", excerpt(line))),
        };
        commands.check(path.as_str().into())?;
        let txt = match take("text") {
            Some(Value::String(text)) => text,
            None => String::new(),
            Some(other) => return Err(wrong("text", "text", &other)),
        };
        let mut seconds = |name: &str| match take(name) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or_else(|| wrong(name, "seconds", &value)),
        };
        let segment = match (seconds("offset")?, seconds("duration")?) {
            (None, _) => None,
            (Some(start), Some(duration)) => Some(TimeSpan { start, end: Some(start + duration) }),
            (Some(_), None) => return Err("expected a field \"duration\" beside \"offset\", got none".to_owned()),
        };
        let key = match take("utt_id") {
            Some(Value::String(key)) if !key.is_empty() => key,
            Some(Value::Number(number)) if !number.is_f64() => number.to_string(),
            None => name_of(&path, segment),
            Some(other) => return Err(wrong("utt_id", "a name", &other)),
        };
        let key = key.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
        // In a tarred set it is the name of a member.
        let extra = fields.into_rest();
        let wav = if extra.contains_key("shard_id") { path } else { place_of(path, folder) };
        Ok(Self { key, wav, txt, segment, extra })
    }
}

/// The name of an utterance that has none.
fn name_of(path: &str, segment: Option<TimeSpan>) -> String {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    let milliseconds = |seconds: f64| (seconds * 1000.0).round() as u64;
    match segment {
        None => stem.to_owned(),
        Some(TimeSpan { start, end }) => {
            format!("{stem}-{:07}-{:07}", milliseconds(start), milliseconds(end.unwrap_or_default()))
        }
    }
}

/// Where the sound is. Absolute names, addresses and commands that are allowed stay.
fn place_of(path: String, folder: &Path) -> String {
    if path.starts_with('/') || path.contains("://") || path.ends_with('|') {
        return path;
    }
    let found = FOLDERS.iter().map(|below| folder.join(below).join(&path)).find(|path| path.is_file());
    found.map_or(path, |found| found.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_utterance_or_a_part() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("clips")).unwrap();
        for name in ["clips/a.b.wav", "c.wav"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let parse = |line: &str| RawUtterance::parse_nemo(line.as_bytes(), folder.path(), Commands::Allow).unwrap();
        let part =
            parse(r#"{"audio_filepath": "a.b.wav", "offset": 1.2, "duration": 1.1, "text": "x y", "speaker": "s"}"#);
        assert_eq!((part.key.as_str(), part.txt.as_str()), ("a.b-0001200-0002300", "x y"));
        assert_eq!(part.wav, folder.path().join("clips/a.b.wav").to_str().unwrap());
        assert_eq!(part.segment, Some(TimeSpan { start: 1.2, end: Some(1.2 + 1.1) }));
        assert_eq!(part.extra["speaker"], "\"s\"");
        let whole = parse(r#"{"audio_filepath": "c.wav", "duration": 2, "utt_id": "u 1", "offset": null}"#);
        assert_eq!((whole.key.as_str(), whole.txt.as_str(), whole.segment), ("u_1", "", None));
        assert!(whole.wav.ends_with("/c.wav") && whole.wav.len() > "c.wav".len());
        let tarred = parse(r#"{"audio_filepath": "c.wav", "duration": 2, "shard_id": 0}"#);
        assert_eq!((tarred.wav.as_str(), tarred.extra["shard_id"].as_str()), ("c.wav", "0"));
        for path in ["/x/d.wav", "s3://b/d.wav", "d.wav", "cat d.wav |"] {
            assert_eq!(parse(&format!(r#"{{"audio_filepath": "{path}"}}"#)).wav, path);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for line in [
            "{",
            "[1]",
            "{}",
            r#"{"audio_filepath": 1}"#,
            r#"{"audio_filepath": "cat d.wav |"}"#,
            r#"{"audio_filepath": "-"}"#,
            r#"{"audio_filepath": "a", "text": 1}"#,
            r#"{"audio_filepath": "a", "offset": "1"}"#,
            r#"{"audio_filepath": "a", "offset": 1}"#,
            r#"{"audio_filepath": "a", "utt_id": []}"#,
        ] {
            let error = RawUtterance::parse_nemo(line.as_bytes(), Path::new(""), Commands::Refuse).unwrap_err();
            assert!(error.starts_with("expected"), "{error}");
        }
    }
}
