use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

fn counting(num_frames: usize) -> Sample {
    Sample::Matrix((0..num_frames).map(|frame| vec![frame as f32, frame as f32 + 0.5]).collect())
}

fn spliced(num_frames: usize, left: usize, right: usize) -> Sample {
    let row = |frame: usize| {
        let place = |at: usize| (frame + at).saturating_sub(left).min(num_frames - 1) as f32;
        (0..left + 1 + right).flat_map(|at| [place(at), place(at) + 0.5]).collect()
    };
    Sample::Matrix((0..num_frames).map(row).collect())
}

/// From binary archives, text, script files, ranges and pipes, whatever lies in memory in the form of the output.
#[test]
fn frames_get_their_neighbours_from_and_to_every_form() {
    let scratch = Scratch::new();
    let feats = [("a", counting(7)), ("b", counting(1)), ("c", counting(40))];
    scratch.write("f.ark", binary_archive(&feats)).write("f.txt", text_archive(&feats));
    scratch.sh("copy-feats ark:f.ark ark,scp:o.ark,f.scp; sed 's/$/[0:6]/; /^b/d' f.scp > ranges.scp").succeeds();
    for (left, right) in [(4, 4), (0, 0), (2, 0), (0, 1), (9, 30)] {
        let expected =
            [("a", spliced(7, left, right)), ("b", spliced(1, left, right)), ("c", spliced(40, left, right))];
        let splice = format!("splice-feats --left-context={left} --right-context={right}");
        for source in ["ark:f.ark", "ark:f.txt", "scp:f.scp", "'ark:cat f.ark |'"] {
            scratch.sh(&format!("{splice} {source} ark:-")).succeeds().stdout_is(binary_archive(&expected));
            scratch.sh(&format!("{splice} {source} ark,t:-")).succeeds().stdout_is(text_archive(&expected));
        }
        let cut = [("a", spliced(7, left, right)), ("c", spliced(7, left, right))];
        scratch.sh(&format!("{splice} scp:ranges.scp ark:-")).succeeds().stdout_is(binary_archive(&cut));
    }
}

#[test]
fn four_frames_on_each_side_are_the_default() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", counting(9))]));
    scratch.sh("splice-feats ark:f.ark ark:-").succeeds().stdout_is(binary_archive(&[("a", spliced(9, 4, 4))]));
}

/// Larger than what is written at once, with an index, and through a pipe that is slow.
#[test]
fn much_is_written_whole() {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..6).map(|at| format!("utt{at}")).collect();
    let entries: Vec<_> = keys.iter().zip(0..).map(|(key, seed)| (key.as_str(), matrix(seed, 2500, 20))).collect();
    scratch.write("f.ark", binary_archive(&entries));
    let splice = "splice-feats --left-context=5 --right-context=5 ark:f.ark";
    scratch.sh(&format!("{splice} ark,t:- | copy-feats ark:- ark:- > text.ark")).succeeds();
    scratch.sh(&format!("{splice} ark,scp:o.ark,o.scp; copy-feats scp:o.scp ark:- | cmp - o.ark")).succeeds();
    scratch.sh(&format!("{splice} 'ark:| sleep 0.2; cat > p.ark'; cmp o.ark p.ark")).succeeds();
    // Text keeps seven digits only.
    scratch.sh("compare-feats ark:o.ark ark:text.ark && feat-to-dim ark:o.ark -").succeeds().stdout_is("220\n");
}

#[test]
pub fn options_are_checked_before_features_are_read() {
    for (option, message) in [
        ("--left-context=-1", "expected --left-context to be 0 or more, got -1"),
        ("--right-context=-3", "expected --right-context to be 0 or more, got -3"),
    ] {
        Scratch::new().sh(&format!("splice-feats {option} ark:/dev/null ark:-")).fails_with(255).stderr_has(message);
    }
}

#[test]
fn empty_features_are_an_error_after_what_was_done() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", counting(2)), ("b", Sample::Matrix(vec![])), ("c", counting(2))]));
    let done = [("a", spliced(2, 4, 4))];
    let binary = scratch.sh("splice-feats ark:f.ark ark:-").fails_with(255).stdout_is(binary_archive(&done));
    binary.stderr_has("b: expected features, got empty input");
    let text = scratch.sh("splice-feats ark:f.ark ark,t:-").fails_with(255).stdout_is(text_archive(&done));
    text.stderr_has("b: expected features, got empty input");
    scratch.sh("splice-feats ark:f.ark ark:o").fails_with(255);
    assert_eq!(scratch.list(), ["f.ark"]);
}

#[test]
fn more_columns_than_a_matrix_can_have_are_refused() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", counting(2))]));
    let ran = scratch.sh("ulimit -v 4000000; splice-feats --left-context=2147483647 ark:f.ark ark:-");
    ran.fails_with(255).stderr_has("a: 2 by 4294967304 elements are too many");
}
