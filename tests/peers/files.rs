//! Files of NumPy, safetensors and pyarrow.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, ints, matrix, matrix_f64, vector};
use crate::support::wave::wave;

pub const TRIALS: &Trials = &[
    ("what_we_export_is_what_others_read", exports),
    ("posteriors_words_and_waves_are_what_others_read", other_types),
    ("what_others_write_is_what_we_import", imports),
    ("numbers_of_models_are_what_numpy_computes_from_their_text", models),
];

/// Python writes what it finds in our files as hexadecimal bytes; the archive holds the same.
fn exports(python: &Python) {
    let scratch = Scratch::new();
    let extremes = Sample::Vector(vec![f32::MIN_POSITIVE, f32::MAX, -0.0, f32::INFINITY, 1e-45]);
    scratch.write(
        "m.ark",
        binary_archive(&[("one", matrix(1, 1, 5)), ("two/x", matrix(2, 2, 5)), ("none", matrix(3, 0, 0))]),
    );
    scratch.write("d.ark", binary_archive(&[("a", matrix_f64(1, 2, 2)), ("b", matrix_f64(2, 3, 4))]));
    scratch.write("v.ark", binary_archive(&[("x", vector(1, 5)), ("y", extremes)]));
    scratch.write(
        "i.ark",
        binary_archive(&[("c", ints(1, 2)), ("a", Sample::Ints(vec![i32::MIN, -1, i32::MAX])), ("b", ints(3, 0))]),
    );
    for table in ["m", "d", "v", "i"] {
        for format in ["npz", "safetensors", "parquet", "jsonl"] {
            for dtype in ["", "float16"] {
                // Of what is no longer finite, JSON has words.
                let option = if dtype.is_empty() { String::new() } else { format!("--dtype={dtype}") };
                scratch.sh(&format!("table-export {option} {table}.ark {table}{dtype}.{format}")).succeeds();
            }
        }
        let read = python.run(&scratch, "read_files", &format!("{table} {table}float16"));
        assert_eq!(read, "the same\n", "{table}");
    }
    scratch.sh("table-export --stack m.ark stack.npy; table-export --stack v.ark vectors.npy").succeeds();
    scratch.sh("table-export --format=npy v.ark folder; table-export m.ark m.csv; table-export i.ark i.tsv").succeeds();
    assert_eq!(python.run(&scratch, "read_files", "--others"), "the same\n");
}

/// Python computes means and variances from the text of models.
fn models(python: &Python) {
    let scratch = Scratch::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/data/models");
    for (name, copy) in [
        ("mono.mdl", "gmm-copy"),
        ("tri.mdl", "gmm-copy"),
        ("ubm.gmm", "gmm-global-copy"),
        ("ubm.fgmm", "fgmm-global-copy"),
        ("1.ie", "ivector-extractor-copy"),
        ("w1.ie", "ivector-extractor-copy"),
    ] {
        scratch.sh(&format!("{copy} --binary=false '{data}/{name}' {name}.txt && mkdir {name}.npy")).succeeds();
        for target in [".npz", ".safetensors", ".npy/"] {
            let format = if target == ".npy/" { "--format=npy" } else { "" };
            scratch.sh(&format!("table-export {format} '{data}/{name}' {name}{target}")).succeeds();
        }
        assert_eq!(python.run(&scratch, "read_models", name), "the same\n", "{name}");
    }
}

/// Values that are no single array: Python reads them, and writes them again, which we import.
fn other_types(python: &Python) {
    let scratch = Scratch::new();
    scratch.write("posterior", "a [ 1 0.5 3 0.1 ] [ ] [ 7 1e-20 ] \nb [ 2 1 ] \n");
    scratch.write("int32-vector-vector", "a 1 2 ; ; 3 ; \nb 4 ; \n");
    scratch.write("token-vector", "a hello w\u{f6}rld \nb \n");
    scratch.write("token", "a s1\nb s2\n");
    scratch.write("float", "a 7.5 \nb -8e-20 \n");
    scratch.write("bool", "a T \nb F \n");
    scratch.write("wav.scp", "a mono.wav\nb stereo.wav\n");
    scratch.write("mono.wav", wave(16000, &[&[1, -2, 32767, -32768]]));
    scratch.write("stereo.wav", wave(8000, &[&[1, 3, 5], &[2, 4, 6]]));
    scratch.sh("wav-copy scp:wav.scp ark:wave").succeeds();
    for (name, formats) in [
        ("posterior", &["npz", "safetensors", "parquet"][..]),
        ("int32-vector-vector", &["npz", "safetensors", "parquet"]),
        ("token-vector", &["parquet", "jsonl"]),
        ("token", &["parquet", "jsonl"]),
        ("float", &["npz", "safetensors", "parquet", "jsonl"]),
        ("bool", &["npz", "safetensors", "parquet", "jsonl"]),
        ("wave", &["npz", "safetensors", "parquet"]),
    ] {
        for format in formats {
            scratch.sh(&format!("table-export --type={name} {name} ours.{format}")).succeeds();
            let ran = python.run(&scratch, "other_types", &format!("{name} ours.{format} theirs.{format}"));
            assert_eq!(ran, "the same\n", "{name} {format}");
            let form = if name == "wave" { "ark" } else { "ark,t" };
            scratch.sh(&format!("table-import --type={name} theirs.{format} {form}:again && sort again | cmp - {name} || cmp again {name}")).succeeds();
        }
    }
}

/// Python writes arrays of every type and order, and the archive that they make, with kaldiio.
fn imports(python: &Python) {
    let scratch = Scratch::new();
    let names = python.run(&scratch, "write_files", "");
    assert!(names.lines().count() > 15, "{names}");
    for line in names.lines() {
        let (file, expected) = line.split_once(' ').unwrap();
        scratch.sh(&format!("table-import {file} ark:o.ark && cmp o.ark {expected}")).succeeds();
    }
    for (file, message) in [
        ("objects.npy", "Python objects (pickled)"),
        ("pickle.npy", "this seems to be a pickle"),
        ("complex.npy", "got the type \"<c16\""),
        ("records.npy", "one of records"),
        ("cube.npz", "expected an array of 1 or 2 dimensions, got 3"),
    ] {
        scratch.sh(&format!("table-import {file} ark:refused.ark")).fails_with(255).stderr_has(message);
    }
    assert!(!scratch.path("refused.ark").exists());
}
