//! Damaged datasets and their repair.

use std::path::Path;

use super::*;

/// Everything that a reader can do; nothing may panic or take much memory.
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

/// Whatever is changed in sizes, pointers, the first bound of the documents or the last one, a reader delivers the right tokens or an error.
#[test]
fn no_reader_delivers_wrong_tokens_of_a_damaged_index() {
    let (_folder, prefix) = golden();
    let open = |prefix: &Prefix| IndexedDataset::open_as(prefix, Some(Dialect::Megatron));
    let whole = open(&prefix).unwrap();
    let sequence = |number: u64| whole.sequence(number).unwrap().as_bytes().to_vec();
    let (right, documents): (Vec<_>, Vec<_>) =
        (0..whole.len()).map(|number| (sequence(number), whole.document(number).unwrap().as_bytes().to_vec())).unzip();
    let out = Prefix::new(prefix.with("-out"));
    let mut num_refused = 0;
    for at in (34..78).chain(94..GOLDEN_INDEX.len()) {
        for change in [1, 2, 3, 4, 0x55, 0x80, 0xff] {
            let mut bytes = GOLDEN_INDEX;
            bytes[at] ^= change;
            fs::write(prefix.idx(), bytes).unwrap();
            let Ok(dataset) = open(&prefix) else { continue };
            let place = format!("byte {at} ^ {change}");
            for (number, right) in (0..).zip(&right) {
                let all = [dataset.sequence(number), dataset.slice(number, 0, None)];
                for tokens in all.into_iter().flatten() {
                    assert_eq!(tokens.as_bytes(), right, "{place}: sequence {number}");
                }
            }
            for (number, right) in (0..).zip(&documents) {
                if let Ok(tokens) = dataset.document(number) {
                    assert_eq!(tokens.as_bytes(), right, "{place}: document {number}");
                }
            }
            let mut sequences = dataset.sequences(0..dataset.len()).unwrap();
            let mut number = 0;
            let end = loop {
                match sequences.next_sequence() {
                    Ok(Some(tokens)) => assert_eq!(tokens, right[number], "{place}: sequence {number} in order"),
                    end => break end,
                }
                number += 1;
            };
            num_refused += usize::from(end.is_err());
            // Each document by itself, as its neighbours are not part of it.
            for number in 0..dataset.num_documents() {
                let only = number..number + 1;
                if dataset.split(&[(out.clone(), vec![only])]).is_ok() {
                    let part = open(&out).unwrap();
                    assert_eq!(
                        part.document(0).unwrap().as_bytes(),
                        documents[number as usize],
                        "{place}: part {number}"
                    );
                }
            }
            assert!(cut_bin(&dataset, &out, 2).is_err() && merge(&out, &[dataset], None, None).is_err(), "{place}");
        }
    }
    assert!(num_refused > 100, "{num_refused}");
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
        assert_eq!(faults(&prefix).is_empty(), more == 3, "{more} bytes after the index");
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
    // The type code, a pointer, a bound; an index that ends after the sizes, and one with extra bytes.
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

/// Sums of sizes that 32 bits do not hold, as written by other programs' merges.
#[test]
fn pointers_that_ran_over_are_found_without_the_tokens() {
    let (_folder, prefix) = scratch();
    let sizes = [i32::MAX, i32::MAX, 5];
    let mut bytes = index(4, &sizes, 4, Some(&[0, 1, 2, 3]));
    fs::write(prefix.idx(), &bytes).unwrap();
    // A sparse file takes no room on the disk.
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
fn other_files_are_told() {
    let (_folder, prefix) = golden();
    fs::write(prefix.idx(), b"TNTIDX\0\0\x01\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0").unwrap();
    let message = IndexedDataset::open(&prefix).unwrap_err().to_string();
    assert!(message.contains("expected an index (MMIDIDX), found a TNTIDX index"), "{message}");
    assert!(faults(&prefix)[0].contains("TNTIDX"));
    assert!(IndexedDataset::open(&Prefix::new(Path::new("/dev/null"))).is_err());
}
