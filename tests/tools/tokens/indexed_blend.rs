use crate::support::Scratch;

#[test]
fn each_sample_is_of_the_dataset_furthest_behind() {
    let scratch = Scratch::new();
    let ran = scratch.sh("indexed-blend --weights=.5,.3,.2 --size=10 --print-indices out");
    ran.succeeds().stdout_is("0 0\n1 0\n2 0\n0 1\n1 1\n0 2\n2 1\n0 3\n1 2\n0 4\n");
    scratch.sh("ls out").succeeds().stdout_is("dataset_index.npy\ndataset_sample_index.npy\n");
    let header = scratch.sh("head -c 75 out/dataset_index.npy | tail -c 65");
    header.succeeds().stdout_is("{'descr': '<i2', 'fortran_order': False, 'shape': (10,), }       ");
}

#[test]
fn weights_and_size_must_make_sense() {
    let scratch = Scratch::new();
    for options in [
        "--weights=a --size=1",
        "--weights=0,1 --size=1",
        "--weights= --size=1",
        "--weights=1 --size=-1",
        "--weights=1",
        "--size=1",
    ] {
        scratch.sh(&format!("indexed-blend {options} out")).fails_with(255).stdout_is("");
    }
    assert_eq!(scratch.list(), [] as [&str; 0]);
}
