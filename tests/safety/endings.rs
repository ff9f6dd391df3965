use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix};

/// A folder with an archive of 40 matrices (about 1 MB).
fn with_archive() -> Scratch {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..40).map(|i| format!("utt{i:02}")).collect();
    let entries: Vec<_> = keys.iter().enumerate().map(|(i, key)| (key.as_str(), matrix(i as u64, 160, 40))).collect();
    scratch.write("m.ark", binary_archive(&entries));
    scratch
}

#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    let scratch = with_archive();
    let full = |target: &str| format!("copy-matrix ark:m.ark {target}");
    scratch.sh(&full("ark:/dev/full")).fails_with(255).stderr_has("cannot write /dev/full: No space left on device");
    scratch.sh(&full("ark,t:/dev/full")).fails_with(255).stderr_has("No space left on device");
    scratch.sh(&full("ark,scp:o.ark,/dev/full")).fails_with(255).stderr_has("No space left on device");
    scratch.sh(&full("ark:- > /dev/full")).fails_with(255).stderr_has("cannot write standard output");
    scratch.sh(&full("'ark:| cat > /dev/full'")).fails_with(255);
    // A file size limit replaces a disk that fills up halfway.
    let limited = "ulimit -f 100; trap '' XFSZ; copy-matrix ark:m.ark ark,scp:o.ark,o.scp";
    scratch.sh(limited).fails_with(255).stderr_has("cannot write o.ark: File too large");
    assert_eq!(scratch.list(), ["m.ark"]);
}

#[test]
fn a_closed_standard_output_is_an_error() {
    with_archive().sh("copy-matrix ark:m.ark ark:- >&-").fails_with(255);
}

#[test]
fn a_reader_of_standard_output_that_goes_away_ends_the_tool_as_every_filter() {
    let scratch = with_archive();
    scratch.sh("copy-matrix ark:m.ark ark,t:- | head -n 1").fails_with(141);
    // What the tool was writing besides is not half there.
    scratch.sh("copy-matrix ark:m.ark ark,scp,t:- 2> /dev/null | head -n 1; true").succeeds();
    assert_eq!(scratch.list(), ["m.ark"]);
}

#[test]
fn a_child_killed_halfway_on_the_input_side_is_an_error() {
    let scratch = with_archive();
    for command in ["head -c 500000 m.ark; kill -9 $$", "head -c 500000 m.ark; exit 3", "cat m.ark; kill -TERM $$"] {
        let script = format!("cp m.ark out.ark; copy-matrix 'ark:{command} |' ark:out.ark; echo $?; cmp m.ark out.ark");
        scratch.sh(&script).succeeds().stdout_is("255\n").stderr_has("had nonzero return status");
        scratch.sh(&format!("copy-matrix 'ark,p:{command} |' ark:/dev/null")).succeeds().stderr_has("WARNING");
    }
}

#[test]
fn a_child_killed_halfway_on_the_output_side_is_an_error() {
    let scratch = with_archive();
    let killed = "copy-matrix ark:m.ark 'ark:| head -c 100000 > part; kill -9 $$'";
    scratch.sh(killed).fails_with(255).stderr_has("killed by signal 9");
    scratch.sh("copy-matrix ark:m.ark 'ark,t:| head -c 100000 > part'").fails_with(255).stderr_has("Broken pipe");
    scratch.sh("copy-matrix ark:m.ark 'ark:| cat > all; exit 4'").fails_with(255).stderr_has("exit status 4");
    scratch.sh("copy-matrix ark:m.ark 'ark,p:| cat > all; exit 4'").succeeds().stderr_has("WARNING");
    scratch.sh("cmp m.ark all").succeeds();
}

#[test]
fn reading_and_writing_the_same_file_is_safe() {
    let scratch = with_archive();
    scratch.sh("cp m.ark n.ark; copy-matrix ark:n.ark ark:n.ark && cmp m.ark n.ark").succeeds();
    scratch.sh("copy-matrix ark:n.ark ark,t:n.ark && copy-matrix ark:n.ark ark,t:- | cmp - n.ark").succeeds();
}

#[test]
fn a_symbolic_link_stays_and_its_target_is_replaced() {
    let scratch = with_archive();
    scratch.sh("mkdir disk; ln -s disk/real.ark link.ark; copy-matrix ark:m.ark ark:link.ark").succeeds();
    scratch.sh("test -L link.ark && cmp m.ark disk/real.ark && ls -A disk").succeeds().stdout_is("real.ark\n");
    scratch.sh("copy-matrix ark:m.ark ark,t:link.ark && test -L link.ark && ! cmp -s m.ark disk/real.ark").succeeds();
}

#[test]
fn a_fifo_is_written_in_place() {
    let scratch = with_archive();
    scratch.sh("mkfifo f; cat f > got & copy-matrix ark:m.ark ark:f; wait; cmp m.ark got && test -p f").succeeds();
}

#[test]
fn a_tool_that_is_killed_leaves_nothing() {
    let scratch = with_archive();
    // Not HUP, which is ignored below `nohup`.
    for signal in ["USR1", "TERM", "KILL"] {
        // The input goes on until the tool is gone, so that it cannot end well before the signal reaches it.
        let script = format!(
            "mkfifo f; copy-matrix ark:f ark,scp:o.ark,o.scp & \
             (cat m.ark; kill -{signal} $!; while kill -0 $!; do sleep 0.01; done) > f 2> /dev/null; wait; rm f"
        );
        scratch.sh(&script).succeeds();
        assert_eq!(scratch.list(), ["m.ark"], "{signal}");
    }
}

#[test]
fn an_archive_and_its_script_file_need_two_names() {
    let scratch = with_archive();
    scratch
        .sh("copy-matrix ark:m.ark ark,scp:x,x")
        .fails_with(255)
        .stderr_has("two outputs have the name x: one of them would be lost");
    assert_eq!(scratch.list(), ["m.ark"]);
}
