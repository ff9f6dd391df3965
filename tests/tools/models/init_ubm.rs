use super::scratch;

#[test]
fn gaussians_become_one_mixture() {
    let scratch = scratch();
    scratch.write("occs", " [ 10 30 30 10 ]\n");
    let options = "--binary=false --ubm-num-gauss=2 --intermediate-num-gauss=4 --reduce-state-factor=0.5";
    scratch
        .sh(&format!("init-ubm {options} --fullcov-ubm=false mdl occs ubm"))
        .succeeds()
        .stderr_has("Written UBM to ubm");
    // Means of 0 and 1, and of 2 and 3.
    let means = scratch.sh("grep -A 2 MEANS_INVVARS ubm | tail -n 2 | tr -d ' ]' | sort -g");
    let means = String::from_utf8(means.succeeds().stdout().to_vec()).unwrap();
    let values: Vec<f64> = means.lines().map(|line| line.parse().unwrap()).collect();
    assert!((values[0] - 0.75 / 1.1875).abs() < 1e-3 && (values[1] - 2.25 / 1.1875).abs() < 1e-3, "{values:?}");
    scratch.sh(&format!("init-ubm {options} mdl occs full")).succeeds();
    scratch.sh("fgmm-global-to-gmm --binary=false full again && grep -c . again").succeeds();
    let reduced = scratch.sh("init-ubm --ubm-num-gauss=4 --max-am-gauss=4 mdl occs all");
    reduced.succeeds().stderr_has("--intermediate-num-gauss=4000 is not possible with 4 Gaussians");
}

#[test]
fn options_that_make_no_sense_are_errors() {
    let scratch = scratch();
    scratch.write("occs", " [ 1 2 ]\n");
    for (options, message) in [
        ("--ubm-num-gauss=0", "expected a --ubm-num-gauss of 1 or more"),
        ("--ubm-num-gauss=9 --max-am-gauss=8", "--ubm-num-gauss=9 is more than --max-am-gauss=8"),
        ("--intermediate-num-gauss=8", "--ubm-num-gauss=400 is more than --intermediate-num-gauss=8"),
        ("--reduce-state-factor=1.5", "expected a --reduce-state-factor above 0 and up to 1, got 1.5"),
        ("--cluster-varfloor=0", "expected a positive --cluster-varfloor"),
        ("", "expected counts of 4 pdfs, got 2"),
    ] {
        scratch.sh(&format!("init-ubm {options} mdl occs o")).fails_with(255).stderr_has(message);
    }
}

#[test]
fn there_is_one_group_of_pdfs_at_least() {
    let scratch = scratch();
    scratch.write("occs", " [ 10 30 30 10 ]\n");
    let options = "--ubm-num-gauss=2 --intermediate-num-gauss=4 --fullcov-ubm=false --binary=false";
    scratch.sh(&format!("init-ubm {options} --reduce-state-factor=0.25 mdl occs one")).succeeds();
    scratch.sh(&format!("init-ubm {options} --reduce-state-factor=0.01 mdl occs - | cmp - one")).succeeds();
}
