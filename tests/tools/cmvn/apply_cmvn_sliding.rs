use crate::support::Scratch;
use crate::support::sample::matrix;

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ 1 ; 2 ; 6 ; 7 ]\nb [ 5 ]\n").write("flat.ark", "a [ 1 2 ; 1 2 ; 1 2 ]\n");
    scratch
}

#[test]
fn means_of_short_utterances_are_those_of_all_frames() {
    let ran = feats().sh("apply-cmvn-sliding ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  -3 \n  -2 \n  2 \n  3 ]\nb  [\n  0 ]\n")
        .stderr_has("Applied sliding-window cepstral mean normalization to 2 utterances, 0 had errors.");
}

#[test]
fn the_window_may_be_around_the_frame() {
    let ran = feats().sh("apply-cmvn-sliding --norm-vars=false --center=true --cmn-window=300 ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  -3 \n  -2 \n  2 \n  3 ]\nb  [\n  0 ]\n");
    let ran = feats().sh("apply-cmvn-sliding --center=true --cmn-window=3 --min-cmn-window=1 ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  -2 \n  -1 \n  1 \n  2 ]\nb  [\n  0 ]\n");
}

#[test]
fn the_window_may_be_before_the_frame() {
    let ran = feats().sh("apply-cmvn-sliding --cmn-window=1 --min-cmn-window=1 ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0 \n  0.5 \n  2 \n  0.5 ]\nb  [\n  0 ]\n");
    let ran = feats().sh("apply-cmvn-sliding --cmn-window=1 --min-cmn-window=3 ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  -2 \n  -1 \n  2 \n  0.5 ]\nb  [\n  0 ]\n");
}

#[test]
fn variances_become_one_where_wanted() {
    let ran = feats()
        .sh("apply-cmvn-sliding --norm-vars=true --center=true --cmn-window=2 --min-cmn-window=1 ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  -1 \n  1 \n  1 \n  1 ]\nb  [\n  0 ]\n")
        .stderr_has("Applied sliding-window cepstral mean and variance normalization to 2 utterances, 0 had errors.");
}

#[test]
fn small_variances_are_floored_with_as_many_warnings_as_wanted() {
    let warnings = |option: &str, floored: usize, suppressed: usize| {
        let command = format!("apply-cmvn-sliding --norm-vars {option} ark:flat.ark ark,t:-");
        let stdout = "a  [\n  0 0 \n  0 0 \n  0 0 ]\n";
        let count = |text| format!("[ $({command} 2>&1 >/dev/null | grep -c '{text}') = ");
        feats().sh(&command).succeeds().stdout_is(stdout);
        feats().sh(&format!("{}{floored} ]", count("Flooring when normalizing variance, floored 2 el"))).succeeds();
        feats().sh(&format!("{}{suppressed} ]", count("Suppressing the remaining"))).succeeds();
    };
    warnings("", 3, 0);
    warnings("--max-warnings=2", 2, 1);
    warnings("--max-warnings=0", 0, 1);
    warnings("--max-warnings=-1", 3, 0);
}

#[test]
fn utterances_without_frames_are_left_out_and_counted() {
    let ran = feats().sh("printf 'a [ ]\\nb [ 1 ]\\n' | apply-cmvn-sliding ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("b  [\n  0 ]\n")
        .stderr_has("Empty feature matrix for utterance a")
        .stderr_has("to 1 utterances, 1 had errors.");
    feats().sh("echo 'a [ ]' | apply-cmvn-sliding ark:- ark:-").fails_with(1).stdout_is("");
    feats().sh("apply-cmvn-sliding ark:/dev/null ark:-").fails_with(1).stdout_is("");
}

/// In Kaldi they are for the first frame.
#[test]
fn windows_without_frames_are_an_error_even_where_there_are_no_features() {
    let scratch = feats();
    for (options, message) in [
        ("--cmn-window=0", "expected --cmn-window to be 1 or more, got 0"),
        ("--center --cmn-window=50", "expected --min-cmn-window to be from 1 to --cmn-window, got 100 (and 50)"),
        ("--center --min-cmn-window=0", "expected --min-cmn-window to be from 1 to --cmn-window, got 0 (and 600)"),
    ] {
        let ran = scratch.sh(&format!("apply-cmvn-sliding {options} ark:/dev/null ark:o"));
        ran.fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["f.ark", "flat.ark"]);
}

/// In Kaldi the square of the number of frames has no more place in an integer.
#[test]
fn variances_over_long_windows_are_right() {
    let ran = Scratch::new().sh(
        "{ echo 'a ['; for i in $(seq 25000); do echo 1; echo 3; done; echo ']'; } |
         apply-cmvn-sliding --norm-vars --center --cmn-window=50000 ark:- ark,t:- | sort | uniq -c | sort -n | tail -n 2 |
         awk '{print $1, $2}'",
    );
    ran.succeeds().stdout_is("24999 1\n25000 -1\n");
}

#[test]
fn output_and_warnings_do_not_depend_on_the_number_of_threads() {
    let scratch = Scratch::new();
    let mut entries: Vec<_> = (0..60).map(|seed| (format!("utt{seed}"), matrix(seed, 400, 40).text())).collect();
    entries[30].1 = "[ 1 ; 1 ]\n".to_owned();
    scratch.write("m.ark", entries.iter().map(|(key, text)| format!("{key} {text}")).collect::<String>());
    let command = "apply-cmvn-sliding --print-args=false --norm-vars --cmn-window=100 --num-threads=";
    scratch.sh(&format!("{command}1 ark:m.ark ark:1 2> 1.log; {command}3 ark:m.ark ark:3 2> 3.log")).succeeds();
    assert!(scratch.read("1") == scratch.read("3"));
    assert_eq!(scratch.read("1.log"), scratch.read("3.log"));
}
