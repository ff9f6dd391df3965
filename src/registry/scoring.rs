//! The tools in `src/bin/scoring`.

task! {
    scoring "Scoring" {
        align_text "align-text" "../bin/scoring/align-text.rs" Kaldi
            "aligns sentences word by word";
        compute_eer "compute-eer" "../bin/scoring/compute-eer.rs" Kaldi
            "computes equal error rates";
        compute_wer "compute-wer" "../bin/scoring/compute-wer.rs" Kaldi
            "computes word and sentence error rates";
        compute_wer_bootci "compute-wer-bootci" "../bin/scoring/compute-wer-bootci.rs" Kaldi
            "computes word error rates with their confidence intervals";
    }
}
