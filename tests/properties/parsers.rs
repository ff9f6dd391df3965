//! The fuzz targets of `fuzz/`, each run on damaged samples. Which damage is done depends on the number of the run alone;
//! a failure prints it, and `KALDI_TABLES_SEED` repeats it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use bstr::ByteSlice;
use indexed_dataset::{BuilderOptions, Dialect, IndexedDatasetBuilder, Prefix, TokenType};
use kaldi_value::{Format, Value};

use super::{Draws, Random};
use crate::safety::values::{ForEachType, for_each_type};
use crate::support::tar::{member, tar};
use crate::tools::models;

#[path = "../../fuzz/src/lib.rs"]
mod targets;

/// Runs `target` on whole samples and then, `runs` times, on damaged ones.
fn run(target: impl Fn(&[u8]), samples: &[Vec<u8>], runs: u64) {
    assert!(!samples.is_empty());
    let try_it = |seed: Option<u64>, bytes: &[u8]| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(bytes))) {
            match seed {
                Some(seed) => eprintln!("KALDI_TABLES_SEED={seed}: {}", bytes.as_bstr()),
                None => eprintln!("an undamaged sample: {}", bytes.as_bstr()),
            }
            resume_unwind(panic);
        }
    };
    let asked =
        std::env::var("KALDI_TABLES_SEED").ok().filter(|seed| seed != "new").map(|seed| seed.parse::<u64>().unwrap());
    if asked.is_none() {
        samples.iter().for_each(|sample| try_it(None, sample));
    }
    for seed in asked.map_or(0..runs, |seed| seed..seed + 1) {
        try_it(Some(seed), &damaged(&mut Random(Draws::seeded(seed)), samples));
    }
}

/// A sample with one to four places changed.
fn damaged(random: &mut Random, samples: &[Vec<u8>]) -> Vec<u8> {
    let pick = |random: &mut Random| &samples[random.below(samples.len() as u64) as usize];
    let mut bytes = pick(random).clone();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let end = bytes.len().min(at + random.below(9) as usize);
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.splice(at..at, bytes[at..end].to_vec()).for_each(drop),
            3 => {
                let other = pick(random);
                let from = random.below(other.len() as u64 + 1) as usize;
                bytes.splice(at.., other[from..].iter().copied()).for_each(drop);
            }
            4 => {
                let number = random.pick(&["-1", "0", "2147483647", "99999999999", "1e39", "nan", "0x1", "+", "."]);
                bytes.splice(at..end, number.bytes()).for_each(drop);
            }
            5 => {
                let number = [-1, 0, 1, i32::MAX, i32::MIN, 1 << 16][random.below(6) as usize];
                bytes.splice(at..bytes.len().min(at + 4), number.to_le_bytes()).for_each(drop);
            }
            6 => {
                let byte =
                    random.pick(&[" ", "\n", "\0", "\0B", "[", "]", ";", ",", ":", "|", "=", "--", "\x04", "\r\n"]);
                bytes.splice(at..end, byte.bytes()).for_each(drop);
            }
            _ => match bytes.get_mut(at) {
                Some(byte) => *byte ^= 1 << random.below(8),
                None => bytes.push(random.bits() as u8),
            },
        }
    }
    bytes
}

/// Files of the conformance suite of at most `longest` bytes whose names end so.
fn files(ends: &[&str], longest: u64) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for folder in ["bin", "feats", "io", "models", "signal"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data").join(folder);
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.retain(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            ends.iter().any(|end| name.ends_with(end)) && fs::metadata(path).is_ok_and(|file| file.len() <= longest)
        });
        found.extend(paths.iter().filter(|path| path.is_file()).map(|path| fs::read(path).unwrap()));
    }
    found
}

fn texts(samples: &[&str]) -> Vec<Vec<u8>> {
    samples.iter().map(|sample| sample.as_bytes().to_vec()).collect()
}

/// Samples of all types in both forms.
fn values() -> Vec<Vec<u8>> {
    struct Written(Vec<Vec<u8>>);
    impl ForEachType for Written {
        fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
            for value in samples {
                for format in [Format::Binary, Format::Text] {
                    let out = value.to_bytes(format);
                    self.0.push(out);
                }
            }
        }
    }
    let mut written = Written(Vec::new());
    for_each_type(&mut written);
    written.0.extend(texts(&[models::TRANSITIONS, &(models::TRANSITIONS.to_owned() + &models::gaussians())]));
    written.0.extend(files(
        &[".mat", ".vec", ".acc", ".macc", ".ie", ".iacc", "plda", "plda.txt", ".htk", ".post", ".int", ".tm", ".topo"],
        2000,
    ));
    written.0
}

#[test]
fn values_keep_their_promises() {
    fn of_any_type(bytes: &[u8]) {
        (0..targets::NUM_VALUES).for_each(|kind| targets::value(&[&[kind], bytes].concat()));
    }
    run(of_any_type, &values(), 2000);
}

#[test]
fn archives_are_read_alike_however_they_are_read() {
    fn of_any_type(bytes: &[u8]) {
        (0..targets::NUM_ARCHIVES).for_each(|kind| targets::archive(&[&[kind], bytes].concat()));
    }
    let mut samples = files(&[".ark"], 3000);
    samples.extend(values().iter().map(|value| [b"a ", value.as_slice(), b"b ", value].concat()));
    run(of_any_type, &samples, 500);
}

#[test]
fn scanned_entries_lie_within_their_archive() {
    fn of_any_type(bytes: &[u8]) {
        [0, 3, 5, 9, 13, 14, 15, 16, 17].iter().for_each(|&kind| targets::scan(&[&[kind], bytes].concat()));
    }
    let mut samples = files(&[".ark", ".wav"], 3000);
    samples.extend(values().iter().map(|value| [b"a ", value.as_slice(), b"b ", value].concat()));
    run(of_any_type, &samples, 500);
}

#[test]
fn lines_of_script_files_are_taken_apart_in_one_way() {
    let mut samples = files(&[".scp"], 3000);
    samples.extend(texts(&["", "a b", "a b\n", " a\tb c |[0:1]\r\nb -\n", "a b\n\nc d\n"]));
    run(targets::script_file, &samples, 4000);
}

#[test]
fn names_of_tables_and_streams_are_classified() {
    let samples = texts(&[
        "ark:foo.ark",
        "scp,p,s,cs,o,bg:foo.scp",
        "ark,t,f:-",
        "ark,scp,b,nf:foo.ark,foo.scp",
        "t,ark:gunzip -c foo.gz |",
        "ark:| gzip -c > foo.gz",
        "foo.ark:1234",
        " foo",
        "",
        "b, scp:a",
        "ark,\u{e4}:\u{7}",
    ]);
    run(targets::specifier, &samples, 10_000);
}

#[test]
fn ranges_lie_within_what_they_are_parts_of() {
    let samples = ["0:51", "0:51,89:100", ":,1:2", ",1:2", ":", "2:5", " 0:+3", "-1:2", "1:1,0:0"];
    let samples: Vec<_> = samples.iter().map(|text| [&[52, 101], text.as_bytes()].concat()).collect();
    run(targets::range, &samples, 20_000);
}

#[test]
fn configurations_and_lines_of_lists() {
    let wenet = "dataset_conf:\n  speed_perturb: true # yes\n  fbank_conf: {num_mel_bins: 80}\n  spec_aug: off\n  sort: &a true\n  \
                 spec_sub: *a\n  batch_conf:\n    batch_type: 'bucket'\n    bucket_boundaries: [100, 200]\n    \
                 bucket_batch_sizes:\n    - 3\n    - 2\n    - 1\n";
    let chain = "- list_shuffle\n- filter: {min_length: 1e1}\n- speed_perturb: {speeds: [0.9, 1]}\n- mfcc: {num_ceps: 13}\n\
                 - spec_aug: {max_t: 5}\n- shuffle: {shuffle_size: 7}\n- batch: {batch_type: dynamic}\n- padding: {target: -1}\n";
    let line = r#"{"key": "a", "wav": "a.wav", "txt": "b\u00e4", "start": 0.5, "end": 1, "x": [null, {"y": 1e3}]}"#;
    run(targets::configuration, &[wenet, chain, line].map(|text| text.as_bytes().to_vec()), 5_000);
}

#[test]
fn manifests_lead_to_data_directories_and_back() {
    let csv = "path,text,speaker,id,offset,duration\na.wav,\"one, \"\"two\"\"\",s,s-a,0.5,1.25\nb.wav,three,,,0,2e0\n";
    let tsv = "client_id\tpath\tsentence\nc1\ta b.mp3\tone \u{e4}\nc2\tb.mp3\ttwo\n";
    let nemo = "{\"audio_filepath\": \"d/a.wav\", \"duration\": 1.5, \"text\": \"one\", \"offset\": 0.25, \"speaker\": \"s\"}\n\
                {\"audio_filepath\": \"d/a.wav\", \"duration\": 1e1, \"text\": \"two\", \"utt_id\": 7}\n";
    let plain =
        "{\"audio_filepath\": \"x\\u00e4.wav\", \"duration\": 1.5, \"text\": \"one\"}\n{\"audio_filepath\": \"b\"}\n";
    let wenet = "{\"key\": \"a\", \"wav\": \"a.wav\", \"txt\": \"one\", \"start\": 0.5, \"end\": 1}\n\
                 {\"key\": \"b\", \"wav\": \"b.wav\", \"txt\": \"two\", \"start\": 0, \"end\": 2}\n";
    let lhotse = "{\"id\": \"r\", \"sources\": [{\"type\": \"file\", \"channels\": [0, 1], \"source\": \"a.wav\"}], \
                  \"sampling_rate\": 16000, \"num_samples\": 16000, \"duration\": 1.0, \"channel_ids\": [0, 1]}\n\
                  {\"id\": \"q\", \"sources\": [{\"type\": \"command\", \"channels\": [0], \"source\": \"cat x\"}]}\n\0\
                  {\"id\": \"u\", \"recording_id\": \"r\", \"start\": 0.5, \"duration\": 0.25, \"channel\": 1, \
                  \"text\": \"one\", \"speaker\": \"s\"}\n\
                  {\"id\": \"v\", \"recording_id\": \"q\", \"start\": 0, \"duration\": 1, \"channel\": [0], \"text\": \"two\"}\n";
    let folder = "a one two\nc three\n\0 four\nfive ";
    let samples: Vec<_> = [(0, csv), (1, tsv), (2, nemo), (2, plain), (3, wenet), (4, lhotse), (5, folder)]
        .map(|(kind, text)| [&[kind], text.as_bytes()].concat())
        .into();
    let of_any_kind = |bytes: &[u8]| {
        targets::manifest(bytes);
        // As another kind, too.
        if let Some((&kind, bytes)) = bytes.split_first() {
            targets::manifest(&[&[kind.wrapping_add(1)], bytes].concat());
        }
    };
    run(of_any_kind, &samples, 400);
}

#[test]
fn what_is_wrong_with_columns_has_one_line() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let arrow = ["types.arrow", "file.arrow", "lz4.arrow", "zstd.arrow", "delta.arrow", "matrices.feather"];
    let arrow = arrow.map(|name| fs::read(data.join("arrow").join(name)).unwrap());
    run(targets::columns, &arrow, 3000);
}

#[test]
fn what_is_wrong_with_a_shard_is_found() {
    let plain = tar(&[("a.txt", b"one"), ("a.wav", &[7; 600]), ("b.c.txt", b"two"), ("b.c.wav", b"")]);
    let folder = [member("d/", b'5', b""), member("x", b'L', b"long name.txt"), plain.clone()].concat();
    let pax = [member("x", b'x', b"14 path=u.txt\n12 size=600\n"), plain[1024..].to_vec()].concat();
    run(targets::shard, &[plain, folder, pax], 20_000);
}

#[test]
fn token_datasets_are_what_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let mut samples = Vec::new();
    for (number, dialect) in [Dialect::Megatron, Dialect::DeepSpeed, Dialect::Fairseq].into_iter().enumerate() {
        let prefix = Prefix::new(folder.path().join(number.to_string()));
        let token_type = if number == 1 { TokenType::I64 } else { TokenType::U16 };
        let options = BuilderOptions { token_type, dialect, has_modes: number == 1, may_widen: false };
        let mut builder = IndexedDatasetBuilder::create(&prefix, options).unwrap();
        for tokens in [&[1, 2, 3][..], &[], &[4, 5], &[99; 7]] {
            builder.push(tokens).unwrap();
            builder.push_mode(1).unwrap();
            builder.end_document().unwrap();
        }
        builder.finish().unwrap();
        let [index, bin] = [prefix.idx(), prefix.bin()].map(|path| fs::read(path).unwrap());
        samples.push([&(index.len() as u16).to_le_bytes()[..], &index, &bin].concat());
    }
    run(targets::indexed, &samples, 5_000);
}

#[test]
fn waves_are_what_their_heads_say() {
    let mut samples = Vec::new();
    for (channels, bits, format) in [(1_u16, 16_u16, 1_u16), (2, 16, 1), (1, 8, 1), (2, 32, 3), (1, 8, 7)] {
        let align = channels * bits / 8;
        let fact = if format == 1 { &b""[..] } else { b"fact\x04\0\0\0\x06\0\0\0" };
        let data = vec![7; usize::from(align) * 6];
        let mut wave = b"RIFF".to_vec();
        wave.extend((36 + fact.len() as u32 + data.len() as u32).to_le_bytes());
        wave.extend(b"WAVEfmt \x10\0\0\0");
        wave.extend([format.to_le_bytes(), channels.to_le_bytes()].concat());
        wave.extend([8000_u32.to_le_bytes(), (8000 * u32::from(align)).to_le_bytes()].concat());
        wave.extend([align.to_le_bytes(), bits.to_le_bytes()].concat());
        wave.extend([fact, b"data", &(data.len() as u32).to_le_bytes(), &data].concat());
        samples.push(wave);
    }
    run(targets::wave, &samples, 20_000);
}

#[test]
fn sounds_are_what_their_heads_say() {
    for suffix in ["aac", "aiff", "au", "caf", "m4a", "mka", "mp3", "ogg", "sph"] {
        let sound = |bytes: &Vec<u8>| kaldi_wave::sound_suffix(bytes) == Some(suffix);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/bytes/sound-files/tests/files");
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        let samples: Vec<_> = names.iter().map(|name| fs::read(name).unwrap()).filter(sound).collect();
        run(|bytes| targets::sound(suffix, bytes), &samples, 150);
    }
}

#[test]
fn command_lines_are_understood_or_refused() {
    let mut samples = texts(&[
        "--binary=false\n--first=3\na\nb",
        "--Sample_Rate=8e3\n--\n--x\0# comment\n--window-type=hamming\n",
        "--range=0:1\na\0 --binary # x\n\n--first = -1\r\n",
        "--help\na",
        "-h",
        "--version",
        "--sample-rate=nan\na",
        "--window_type=hann\na",
        "--frist=1\na",
    ]);
    samples.extend(files(&[".conf"], 2000).iter().map(|config| [b"a\0", config.as_slice()].concat()));
    run(targets::command_line, &samples, 4000);
}
