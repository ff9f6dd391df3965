//! Utterances to feed, in all the forms that lists have, and what comes out.

use serde_json::Value;

use crate::support::Scratch;
use crate::support::signal::tone;
use crate::support::tar::shard;
use crate::support::wave::wave;

/// Everything in its order, and nothing changed at random.
pub const PLAIN: &str = "\
dataset_conf:
  list_shuffle: false
  filter_conf: {min_length: 0, max_output_input_ratio: 9}
  resample_conf: {resample_rate: 8000}
  fbank_conf: {num_mel_bins: 23}
  spec_aug: false
  shuffle: false
  sort: false
  batch_conf: {batch_type: static, batch_size: 4}
";

/// Everything at random.
pub const RANDOM: &str = "\
dataset_conf:
  filter_conf: {min_length: 0}
  resample_conf: {resample_rate: 8000}
  speed_perturb: true
  fbank_conf: {num_mel_bins: 23, dither: 1.0}
  spec_sub: true
  spec_trim: true
  shuffle_conf: {shuffle_size: 10}
  sort_conf: {sort_size: 8}
  batch_conf: {batch_type: dynamic, max_frames_in_batch: 200}
";

pub const NUM_UTTERANCES: usize = 23;

/// The key, the text and the sound of an utterance.
fn utterance(number: usize) -> (String, String, Vec<u8>) {
    let seconds = 0.2 + 0.05 * ((number * 7) % 11) as f64;
    let text = ["GO ON", "ON", "NO GO", "GOON"][number % 4].to_owned();
    (format!("u{number:02}"), text, wave(8000, &[&tone(8000, 200.0 + 20.0 * number as f64, 8000.0, seconds)]))
}

/// A folder with wav/, data.list, wav.scp, text, units.txt, plain.yaml, random.yaml, a.tar, b.tar, shards.list.
pub fn corpus() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("wav")).unwrap();
    let (mut raw, mut scp, mut text) = (String::new(), String::new(), String::new());
    let utterances: Vec<_> = (0..NUM_UTTERANCES).map(utterance).collect();
    for (key, words, sound) in &utterances {
        scratch.write(&format!("wav/{key}.wav"), sound);
        raw.push_str(&format!("{{\"key\": \"{key}\", \"wav\": \"wav/{key}.wav\", \"txt\": \"{words}\"}}\n"));
        scp.push_str(&format!("{key} wav/{key}.wav\n"));
        text.push_str(&format!("{key} {words}\n"));
    }
    let samples: Vec<(&str, &str, &[u8])> =
        utterances.iter().map(|(key, words, sound)| (key.as_str(), words.as_str(), sound.as_slice())).collect();
    scratch.write("a.tar", shard(&samples[..12])).write("b.tar", shard(&samples[12..]));
    scratch.write("shards.list", "a.tar\nb.tar\n");
    scratch.write("data.list", raw).write("wav.scp", scp).write("text", text);
    scratch.write("units.txt", "<blank> 0\n<unk> 1\nG 2\nN 3\nO 4\n▁ 5\n<sos/eos> 6\n");
    scratch.write("plain.yaml", PLAIN).write("random.yaml", RANDOM);
    scratch
}

/// A batch of a file of safetensors.
#[derive(Debug, PartialEq)]
pub struct Batch {
    pub keys: Vec<String>,
    pub header: Value,
    content: Vec<u8>,
}

impl Batch {
    /// The numbers of an array, each of 4 or 8 bytes.
    pub fn array<const N: usize>(&self, name: &str) -> Vec<[u8; N]> {
        let offset = |place: usize| self.header[name]["data_offsets"][place].as_u64().unwrap() as usize;
        self.content[offset(0)..offset(1)].as_chunks::<N>().0.to_vec()
    }

    pub fn shape(&self, name: &str) -> Vec<u64> {
        self.header[name]["shape"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).collect()
    }

    pub fn lengths(&self, name: &str) -> Vec<i32> {
        self.array(name).into_iter().map(i32::from_le_bytes).collect()
    }

    pub fn target(&self) -> Vec<i64> {
        self.array("target").into_iter().map(i64::from_le_bytes).collect()
    }

    pub fn feats(&self) -> Vec<f32> {
        self.array("feats").into_iter().map(f32::from_le_bytes).collect()
    }
}

/// The batches of a stream.
pub fn batches(mut stream: &[u8]) -> Vec<Batch> {
    let mut batches = Vec::new();
    while !stream.is_empty() {
        let length = u64::from_le_bytes(stream[..8].try_into().unwrap()) as usize;
        let header: Value = serde_json::from_slice(&stream[8..8 + length]).unwrap();
        let keys: Vec<String> = serde_json::from_str(header["__metadata__"]["keys"].as_str().unwrap()).unwrap();
        let ends = header.as_object().unwrap().values().filter_map(|entry| entry["data_offsets"][1].as_u64());
        let end = 8 + length + ends.max().unwrap() as usize;
        batches.push(Batch { keys, header, content: stream[8 + length..end].to_vec() });
        stream = &stream[end..];
    }
    batches
}

/// What `feed-batches` delivers with these options and this list.
pub fn fed(scratch: &Scratch, arguments: &str) -> Vec<Batch> {
    batches(scratch.sh(&format!("feed-batches {arguments} -")).succeeds().stdout())
}

/// All keys in their order.
pub fn keys(batches: &[Batch]) -> Vec<&str> {
    batches.iter().flat_map(|batch| batch.keys.iter().map(String::as_str)).collect()
}
