//! Training examples with every byte damaged, and with sizes that lie.

use kaldi_egs::{IoMatrix, NnetChainExample, NnetExample};
use kaldi_value::{Format, Value};

use super::values::{archive, parsed, read_all, rewrite};
use crate::support::Scratch;

const INPUT: &str = "<NnetIo> input <I1V> 2 <I1> 0 -1 0 <I1> 0 200 0 [ 1 2\n 3 4 ]\n</NnetIo>";
const OUTPUT: &str = "<NnetIo> output <I1V> 2 <I1> 0 0 0 <I1> 1 0 0 rows=2 dim=3 [ 1 0.5 ] dim=3 [ ] </NnetIo>";

/// An example with a full, a compressed and a sparse matrix.
fn example() -> NnetExample {
    let mut example = parsed::<NnetExample>(&format!("<Nnet3Eg> <NumIo> 3 {INPUT} {INPUT} {OUTPUT} </Nnet3Eg> "));
    let matrix = std::mem::take(&mut example.io[1].matrix);
    example.io[1].matrix = matrix.compressed().unwrap();
    assert!(matches!(example.io[1].matrix, IoMatrix::Compressed(_)));
    example
}

/// An example of a chain model with two acceptors and all that is optional.
fn chain_example() -> NnetChainExample {
    let fst = "\n0\t1\t2\t2\n1\t2\t3\t3\t0.5\n2\n\n";
    parsed::<NnetChainExample>(&format!(
        "<Nnet3ChainEg> <NumInputs> 1 {INPUT} <NumOutputs> 1 <NnetChainSup> output <I1V> 4 <I1> 0 0 0 <I1> 1 0 0 <I1> 0 3 0 <I1> 1 3 0 \
         <Supervision> <Weight> 1 <NumSequences> 2 <FramesPerSeq> 2 <LabelDim> 3 <End2End> T <Fsts> {fst}{fst}</Fsts> <AlignmentPdfs> \
         [ 1 2 1 2 ]\n</Supervision> <DW2> [ 1 0.5 1 0 ] </NnetChainSup> </Nnet3ChainEg> "
    ))
}

/// Reads two such entries, with every byte of the first one changed in many ways.
fn damage_everywhere<T: Value + std::fmt::Debug + Clone>(sample: &T) {
    let scratch = Scratch::new();
    let path = scratch.path("damaged.ark");
    let (bytes, ends) = archive(&[sample.clone(), sample.clone()], Format::Binary);
    let mut damaged = bytes.clone();
    for place in 0..ends[0] {
        for damage in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            damaged[place] = bytes[place] ^ damage;
            rewrite(&path, &damaged);
            let (values, error) = kaldi_io::log::capture(|| read_all::<T>(&path, "")).0;
            let what = format!("{}, byte {place} ^ {damage:#x}", T::NAME);
            match error {
                Some(error) => {
                    assert!(error.contains("damaged.ark:"), "{what}: the place is missing: {error}");
                    assert!(!error.contains('\n'), "{what}: more than a line: {error}");
                }
                // White space in a key makes two words of it.
                None => assert!(values.len() <= 2 || place < 4, "{what}: {} entries", values.len()),
            }
        }
        damaged[place] = bytes[place];
    }
}

#[test]
fn damage_of_any_byte_of_an_example_is_an_error_with_its_place_or_another_value() {
    damage_everywhere(&example());
    damage_everywhere(&chain_example());
}

/// The number after `token` becomes another one.
fn claim(bytes: &[u8], token: &[u8], number: i32) -> Vec<u8> {
    let place = bytes.windows(token.len()).position(|found| found == token).unwrap() + token.len();
    let mut claiming = bytes.to_vec();
    claiming[place..place + 4].copy_from_slice(&number.to_le_bytes());
    claiming
}

#[test]
fn sizes_of_examples_that_lie_take_no_memory() {
    let scratch = Scratch::new();
    let (plain, _) = archive(&[example()], Format::Binary);
    let (chain, _) = archive(&[chain_example()], Format::Binary);
    // The sizes of an acceptor have no byte before them: states and the last offset.
    let header = b"standard\x02\0\0\0\0\0\0\0".as_slice();
    let start = chain.windows(header.len()).position(|found| found == header).unwrap() + header.len();
    let at = |place: usize, number: &[u8]| {
        let mut claiming = chain.clone();
        claiming[place..place + number.len()].copy_from_slice(number);
        claiming
    };
    let many = i32::MAX;
    let claims = [
        ("nnet3-copy-egs", claim(&plain, b"<NumIo> \x04", 1_000_000)),
        ("nnet3-copy-egs", claim(&plain, b"<I1V> \x04", many)),
        ("nnet3-copy-egs", claim(&plain, b"FM \x04", many)),
        ("nnet3-copy-egs", claim(&plain, b"SM \x04", 9_999_999)),
        ("nnet3-copy-egs", claim(&claim(&plain, b"SV \x04", many), b"SV \x04\xff\xff\xff\x7f\x04", many)),
        ("nnet3-chain-copy-egs", claim(&chain, b"<NumInputs> \x04", 1_000_000)),
        ("nnet3-chain-copy-egs", claim(&chain, b"<NumOutputs> \x04", 1_000_000)),
        ("nnet3-chain-copy-egs", claim(&chain, b"<NumSequences> \x04", many)),
        ("nnet3-chain-copy-egs", claim(&chain, b"<AlignmentPdfs> \x04", many)),
        ("nnet3-chain-copy-egs", claim(&chain, b"<DW2> FV \x04", many)),
        ("nnet3-chain-copy-egs", at(start + 16, &i64::from(many).to_le_bytes())),
        ("nnet3-chain-copy-egs", at(start + 16, &i64::MAX.to_le_bytes())),
        ("nnet3-chain-copy-egs", at(start + 32 + 12, &u32::MAX.to_le_bytes())),
    ];
    for (tool, bytes) in claims {
        scratch.write("claim.ark", &bytes);
        let table_tools = ["table-check claim.ark > /dev/null", "table-export claim.ark o.npz"];
        for command in [&format!("{tool} ark:claim.ark ark:out.ark"), table_tools[0], table_tools[1]] {
            let ran =
                scratch.sh(&format!("(ulimit -v $((80000 + PROGRAM_KB)); exec {command}) 2> log; echo $?; cat log"));
            let text = String::from_utf8_lossy(ran.stdout()).into_owned();
            let failed = text.starts_with("255\n") || text.starts_with("1\n");
            assert!(failed && !text.contains("memory") && !text.contains("panic"), "{command}: {bytes:?}: {text}");
            assert_eq!(scratch.list(), ["claim.ark", "log"], "{command}");
        }
    }
}

#[test]
fn indexes_out_of_range_are_refused_where_they_are_used() {
    let scratch = Scratch::new();
    // Binary sparse rows are read as they are, and copied; what needs a column of its own refuses.
    let (bytes, _) = archive(&[example()], Format::Binary);
    scratch.write("odd.ark", claim(&bytes, b"SV \x04\x03\0\0\0\x04\x01\0\0\0\x04", 3));
    scratch.sh("nnet3-copy-egs ark:odd.ark ark:- | cmp - odd.ark").succeeds();
    let ran =
        scratch.sh("table-export odd.ark o.npz && table-import --type=nnet3-example o.npz ark:o.ark").fails_with(255);
    ran.stderr_has("utt0: output: expected an index below 3, got 3");
    assert!(!scratch.path("o.ark").exists());
}
