//! Training from alignments through Kaldi's own scripts, with our tools alone: `PEERS_KALDI` is the folder of a checkout of Kaldi.

use std::path::{Path, PathBuf};

use crate::support::Scratch;

/// The trials by name.
pub const TRIALS: &[(&str, fn())] =
    &[("triphones_are_trained_from_alignments_in_one_call", triphones_are_trained_from_alignments_in_one_call)];

/// The recipe that has the scripts.
fn recipe() -> Result<PathBuf, String> {
    let root = std::env::var_os("PEERS_KALDI").ok_or("since PEERS_KALDI does not name a checkout of Kaldi")?;
    let wsj = PathBuf::from(root).join("egs/wsj/s5");
    match Some(wsj.join("steps/train_deltas.sh")).filter(|script| !script.is_file()) {
        Some(missing) => Err(format!("since there is no {}", missing.display())),
        None => Ok(wsj),
    }
}

/// Why the trials cannot run here.
pub fn find() -> Result<(), String> {
    recipe().map(|_| ())
}

fn triphones_are_trained_from_alignments_in_one_call() {
    let scratch = Scratch::new();
    let (wsj, root) = (recipe().unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let link = |name: &str, from: PathBuf| std::os::unix::fs::symlink(from, scratch.path(name)).unwrap();
    link("utils", wsj.join("utils"));
    link("steps", wsj.join("steps"));
    link("golden", root.join("tests/golden/data/models"));
    link("examples", root.join("examples"));
    scratch
        .sh(r"kaldi-tables path.sh > path.sh; mkdir -p data lang/phones ali
        copy-feats ark:golden/feats.ark ark,scp:$PWD/data/feats.ark,data/feats.scp
        awk '{ print $1, $1 }' data/feats.scp | tee data/utt2spk > data/spk2utt
        awk '{ print $1, 1 }' data/feats.scp > data/text; feat-to-len scp:data/feats.scp ark,t:data/utt2num_frames
        compute-cmvn-stats scp:data/feats.scp ark,scp:$PWD/data/cmvn.ark,data/cmvn.scp
        cp golden/topo golden/phones.txt lang; printf '<eps> 0\na 1\n' > lang/words.txt; echo 1 > lang/oov.int
        printf '%s\n' 1 3 4 7 8 12 > lang/phones/sets.int; sed 's/^/shared split /' lang/phones/sets.int > lang/phones/roots.int
        echo 1:12 > lang/phones/context_indep.csl; touch lang/phones/{disambig,extra_questions}.int
        cp lang/phones.txt ali; cp golden/mono.mdl ali/final.mdl; cp golden/mono.tree ali/tree; echo 1 > ali/num_jobs
        ali-to-phones --ctm-output golden/mono.mdl ark:golden/ali.ark ctm
        examples/ctm_to_ali.sh ctm lang/phones.txt ali/final.mdl data/utt2num_frames SIL | gzip -c > ali/ali.1.gz")
        .succeeds();
    let ran = scratch
        .sh("examples/train_from_alignments.sh steps/train_deltas.sh --num-iters 4 --max-iter-inc 3 12 30 data lang ali tri 2>&1");
    ran.succeeds().stdout_has("Done training system with delta+delta-delta features in tri");
    scratch.sh("gmm-info tri/final.mdl | grep 'number of pdfs'; ls tri").succeeds().stdout_has("ali.1.gz");
    // Nothing stays of what stood for the graphs.
    scratch.sh("! ls tri | grep -e fsts -e without-graphs").succeeds();
}
