//! Cuts of utterances, with their sound and features.

use kaldi_value::{Format, Value};
use kaldi_wave::{Recording, Wave, WaveInfo, sound_suffix};
use serde_json::json;

use crate::TimeSpan;
use crate::export::json_object;
use crate::shard::pack::{GroupContents, blob_of, channels_of, decode, load, part, parts_of};
use crate::shard::{Packed, Stored, is_canonical};

/// A segment may end this many seconds after its recording, and is then cut: as in Kaldi's `extract-segments`.
const MAX_OVERSHOOT: f64 = 0.5;

/// What becomes of sound.
#[derive(Clone, Copy, Debug)]
pub enum SharAudio {
    /// WAV files of 16 bits; those that are so already keep their bytes.
    Wav,
    /// FLAC files of 16 bits, by this function; FLAC files without finer samples keep their bytes.
    Flac(fn(&Wave) -> Result<Vec<u8>, String>),
    /// Files as they are.
    Copy,
}

/// How utterances become cuts.
#[derive(Clone, Copy, Debug)]
pub struct SharPacking {
    /// What becomes of sound.
    pub audio: SharAudio,
    /// Seconds from one frame of features to the next.
    pub frame_shift: f64,
    /// Whether there is a field of features.
    pub has_features: bool,
}

/// Features of an utterance.
#[derive(Clone, Debug)]
pub struct CutArray {
    /// A file of NumPy.
    pub npy: Vec<u8>,
    /// Its rows.
    pub num_frames: usize,
    /// Its columns.
    pub num_features: usize,
}

/// An utterance of a recording.
#[derive(Clone, Debug, Default)]
pub struct CutUtterance {
    /// Its name.
    pub key: String,
    /// The name of its recording.
    pub recording: String,
    /// Its speaker.
    pub speaker: String,
    /// What is said.
    pub text: Option<String>,
    /// In which language.
    pub language: Option<String>,
    /// The gender of the speaker.
    pub gender: Option<String>,
    /// Other entries: names, and values in JSON.
    pub custom: Vec<(String, String)>,
    /// Where it is in the recording; `None` for all of it.
    pub times: Option<TimeSpan>,
    /// Its channel, if it is not of all.
    pub channel: Option<u32>,
    /// Its features, if it has any.
    pub features: Option<CutArray>,
}

/// An utterance that became a cut.
#[derive(Debug)]
pub struct PackedCut {
    /// Its line.
    pub line: Vec<u8>,
    /// The two members of its sound.
    pub recording: Packed,
    /// The two members of its features, if there is such a field.
    pub features: Option<Packed>,
    /// What was lost of its sound.
    pub loss: Option<String>,
}

/// Sound in the form of a member.
struct SharSound {
    suffix: String,
    content: kaldi_io::Blob,
    /// Samples in a second, samples of a channel, channels.
    size: (f64, u64, usize),
    loss: Option<String>,
}

impl SharPacking {
    /// Makes cuts of a recording and its utterances, or says what is wrong with each.
    pub fn pack(&self, recording: &Stored, utterances: Vec<CutUtterance>) -> Vec<Result<PackedCut, String>> {
        let is_whole = |utterance: &CutUtterance| utterance.times.is_none() && utterance.channel.is_none();
        if let [utterance] = &utterances[..]
            && is_whole(utterance)
        {
            let whole = |utterance| self.cut(utterance, self.whole(recording)?);
            return utterances.into_iter().map(whole).collect();
        }
        let sound = parts_of(recording);
        let mut contents = GroupContents::default();
        utterances
            .into_iter()
            .map(|utterance| {
                let sound = sound.as_ref().map_err(Clone::clone)?;
                let part = part_of(sound, utterance.times, utterance.channel)?;
                let mut sound = self.encode(part)?;
                sound.content = contents.keep(sound.content)?;
                self.cut(utterance, sound)
            })
            .collect()
    }

    /// The sound of a whole recording.
    fn whole(&self, recording: &Stored) -> Result<SharSound, String> {
        let blob = blob_of(recording)?;
        if let (SharAudio::Wav | SharAudio::Copy, Some(content)) = (self.audio, &blob)
            && is_canonical(content)
        {
            return as_it_is(content.clone(), None);
        }
        let bytes = load(recording)?;
        let wave = decode(recording, &bytes)?;
        let is_flac = sound_suffix(&bytes) == Some("flac");
        if matches!(self.audio, SharAudio::Copy)
            || (matches!(self.audio, SharAudio::Flac(_)) && is_flac && !is_fine(&wave))
        {
            return as_it_is(bytes.into_owned().into(), Some(&wave));
        }
        drop(bytes);
        self.encode(wave)
    }

    fn encode(&self, mut wave: Wave) -> Result<SharSound, String> {
        let loss = match (wave.loss(), is_fine(&wave)) {
            (Some(loss), _) => Some(loss),
            (None, true) => Some("its samples have more than 16 bits, and are rounded".to_owned()),
            (None, false) => None,
        };
        wave.round();
        let size = (f64::from(wave.sample_rate()), wave.num_samples() as u64, wave.num_channels());
        if size.1 == 0 {
            return Err("expected sound, got no samples".to_owned());
        }
        let (suffix, bytes) = match self.audio {
            SharAudio::Flac(encode) => ("flac", encode(&wave)?),
            SharAudio::Wav | SharAudio::Copy => ("wav", wave.to_bytes(Format::Binary)),
        };
        Ok(SharSound { suffix: suffix.to_owned(), content: bytes.into(), size, loss })
    }

    /// The line and the members of a cut.
    fn cut(&self, utterance: CutUtterance, sound: SharSound) -> Result<PackedCut, String> {
        let (rate, num_samples, num_channels) = sound.size;
        let duration = num_samples as f64 / rate;
        let channels: Vec<u32> = match utterance.channel {
            Some(channel) => vec![channel],
            None => (0..num_channels as u32).collect(),
        };
        let channel = match channels[..] {
            [only] => json!(only).to_string(),
            _ => list(&channels),
        };
        let key = utterance.key.as_bytes();
        let manifest = recording_manifest(&utterance.recording, &channels, rate, num_samples, duration);
        let mut recording = Packed::new(key);
        recording.add([key, b".", sound.suffix.as_bytes()].concat().as_slice().into(), sound.content);
        recording.add([key, b".json"].concat().as_slice().into(), format!("{manifest}\n").into_bytes());

        let features = self.has_features.then_some(utterance.features.as_ref());
        let features_manifest = features.flatten().map(|array| {
            json_object(&[
                ("type", json!("fbank").to_string()),
                ("num_frames", array.num_frames.to_string()),
                ("num_features", array.num_features.to_string()),
                ("frame_shift", json!(self.frame_shift).to_string()),
                ("sampling_rate", whole_number(rate)),
                ("start", "0".to_owned()),
                ("duration", json!(duration).to_string()),
                ("storage_type", json!("shar").to_string()),
                ("storage_path", "\"\"".to_owned()),
                ("storage_key", "\"\"".to_owned()),
                ("recording_id", json!(utterance.recording).to_string()),
                ("channels", channel.clone()),
            ])
        });
        let line =
            cut_line(&utterance, &channel, duration, channels.len() > 1, features_manifest.as_deref(), &manifest);
        let features = self.has_features.then(|| {
            let mut packed = Packed::new(key);
            match (utterance.features, features_manifest) {
                (Some(array), Some(manifest)) => {
                    packed.add([key, b".npy"].concat().as_slice().into(), array.npy);
                    packed.add([key, b".json"].concat().as_slice().into(), format!("{manifest}\n").into_bytes());
                }
                _ => {
                    packed.add([key, b".nodata"].concat().as_slice().into(), Vec::new());
                    packed.add([key, b".nometa"].concat().as_slice().into(), Vec::new());
                }
            }
            packed
        });
        Ok(PackedCut { line: (line + "\n").into_bytes(), recording, features, loss: sound.loss })
    }
}

/// A file as a member. Its size is in its header, or in what was decoded of it.
fn as_it_is(content: kaldi_io::Blob, wave: Option<&Wave>) -> Result<SharSound, String> {
    let head = content.first(1 << 16).map_err(|error| error.to_string())?;
    let suffix = sound_suffix(&head).ok_or("expected sound that can be decoded, got others")?;
    let size = match (wave, WaveInfo::in_head(&head, content.length())) {
        (Some(wave), _) => (f64::from(wave.sample_rate()), wave.num_samples() as u64, wave.num_channels()),
        (None, Some(Ok(info))) => {
            let num_samples = info.num_samples().ok_or("expected a header with the number of samples, got none")?;
            (f64::from(info.sample_rate()), num_samples, info.num_channels())
        }
        (None, _) => return Err("expected the header of a sound, got none".to_owned()),
    };
    if size.1 == 0 {
        return Err("expected sound, got no samples".to_owned());
    }
    let suffix = suffix.to_owned();
    drop(head);
    Ok(SharSound { suffix, content, size, loss: None })
}

/// Whether samples are finer than those of 16 bits.
fn is_fine(wave: &Wave) -> bool {
    (0..wave.num_channels()).any(|channel| wave.channel(channel).iter().any(|sample| sample.fract() != 0.0))
}

/// The part of a recording: from the sample nearest to its start, with as many samples as its duration has.
fn part_of(sound: &Recording, times: Option<TimeSpan>, channel: Option<u32>) -> Result<Wave, String> {
    let (rate, length) = (f64::from(sound.sample_rate()), sound.num_samples());
    let seconds = length as f64 / rate;
    let (start, end) = times.map_or((0.0, seconds), |times| (times.start, times.end_in(seconds)));
    let nearest = |seconds: f64| ((seconds * rate * 1e8).round() / 1e8 + 0.5).floor() as usize;
    let from = nearest(start).min(length);
    let to = from.saturating_add(nearest(end - start)).min(length);
    if start < 0.0 || end > seconds + MAX_OVERSHOOT || from >= to {
        return Err(format!("expected a segment within {seconds} seconds of the recording, got {start} to {end}"));
    }
    part(sound, channels_of(sound, channel)?, from..to)
}

/// The line of a cut.
fn cut_line(
    utterance: &CutUtterance,
    channel: &str,
    duration: f64,
    is_multi: bool,
    features: Option<&str>,
    recording: &str,
) -> String {
    let text = |text: &str| json!(text).to_string();
    let mut supervision = vec![
        ("id", text(&utterance.key)),
        ("recording_id", text(&utterance.recording)),
        ("start", "0.0".to_owned()),
        ("duration", json!(duration).to_string()),
        ("channel", channel.to_owned()),
    ];
    supervision.extend(utterance.text.as_deref().map(|it| ("text", text(it))));
    supervision.extend(utterance.language.as_deref().map(|it| ("language", text(it))));
    supervision.push(("speaker", text(&utterance.speaker)));
    supervision.extend(utterance.gender.as_deref().map(|it| ("gender", text(it))));
    let mut cut = vec![
        ("id", text(&utterance.key)),
        ("start", "0".to_owned()),
        ("duration", json!(duration).to_string()),
        ("channel", channel.to_owned()),
        ("supervisions", format!("[{}]", json_object(&supervision))),
    ];
    cut.extend(features.map(|features| ("features", features.to_owned())));
    cut.push(("recording", recording.to_owned()));
    if !utterance.custom.is_empty() {
        let entries: Vec<_> = utterance.custom.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        cut.push(("custom", json_object(&entries)));
    }
    cut.push(("type", text(if is_multi { "MultiCut" } else { "MonoCut" })));
    json_object(&cut)
}

/// What lhotse says about the sound of a cut.
fn recording_manifest(id: &str, channels: &[u32], rate: f64, num_samples: u64, duration: f64) -> String {
    let source = json_object(&[
        ("type", json!("shar").to_string()),
        ("channels", list(channels)),
        ("source", "\"\"".to_owned()),
    ]);
    json_object(&[
        ("id", json!(id).to_string()),
        ("sources", format!("[{source}]")),
        ("sampling_rate", whole_number(rate)),
        ("num_samples", num_samples.to_string()),
        ("duration", json!(duration).to_string()),
        ("channel_ids", list(channels)),
    ])
}

/// A number without fraction as an integer.
fn whole_number(number: f64) -> String {
    if number.fract() == 0.0 { (number as i64).to_string() } else { json!(number).to_string() }
}

fn list(numbers: &[u32]) -> String {
    format!("[{}]", numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_start_at_the_nearest_sample() {
        let wave = Wave::new(1000.0, vec![(0..2000).map(|at| at as f32).collect(), vec![0.0; 2000]]);
        let sound = wave.into();
        let listed = |times: Option<(f64, f64)>| times.map(|(start, end)| TimeSpan::listed(start, end));
        let t = |times, channel| {
            part_of(&sound, listed(times), channel).map(|it| (it.num_channels(), it.channel(0).to_vec()))
        };
        assert_eq!(t(Some((0.0016, 0.0041)), Some(0)), Ok((1, vec![2.0, 3.0, 4.0])));
        assert_eq!(t(Some((1.998, 2.5)), None), Ok((2, vec![1998.0, 1999.0])));
        assert_eq!(t(Some((1.999, -1.0)), Some(1)), Ok((1, vec![0.0])));
        for times in [(-0.1, 1.0), (0.0, 2.51), (2.0, 2.2), (1.0, 1.0), (1.0, 0.5), (0.0, 0.0001)] {
            assert!(t(Some(times), None).unwrap_err().starts_with("expected a segment within 2 seconds"), "{times:?}");
        }
        assert_eq!(t(None, Some(2)).unwrap_err(), "expected a channel below 2, got 2");
    }

    #[test]
    fn a_cut_has_what_is_known() {
        let packing = SharPacking { audio: SharAudio::Wav, frame_shift: 0.01, has_features: true };
        let mut bytes = Vec::new();
        Wave::new(8000.0, vec![vec![1.0; 80]]).write(&mut bytes, Format::Binary);
        let utterance = CutUtterance {
            key: "u\u{e4}".to_owned(),
            recording: "r".to_owned(),
            speaker: "s".to_owned(),
            text: Some("say \"x\"".to_owned()),
            custom: vec![("snr".to_owned(), "1.5".to_owned())],
            ..CutUtterance::default()
        };
        let cut = packing.pack(&Stored::Blob(bytes.into()), vec![utterance]).pop().unwrap().unwrap();
        let recording = "{\"id\": \"r\", \"sources\": [{\"type\": \"shar\", \"channels\": [0], \"source\": \"\"}], \
            \"sampling_rate\": 8000, \"num_samples\": 80, \"duration\": 0.01, \"channel_ids\": [0]}";
        let expected = format!(
            "{{\"id\": \"u\u{e4}\", \"start\": 0, \"duration\": 0.01, \"channel\": 0, \"supervisions\": [{{\"id\": \"u\u{e4}\", \
             \"recording_id\": \"r\", \"start\": 0.0, \"duration\": 0.01, \"channel\": 0, \"text\": \"say \\\"x\\\"\", \
             \"speaker\": \"s\"}}], \"recording\": {recording}, \"custom\": {{\"snr\": 1.5}}, \"type\": \"MonoCut\"}}\n"
        );
        assert_eq!(String::from_utf8(cut.line).unwrap(), expected);
        assert_eq!(cut.loss, None);
    }
}
