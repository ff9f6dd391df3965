//! Lattices through Kaldi's own scripts, with our tools alone: `PEERS_KALDI` is the folder of a checkout of Kaldi. The results are
//! compared with those of Kaldi's programs, which `tests/pipelines` has.

use std::path::{Path, PathBuf};

use crate::support::Scratch;

/// The trials by name.
pub const TRIALS: &[(&str, fn())] = &[
    ("the_scripts_of_scoring_find_the_errors_of_kaldi", the_scripts_of_scoring_find_the_errors_of_kaldi),
    ("the_scripts_of_ctm_find_the_times_of_kaldi", the_scripts_of_ctm_find_the_times_of_kaldi),
    ("the_script_for_sclite_writes_what_it_scores", the_script_for_sclite_writes_what_it_scores),
    ("weights_of_best_paths_are_posteriors_of_their_pdfs", weights_of_best_paths_are_posteriors_of_their_pdfs),
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

/// The scorer itself is not ours: a script stands for it, and what it is called with is compared.
fn the_script_for_sclite_writes_what_it_scores() {
    let scratch = decoded();
    let script = recipe().unwrap().join("../../tedlium/s5_r2/local/score_sclite.sh");
    std::os::unix::fs::symlink(script, scratch.path("score_sclite.sh")).unwrap();
    scratch
        .sh(r#". ./path.sh; set -e; export KALDI_ROOT=$PWD
        mkdir -p tools/sctk/bin
        printf '#!/bin/sh\necho "$@" >> scored\n' > tools/sctk/bin/hubscr.pl; chmod +x tools/sctk/bin/hubscr.pl
        awk '{ print $1, "talk" NR % 3, 100 * NR, 100 * NR + 20 }' data/text > data/segments
        awk '{ print $2, $2, "A" }' data/segments | sort -u > data/reco2file_and_channel
        awk 'FNR == NR { from[$1] = $2 " A " $2 " " $3 " " $4; next }
            { key = $1; $1 = ""; print from[key] $0 }' data/segments data/text | sort > data/stm
        touch data/glm
        bash score_sclite.sh --cmd run.pl --beam 5 --decode-mbr true --min-lmwt 11 --max-lmwt 12 \
            --word-ins-penalty 0.0 data lang exp/decode > log 2>&1 || { cat log >&2; exit 1; }
        section "confidences, boundary, 12" | awk 'FNR == NR { talk[$1] = $2; start[$1] = $3; next }
            { printf "%s A %.2f %.2f %s %s\n", talk[$1], start[$1] + $3, $4, $5, $6 }' data/segments - |
            sort -k1,1 -k2,2 -k3,3nb | diff <(sed 's/ $//' exp/decode/score_12_0.0/ctm) -
        cmp exp/decode/score_12_0.0/ctm exp/decode/score_12_0.0/ctm.filt
        cmp data/stm exp/decode/score_11_0.0/stm
        sort scored | cut -d ' ' -f 3- | diff - <(for scale in 11 12; do
            echo "-V -l english -h hub5 -g data/glm -r exp/decode/score_${scale}_0.0/stm exp/decode/score_${scale}_0.0/ctm.filt"
        done)"#)
        .succeeds();
}

/// Each lattice has two paths, which differ in some pdfs. Where they do, the weight is the probability of the better one.
fn weights_of_best_paths_are_posteriors_of_their_pdfs() {
    let scratch = decoded();
    std::os::unix::fs::symlink(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data/models"),
        scratch.path("models"),
    )
    .unwrap();
    scratch
        .sh(r#". ./path.sh; set -e; m=models
        mkdir -p exp/two; cp $m/tri.mdl exp/final.mdl; cp $m/tri.tree exp/tree; touch exp/cmvn_opts; echo 1 > exp/two/num_jobs
        {
            convert-ali $m/tri.mdl $m/tri.mdl $m/tri.tree ark:$m/tri.alir.ark ark:best
            linear-to-nbest ark:best "ark:sed 's/ .*/ 1/' $m/tri.alir.txt |" '' '' ark:first
            linear-to-nbest ark:$m/tri.alir.ark "ark:sed 's/ .*/ 2/' $m/tri.alir.txt |" '' \
                "ark:sed 's/ .*/ 12/' $m/tri.alir.txt |" ark:second
            lattice-union ark:first ark:second 'ark:| gzip -c > exp/two/lat.1.gz'
            steps/best_path_weights.sh --cmd run.pl --acwt 0.1 data exp/two weights
            gunzip -c weights/ali.1.gz | cmp - best
            ali-to-pdf $m/tri.mdl ark:best ark,t:best.pdfs
            ali-to-pdf $m/tri.mdl ark:$m/tri.alir.ark ark,t:second.pdfs
            copy-vector scp:weights/weights.scp ark,t:found
        } > log 2>&1 || { cat log weights/log/* >&2; exit 1; }
        tr -d '[]' < found | awk 'FILENAME == "best.pdfs" { best[$1] = $0; next } FILENAME == "second.pdfs" { second[$1] = $0; next }
            {
                if (split(best[$1], pdf) != NF) exit 1
                split(second[$1], other)
                for (i = 2; i <= NF; i++) {
                    expected = pdf[i] == other[i] ? 1 : 1 / (1 + exp(-1.2))
                    if (($i - expected) ^ 2 > 1e-8) exit 1
                    counts[pdf[i] == other[i]]++
                }
            }
            END { exit counts[0] < 20 || counts[1] < 20 }' best.pdfs second.pdfs -"#)
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
