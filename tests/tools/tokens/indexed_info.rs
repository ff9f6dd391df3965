use serde_json::Value;

use super::{index, with_dataset};
use crate::support::Scratch;

#[test]
fn what_is_told_is_told_as_json_too() {
    let scratch = with_dataset();
    let ran = scratch.sh("indexed-info --json data data.bin").succeeds();
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert_eq!(text.lines().count(), 2);
    for line in text.lines() {
        let told: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&told["dialect"], &told["dtype"]), (&"megatron".into(), &"uint16".into()));
        assert_eq!([&told["sequences"], &told["documents"], &told["tokens"]], [3, 3, 9]);
        assert_eq!([&told["min"], &told["max"]], [2, 4]);
        assert_eq!(told["mean"], 3.0);
    }
    scratch
        .sh("indexed-info data | head -n 4")
        .succeeds()
        .stdout_is("prefix data\ndialect megatron\ndtype uint16\nsequences 3\n");
}

#[test]
fn dialects_are_told_by_the_bytes_of_a_token() {
    let scratch = Scratch::new();
    let bounds = Some(&[0, 2][..]);
    let known = [
        (6, 4, bounds, "gpt-neox float32"),
        (6, 2, bounds, "deepspeed uint16"),
        (8, 8, bounds, "deepspeed uint64"),
        (7, 4, bounds, "megatron float32"),
        (10, 8, None, "fairseq uint64"),
    ];
    for (code, size, bounds, expected) in known {
        scratch.write("d.idx", index(code, &[2, 1], size, bounds)).write("d.bin", vec![0; 3 * size as usize]);
        let ran = scratch.sh("indexed-info d | awk '/^d(ialect|type)/ { printf \"%s \", $2 }'").succeeds();
        assert_eq!(String::from_utf8_lossy(ran.stdout()).trim(), expected);
    }
}

#[test]
fn other_formats_are_named() {
    let scratch = with_dataset();
    scratch.write("t.idx", b"TNTIDX\0\0\x01\0\0\0\0\0\0\0").write("h.idx", b"HUFFIDX\0\0\x01\0\0\0");
    scratch.write("m.idx", b"\0\0\x08\x01\0\0\0\x01").write("p.pbin", b"\x02\0\0\0\0\0\0\0\x02\0\0\0ab\x80\x04");
    for (name, word) in [("t", "TNTIDX"), ("h.idx", "HUFFIDX"), ("m", "MNIST"), ("p.pbin", "Modalities")] {
        scratch.sh(&format!("indexed-info {name}")).fails_with(255).stderr_has(word);
    }
    scratch
        .sh("indexed-split --cut-bin=2 data cut; indexed-info cut")
        .fails_with(255)
        .stderr_has("indexed-split --join");
    scratch.sh("indexed-info missing").fails_with(255).stderr_has("cannot open missing.idx");
}
