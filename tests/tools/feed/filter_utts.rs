use crate::support::Scratch;

fn lists() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("feats.scp", "a x.ark:2\nb  x.ark:9[0:3]\nc x.ark:20\nd x.ark:30\n");
    scratch.write("utt2num_frames", "a 9\nb 10\nc 10240\nd 10241\n");
    scratch.write("labels", "a 1\nb 1 2 3\nc 1 2 3 4 5 6\nd 1\n");
    scratch
}

#[test]
fn lengths_are_needed() {
    lists().sh("filter-utts feats.scp -").fails_with(255).stderr_has("expected one of --utt2num-frames and --utt2dur");
}

#[test]
fn bounds_are_allowed_and_lines_stay_as_they_are() {
    let ran = lists().sh("filter-utts --utt2num-frames=utt2num_frames feats.scp -");
    let ran = ran.succeeds().stdout_is("b  x.ark:9[0:3]\nc x.ark:20\n");
    ran.stderr_has("Kept 2 of 4 utterances; dropped: 1 too long, 1 too short");
}

#[test]
fn of_an_archive_the_keys_are_written() {
    let scratch = lists();
    scratch.write("i.ark", "a 1 2\nb 3\nc 4\n");
    let ran = scratch.sh("filter-utts --utt2num-frames=utt2num_frames ark:i.ark -");
    ran.succeeds().stdout_is("b\nc\n");
}

#[test]
fn frames_are_hundredths_of_seconds() {
    let scratch = lists();
    scratch.write("utt2dur", "a 0.29\nb 0.28\nc 3\nd 0.3\n");
    let ran = scratch.sh("filter-utts --utt2dur=utt2dur --min-length=29 --max-length=30 feats.scp -");
    ran.succeeds().stdout_is("a x.ark:2\nd x.ark:30\n");
    let ran = scratch.sh("filter-utts --utt2dur=ark:utt2dur --min-length=29 --max-length=30 --only-keys feats.scp -");
    ran.succeeds().stdout_is("a\nd\n");
}

#[test]
fn labels_count_by_themselves_and_for_the_length() {
    let scratch = lists();
    let run = |options: &str| {
        scratch.sh(&format!("filter-utts --utt2num-frames=ark:utt2num_frames --utt2labels={options} scp:feats.scp -"))
    };
    // A ratio of 6 labels for 10240 frames is above 0.0005.
    run("labels").succeeds().stdout_is("b  x.ark:9[0:3]\nc x.ark:20\n");
    run("ark:labels").succeeds().stdout_is("b  x.ark:9[0:3]\nc x.ark:20\n");
    let ran = run("labels --token-max-length=5").succeeds().stdout_is("b  x.ark:9[0:3]\n");
    ran.stderr_has("1 too many labels");
    run("labels --token-min-length=4").succeeds().stdout_is("c x.ark:20\n").stderr_has("1 too few labels");
    run("labels --max-output-input-ratio=0.25").succeeds().stdout_is("c x.ark:20\n");
    let ran = run("labels --min-output-input-ratio=0.3").succeeds().stdout_is("b  x.ark:9[0:3]\n");
    ran.stderr_has("1 too few labels for the length");
}

#[test]
fn utterances_without_a_length_or_labels_are_dropped() {
    let scratch = lists();
    scratch.write("utt2num_frames", "a 50\nb 50\nc 50\n").write("labels", "a 1\n");
    let ran = scratch.sh("filter-utts --verbose=1 --utt2num-frames=utt2num_frames --utt2labels=labels feats.scp -");
    let ran = ran.succeeds().stdout_is("a x.ark:2\n").stderr_has("b: dropped, without labels");
    ran.stderr_has("Kept 1 of 4 utterances; dropped: 1 without a length, 2 without labels");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = lists();
    scratch.write("bad", "a 1\nb\n");
    for (options, message) in [
        ("--utt2num-frames=bad", "bad:2: expected a key and a number, got \"b\""),
        ("--utt2num-frames=none", "cannot open"),
        ("--utt2num-frames=utt2num_frames --utt2dur=utt2num_frames", "expected one of --utt2num-frames and --utt2dur"),
        (
            "--utt2num-frames=utt2num_frames --min-length=9 --max-length=8",
            "expected --min-length to be at most --max-length",
        ),
    ] {
        scratch.sh(&format!("filter-utts {options} feats.scp out")).fails_with(255).stderr_has(message);
    }
    assert!(!scratch.path("out").exists());
}

#[test]
fn nothing_kept_is_nothing_done() {
    let ran = lists().sh("filter-utts --utt2num-frames=utt2num_frames --min-length=10242 --max-length=1e9 feats.scp -");
    ran.fails_with(1).stdout_is("");
    lists().sh("filter-utts --utt2num-frames=utt2num_frames /dev/null -").fails_with(1).stdout_is("");
}
