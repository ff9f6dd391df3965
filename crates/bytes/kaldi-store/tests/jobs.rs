//! Commands in pieces whose lists or outputs are in a store.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::support::s3::S3;
use crate::support::{fail, scratch, store, succeed};

/// An S3 server, and a folder with a table of six matrices, `f.ark` and `f.scp`.
struct Table {
    s3: S3,
    folder: tempfile::TempDir,
}

impl Table {
    fn new() -> Self {
        let (folder, text) = scratch("f.txt");
        let entries: String = (0..6).map(|at| format!("utt{at}  [\n  {at} 1 \n  2 {at} ]\n")).collect();
        fs::write(text, entries).unwrap();
        let table = Self { s3: S3::start(), folder };
        table.run("copy-feats", &["ark:f.txt", "ark,scp:f.ark,f.scp"]);
        table
    }

    fn run(&self, name: &str, words: &[&str]) -> Vec<u8> {
        succeed(self.s3.tool(name, words).current_dir(self.folder.path()))
    }

    /// `table-jobs`, which finds the tools as its user does.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.s3.tool("table-jobs", words);
        let tools = self.folder.path().join(".tools");
        if !tools.exists() {
            fs::create_dir(&tools).unwrap();
            for name in ["copy-feats", "compute-cmvn-stats", "matrix-sum"] {
                symlink(command.get_program(), tools.join(name)).unwrap();
            }
        }
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", tools.display())).current_dir(self.folder.path());
        command
    }

    /// What a run in pieces writes to standard error.
    fn jobs(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {log}");
        log
    }

    fn here(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.into_string().unwrap()).filter(|name| name != ".tools");
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn objects(&self) -> Vec<String> {
        let mut names = self.s3.objects();
        names.sort();
        names
    }
}

#[test]
fn archives_in_a_store_are_joined() {
    let table = Table::new();
    let words = ["--nj=3", "--", "copy-feats", "scp:f.scp", "ark:s3://bucket/dir/x.ark"];
    let log = table.jobs(&words);
    assert!(log.contains("3 of 3 pieces done (0 before), 6 entries"), "{log}");
    assert!(fs::read(table.s3.object("dir/x.ark")).unwrap() == fs::read(table.folder.path().join("f.ark")).unwrap());
    // The state is beside the list, pieces are gone, and nothing is at the root.
    assert_eq!(table.here(), ["f.ark", "f.scp", "f.txt", "x.jobs"]);
    assert_eq!(fs::read_dir(table.s3.object("dir")).unwrap().count(), 1);
    assert!(!Path::new("/bucket").exists());
    assert!(table.jobs(&words).contains("(3 before)"));
    // Another object of the same size.
    let length = fs::metadata(table.s3.object("dir/x.ark")).unwrap().len();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    fs::write(table.s3.object("dir/x.ark"), vec![0; length as usize]).unwrap();
    table.jobs(&words);
    assert!(fs::read(table.s3.object("dir/x.ark")).unwrap() == fs::read(table.folder.path().join("f.ark")).unwrap());
}

#[test]
fn archives_with_a_script_file_stay_in_pieces_in_a_store() {
    for script in ["local.scp", "s3://bucket/there.scp"] {
        let table = Table::new();
        let output = format!("ark,scp:s3://bucket/x.ark,{script}");
        let words = ["--nj=3", "--", "copy-feats", "scp:f.scp", &output];
        table.jobs(&words);
        let is_local = script == "local.scp";
        let state = if is_local { "local.jobs" } else { "there.jobs" };
        assert!(table.here().contains(&state.to_owned()), "{:?}", table.here());
        let pieces = ["x.1.ark", "x.2.ark", "x.3.ark"].map(str::to_owned).to_vec();
        let expected = if is_local { pieces } else { [vec!["there.scp".to_owned()], pieces].concat() };
        assert_eq!(table.objects(), expected);
        let read = table.run("copy-feats", &[&format!("scp:{script}"), "ark:-"]);
        assert!(read == fs::read(table.folder.path().join("f.ark")).unwrap());
        // A line is taken out, and an object: their pieces run.
        let lines = fs::read_to_string(table.folder.path().join("f.scp")).unwrap();
        let lines: String = lines.split_inclusive('\n').skip(1).collect();
        fs::write(table.folder.path().join("f.scp"), lines).unwrap();
        fs::remove_file(table.s3.object("x.3.ark")).unwrap();
        let log = table.jobs(&words);
        // A script file in the store is not cut again into those of the pieces.
        let before = if is_local { 1 } else { 0 };
        assert!(log.contains(&format!("3 of 3 pieces done ({before} before), 5 entries")), "{log}");
        let read = table.run("copy-feats", &[&format!("scp:{script}"), "ark:-"]);
        assert!(read == table.run("copy-feats", &["scp:f.scp", "ark:-"]));
        // One archive.
        let joined: Vec<&str> = ["--join=true"].into_iter().chain(words).collect();
        table.jobs(&joined);
        assert!(table.objects().contains(&"x.ark".to_owned()) && !table.objects().contains(&"x.1.ark".to_owned()));
        let read = table.run("copy-feats", &[&format!("scp:{script}"), "ark:-"]);
        assert!(read == table.run("copy-feats", &["scp:f.scp", "ark:-"]));
    }
}

#[test]
fn sums_of_pieces_in_a_store_are_added() {
    let table = Table::new();
    table.jobs(&["--nj=3", "--", "compute-cmvn-stats", "scp:f.scp", "s3://bucket/stats"]);
    table.run("compute-cmvn-stats", &["scp:f.scp", "whole"]);
    table.run("table-diff", &["--rtol=1e-4", "whole", "s3://bucket/stats"]);
    assert_eq!(table.objects(), ["stats"]);
}

#[test]
fn lists_in_a_store_are_cut() {
    let table = Table::new();
    let place = |name: &str| table.folder.path().join(name).display().to_string();
    let lines = fs::read_to_string(place("f.scp")).unwrap().replace(" f.ark", &format!(" {}", place("f.ark")));
    fs::write(table.s3.object("f.scp"), &lines).unwrap();
    let words = ["--nj=3", "--", "copy-feats", "scp:s3://bucket/f.scp", "ark,scp:o.ark,o.scp"];
    table.jobs(&words);
    let read = table.run("copy-feats", &["scp:o.scp", "ark:-"]);
    assert!(read == fs::read(place("f.ark")).unwrap());
    assert!(table.jobs(&words).contains("(3 before)"));
    // A line is wrong, and corrected.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    fs::write(table.s3.object("f.scp"), lines.replacen("f.ark:", "g.ark:", 1)).unwrap();
    let line = fail(&mut table.command(&words));
    assert!(line.contains("1 of 3 pieces have failed") && line.contains("s3://bucket/f.scp:1: utt0: "), "{line}");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    fs::write(table.s3.object("f.scp"), &lines).unwrap();
    assert!(table.jobs(&words).contains("3 of 3 pieces done (2 before)"));
    // An archive, and both in the store.
    fs::copy(place("f.ark"), table.s3.object("f.ark")).unwrap();
    table.jobs(&["--nj=2", "--", "copy-feats", "ark:s3://bucket/f.ark", "ark:s3://bucket/g.ark"]);
    assert!(fs::read(table.s3.object("g.ark")).unwrap() == fs::read(place("f.ark")).unwrap());
    assert!(table.here().contains(&"g.jobs".to_owned()), "{:?}", table.here());
    let words = ["--nj=2", "--dir=d", "--", "copy-feats", "ark:s3://bucket/g.ark", "ark:s3://bucket/g.ark"];
    let line = fail(&mut table.command(&words));
    assert!(line.contains("g.ark"), "{line}");
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_runs() {
    let table = Table::new();
    for output in ["ark:http://127.0.0.1:1/x.ark", "ark,scp:hdfs://127.0.0.1:1/x.ark,x.scp", "ark:s3://bucket/x/"] {
        let words = ["--nj=3", "--dir=d", "--", "copy-feats", "scp:f.scp", output];
        let line = fail(&mut table.command(&words));
        assert!(line.contains("cannot write") || line.contains("folder"), "{line}");
        assert!(!table.folder.path().join("d/tries/1.1").exists(), "{output}");
    }
    let words = ["--nj=3", "--dir=s3://bucket/d", "--", "copy-feats", "scp:f.scp", "ark:x.ark"];
    let line = fail(&mut table.command(&words));
    assert!(line.contains("expected --dir to be a folder of a file system, got s3://bucket/d"), "{line}");
    assert_eq!(table.here(), ["d", "f.ark", "f.scp", "f.txt"]);
    // Addresses of files are files.
    let address = format!("ark:file://{}/y.ark", table.folder.path().display());
    table.jobs(&["--nj=3", "--", "copy-feats", "scp:f.scp", &address]);
    assert_eq!(table.here(), ["d", "f.ark", "f.scp", "f.txt", "y.ark", "y.jobs"]);
    assert!(
        succeed(store(&["cat", "y.ark"]).current_dir(table.folder.path()))
            == fs::read(table.folder.path().join("f.ark")).unwrap()
    );
}
