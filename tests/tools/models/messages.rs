//! Scripts of Kaldi's recipes read numbers from logs and from printed descriptions. Each row is a place in a script, and what
//! it finds in the output of our tool.

use regex::Regex;

use super::{build_tree, training};
use crate::support::Scratch;

/// How a script finds its numbers.
enum Reads {
    /// The fields of each line with these words, as `awk` counts them: from 1, and from the last one (0) backwards.
    Fields(&'static [&'static str], &'static [i32]),
    /// The groups of a regular expression.
    Groups(&'static str),
}
use Reads::{Fields, Groups};

/// Any finite number.
const ANY: &str = "*";

/// The command whose error output is the log, or whose printed lines are read; the script; what it reads, and what it finds.
type Row = (&'static str, &'static str, Reads, &'static [&'static str]);

/// The command of a log.
const EST: &str = "gmm-est --min-gaussian-occupancy=1 --min-count=1 --mix-up=8 mdl ml.acc o";
const ACC2: &str = "gmm-acc-stats2 mdl ark:feats ark:mmi-post o p";

/// What is read of tools of models and transforms.
const OF_MODELS: &[Row] = &[
    (
        EST,
        "steps/info/gmm_dir_info.pl",
        Groups(r"variance elements floored in (\S+) Gaussians, out of (\S+)"),
        &["0", "7"],
    ),
    (EST, "steps/info/gmm_dir_info.pl", Groups(r"Overall avg like per frame = (\S+) over (\S+) frames"), &[ANY, ANY]),
    (EST, "steps/info/gmm_dir_info.pl", Groups(r"Split (\S+) states .+ split #Gauss from \S+ to (\S+)"), &["4", "8"]),
    (
        "gmm-mixup --mix-up=9 --min-count=1 mdl occs o",
        "steps/info/gmm_dir_info.pl",
        Groups(r"Split (\S+) states .+ split #Gauss from \S+ to (\S+)"),
        &["4", "9"],
    ),
    (
        "gmm-acc-stats-ali mdl ark:feats ark:ali o",
        "steps/train_sat.sh",
        Fields(&["Overall avg like"], &[-3, -1]),
        &[ANY, "26"],
    ),
    (
        "transform-feats warp.mat ark:feats ark:o",
        "steps/train_sat.sh",
        Fields(&["Overall average logdet"], &[-3, -1]),
        &[ANY, "26"],
    ),
    (ACC2, "steps/train_mmi_fmmi.sh", Fields(&["Overall", "gmm-acc-stats2"], &[10, 12]), &[ANY, "26"]),
    (
        ACC2,
        "steps/train_mmi.sh",
        Groups(r"gmm-acc-stats2.+Overall weighted acoustic likelihood per frame was (\S+) over (\S+) frames"),
        &[ANY, "26"],
    ),
    (
        "gmm-fmpe-acc-stats mdl 0.fmpe ark:feats ark:gselect ark:mmi-post o",
        "steps/train_mmi_fmmi.sh",
        Fields(&["Overall", "gmm-fmpe-acc-stats"], &[10, 12]),
        &[ANY, "26"],
    ),
    ("fmpe-est 0.fmpe 0.stats o", "steps/train_mmi_fmmi.sh", Fields(&["Objf"], &[0]), &[ANY]),
    ("gmm-est-gaussians-ebw mdl num.acc den.acc o", "steps/train_mmi.sh", Fields(&["Overall"], &[10, 12]), &[ANY, ANY]),
    ("gmm-est-weights-ebw mdl num.acc den.acc o", "steps/train_smbr.sh", Fields(&["Overall"], &[10, 12]), &[ANY, ANY]),
    (
        "gmm-est-fmllr --fmllr-min-count=5 mdl ark:feats ark:post ark:o",
        "steps/info/gmm_dir_info.pl",
        Groups(r"Overall fMLLR auxf impr per frame is (\S+) over (\S+) frames"),
        &[ANY, "24"],
    ),
    (
        "gmm-est-fmllr-gpost --fmllr-min-count=5 mdl ark:feats ark:gpost ark:o",
        "steps/info/gmm_dir_info.pl",
        Groups(r"Overall fMLLR auxf impr per frame is (\S+) over (\S+) frames"),
        &[ANY, ANY],
    ),
    (
        "gmm-acc-mllt mdl ark:feats ark:post m 2> n && est-mllt o m",
        "steps/info/gmm_dir_info.pl",
        Groups(r"Overall objective function improvement for MLLT is (\S+) over \S+ frames, logdet is (\S+)"),
        &[ANY, ANY],
    ),
    (
        "acc-lda mdl ark:feats ark:post m 2> n && est-lda --dim=1 o m",
        "steps/info/gmm_dir_info.pl",
        Groups(r"Sum of selected singular values is (\S+)"),
        &[ANY],
    ),
    (
        "gmm-est-lvtln-trans mdl 2.lvtln ark:feats ark:gpost ark:o",
        "lid/get_vtln_warps.sh",
        Groups(r"Distribution of classes is: +(\S+) (\S+) (\S+)$"),
        &[ANY, ANY, ANY],
    ),
    ("gmm-info missing || true", "local/summarize_logs.pl", Groups(r"\bERROR\b"), &[]),
    ("am-info mdl >&2 2> n", "steps/nnet2/get_lda.sh", Fields(&["number of pdfs"], &[0]), &["4"]),
    ("gmm-info mdl >&2 2> n", "steps/train_mono.sh", Fields(&["gaussians"], &[0]), &["8"]),
    ("gmm-info mdl >&2 2> n", "steps/train_sgmm2.sh", Fields(&["feature dimension"], &[0]), &["2"]),
    ("hmm-info mdl >&2 2> n", "local/nnet/run_multilingual.sh", Fields(&["pdfs"], &[4]), &["4"]),
    ("gmm-global-info ubm >&2 2> n", "sid/gender_id.sh", Fields(&["gaussians"], &[0]), &["2"]),
    (
        "gmm-global-to-fgmm ubm f 2> n; fgmm-global-info f >&2 2> n",
        "sid/gender_id.sh",
        Fields(&["gaussians"], &[0]),
        &["2"],
    ),
    ("matrix-dim warp.mat >&2 2> n", "steps/train_lda_mllt.sh", Fields(&[""], &[1, 2]), &["2", "2"]),
];

/// What is read of tools of trees.
const OF_TREES: &[Row] = &[
    (
        "build-tree --verbose=1 stats roots qst topo o",
        "steps/info/gmm_dir_info.pl",
        Groups(r"Including just phones that were split, improvement is (\S+) per frame"),
        &[ANY],
    ),
    (
        "gmm-init-model --write-occs=occs tree few topo o",
        "steps/train_deltas.sh",
        Fields(&["WARNING", "no stats"], &[]),
        &[],
    ),
    ("gmm-init-model --write-occs=occs tree few topo o", "local/summarize_logs.pl", Groups(r"\bWARNING\b"), &[]),
    ("tree-info tree >&2 2> n", "steps/nnet3/tdnn/train.sh", Fields(&["num-pdfs"], &[2]), &[ANY]),
    ("tree-info tree >&2 2> n", "steps/nnet3/chain/e2e/prepare_e2e.sh", Fields(&["context-width"], &[2]), &["3"]),
    ("tree-info tree >&2 2> n", "steps/nnet3/chain/e2e/prepare_e2e.sh", Fields(&["central-position"], &[2]), &["1"]),
];

/// What a script finds in the lines of a log: the numbers of each line that it takes.
fn find(reads: &Reads, log: &str) -> Vec<Vec<String>> {
    let fields = |line: &str, places: &[i32]| -> Vec<String> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let at = |&place: &i32| {
            if place > 0 { place as usize - 1 } else { fields.len() - 1 - place.unsigned_abs() as usize }
        };
        places.iter().map(|place| fields.get(at(place)).copied().unwrap_or("").to_owned()).collect()
    };
    let groups = |captures: regex::Captures<'_>| {
        captures.iter().skip(1).flatten().map(|group| group.as_str().to_owned()).collect()
    };
    match reads {
        Fields(words, places) => {
            let lines = log.lines().filter(|line| words.iter().all(|word| line.contains(word)));
            lines.map(|line| fields(line, places)).collect()
        }
        Groups(pattern) => {
            let pattern = Regex::new(pattern).unwrap();
            log.lines().filter_map(|line| pattern.captures(line).map(groups)).collect()
        }
    }
}

#[track_caller]
fn check(scratch: &Scratch, rows: &[Row]) {
    for (command, script, reads, expected) in rows {
        scratch.sh(&format!("({command}) 2> log")).succeeds();
        // The echo of the command is no message; scripts look at the last lines of a log.
        let log = String::from_utf8(scratch.read("log")).unwrap();
        let lines: Vec<&str> =
            log.lines().filter(|line| !line.starts_with(command.split(' ').next().unwrap())).collect();
        let found = find(reads, &lines[lines.len().saturating_sub(30)..].join("\n"));
        assert!(!found.is_empty(), "{script} finds nothing in the log of {command}: {log}");
        for numbers in found {
            assert_eq!(numbers.len(), expected.len(), "{script}: {command}: {log}");
            for (number, expected) in numbers.iter().zip(*expected) {
                let fits = match *expected {
                    // Perl and awk take the number at the start of a word.
                    ANY => number.trim_end_matches(['.', ',', ';']).parse::<f64>().is_ok_and(f64::is_finite),
                    expected => number.trim_end_matches(['.', ',', ';']) == expected,
                };
                assert!(fits, "{script}: {command}: expected {expected}, got {number}: {log}");
            }
        }
    }
}

#[test]
fn messages_that_scripts_of_kaldi_read_are_the_same() {
    let (scratch, _) = training::recorded();
    let ali =
        "feat-to-len ark:feats ark,t:- | awk '{ printf $1; n = $2; while (n-- > 0) printf \" 1\"; print \"\" }' > ali";
    scratch.sh(&format!("{ali}; echo ' [ 50 50 40 60 ]' > occs")).succeeds();
    check(&scratch, OF_MODELS);
}

#[test]
fn messages_of_trees_that_scripts_of_kaldi_read_are_the_same() {
    let scratch = build_tree::scratch();
    scratch.write("few", "BTS 1 EV 4 -1 0 0 1 1 1 2 1 \nT GCL 10 0.01  [\n  10 \n  20 ]\n\n");
    scratch.sh("build-tree stats roots qst topo tree").succeeds();
    check(&scratch, OF_TREES);
}
