//! A tool that gets values of another type says what they are, and which tool reads them; that tool does.

use std::any::TypeId;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;

use kaldi_any::{TypeAdvice, TypeVisitor, ValueType};
use kaldi_value::{Format, Value};

use super::values::{ForEachType, archive, for_each_other_type, for_each_type};
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

/// The type of values of this Rust type, if they have one of their own.
fn type_of<T: Value>() -> Option<ValueType> {
    struct Id;
    impl TypeVisitor for Id {
        type Output = TypeId;

        fn visit<T: Value>(self) -> TypeId {
            TypeId::of::<T>()
        }
    }
    ValueType::ALL.iter().copied().find(|value_type| value_type.visit(Id) == Some(TypeId::of::<T>()))
}

/// Gives a value of each type to the tool that is named for it.
struct GiveToNamed {
    scratch: Scratch,
    given: HashSet<ValueType>,
}

impl GiveToNamed {
    fn give(&mut self, value_type: ValueType, archive: &[u8]) {
        self.scratch.write("a.ark", archive);
        let TypeAdvice { tool, .. } = TypeAdvice::of(value_type);
        let error = error_of(&self.scratch, &format!("{tool} {}", options(value_type)), "ark:a.ark");
        assert_eq!(error, None, "{value_type}");
        self.given.insert(value_type);
    }
}

impl ForEachType for GiveToNamed {
    fn call<T: Value + Debug>(&mut self, samples: [T; 4]) {
        // Of a matrix of any kind, the first samples are dense.
        if let Some(value_type) = type_of::<T>().filter(|value_type| !self.given.contains(value_type)) {
            self.give(value_type, &archive(&samples[..1], Format::Binary).0);
        }
    }
}

#[test]
fn each_type_has_samples_and_a_tool_that_reads_them() {
    let mut tables = GiveToNamed { scratch: Scratch::new(), given: HashSet::new() };
    for_each_type(&mut tables);
    for_each_other_type(&mut tables);
    tables.give(ValueType::Unknown, b"a \n0 1 5 0.5\n1\n\n");
    assert_eq!(tables.given, ValueType::ALL.iter().copied().collect());
}
