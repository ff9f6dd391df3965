use super::tables;

#[test]
fn keys_of_every_kind_of_table_are_listed() {
    let scratch = tables();
    for table in ["feats.ark", "feats.scp", "ark:feats.ark", "scp:feats.scp", "ark:cat feats.ark |"] {
        scratch.sh(&format!("table-keys '{table}'")).succeeds().stdout_is("a\nb\nc\n");
    }
    scratch.sh("table-keys ali.ark wav.scp").succeeds().stdout_is("a\nb\nrec\n");
}

#[test]
fn columns_come_in_one_order_whatever_is_asked_first() {
    let scratch = tables();
    let expected = "a\t2\t39\t3x2\nb\t43\t23\t1x2\nc\t68\t31\t2x2\n";
    scratch.sh("table-keys --dims --sizes --offsets feats.ark").succeeds().stdout_is(expected);
    scratch.sh("table-keys --offsets --sizes --dims feats.scp").succeeds().stdout_is(expected);
    scratch.sh("table-keys --dims ali.ark").succeeds().stdout_is("a\t3\nb\t1\n");
    scratch.sh("table-keys --dims text").succeeds().stdout_is("a\t2\nb\t1\n");
    scratch.sh("table-keys --dims utt2spk").succeeds().stdout_is("a\t-\nb\t-\nc\t-\n");
    scratch.sh("table-keys --sizes --dims wav.scp").succeeds().stdout_is("rec\t8044\t4000x1\n");
}

#[test]
fn json_has_what_is_asked_for() {
    let scratch = tables();
    let ran = scratch.sh("table-keys --json --dims --offsets ali.ark | head -n 1");
    ran.succeeds().stdout_is("{\"table\":\"ali.ark\",\"key\":\"a\",\"offset\":2,\"dims\":[3]}\n");
    scratch.sh("table-keys --json ali.ark | tail -n 1").succeeds().stdout_is("{\"table\":\"ali.ark\",\"key\":\"b\"}\n");
}

#[test]
fn values_are_not_looked_for_where_only_keys_are_wanted() {
    let scratch = tables();
    scratch.write("gone.scp", "a gone.ark:5\nb exit 3 |\n");
    scratch.sh("table-keys gone.scp").succeeds().stdout_is("a\nb\n");
    scratch.sh("table-keys --sizes gone.scp").fails_with(1).stderr_has("gone.scp:1: a: cannot open gone.ark");
}

#[test]
fn a_cut_archive_is_an_error_after_its_whole_entries() {
    let scratch = tables();
    scratch
        .sh("head -c 70 feats.ark > cut.ark; table-keys cut.ark")
        .fails_with(255)
        .stdout_is("a\nb\n")
        .stderr_has("cut.ark:");
    scratch.sh("table-keys .").fails_with(255).stderr_has("is a folder");
}
