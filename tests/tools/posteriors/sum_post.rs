use crate::support::Scratch;

/// Two tables; a second frame without a common index, a third that cancels in the difference.
fn posteriors() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("num.post", "a [ 7 0.5 2 0.25 ] [ 1 1 ] [ 3 0.5 ]\nb [ 4 1 ]\n")
        .write("den.post", "b [ 4 0.5 ]\na [ 2 0.5 9 1 ] [ 2 1 ] [ 3 0.5 ]\n");
    scratch
}

#[test]
fn weights_of_equal_indexes_are_summed() {
    let ran = posteriors().sh("sum-post ark:num.post ark:den.post ark,t:-");
    ran.succeeds()
        .stdout_is("a [ 2 0.75 7 0.5 9 1 ] [ 1 1 2 1 ] [ 3 1 ] \nb [ 4 1.5 ] \n")
        .stderr_has("Processed 4 frames; for 1 frames there was no overlap, i.e. 25%")
        .stderr_has("Done adding 2 posteriors;  0 with errors.");
}

#[test]
fn what_cancels_in_a_difference_is_left_out() {
    let scratch = posteriors();
    let ran =
        scratch.sh("sum-post --scale2=-1 ark:num.post ark:den.post ark:diff.post; copy-post ark:diff.post ark,t:-");
    ran.succeeds().stdout_is("a [ 2 -0.25 7 0.5 9 -1 ] [ 1 1 2 -1 ] [ ] \nb [ 4 0.5 ] \n");
    let ran = scratch.sh("sum-post --scale1=2 ark:num.post ark:den.post ark,t:- | tail -n 1");
    ran.succeeds().stdout_is("b [ 4 2.5 ] \n");
}

#[test]
fn without_merging_all_entries_are_kept_in_order() {
    let ran = posteriors().sh("sum-post --merge=false --scale2=-1 ark:num.post ark:den.post ark,t:-");
    ran.succeeds().stdout_is("a [ 2 -0.5 2 0.25 7 0.5 9 -1 ] [ 1 1 2 -1 ] [ 3 -0.5 3 0.5 ] \nb [ 4 -0.5 4 1 ] \n");
}

#[test]
fn frames_without_a_common_index_are_dropped_on_demand() {
    let scratch = posteriors();
    let t = |options: &str, second_frame: &str| {
        let ran = scratch.sh(&format!("sum-post {options} ark:num.post ark:den.post ark,t:- | head -n 1"));
        ran.succeeds().stdout_is(format!("a [ 2 0.75 7 0.5 9 1 ] [ {second_frame}] [ 3 1 ] \n"));
    };
    t("--drop-frames=true", "");
    t("--zero-if-disjoint=true", "");
    t("--drop-frames=true --zero-if-disjoint=false", "1 1 2 1 ");
    t("--zero-if-disjoint=false --drop-frames", "");
}

#[test]
fn what_is_missing_or_of_another_length_is_skipped_and_counted() {
    let scratch = posteriors();
    scratch.write("other.post", "b [ 4 0.5 ] [ ]\nc [ ]\n");
    let ran = scratch.sh("sum-post ark:num.post ark:other.post ark,t:-");
    ran.fails_with(1)
        .stdout_is("")
        .stderr_has("Second set of posteriors has nothing for key a")
        .stderr_has("Posteriors have mismatched sizes 1 vs. 2 for key b")
        .stderr_has("Done adding 0 posteriors;  2 with errors.");
    scratch.write("other.post", "b [ 4 0.5 ]\n");
    scratch.sh("sum-post ark:num.post ark:other.post ark,t:-").succeeds().stdout_is("b [ 4 1.5 ] \n");
}
