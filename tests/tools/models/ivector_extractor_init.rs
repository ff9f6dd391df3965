use crate::support::Scratch;

const MIXTURE: &str = "<FullGMM> \n<WEIGHTS>  [ 0.25 0.75 ]\n<MEANS_INVCOVARS>  [\n  2 2 \n  -1 0 ]\n<INV_COVARS> [\n1 \n0 2 \
                       ]\n[\n2 \n0 1 ]\n</FullGMM> \n";

fn mixture() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("ubm", MIXTURE);
    scratch
}

/// The random numbers are those of Kaldi.
#[test]
fn means_become_first_columns_and_others_are_drawn() {
    let ran = mixture().sh("ivector-extractor-init --binary=false --ivector-dim=2 --use-weights=false ubm -");
    let ran = ran.succeeds().stderr_has("Initialized iVector extractor with iVector dimension 2 and wrote it to");
    let ran = ran
        .stdout_has("<w>  [ ]\n<w_vec>  [ 0.25 0.75 ]\n<M> 2  [\n  0.02 ")
        .stdout_has("\n  0.01 ")
        .stdout_has("\n  -0.005 ");
    let ran = ran.stdout_has("<SigmaInv> [\n1 \n0 2 ]\n[\n2 \n0 1 ]\n<IvectorOffset> 100 </IvectorExtractor> ");
    let other = mixture().sh("ivector-extractor-init --num-iters=9 --ivector-dim=2 --use-weights=f ubm - | \
                              ivector-extractor-copy --binary=false - -");
    let other = other.succeeds();
    assert_eq!(ran.stdout().to_vec(), other.stdout().to_vec());
}

#[test]
fn weights_may_depend_on_the_i_vector() {
    let ran = mixture().sh("ivector-extractor-init --binary=false --ivector-dim=3 ubm -");
    ran.succeeds().stdout_has("<w>  [\n  0 0 0 \n  0 0 0 ]\n<w_vec>  [ ]\n<M> 2 ");
}

#[test]
fn what_makes_no_sense_leaves_no_output_behind() {
    let scratch = mixture();
    scratch
        .sh("ivector-extractor-init --ivector-dim=0 ubm o")
        .fails_with(255)
        .stderr_has("--ivector-dim to be 1 or more");
    scratch
        .sh("echo '<DiagGMM> ' | ivector-extractor-init - o")
        .fails_with(255)
        .stderr_has("expected token \"<FullGMM>\"");
    assert_eq!(scratch.list(), ["ubm"]);
}
