use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use crate::support::sample::{binary_archive, matrix};
use crate::support::{Scratch, shell};

/// A folder with an archive of two matrices.
fn with_archive() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 30, 4)), ("b", matrix(2, 20, 4))]));
    scratch
}

/// The start of a command line that another user runs in this folder; `None` if that is not possible.
fn as_other_user(scratch: &Scratch) -> Option<String> {
    let user = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    fs::set_permissions(scratch.path("."), fs::Permissions::from_mode(0o755)).unwrap();
    // The program is copied: it may be in a folder that others may not enter. Not by this process: what one of its threads
    // writes may be open in what another one starts, and cannot be run then.
    scratch.sh(&format!("cp '{}' copy-matrix", shell::program().display())).succeeds();
    let script = format!("{user} {} --version", scratch.path("copy-matrix").display());
    let possible = Command::new("sh").args(["-c", &script]).output().is_ok_and(|output| output.status.success());
    possible.then(|| format!("{user} ./copy-matrix "))
}

/// The start of a command line that may mount folders; `None` if that is not possible.
fn with_mounts() -> Option<&'static str> {
    let possible = Command::new("unshare").args(["-rm", "true"]).output().is_ok_and(|output| output.status.success());
    possible.then_some("unshare -rm bash -c")
}

#[test]
fn two_outputs_on_one_file_are_refused_before_anything_is_read() {
    let scratch = with_archive();
    scratch.sh("echo old > s; ln -s s soft; ln s hard; ln -s new dangling; mkdir sub; ln -s . sub/here").succeeds();
    let read = "'ark:touch was-read; cat m.ark |'";
    for (options, target) in [
        ("", "ark,scp:s,s"),
        ("", "ark,scp:s,./s"),
        ("", "ark,scp:s,soft"),
        ("", "ark,scp:s,hard"),
        ("", "ark,scp:new,dangling"),
        ("", "ark,t,scp:new,sub/here/../new"),
        ("--write-num-frames=ark,t:new", "ark:./new"),
        ("--write-num-frames=ark,t:new", "ark,scp:x,new"),
        ("--write-num-frames=ark,t:/dev/stdout", "ark:- > new"),
        ("", "ark,scp:/dev/fd/1,- > new"),
        ("", "ark,scp:new,- > new"),
    ] {
        let ran = scratch.sh(&format!("copy-feats {options} {read} {target}")).fails_with(255);
        ran.stderr_has("one of them would be lost; give each a file of its own");
        assert!(!scratch.list().contains(&"was-read".to_owned()), "{options} {target}");
        scratch.sh("grep -qx old s && rm -f new").succeeds();
    }
    scratch.write("v.ark", "u  [ 1 2 ]\n").write("spk2utt", "s u\n");
    scratch
        .sh("ivector-mean ark:spk2utt ark:v.ark ark:o ark,t:o")
        .fails_with(255)
        .stderr_has("two outputs have the name o:");
    scratch.sh("ivector-mean ark:spk2utt ark:v.ark ark:o ark,t:n; cat n").succeeds().stdout_is("s 1 \n");
}

#[test]
fn devices_and_pipes_take_several_outputs() {
    let scratch = with_archive();
    scratch.sh("copy-feats --write-num-frames=ark:/dev/null ark:m.ark ark,scp:/dev/null,/dev/null").succeeds();
    scratch.sh("copy-feats --write-num-frames=ark:/dev/null ark:m.ark ark:/dev/null").succeeds();
    scratch.sh("copy-feats '--write-num-frames=ark:| cat > /dev/null' ark:m.ark 'ark:| cat > /dev/null'").succeeds();
    for stdout in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let both = format!("copy-feats --write-num-frames=ark,t:{stdout} ark:m.ark ark,t:- | grep -c '^[ab] '");
        scratch.sh(&both).succeeds().stdout_is("4\n");
    }
}

#[test]
fn every_name_of_standard_output_means_the_same_stream() {
    let scratch = with_archive();
    scratch.sh("ln -s /dev/stdout link").succeeds();
    for stdout in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"] {
        // Another stream of the same file would start at its start.
        let script = format!("(echo first; copy-feats ark:m.ark ark:{stdout}) > o; (echo first; cat m.ark) | cmp - o");
        scratch.sh(&script).succeeds();
    }
}

#[test]
fn an_input_that_an_output_in_place_would_empty_is_refused() {
    let scratch = with_archive();
    scratch.sh("cp m.ark n.ark; ln -s n.ark l.ark; copy-matrix ark:n.ark ark,scp:c.ark,c.scp").succeeds();
    scratch.sh("sed s/c.ark/n.ark/ c.scp > n.scp; sed 's/$/[0:1]/' n.scp > r.scp; cp n.scp s.scp").succeeds();
    for names in [
        "ark:n.ark ark,f:n.ark",
        "ark:l.ark ark,t,f:./n.ark",
        "ark:n.ark ark,f,scp:x.ark,n.ark",
        "ark:n.ark ark:/dev/fd/3 3<> n.ark",
        "ark:- ark,f:n.ark < n.ark",
        "ark:n.ark ark:- >> n.ark",
        "scp:s.scp ark,f,scp:x.ark,s.scp",
        "scp:n.scp ark,f:n.ark",
        "scp,p:r.scp ark,f:l.ark",
        "scp:n.scp ark:/dev/fd/3 3<> n.ark",
    ] {
        let ran = scratch.sh(&format!("copy-feats {names}")).fails_with(255);
        ran.stderr_has("written in place");
        scratch.sh("cmp m.ark n.ark && cmp n.scp s.scp").succeeds();
    }
    scratch.sh("copy-feats scp:c.scp ark,f:n.ark && cmp m.ark n.ark").succeeds();
    scratch.sh("copy-feats scp:n.scp ark:n.ark && copy-feats ark:n.ark ark:n.ark && cmp m.ark n.ark").succeeds();
}

#[test]
fn a_file_in_a_folder_that_may_not_be_written_is_written_in_place() {
    let scratch = with_archive();
    let Some(tool) = as_other_user(&scratch) else { return };
    scratch.sh("mkdir closed; cp m.ark closed/; chmod 666 closed/m.ark; chmod 644 m.ark").succeeds();
    let ran = scratch.sh(&format!("{tool} ark:closed/m.ark ark:closed/m.ark")).fails_with(255);
    ran.stderr_has("written in place");
    scratch
        .sh(&format!("cmp m.ark closed/m.ark && {tool} ark:m.ark ark,t:closed/m.ark && {tool} ark:closed/m.ark ark:-"))
        .succeeds();
}

#[test]
fn another_users_file_in_a_sticky_folder_is_written_in_place() {
    let scratch = with_archive();
    let Some(tool) = as_other_user(&scratch) else { return };
    scratch.sh("mkdir -m 1777 shared; echo old > shared/o; chmod 666 shared/o; chmod 644 m.ark").succeeds();
    let inode = fs::metadata(scratch.path("shared/o")).unwrap().ino();
    scratch
        .sh(&format!("{tool} ark:m.ark ark:shared/o && cmp m.ark shared/o && ls -A shared"))
        .succeeds()
        .stdout_is("o\n");
    assert_eq!(fs::metadata(scratch.path("shared/o")).unwrap().ino(), inode);
}

#[test]
fn a_file_that_something_is_mounted_on_is_written_in_place() {
    let Some(mounts) = with_mounts() else { return };
    let scratch = with_archive();
    scratch.sh("echo old > o; echo old > behind; mkdir sub").succeeds();
    let script = format!("{mounts} 'mount --bind behind o && copy-matrix ark:m.ark ark,scp:o,o.scp'");
    scratch.sh(&script).succeeds();
    scratch.sh("cmp m.ark behind && grep -qx old o && ls -A").succeeds().stdout_is("behind\nm.ark\no\no.scp\nsub\n");
    let same = format!("{mounts} 'mount --bind m.ark o && copy-matrix ark:m.ark ark:o'");
    scratch.sh(&same).fails_with(255).stderr_has("written in place");
}

#[test]
fn files_get_their_names_without_proc() {
    let Some(mounts) = with_mounts() else { return };
    let scratch = with_archive();
    let script = format!("{mounts} 'mount -t tmpfs none /proc && copy-matrix ark:m.ark ark,scp:o.ark,o.scp'");
    scratch.sh(&script).succeeds();
    scratch.sh("cmp m.ark o.ark; ls -A").succeeds().stdout_is("m.ark\no.ark\no.scp\n");
}

#[test]
fn a_file_that_is_replaced_keeps_its_owner_and_group() {
    let scratch = with_archive();
    if as_other_user(&scratch).is_none() {
        return;
    }
    scratch.sh("echo old > o; chmod 640 o; chown 65534:12345 o; copy-matrix ark:m.ark ark:o && cmp m.ark o").succeeds();
    let kept = fs::metadata(scratch.path("o")).unwrap();
    assert_eq!((kept.uid(), kept.gid(), kept.mode() & 0o7777), (65534, 12345, 0o640));
}

#[test]
fn an_archive_and_its_script_file_are_of_one_writer() {
    let scratch = with_archive();
    // The values of each writer have another size, and so its script file other offsets.
    let script = "for i in $(seq 12); do echo \"a$(seq -s '' $((i * 100))) [ 1 ]\"; echo \"b [ $i ]\"; done | \
         split --lines=2 - in; for i in in*; do copy-vector ark:$i ark,scp:o.ark,o.scp & done; wait; rm in*";
    for _ in 0..5 {
        scratch.sh(script).succeeds();
        scratch.sh("copy-vector scp:o.scp ark:c.ark && cmp c.ark o.ark").succeeds();
    }
    assert_eq!(scratch.list(), ["c.ark", "m.ark", "o.ark", "o.scp"]);
}

#[test]
fn a_key_that_leads_out_of_the_folder_is_skipped_and_counted() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "../x  [ 1 2 ]\na  [ 1 2 ]\nsub/../../x  [ 1 2 ]\nsub/b  [ 1 2 ]\n..  [ 1 2 ]\n");
    for tool in ["copy-feats-to-htk", "copy-feats-to-sphinx"] {
        let ran = scratch.sh(&format!("mkdir -p out/sub; {tool} --output-ext=e --output-dir=out ark:f.ark"));
        let ran = ran.fails_with(1).stderr_has("\"../x\" is skipped").stderr_has("\"sub/../../x\" is skipped");
        ran.stderr_has("3 ");
        scratch
            .sh("(cd out; find . -type f | sort); rm -r out; ls")
            .succeeds()
            .stdout_is("./...e\n./a.e\n./sub/b.e\nf.ark\n");
    }
}

#[test]
fn a_run_that_reads_or_writes_nothing_says_so() {
    let scratch = with_archive();
    scratch.write("none", "").write("typo", "nobody\n");
    for (command, code, warning) in [
        ("copy-matrix ark:none ark:o", 1, "no entry was read from ark:none, and none was written to ark:o\n"),
        (
            "copy-feats scp:none ark,scp:o,p",
            1,
            "no entry was read from scp:none, and none was written to ark,scp:o,p\n",
        ),
        (
            "subset-feats --include=typo ark:m.ark ark:o",
            1,
            "none of the entries read from ark:m.ark (2) was written to ark:o\n",
        ),
        ("matrix-sum ark:none o.mat", 1, "no entry was read from ark:none for o.mat\n"),
        ("feat-to-len ark:none", 0, "no entry was read from ark:none\n"),
        ("ark-to-scp none o.scp", 1, "nothing was found in none for o.scp\n"),
        ("concat-ark none ark:o", 1, "no entry was read from none, and none was written to ark:o\n"),
    ] {
        let ran = scratch.sh(command);
        let ran = if code == 0 { ran.succeeds() } else { ran.fails_with(code) };
        ran.stderr_has("WARNING (").stderr_has(warning);
    }
    for command in
        ["copy-matrix ark:m.ark ark:o", "feat-to-len ark:m.ark", "feat-to-dim ark:m.ark -", "ark-to-scp m.ark m.scp"]
    {
        scratch.sh(&format!("{command} 2>&1 | grep WARNING; test ${{PIPESTATUS[0]}} = 0")).succeeds().stdout_is("");
    }
}

#[test]
fn input_and_output_that_seem_swapped_are_asked_about() {
    let scratch = with_archive();
    scratch.sh("copy-matrix ark:m.ark ark,scp:a.ark,a.scp").succeeds();
    for (arguments, code) in [
        ("ark,t:- ark:a.ark", 1),
        ("ark,scp:b.ark,b.scp ark:a.ark", 255),
        ("ark:b.ark scp:a.scp", 255),
        ("ark:b.ark ark:a.ark", 255),
        ("b.mat a.ark", 255),
    ] {
        let ran = scratch.sh(&format!("copy-matrix {arguments}")).fails_with(code);
        ran.stderr_has("were input and output swapped?\n");
    }
    scratch.sh("copy-matrix ark:m.ark ark:a.ark; copy-matrix ark:b.ark ark:c.ark 2>&1 | grep -c swapped").fails_with(1);
    // Nobody swapped anything: the command before has failed.
    scratch.sh("copy-matrix ark:- ark:a.ark 2>&1 < /dev/null | grep -c swapped").fails_with(1).stdout_is("0\n");
}
