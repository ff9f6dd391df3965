use tempfile::TempDir;

use super::*;
use crate::{BuilderOptions, IndexedDataset, IndexedDatasetBuilder, Prefix};

/// Sequences of these lengths, in which all tokens are different.
fn dataset(folder: &TempDir, lengths: &[i32]) -> IndexedDataset {
    let prefix = Prefix::new(folder.path().join("data"));
    let mut builder = IndexedDatasetBuilder::create(&prefix, BuilderOptions::default()).unwrap();
    let mut next = 0;
    for length in lengths {
        builder.push(&(next..next + length).collect::<Vec<_>>()).unwrap();
        builder.end_document().unwrap();
        next += length;
    }
    builder.finish().unwrap();
    IndexedDataset::open(&prefix).unwrap()
}

/// The three indices.
fn build(lengths: &[i32], options: &SampleOptions) -> [Vec<i64>; 3] {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(&folder, lengths);
    build_samples(&dataset, 0..dataset.len(), options, folder.path(), &IndexNames::plain()).unwrap();
    ["document_index.npy", "sample_index.npy", "shuffle_index.npy"].map(|name| {
        let array = NpyReader::open(&folder.path().join(name)).unwrap();
        array.rows(0..array.num_rows()).unwrap()
    })
}

const LENGTHS: [i32; 6] = [20, 50, 60, 30, 100, 5];

fn options() -> SampleOptions {
    SampleOptions { seq_length: 30, ..SampleOptions::default() }
}

/// The example of the README of Modalities.
#[test]
fn documents_as_they_stand() {
    let unshuffled = SampleOptions { shuffle: false, ..options() };
    let rows = [0, 0, 1, 10, 1, 40, 2, 20, 2, 50, 3, 20, 4, 20, 4, 50, 4, 80];
    assert_eq!(build(&LENGTHS, &unshuffled), [vec![0, 1, 2, 3, 4, 5], rows.to_vec(), (0..8).collect()]);
    let without_extra = SampleOptions { extra_token: false, ..unshuffled.clone() };
    assert_eq!(build(&LENGTHS, &without_extra)[1], rows);
    let kept = SampleOptions { drop_last: false, ..unshuffled };
    assert_eq!(build(&LENGTHS, &kept)[1][18..], [5, 4]);
    let kept = SampleOptions { drop_last: false, ..without_extra };
    assert_eq!(build(&LENGTHS, &kept)[1][18..], [5, 5]);
}

/// Megatron's result for the same data.
#[test]
fn one_epoch() {
    let rows = [0, 0, 0, 30, 1, 0, 1, 30, 3, 5, 4, 15, 4, 45, 4, 75, 5, 5];
    let order = [5, 0, 3, 4, 2, 6, 1, 7];
    assert_eq!(build(&LENGTHS, &options()), [vec![2, 1, 5, 0, 4, 3], rows.to_vec(), order.to_vec()]);
    let without_extra = SampleOptions { extra_token: false, ..options() };
    assert_eq!(build(&LENGTHS, &without_extra)[1][..8], [0, 0, 0, 30, 0, 60, 1, 30]);
}

#[test]
fn a_last_epoch_apart() {
    let wanted = SampleOptions { count: SampleCount::Samples(12), ..options() };
    let rows = [
        0, 0, 0, 30, 1, 0, 1, 30, 3, 5, 4, 15, 4, 45, 4, 75, 5, 5, 6, 5, 7, 15, 7, 45, 7, 75, 8, 5, 9, 5, 9, 35, 11, 0,
        11, 30,
    ];
    let order = [1, 0, 3, 5, 2, 7, 4, 6, 15, 14, 10, 11, 9, 16, 13, 12, 8];
    assert_eq!(build(&LENGTHS, &wanted), [vec![2, 1, 5, 0, 4, 3, 0, 4, 3, 2, 5, 1], rows.to_vec(), order.to_vec()]);
}

#[test]
fn a_last_epoch_among_the_others() {
    let wanted = SampleOptions { count: SampleCount::Samples(26), ..options() };
    let documents = [5, 3, 5, 4, 1, 2, 0, 2, 4, 1, 1, 3, 2, 4, 0, 5, 0, 3];
    let rows = [
        0, 0, 1, 25, 3, 20, 3, 50, 3, 80, 4, 10, 4, 40, 5, 20, 5, 50, 7, 0, 7, 30, 8, 0, 8, 30, 8, 60, 8, 90, 9, 20,
        10, 0, 10, 30, 11, 10, 12, 10, 12, 40, 13, 10, 13, 40, 13, 70, 14, 0, 16, 5, 17, 15,
    ];
    let order = [21, 23, 13, 25, 20, 8, 1, 4, 10, 19, 17, 14, 24, 9, 0, 11, 7, 3, 6, 2, 5, 12, 16, 18, 15, 22];
    assert_eq!(build(&LENGTHS, &wanted), [documents.to_vec(), rows.to_vec(), order.to_vec()]);
}

/// Megatron's offset would be -1 there.
#[test]
fn what_is_left_ends_in_the_last_sequence_with_tokens() {
    let kept = SampleOptions { drop_last: false, shuffle: false, ..options() };
    assert_eq!(build(&[40, 0, 0], &kept)[1], [0, 0, 0, 30, 0, 39]);
    assert_eq!(build(&[0, 0, 40], &kept)[1], [0, 0, 2, 30, 2, 39]);
    let without_extra = SampleOptions { extra_token: false, ..kept };
    assert_eq!(build(&[40, 0, 0], &without_extra)[1], [0, 0, 0, 30, 2, 0]);
}

#[test]
fn sequences_of_any_length_are_looked_up() {
    let lengths = [70_000, 0, 65_534, 65_535, 65_536, 3];
    let kept = SampleOptions { seq_length: 65_536, shuffle: false, ..options() };
    assert_eq!(build(&lengths, &kept)[1], [0, 0, 0, 65_536, 2, 61_072, 3, 61_074, 4, 61_075]);
    let many = vec![70_000; 80];
    let rows = &build(&many, &SampleOptions { seq_length: 70_000, shuffle: false, ..options() })[1];
    assert_eq!(rows[rows.len() - 2..], [79, 0]);
}

#[test]
fn samples_have_the_tokens_in_the_order_of_training() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = dataset(&folder, &LENGTHS);
    let wanted = SampleOptions { count: SampleCount::Samples(12), ..options() };
    build_samples(&dataset, 0..6, &wanted, folder.path(), &IndexNames::plain()).unwrap();
    let samples = SampleIndices::open(&dataset, folder.path(), "", true).unwrap();
    assert_eq!(samples.len(), 17);
    // Sample 1 starts at token 30 of sequence 2, which starts at 70 and has 60, and ends with the first one of sequence
    // 1.
    let expected: Vec<i128> = (100..130).chain([20]).collect();
    assert_eq!(samples.sample(0).unwrap().integers(), expected);
    assert!((0..17).all(|place| samples.sample(place).unwrap().len() == 31));
    assert!(samples.sample(17).is_err());
}

#[test]
fn names_carry_the_sum_of_the_description() {
    let names = IndexNames::described(b"abc".to_vec(), "GPTDataset", SplitName::Valid);
    assert_eq!(names.of("description.txt"), "900150983cd24fb0d6963f7d28e17f72-GPTDataset-valid-description.txt");
    assert_eq!(IndexNames::plain().of("sample_index.npy"), "sample_index.npy");
}
