//! Datasets written, read, merged and cut.

use std::fs;

use tempfile::TempDir;

use super::*;

mod damage;

/// A new folder, and a prefix in it.
fn scratch() -> (TempDir, Prefix) {
    let folder = tempfile::tempdir().unwrap();
    let prefix = Prefix::new(folder.path().join("data"));
    (folder, prefix)
}

fn write(prefix: &Prefix, options: BuilderOptions, documents: &[&[&[i32]]]) -> DatasetCounts {
    let mut builder = IndexedDatasetBuilder::create(prefix, options).unwrap();
    for document in documents {
        for (mode, sequence) in document.iter().enumerate() {
            builder.push(sequence).unwrap();
            builder.push_mode(mode as i8).unwrap();
        }
        builder.end_document().unwrap();
    }
    builder.finish().unwrap()
}

fn of_type(token_type: TokenType) -> BuilderOptions {
    BuilderOptions { token_type, ..BuilderOptions::default() }
}

const GOLDEN: [&[&[i32]]; 3] = [&[&[1, 2, 3]], &[&[4, 5, 6, 7]], &[&[8, 9]]];

/// The index that Megatron and datatrove write for it.
#[rustfmt::skip]
const GOLDEN_INDEX: [u8; 102] = [
    0x4d, 0x4d, 0x49, 0x44, 0x49, 0x44, 0x58, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8,
    3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
    3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
];

fn golden() -> (TempDir, Prefix) {
    let (folder, prefix) = scratch();
    write(&prefix, of_type(TokenType::U16), &GOLDEN);
    (folder, prefix)
}

/// An index made by hand.
fn index(code: u8, sizes: &[i32], token_size: i64, bounds: Option<&[i64]>) -> Vec<u8> {
    let mut bytes = b"MMIDIDX\0\0\x01\0\0\0\0\0\0\0".to_vec();
    bytes.push(code);
    bytes.extend((sizes.len() as u64).to_le_bytes());
    bytes.extend(bounds.iter().flat_map(|bounds| (bounds.len() as u64).to_le_bytes()));
    bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
    let mut pointer = 0_i64;
    for size in sizes {
        bytes.extend(pointer.to_le_bytes());
        pointer += i64::from(*size) * token_size;
    }
    bytes.extend(bounds.unwrap_or_default().iter().flat_map(|bound| bound.to_le_bytes()));
    bytes
}

fn put(prefix: &Prefix, index: &[u8], bin: &[u8]) {
    fs::write(prefix.idx(), index).unwrap();
    fs::write(prefix.bin(), bin).unwrap();
}

#[test]
fn the_golden_files_are_written_and_read() {
    let (_folder, prefix) = golden();
    assert_eq!(fs::read(prefix.idx()).unwrap(), GOLDEN_INDEX);
    assert_eq!(fs::read(prefix.bin()).unwrap(), (1..=9_u16).flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    let dataset = IndexedDataset::open(&prefix).unwrap();
    assert_eq!((dataset.dialect(), dataset.token_type()), (Dialect::Megatron, TokenType::U16));
    assert_eq!((dataset.len(), dataset.num_documents()), (3, 3));
    assert_eq!(dataset.sequence(1).unwrap().integers(), [4, 5, 6, 7]);
    assert_eq!(dataset.slice(1, 1, Some(2)).unwrap().integers(), [5, 6]);
    assert_eq!(dataset.slice(1, 4, None).unwrap().integers(), []);
    assert_eq!(dataset.document(2).unwrap().integers(), [8, 9]);
    assert!(check(&prefix, None, Some(10)).unwrap().is_sound());
}

#[test]
fn nothing_beyond_a_sequence_is_read() {
    let (_folder, prefix) = golden();
    let dataset = IndexedDataset::open(&prefix).unwrap();
    for (number, offset, length) in
        [(0, 0, Some(4)), (0, 3, Some(1)), (0, 4, None), (2, 1, Some(u64::MAX)), (3, 0, None)]
    {
        assert!(dataset.slice(number, offset, length).is_err(), "{number} {offset} {length:?}");
        assert!(dataset.document_slice(number, offset, length).is_err(), "{number} {offset} {length:?}");
    }
    assert!(dataset.sequences(1..4).is_err());
    assert!(dataset.documents(0..4).is_err());
}

#[test]
fn documents_may_have_no_sequence_and_sequences_no_token() {
    let (_folder, prefix) = scratch();
    let documents: [&[&[i32]]; 4] = [&[], &[&[1], &[], &[2, 3]], &[], &[&[]]];
    let options = BuilderOptions { has_modes: true, ..of_type(TokenType::I8) };
    assert_eq!(write(&prefix, options, &documents), DatasetCounts { sequences: 4, documents: 4, tokens: 3 });
    let dataset = IndexedDataset::open(&prefix).unwrap();
    let mut bounds = dataset.documents(0..4).unwrap();
    let read: Vec<_> = std::iter::from_fn(|| bounds.next_document().unwrap()).collect();
    assert_eq!(read, [0..0, 0..3, 3..3, 3..4]);
    assert_eq!(dataset.document(1).unwrap().integers(), [1, 2, 3]);
    assert_eq!(
        (0..4).map(|number| dataset.mode(number).unwrap()).collect::<Vec<_>>(),
        [Some(0), Some(1), Some(2), Some(0)]
    );
    let summary = dataset.summary().unwrap();
    assert_eq!((summary.tokens, summary.min, summary.max), (3, 0, 2));
    assert_eq!((summary.empty_sequences, summary.empty_documents), (2, 2));
    assert!(check(&prefix, None, None).unwrap().is_sound());
}

#[test]
fn a_dataset_of_nothing_is_sound() {
    for dialect in [Dialect::Megatron, Dialect::Fairseq] {
        let (_folder, prefix) = scratch();
        assert_eq!(
            write(&prefix, BuilderOptions { dialect, ..BuilderOptions::default() }, &[]),
            DatasetCounts::default()
        );
        let dataset = IndexedDataset::open(&prefix).unwrap();
        assert_eq!((dataset.len(), dataset.num_documents(), dataset.dialect()), (0, 0, dialect));
        assert!(check(&prefix, None, Some(1)).unwrap().is_sound());
        assert_eq!(merge(&Prefix::new(prefix.with("2")), &[dataset], None, None).unwrap(), DatasetCounts::default());
    }
}

/// The documents are given only after many sequences, one for each.
#[test]
fn documents_of_many_and_of_few_sequences_come_back() {
    let (_folder, prefix) = scratch();
    let mut builder = IndexedDatasetBuilder::create(&prefix, of_type(TokenType::I32)).unwrap();
    let sequences_of = |document: u64| if document < 20_000 { 1 } else { document % 3 };
    let mut number = 0;
    for document in 0..40_000 {
        for _ in 0..sequences_of(document) {
            builder.push(&[number; 2][..number as usize % 3]).unwrap();
            number += 1;
        }
        builder.end_document().unwrap();
    }
    builder.finish().unwrap();
    assert!(check(&prefix, None, None).unwrap().is_sound());
    let dataset = IndexedDataset::open(&prefix).unwrap();
    let mut documents = dataset.documents(0..40_000).unwrap();
    let mut end = 0;
    for document in 0..40_000 {
        let found = documents.next_document().unwrap().unwrap();
        assert_eq!(found, end..end + sequences_of(document));
        end = found.end;
    }
    let mut sequences = dataset.sequences(0..dataset.len()).unwrap();
    for number in 0..number {
        let expected =
            [number; 2][..number as usize % 3].iter().flat_map(|token| token.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(sequences.next_sequence().unwrap().unwrap(), expected);
    }
    assert_eq!(sequences.next_sequence().unwrap(), None);
}

#[test]
fn a_token_that_does_not_fit_is_named_or_widens_the_others() {
    let (folder, prefix) = scratch();
    let mut builder = IndexedDatasetBuilder::create(&prefix, of_type(TokenType::U16)).unwrap();
    builder.push(&[1]).unwrap();
    let message = builder.push(&[2, 65_536]).unwrap_err().to_string();
    assert_eq!(message, "sequence 1: token 1: expected a number that fits uint16, found 65536");
    drop(builder);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

    let options = BuilderOptions { may_widen: true, ..of_type(TokenType::U16) };
    let mut builder = IndexedDatasetBuilder::create(&prefix, options).unwrap();
    for tokens in [&[1, 65_535][..], &[2, 65_536], &[3]] {
        builder.push(tokens).unwrap();
        builder.end_document().unwrap();
    }
    builder.push_bytes(&[9, 0], TokenType::U16).unwrap();
    builder.end_document().unwrap();
    builder.finish().unwrap();
    let dataset = IndexedDataset::open(&prefix).unwrap();
    assert_eq!(dataset.token_type(), TokenType::I32);
    let tokens: Vec<_> = (0..4).map(|number| dataset.sequence(number).unwrap().integers()).collect();
    assert_eq!(tokens, [vec![1, 65_535], vec![2, 65_536], vec![3], vec![9]]);
    assert!(check(&prefix, None, None).unwrap().is_sound());
}

#[test]
fn sequences_without_a_document_are_refused_at_the_end() {
    let (folder, prefix) = scratch();
    let mut builder = IndexedDatasetBuilder::create(&prefix, BuilderOptions::default()).unwrap();
    builder.push(&[1]).unwrap();
    let message = builder.finish().unwrap_err().to_string();
    assert!(message.contains("the last 1 sequences have no document"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The dialect and the type of a file of these.
fn kind(code: u8, token_size: i64, bounds: Option<&[i64]>, asked: Option<Dialect>) -> Result<(Dialect, TokenType)> {
    let (_folder, prefix) = scratch();
    put(&prefix, &index(code, &[0, 2, 1], token_size, bounds), &vec![0; 3 * token_size as usize]);
    let checked = check(&prefix, asked, None).unwrap();
    let dataset = IndexedDataset::open_as(&prefix, asked)?;
    assert!(checked.is_sound(), "{:?}", checked.faults);
    assert_eq!(checked.kind, Some((dataset.dialect(), dataset.token_type())));
    Ok((dataset.dialect(), dataset.token_type()))
}

#[test]
fn dialects_are_told_by_what_the_files_hold() {
    use Dialect::{DeepSpeed, Fairseq, GptNeox, Megatron};
    let bounds = Some(&[0, 1, 3][..]);
    let known = [
        (4, 4, bounds, (Megatron, TokenType::I32)),
        (6, 8, bounds, (Megatron, TokenType::F64)),
        (6, 4, bounds, (GptNeox, TokenType::F32)),
        (6, 2, bounds, (DeepSpeed, TokenType::U16)),
        (7, 4, bounds, (Megatron, TokenType::F32)),
        (7, 8, bounds, (GptNeox, TokenType::F64)),
        (8, 2, bounds, (Megatron, TokenType::U16)),
        (8, 8, bounds, (DeepSpeed, TokenType::U64)),
        (6, 8, None, (Fairseq, TokenType::F64)),
        (8, 2, None, (Fairseq, TokenType::U16)),
        (9, 4, None, (Fairseq, TokenType::U32)),
        (10, 8, None, (Fairseq, TokenType::U64)),
    ];
    for (code, size, bounds, expected) in known {
        assert_eq!(kind(code, size, bounds, None).unwrap(), expected, "{code} {size}");
    }
    assert_eq!(kind(7, 4, bounds, Some(DeepSpeed)).unwrap(), (DeepSpeed, TokenType::U32));
    assert_eq!(kind(8, 2, bounds, Some(GptNeox)).unwrap(), (GptNeox, TokenType::U16));
}

#[test]
fn a_dialect_that_is_asked_for_must_fit() {
    let (_folder, prefix) = golden();
    assert!(IndexedDataset::open_as(&prefix, Some(Dialect::Fairseq)).is_err());
    assert!(IndexedDataset::open_as(&prefix, Some(Dialect::DeepSpeed)).is_err());
    assert!(IndexedDataset::open_as(&prefix, Some(Dialect::GptNeox)).is_ok());
}

#[test]
fn merging_joins_sequences_documents_and_modes() {
    let (_folder, prefix) = scratch();
    let name = |number: u32| Prefix::new(prefix.with(&number.to_string()));
    let options = BuilderOptions { has_modes: true, ..of_type(TokenType::U16) };
    write(&name(1), options, &[&[&[1], &[2, 3]], &[]]);
    write(&name(2), options, &[&[], &[&[4]]]);
    write(&name(3), options, &[&[&[1], &[2, 3]], &[], &[], &[&[4]], &[&[1], &[2, 3]], &[]]);
    let inputs = [1, 2, 1].map(|number| IndexedDataset::open(&name(number)).unwrap());
    merge(&name(4), &inputs, None, None).unwrap();
    assert_eq!(fs::read(name(4).idx()).unwrap(), fs::read(name(3).idx()).unwrap());
    assert_eq!(fs::read(name(4).bin()).unwrap(), fs::read(name(3).bin()).unwrap());
    assert!(merge(&name(2), &inputs, None, None).is_err(), "the output is an input");
    write(&name(5), of_type(TokenType::U16), &GOLDEN);
    let mixed = [1, 5].map(|number| IndexedDataset::open(&name(number)).unwrap());
    let message = merge(&name(6), &mixed, None, None).unwrap_err().to_string();
    assert!(message.contains("has modes and"), "{message}");
}

#[test]
fn merging_converts_types_on_request_and_dialects() {
    let (_folder, prefix) = scratch();
    let name = |number: u32| Prefix::new(prefix.with(&number.to_string()));
    write(&name(1), of_type(TokenType::U16), &GOLDEN);
    write(&name(2), BuilderOptions { dialect: Dialect::Fairseq, ..of_type(TokenType::I32) }, &[&[&[5], &[70_000, 6]]]);
    let inputs = [1, 2].map(|number| IndexedDataset::open(&name(number)).unwrap());
    assert!(merge(&name(3), &inputs, None, None).unwrap_err().to_string().contains("a type has to be given"));
    merge(&name(3), &inputs, Some(TokenType::I64), None).unwrap();
    let merged = IndexedDataset::open(&name(3)).unwrap();
    assert_eq!((merged.dialect(), merged.token_type()), (Dialect::Megatron, TokenType::I64));
    assert_eq!((merged.len(), merged.num_documents()), (5, 5));
    assert_eq!(merged.sequence(4).unwrap().integers(), [70_000, 6]);
    let message = merge(&name(4), &inputs, Some(TokenType::U16), None).unwrap_err().to_string();
    assert!(message.ends_with("sequence 1: token 0: expected a number that fits uint16, found 70000"), "{message}");
    assert!(!name(4).idx().exists() && !name(4).bin().exists());
}

#[test]
fn a_damaged_input_is_no_part_of_a_merge() {
    let (_folder, prefix) = golden();
    let bin = fs::read(prefix.bin()).unwrap();
    let out = Prefix::new(prefix.with("-out"));
    fs::write(prefix.bin(), &bin[..16]).unwrap();
    assert!(merge(&out, &[IndexedDataset::open(&prefix).unwrap()], None, None).is_err());
    fs::write(prefix.bin(), &bin).unwrap();
    for at in [54, 86] {
        let mut bytes = GOLDEN_INDEX;
        bytes[at] ^= 0x80;
        fs::write(prefix.idx(), bytes).unwrap();
        assert!(merge(&out, &[IndexedDataset::open(&prefix).unwrap()], None, None).is_err(), "{at}");
    }
    assert!(!out.idx().exists() && !out.bin().exists());
}

#[test]
fn parts_are_what_was_cut_and_join_again() {
    let (_folder, prefix) = scratch();
    let name = |text: &str| Prefix::new(prefix.with(text));
    let documents: [&[&[i32]]; 5] = [&[&[1], &[2, 3]], &[], &[&[4, 5, 6, 7]], &[&[8]], &[&[9], &[]]];
    write(&prefix, of_type(TokenType::U16), &documents);
    let dataset = IndexedDataset::open(&prefix).unwrap();
    assert_eq!(dataset.even_parts(2).collect::<Vec<_>>(), [0..3, 3..5]);
    assert_eq!(dataset.even_parts(7).last(), Some(5..5));
    assert_eq!(dataset.parts_by_size(6).unwrap(), [0..2, 2..3, 3..5]);
    assert_eq!(dataset.parts_by_size(0).unwrap().len(), 5);
    let parts: Vec<_> = dataset.even_parts(2).map(|part| vec![part]).collect();
    let names = [name("-0"), name("-1")];
    dataset.split(&names.clone().into_iter().zip(parts).collect::<Vec<_>>()).unwrap();
    let inputs = names.map(|name| IndexedDataset::open(&name).unwrap());
    merge(&name("-all"), &inputs, None, None).unwrap();
    for path in [Prefix::idx, Prefix::bin] {
        assert_eq!(fs::read(path(&prefix)).unwrap(), fs::read(path(&name("-all"))).unwrap());
    }
    dataset.split(&[(name("-some"), vec![2..3, 0..2, 2..3])]).unwrap();
    let some = IndexedDataset::open(&name("-some")).unwrap();
    let tokens: Vec<_> = (0..some.num_documents()).map(|number| some.document(number).unwrap().integers()).collect();
    assert_eq!(tokens, [vec![4, 5, 6, 7], vec![1, 2, 3], vec![], vec![4, 5, 6, 7]]);
    assert!(check(&name("-some"), None, None).unwrap().is_sound());
    let beyond = 4..6;
    assert!(dataset.split(&[(name("-none"), vec![beyond])]).is_err());
}

#[test]
fn numbered_files_of_tokens_are_joined_and_cut() {
    let (folder, prefix) = golden();
    let dataset = IndexedDataset::open(&prefix).unwrap();
    let cut = Prefix::new(folder.path().join("cut"));
    cut_bin(&dataset, &cut, 4).unwrap();
    let lengths =
        (0..4).map(|part| fs::metadata(folder.path().join(format!("cut-0000{part}-of-00004.bin"))).unwrap().len());
    assert_eq!(lengths.collect::<Vec<_>>(), [6, 6, 6, 0]);
    assert_eq!(count_bin_parts(&cut).unwrap(), Some(4));
    let joined = Prefix::new(folder.path().join("joined"));
    assert_eq!(join_bin_parts(&cut, &joined).unwrap(), 4);
    assert_eq!(fs::read(joined.idx()).unwrap(), GOLDEN_INDEX);
    assert_eq!(fs::read(joined.bin()).unwrap(), fs::read(prefix.bin()).unwrap());
    let second = folder.path().join("cut-00001-of-00004.bin");
    fs::write(&second, [1, 2, 3]).unwrap();
    assert!(join_bin_parts(&cut, &Prefix::new(folder.path().join("again"))).is_err());
    fs::remove_file(second).unwrap();
    assert!(join_bin_parts(&cut, &Prefix::new(folder.path().join("again"))).is_err());
    assert!(!folder.path().join("again.idx").exists());
    assert_eq!(count_bin_parts(&joined).unwrap(), None);
}
