//! A name means the same wherever it stands.

use crate::support::Scratch;

/// Vectors in a folder with a blank in its name, which addresses write as `%20`.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let script = "mkdir 'a b' && printf 'u1 [ 1 2 ]\\nu2 [ 3 4 ]\\n' > 'a b/x.ark' && \
                  for begin in file: file:// file://localhost; do echo \"u1 $begin$PWD/a%20b/x.ark:3[1:1]\"; done > all.scp";
    scratch.sh(script).succeeds();
    scratch
}

#[test]
fn addresses_of_files_mean_the_same_everywhere() {
    let scratch = scratch();
    scratch.sh("copy-vector scp:all.scp ark,t:-").succeeds().stdout_is("u1  [ 2 ]\n".repeat(3));
    scratch.sh("table-head scp:all.scp").succeeds().stdout_is("u1  [ 2 ]\n".repeat(3));
    for begin in ["file:", "file://", "file://localhost"] {
        let name = format!("{begin}$PWD/a%20b/x.ark");
        scratch.sh(&format!("copy-vector ark:{name} ark,t:- | head -n1")).succeeds().stdout_is("u1  [ 1 2 ]\n");
        scratch.sh(&format!("copy-vector --binary=false {name}:3 -")).succeeds().stdout_is(" [ 1 2 ]\n");
        scratch.sh(&format!("table-head ark:{name} | head -n1")).succeeds().stdout_is("u1  [ 1 2 ]\n");
        let by_key = format!("echo u1 {name}:3 > one.scp && vector-sum scp:one.scp scp:one.scp ark,t:-");
        scratch.sh(&by_key).succeeds().stdout_is("u1  [ 2 4 ]\n");
        scratch.sh(&format!("copy-vector --binary=false {name}:3 {begin}$PWD/a%20b/out")).succeeds();
        scratch.sh("cat 'a b/out' && rm 'a b/out'").succeeds().stdout_is(" [ 1 2 ]\n");
        let shard = format!(
            "tar -C 'a b' -cf 'a b/x.tar' x.ark && echo {begin}$PWD/a%20b/x.tar > list && list-shards list | cut -d' ' -f1"
        );
        scratch.sh(&shard).succeeds().stdout_is("x\n");
    }
}

#[test]
fn an_address_of_a_file_has_an_absolute_path() {
    let scratch = scratch();
    scratch.sh("echo u1 file://x.ark:3 > bad.scp && echo file://x.tar > list").succeeds();
    for command in [
        "copy-vector ark:file://x.ark ark,t:-",
        "copy-vector scp:bad.scp ark,t:-",
        "list-shards list",
        "list-shards file://x.tar",
    ] {
        scratch.sh(command).fails_with(255).stderr_has("expected an absolute path after file://");
    }
    scratch.sh("table-head scp:bad.scp").fails_with(1).stderr_has("expected an absolute path after file://");
    scratch
        .sh("cp 'a b/x.ark' file:x.ark && table-head ark:file:x.ark | head -n1")
        .succeeds()
        .stdout_is("u1  [ 1 2 ]\n");
}

#[test]
fn brackets_that_make_no_sense_are_refused_everywhere() {
    let scratch = scratch();
    scratch.sh("echo 'u1 all.scp[0][1]' > bad.scp && echo 'batch_conf: {batch_size: 1}' > feed.yaml").succeeds();
    for command in [
        "copy-matrix scp:bad.scp ark:-",
        "copy-matrix 'all.scp[0][1]' -",
        "table-head scp:bad.scp",
        "table-head 'all.scp[]'",
        "feed-batches --labels=none --conf=feed.yaml --data-type=table scp:bad.scp out",
    ] {
        scratch.sh(command).stderr_has("cannot make sense of the range of");
    }
}
