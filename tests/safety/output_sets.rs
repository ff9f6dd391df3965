use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix};
use crate::tools::egs;

/// Runs a command whose last output fails, in forms of failure: its other outputs must not be there, or have what was there.
#[track_caller]
fn none_appears(scratch: &Scratch, command: &str, outputs: &[&str]) {
    for failing in ["/dev/full", "'| cat > /dev/null; exit 3'", "nowhere/x"] {
        for old in [None, Some("old")] {
            for output in outputs {
                match old {
                    None => _ = std::fs::remove_file(scratch.path(output)),
                    Some(old) => _ = scratch.write(output, old),
                }
            }
            let before = scratch.list();
            scratch.sh(&command.replace("FAILS", failing)).fails_with(255);
            assert_eq!(scratch.list(), before, "{command} {failing}");
            for output in outputs.iter().filter(|_| old.is_some()) {
                assert_eq!(scratch.read(output), b"old", "{command} {failing}");
            }
        }
    }
    // Without a failure, all of them are there.
    scratch.sh(&command.replace("FAILS", "last.out")).succeeds();
    let listed = scratch.list();
    assert!(outputs.iter().chain(&["last.out"]).all(|output| listed.contains(&(*output).to_owned())), "{listed:?}");
}

#[test]
fn outputs_of_one_run_appear_all_or_none() {
    let scratch = Scratch::new();
    egs::small(&scratch);
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 30, 4)), ("b", matrix(2, 20, 4))]));
    scratch.write("lats", "a \n0 1 5 1,2,3_3\n1 2 6 1,1,4\n2\n\nb \n0 1 8 1,1,6\n1\n\n");
    scratch.write("spk2utt", "s a b\n");
    scratch.write(
        "v.ark",
        binary_archive(&[("a", Sample::Vector(vec![1.0, 2.0])), ("b", Sample::Vector(vec![3.0, 4.0]))]),
    );
    for (command, outputs) in [
        ("nnet3-copy-egs ark:small.egs ark:1.out ark:2.out ark:FAILS", &["1.out", "2.out"][..]),
        ("nnet3-copy-egs --random=true ark:small.egs ark,scp:1.out,1.scp ark,t:FAILS", &["1.out", "1.scp"]),
        ("nnet3-copy-egs ark:small.egs ark,scp:1.out,FAILS", &["1.out"]),
        ("copy-feats --write-num-frames=ark,t:FAILS ark:m.ark ark:1.out", &["1.out"]),
        ("copy-feats --write-num-frames=ark,t:1.out ark:m.ark ark:FAILS", &["1.out"]),
        ("lattice-best-path ark:lats ark:1.out ark:FAILS", &["1.out"]),
        ("lattice-mbr-decode ark:lats ark:1.out ark:2.out ark:3.out ark:FAILS", &["1.out", "2.out", "3.out"]),
        ("lattice-to-post ark:lats ark:1.out ark:FAILS", &["1.out"]),
        ("nbest-to-linear ark:lats ark:1.out ark:2.out ark:3.out ark:FAILS", &["1.out", "2.out", "3.out"]),
        ("ivector-mean ark:spk2utt ark:v.ark ark:1.out ark,t:FAILS", &["1.out"]),
    ] {
        none_appears(&scratch, command, outputs);
    }
}

/// Names with numbers in them are several outputs of one option.
#[test]
fn outputs_of_one_name_appear_all_or_none() {
    let scratch = Scratch::new();
    scratch.write("lats", "a \n0 1 5 1,2,3_3\n1\n\n");
    scratch.sh("ln -s /dev/full 3.out").succeeds();
    let command = "lattice-score --inv-acwt=1:3 --penalty=0 --write-text=%LMWT.out ark:lats";
    scratch.sh(command).fails_with(255);
    assert_eq!(scratch.list(), ["3.out", "lats"]);
    scratch.sh("rm 3.out").succeeds();
    scratch.sh(command).succeeds();
    assert_eq!(scratch.list(), ["1.out", "2.out", "3.out", "lats"]);
}
