//! The contract of readers on feeds: from every kind of list, with several threads, stopped and started again anywhere.
//!
//! Features of sound take long without optimization, so that sound is short here. Tables of features are long enough for
//! threads to be started. One test, since it counts the threads and the children of the process.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bstr::BString;
use kaldi_corpus::shard::{Packed, ShardWriter};
use kaldi_feat::extract::FbankOptions;
use kaldi_feed::{
    Bounds, Chain, DataList, DataType, Description, Even, Feed, FeedOptions, FeedReader, LogMelOptions, Padding,
    SpecAugment, SpecSubstitute, SpecTrim, Stage, TensorFormat, Tokenizer, standard_stages,
};
use kaldi_matrix::Matrix;
use kaldi_reader::testing::Expected;
use kaldi_reader::{Buckets, Draws, Leftover, Reader, ReaderExt};
use kaldi_table::{Session, TableWriter};
use kaldi_value::{Format, SymbolTable, Value};
use kaldi_wave::Wave;

const NUM_UTTERANCES: u64 = 12;

const CHAIN: &str = "\
- list_shuffle
- tokenize: {symbols: UNITS}
- filter: {min_length: 5, max_output_input_ratio: 9}
- speed_perturb
- fbank: {num_mel_bins: 23, dither: 1.0}
- spec_aug
- shuffle: {shuffle_size: 5}
- sort: {sort_size: 3}
- batch: {batch_type: dynamic, max_frames_in_batch: MAX}
";

/// Utterances in all forms: data.list, wav.scp, pipes.scp, feats.scp, text, shards.list.
fn corpus(folder: &Path) {
    let name = |file: &str| folder.join(file).display().to_string();
    let (mut raw, mut scp, mut pipes, mut text) = (String::new(), String::new(), String::new(), String::new());
    let mut feats =
        TableWriter::<Matrix<f32>>::create(format!("ark,scp:{},{}", name("f.ark"), name("feats.scp"))).unwrap();
    let shard = name("a.tar");
    let mut packed = ShardWriter::create(shard.as_str().into(), false).unwrap();
    for number in 0..NUM_UTTERANCES {
        let mut draws = Draws::seeded(number);
        let length = 800 + draws.index(800);
        let samples = (0..length).map(|_| (draws.uniform() * 2000.0 - 1000.0) as f32).collect();
        let num_frames = 300 + draws.index(300);
        feats.write(format!("u{number:02}"), &Matrix::from_vec(num_frames, 80, vec![1.0; num_frames * 80])).unwrap();
        let bytes = Wave::new(16_000.0, vec![samples]).to_bytes(Format::Binary);
        let (key, path) = (format!("u{number:02}"), name(&format!("u{number:02}.wav")));
        fs::write(&path, &bytes).unwrap();
        raw.push_str(&format!("{{\"key\": \"{key}\", \"wav\": \"{path}\", \"txt\": \"AB BA\"}}\n"));
        scp.push_str(&format!("{key} {path}\n"));
        pipes.push_str(&format!("{key} cat {path} |\n"));
        text.push_str(&format!("{key} AB BA\n"));
        let mut sample = Packed::new(key.as_str());
        sample.add(format!("{key}.txt").as_str().into(), b"AB BA".to_vec());
        sample.add(format!("{key}.wav").as_str().into(), bytes);
        packed.put(&sample).unwrap();
    }
    packed.finish().unwrap();
    feats.finish().unwrap();
    for (file, content) in
        [("data.list", raw), ("wav.scp", scp), ("pipes.scp", pipes), ("text", text), ("shards.list", shard)]
    {
        fs::write(folder.join(file), content).unwrap();
    }
    fs::write(folder.join("units.txt"), "<unk> 0\nA 1\nB 2\n▁ 3\n").unwrap();
}

fn chain(folder: &Path, max_frames: usize) -> Arc<Chain> {
    let text = CHAIN.replace("UNITS", &folder.join("units.txt").display().to_string());
    let text = text.replace("MAX", &max_frames.to_string());
    Arc::new(Chain::build(&Description::parse("chain.yaml", &text).unwrap(), &standard_stages()).unwrap())
}

fn feed(list: &DataList, chain: &Arc<Chain>, options: &FeedOptions) -> FeedReader<(u64, Vec<u8>)> {
    Feed::open(list, chain, options).unwrap().padded(Session::current().threads(3), move |number, batch| {
        let file = TensorFormat::Safetensors.encode(batch)?;
        Ok((number, file.slices().collect::<Vec<_>>().concat()))
    })
}

/// The children of the process.
fn children() -> String {
    let mut all = String::new();
    for task in fs::read_dir("/proc/self/task").unwrap().flatten() {
        all.push_str(&fs::read_to_string(task.path().join("children")).unwrap_or_default());
    }
    all
}

/// The stages of [`CHAIN`] and others, made in Rust.
fn stages(folder: &Path) -> Vec<Stage> {
    let units = SymbolTable::parse("units.txt", &fs::read(folder.join("units.txt")).unwrap()).unwrap();
    let mut fbank = FbankOptions::default();
    fbank.frames.dither = 1.0;
    vec![
        Stage::cycle(2),
        Stage::list_shuffle(usize::MAX),
        Stage::tokenize(Tokenizer::characters(), units, "<unk>"),
        Stage::filter(Bounds { min_length: 5.0, max_output_input_ratio: 9.0, ..Bounds::default() }),
        Stage::channel(0),
        Stage::resample(8000),
        Stage::speed_perturb(vec![0.9, 1.0, 1.1]).unwrap(),
        Stage::fbank(fbank).unwrap(),
        Stage::spec_aug(SpecAugment::default()),
        Stage::spec_sub(SpecSubstitute::default()),
        Stage::spec_trim(SpecTrim::default()),
        Stage::shuffle(5, 5, 1 << 30),
        Stage::sort(3, 1 << 30),
        Stage::batch_of(2, Leftover::Drop),
        Stage::Padding(Padding { feats: -1.0, ..Padding::default() }),
    ]
}

/// Chains made in Rust and described in YAML give the same batches.
fn chains_in_rust_are_those_of_yaml(folder: &Path, list: &DataList, options: &FeedOptions) {
    let text = "- cycle: {cycle: 2}\n- list_shuffle\n- tokenize: {symbols: UNITS}\n\
        - filter: {min_length: 5, max_output_input_ratio: 9}\n- channel\n- resample: {resample_rate: 8000}\n\
        - speed_perturb\n- fbank: {dither: 1.0}\n- spec_aug\n- spec_sub\n- spec_trim\n- shuffle: {shuffle_size: 5}\n\
        - sort: {sort_size: 3}\n- batch: {batch_size: 2, leftover: drop}\n- padding: {feats: -1}\n";
    let text = text.replace("UNITS", &folder.join("units.txt").display().to_string());
    let described = Chain::build(&Description::parse("chain.yaml", &text).unwrap(), &standard_stages()).unwrap();
    let made = Chain::new(stages(folder)).unwrap();
    assert_eq!(made.padding(), described.padding());
    let batches = |chain: Chain| feed(list, &Arc::new(chain), options).read_all().unwrap();
    let (made, described) = (batches(made), batches(described));
    assert!(made.len() as u64 > NUM_UTTERANCES / 2, "{}", made.len());
    assert!(made == described);

    for (batch, other) in [
        (Stage::batch_by_frames(20), "{batch_type: dynamic, max_frames_in_batch: 20}"),
        (
            Stage::batch_by_length(Buckets::new(vec![7], vec![3, 2]).unwrap(), Leftover::Keep),
            "{batch_type: bucket, bucket_boundaries: [7], bucket_batch_sizes: [3, 2]}",
        ),
    ] {
        let log_mel = LogMelOptions { num_mel_bins: 20, seconds: Some(1), ..LogMelOptions::default() };
        let made = Chain::new([Stage::log_mel_spectrogram(log_mel).unwrap(), batch]).unwrap();
        let text = format!(
            "- log_mel_spectrogram: {{num_mel_bins: 20, pad_or_trim: true, max_duration: 1}}\n- batch: {other}\n"
        );
        let described = Chain::build(&Description::parse("chain.yaml", &text).unwrap(), &standard_stages()).unwrap();
        assert!(batches(made) == batches(described), "{other}");
    }
    let error = Chain::new([Stage::batch_by_frames(20), Stage::channel(0)]).err().unwrap().to_string();
    assert_eq!(error, "expected stage 2 before the stage that makes batches");
}

#[test]
fn feeds_keep_to_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    corpus(folder.path());
    let list = |data_type, prefix: &str, file: &str| DataList {
        data_type,
        name: BString::from(format!("{prefix}{}", folder.path().join(file).display())),
        text: (data_type == DataType::Table).then(|| folder.path().join("text").display().to_string().into()),
        text_field: None,
        commands: kaldi_io::Commands::Refuse,
    };
    let feats = list(DataType::Table, "scp:", "feats.scp");
    let options = FeedOptions { epoch: 4, seed: 9, ..FeedOptions::default() };
    let long = chain(folder.path(), 1000);
    let mut reader = feed(&feats, &long, &options);
    let all = reader.read_all().unwrap();
    assert!(all.len() >= 5 && all.iter().map(|batch| batch.1.len()).sum::<usize>() > 5 << 18);
    let counts = reader.counts();
    let found = [counts.samples, counts.delivered, counts.bad, counts.batches];
    assert_eq!(found, [NUM_UTTERANCES, NUM_UTTERANCES, 0, all.len() as u64]);
    drop(reader);
    Expected::values(all).check(|| feed(&feats, &long, &options)).unwrap();
    for even in [Even::Trim, Even::Repeat] {
        let options = FeedOptions { rank: [1, 2], even, skip_batches: 1, ..options.clone() };
        let expected = feed(&feats, &long, &options).read_all().unwrap();
        Expected::values(expected).check(|| feed(&feats, &long, &options)).unwrap();
    }
    let short = chain(folder.path(), 20);
    let raw = list(DataType::Raw, "", "data.list");
    let shards = list(DataType::Shard, "", "shards.list");
    for list in [&raw, &shards, &list(DataType::Table, "scp:", "pipes.scp")] {
        let expected = feed(list, &short, &options).read_all().unwrap();
        Expected::values(expected).check(|| feed(list, &short, &options)).unwrap();
        assert_eq!(children(), "", "{list:?}");
    }

    chains_in_rust_are_those_of_yaml(folder.path(), &raw, &options);

    // A bad sample ends the stream if that was asked for, and no process or file remains.
    fs::write(folder.path().join("u07.wav"), "nothing").unwrap();
    let failing =
        FeedOptions { policy: kaldi_feed::ErrorPolicy { fail: true, ..Default::default() }, ..FeedOptions::default() };
    let mut values = Vec::new();
    let mut reader = feed(&raw, &short, &failing);
    let error = loop {
        match reader.next() {
            Ok(Some(value)) => values.push(value),
            Ok(None) => panic!("an end instead of an error"),
            Err(error) => break error.to_string(),
        }
    };
    let place = format!("u07: {}/u07.wav:0: expected RIFF or RIFX, got noth", folder.path().display());
    assert!(error.starts_with(&place), "{error}");
    Expected::values(values).then_error(&place).check(|| feed(&raw, &short, &failing)).unwrap();
    assert_eq!(children(), "");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(left.len() as u64, NUM_UTTERANCES + 9, "{left:?}");
}
