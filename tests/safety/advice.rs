//! A tool that gets values of another type says what they are, and which tool reads them; that tool does.

use std::collections::BTreeSet;
use std::fmt::Debug;

use kaldi_any::{TypeAdvice, ValueType};
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Format, GaussPost, IntMatrix, Posterior, Token, Tokens, Value};
use kaldi_wave::Wave;

use super::values::{ForEachType, archive, for_each_type};
use crate::support::Scratch;

/// The tools that advice names.
fn tools() -> BTreeSet<&'static str> {
    ValueType::ALL.iter().map(|&value_type| TypeAdvice::of(value_type).tool).collect()
}

/// Runs a tool on a table; returns its last line on standard error if it fails.
fn error_of(scratch: &Scratch, tool: &str, table: &str) -> Option<String> {
    let target = if tool.starts_with("table-head") { "" } else { "ark:/dev/null" };
    let command = format!("{tool} {table} {target} > /dev/null 2> errors; echo $?");
    let is_done = scratch.sh(&command).succeeds().stdout() == b"0\n";
    let errors = String::from_utf8(scratch.read("errors")).unwrap();
    (!is_done).then(|| errors.lines().last().unwrap().to_owned())
}

/// The tool that a message names as one that reads or prints the values.
fn named(message: &str) -> Option<&str> {
    let (_, advice) = message.rsplit_once("; ")?;
    let (tool, rest) = advice.split_once(' ')?;
    (rest.starts_with("reads ") || rest.starts_with("prints ")).then_some(tool)
}

/// Gives archives of each type to all tools.
struct GiveToAll {
    scratch: Scratch,
    /// Messages that named a tool.
    advised: usize,
}

impl ForEachType for GiveToAll {
    fn call<T: Value + Debug>(&mut self, samples: [T; 4]) {
        for format in [Format::Binary, Format::Text] {
            self.scratch.write("a.ark", archive(&samples[..1], format).0);
            let faults =
                tools().into_iter().filter_map(|tool| Some((tool, error_of(&self.scratch, tool, "ark:a.ark")?)));
            for (tool, message) in faults.collect::<Vec<_>>() {
                // Few numbers may be the start of many, and the first frame of a posterior is a vector, too.
                if message.ends_with("got the end of the input") || !message.contains(" utt0: ") {
                    continue;
                }
                let context = format!("{} as {format:?} for {tool}: {message}", T::NAME);
                let named = named(&message).unwrap_or_else(|| panic!("no advice: {context}"));
                assert_eq!(error_of(&self.scratch, named, "ark:a.ark"), None, "{context}");
                self.advised += 1;
            }
        }
    }
}

#[test]
fn a_tool_that_is_named_reads_the_value() {
    let mut tables = GiveToAll { scratch: Scratch::new(), advised: 0 };
    for_each_type(&mut tables);
    assert!(tables.advised > 100, "{}", tables.advised);
}

/// The options with which the tool that is named for a type reads an archive of it.
fn options(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Htk => "--htk-in",
        ValueType::Sphinx => "--sphinx-in",
        _ => "",
    }
}

/// The bytes of a value of a type.
fn sample(value_type: ValueType) -> Vec<u8> {
    fn bytes(value: impl Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.write(&mut bytes, Format::Binary);
        bytes
    }
    match value_type {
        ValueType::Matrix => bytes(Matrix::<f32>::from_vec(1, 2, vec![0.5, 1.5])),
        ValueType::Vector => bytes(Vector::<f32>::from_vec(vec![0.5, 1.5])),
        ValueType::Wave => bytes(Wave::new(8000.0, vec![vec![1.0, 2.0]])),
        ValueType::Int32 => bytes(7_i32),
        ValueType::Float => bytes(0.5_f32),
        ValueType::Double => bytes(0.5_f64),
        ValueType::Bool => bytes(true),
        ValueType::Int32Vector => bytes(vec![1, 2]),
        ValueType::Int32Matrix => bytes(IntMatrix::from_vec(1, 2, vec![1, 2])),
        ValueType::Int32VectorVector => bytes(vec![vec![1, 2], vec![3]]),
        ValueType::Int32Pairs => bytes(vec![(1, 2)]),
        ValueType::FloatPairs => bytes(vec![(0.5_f32, 1.5_f32)]),
        ValueType::Posterior => bytes(Posterior(vec![vec![(1, 0.5)]])),
        ValueType::GaussPost => bytes(GaussPost(vec![vec![(1, vec![0.5, 0.25])]])),
        ValueType::Token => bytes(Token::new("word").unwrap()),
        ValueType::TokenVector => bytes(Tokens::new(["two", "words"]).unwrap()),
        // One frame of two numbers, every 10 ms, of a user's kind.
        ValueType::Htk => {
            [&[0, 0, 0, 1, 0, 1, 0x86, 0xa0, 0, 8, 0, 9][..], &0.5_f32.to_be_bytes(), &1.5_f32.to_be_bytes()].concat()
        }
        ValueType::Nnet3Example => b"\0B<Nnet3Eg> <NumIo> \x04\x01\0\0\0<NnetIo> input <I1V> \x04\x01\0\0\0\0FM \x04\x01\0\0\0\x04\x01\0\0\0\0\0\0\0\
              </NnetIo> </Nnet3Eg> "
            .to_vec(),
        ValueType::Nnet3ChainExample => {
            let fst = "\n0\t1\t2\t2\n1\t2\t3\t3\n2\n\n";
            let io = "<NnetIo> input <I1V> 1 <I1> 0 0 0 [ 1 ]\n</NnetIo>";
            format!(
                "<Nnet3ChainEg> <NumInputs> 1 {io} <NumOutputs> 1 <NnetChainSup> output <I1V> 2 <I1> 0 0 0 <I1> 0 3 0 <Supervision> \
                 <Weight> 1 <NumSequences> 1 <FramesPerSeq> 2 <LabelDim> 3 <End2End> F {fst}</Supervision> </NnetChainSup> \
                 </Nnet3ChainEg> "
            )
            .into_bytes()
        }
        ValueType::Lattice => b"\n0 1 3 8 1,2\n1\n\n".to_vec(),
        ValueType::CompactLattice => b"\n0 1 8 1,2,3\n1\n\n".to_vec(),
        ValueType::Fst => b"\n0 1 5 5\n1\n\n".to_vec(),
        ValueType::Unknown => b"\n0 1 5 0.5\n1\n\n".to_vec(),
        // 13 numbers.
        ValueType::Sphinx => [13_i32.to_be_bytes(), [0; 4]].concat().into_iter().chain([0; 48]).collect(),
    }
}

#[test]
fn each_type_has_a_tool_that_reads_it() {
    let scratch = Scratch::new();
    for &value_type in ValueType::ALL {
        scratch.write("a.ark", [b"a ".to_vec(), sample(value_type)].concat());
        let TypeAdvice { tool, .. } = TypeAdvice::of(value_type);
        let error = error_of(&scratch, &format!("{tool} {}", options(value_type)), "ark:a.ark");
        assert_eq!(error, None, "{value_type}");
    }
}
