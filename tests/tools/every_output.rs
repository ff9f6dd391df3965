//! What holds for the outputs of every tool: the registry lists them.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::Scratch;
use crate::support::registry::{self, Tool};
use crate::support::signal;
use crate::support::tar::shard;

const OLD: &str = "old content\n";

/// A command line with empty inputs, and the outputs of its arguments and options, which are there.
fn on_empty_inputs(scratch: &Scratch, tool: &Tool, input: &str, output: &str) -> (String, Vec<String>) {
    let (mut words, mut outputs) = (vec![tool.name.clone()], Vec::new());
    for option in tool.options.iter().filter(|option| option.role.as_deref() == Some("output")) {
        let name = format!("out-{}", option.name);
        words.push(format!("--{}={output}{name}", option.name));
        outputs.push(name);
    }
    for (index, argument) in tool.arguments.iter().enumerate().filter(|(_, argument)| argument.required) {
        words.push(match argument.role.as_deref() {
            Some("input") => {
                scratch.write(&format!("in-{index}"), "");
                format!("{input}in-{index}")
            }
            Some(_) => {
                outputs.push(format!("out-{index}"));
                format!("{output}out-{index}")
            }
            None => "1".to_owned(),
        });
    }
    for name in &outputs {
        scratch.write(name, OLD);
    }
    (words.join(" "), outputs)
}

/// In Kaldi, such a run leaves an empty output.
#[test]
fn what_is_there_stays_if_nothing_is_read() {
    let (tools, next, kept) = (registry::tools(), AtomicUsize::new(0), AtomicUsize::new(0));
    let check = |tool: &Tool| {
        let reads_something = tool.arguments.iter().any(|argument| argument.role.as_deref() == Some("input"));
        for input in ["ark:", ""].into_iter().filter(|_| reads_something) {
            for output in ["ark:", "ark,t:", ""] {
                let scratch = Scratch::new();
                let (line, outputs) = on_empty_inputs(&scratch, tool, input, output);
                scratch.sh(&format!("{line} < /dev/null 2> log || echo $? > status")).succeeds();
                let has_failed = scratch.list().contains(&"status".to_owned());
                let log = String::from_utf8_lossy(&scratch.read("log")).into_owned();
                // Some tools of Kaldi take an empty table for a success, but not if there is something to lose.
                for name in outputs.iter().filter(|_| has_failed || input == "ark:") {
                    assert_eq!(scratch.read(name), OLD.as_bytes(), "{line}: {name}");
                }
                kept.fetch_add(usize::from(log.contains("stays as it was")), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(tool) = tools.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(tool);
                }
            });
        }
    });
    let kept = kept.into_inner();
    assert!(kept > 100, "{kept}");
}

#[test]
fn an_empty_output_appears_if_none_was_there() {
    let scratch = Scratch::new();
    scratch.sh("false | copy-feats ark:- ark,scp:new.ark,new.scp").fails_with(1);
    assert_eq!((scratch.read("new.ark"), scratch.read("new.scp")), (Vec::new(), Vec::new()));
    // An empty file has nothing to lose.
    scratch.sh("false | copy-feats ark:- ark:new.ark").fails_with(1).stderr_lacks("stays");
    scratch.sh("splice-feats ark:- ark:new.ark < /dev/null").succeeds().stderr_lacks("stays");
}

/// Kaldi's tools end with 0 if their tables are empty; then the old output would pass for the new one.
#[test]
fn a_tool_whose_output_stays_has_not_succeeded() {
    let scratch = Scratch::new();
    scratch.write("old", OLD);
    let expected = "no entry was read from ark:-, and none was written to ark:old; old stays as it was";
    for tool in ["add-deltas", "add-deltas-sdc", "splice-feats", "subset-feats"] {
        scratch.sh(&format!("false | {tool} ark:- ark:old")).fails_with(1).stderr_has(expected);
        scratch.sh(&format!("{tool} ark:- ark:new < /dev/null && rm new")).succeeds();
        assert_eq!(scratch.read("old"), OLD.as_bytes(), "{tool}");
    }
    // All entries fail.
    scratch.write("ali", "a 1 2\n").write("post", "b [ 1 0.5 ] [ 2 0.5 ]\n");
    scratch.sh("get-post-on-ali ark:post ark:ali ark:old").fails_with(1).stderr_has("old stays as it was");
    scratch.sh("get-post-on-ali ark:post ark:ali ark:new").succeeds();
    assert_eq!((scratch.read("old"), scratch.read("new")), (OLD.as_bytes().to_vec(), Vec::new()));
}

#[test]
fn large_outputs_of_nothing_replace_nothing() {
    let scratch = Scratch::new();
    scratch.write("old", OLD);
    scratch
        .sh("analyze-counts --counts-dim=5000 ark:- old < /dev/null")
        .fails_with(1)
        .stderr_has("old stays as it was");
    scratch.sh("analyze-counts --counts-dim=5000 ark:- new < /dev/null").succeeds();
    assert_eq!((scratch.read("old"), scratch.read("new").len()), (OLD.as_bytes().to_vec(), 20005));
}

#[test]
fn a_good_output_stays_and_the_warning_says_so() {
    let scratch = Scratch::new();
    scratch.write("good.ark", "a 1\n").write("good.scp", "a good.ark:2\n");
    let expected = "no entry was read from ark:-, and none was written to ark,scp:good.ark,good.scp; good.ark, \
                    good.scp stays as it was";
    scratch.sh("false | copy-int-vector ark:- ark,scp:good.ark,good.scp").fails_with(1).stderr_has(expected);
    assert_eq!((scratch.read("good.ark"), scratch.read("good.scp")), (b"a 1\n".to_vec(), b"a good.ark:2\n".to_vec()));
    // A matrix of no rows, as Kaldi writes it.
    scratch.sh("false | matrix-sum --binary=false ark:- new; false | matrix-sum ark:- good.ark").fails_with(1);
    assert_eq!((scratch.read("new"), scratch.read("good.ark")), (b" [ ]\n".to_vec(), b"a 1\n".to_vec()));
    assert_eq!(scratch.list(), ["good.ark", "good.scp", "new"]);
}

/// Command lines of all tools that Kaldi does not have and that write files; OUT is a file that is there. Tools whose
/// outputs are other things than named files have tests of their own.
pub const LINES: [(&str, &str); 32] = [
    ("find-copies", "scp:wav.scp OUT"),
    ("ark-to-scp", "a.ark b.ark OUT"),
    ("concat-ark", "a.ark b.ark ark:OUT"),
    ("feats-to-png", "ark:a.ark OUT.png"),
    ("table-export", "--format=csv ark:a.ark OUT"),
    ("table-get", "--to=ark:OUT a.ark u1"),
    ("table-import", "a.jsonl ark:OUT"),
    ("table-sample", "--n=1 ark:a.ark ark:OUT"),
    ("table-report", "a.ark OUT"),
    ("table-stats", "--plot=OUT.png a.ark"),
    ("apply-transform", "lda.mat ark:a.ark ark:OUT"),
    ("batch-utts", "ark:frames ark,t:OUT"),
    ("filter-utts", "--utt2num-frames=ark:frames --min-length=1 a.scp OUT"),
    ("pad-feats", "--num-frames=9 ark:a.ark ark:OUT"),
    ("perturb-wav-speed", "--speeds=0.9 scp:wav.scp ark:OUT"),
    ("resample-wav", "--resample-rate=4000 scp:wav.scp ark:OUT"),
    ("spec-augment-feats", "ark:a.ark ark:OUT"),
    ("table-shuffle", "a.scp OUT"),
    ("table-sort", "ark:a.ark ark:OUT"),
    ("table-split", "--world-size=1 a.scp OUT"),
    ("tokenize-text", "--symbols=units --mode=word text ark:OUT"),
    ("feed-feats", "--chain=chain.yaml --data-type=table --text=text scp:wav.scp ark:OUT"),
    ("make-raw-list", "wav.scp text OUT"),
    ("make-shard-list", "wav.scp text folder OUT"),
    ("copy-shards", "s.tar copies OUT"),
    ("extract-shards", "--write-wav=ark:OUT s.tar"),
    ("shards-to-scp", "s.tar OUT"),
    ("indexed-to-int-vector", "set ark,t:OUT"),
    ("convert-codes", "ark:codes ark,t:OUT"),
    ("export-data-dir", "--format=nemo data OUT"),
    ("make-symbols", "text OUT"),
    ("lattice-score", "--inv-acwt=1 --penalty=0 --write-text=OUT ark:lats"),
];

/// Of these, each output is a dataset, a folder, or what a test of its own writes.
const OTHERS: [&str; 11] = [
    "feed-batches",
    "index-shards",
    "indexed-blend",
    "indexed-build-samples",
    "indexed-check",
    "indexed-merge",
    "indexed-samples-to-int-vector",
    "indexed-split",
    "int-vector-to-indexed",
    "make-data-dir",
    "make-shar",
];

pub fn inputs() -> Scratch {
    let scratch = Scratch::new();
    let sound = signal::wave(8000, &[1, -1, 2, -2].repeat(1000));
    scratch
        .write("a.txt", "u1  [\n  1 2\n  3 4 ]\nu2  [\n  5 6 ]\n")
        .write("frames", "u1 2\nu2 1\n")
        .write("codes", "u1 1 2 ; 3 4 ; \n")
        .write("lats", "u1 \n0 1 5 1,2,3\n1\n\n")
        .write("text", "u1 good day\nu2 day\n")
        .write("units", "<blank> 0\n<unk> 1\ngood 2\nday 3\n")
        .write("u1.wav", &sound)
        .write("wav.scp", "u1 u1.wav\nu2 u1.wav\n")
        .write("lda.mat", " [\n  1 0\n  0 1 ]\n")
        .write("chain.yaml", "- fbank: {num_mel_bins: 10}\n- batch: {batch_size: 1}\n")
        .write("a.jsonl", "{\"key\": \"u1\", \"value\": [[1.0, 2.0]]}\n")
        .write("bpe.model", include_bytes!("feed/bpe.model"))
        .write("s.tar", shard(&[("u1", "hello", &sound)]))
        .write("old", shard(&[("old", "hello", &sound)]));
    scratch
        .sh("copy-feats ark,t:a.txt ark,scp:a.ark,a.scp && copy-feats ark,t:a.txt ark:b.ark &&
             int-vector-to-indexed ark:frames set && mkdir data && cp wav.scp data && sed 's/ .*/ s/' frames > data/utt2spk")
        .succeeds();
    scratch
}

/// If the name of an output is forgotten, an input takes its place.
#[test]
fn files_of_another_kind_are_replaced_with_force_only() {
    let scratch = inputs();
    for (tool, arguments) in LINES {
        let file = if arguments.contains("OUT.png") { "OUT.png" } else { "OUT" };
        let line = |options: &str| format!("rm -rf folder copies; {tool} {options} {arguments}");
        scratch.sh(&format!("cp old {file}")).succeeds();
        scratch.sh(&line("")).fails_with(255).stderr_has("it is a tar file, and would become").stderr_has("--force");
        assert_eq!(scratch.read(file), scratch.read("old"), "{tool}");
        scratch.sh(&line("--force")).succeeds();
        assert_ne!(scratch.read(file), scratch.read("old"), "{tool}");
        // Now it is of the same kind.
        scratch.sh(&line("")).succeeds();
        scratch.sh(&format!("rm {file}")).succeeds();
    }
}

#[test]
fn all_tools_that_write_and_that_kaldi_does_not_have_are_careful() {
    for tool in registry::tools() {
        let roles = tool.options.iter().map(|it| &it.role).chain(tool.arguments.iter().map(|it| &it.role));
        let writes = roles.into_iter().any(|role| role.as_deref() == Some("output"));
        let is_listed = LINES.iter().any(|(name, _)| *name == tool.name) || OTHERS.contains(&&*tool.name);
        assert_eq!(tool.careful, is_listed, "{}", tool.name);
        assert!(!(tool.careful && tool.in_kaldi), "{}", tool.name);
        assert!(tool.careful || tool.in_kaldi || !writes, "{}", tool.name);
    }
}

/// The work may take hours.
#[test]
fn outputs_of_another_kind_are_refused_before_the_work() {
    let scratch = inputs();
    let slow = "'ark:cat a.ark; touch was-read |'";
    for line in [
        &format!("concat-ark {slow} ark:s.tar"),
        &format!("table-sort {slow} ark,scp:new.ark,s.tar"),
        "make-raw-list 'cat wav.scp; touch was-read |' text s.tar",
        "shards-to-scp 'cat old; touch was-read |' s.tar",
        "make-raw-list 'cat wav.scp; touch was-read |' text b.ark",
    ] {
        scratch.sh(line).fails_with(255).stderr_has("cannot replace").stderr_has("--force");
        assert!(!scratch.list().contains(&"was-read".to_owned()), "{line}");
    }
    // The name does not say what is written, but the first bytes do; the pipe is far too short for the rest.
    let line = "table-export --format=csv 'ark:seq -f \"u%.0f 1 2\" 2000000 && touch was-read |' s.tar";
    scratch.sh(line).fails_with(255).stderr_has("cannot replace s.tar: it is a tar file, and would become");
    assert!(!scratch.list().contains(&"was-read".to_owned()));
}

#[test]
fn archives_are_not_replaced_by_script_files() {
    let scratch = inputs();
    let bytes = scratch.read("b.ark");
    scratch.sh("ark-to-scp a.ark b.ark").fails_with(255).stderr_has(
        "cannot replace b.ark: it is a binary archive, and would become a list; choose another name, or replace it with \
         --force",
    );
    assert_eq!(scratch.read("b.ark"), bytes);
    // The values of a script file become an archive.
    scratch.sh("table-sort a.scp b.ark && table-sort ark:a.ark ark:c.ark && cmp b.ark c.ark").succeeds();
    scratch.sh("ark-to-scp a.ark a.txt").fails_with(255).stderr_has("a text archive, and would become a script file");
    // What is written in place is looked at before.
    scratch
        .sh("table-sort ark:a.ark ark,f:u1.wav")
        .fails_with(255)
        .stderr_has("cannot replace u1.wav: it is a WAV file, and would become an archive");
    assert!(scratch.read("u1.wav").starts_with(b"RIFF"));
    // A tool of Kaldi does as it is told.
    scratch.sh("copy-feats ark:a.ark ark:a.scp").succeeds();
}

/// The sizes differ, so the index of one writer beside the tokens of the other would not fit.
#[test]
fn two_writers_do_not_mix_their_files() {
    let scratch = inputs();
    scratch.write("few", "a 1 2\n").write("many", "b 1 2 3\nc 4 5\nd 6\n").write("text1", "u1 good day\n");
    scratch
        .sh("for i in $(seq 25); do
                int-vector-to-indexed --write-keys=keys ark:few both & int-vector-to-indexed --write-keys=keys ark:many both & wait
                indexed-check both && indexed-to-int-vector --keys=keys both ark:/dev/null || exit 3
             done")
        .succeeds();
    scratch
        .sh("for i in $(seq 10); do
                make-shard-list --num-utts-per-shard=1 wav.scp text shards list &
                make-shard-list --num-utts-per-shard=2 wav.scp text1 shards list & wait
                check-shards list && list-shards list | sort > all || exit 3
                case \"$(cut -d' ' -f1 all | xargs) $(wc -l < list)\" in 'u1 u2 2' | 'u1 1') ;; *) exit 4 ;; esac
             done")
        .succeeds();
    assert!(scratch.list().iter().all(|name| !name.contains("lock")));
}
