use super::scratch;

#[test]
fn gaussians_are_split_and_merged() {
    let scratch = scratch();
    scratch.write("occs", " [ 1000 10 100 0 ]\n");
    let up = scratch.sh("gmm-mixup --mix-up=8 --power=1 mdl occs more");
    up.succeeds().stderr_has("Split 4 states with target = 8, power = 1").stderr_has("split #Gauss from 4 to 8");
    scratch.sh("gmm-info more | tail -n 1").succeeds().stdout_is("number of gaussians 8\n");
    let down = scratch.sh("gmm-mixup --mix-down=5 --power=1 more occs less");
    down.succeeds().stderr_has("merged from 8 to 5");
    let far = scratch.sh("gmm-mixup --mix-up=1000 mdl occs far");
    far.succeeds().stderr_has("Could not split up to 1000 due to min-count = 20 (or no counts at all)");
}

#[test]
fn counts_of_other_pdfs_are_an_error() {
    let scratch = scratch();
    scratch.write("occs", " [ 1 2 ]\n");
    let ran = scratch.sh("gmm-mixup --mix-up=8 mdl occs o");
    ran.fails_with(255).stderr_has("Dimension of state occupancies 2 does not match num-pdfs 4");
}

/// The order of Kaldi's queue: neither the lowest pdf is first nor the highest.
#[test]
fn equal_counts_give_gaussians_in_the_order_of_kaldi() {
    let scratch = scratch();
    scratch.write("occs", " [ 80 80 80 80 ]\n");
    scratch.sh("gmm-mixup --mix-up=6 --power=1 mdl occs - | gmm-copy --binary=false --copy-tm=false - o").succeeds();
    let text = String::from_utf8(scratch.read("o")).unwrap();
    let sizes =
        text.lines().filter_map(|line| line.strip_prefix("<WEIGHTS>")).map(|line| line.split_whitespace().count() - 2);
    assert_eq!(sizes.collect::<Vec<_>>(), [2, 1, 2, 1]);
}
