use super::with_dataset;

#[test]
fn samples_follow_each_other_and_share_a_token() {
    let scratch = with_dataset();
    let build = "indexed-build-samples --split=1 --seq-length=4 --shuffle=false";
    scratch.sh(&format!("{build} data out")).succeeds();
    let read = "indexed-samples-to-int-vector";
    scratch.sh(&format!("{read} data out ark,t:-")).succeeds().stdout_is("0 1 2 3 4 5 \n1 5 6 7 8 9 \n");
    scratch.sh(&format!("{build} --extra-token=false --drop-last=false data short")).succeeds();
    let short = format!("{read} --extra-token=false data short ark,t:-");
    scratch.sh(&short).succeeds().stdout_is("0 1 2 3 4 \n1 5 6 7 8 \n2 9 \n");
    let padded = format!("{read} --extra-token=false --seq-length=4 --pad=-1 data short ark,t:-");
    scratch.sh(&padded).succeeds().stdout_is("0 1 2 3 4 \n1 5 6 7 8 \n2 9 -1 -1 -1 \n");
    let wrong = format!("{read} --seq-length=3 data out ark:x");
    scratch.sh(&wrong).fails_with(255).stderr_has("sample 0: expected 4 tokens, found 5");
}

#[test]
fn indices_that_lead_out_of_the_dataset_are_errors() {
    let scratch = with_dataset();
    scratch.sh("indexed-build-samples --split=1 --seq-length=4 data out").succeeds();
    scratch.sh("printf 'a 1\\nb 2\\nc 3\\n' | int-vector-to-indexed ark:- other").succeeds();
    scratch.sh("indexed-samples-to-int-vector other out ark:x").fails_with(255).stderr_has("other: sequence");
    scratch
        .sh("truncate -s 130 out/shuffle_index.npy; indexed-samples-to-int-vector data out ark:x")
        .fails_with(255)
        .stderr_has("shuffle_index.npy: length");
    scratch
        .sh("mkdir none; indexed-samples-to-int-vector data none ark:x")
        .fails_with(255)
        .stderr_has("document_index.npy, found none");
    assert!(!scratch.list().contains(&"x".to_owned()));
}

#[test]
fn one_of_several_indices_is_chosen_by_its_name() {
    let scratch = with_dataset();
    scratch.write("d", "x");
    for part in ["train", "valid"] {
        scratch
            .sh(&format!("indexed-build-samples --split=2,1 --part={part} --description=d --seq-length=1 data out"))
            .succeeds();
    }
    scratch.sh("indexed-samples-to-int-vector data out ark:x").fails_with(255).stderr_has("--choose");
    scratch.sh("indexed-samples-to-int-vector --choose=-valid- data out ark,t:-").succeeds().stdout_is("0 8 9 \n");
}
