//! Every tool that runs in pieces gives the bytes of the whole run.

use std::collections::BTreeSet;

use crate::support::Scratch;
use crate::support::registry;
use crate::support::sample::{binary_archive, ints, matrix, posterior, vector};
use crate::support::wave;
use crate::tools::egs;
use crate::tools::models::training;

/// A command line of each tool. Its last word is the output, a table or a file.
const COMMANDS: &[&str] = &[
    "add-deltas scp:f.scp ark:OUT",
    "add-deltas-sdc scp:f.scp ark:OUT",
    "align-text ark:text ark:text ark,t:OUT",
    "ali-to-post scp:i.scp ark:OUT",
    "append-post-to-feats --post-dim=200000 scp:f.scp ark:p.ark ark:OUT",
    "append-vector-to-feats scp:f.scp ark:v.ark ark:OUT",
    "apply-cmvn --utt2spk=ark:utt2spk ark:c.ark scp:f.scp ark:OUT",
    "apply-cmvn-online --spk2utt=ark:spk2utt g.stats scp:f.scp ark:OUT",
    "apply-cmvn-online g.stats scp:f.scp ark:OUT",
    "apply-cmvn-sliding scp:f.scp ark:OUT",
    "apply-transform t.mat scp:f.scp ark:OUT",
    "compute-and-process-kaldi-pitch-feats --random=entry --sample-frequency=8000 scp:w.scp ark:OUT",
    "compute-cmvn-stats --spk2utt=ark:spk2utt scp:f.scp ark:OUT",
    "compute-cmvn-stats scp:f.scp ark:OUT",
    "compute-fbank-feats --sample-frequency=8000 scp:w.scp ark:OUT",
    "compute-kaldi-pitch-feats --sample-frequency=8000 scp:w.scp ark:OUT",
    "compute-mfcc-feats --sample-frequency=8000 scp:w.scp ark:OUT",
    "compute-plp-feats --sample-frequency=8000 scp:w.scp ark:OUT",
    "compute-spectrogram-feats --sample-frequency=8000 scp:w.scp ark:OUT",
    "compute-vad scp:f.scp ark:OUT",
    "compute-vad-from-frame-likes ark:v.ark ark:v.ark ark:OUT",
    "convert-codes --from-pattern=frame-major --codebooks=1 scp:i.scp ark:OUT",
    "copy-feats --compress=true scp:f.scp ark:OUT",
    "copy-int-vector scp:i.scp ark:OUT",
    "copy-matrix scp:f.scp ark,t:OUT",
    "copy-post ark:p.ark ark:OUT",
    "copy-vector ark:v.ark ark:OUT",
    "export-data-dir --format=nemo data OUT",
    "export-data-dir --format=wenet data OUT",
    "extract-feature-segments scp:f.scp segments ark:OUT",
    "extract-segments scp:w.scp segments ark:OUT",
    "extend-wav-with-silence scp:w.scp ark:OUT",
    "feat-to-len scp:f.scp ark,t:OUT",
    "feat-to-post scp:f.scp ark:OUT",
    "filter-utts --utt2num-frames=lengths --min-length=5 f.scp OUT",
    "get-post-on-ali ark:p.ark ark:i.ark ark:OUT",
    "interpolate-pitch --linear-interpolation=true scp:pitch.scp ark:OUT",
    "interpolate-pitch --random=entry scp:pitch.scp ark:OUT",
    "ivector-compute-dot-products trials ark:v.ark ark:v.ark OUT",
    "ivector-mean ark:spk2utt ark:v.ark ark:OUT",
    "ivector-normalize-length ark:v.ark ark:OUT",
    "ivector-subtract-global-mean mean.vec ark:v.ark ark:OUT",
    "ivector-transform t.mat ark:v.ark ark:OUT",
    "logprob-to-post --random=entry --min-post=10 scp:f.scp ark:OUT",
    "logprob-to-post --random-prune=false scp:f.scp ark:OUT",
    "make-raw-list wav.scp text OUT",
    "matrix-max ark:spk2utt scp:f.scp ark:OUT",
    "matrix-sum scp:f.scp ark:f.ark ark:OUT",
    "matrix-sum-rows scp:f.scp ark:OUT",
    "merge-vads ark:ones.ark ark:ones.ark ark:OUT",
    "modify-cmvn-stats 0 ark:c.ark ark:OUT",
    "multiply-vectors ark:v.ark ark:v.ark ark:OUT",
    "paste-feats scp:f.scp ark:f.ark ark:OUT",
    "paste-vectors ark:v.ark ark:v.ark ark:OUT",
    "perturb-wav-speed --speeds=0.9 scp:w.scp ark:OUT",
    "post-to-feats --post-dim=200000 ark:p.ark ark:OUT",
    "post-to-smat --dim=200000 ark:p.ark ark:OUT",
    "post-to-weights ark:p.ark ark:OUT",
    "prob-to-post --random=entry --min-post=10 scp:f.scp ark:OUT",
    "prob-to-post --random-prune=false scp:f.scp ark:OUT",
    "process-kaldi-pitch-feats --random=entry --srand=3 scp:pitch.scp ark:OUT",
    "process-kaldi-pitch-feats --delta-pitch-noise-stddev=0 scp:pitch.scp ark:OUT",
    "compute-and-process-kaldi-pitch-feats --sample-frequency=8000 --delta-pitch-noise-stddev=0 scp:w.scp ark:OUT",
    "process-pitch-feats ark:voiced ark:OUT",
    "resample-wav --resample-rate=16000 scp:w.scp ark:OUT",
    "scale-post ark:p.ark 0.5 ark:OUT",
    "select-feats 2,0 scp:f.scp ark:OUT",
    "select-voiced-frames scp:f.scp ark:ones.ark ark:OUT",
    "shift-feats --shift=2 scp:f.scp ark:OUT",
    "spec-augment-feats scp:f.scp ark:OUT",
    "splice-feats scp:f.scp ark:OUT",
    "subsample-feats --n=2 scp:f.scp ark:OUT",
    "subset-feats --include=keep scp:f.scp ark:OUT",
    "sum-post ark:p.ark ark:p.ark ark:OUT",
    "tokenize-text --symbols=units text ark:OUT",
    "transform-feats t.mat scp:f.scp ark:OUT",
    "transform-vec t.mat ark:v.ark ark:OUT",
    "vector-scale --scale=2 ark:v.ark ark:OUT",
    "vector-sum ark:v.ark ark:v.ark ark:OUT",
    "wav-copy scp:w.scp ark:OUT",
    "wav-to-duration scp:w.scp ark,t:OUT",
    "weight-post ark:p.ark ark:ones.ark ark:OUT",
];

/// Command lines of tools on models, with the data of the recorded cases.
const MODEL_COMMANDS: &[&str] = &[
    "ali-to-pdf mono.mdl ark:ali.ark ark:OUT",
    "ali-to-phones --per-frame=true mono.mdl ark:ali.ark ark:OUT",
    "convert-ali mono.mdl tri.mdl tri.tree ark:ali.ark ark:OUT",
    "compute-gop --phone-map=few.map mono.mdl ark:ali.ark ark:ph.ark ark:probs.ark ark:OUT ark:second",
    "fgmm-global-get-frame-likes ubm.fgmm ark:feats.ark ark:OUT",
    "fgmm-global-gselect-to-post ubm.fgmm ark:feats.ark ark:gs.ark ark:OUT",
    "fgmm-gselect --n=1 ubm.fgmm ark:feats.ark ark:OUT",
    "gmm-compute-likes tri.mdl ark:trifeats.ark ark:OUT",
    "gmm-est-fmllr --fmllr-min-count=10 mono.mdl ark:feats.ark ark:post.ark ark:OUT",
    "gmm-global-get-frame-likes ubm.gmm ark:feats.ark ark:OUT",
    "gmm-global-get-post ubm.gmm ark:feats.ark ark:OUT",
    "gmm-global-gselect-to-post ubm.gmm ark:feats.ark ark:gs6.ark ark:OUT",
    "gmm-gselect --n=2 ubm.gmm ark:feats.ark ark:OUT",
    "gmm-post-to-gpost mono.mdl ark:feats.ark ark:post.ark ark:OUT",
    "ivector-extract 1.ie ark:parts.ark ark:parts.post.ark ark:OUT",
    "ivector-extract-online 1.ie ark:parts.ark ark:parts.post.ark ark:OUT",
    "ivector-extract-online2 --config=ie.conf ark:spk2utt ark:raw.ark ark:OUT",
    "post-to-pdf-post mono.mdl ark:mono.dense.ark ark:OUT",
    "post-to-phone-post mono.mdl ark:mono.dense.ark ark:OUT",
    "weight-silence-post 0.0 1:12 mono.mdl ark:post.ark ark:OUT",
];

/// Command lines whose outputs are sums: those of the pieces differ from the whole in the last digits.
const SUMS: &[&str] = &[
    "acc-lda mono.mdl ark:feats.ark ark:post.ark OUT",
    "acc-tree-stats mono.mdl ark:feats.ark ark:ali.ark OUT",
    "fgmm-global-acc-stats ubm.fgmm ark:feats.ark OUT",
    "fgmm-global-acc-stats-post ark:gpost.ark 6 ark:feats.ark OUT",
    "gmm-acc-stats-twofeats mono.mdl ark:feats.ark ark:feats.ark ark:post.ark OUT",
    "gmm-global-acc-stats-twofeats ubm.gmm ark:feats.ark ark:feats.ark OUT",
    "gmm-acc-mllt mono.mdl ark:feats.ark ark:post.ark OUT",
    "gmm-acc-stats mono.mdl ark:feats.ark ark:post.ark OUT",
    "gmm-acc-stats-ali mono.mdl ark:feats.ark ark:ali.ark OUT",
    "gmm-global-acc-stats ubm.gmm ark:feats.ark OUT",
    "ivector-extractor-acc-stats 0.ie ark:parts.ark ark:parts.post.ark OUT",
    "post-to-tacc mono.mdl ark:post.ark OUT",
];

/// The same, with the files of the tests of training.
const TRAINING_SUMS: &[&str] = &[
    "fmpe-acc-stats 0.fmpe ark:feats ark:feats ark:gselect OUT",
    "gmm-fmpe-acc-stats --model-derivative=deriv mdl 0.fmpe ark:feats ark:gselect ark:mmi-post OUT",
];

/// Tools in pieces that have no command above, each for a reason.
const OTHERS: &[&str] = &[
    // No file of the recorded cases has its posteriors; it differs from gmm-est-fmllr in them alone.
    "gmm-est-fmllr-gpost",
    // They are divided as gmm-est-fmllr, and need the files of the tests of training.
    "gmm-est-basis-fmllr",
    "gmm-est-basis-fmllr-gpost",
    "gmm-est-fmllr-raw",
    "gmm-est-fmllr-raw-gpost",
    "gmm-est-lvtln-trans",
    "gmm-global-est-lvtln-trans",
    // They write into folders, and have no output to join; they have a test of their own.
    "copy-feats-to-htk",
    "copy-feats-to-sphinx",
    "make-shar",
    // They need models that are tested elsewhere.
    "fmpe-apply-transform",
    "logistic-regression-eval",
    "ivector-plda-scoring",
    "ivector-plda-scoring-dense",
    // As others that read the same tables.
    "agglomerative-cluster",
    "compose-transforms",
    "copy-gselect",
    "extend-transform-dim",
    "paste-post",
];

pub(super) fn sample() -> Scratch {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..7).map(|number| format!("utt{number}")).collect();
    let table = |make: &dyn Fn(u64) -> crate::support::sample::Sample| {
        let entries: Vec<_> = keys.iter().zip(1..).map(|(key, seed)| (key.as_str(), make(seed))).collect();
        binary_archive(&entries)
    };
    scratch.write("f0.ark", table(&|seed| matrix(seed, 40, 4)));
    scratch.write("v.ark", table(&|seed| vector(seed, 4)));
    scratch.write("i0.ark", table(&|seed| ints(seed, 40)));
    scratch.write("p.ark", table(&|seed| posterior(seed, 40)));
    let waves: Vec<Vec<u8>> = (0..7)
        .map(|number| {
            let samples: Vec<i16> = (0..6000).map(|at| ((at * (number + 3) * 97) % 2000 - 1000) as i16).collect();
            wave::wave(8000, &[&samples])
        })
        .collect();
    let entries: Vec<(&str, &[u8])> = keys.iter().map(String::as_str).zip(waves.iter().map(Vec::as_slice)).collect();
    scratch.write("w0.ark", wave::archive(&entries));
    let lines = |line: &dyn Fn(usize) -> String| (0..7).map(|number| line(number) + "\n").collect::<String>();
    scratch.write("ones", lines(&|number| format!("utt{number} [ {}]", "1 ".repeat(40))));
    scratch.write("utt2spk", lines(&|number| format!("utt{number} utt{number}")));
    scratch.write("spk2utt", lines(&|number| format!("utt{number} utt{number}")));
    scratch.write("segments", lines(&|number| format!("seg{number} utt{number} 0.0{number} 0.3{number}")));
    scratch.write("text", lines(&|number| format!("utt{number} a b{}", " a".repeat(number))));
    scratch.write("trials", lines(&|number| format!("utt{number} utt{}", 6 - number)));
    scratch.write("lengths", lines(&|number| format!("utt{number} {}", number + 2)));
    scratch.write(
        "voiced",
        lines(&|number| format!("utt{number} [\n{} 0.5 100 ]", format!("0.{} 20{number}\n", number + 1).repeat(9))),
    );
    scratch.write("wav.scp", lines(&|number| format!("utt{number} utt{number}.wav")));
    scratch.write("keep", "utt1\nutt5\n");
    scratch.write("units", "<blank> 0\n<unk> 1\na 2\nb 3\n▁ 4\n");
    scratch.write("t", " [ 1 0 0 1\n 0 1 0 1 ]\n");
    let made = "copy-feats ark:f0.ark ark,scp:f.ark,f.scp && wav-copy ark:w0.ark ark,scp:w.ark,w.scp && \
        copy-int-vector ark:i0.ark ark,scp:i.ark,i.scp && copy-vector ark:ones ark:ones.ark && copy-matrix t t.mat && \
        compute-cmvn-stats scp:f.scp ark:c.ark && compute-cmvn-stats scp:f.scp g.stats && ivector-mean ark:v.ark mean.vec && \
        compute-kaldi-pitch-feats --sample-frequency=8000 scp:w.scp ark,scp:pitch.ark,pitch.scp && \
        mkdir data waves && sed 's# # waves/#' wav.scp > data/wav.scp && \
        wav-copy scp:w.scp scp:data/wav.scp && cp text utt2spk data";
    scratch.sh(made).succeeds();
    scratch
}

/// Command lines of tools on lattices.
const LATTICE_COMMANDS: &[&str] = &[
    "fstcopy ark:graphs.ark ark:OUT",
    "lattice-1best scp:real.scp ark:OUT",
    "lattice-add-penalty --word-ins-penalty=1 scp:real.scp ark:OUT",
    "lattice-add-trans-probs final.mdl scp:real.scp ark:OUT",
    "lattice-align-phones final.mdl scp:real.scp ark:OUT",
    "lattice-align-words word_boundary.int final.mdl scp:real.scp ark:OUT",
    "lattice-align-words-lexicon align_lexicon.int final.mdl scp:real.scp ark:OUT",
    "lattice-best-path scp:real.scp ark:OUT",
    "lattice-boost-ali final.mdl scp:real.scp ark:ali.ark ark:OUT",
    "lattice-combine scp:real.scp ark:real.ark ark:OUT",
    "lattice-copy --write-compact=false scp:real.scp ark:OUT",
    "lattice-depth scp:real.scp ark:OUT",
    "lattice-depth-per-frame scp:real.scp ark:OUT",
    "lattice-interp scp:real.scp ark:real.ark ark:OUT",
    "lattice-limit-depth --max-arcs-per-frame=2 scp:real.scp ark:OUT",
    "lattice-mbr-decode scp:real.scp ark:OUT",
    "lattice-oracle scp:real.scp ark:ref.txt ark:OUT",
    "lattice-project scp:real.scp ark:OUT",
    "lattice-prune --beam=1 scp:real.scp ark:OUT",
    "lattice-push scp:real.scp ark:OUT",
    "lattice-reverse scp:real.scp ark:OUT",
    "lattice-rmali scp:real.scp ark:OUT",
    "lattice-scale --lm-scale=2 scp:real.scp ark:OUT",
    "lattice-to-ctm-conf scp:real.scp OUT",
    "lattice-to-fst scp:real.scp ark:OUT",
    "lattice-to-nbest --n=2 scp:real.scp ark:OUT",
    "lattice-to-phone-lattice final.mdl scp:real.scp ark:OUT",
    "lattice-to-post scp:real.scp ark:OUT",
    "lattice-union scp:real.scp ark:real.ark ark:OUT",
    "linear-to-nbest scp:ali.scp ark:best.tra '' '' ark:OUT",
    "nbest-to-ctm scp:best.scp OUT",
    "nbest-to-linear scp:best.scp ark:OUT",
    "nbest-to-prons final.mdl scp:best.scp OUT",
];

/// A folder with the lattices of the recorded cases.
fn lattices() -> Scratch {
    let scratch = Scratch::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/data/lattices");
    let made =
        "copy-int-vector ark:ali.ark ark,scp:a.ark,ali.scp && lattice-1best ark:real.ark ark,scp:best.ark,best.scp";
    scratch.sh(&format!("cp '{data}'/* . && chmod u+w * && {made}")).succeeds();
    scratch
}

/// Command lines of tools on training examples.
const EXAMPLE_COMMANDS: &[&str] = &[
    "nnet3-chain-copy-egs --left-context=0 scp:chain.scp ark:OUT",
    "nnet3-copy-egs scp:small.scp ark:OUT",
    "nnet3-copy-egs --frame=1 --frame-shift=2 ark:small.egs ark,t:OUT",
    "nnet3-xvector-get-egs --num-pdfs=7 ranges scp:many.scp ark:OUT",
];

/// A folder with training examples, and what x-vectors are made of.
fn examples() -> Scratch {
    let scratch = egs::chain::scratch();
    egs::small(&scratch);
    let made = "nnet3-chain-copy-egs ark:egs ark,scp:chain.egs,chain.scp && nnet3-copy-egs ark:small.egs ark,scp:same,small.scp &&
        for x in 1 2 3 4 5; do sed \"s/^a/a$x/; s/^b/b$x/\" feats; done | copy-feats ark:- ark,scp:many.ark,many.scp &&
        awk '{ print $1, 0, 0, NR % 3, 5, NR % 7; print $1, 0, 0, 1, 4, 0 }' many.scp > ranges";
    scratch.sh(made).succeeds();
    scratch
}

/// A folder with the models and tables of the recorded cases.
fn models() -> Scratch {
    let scratch = Scratch::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/data/models");
    scratch.sh(&format!("cp '{data}'/* . && chmod u+w *")).succeeds();
    scratch
}

/// Runs a command whole and in three pieces; returns both outputs, `None` if there is none.
fn run_both(scratch: &Scratch, command: &str) -> [Option<Vec<u8>>; 2] {
    let _ = scratch.sh(&command.replace("OUT", "whole"));
    let pieces = command.replace("OUT", "joined");
    let _ = scratch.sh(&format!("table-jobs --nj=3 --restart --dir=jobs -- {pieces}"));
    let outputs = ["whole", "joined"].map(|name| std::fs::read(scratch.path(name)).ok());
    scratch.sh("rm -rf whole joined joined.* jobs").succeeds();
    outputs
}

/// The commands for which `is_right` does not hold, with the sizes of both outputs.
fn wrong(scratch: &Scratch, commands: &[&str], is_right: fn(&[u8], &[u8]) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for command in commands {
        match run_both(scratch, command) {
            [Some(whole), Some(parts)] if !whole.is_empty() && is_right(&whole, &parts) => {}
            outputs => {
                let size = |bytes: Option<Vec<u8>>| bytes.map_or("nothing".to_owned(), |bytes| bytes.len().to_string());
                wrong.push(format!("{command}: {}", outputs.map(size).join(" and ")));
            }
        }
    }
    wrong
}

#[test]
fn every_tool_that_runs_in_pieces_gives_the_bytes_of_the_whole_run() {
    let wrong = wrong(&sample(), COMMANDS, |whole, parts| whole == parts);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tools_on_models_give_the_bytes_of_the_whole_run_in_pieces() {
    let wrong = wrong(&models(), MODEL_COMMANDS, |whole, parts| whole == parts);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tools_on_lattices_give_the_bytes_of_the_whole_run_in_pieces() {
    let wrong = wrong(&lattices(), LATTICE_COMMANDS, |whole, parts| whole == parts);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn tools_on_examples_give_the_bytes_of_the_whole_run_in_pieces() {
    let wrong = wrong(&examples(), EXAMPLE_COMMANDS, |whole, parts| whole == parts);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn sums_of_pieces_have_the_size_of_the_whole() {
    for (scratch, commands) in [(models(), SUMS), (training::recorded().0, TRAINING_SUMS)] {
        let wrong = wrong(&scratch, commands, |whole, parts| whole.len() == parts.len());
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

/// Command lines whose random numbers run through the whole table, as in Kaldi.
const RANDOM: &[&str] = &[
    "compute-and-process-kaldi-pitch-feats --sample-frequency=8000 scp:w.scp ark:OUT",
    "interpolate-pitch scp:pitch.scp ark:OUT",
    "logprob-to-post --min-post=10 scp:f.scp ark:OUT",
    "prob-to-post --min-post=10 scp:f.scp ark:OUT",
    "process-kaldi-pitch-feats scp:pitch.scp ark:OUT",
];

#[test]
fn random_numbers_of_the_whole_table_are_refused_unless_they_depend_on_the_key() {
    let scratch = sample();
    for command in RANDOM {
        let pieces = format!("table-jobs --nj=3 --dir=jobs -- {}", command.replace("OUT", "pieces"));
        scratch.sh(&pieces).fails_with(255).stderr_has("--random=entry draws them by key");
        let by_entry = command.replacen(' ', " --random=entry ", 1).replace("OUT", "entry");
        scratch.sh(&format!("{} && {by_entry}", command.replace("OUT", "table"))).succeeds();
        assert_ne!(scratch.read("table"), scratch.read("entry"), "{command}");
        // The order of the entries does not matter, either.
        let back = by_entry
            .replace("scp:w.scp", "scp:back")
            .replace("scp:f.scp", "scp:back")
            .replace("scp:pitch.scp", "scp:back");
        let list = command.split("scp:").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
        let line = format!(
            "tac {list} > back; {} && table-sort ark:backward ark:sorted",
            back.replace("ark:entry", "ark:backward")
        );
        scratch.sh(&line).succeeds();
        assert_eq!(scratch.read("sorted"), scratch.read("entry"), "{command}");
        scratch.sh("rm table entry backward sorted").succeeds();
    }
}

#[test]
fn folders_of_files_are_those_of_the_whole_run() {
    for (tool, ending) in [("copy-feats-to-htk", "--output-ext"), ("copy-feats-to-sphinx", "--output-ext")] {
        let scratch = sample();
        let command = |folder: &str| format!("{tool} --output-dir={folder} {ending}=x scp:f.scp");
        scratch.sh(&command("whole")).succeeds();
        scratch.sh(&format!("table-jobs --nj=3 --dir=jobs -- {}", command("pieces"))).succeeds();
        scratch.sh("ls whole | wc -l; diff -r whole pieces").succeeds().stdout_is("7\n");
        // A piece that says that it has done nothing has failed, since there is no output to look at.
        scratch.sh("sed -i 's/ f.ark/ nothing.ark/' f.scp").succeeds();
        let ran = scratch.sh(&format!("table-jobs --nj=3 --dir=other -- {}", command("pieces"))).fails_with(255);
        ran.stderr_has("3 of 3 pieces have failed");
    }
}

#[test]
fn every_tool_with_a_row_has_a_command() {
    let commands = [COMMANDS, MODEL_COMMANDS, LATTICE_COMMANDS, EXAMPLE_COMMANDS, SUMS, TRAINING_SUMS].concat();
    let named: BTreeSet<&str> =
        commands.iter().filter_map(|command| command.split(' ').next()).chain(OTHERS.iter().copied()).collect();
    let tools = registry::tools();
    let in_pieces: BTreeSet<&str> =
        tools.iter().filter(|tool| tool.runs_in_pieces).map(|tool| tool.name.as_str()).collect();
    let missing: Vec<_> = in_pieces.difference(&named).collect();
    assert!(missing.is_empty(), "no command for {missing:?}");
    let unknown: Vec<_> = named.difference(&in_pieces).collect();
    assert!(unknown.is_empty(), "no row for {unknown:?}");
}
