use super::scratch;

#[test]
fn each_frame_has_a_likelihood_with_each_pdf() {
    let scratch = scratch();
    scratch.write("feats", "a  [\n  0\n  2 ]\n");
    let likes = "a  [\n  -0.9189385 -1.418939 -2.918939 -5.418939 \n  -2.918939 -1.418939 -0.9189386 -1.418939 ]\n";
    let ran = scratch.sh("gmm-compute-likes mdl ark:feats ark,t:-");
    ran.succeeds().stdout_is(likes).stderr_has("gmm-compute-likes: computed likelihoods for 1 utterances.");
    scratch.sh("gmm-compute-likes mdl ark:/dev/null ark,t:-").succeeds().stdout_is("");
}

#[test]
fn features_of_another_dimension_are_an_error() {
    let ran = scratch().sh("echo 'a [ 1 2 ]' | gmm-compute-likes mdl ark:- ark:o");
    ran.fails_with(255).stderr_has("a: ");
}
