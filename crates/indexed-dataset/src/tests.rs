//! Datasets written, read, damaged and mended.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

/// A new folder, and a prefix in it.
fn scratch() -> (TempDir, Prefix) {
    let folder = tempfile::tempdir().unwrap();
    let prefix = Prefix::new(folder.path().join("data"));
    (folder, prefix)
}

fn write(prefix: &Prefix, options: BuilderOptions, documents: &[&[&[i32]]]) -> Counts {
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

/// What Megatron and datatrove write of it.
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
    assert!(dataset.documents(3..2).is_err());
}

#[test]
fn documents_may_have_no_sequence_and_sequences_no_token() {
    let (_folder, prefix) = scratch();
    let documents: [&[&[i32]]; 4] = [&[], &[&[1], &[], &[2, 3]], &[], &[&[]]];
    let options = BuilderOptions { has_modes: true, ..of_type(TokenType::I8) };
    assert_eq!(write(&prefix, options, &documents), Counts { sequences: 4, documents: 4, tokens: 3 });
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
        assert_eq!(write(&prefix, BuilderOptions { dialect, ..BuilderOptions::default() }, &[]), Counts::default());
        let dataset = IndexedDataset::open(&prefix).unwrap();
        assert_eq!((dataset.len(), dataset.num_documents(), dataset.dialect()), (0, 0, dialect));
        assert!(check(&prefix, None, Some(1)).unwrap().is_sound());
        assert_eq!(merge(&Prefix::new(prefix.with("2")), &[dataset], None, None).unwrap(), Counts::default());
    }
}

/// Documents that are told only after many of one sequence each.
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

/// What a reader can do, none of which may panic or take memory.
fn read_all(prefix: &Prefix) {
    let Ok(dataset) = IndexedDataset::open(prefix) else { return };
    let _ = dataset.summary();
    for number in 0..dataset.len().min(20) {
        let _ = (dataset.sequence(number), dataset.mode(number), dataset.slice(number, 1, Some(2)));
    }
    for number in 0..dataset.num_documents().min(20) {
        let _ = dataset.document(number);
    }
    let out = Prefix::new(prefix.with("-merged"));
    let options = samples::SampleOptions { seq_length: 4, ..Default::default() };
    let _ = samples::build_samples(
        &dataset,
        0..dataset.len(),
        &options,
        &prefix.with("-samples"),
        &samples::IndexNames::plain(),
    );
    let _ = dataset.parts_by_size(5);
    let _ = merge(&out, &[dataset], None, None);
}

fn faults(prefix: &Prefix) -> Vec<String> {
    check(prefix, None, None).unwrap().faults.iter().map(ToString::to_string).collect()
}

#[test]
fn every_byte_of_an_index_that_is_changed_is_found() {
    let (_folder, prefix) = golden();
    for at in 0..GOLDEN_INDEX.len() {
        for change in [0xff, 0x80, 0x55] {
            let mut bytes = GOLDEN_INDEX;
            bytes[at] ^= change;
            fs::write(prefix.idx(), bytes).unwrap();
            assert!(!faults(&prefix).is_empty(), "byte {at} ^ {change}");
            read_all(&prefix);
        }
    }
}

#[test]
fn every_cut_and_every_addition_is_found() {
    let (_folder, prefix) = golden();
    let bin = fs::read(prefix.bin()).unwrap();
    for length in 0..GOLDEN_INDEX.len() {
        fs::write(prefix.idx(), &GOLDEN_INDEX[..length]).unwrap();
        assert!(!faults(&prefix).is_empty(), "{length} bytes of the index");
        read_all(&prefix);
    }
    for more in 1..40 {
        // Three bytes are the modes of three sequences.
        fs::write(prefix.idx(), [&GOLDEN_INDEX[..], &vec![0; more]].concat()).unwrap();
        assert_eq!(faults(&prefix).is_empty(), more == 3, "{more} bytes behind the index");
    }
    fs::write(prefix.idx(), GOLDEN_INDEX).unwrap();
    for length in (0..bin.len()).chain([bin.len() + 1, 2 * bin.len()]) {
        fs::write(prefix.bin(), [&bin[..], &bin].concat().get(..length).unwrap()).unwrap();
        assert!(!faults(&prefix).is_empty(), "{length} bytes of the .bin");
        read_all(&prefix);
    }
}

#[test]
fn faults_have_field_position_and_both_sides() {
    let (_folder, prefix) = golden();
    let fault_of = |at: usize, byte: u8| {
        let mut bytes = GOLDEN_INDEX;
        bytes[at] = byte;
        fs::write(prefix.idx(), bytes).unwrap();
        faults(&prefix).into_iter().map(|fault| fault.rsplit_once("data.").unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(fault_of(9, 2), ["idx: version: expected 1, found 2"]);
    assert_eq!(
        fault_of(17, 4),
        ["idx: type code: expected the code of a type of 2 bytes, such as 8 (uint16), found 4"]
    );
    assert_eq!(fault_of(54, 7), ["idx: pointers[1]: expected 6, found 7"]);
    assert_eq!(fault_of(86, 0xff), ["idx: documents[2]: expected a number from 1 to 3, found 255"]);
    assert_eq!(fault_of(94, 2), ["idx: documents[3]: expected 3, the number of sequences, found 2"]);
    assert_eq!(fault_of(70, 1), ["idx: documents[0]: expected 0, found 1"]);
    assert_eq!(fault_of(45, 0x80)[0], "idx: sizes[2]: expected 0 or more, found -2147483646");
    fs::write(prefix.idx(), GOLDEN_INDEX).unwrap();
    let checked = check(&prefix, None, Some(8)).unwrap();
    assert_eq!(checked.num_faults, 2);
    assert!(checked.faults[1].to_string().ends_with("data.bin: tokens[8]: expected a token from 0 to 7, found 9"));
}

#[test]
fn an_index_is_mended_and_tokens_never_change() {
    // The type code, a pointer, a bound; cut behind the sizes, and with something behind it.
    let damages: [fn(&mut Vec<u8>); 6] = [
        |bytes| bytes[17] = 4,
        |bytes| bytes[54] = 7,
        |bytes| bytes[86] = 9,
        |bytes| bytes.truncate(50),
        |bytes| bytes.truncate(101),
        |bytes| bytes.extend([1, 2, 3, 4]),
    ];
    let (_folder, prefix) = golden();
    let bin = fs::read(prefix.bin()).unwrap();
    let new = Prefix::new(prefix.with("-new"));
    for (number, damage) in damages.iter().enumerate() {
        let mut bytes = GOLDEN_INDEX.to_vec();
        damage(&mut bytes);
        fs::write(prefix.idx(), &bytes).unwrap();
        let checked = check(&prefix, None, None).unwrap();
        assert!(!checked.is_sound() && checked.is_repairable(), "{number}: {:?}", checked.faults);
        assert!(checked.repair(&prefix).is_err(), "it would replace what it reads");
        checked.repair(&new).unwrap();
        assert_eq!(fs::read(new.idx()).unwrap(), GOLDEN_INDEX, "{number}");
        assert_eq!(fs::read(new.bin()).unwrap(), bin);
    }
    fs::write(prefix.idx(), GOLDEN_INDEX).unwrap();
    fs::write(prefix.bin(), &bin[..16]).unwrap();
    let checked = check(&prefix, None, None).unwrap();
    assert!(!checked.is_repairable());
    assert!(checked.repair(&new).is_err());
}

/// Sums of sizes that 32 bits do not hold, as merges of others have written them.
#[test]
fn pointers_that_ran_over_are_found_without_the_tokens() {
    let (_folder, prefix) = scratch();
    let sizes = [i32::MAX, i32::MAX, 5];
    let mut bytes = index(4, &sizes, 4, Some(&[0, 1, 2, 3]));
    fs::write(prefix.idx(), &bytes).unwrap();
    // A file with a hole takes no room.
    let bin = fs::File::create(prefix.bin()).unwrap();
    bin.set_len((2 * i32::MAX as u64 + 5) * 4).unwrap();
    assert_eq!(faults(&prefix), [] as [&str; 0]);
    assert_eq!(IndexedDataset::open(&prefix).unwrap().sequence(2).unwrap().integers(), [0; 5]);
    let at = 34 + 12 + 8;
    bytes[at..at + 8].copy_from_slice(&(-4_i64).to_le_bytes());
    fs::write(prefix.idx(), &bytes).unwrap();
    assert!(faults(&prefix)[0].ends_with("pointers[1]: expected 8589934588, found -4"));
}

#[test]
fn claims_of_a_header_take_no_memory() {
    let (_folder, prefix) = golden();
    for (at, count) in [(18, u64::MAX), (18, 1 << 60), (26, u64::MAX), (26, 1 << 61), (18, u64::MAX / 12)] {
        let mut bytes = GOLDEN_INDEX;
        bytes[at..at + 8].copy_from_slice(&count.to_le_bytes());
        fs::write(prefix.idx(), bytes).unwrap();
        assert!(!faults(&prefix).is_empty());
        assert!(IndexedDataset::open(&prefix).is_err());
    }
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
    assert!(merge(&name(3), &inputs, None, None).unwrap_err().to_string().contains("a type must be asked for"));
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
    assert!(dataset.split(&[(name("-none"), vec![4..6])]).is_err());
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

#[test]
fn other_files_are_told() {
    let (_folder, prefix) = golden();
    fs::write(prefix.idx(), b"TNTIDX\0\0\x01\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0").unwrap();
    let message = IndexedDataset::open(&prefix).unwrap_err().to_string();
    assert!(message.contains("expected an index (MMIDIDX), found a TNTIDX index"), "{message}");
    assert!(faults(&prefix)[0].contains("TNTIDX"));
    assert!(IndexedDataset::open(&Prefix::new(Path::new("/dev/null"))).is_err());
}
