//! Lattices through Kaldi's own scripts, with our tools alone: `PEERS_KALDI` is the folder of a checkout of Kaldi. The results are
//! compared with those of Kaldi's programs, which `tests/pipelines` has.

use std::path::{Path, PathBuf};

use crate::support::Scratch;

/// The trials by name.
pub const TRIALS: &[(&str, fn())] = &[
    ("the_scripts_of_scoring_find_the_errors_of_kaldi", the_scripts_of_scoring_find_the_errors_of_kaldi),
    ("the_scripts_of_ctm_find_the_times_of_kaldi", the_scripts_of_ctm_find_the_times_of_kaldi),
    ("the_scripts_of_diagnosis_run_to_their_end", the_scripts_of_diagnosis_run_to_their_end),
];

/// The recipe that has the scripts.
fn recipe() -> Result<PathBuf, String> {
    let root = std::env::var_os("PEERS_KALDI").ok_or("since PEERS_KALDI does not name a checkout of Kaldi")?;
    let wsj = PathBuf::from(root).join("egs/wsj/s5");
    let scripts = ["steps/scoring/score_kaldi_wer.sh", "steps/get_ctm_fast.sh", "steps/diagnostic/analyze_lats.sh"];
    match scripts.iter().map(|script| wsj.join(script)).find(|script| !script.is_file()) {
        Some(missing) => Err(format!("since there is no {}", missing.display())),
        None => Ok(wsj),
    }
}

/// Why the trials cannot run here.
pub fn find() -> Result<(), String> {
    recipe().map(|_| ())
}

/// A folder with ten decoded utterances in two jobs, as recipes have them, and links to the scripts. `section` prints a part of the
/// times that Kaldi's programs found.
fn decoded() -> Scratch {
    let scratch = Scratch::new();
    let (wsj, tests) = (recipe().unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"));
    let link = |name: &str, from: PathBuf| std::os::unix::fs::symlink(from, scratch.path(name)).unwrap();
    link("utils", wsj.join("utils"));
    link("steps", wsj.join("steps"));
    link("golden", tests.join("golden/data/lattices"));
    link("expected", tests.join("pipelines/expected"));
    scratch.write(
        "path.sh",
        "export PATH=$PWD/utils:$PWD/utils/parallel:$PATH LC_ALL=C
        section() { awk -v name=\"$1\" '/^(best|conf|train)/ {on = $0 == name; next} on' expected/ctm; }\n",
    );
    scratch
        .sh(r#". ./path.sh; mkdir -p data lang/phones exp/decode
        cp golden/text data; awk '{ split($1, part, "-"); print $1, part[2] }' data/text > data/utt2spk
        utt2spk_to_spk2utt.pl data/utt2spk > data/spk2utt
        cp golden/words.txt golden/phones.txt lang; echo 2 > lang/oov.int
        cp golden/word_boundary.int lang/phones; echo 1:2:3:4:5 > lang/phones/silence.csl
        cp golden/final.mdl exp; echo 3 > exp/frame_subsampling_factor; echo 2 > exp/decode/num_jobs
        head -n 5 data/text > first
        lattice-copy --include=first ark:golden/real.ark 'ark:| gzip -c > exp/decode/lat.1.gz'
        lattice-copy --exclude=first ark:golden/real.ark 'ark:| gzip -c > exp/decode/lat.2.gz'"#)
        .succeeds();
    scratch
}

fn the_scripts_of_scoring_find_the_errors_of_kaldi() {
    decoded()
        .sh(r#". ./path.sh; set -e
        for mbr in false true; do
            for script in "score_kaldi_wer.sh" "score_kaldi_cer.sh --stage 2"; do
                steps/scoring/$script --cmd run.pl --decode-mbr $mbr data lang exp/decode >> log 2>&1 || { cat log >&2; exit 1; }
            done
            for penalty in 0.0 0.5 1.0; do
                for scale in $(seq 7 17); do
                    sum=$(sed 's/ $//' exp/decode/scoring_kaldi/penalty_$penalty/$scale.txt | cksum)
                    rates=$(grep -h WER exp/decode/wer_${scale}_$penalty exp/decode/cer_${scale}_$penalty | paste -s -d ' ')
                    echo "$mbr $scale $penalty $sum $rates"
                done
            done
        done | diff - expected/errors
        for name in per_utt per_spk ops wer_bootci; do [ -s exp/decode/scoring_kaldi/wer_details/$name ]; done
        lattice-score --decode-mbr=true --word-symbol-table=lang/words.txt --text=ark:data/text --write-text=%LMWT.%WIP \
            'ark:gunzip -c exp/decode/lat.*.gz |' > rates
        cmp exp/decode/scoring_kaldi/penalty_0.5/9.txt 9.0.5
        [ "$(sed -n 's/^best: \(.*\) \(.*\) \(.*\)/\1 exp\/decode\/wer_\2_\3/p' rates)" = "$(cat exp/decode/scoring_kaldi/best_wer)" ]"#)
        .succeeds();
}

fn the_scripts_of_ctm_find_the_times_of_kaldi() {
    decoded()
        .sh(r#". ./path.sh; set -e
        mkdir ali train; gzip -c < golden/ali.ark > ali/ali.1.gz; cp exp/final.mdl ali; echo 1 > ali/num_jobs
        int2sym.pl -f 2- lang/words.txt golden/best.tra > train/text; cp data/utt2spk data/spk2utt train
        {
            steps/get_ctm_fast.sh --cmd run.pl --lmwt 12 --wip 0.5 --frame-shift 0.03 data lang exp/decode fast
            steps/get_ctm.sh --cmd run.pl --min-lmwt 11 --max-lmwt 12 data lang exp/decode; mv exp/decode/score_12/data.ctm best
            steps/conf/get_ctm_conf.sh --cmd run.pl --min-lmwt 12 --max-lmwt 12 data lang exp/decode
            steps/get_train_ctm.sh --cmd run.pl train lang ali
        } > log 2>&1 || { cat log >&2; exit 1; }
        sed 's/ $//' fast/ctm | diff - <(section "best path, boundary, 12, silence false")
        sed 's/ $//' exp/decode/score_12/data.ctm | diff - <(section "confidences, boundary, 12")
        sed 's/ $//' ali/ctm | diff - <(section "training, boundary")
        [ $(wc -l < best) -ge 40 ]"#)
        .succeeds();
}

fn the_scripts_of_diagnosis_run_to_their_end() {
    let scratch = decoded();
    let ran = scratch.sh(r#". ./path.sh; set -e
        { steps/oracle_wer.sh --cmd run.pl --beam 6 data lang exp/decode
          steps/diagnostic/analyze_lats.sh --cmd run.pl lang exp/decode; } 2> log || { cat log >&2; exit 1; }"#);
    // What Kaldi's own programs find.
    let stdout = String::from_utf8_lossy(ran.succeeds().stdout()).into_owned();
    for line in [
        "Depth is: 3.78 ( 7792 / 2061 )",
        "Oracle WER is: 65.07% [ 95 / 146, ",
        "Overall, lattice depth (10,50,90-percentile)=(1,5,21) and mean=8.5",
    ] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
}
