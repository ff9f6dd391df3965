use crate::support::Scratch;

fn lengths(lengths: &[u32]) -> Scratch {
    let scratch = Scratch::new();
    let lines: String = lengths.iter().zip('a'..).map(|(length, key)| format!("{key} {length}\n")).collect();
    scratch.write("utt2num_frames", lines);
    scratch
}

/// The batches without their keys.
#[track_caller]
fn batches(scratch: &Scratch, options: &str) -> Vec<String> {
    let ran = scratch.sh(&format!("batch-utts {options} utt2num_frames ark,t:-")).succeeds();
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let values = text.lines().map(|line| line.split_once(' ').unwrap().1.replace(' ', ""));
    values.collect()
}

#[test]
fn dynamic_batches_count_padding() {
    let scratch = lengths(&[10, 20, 30, 40, 50, 60, 200, 10, 10]);
    let options = "--batch-type=dynamic --max-frames-in-batch=100";
    assert_eq!(batches(&scratch, options), ["abc", "de", "f", "g", "hi"]);
    let ran = scratch.sh(&format!("batch-utts {options} ark:utt2num_frames ark,t:-"));
    let ran = ran.succeeds().stdout_is(
        "batch-0000000 a b c \nbatch-0000001 d e \nbatch-0000002 f \nbatch-0000003 g \nbatch-0000004 h i \n",
    );
    // 90 + 100 + 60 + 200 + 20 frames, 40 of them padding.
    ran.stderr_has("Joined 9 utterances to 5 batches; 8.51 percent padding; 0 dropped");
}

#[test]
fn static_batches_have_a_number() {
    let scratch = lengths(&[1; 5]);
    assert_eq!(batches(&scratch, "--batch-size=2"), ["ab", "cd", "e"]);
    assert_eq!(batches(&scratch, "--batch-size=2 --drop-last"), ["ab", "cd"]);
    assert_eq!(batches(&scratch, ""), ["abcde"]);
}

#[test]
fn buckets_are_flushed_when_full_and_in_the_order_they_were_begun() {
    let scratch = lengths(&[5, 15, 6, 10, 20, 19, 7, 8, 9]);
    let options = "--batch-type=bucket --bucket-boundaries=10,20 --bucket-batch-sizes=3,2,1";
    assert_eq!(batches(&scratch, options), ["bd", "e", "acg", "f", "hi"]);
    assert_eq!(batches(&scratch, &format!("{options} --drop-last")), ["bd", "e", "acg"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = lengths(&[1]);
    for (options, message) in [
        ("--batch-type=x", "--batch-type=x: expected static, dynamic or bucket, got \"x\""),
        ("--batch-size=0", "expected --batch-size to be 1 or more, got 0"),
        ("--batch-type=dynamic --max-frames-in-batch=0", "expected --max-frames-in-batch to be 1 or more"),
        ("--batch-type=bucket", "expected --bucket-boundaries with --batch-type=bucket"),
        ("--batch-type=bucket --bucket-boundaries=1,x --bucket-batch-sizes=1", "got \"1,x\""),
        ("--batch-type=bucket --bucket-boundaries=1 --bucket-batch-sizes=1", "expected 2 batch sizes for 1 boundaries"),
        ("--batch-type=bucket --bucket-boundaries=2,1 --bucket-batch-sizes=1,1,1", "that rise, got 1 after 2"),
    ] {
        scratch.sh(&format!("batch-utts {options} utt2num_frames ark:out")).fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["utt2num_frames"]);
    scratch.sh("batch-utts /dev/null ark,t:-").fails_with(1).stdout_is("");
}
