use crate::support::Scratch;

fn ivectors() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.ark", "a [ 1 2 3 ]\nb [ 0.5 0.25 -1 ]\n")
        .write("2.ark", "x [ 1 1 1 ]\ny [ 1e20 1 1 ]\nodd [ 1 ]\n")
        .write("trials", "a x\nb y\na y\nb x\na x\n");
    scratch
}

#[test]
fn every_trial_gets_its_inner_product() {
    let ran = ivectors().sh("ivector-compute-dot-products trials ark:1.ark ark:2.ark -");
    ran.succeeds()
        .stdout_is("a x 6\nb y 5e+19\na y 1e+20\nb x -0.25\na x 6\n")
        .stderr_has("Mean dot-product was 3e+19, standard deviation was")
        .stderr_has("Processed 5 trials 0 had errors.");
}

#[test]
fn trials_with_a_key_that_has_no_vector_are_left_out_and_counted() {
    let ran = ivectors().sh(
        "printf 'a x\\nnope x\\na nope\\nnope x\\n' | ivector-compute-dot-products - ark:1.ark ark:2.ark scores; cat scores",
    );
    ran.succeeds()
        .stdout_is("a x 6\n")
        .stderr_has("Key nope not present in 1st table of ivectors.")
        .stderr_has("Key nope not present in 2nd table of ivectors.")
        .stderr_has("Processed 1 trials 3 had errors.");
    let ran = ivectors().sh("ivector-compute-dot-products /dev/null ark:1.ark ark:2.ark -");
    ran.fails_with(1).stdout_is("").stderr_has("Processed 0 trials 0 had errors.");
}

#[test]
fn trials_that_are_no_two_keys_or_do_not_match_leave_no_output_behind() {
    let scratch = ivectors();
    let before = scratch.list();
    for (trials, message) in [
        ("a x\na x target\n", "t:2: expected two fields: key1 key2, got \"a x target\""),
        ("a x\n\n", "t:2: expected two fields: key1 key2, got \"\""),
        ("a odd\n", "trial a odd: expected a vector of dimension 3, got 1"),
    ] {
        scratch.write("t", trials);
        scratch
            .sh("ivector-compute-dot-products t ark:1.ark ark:2.ark o; code=$?; rm t; exit $code")
            .fails_with(255)
            .stderr_has(message);
        assert_eq!(scratch.list(), before);
    }
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = ivectors();
    scratch.write("bad.ark", "a [ 1 2 3 ]\nx [ 1 2 3 ]\nb [ y ]\n");
    for arguments in ["ark:bad.ark ark:2.ark", "ark:2.ark ark:bad.ark"] {
        let ran = scratch.sh(&format!("echo x b | ivector-compute-dot-products - {arguments} o; exit $?"));
        ran.fails_with(if arguments.starts_with("ark:bad") { 1 } else { 255 });
    }
    let ran = scratch.sh("echo b x | ivector-compute-dot-products - ark:bad.ark ark:2.ark p");
    ran.fails_with(255).stderr_has("b: bad.ark:3: expected a number");
}
