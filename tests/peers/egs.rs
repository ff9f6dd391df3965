//! Training examples through Kaldi's own scripts, with our tools alone: `PEERS_KALDI` is the folder of a checkout of Kaldi.

use std::path::PathBuf;

use crate::support::Scratch;

/// The trials by name.
pub const TRIALS: &[(&str, fn())] = &[
    ("the_script_of_x_vectors_makes_examples", the_script_of_x_vectors_makes_examples),
    ("the_script_of_nnet3_makes_examples", the_script_of_nnet3_makes_examples),
    ("the_script_of_pictures_makes_examples", the_script_of_pictures_makes_examples),
];

/// The recipes that have the scripts.
fn recipes() -> Result<[PathBuf; 3], String> {
    let root = std::env::var_os("PEERS_KALDI").ok_or("since PEERS_KALDI does not name a checkout of Kaldi")?;
    let [wsj, sre08, cifar] =
        ["egs/wsj/s5", "egs/sre08/v1", "egs/cifar/v1"].map(|recipe| PathBuf::from(&root).join(recipe));
    let scripts = [
        wsj.join("steps/nnet3/get_egs.sh"),
        sre08.join("sid/nnet3/xvector/get_egs.sh"),
        cifar.join("image/nnet3/get_egs.sh"),
    ];
    match scripts.iter().find(|script| !script.is_file()) {
        Some(missing) => Err(format!("since there is no {}", missing.display())),
        None => Ok([wsj, sre08, cifar]),
    }
}

/// Why the trials cannot run here.
pub fn find() -> Result<(), String> {
    recipes().map(|_| ())
}

/// A folder with links to the scripts.
fn scripts() -> Scratch {
    let scratch = Scratch::new();
    let [wsj, sre08, cifar] = recipes().unwrap();
    let link = |name: &str, from: PathBuf| std::os::unix::fs::symlink(from, scratch.path(name)).unwrap();
    link("utils", wsj.join("utils"));
    link("steps", wsj.join("steps"));
    link("sid", sre08.join("sid"));
    link("image", cifar.join("image"));
    scratch.write("path.sh", "export PATH=$PWD/utils:$PWD/utils/parallel:$PATH LC_ALL=C\n");
    scratch
}

/// The scripts, and a data directory of 60 utterances of six speakers, of 40 to 99 frames.
fn corpus() -> Scratch {
    let scratch = scripts();
    scratch.sh(
        r#"mkdir -p data ali
        seq 0 59 | awk '{ utt = sprintf("spk%d-utt%02d", $1 % 6, $1); n = 40 + $1 * 37 % 60; print utt, n }' | sort > lengths
        awk '{ split($1, part, "-"); print $1, part[1] }' lengths > data/utt2spk
        awk '{ spk[$2] = spk[$2] " " $1 } END { for (s in spk) print s spk[s] }' data/utt2spk | sort > data/spk2utt
        cp lengths data/utt2num_frames
        awk '{ print $1 " [" ; for (t = 0; t < $2; t++) print t, NR, t % 7 - 3.5; print "]" }' lengths |
            copy-feats ark:- ark,scp:$PWD/feats.ark,data/feats.scp
        compute-cmvn-stats --spk2utt=ark:data/spk2utt scp:data/feats.scp ark,scp:$PWD/cmvn.ark,data/cmvn.scp"#,
    )
    .succeeds();
    scratch
}

fn the_script_of_x_vectors_makes_examples() {
    let scratch = corpus();
    let options = "--cmd run.pl --nj 2 --num-heldout-utts 12 --frames-per-iter 1000 --frames-per-iter-diagnostic 1000 \
                   --min-frames-per-chunk 10 --max-frames-per-chunk 20 --num-diagnostic-archives 1 --num-repeats 2";
    let script =
        format!("sid/nnet3/xvector/get_egs.sh {options} data egs > log 2>&1 || {{ cat log egs/log/* >&2; exit 1; }}");
    scratch.sh(&format!(". ./path.sh; {script}")).succeeds();
    scratch.sh(
        r#"n=$(cat egs/info/num_archives); [ $n -gt 1 ]
        for x in $(seq $n); do [ -s egs/egs.$x.scp ]; nnet3-copy-egs scp:egs/egs.$x.scp ark,t:- >> all; done
        nnet3-copy-egs scp:egs/train_diagnostic.scp ark:/dev/null && nnet3-copy-egs scp:egs/valid_diagnostic.scp ark:/dev/null
        [ $(cat egs/egs.*.scp | wc -l) = $(grep -o '</Nnet3Eg>' all | wc -l) ]
        ! grep -v 'dim=6' <(grep -o 'rows=1 dim=[0-9]*' all)"#,
    )
    .succeeds();
}

fn the_script_of_nnet3_makes_examples() {
    let scratch = corpus();
    scratch.write(
        "topo",
        "<Topology>\n<TopologyEntry>\n<ForPhones>\n1 2 3\n</ForPhones>\n<State> 0 <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 \
         0.5 </State>\n<State> 1 </State>\n</TopologyEntry>\n</Topology>\n",
    );
    // Each phone has a state, with a self-loop: transitions 1 and 2, 3 and 4, 5 and 6.
    scratch
        .sh(
            r#"gmm-init-mono topo 3 ali/final.mdl ali/tree
        awk '{ printf "%s", $1; for (t = 0; t < $2; t++) printf " %d", 2 * (int(t / 5) % 3) + 1 + (t % 5 == 4); print "" }' lengths |
            copy-int-vector ark,t:- ark:- | gzip -c > ali/ali.1.gz
        echo 1 > ali/num_jobs"#,
        )
        .succeeds();
    let options = "--cmd run.pl --nj 2 --num-utts-subset 10 --frames-per-eg 8,5 --left-context 2 --right-context 1 \
                   --samples-per-iter 200 --generate-egs-scp true --num-valid-frames-combine 80";
    let script =
        format!("steps/nnet3/get_egs.sh {options} data ali egs > log 2>&1 || {{ cat log egs/log/* >&2; exit 1; }}");
    scratch.sh(&format!(". ./path.sh; {script}")).succeeds();
    scratch
        .sh(r#"[ $(cat egs/info/num_archives) -gt 1 ]
        for set in egs combine train_diagnostic valid_diagnostic; do
            nnet3-copy-egs scp:egs/$set.scp ark,t:- > all
            [ $(grep -o '</Nnet3Eg>' all | wc -l) = $(wc -l < egs/$set.scp) ] && grep -q 'dim=3 \[ 2 1 \]' all
        done"#)
        .succeeds();
}

fn the_script_of_pictures_makes_examples() {
    let scratch = scripts();
    scratch
        .sh(r#"for set in train test; do
            mkdir $set; echo 3 > $set/num_channels
            seq 0 3 | awk '{ print "class" $1, $1 }' > $set/classes.txt
            seq -w 40 | awk '{ print $1, $1 % 4 }' > $set/labels.txt
            seq -w 40 | awk '{ print $1 " ["; for (x = 0; x < 5; x++) { for (i = 0; i < 12; i++) printf "%d ", $1; print "" } print "]" }' |
                copy-feats --compress=true --compression-method=7 ark:- ark,scp:$PWD/$set/images.ark,$set/images.scp
        done"#)
        .succeeds();
    let options = "--cmd run.pl --egs-per-archive 15 --train-subset-egs 10";
    let script =
        format!("image/nnet3/get_egs.sh {options} train test egs > log 2>&1 || {{ cat log egs/log/* >&2; exit 1; }}");
    scratch.sh(&format!(". ./path.sh; image/validate_image_dir.sh train && {script}")).succeeds();
    let ran = scratch.sh(
        "cat egs/egs.[123].ark | table-keys --type=nnet3-example ark:- | wc -l; table-keys egs/combine.egs | wc -l",
    );
    ran.succeeds().stdout_is("40\n10\n");
    scratch
        .sh("table-head --json egs/egs.1.ark | head -n 1")
        .succeeds()
        .stdout_has("\"dim\":4,")
        .stdout_has("\"sparse\":[[1,1]]");
}
