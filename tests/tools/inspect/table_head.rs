use super::tables;
use crate::support::{Scratch, tool};

#[test]
fn entries_are_written_as_the_typed_copy_writes_them() {
    let scratch = tables();
    for (table, copy) in [
        ("feats.ark", "copy-feats ark:feats.ark ark,t:-"),
        ("feats.scp", "copy-feats scp:feats.scp ark,t:-"),
        ("ali.ark", "copy-int-vector ark:ali.ark ark,t:-"),
        ("utt2spk", "cat utt2spk"),
    ] {
        let copied = scratch.sh(copy).succeeds();
        scratch.sh(&format!("table-head {table}")).succeeds().stdout_is(copied.stdout());
    }
    scratch.sh("table-head wav.scp").succeeds().stdout_is("rec wave: 8000 Hz, 1 channel, 4000 samples, 0.500 s\n");
}

#[test]
fn n_is_the_number_of_entries_of_each_table() {
    let scratch = tables();
    scratch.sh("table-head --n=1 utt2spk text").succeeds().stdout_is("a x\na two words \n");
    scratch.sh("table-head --n=0 utt2spk").succeeds().stdout_is("");
    scratch.sh("(yes 'a 1' || true) | table-head --n=2 ark:-").succeeds().stdout_is("a 1 \na 1 \n");
    scratch.sh("seq 100 | sed 's/^/a /' > many; table-head many | wc -l").succeeds().stdout_is("10\n");
}

#[test]
fn lines_are_cut_on_a_terminal_only() {
    let scratch = tables();
    scratch.write("long", format!("a {}\n", "7 ".repeat(200)));
    scratch.sh("table-head long | wc -c").succeeds().stdout_is("403\n");
    // script(1) gives the tool a terminal.
    let on_terminal = |options: &str| {
        let command =
            format!("script -qec 'stty cols 40; table-head --print-args=false {options} long' /dev/null | tr -d '\\r'");
        String::from_utf8(scratch.sh(&command).succeeds().stdout().to_vec()).unwrap()
    };
    if tool("table-head").arg("--version").ok().is_ok() && std::path::Path::new("/usr/bin/script").exists() {
        let cut = on_terminal("");
        assert!(cut.trim_end().ends_with("...") && cut.trim_end().len() == 40, "{cut:?}");
        assert!(on_terminal("--full").contains(&"7 ".repeat(200)));
    }
}

#[test]
fn json_has_numbers_and_words() {
    let scratch = tables();
    scratch.sh("table-head --json feats.ark ali.ark text utt2spk | grep '\"a\"'").succeeds().stdout_is(
        "{\"table\":\"feats.ark\",\"key\":\"a\",\"type\":\"matrix\",\"value\":[[0,0.5],[1,0.5],[2,0.5]]}\n\
         {\"table\":\"ali.ark\",\"key\":\"a\",\"type\":\"int32-vector\",\"value\":[1,1,1]}\n\
         {\"table\":\"text\",\"key\":\"a\",\"type\":\"token-vector\",\"value\":[\"two\",\"words\"]}\n\
         {\"table\":\"utt2spk\",\"key\":\"a\",\"type\":\"token\",\"value\":\"x\"}\n",
    );
    scratch.write("nan", "a [ 1 nan inf ]\n");
    scratch.sh("table-head --json nan | grep -o 'value.*'").succeeds().stdout_is("value\":[1,null,null]}\n");
}

#[test]
fn a_single_value_has_no_key() {
    let scratch = tables();
    scratch.write("m", "[ 1 2\n 3 4 ]\n");
    scratch.sh("table-head m").succeeds().stdout_is(" [\n  1 2 \n  3 4 ]\n");
    scratch.sh("table-head 'm[0:0]'").succeeds().stdout_is(" [\n  1 2 ]\n");
    scratch.sh("table-head feats.ark:2").succeeds().stdout_is(" [\n  0 0.5 \n  1 0.5 \n  2 0.5 ]\n");
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let scratch = tables();
    scratch.sh("table-head /nowhere").fails_with(255).stderr_has("cannot open /nowhere");
    scratch.sh("echo 'a [ 1 x ]' > bad; table-head bad").fails_with(255).stderr_has("bad:");
    scratch.sh("gzip -c feats.ark > z; table-head ark:z | head -c 100; true").succeeds();
}

/// A value of unknown type is known to be whole when nothing follows it, wherever its bytes come from.
#[test]
fn values_of_lines_that_are_commands_are_read() {
    let scratch = Scratch::new();
    scratch.write("v.scp", "a printf ' [ 9 9 ]\\n' |\nb printf '1 2 3\\n' |\n");
    let ran = scratch.sh("head -n 1 v.scp | table-head scp:-").succeeds();
    ran.stdout_is("a  [ 9 9 ]\n");
    scratch.sh("tail -n 1 v.scp | table-head scp:-").succeeds().stdout_is("b 1 2 3 \n");
    scratch.sh("tail -n 1 v.scp | table-sort scp:- ark:- | copy-int-vector ark:- ark,t:-").succeeds();
    let ran = scratch.sh("printf 'a printf \" [ 9 9\" |\\n' | cat - v.scp | head -n 2 | table-head scp:- | cut -c1");
    ran.fails_with(1).stdout_is("a\n").stderr_has("got the end of the input").stderr_has("1 entry was left out");
    scratch.sh("echo 'a nowhere' > n.scp; table-head n.scp").fails_with(1).stderr_has("cannot open nowhere");
}
