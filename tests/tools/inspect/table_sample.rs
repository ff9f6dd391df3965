use super::tables;

#[test]
fn either_a_number_or_a_fraction_is_given() {
    let scratch = tables();
    for options in ["", "--n=1 --fraction=0.5"] {
        let ran = scratch.sh(&format!("table-sample {options} utt2spk out"));
        ran.fails_with(255).stderr_has("expected either --n or --fraction");
    }
    scratch.sh("table-sample --fraction=1.5 utt2spk out").fails_with(255).stderr_has("from 0 to 1, got 1.5");
}

#[test]
fn the_sample_follows_from_keys_and_seed() {
    let scratch = tables();
    scratch.sh("seq 1000 1999 | sed 's/$/ x/' > a; seq 1999 -1 1000 | sed 's/$/ y z/' > b").succeeds();
    scratch.sh("for t in a b; do table-sample --n=50 $t $t.1; cut -d' ' -f1 $t.1 | sort > $t.2; done").succeeds();
    scratch.sh("cmp a.2 b.2; wc -l < a.2; sort -c a.1").succeeds().stdout_is("50\n");
    scratch.sh("table-sample --n=50 --seed=1 a c; ! cmp -s a.1 c; sort -cu c; wc -l < c").succeeds().stdout_is("50\n");
    scratch
        .sh("for t in a b; do table-sample --fraction=0.1 $t - | cut -d' ' -f1 | sort > $t.3; done; cmp a.3 b.3")
        .succeeds();
    let ran = scratch.sh("n=$(wc -l < a.3); test $n -gt 60 -a $n -lt 140").succeeds();
    assert_eq!(ran.stdout(), b"");
    scratch.sh("table-sample --fraction=1 a - | cmp - a; table-sample --fraction=0 a -").succeeds().stdout_is("");
    scratch.sh("table-sample --n=5000 a - | cmp - a; table-sample --n=0 a -").succeeds().stdout_is("");
}

#[test]
fn archives_of_any_type_are_sampled() {
    let scratch = tables();
    let script = "table-sample --n=2 ark:feats.ark ark,scp:o.ark,o.scp; copy-feats scp:o.scp ark,t:- | grep -c '\\['";
    scratch.sh(script).succeeds().stdout_is("2\n");
    scratch.sh("cat feats.ark | table-sample --n=2 ark:- ark:p.ark; cmp o.ark p.ark").succeeds();
    // What is binary is an archive, without saying so.
    scratch.sh("table-sample --n=2 feats.ark q.ark; cmp o.ark q.ark").succeeds();
    scratch
        .sh("table-sample --n=2 feats.scp q.scp; wc -l < q.scp; cut -d' ' -f1 q.scp o.scp | sort -u | wc -l")
        .succeeds()
        .stdout_is("2\n2\n");
}
