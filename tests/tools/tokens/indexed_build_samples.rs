use crate::support::Scratch;

/// Sequences of 20, 50, 60, 30, 100 and 5 tokens.
fn with_lengths() -> Scratch {
    let scratch = Scratch::new();
    let sequence = |length: usize| format!("k{length}{}\n", " 7".repeat(length));
    scratch.write("t", [20, 50, 60, 30, 100, 5].map(sequence).concat());
    scratch.sh("int-vector-to-indexed --dtype=uint16 ark:t data").succeeds();
    scratch
}

#[test]
fn rows_are_printed_as_they_are_written() {
    let scratch = with_lengths();
    let build = "indexed-build-samples --seq-length=30 --print-indices";
    let rows = "0 0\n1 10\n1 40\n2 20\n2 50\n3 20\n4 20\n4 50\n4 80\n";
    let all = format!("document_index\n0\n1\n2\n3\n4\n5\nsample_index\n{rows}shuffle_index\n0\n1\n2\n3\n4\n5\n6\n7\n");
    scratch.sh(&format!("{build} --shuffle=false data out")).succeeds().stdout_is(all);
    scratch.sh("ls out").succeeds().stdout_is("document_index.npy\nsample_index.npy\nshuffle_index.npy\n");
    let shuffled = scratch.sh(&format!("{build} data out | tail -n 8 | tr '\\n' ' '"));
    shuffled.succeeds().stdout_is("5 0 3 4 2 6 1 7 ");
    let kept = scratch
        .sh(&format!("{build} --shuffle=false --drop-last=false data out | grep -A 10 sample_index | tail -n 1"));
    kept.succeeds().stdout_is("5 4\n");
}

#[test]
fn epochs_and_samples_exclude_each_other() {
    let scratch = with_lengths();
    scratch.sh("indexed-build-samples --num-samples=1 --num-epochs=1 data out").fails_with(255).stderr_has("got both");
    for option in [
        "--seq-length=0",
        "--num-epochs=0",
        "--split=0",
        "--part=all",
        "--seed=-1",
        "--num-samples=9223372036854775807",
    ] {
        scratch.sh(&format!("indexed-build-samples {option} data out")).fails_with(255).stdout_is("");
    }
    let samples = "indexed-build-samples --seq-length=30 --print-indices";
    let documents = |options: &str| {
        let ran = scratch
            .sh(&format!("{samples} {options} data out | sed '1d; /sample_index/,$d' | tr '\\n' ' '"))
            .succeeds();
        String::from_utf8(ran.stdout().to_vec()).unwrap()
    };
    assert_eq!(documents("--num-samples=12"), "2 1 5 0 4 3 0 4 3 2 5 1 ");
    assert_eq!(documents("--num-samples=26"), "5 3 5 4 1 2 0 2 4 1 1 3 2 4 0 5 0 3 ");
    assert_eq!(documents("--num-epochs=2 --separate-last-epoch=true"), documents("--num-samples=12"));
    assert_eq!(documents("--num-epochs=3"), documents("--num-samples=26"));
}

#[test]
fn a_description_gives_the_names() {
    let scratch = with_lengths();
    scratch.write("description", "abc");
    scratch
        .sh("indexed-build-samples --seq-length=30 --split=1,1 --part=valid --description=description data out")
        .succeeds();
    let start = "900150983cd24fb0d6963f7d28e17f72-GPTDataset-valid";
    let names = ["description.txt", "document_index.npy", "sample_index.npy", "shuffle_index.npy"];
    scratch.sh("ls out").succeeds().stdout_is(names.map(|name| format!("{start}-{name}\n")).concat());
    scratch.sh(&format!("cmp description out/{start}-description.txt")).succeeds();
}

#[test]
fn there_must_be_something_to_train_on() {
    let scratch = with_lengths();
    scratch.sh("indexed-build-samples --split=1 --part=test data out").fails_with(255).stderr_has("no sequences");
    scratch
        .sh("echo a | int-vector-to-indexed ark:- e && indexed-build-samples --split=1 e out")
        .fails_with(255)
        .stderr_has("no tokens");
    assert!(!scratch.list().contains(&"out".to_owned()));
}
