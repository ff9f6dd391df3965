//! Scoring: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    scoring "Scoring"
    align_text "align-text.rs" Kaldi "aligns sentences word by word";
    compute_eer "compute-eer.rs" Kaldi "computes equal error rates";
    compute_wer "compute-wer.rs" Kaldi "computes word and sentence error rates";
    compute_wer_bootci "compute-wer-bootci.rs" Kaldi "computes word error rates with their confidence intervals";
}
